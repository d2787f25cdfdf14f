"""The composition root and the frame around every face: wiring, mounting, OpenAPI and the pages."""

import functions.web  # noqa: F401  its first lines must run before anything here imports FastAPI
