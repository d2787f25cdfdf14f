"""The user's command line as people call it: its two streams, and its exit code.

Each command is a process of its own at least once; what else is asked of it is asked in this one, by `call`.
"""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import closing, redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from build_index.__main__ import main as operate
from build_index.cache.last_build import hold_cache
from functions.cli import main
from functions.cli.common import snippet
from quire import __version__
from quire.adapters.folder import FolderStore
from quire.adapters.opensearch import open_opensearch
from quire.adapters.opensearch_wire import LOADING, OpenSearchWire, read_address
from quire.index.layout import Pointer
from quire.killable import Killable
from quire.store.keys import server_alias, server_index
from quire.store.pointers import with_write
from quire.store.store import SegmentStore
from tests.support.books import Slide, Styled, make_docx, make_pptx, shape
from tests.support.indexed import PATHS
from tests.support.model import link_models
from tests.support.opensearch import opensearch
from tests.support.pdfs import make_pdf
from tests.support.served import Shelf
from tests.support.shop_app import FILES, write_shop
from tests.support.tree import ROOT
from tests.support.unprivileged import run_unprivileged

pytestmark = pytest.mark.usefixtures("model_folder", "few_questions")

HANGS = "as ...1nout async<a/[in <a/>new[a:"
"""Read as TSX, these 34 characters keep tree-sitter-typescript 0.23.2 busy for ever, inside of C."""
GIVEN_UP = r"(?:took more than \d+ s to read|was not read within \d+ s) and was given up"
"""A reader ends by its CPU seconds, or by the clock where a busy machine gives it none."""


