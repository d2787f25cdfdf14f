"""Chroma: its dense index, and its document filter as the keyword side, for it has no ranking by words."""

import os

from common import Clock, arguments, fuse, open_model, read

action, rest = arguments()
path = f"{rest[0]}/chroma"

if action == "load":
    if not os.path.exists(path):
        import chromadb

        rows, texts = read(rest[0])
        chunks = chromadb.PersistentClient(path).create_collection(
            "chunks", metadata={"hnsw:space": "cosine"}
        )
        for start in range(0, len(texts), 2000):
            part = slice(start, start + 2000)
            names = [str(number) for number in range(start, min(start + 2000, len(texts)))]
            chunks.add(ids=names, embeddings=rows[part].tolist(), documents=texts[part])
else:
    clock = Clock()
    import chromadb
    import onnxruntime  # noqa: F401
    import tokenizers  # noqa: F401

    clock.mark("import")
    chunks, embed = chromadb.PersistentClient(path).get_collection("chunks"), open_model(rest[1])
    clock.mark("open")
    row = embed(rest[2]).tolist()
    clock.mark("embed")
    near = chunks.query(query_embeddings=[row], n_results=100)["ids"][0]
    word = max(rest[2].split(), key=len)
    found = chunks.query(query_embeddings=[row], n_results=100, where_document={"$contains": word})["ids"][0]
    assert len(fuse(near, found)) == 10
    clock.mark("search")
    clock.tell()
