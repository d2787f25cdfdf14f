"""`make test-profile`: CPU seconds of each test file and of the dearest tests, and those of them in child processes.

A fixture's work counts for the first test that asks for it, a child process for the one at whose end it was waited for.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

import pytest

SHOWN_FILES, SHOWN_TESTS = 60, 60
OF_TEST, OF_CHILDREN, OF_PROCESS = "cpu_s", "children_s", pytest.StashKey[tuple[float, float]]()
TESTS: Counter[str] = Counter()
CHILDREN: Counter[str] = Counter()


def cpu_s() -> tuple[float, float]:
    """CPU seconds of this process and of the children that it has waited for, and those of the children alone."""
    times = os.times()
    return sum(times[:4]), times.children_user + times.children_system


def pytest_collection_finish(session: pytest.Session) -> None:
    """What the first test takes begins here."""
    session.stash[OF_PROCESS] = cpu_s()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Send with a test's last report what was used since that of the one before."""
    if call.when == "teardown":
        now, before = cpu_s(), item.session.stash[OF_PROCESS]
        item.user_properties += [(OF_TEST, now[0] - before[0]), (OF_CHILDREN, now[1] - before[1])]
        item.session.stash[OF_PROCESS] = now
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Collect, in the process that hands out the tests."""
    if report.when == "teardown":
        used = dict(report.user_properties)
        TESTS[report.nodeid] += used.get(OF_TEST, 0.0)  # type: ignore[operator]
        CHILDREN[report.nodeid] += used.get(OF_CHILDREN, 0.0)  # type: ignore[operator]


def of_files(tests: Counter[str]) -> Counter[str]:
    """The seconds of tests by their file."""
    files: Counter[str] = Counter()
    for test, used in tests.items():
        files[test.partition("::")[0]] += used
    return files


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table; at the end the processes of a run have ended, and count as children."""
    files, children = of_files(TESTS), CHILDREN + of_files(CHILDREN)
    tests, apart, all_s = files.total(), CHILDREN.total(), cpu_s()[0]
    terminalreporter.write_line(
        f"CPU: {tests:.0f} s of tests, {apart:.0f} s of it in child processes, {all_s:.0f} s in all"
    )
    for name, used in [*files.most_common(SHOWN_FILES), *TESTS.most_common(SHOWN_TESTS)]:
        terminalreporter.write_line(f"{used:7.1f} {children[name]:7.1f} {name}")
