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
    # In a new checkout their making takes a minute, for which files in other processes would wait and do nothing.
    "the Lambda archives and the CDK's synthesis": (
        "tests/functions/test_rehearsal.py",
        "tests/infra/packaging/test_layers.py",
        "tests/infra/test_stack.py",
    ),
    "the syntax trees of all the code": ("tests/test_imports.py", "tests/test_house_rules.py"),
    "the vectors of the textbook's pages": (
        "tests/contract/spec_textbook.py",
        "tests/quire/search/test_rag_retrieval.py",
    ),
}
SECONDS = {
    "tests/functions/test_rehearsal.py": 60,  # in a new checkout, 16 in another: the archives
    "tests/functions/test_page.py": 25,
    "tests/build_index/release/test_on_server.py": 22,
    "tests/functions/test_cli.py": 22,
    "tests/build_index/distributed/test_several_life.py": 20,
    "tests/build_index/cli/test_ingest_cli.py": 16,
    "tests/contract/spec_codebase.py": 14,
    "tests/functions/test_live_processes.py": 14,
    "tests/functions/faces/test_codebase.py": 13,
    "tests/functions/test_growth_of_routes.py": 12,
    "tests/test_fuzz.py": 12,
    "tests/test_growth.py": 10,
    "tests/build_index/sources/test_completeness.py": 9,
    "tests/infra/test_stack.py": 9,
    "tests/build_index/distributed/test_step_functions.py": 8,
    "tests/build_index/test_beside.py": 8,
    "tests/functions/test_hostile_requests.py": 8,
    "tests/functions/test_isolation.py": 8,
    "tests/quire/store/test_store.py": 8,
    "tests/test_workflows.py": 8,
    "tests/contract/test_embedder.py": 7,
    "tests/functions/aws/test_precompiled.py": 7,
    "tests/functions/faces/test_sites.py": 7,
    "tests/functions/test_rig_faults.py": 7,
    "tests/infra/packaging/test_layers.py": 7,
    "tests/test_tutorial.py": 7,
    "tests/build_index/distributed/test_shards.py": 6,
    "tests/contract/spec_textbook.py": 6,
    "tests/functions/faces/test_mcp.py": 6,
    "tests/functions/faces/test_mcp_clients.py": 6,
    "tests/functions/test_full_disk.py": 6,
    "tests/functions/test_local.py": 6,
    "tests/functions/test_swap.py": 6,
    "tests/test_readme.py": 6,
    "tests/functions/test_rig_faces.py": 5,
    "tests/test_imports.py": 5,
    "tests/test_patterns.py": 5,
    "tests/build_index/distributed/test_several_segments.py": 4,
    "tests/build_index/gate/test_gate.py": 4,
    "tests/build_index/pipeline/test_questions.py": 4,
    "tests/contract/test_chat_memory.py": 4,
    "tests/contract/test_object_store.py": 4,
    "tests/contract/test_search_ports.py": 4,
    "tests/functions/app/test_openapi.py": 4,
    "tests/functions/test_faults.py": 4,
    "tests/functions/test_ladder.py": 4,
    "tests/functions/test_rig.py": 4,
    "tests/functions/web/test_waiting.py": 4,
    "tests/quire/chunking/test_chunking.py": 4,
    "tests/quire/index/test_cells.py": 4,
    "tests/quire/index/writer/test_spill.py": 4,
    "tests/quire/store/test_killed_writes.py": 4,
    "tests/quire/test_killable.py": 4,
    "tests/test_promises.py": 4,
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
