"""Stores whose files were damaged: what serves them answers, refuses or says that it cannot; it never breaks."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path

from quire.errors import QuireError
from tests.support.served import Shelf

ASKED = (
    ("POST", "/query", {"collection": "roblox", "q": "How fast does the character walk?"}),
    (
        "POST",
        "/query",
        {"collection": "roblox", "q": "speed", "mode": "keyword", "filters": {"class_name": "Humanoid"}},
    ),
    ("POST", "/answer", {"collection": "roblox", "q": "How fast does the character walk?"}),
    ("GET", "/collections/roblox", None),
    ("GET", "/status", None),
)
SERVED = {200, 404, 422, 503}


def damage(path: Path, drawn: random.Random) -> str:
    """Change the file a little, and say how."""
    data = bytearray(path.read_bytes())
    place = drawn.randrange(len(data)) if data else 0
    how = drawn.choice(("bit", "bit", "bit", "cut", "longer", "zeros", "gone", "empty", "text"))
    match how:
        case "bit" if data:
            data[place] ^= 1 << drawn.randrange(8)
        case "cut":
            del data[place:]
        case "longer":
            data += bytes(drawn.randrange(256) for _ in range(50))
        case "zeros":
            data[place : place + 64] = bytes(len(data[place : place + 64]))
        case "empty":
            data.clear()
        case "text":
            data[place : place + 4] = drawn.choice((b"null", b"[[[[", b"-1e9", b"1e99", b'"""{'))
    path.unlink() if how == "gone" else path.write_bytes(data)
    return how


def fuzz_artifacts(folder: Path, count: int, seed: int) -> tuple[Counter[int], list[str]]:
    """Damage a file of a published store so many times, and serve each: the statuses, and what went wrong."""
    drawn = random.Random(seed)
    whole = Shelf(folder / "whole")
    whole.root.mkdir(parents=True)
    whole.publish()
    files = sorted(path.relative_to(whole.root) for path in whole.folder.rglob("*") if path.is_file())
    statuses: Counter[int] = Counter()
    wrong = []
    for number in range(count):
        root = folder / f"damaged-{number}"
        shutil.copytree(whole.root, root)
        path = drawn.choice([one for one in files if not one.name.startswith(".")])
        shelf, how = Shelf(root), f"{number}: {path.name}: {damage(root / path, drawn)}"
        with shelf.client() as client:
            for verb, url, body in ASKED:
                answer = client.request(verb, url, json=body)
                statuses[answer.status_code] += 1
                if answer.status_code not in SERVED:
                    wrong.append(f"{how}: {verb} {url}: {answer.status_code} {answer.text[:200]}")
        try:
            shelf.store.pointer("roblox")
            shelf.store.versions("roblox")
        except QuireError:
            pass
        except Exception as error:  # noqa: BLE001  any other is what is looked for
            wrong.append(f"{how}: {type(error).__name__}: {error}")
        shutil.rmtree(root)
    return statuses, wrong
