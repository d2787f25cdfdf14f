"""In which order files are handed to the processes of a run: long ones first, so that none waits for another's end.

Files that set up the same costly thing go to one process, together. The figures are rounded CPU seconds; a file that is
not named here is short. A wrong figure costs some waiting and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from xdist.scheduler import LoadFileScheduling

GROUPS = {
    "an S3 server that takes long to start": (
        "tests/contract/test_object_store.py",
        "tests/functions/test_rig_faults.py",
    ),
}
SECONDS = {
    "tests/functions/test_rehearsal.py": 73,
    "tests/functions/faces/test_codebase.py": 61,
    "tests/build_index/cli/test_ingest_cli.py": 52,
    "tests/contract/spec_codebase.py": 38,
    "tests/test_workflows.py": 35,
    "tests/functions/test_page.py": 35,
    "tests/build_index/distributed/test_shards.py": 22,
    "tests/functions/test_cli.py": 21,
    "tests/contract/spec_textbook.py": 20,
    "tests/functions/test_live_processes.py": 17,
    "tests/functions/test_rig_faces.py": 17,
    "tests/functions/test_full_disk.py": 17,
    "tests/functions/test_rig_faults.py": 17,
    "tests/build_index/pipeline/test_questions.py": 16,
    "tests/functions/test_hostile_requests.py": 16,
    "tests/build_index/sources/test_completeness.py": 16,
    "tests/functions/test_rig.py": 15,
    "tests/quire/store/test_room.py": 13,
    "tests/functions/test_isolation.py": 13,
    "tests/functions/faces/test_mcp.py": 13,
    "tests/build_index/test_hostile_files.py": 13,
    "tests/test_patterns.py": 12,
    "tests/build_index/test_hostile_builds.py": 11,
    "tests/test_readme.py": 11,
    "tests/infra/test_stack.py": 11,
    "tests/contract/test_embedder.py": 10,
    "tests/build_index/gate/test_gate.py": 10,
    "tests/functions/test_ladder.py": 9,
    "tests/functions/test_swap.py": 9,
    "tests/build_index/model/test_export.py": 9,
    "tests/test_house_rules.py": 9,
    "tests/quire/index/writer/test_spill.py": 9,
    "tests/contract/test_chat_memory.py": 9,
    "tests/build_index/pipeline/test_stages.py": 8,
    "tests/functions/faces/test_mcp_agent.py": 8,
}


def group_of(file: str) -> str:
    """What is handed out at once with that file."""
    return next((name for name, files in GROUPS.items() if file in files), file)


def long_first(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The tests by the length of their file; those of one file, and files of one length, in the order they were in."""
    return sorted(items, key=lambda item: -SECONDS.get(item.nodeid.partition("::")[0], 0))


class LongFirst(LoadFileScheduling):  # type: ignore[misc]
    """Hands out files, or groups of them, in the order in which they were collected."""

    def __init__(self, config: pytest.Config, log: object = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid.partition("::")[0])
