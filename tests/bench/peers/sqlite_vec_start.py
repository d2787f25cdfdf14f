"""sqlite-vec with FTS5."""

import os
import re
import sqlite3

if not hasattr(sqlite3.Connection, "enable_load_extension"):  # some Pythons are built without it
    import pysqlite3 as sqlite3

from common import Clock, arguments, fuse, open_model, read

action, rest = arguments()
path = f"{rest[0]}/sqlite_vec.db"


def connect():
    import sqlite_vec

    database = sqlite3.connect(path)
    database.enable_load_extension(True)
    sqlite_vec.load(database)
    return database


if action == "load":
    if not os.path.exists(path):
        rows, texts = read(rest[0])
        database = connect()
        database.execute(
            f"create virtual table vectors using vec0(row float[{rows.shape[1]}] distance_metric=cosine)"
        )
        database.execute("create virtual table texts using fts5(text, tokenize='porter')")
        database.executemany(
            "insert into vectors(rowid, row) values (?, ?)", ((i, r.tobytes()) for i, r in enumerate(rows))
        )
        database.executemany("insert into texts(rowid, text) values (?, ?)", enumerate(texts))
        database.commit()
else:
    clock = Clock()
    import numpy  # noqa: F401
    import onnxruntime  # noqa: F401
    import sqlite_vec  # noqa: F401
    import tokenizers  # noqa: F401

    clock.mark("import")
    database, embed = connect(), open_model(rest[1])
    clock.mark("open")
    row = embed(rest[2])
    clock.mark("embed")
    near = database.execute(
        "select rowid from vectors where row match ? and k = 100 order by distance", (row.tobytes(),)
    )
    words = " or ".join(re.findall(r"\w+", rest[2]))
    found = database.execute("select rowid from texts where texts match ? order by rank limit 100", (words,))
    best = fuse([one for (one,) in near], [one for (one,) in found])
    texts = [database.execute("select text from texts where rowid = ?", (one,)).fetchone() for one in best]
    assert len(texts) == 10
    clock.mark("search")
    clock.tell()
