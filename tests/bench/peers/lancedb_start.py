"""LanceDB with its own full-text index."""

import os

from common import Clock, arguments, fuse, open_model, read

action, rest = arguments()
path = f"{rest[0]}/lancedb"

if action == "load":
    if not os.path.exists(path):
        import lancedb
        import pyarrow

        rows, texts = read(rest[0])
        flat = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(rows.reshape(-1)), rows.shape[1])
        data = pyarrow.table({"id": list(range(len(texts))), "text": texts, "vector": flat})
        lancedb.connect(path).create_table("chunks", data).create_fts_index("text")
else:
    clock = Clock()
    import lancedb
    import onnxruntime  # noqa: F401
    import tokenizers  # noqa: F401

    clock.mark("import")
    table, embed = lancedb.connect(path).open_table("chunks"), open_model(rest[1])
    clock.mark("open")
    row = embed(rest[2])
    clock.mark("embed")
    near = table.search(row).metric("cosine").select(["id", "text"]).limit(100).to_list()
    found = table.search(rest[2], query_type="fts").select(["id", "text"]).limit(100).to_list()
    assert len(fuse([one["id"] for one in near], [one["id"] for one in found])) == 10
    clock.mark("search")
    clock.tell()
