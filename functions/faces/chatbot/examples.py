"""Example bodies for the API reference."""

from __future__ import annotations

from functions.faces.chatbot.contract import (
    ChatResponse,
    DeletedPage,
    EmbedResponse,
    IngestResponse,
    LibraryPages,
    QueryResponse,
)

CHUNK = "8f14e45fceea167a"
SHA256 = "b1946ac92492d2347c6235b4d2611184a1f0e3c6f0d0e6b7c0a1c1c1d6a0c0de"
VERSION = "9b1f7c02e4d1"
INGESTED: IngestResponse = {
    "status": "success",
    "ingested_count": 500,
    "message": "Successfully ingested 500 chunks into 'book'.",
    "failures": [],
}
ACCEPTED: IngestResponse = {
    "status": "accepted",
    "ingested_count": 0,
    "message": "120 files are being ingested; ask for the job.",
    "failures": [],
    "job": "5e0c6f0c1d3b4c0e5e0c6f0c1d3b4c0e",
    "progress": {"embedded": 96, "of": 480},
}
PAGES: LibraryPages = {
    "pages": [
        {
            "path": "ros2/architecture.md",
            "chapter": "ROS 2 Architecture",
            "url": "https://example.com/docs/ros2-architecture",
            "chunks": 12,
            "sha256": SHA256,
        }
    ],
    "after": None,
    "total": 1,
}
DELETED: DeletedPage = {"status": "success", "message": "Deleted 'ros2/architecture.md' from 'book'."}
EMBEDDED: EmbedResponse = {"embedding": [0.123, 0.456, 0.789]}
FOUND: QueryResponse = {
    "results": [
        {
            "id": CHUNK,
            "text": "ROS 2 topics are a publish-subscribe mechanism.",
            "score": 0.85,
            "metadata": {
                "chapter": "ROS 2 Architecture",
                "section": "Topics",
                "url": "https://example.com/docs/ros2-architecture#topics",
                "is_highlight_chunk": False,
                "path": "ros2/architecture.md",
                "start_line": 12,
                "end_line": 14,
                "sha256": SHA256,
                "version": VERSION,
            },
        }
    ]
}
ANSWERED: ChatResponse = {
    "response": "Humanoids use actions for tasks that take time, such as walking to a place [1].",
    "citations": [
        {
            "chapter": "ROS 2 Architecture",
            "section": "Actions",
            "url": "https://example.com/docs/ros2-architecture#actions",
            "n": 1,
            "id": CHUNK,
            "quote": "An action is a task that takes time.",
            "sha256": SHA256,
            "version": VERSION,
            "is_highlight_chunk": False,
        }
    ],
    "similarity_scores": [{"id": CHUNK, "score": 0.85}],
    "notices": [],
    "degraded": [],
    "model_used": "extractive",
    "version": VERSION,
}
ANSWERING = (
    'event: delta\ndata: {"text": "Humanoids use actions"}\n\n'
    'event: done\ndata: {"response": "Humanoids use actions for tasks that take time [1].", "citations": []}\n\n'
)
"""The same as events; the last has all that the JSON has."""
