"""`make test-profile`: CPU seconds of each test file and of the dearest tests, with the processes that they start.

A fixture's work counts for the first test that asks for it, a child process for the one at whose end it was waited for.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

import pytest

SHOWN_FILES, SHOWN_TESTS = 60, 60
OF_TEST, OF_PROCESS = "cpu_s", pytest.StashKey[float]()
TESTS: Counter[str] = Counter()


def cpu_s() -> float:
    """CPU seconds of this process and of the children that it has waited for."""
    return sum(os.times()[:4])


def pytest_collection_finish(session: pytest.Session) -> None:
    """What the first test takes begins here."""
    session.stash[OF_PROCESS] = cpu_s()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Send with a test's last report what was used since that of the one before."""
    if call.when == "teardown":
        now = cpu_s()
        item.user_properties.append((OF_TEST, now - item.session.stash[OF_PROCESS]))
        item.session.stash[OF_PROCESS] = now
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Collect, in the process that hands out the tests."""
    if report.when == "teardown":
        TESTS[report.nodeid] += dict(report.user_properties).get(OF_TEST, 0.0)  # type: ignore[operator]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table; at the end the processes of a run have ended, and count as children."""
    files: Counter[str] = Counter()
    for test, used in TESTS.items():
        files[test.partition("::")[0]] += used
    terminalreporter.write_line(f"CPU: {sum(files.values()):.0f} s of tests, {cpu_s():.0f} s in all")
    for name, used in [*files.most_common(SHOWN_FILES), *TESTS.most_common(SHOWN_TESTS)]:
        terminalreporter.write_line(f"{used:7.1f} {name}")
