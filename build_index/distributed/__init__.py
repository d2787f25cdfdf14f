"""Builds in shards: documents in packs, each pack one segment made anywhere, all of them merged into the one build."""
