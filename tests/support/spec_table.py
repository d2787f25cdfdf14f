"""`make spec`: every requirement of the five specifications with its test and whether it holds.

A test that is marked as an expected failure is a requirement that is still missing; its reason is printed beside it.
"""

from __future__ import annotations

import io
import re
import sys
from collections import Counter
from contextlib import redirect_stdout
from typing import NamedTuple

import pytest

from tests.support.tree import ROOT

SPECS = {
    "textbook": "textbook-chatbot-backend",
    "chatbot": "chatbot-data-model-and-contracts",
    "codebase": "code-knowledge-server",
    "memory": "context-and-chat-memory-service",
    "roblox": "roblox-api-rag",
}
HOLDS, MISSING, BROKEN, UNTRIED = "holds", "missing", "BROKEN", "not tried"
_NAME = re.compile(
    r"""
    test_
    (?P<kind>(?:fr|sc|us)_)?     # a functional requirement, a success criterion, a user story
    (?P<place>\d+(?:_\d+)*)?_?   # its number, or that of the section
    (?P<words>[a-z].*?)
    (?P<case>\[.*\])?            # the case of a parametrized test
    """,
    re.VERBOSE,
)


class Row(NamedTuple):
    """One requirement; `reason` says what is missing where it does not hold."""

    spec: str
    requirement: str
    test: str
    state: str
    reason: str = ""


def state_of(report: pytest.TestReport) -> str:
    """What the report of a test says of its requirement."""
    if hasattr(report, "wasxfail"):
        return BROKEN if report.passed else MISSING
    if report.skipped:
        return UNTRIED
    return HOLDS if report.passed else BROKEN


def requirement_of(test: str) -> str:
    """The place in the specification and the sentence that a test's name holds.

    >>> requirement_of("test_5_2_1_filters_ignore_case")
    '5.2.1 filters ignore case'
    >>> requirement_of("test_fr_009_a_query_is_text[long]")
    'FR-009 a query is text [long]'
    """
    read = _NAME.fullmatch(test)
    if not read:
        return test
    place = (read["place"] or "").replace("_", ".")
    if read["kind"]:
        place = f"{read['kind'].rstrip('_').upper()}-{place}"
    return " ".join(filter(None, (place, read["words"].replace("_", " "), read["case"])))


class Table:
    """Collects the reports of a run of pytest."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One row a test; what fails before or after it counts as the test's failure."""
        if report.when != "call" and report.passed:
            return
        file, _, test = report.nodeid.partition("::")
        spec = file.rpartition("spec_")[2].removesuffix(".py")
        reason = str(getattr(report, "wasxfail", "")).removeprefix("reason: ")
        self.rows.append(Row(spec, requirement_of(test), report.nodeid, state_of(report), reason))


def main() -> int:
    """Run the executable specifications and print the table; exit code 1 where one is broken."""
    table = Table()
    files = [str(file) for name in SPECS if (file := ROOT / f"tests/contract/spec_{name}.py").exists()]
    with redirect_stdout(io.StringIO()) as said:
        pytest.main(["-n0", *files], plugins=[table])
    for name, title in SPECS.items():
        rows = [row for row in table.rows if row.spec == name]
        print(f"\n{title}: {_count(rows)}")
        for row in rows:
            print(f"  {row.state:<9}  {row.requirement}  ({row.test.rpartition('/')[2]})")
            if row.reason:
                print(f"             {row.reason}")
    print(f"\n{len(table.rows)} requirements: {_count(table.rows)}")
    if is_broken := not table.rows or any(row.state == BROKEN for row in table.rows):
        print(said.getvalue())
    return int(is_broken)


def _count(rows: list[Row]) -> str:
    counts = Counter(row.state for row in rows)
    return ", ".join(f"{count} {state}" for state, count in counts.most_common()) or "no test"


if __name__ == "__main__":
    sys.exit(main())