class Desk:
    """A folder to stand in, with the shop beside and a store of its own."""

    def __init__(self, folder: Path, model_folder: Path) -> None:
        self.folder = folder
        self.shop = write_shop(folder / "shop")
        link_models(folder / ".quire" / "cache", model_folder)
        (folder / ".quire" / "store").mkdir()

    def run(
        self, *arguments: str, code: int = 0, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            (sys.executable, "-m", "functions.cli", *arguments),
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": PATHS, "NO_COLOR": "1", "COLUMNS": "200"}
            | dict(environment or {}),
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stderr
        assert done.returncode == code, done.stderr
        return done

    def call(self, *arguments: str, code: int = 0, folder: str = ".") -> tuple[str, str]:
        """The same without a process: what it wrote to its two streams."""
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.chdir(self.folder / folder)
            patch.setattr(sys, "argv", ["quire", *arguments])
            with pytest.raises(SystemExit) as ended:
                main()
        assert (ended.value.code or 0) == code, err.getvalue()
        return out.getvalue(), err.getvalue()

    def json(self, *arguments: str) -> Any:
        return json.loads(self.call(*arguments, "--json")[0])

    def pointer(self, name: str) -> Pointer:
        return SegmentStore(FolderStore(self.folder / ".quire/store"), self.folder / "unused").pointer(name)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> Desk:
    """The shop, indexed."""
    desk = Desk(tmp_path_factory.mktemp("desk"), model_folder)
    outcome = desk.json("index", "shop")
    assert (outcome["collection"], outcome["files"], outcome["changed"]) == ("shop", 9, 9)
    return desk


def test_an_address_in_place_of_a_folder_is_told_what_to_do(desk: Desk) -> None:
    _, err = desk.call("index", "https://example.org/docs/", code=2)
    assert err.startswith(
        "quire: https://example.org/docs: wanted a folder, found an address: clone or unpack"
    )


def test_a_terminal_of_another_encoding_is_shown_numbers_of_signs(desk: Desk) -> None:
    old = {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    told = desk.run("ask", "Где doCurlGet 日本?", "-c", "日本", code=2, environment=old)
    assert told.stderr.startswith("quire: collection '\\u65e5\\u672c': not in this store")


def test_a_folder_that_went_away_below_ones_feet_is_named(desk: Desk, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    command = f"rmdir {away}; {sys.executable} -m functions.cli index ."
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": PATHS}
    done = subprocess.run(
        command, shell=True, cwd=away, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "quire: the folder that you stand in is gone" in done.stderr) == (2, True)


def test_indexing_again_takes_only_what_changed(desk: Desk) -> None:
    out, _ = desk.call("index", "shop")
    assert out.startswith("shop: 9 files, ")
    assert " 0 files changed, " in out


def test_an_index_is_called_by_the_option_that_asks_it(desk: Desk, tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "store"))
    for option, name in (("--name", "jetty"), ("--collection", "quay"), ("-c", "pier")):
        assert desk.call("index", "shop", option, name, *store)[0].startswith(f"{name}: ")
        assert "cart" in desk.call("search", "cart", "--collection", name, *store)[0].lower()


def test_a_question_need_not_be_quoted(desk: Desk) -> None:
    words = ("where", "is", "doCurlGet", "defined?")
    for command in ("search", "ask"):
        assert desk.call(command, *words, "-n", "2") == desk.call(command, " ".join(words), "-n", "2")
    assert "Missing argument 'QUESTION'" in desk.run("ask", code=2).stderr


def test_a_name_that_can_be_none_is_told_what_names_are(desk: Desk, tmp_path: Path) -> None:
    wanted = "a letter a to z, then up to 62 of a to z, 0 to 9, '_' and '-'"
    _, err = desk.call("search", "x", "-c", "the shöp", code=2)
    assert err == f"quire: collection 'the shöp': not in this store, which holds shop; a name is {wanted}\n"
    for name in ("the shöp", "../shop", "x" * 64):
        place = ("--name", name, "--store", str(tmp_path / "store"))
        assert (
            desk.call("index", "shop", *place, code=2)[1] == f"quire: collection {name!r}: wanted {wanted}\n"
        )


def test_files_that_are_left_out_are_not_among_the_changed(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "yard"
    folder.mkdir()
    (folder / "ropes.md").write_text("# Ropes\n\nRopes are coiled at noon.\n", encoding="utf-8")
    (folder / "numbers").write_text("1, 2, 3, 17", encoding="utf-8")
    (folder / "picture.md").write_bytes(b"\x00\x01")
    place = (str(folder), "--store", str(tmp_path / "store"))
    assert " 1 file changed, " in desk.call("index", *place)[0]
    (folder / "numbers").write_text("1, 2, 3, 18", encoding="utf-8")
    assert " 0 files changed, " in desk.call("index", *place)[0]
    (folder / "numbers").write_text("Sails are red.", encoding="utf-8")
    assert " 1 file changed, " in desk.call("index", *place)[0]
    (folder / "picture.md").unlink()
    (folder / "ropes.md").unlink()
    assert " 1 file changed, " in desk.call("index", *place)[0]


def test_search_prints_places_that_an_editor_opens(desk: Desk) -> None:
    first, _, rest = desk.call("search", "doCurlGet", "-n", "1")[0].partition("\n")
    place, symbol, _ = first.split()
    path, _, line = place.rpartition(":")
    assert symbol == "doCurlGet"
    assert "function doCurlGet" in rest
    shown = (desk.folder / path).read_text(encoding="utf-8").split("\n")[int(line) - 1]
    assert rest.split("\n")[0].strip() == shown.strip()


CONFLUENCE = (
    '<!DOCTYPE html><html><head><title>YARD : First days</title><link rel="stylesheet" href="styles/site.css" '
    'type="text/css"/></head><body class="theme-default aui-theme-default"><ol id="breadcrumbs"><li>Yard</li></ol>'
    '<div id="main-content" '
    'class="wiki-content group"><h2 id="YARD-Keys">Keys</h2><p>New riggers collect their locker key at the gate '
    'house.</p><div class="table-wrap"><table class="confluenceTable"><tbody><tr><th>Role</th><th>Training</th>'
    "</tr><tr><td>Rigger</td><td>three days of knots</td></tr></tbody></table></div></div>"
    f"<div id='footer' role='contentinfo'><p>{'Generated by a wiki. ' * 300}</p></div></body></html>"
)
WORD = (
    '<html xmlns:w="urn:schemas-microsoft-com:office:word"><head><meta http-equiv=Content-Type content="text/html; '
    'charset=windows-1252"><meta name=Generator content="Microsoft Word 15"></head><body lang=EN><h1>Moorings'
    "<o:p></o:p></h1><p class=MsoNormal>A mooring costs 118 \x80 a month.<o:p></o:p></p></body></html>"
)


def test_pages_that_a_wiki_or_word_exported_are_documents_and_a_template_is_code(
    tmp_path: Path, model_folder: Path
) -> None:
    desk = Desk(tmp_path, model_folder)
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "First days_99.html").write_text(CONFLUENCE, encoding="utf-8")
    (pages / "moorings.htm").write_bytes(WORD.encode("latin-1"))
    (pages / "shell.html").write_text("<div id=app><p>The crane's panel</p></div>", encoding="utf-8")
    (pages / "notes.rtf").write_text(r"{\rtf1 hello}", encoding="utf-8")
    out, _ = desk.call("index", "pages")
    assert out.startswith("pages: 3 files, ")
    told = "left out: 1 .rtf; save .rtf as .docx, .pptx, .xlsx or PDF to have them read"
    assert out.splitlines()[1] == told
    for question, place, told in (
        ("Where do new riggers collect the locker key?", "First days_99.html  Keys", "at the gate house."),
        ("How much does a mooring cost?", "moorings.htm  Moorings", "A mooring costs 118 € a month."),
    ):
        text, _ = desk.call("ask", question)
        assert told in text
        assert place in text
        assert not re.search("<p|Generated by|Yard", text)
    assert "<p>The crane's panel</p>" in desk.call("search", "the crane's panel", "-n", "1")[0]


def test_a_folder_of_manuals_alone_is_indexed_and_cited_by_pages(tmp_path: Path, model_folder: Path) -> None:
    desk = Desk(tmp_path, model_folder)
    manuals = tmp_path / "manuals"
    manuals.mkdir()
    (manuals / "harbour.pdf").write_bytes(
        make_pdf(
            ["A harbour master keeps the book of ships.", "A sheet bend joins two ropes of unlike size."]
        )
    )
    (manuals / "tides.docx").write_bytes(make_docx([Styled("Spring tides come at full moon.")]))
    slides = [
        Slide([shape("Buoys", placeholder="title")]),
        Slide([shape("A green buoy stands to starboard.")]),
    ]
    (manuals / "buoys.pptx").write_bytes(make_pptx(slides))
    (manuals / "torn.pdf").write_bytes(b"%PDF-1.4 torn")
    out, err = desk.call("index", "manuals")
    assert out.startswith("manuals: 3 files, 3 passages, 1 file failed, ")
    assert err.count("torn.pdf: the PDF cannot be read") == 1
    out, err = desk.call("index", "manuals")  # nothing changed, and it still cannot be read
    assert ", 0 files changed, " in out
    assert err.count("torn.pdf: the PDF cannot be read") == 1
    assert desk.call("search", "spring tides", "-n", "1")[0].startswith("manuals/tides.docx ")
    assert desk.call("search", "green buoy to starboard", "-n", "1")[0].startswith(
        "manuals/buoys.pptx, slide 1"
    )
    assert desk.call("search", "who keeps the book of ships", "-n", "1")[0].startswith(
        "manuals/harbour.pdf, page 1"
    )


def test_search_shows_the_lines_of_a_long_passage_that_were_asked_for() -> None:
    rules = "\n".join(f"- Rule {number} is about nothing much." for number in range(30))
    text = f"# Rules\n{rules}\n- Parcels come back within fourteen days.\n- Last."
    shown = snippet(text, "How many days until parcels come back?").split("\n")
    assert shown[:2] == ["    # Rules", "    … 30 lines"]
    assert shown[2] == "    - Parcels come back within fourteen days."
    assert snippet(text, "rule").split("\n")[1] == "    - Rule 0 is about nothing much."
    assert snippet("one line", "anything") == "    one line\n"


def test_a_search_that_matches_nothing_shows_nothing_and_ends_with_1(desk: Desk) -> None:
    desk.call("index", "shop")
    out, err = desk.call("search", "zzqqxx wvwv", code=1)
    assert "shop/" not in out
    assert "othing" in out + err
    assert desk.call("search", "zzqqxx wvwv", "--json", code=1)[0].count('"id"') == 0


def test_indexing_says_what_it_left_out_and_whose_place_it_takes(desk: Desk, tmp_path: Path) -> None:
    first, second = tmp_path / "one" / "src", tmp_path / "two" / "src"
    for folder in (first, second):
        folder.mkdir(parents=True)
        (folder / "a.py").write_text("def kept():\n    return 1\n", encoding="utf-8")
    (first / "big.py").write_text("x = 1\n" * 200_000, encoding="utf-8")
    (first / "logo.png").write_bytes(b"\x89PNG")
    out, err = desk.call("index", str(first), "--store", str(tmp_path / ".quire" / "store"))
    assert (out.splitlines()[1], err.count("--name")) == ("left out: 1 over 1 MB (big.py), 1 .png", 0)
    assert (tmp_path / ".quire" / ".gitignore").read_text(encoding="utf-8") == "*\n"
    places = (str(second), "--store", str(tmp_path / ".quire" / "store"))
    for _ in range(2):
        out, err = desk.call("index", *places)
        assert (out.partition(":")[0], err.count("--name")) == ("two-src", 0)
    _, err = desk.call("index", *places, "--name", "src")
    assert f"src: held {first} until now; another --name keeps both" in err


def test_a_collection_that_an_operator_built_of_a_folder_is_not_replaced_by_its_index(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manual = tmp_path / "manual"
    manual.mkdir()
    (manual / "mooring.md").write_text("# Mooring\n\nLay the line around the cleat twice.\n")
    with monkeypatch.context() as patch:
        patch.chdir(desk.folder)
        assert operate(["build", "handbook", "--profile", "docs", "--source", f"docs={manual}"]) == 0
    assert desk.json("index", str(manual))["collection"] == "manual"
    profiles = {one: desk.pointer(one).profile for one in ("handbook", "manual")}
    assert profiles == {"handbook": "docs", "manual": "code"}
    told = desk.call("index", str(manual), "--name", "handbook")[1]
    assert f"handbook: held {manual} as profile docs until now; another --name keeps both" in told
    for one in profiles:
        desk.call("remove", one)


def test_what_a_messy_folder_loses_is_named_also_when_nothing_changed(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / "notes").mkdir(parents=True)
    (folder / "a.md").write_text("# Hours\n\nThe store opens at seven.\n", encoding="utf-8")
    (folder / ".env").write_text("API_KEY=abc", encoding="utf-8")
    (folder / "RULES").write_text("1, 2, 3, 17", encoding="utf-8")
    (folder / "notes" / "picture.md").write_bytes(bytes(range(256)))
    (folder / "notes" / "blank\n.md").write_text(" \n", encoding="utf-8")
    for number in range(4):
        (folder / f"link{number}.md").symlink_to("a.md")
    (folder / os.fsdecode(b"caf\xe9.md")).write_text("# Soup", encoding="utf-8")
    told = (
        "left out: 1 that may hold keys or passwords (.env), 1 with names that are no text (caf\\udce9.md), "
        "1 binary (notes/picture.md), 1 of other kinds (RULES), "
        "4 symbolic links (link0.md, link1.md, link2.md, …), 1 empty (notes/blank\\n.md)"
    )
    place = (str(folder), "--store", str(tmp_path / "store"))
    for _ in range(2):
        assert desk.call("index", *place)[0].splitlines()[1] == told
    (folder / "notes" / "picture.md").unlink()
    out, _ = desk.call("index", *place, "--json")
    assert json.loads(out)["left_out"]["symlink"] == [f"link{number}.md" for number in range(4)]
    assert "binary" not in json.loads(out)["left_out"]


def test_of_several_collections_the_one_of_this_folder_is_asked_and_the_reason_is_told(
    desk: Desk, tmp_path: Path
) -> None:
    store = str(tmp_path / "store")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "tea.md").write_text("# Tea\n\nGreen tea brews at 80 degrees.\n", encoding="utf-8")
    for folder in (str(tmp_path / "notes"), "shop"):
        desk.call("index", folder, "--store", store)
    words = ("search", "green tea or curl", "--store", store, "--files")
    _, err = desk.call(*words, folder="shop")
    assert err == "shop: holds this folder; --collection names another: notes\n"
    out, err = desk.call(*words, folder=str(tmp_path / "notes"))
    assert (out, err.partition(";")[0]) == ("tea.md\n", "notes: holds this folder")


def test_what_is_indexed_is_listed_and_a_passage_printed_whole(desk: Desk) -> None:
    (listed,) = desk.json("list")
    assert (listed["collection"], listed["files"], listed["sources"]) == ("shop", 9, [str(desk.shop)])
    assert desk.call("list")[0].startswith("shop  9 files, ")
    hit = desk.json("search", "doCurlGet")["hits"][0]
    place, _, text = desk.call("get", hit["id"])[0].partition("\n")
    assert (place.startswith("shop/src/helpers/curl.php:"), text) == (True, hit["text"] + "\n")
    assert "has no passage 'nowhere'" in desk.call("get", "nowhere", code=1)[1]
    assert "nothing is indexed" in desk.call("list", "--store", "empty")[1]


def test_status_tells_what_changed_and_remove_leaves_nothing(desk: Desk, tmp_path: Path) -> None:
    folder, store = tmp_path / "tea", str(tmp_path / "store")
    folder.mkdir()
    (folder / "tea.md").write_text("# Tea\n\nGreen tea brews at 80 degrees.\n", encoding="utf-8")
    desk.call("index", str(folder), "--store", store)
    (folder / "new.md").write_text("# Coffee\n\nIt brews at 92 degrees.\n", encoding="utf-8")
    told = desk.call("status", str(folder), "--store", store)[0]
    assert told.startswith("tea: 1 file, 1 passage\n")
    assert f"1 file changed since: `quire index {folder}` takes it in" in told
    (facts,) = json.loads(desk.call("status", "tea", "--store", store, "--json")[0])
    assert (facts["vectors"], facts["files_changed"], facts["build"]) == (1.0, 1, None)
    away = folder.rename(tmp_path / "away")
    told = desk.call("status", "--store", store)[0]
    assert (
        f"{folder}: wanted a folder, found nothing: it answers as it was; `quire index PATH --name tea`"
        in told
    )
    away.rename(folder)
    cache = desk.folder / ".quire/cache"
    segments = {one.name for one in Path(store).glob("collections/tea/segments/*")}
    for digest in segments:  # as where the store is a bucket
        (cache / "segments" / digest).mkdir(parents=True)
    (cache / "reports").mkdir(exist_ok=True)
    (cache / "reports" / "tea.json").write_text("{}", encoding="utf-8")  # as the publish gate leaves it
    assert (
        "cafe: not in this store, which holds tea" in desk.call("remove", "cafe", "--store", store, code=2)[1]
    )
    assert desk.call("remove", "tea", "--store", store)[0] == "tea: removed\n"
    assert "nothing is indexed" in desk.call("status", "--store", store)[1]
    assert list(Path(store).glob("collections/*")) == []
    assert [one for one in cache.rglob("*") if "tea" in one.name] == []
    assert not segments & {one.name for one in cache.rglob("*")}
    with closing(sqlite3.connect(cache / "kept.sqlite")) as kept:
        assert kept.execute("PRAGMA freelist_count").fetchone() == (0,), "free pages hold what was forgotten"


def test_remove_deletes_what_a_search_server_holds_of_it_and_no_other_index(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tea").mkdir()
    (tmp_path / "tea" / "tea.md").write_text("# Tea\n\nGreen tea brews at 80 degrees.\n", encoding="utf-8")
    place = ("--store", str(tmp_path / "store"))
    desk.call("index", str(tmp_path / "tea"), *place)
    with opensearch() as server:
        monkeypatch.setenv("QUIRE_OPENSEARCH_URL", server.url)
        wire = OpenSearchWire(read_address(server.url), LOADING)
        own, other = server_index("tea", ["1"]), server_index("tea-cups", ["1"])
        for index in (own, other):
            wire.ask("PUT", f"/{index}", {"settings": {}, "mappings": {}})
        desk.call("remove", "tea", *place)
        connection = open_opensearch(server.url)
        assert connection.indexes(server_alias("tea")) == []
        assert connection.indexes(server_alias("tea-cups")) == [other]


def test_a_pointer_that_is_damaged_is_told_with_what_helps_and_does_both(desk: Desk, tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "store"))
    desk.call("index", "shop", *store)
    held = tmp_path / "store/collections/shop"
    for damage in (b"", b'{"collection":"shop","fa'):
        (held / "current.json").write_bytes(damage)
        for command in (("ask", "What is it?"), ("index", "shop")):
            told = desk.call(*command, *store, code=2)[1]
            assert "collections/shop/current.json: pointer: wanted a JSON object" in told
            assert "Copy the newest file of collections/shop/versions/ over it, or remove the" in told
    (record,) = (held / "versions").glob("*.json")
    (held / "current.json").write_bytes(record.read_bytes())
    assert desk.call("index", "shop", *store)[0].startswith("shop: ")
    (held / "current.json").write_bytes(b"")
    assert desk.call("remove", "shop", *store)[0] == "shop: removed\n"
    assert not held.exists()


@pytest.mark.parametrize(
    "damaged", ["keywords.safetensors", "vectors.safetensors", "payloads/00000.jsonl", "manifest.json"]
)
def test_indexing_an_unchanged_folder_again_replaces_what_is_damaged(
    desk: Desk, tmp_path: Path, damaged: str
) -> None:
    """The message of a damaged file says that it does; the index keeps its name, though it cannot be opened."""
    notes = write_shop(tmp_path / "notes")
    desk.call("index", str(notes))
    (file,) = (desk.folder / ".quire/store/collections/notes/segments").glob(f"*/{damaged}")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    if damaged == "manifest.json":
        told = desk.call("status", "notes")[0]
        assert told == f"notes: is damaged, and not searched: `quire index {notes}` makes it again\n"
    assert desk.json("index", str(notes))["collection"] == "notes"
    assert file.read_bytes() == whole
    desk.call("remove", "notes")


def test_a_damaged_index_that_nothing_tells_the_folder_of_is_not_built_a_second_time_beside_it(
    desk: Desk,
) -> None:
    notes = write_shop(desk.folder / "lost")
    desk.call("index", str(notes))
    held, cache = desk.folder / ".quire/store/collections", desk.folder / ".quire/cache"
    (manifest,) = (held / "lost/segments").glob("*/manifest.json")
    manifest.write_bytes(b"garbage")
    assert "lost: holds this folder" in desk.call("ask", "What is it?", folder="lost", code=2)[1]
    (cache / "built/lost/manifest.json").unlink()
    told = desk.call("index", str(notes), code=2)[1]
    assert f"lost: is damaged, and nothing tells which folder it was made of: `quire index {notes}" in told
    assert sorted(one.name for one in held.iterdir()) == ["lost", "shop"]
    assert desk.json("index", str(notes), "--name", "lost")["collection"] == "lost"
    desk.call("remove", "lost")


def test_a_damaged_passage_is_told_with_what_replaces_it(desk: Desk, tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "store"))
    desk.call("index", "shop", *store)
    for file in (tmp_path / "store/collections/shop/segments").glob("*/payloads/*.jsonl"):
        file.write_bytes(file.read_bytes().replace(b'"', b"x"))
    told = desk.call("ask", "Where is doCurlGet defined?", *store, code=2)[1]
    assert "payloads: wanted a chunk as JSON" in told
    assert "building the collection again replaces it" in told


def test_a_folder_in_the_pointers_place_is_damage_and_no_missing_collection(
    desk: Desk, tmp_path: Path
) -> None:
    store = ("--store", str(tmp_path / "store"))
    desk.call("index", "shop", *store)
    pointer = tmp_path / "store/collections/shop/current.json"
    kept = pointer.read_bytes()
    pointer.unlink()
    pointer.mkdir()
    for command in (("ask", "What is it?", "--collection", "shop"), ("index", "shop")):
        told = desk.call(*command, *store, code=2)[1]
        assert "collections/shop/current.json: is a folder, wanted a file. Remove that folder first" in told
    assert "collections/shop/current.json: is a folder" in "".join(desk.call("status", *store))
    pointer.rmdir()
    pointer.write_bytes(kept)
    assert desk.call("index", "shop", *store)[0].startswith("shop: ")


def test_nothing_is_removed_while_a_build_into_another_store_works_in_the_cache(
    desk: Desk, tmp_path: Path
) -> None:
    folder, store = tmp_path / "tea", ("--store", str(tmp_path / "store"))
    folder.mkdir()
    (folder / "tea.md").write_text("# Tea\n\nGreen tea brews at 80 degrees.\n", encoding="utf-8")
    desk.call("index", str(folder), *store)
    cache = desk.folder / ".quire/cache"
    with hold_cache(cache, "tea"):
        _, err = desk.call("remove", "tea", *store, code=2)
    assert "another build of 'tea', into another store, works in the cache" in err
    assert (cache / "built/tea").is_dir()
    assert desk.call("search", "green tea", "--files", *store)[0].endswith("tea/tea.md\n")
    assert desk.call("remove", "tea", *store)[0] == "tea: removed\n"


def test_documents_that_were_written_over_http_are_removed_where_asked_alone(
    desk: Desk, tmp_path: Path
) -> None:
    shelf = Shelf(tmp_path)
    shelf.publish("docs", profile="docs")
    digest = shelf.store.pointer("docs").segments[0].digest
    shelf.store.pointers.advance("docs", lambda now: with_write(cast("Pointer", now), digest, ()))
    store = ("--store", str(tmp_path / "store"))
    assert "--force" in desk.call("remove", "docs", *store, code=2)[1]
    desk.call("remove", "docs", "--force", *store)
    assert desk.json("list", *store) == []


def test_a_build_in_the_background_is_told_of_and_killed_it_goes_on_where_it_was(
    desk: Desk, tmp_path: Path
) -> None:
    folder, store = tmp_path / "many", ("--store", str(tmp_path / "store"))
    folder.mkdir()
    for number in range(260):  # fewer passages are published once
        text = f'def task{number}():\n    """Paints the fence in coat {number}."""\n    return {number}\n'
        (folder / f"module{number}.py").write_text(text, encoding="utf-8")
    told = json.loads(desk.call("index", str(folder), "--background", "--json", *store)[0])
    out, err = desk.call("search", "task31", "--files", "-n", "1", *store)
    assert (out.endswith("module31.py\n"), err.startswith("degraded: vectors 0%")) == (True, True)
    (facts,) = json.loads(desk.call("status", "--json", *store)[0])
    assert (facts["build"]["process"], facts["vectors"], facts["build"]["log"]) == (
        told["process"],
        0.0,
        told["log"],
    )
    busy = f"is being indexed already by process {told['process']}; `quire status`"
    assert busy in desk.call("index", str(folder), *store, code=2)[1]
    os.kill(told["process"], signal.SIGKILL)
    until = time.monotonic() + 10  # a busy machine takes its time to end a process
    while "indexing was ended before it was done" not in (said := desk.call("status", *store)[0]):
        assert time.monotonic() < until, said
    again = json.loads(desk.call("index", str(folder), "--background", "--json", *store)[0])
    assert again["status"] == "running"
    _, err = desk.call("remove", "many", *store)
    assert f"ending process {again['process']}" in err
    assert not Path(told["log"]).exists()


def test_a_build_in_the_background_that_fails_says_why_and_so_does_its_exit_code(
    desk: Desk, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    store = ("--store", str(tmp_path / "store"))
    _, err = desk.call("index", str(tmp_path / "empty"), "--background", *store, code=2)
    assert "empty: there is no file in it to read" in err


def test_a_folder_with_nothing_to_read_says_what_was_left_out_and_what_was_wanted(
    desk: Desk, tmp_path: Path
) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "a.png").write_bytes(b"\x89PNG")
    (folder / "b.py").write_text("", encoding="utf-8")
    place = (str(folder), "--store", str(tmp_path / "store"))
    _, err = desk.call("index", *place, code=2)
    assert err.splitlines()[-1] == (
        f"quire: pictures: nothing to index in {folder}: 2 files and folders seen, none with text to index; "
        "left out: 1 empty (b.py), 1 .png. Wanted a folder with text, code or documents"
    )
    _, err = desk.call("index", *place, "--pattern", "*.rs", code=2)
    assert "left out: 2 that no pattern names (a.png, b.py)" in err
    assert err.strip().endswith("; another `pattern` may take more")


def test_a_file_that_hangs_its_parser_is_told_and_the_rest_of_the_folder_is_found(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A file may take 4 s of CPU before it is given up; one that never ends shows the same after 1.
    monkeypatch.setattr(Killable.__call__, "__kwdefaults__", {"cpu_s": 1.0})
    folder, store = tmp_path / "fences", ("--store", str(tmp_path / "store"))
    folder.mkdir()
    (folder / "hangs.tsx").write_text(HANGS)
    (folder / "nested.mdx").write_text("{" + "`${" * 1_000)  # in code, Markdown that is none is plain text
    (folder / "nested.js").write_text("{" + "`${" * 1_000)
    (folder / "fence.py").write_text("def paint_fence():\n    return 'green'\n")
    out, err = desk.call("index", str(folder), *store)
    assert re.search(rf"failed: hangs\.tsx: .*{GIVEN_UP}", err)
    assert err.count("failed: ") == 1
    assert out.startswith("fences: 3 files, ")
    served = SegmentStore(FolderStore(tmp_path / "store"), tmp_path / "cache").open("fences")
    assert served.manifests[0].notes["failures"] == 1
    assert served.manifests[0].counts.documents == 3
    assert "fence.py:1" in desk.call("search", "paint fence", *store)[0]


def test_names_of_collections_are_completed(desk: Desk) -> None:
    script = {"_QUIRE_COMPLETE": "complete_bash", "COMP_WORDS": "quire remove s", "COMP_CWORD": "2"}
    assert desk.run(environment=script).stdout == "shop\n"


def test_the_commands_of_the_readme_work_as_they_are_pasted_twice_and_inside_the_folder(
    tmp_path: Path, model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = readme.partition("## From the shell")[2].partition("```sh\n")[2].partition("```")[0]
    install, *commands = block.strip().splitlines()
    assert install.startswith("uv tool install .")
    repository = write_shop(tmp_path / "path/to/repository")
    (repository / "token.js").write_text("export function rotateToken() {}\n", encoding="utf-8")
    (tmp_path / "bin").mkdir()
    link_models(tmp_path / ".cache/quire", model_folder)
    program = tmp_path / "bin/quire"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m functions.cli "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    environment = {
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": PATHS,
        "HOME": str(tmp_path),
    }
    script = "\n".join(["set -e", *commands, "cd path/to/repository", *commands[1:], "quire index ."])
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("configureSessionHandler") >= 2
    assert "[1] path/to/repository/config/php/session.php:" in done.stdout  # from where one stands
    assert "[1] config/php/session.php:" in done.stdout
    assert " 0 files changed, " in done.stdout.splitlines()[-2]


def test_search_is_narrowed_by_filters_and_scores(desk: Desk) -> None:
    out, _ = desk.call("search", "curl", "--files", "--filter", "lang=php")
    assert out
    assert all(line.endswith(".php") for line in out.splitlines())
    assert desk.call("search", "curl", "--min-score", "99", code=1)[0] == ""
    assert (
        "--filter: wanted FIELD=VALUE, found 'php'"
        in desk.call("search", "curl", "--filter", "php", code=2)[1]
    )


def test_ctrl_c_while_the_program_is_loaded_leaves_no_traceback(desk: Desk) -> None:
    script = (
        "import sys\nclass Pressed:\n    def find_spec(self, name, *rest):\n        if name == 'typer':\n"
        "            raise KeyboardInterrupt\nsys.meta_path.insert(0, Pressed())\n"
        "import functions.cli\nfunctions.cli.main()"
    )
    environment = {"PYTHONPATH": PATHS}
    done = subprocess.run((sys.executable, "-c", script), env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"")


def test_a_search_starts_without_the_servers_libraries(desk: Desk) -> None:
    script = (
        "import sys, functions.cli\nsys.argv = ['quire', 'search', 'curl', '--files']\n"
        "try:\n    functions.cli.main()\nexcept SystemExit:\n    print(*sys.modules)"
    )
    done = subprocess.run(
        (sys.executable, "-c", script),
        cwd=desk.folder,
        env={"PYTHONPATH": PATHS},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not {"fastapi", "starlette", "uvicorn", "mcp", "boto3", "onnx", "httpx"} & set(done.stdout.split())


def test_a_file_that_cannot_be_read_is_reported_every_time(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "a.py").write_text("def kept():\n    return 1\n", encoding="utf-8")
    (folder / "b.py").write_text("secret = 1\n", encoding="utf-8")
    (folder / "b.py").chmod(0)
    (folder / "nested.mdx").write_text("{" + "`${" * 1_000)  # in code, Markdown that is none is plain text
    places = (str(folder), "--store", str(tmp_path / "store"))
    setting = f"PYTHONPATH={PATHS}", f"QUIRE_CACHE={desk.folder / '.quire' / 'cache'}"
    for _ in range(2):
        done = run_unprivileged("env", *setting, sys.executable, "-m", "functions.cli", "index", *places)
        assert (done.returncode, done.stdout.startswith("closed: 2 files, ")) == (0, True)
        assert "failed: b.py: cannot be read" in done.stderr
        assert "nested.mdx" not in done.stderr
    assert "a.py:1" in desk.call("search", "kept", "--store", str(tmp_path / "store"))[0]


def test_a_source_that_may_not_be_read_is_named_with_what_helps(desk: Desk, tmp_path: Path) -> None:
    above = tmp_path / "above"
    (above / "closed").mkdir(parents=True)
    (above / "closed" / "a.md").write_text("# Fences\n\nPaint them twice.\n", encoding="utf-8")
    setting = (
        f"PYTHONPATH={PATHS}",
        f"QUIRE_CACHE={desk.folder / '.quire' / 'cache'}",
        f"QUIRE_STORE={tmp_path}/store",
    )
    source = str(above / "closed")
    for shut in (above / "closed", above):
        shut.chmod(0)
        for command in (
            ("functions.cli", "index", source),
            ("build_index", "build", "shut", "--profile", "docs", "--source", f"docs={source}"),
        ):
            done = run_unprivileged("env", *setting, sys.executable, "-m", *command)
            assert (done.returncode, done.stdout) == (2, "")
            assert f"{source}: may not be read" in done.stderr
            assert "QUIRE_STORE" not in done.stderr
        shut.chmod(0o755)


def test_letters_of_before_are_told_with_how_they_were_read(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    (folder / "cafe.py").write_bytes('def open_cafe():\n    return "café"\n'.encode("latin-1"))
    (folder / "plain.py").write_text('def close_cafe():\n    return "café"\n', encoding="utf-8")
    _, err = desk.call("index", str(folder), "--store", str(tmp_path / "store"))
    assert [line.split(";")[0] for line in err.splitlines() if "UTF-8" in line] == [
        "cafe.py:2: byte 0xe9 is not UTF-8: read as Windows-1252"
    ]
    assert "café" in desk.call("search", "open_cafe", "-n", "1", "--store", str(tmp_path / "store"))[0]


def test_ctrl_c_says_what_is_kept_and_that_the_same_command_goes_on(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    for number in range(150):
        text = "\n\n".join(f"The river {number} ends in lake {part}, or in the sea." * 9 for part in range(9))
        (folder / f"river{number}.md").write_text(f"# River {number}\n\n{text}\n", encoding="utf-8")
    store = tmp_path / "store"
    process = subprocess.Popen(
        (sys.executable, "-m", "functions.cli", "index", str(folder), "--store", str(store)),
        env={**os.environ, "PYTHONPATH": PATHS, "QUIRE_CACHE": str(desk.folder / ".quire" / "cache")},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # in the background it is ignored
    )
    until = time.monotonic() + 60
    while not (store / "collections/long/current.json").exists() and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    assert process.returncode == 130
    assert said.splitlines()[-1] == (
        "long: stopped; what is read and embedded is kept, the same command goes on from there"
    )


def test_search_gives_one_json_value(desk: Desk) -> None:
    found = desk.json("search", "cart total", "--collection", "shop")
    assert found["collection"] == "shop"
    assert found["hits"][0]["metadata"]["path"] == "public/js/cart.js"


def test_ask_answers_with_sources_and_their_lines(desk: Desk) -> None:
    said, _ = desk.call("ask", "Where is the memcached session handler configured?")
    answer, _, sources = said.partition("\nSources:\n")
    assert "session.save_handler" in answer
    assert "[1] shop/config/php/session.php:" in sources
    body = desk.json("ask", "Where is the memcached session handler configured?")
    assert body["answerable"]
    for citation in body["citations"]:
        assert citation["quote"] in FILES[citation["path"]]


def test_citations_of_an_answer_are_verified_and_a_changed_quote_is_found(desk: Desk) -> None:
    body = desk.json("ask", "Where is the memcached session handler configured?")
    file = desk.folder / "answer.json"
    file.write_text(json.dumps(body), encoding="utf-8")
    said = desk.run("verify-citation", str(file)).stdout
    assert said.startswith("verified: ")
    file.write_text(json.dumps(body).replace("save_handler", "save_handles"), encoding="utf-8")
    assert "text changed" in desk.call("verify-citation", str(file), code=1)[0]


def test_versions_are_compared_with_the_collection_before_or_behind(desk: Desk) -> None:
    version = desk.json("search", "session")["version"]
    for words in (
        (version,),
        ("shop", version),
        ("shop", version, "latest"),
        (version, version, "-c", "shop"),
    ):
        assert desk.json("diff", *words)["members"]["added"] == []
    assert desk.json("ask", "Where is the memcached session handler configured?", "--version", version)[
        "citations"
    ]
    assert "version '0.1' of 'shop'" in desk.call("search", "session", "--version", "0.1", code=2)[1]
    assert "wanted one version or two" in desk.run("diff", "shop", code=2).stderr


def test_what_is_not_covered_is_exit_code_1(desk: Desk) -> None:
    assert "not covered" in desk.call("ask", "How do I bake sourdough bread with rye flour?", code=1)[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("index", ""), "quire: '': wanted a folder, found an empty name"),
        (("index", "nowhere"), "quire: nowhere: wanted a folder, found nothing"),
        (("index", "shop/Dockerfile"), "quire: shop/Dockerfile: wanted a folder, found a file"),
        (("index", "shop", "--name", "health"), "the name is reserved"),
        (
            ("search", "x", "--store", "empty"),
            "quire: nothing is indexed in this store yet: run `quire index PATH` first, or name another",
        ),
        (("ask", "x", "-c", "missing"), "collection 'missing': not in this store, which holds shop"),
        (("search", " "), "the question is empty"),
        (("search", "x", "--store", "ftp://x"), "wanted a folder or s3://bucket/prefix"),
        (("verify-citation", "none.json"), "none.json: cannot be read"),
        (("diff", "0123456789ab"), "version '0123456789ab' of 'shop'"),
        (("serv",), "No such command"),
        (("serve", "--bundle", "a.quire", "--store", "b"), "wanted one of the two"),
        (
            ("serve", "--bundle", "a.quire"),
            "a.quire: wanted a file that `quire bundle` wrote, found nothing there",
        ),
    ],
)
def test_what_is_wrong_is_one_message_and_exit_code_2(
    desk: Desk, arguments: tuple[str, ...], message: str
) -> None:
    out, err = desk.call(*arguments, code=2)
    assert message in err
    assert out == ""


def test_a_question_in_another_language_is_asked_for_in_english_once(desk: Desk) -> None:
    told = desk.call("ask", "Wie wird die Session geladen und wo ist der Schlüssel?", code=1)[0]
    assert told.count("Please ask your question in English.") == 1
    assert "give `--terms` too" in told
    assert "`terms`" not in told


def test_the_program_tells_its_version(desk: Desk) -> None:
    assert desk.call("--version")[0] == f"quire {__version__}\n"


def test_terms_count_beside_the_question_on_the_command_line(desk: Desk) -> None:
    found = desk.json("search", "which machine remembers who is logged in", "--terms", "doCurlGet curl")
    assert found["terms"] == "doCurlGet curl"
    assert "doCurlGet" in [hit["metadata"].get("symbol") for hit in found["hits"]]
    assert desk.json("ask", "Where is the memcached session handler?", "--terms", "php")["terms"] == "php"
