"""The composition root and the frame around every face: wiring, mounting, OpenAPI and the pages."""
