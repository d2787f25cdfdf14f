from __future__ import annotations

import hashlib
import os
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.chunking import CHUNKERS
from quire.chunking.source_code import chunk_source_code
from quire.documents import Chunk, Document, Value
from quire.parsing.source_code import parse_source
from tests.support.code_samples import SAMPLES, Sample

LARGEST = 200_000
ENDINGS = {
    ".py": "python",
    ".c": "c",
    ".h": "c",
    ".js": "javascript",
    ".rst": "rst",
    ".txt": "text",
    ".sh": "shell",
    ".md": "markdown",
}


def cut(text: str, language: str, path: str = "a") -> list[Chunk]:
    return list(chunk_source_code(Document(path, text, "source_code", {"path": path, "lang": language})))


BEHIND_A_LINE = """\
/*!
 * lamps, licensed under the MIT licence, copyright the lamp makers
 */

'use strict'

/**
 * Light the lamp.
 */

lamp.light = function light() { return this.switch.light() }

/****/

lamp.dim = function dim() { return this.switch.dim() }

/**
 * What a lamp is for.
 */


lamp.move = function move() { return this.switch.move() }
"""


def test_a_doc_comment_documents_what_follows_behind_one_blank_line() -> None:
    outline = parse_source(BEHIND_A_LINE, "javascript", long=2400)
    assert {one.names[0]: (one.start_line, one.doc) for one in outline.definitions} == {
        "lamp.light": (7, "Light the lamp."),
        "lamp.dim": (15, ""),
        "lamp.move": (22, ""),
    }


RUST = """\
/// Whether the lamp gives light.
pub fn is_lit(lamp: &Lamp) -> bool {
    lamp.watts > 0 && lamp.is_whole && lamp.switch.is_on() && !lamp.switch.is_torn() && lamp.cable.is_plugged()
}

/// A lamp for tests.
#[derive(Clone)]
#[cfg(all(test, unix))]
pub fn lamp_of_tests() -> Lamp {
    Lamp { watts: 40, is_whole: true, switch: Switch::on(), cable: Cable::plugged_into_the_wall_of_the_house() }
}

#[cfg(not(test))]
pub fn wall() -> Wall {
    Wall { sockets: vec![Socket::new(230, 50), Socket::new(230, 50), Socket::new(400, 50), Socket::new(12, 0)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lamps() -> Vec<Lamp> {
        vec![lamp_of_tests(), lamp_of_tests(), lamp_of_tests(), lamp_of_tests(), lamp_of_tests(), lamp_of_tests()]
    }

    #[test]
    fn a_lamp_of_forty_watts_is_lit() {
        for lamp in lamps() {
            assert!(is_lit(&lamp), "a lamp of {} watts that is plugged in and switched on is dark", lamp.watts);
        }
    }
}
"""


def test_tests_of_rust_among_other_code_are_told_by_their_attributes() -> None:
    roles = {
        chunk.metadata["symbol"]: chunk.metadata.get("role") for chunk in cut(RUST, "rust", "src/lamp.rs")
    }
    assert roles["is_lit"] is roles["wall"] is None
    tests = {symbol for symbol, role in roles.items() if role == "test"}
    assert {"lamp_of_tests"} < tests
    assert tests == roles.keys() - {"is_lit", "wall"}


def trees() -> Iterator[Path]:
    """Every 100th file of the standard library and of the installed packages."""
    found = [
        Path(folder, name)
        for root in ("stdlib", "purelib")
        for folder, _, names in os.walk(sysconfig.get_path(root))
        for name in names
        if Path(name).suffix in ENDINGS
    ]
    yield from (path for path in sorted(found)[::100] if path.stat().st_size < LARGEST)


def test_every_chunk_of_real_trees_is_the_files_lines_byte_for_byte() -> None:
    seen = 0
    for path in trees():
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        language = ENDINGS[path.suffix]
        chunks = cut(text, language)
        assert_is_lines(chunks, text, path, language)
        seen += len(chunks)
    assert seen > 100


def assert_is_lines(chunks: list[Chunk], text: str, path: Path, language: str) -> None:
    lines = text.encode().split(b"\n")
    covered: set[int] = set()
    for chunk in chunks:
        start, end = chunk.metadata["start_line"], chunk.metadata["end_line"]
        assert isinstance(start, int)
        assert isinstance(end, int)
        stored = b"\n".join(lines[start - 1 : end])
        assert chunk.text.encode() == stored, path
        assert chunk.metadata["sha256"] == hashlib.sha256(stored).hexdigest()
        covered.update(range(start, end + 1))
    if language != "markdown":
        missing = [n for n, line in enumerate(lines, 1) if n not in covered and line.strip()]
        assert not missing, f"{path}: {missing[:5]}"
    assert len({chunk.id for chunk in chunks}) == len(chunks)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.language)
def test_texts_joined_give_the_file_back(sample: Sample) -> None:
    chunks = cut(sample.text, sample.language, sample.path)
    assert "\n".join(chunk.text for chunk in chunks) == sample.text.removesuffix("\n")


def test_carriage_returns_and_other_breaks_stay_and_count_no_lines() -> None:
    text = "def a():\r\n    return '\x0c\u2028'\r\n\r\ndef b():\r\n    return 1\r\n"
    chunks = cut(text, "python")
    assert "\n".join(chunk.text for chunk in chunks) == text.removesuffix("\n")
    assert chunks[-1].metadata["end_line"] == 5


def test_a_chunk_says_where_it_stands_and_what_it_is() -> None:
    body = "        self.do_something_that_takes_a_line()\n" * 30
    text = f'class Task:\n    """Work to do."""\n\n    def retry(self):\n        """Try again."""\n{body}'
    head, method = cut(text, "python", "celery/app/task.py")
    assert (head.metadata["kind"], head.symbols[:2]) == ("class", ("Task", "celery.app.task.Task"))
    assert method.breadcrumb == "celery/app/task.py › Task.retry"
    assert method.symbols == ("Task.retry", "retry", "celery.app.task.Task.retry")
    assert method.metadata["calls"] == ("do_something_that_takes_a_line",)
    wanted = {
        "kind": "method",
        "symbol": "Task.retry",
        "heading": "Task.retry",
        "title": "celery/app/task.py",
    }
    assert {key: method.metadata[key] for key in wanted} == wanted
    assert "celery app task" in method.summary
    assert "Try again." in method.summary


def test_a_document_of_sections_is_cut_at_headings_and_defines_its_settings() -> None:
    paragraph = "A sentence that fills the section with words. " * 20 + "\n\n"
    setting = ".. setting:: task_limit\n\n``task_limit``\n--------------\n\nSee :setting:`x`.\n\n"
    text = f"Guide\n=====\n\n{paragraph}{setting}{paragraph}"
    first, second = cut(text, "rst", "docs/guide.rst")
    assert (second.metadata["start_line"], second.metadata["kind"]) == (6, "section")
    assert second.metadata["heading"] == "Guide › task_limit"
    assert second.symbols == ("task_limit",)
    assert second.text.startswith(".. setting:: task_limit")
    assert "See x." in second.summary
    assert first.symbols == ()


@pytest.mark.parametrize(
    "block",
    [
        "\n".join(
            f"| {n:4} | what failure number {n:4} means |\n+------+-----------------------------+"
            for n in range(20)
        ),
        ".. code-block:: console\n\n"
        + "\n".join(f"    LAMP_{n:02}    what the variable is for\n" for n in range(20)),
        "It takes:\n\n"
        + "\n".join(f"    lamp --number {n:02}    lights the lamp of that number\n" for n in range(16)),
    ],
    ids=["table", "code", "announced"],
)
@pytest.mark.parametrize("above", [300, 600, 900])
def test_a_document_of_sections_is_not_cut_inside_of_a_block_that_fits(block: str, above: int) -> None:
    prose = "Lamps are lit at dusk and put out at dawn.\n\n"
    text = f"Lamps\n=====\n\n{prose * (above // len(prose))}{block}\n\n{prose * 30}"
    chunks = cut(text, "rst", "docs/lamps.rst")
    assert any(block.strip() in chunk.text for chunk in chunks)
    assert max(len(chunk.text) for chunk in chunks) <= 1_800


def test_a_bare_heading_and_an_opening_line_stand_with_what_they_lead_into() -> None:
    words = "Each of them is sent once.\n" * 50
    guide = cut(f"Signals\n=======\n\nTask signals\n------------\n\nSent\n~~~~\n\n{words}", "rst")
    assert guide[0].text.startswith("Signals\n")
    assert "sent once" in guide[0].text
    assert guide[0].metadata["symbol"] == "Signals › Task signals › Sent"
    body = "    $total = 0;\n" * 80
    [first, *_] = cut(f"<?php\nfunction total() {{\n{body}}}\n", "php")
    assert (first.metadata["start_line"], first.metadata["kind"], first.symbols[0]) == (
        1,
        "function",
        "total",
    )


def test_markdown_keeps_the_files_lines_and_embeds_what_one_reads() -> None:
    [chunk] = cut("# Guide\n\nSee **the** [page](a.html).\n", "markdown", "README.md")
    assert chunk.text == "# Guide\n\nSee **the** [page](a.html)."
    assert "See the page." in chunk.summary
    assert (chunk.metadata["kind"], chunk.metadata["lang"]) == ("section", "markdown")


def test_the_pieces_of_a_long_line_of_markdown_do_not_hold_all_of_it_each() -> None:
    line = "one more word and " * 3_000
    chunks = cut(f"# A\n\n{line}\n\nEnd.\n", "markdown")
    assert len(chunks) > 10
    assert len(line) <= sum(len(one.text) for one in chunks) < 4 * len(line)


def test_other_files_are_cut_into_windows() -> None:
    for language in ("css", "toml"):  # of the second nothing is a table
        chunks = cut("key = value\n" * 200, language)
        assert {chunk.metadata["kind"] for chunk in chunks} == {"window"}
        assert all(len(chunk.text) <= 800 for chunk in chunks)


def test_files_that_declare_are_cut_by_what_they_declare() -> None:
    services = "".join(f"  shelf{n}:\n    image: {'wood ' * 250}\n" for n in range(3))
    chunks = cut(f"services:\n{services}volumes:\n  data: {{}}\n", "yaml", "compose.yaml")
    assert [chunk.metadata["symbol"] for chunk in chunks] == [
        "services",
        "services.shelf0",
        "services.shelf1",
        "services.shelf2",
        "volumes",
    ]
    assert chunks[1].text.startswith("  shelf0:\n    image: wood")
    assert chunks[1].symbols == ("services.shelf0", "compose.services.shelf0")
    assert chunks[0].symbols == (), "a word such as `services` is no symbol by itself"
    [message] = cut("// What is wanted.\nmessage Basket {\n  string id = 1;\n}\n", "protobuf", "shop.proto")
    assert message.symbols == ("Basket", "shop.Basket")
    assert message.headline == "Basket: What is wanted."


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("org", "#+title: Pumps\n\n* Setup\nOil the [[file:a.org][main pump]].\n"),
    ],
)
def test_other_markup_keeps_its_lines_and_embeds_what_one_reads(language: str, text: str) -> None:
    [chunk] = cut(text, language)
    assert (chunk.text, chunk.metadata["start_line"]) == (text.removesuffix("\n"), 1)
    assert "Oil the main pump." in (chunk.summary or "")
    assert chunk.metadata["symbol"] == "Pumps"


def test_a_component_is_cut_by_the_symbols_of_its_script_and_by_windows_of_the_rest() -> None:
    sample = next(sample for sample in SAMPLES if sample.language == "vue")
    template, *script, styles = cut(sample.text, "vue", "src/Basket.vue")
    assert template.text.startswith("<template>")
    assert (template.metadata["kind"], styles.metadata["kind"]) == ("window", "window")
    assert "Basket.total" in {name for chunk in script for name in chunk.symbols}
    assert script[0].text.startswith('<script setup lang="ts">\n')
    assert script[-1].text.endswith("</script>\n")
    long = (
        "<template>\n" + "  <p>Much to say.</p>\n" * 100 + "</template>\n<script>\nlet tax = 1;\n</script>\n"
    )
    assert max(len(chunk.text) for chunk in cut(long, "vue")) <= 800


@pytest.mark.parametrize("language", ["python", "rst", "markdown", "text"])
def test_a_blank_file_has_no_chunks(language: str) -> None:
    assert cut(" \n\n", language) == []


def test_the_chunker_is_found_by_its_kind() -> None:
    assert CHUNKERS["source_code"] is chunk_source_code


def test_a_chunk_of_code_has_what_it_defines_and_what_documents_it_as_its_headline() -> None:
    text = (
        'LIMIT = 3\n\n\ndef closeAll(orders):\n    """Closes orders.\n\n    Each is shipped first.\n    """\n'
        + ("    print(orders)\n" * 60)
    )
    chunks = list(
        chunk_source_code(Document("a.py", text, "source_code", {"path": "a.py", "lang": "python"}))
    )
    said = {chunk.headline for chunk in chunks}
    assert "close All: Closes orders. Each is shipped first." in said


def test_half_of_a_pages_front_matter_is_not_shown_and_all_of_it_is_searched() -> None:
    head = '---\ntitle: "Pumps"\ndescription: "How oil is moved."\n---\n'
    (page,) = cut(f"{head}\n\nTurn the valve.\n\n## Stop\n\nTurn it back.\n", "markdown", "pumps.md")
    assert page.text == "Turn the valve.\n\n## Stop\n\nTurn it back."
    assert (page.metadata["start_line"], page.metadata["end_line"]) == (7, 11)
    assert "How oil is moved." in page.aliases
    (bare,) = cut(head, "markdown", "pumps.md")
    assert "How oil is moved." in bare.text


def test_a_description_of_several_lines_is_shown_whole() -> None:
    head = "---\ntitle: Pumps\ndescription: >-\n  How oil\n  is moved.\nslug: pumps\n---\n\n"
    code = "\n".join(f"pump.Turn({n}) // until oil comes" for n in range(60))
    first, *_ = cut(f"{head}## Start\n\n```go\n{code}\n```\n", "markdown", "pumps.md")
    assert first.text == "title: Pumps\ndescription: >-\n  How oil\n  is moved."
    assert first.metadata["end_line"] == 5


def test_the_rest_of_a_torn_table_is_found_by_its_head() -> None:
    rows = "".join(f"| `pump.{n}` | Moves oil through pipe {n}, {'slowly ' * 20}| {n} |\n" for n in range(30))
    chunks = cut(
        f"# Settings\n\n| Name | Meaning | Default |\n|---|---|---|\n{rows}", "markdown", "settings.md"
    )
    assert len(chunks) > 2
    assert all("Name | Meaning | Default" in one.aliases for one in chunks[1:])


def test_the_name_of_a_class_is_not_that_of_its_constructor() -> None:
    body = "".join(f"    int Size{n}() {{ return {n}; }}\n" for n in range(60))
    text = f"class Shop\n{{\n    Shop(int size)\n    {{\n        this.size = size;\n{body}    }}\n{body}}}\n"
    named = [one.metadata["symbol"] for one in cut(text, "c_sharp") if "Shop" in one.symbols]
    assert named == ["Shop"]
    assert "Shop.Shop" in {name for one in cut(text, "c_sharp") for name in one.symbols}


def test_a_chunk_of_ruby_is_called_by_the_class_that_modules_are_opened_for() -> None:
    text = "module Shop\n  class Basket\n    # Adds.\n    class Adder < Step\n      LIMIT = 9\n    end\n  end\nend\n"
    chunk = cut(text, "ruby", "lib/shop/adder.rb")[0]
    assert (chunk.text, chunk.metadata["symbol"]) == (text.removesuffix("\n"), "Shop.Basket.Adder")
    assert {"Shop", "Shop.Basket", "Shop.Basket.Adder.LIMIT"} <= set(chunk.symbols)
    beside = text.removesuffix("end\n") + "  VERSION = 1\nend\n"
    assert cut(beside, "ruby", "lib/shop/adder.rb")[0].metadata["symbol"] == "Shop"


def test_tests_are_chunks_with_their_titles_and_define_nothing() -> None:
    trials = "".join(
        f'  it "adds {n}" do\n' + "    expect(basket.add(1)).to eq(1)\n" * 20 + "  end\n\n" for n in range(4)
    )
    helper = "  def basket\n    Basket.new\n  end\n\n"
    chunks = cut(f'describe "a basket" do\n{helper}{trials}end\n', "ruby", "spec/basket_spec.rb")
    titles = [chunk.metadata["symbol"] for chunk in chunks]
    assert titles == [
        "basket",
        *(f"a basket › adds {n}" for n in range(4)),
    ]  # the helper stands with the head
    assert [chunk.symbols for chunk in chunks] == [("basket", "spec.basket_spec.basket"), *([()] * 4)]


def test_what_a_line_of_a_test_sets_is_no_symbol_and_no_chunk() -> None:
    steps = "".join(
        f"  const res{n} = await basket.get('/{n}')\n  t.assert.ok(res{n}.isFull)\n\n" for n in range(40)
    )
    text = f"const Basket = require('..')\nconst row = {{\n  a: 1\n}}\n\ntest('fills', async (t) => {{\n{steps}}})\n"
    facts: dict[str, Value] = {"path": "test/basket.js", "lang": "javascript"}
    in_tests = list(chunk_source_code(Document("a", text, "source_code", {**facts, "is_test": True})))
    assert {name for chunk in in_tests for name in chunk.symbols} == {"row", "test.basket.row"}
    assert {chunk.metadata["kind"] for chunk in in_tests} <= {"module", "variable", "test"}
    assert min(len(chunk.text) for chunk in in_tests if chunk.metadata["kind"] == "test") > 200
    beside = list(chunk_source_code(Document("a", text, "source_code", facts)))
    assert "Basket" in {name for chunk in beside for name in chunk.symbols}


ZIG = """\
pub fn Queue(comptime T: type) type {
    if (is_small) return struct {
        pub fn first(self: Self) T { return self.one; }
    };
    return struct {
        pub fn push(self: *Self, value: T) void { self.items.append(value); }
    };
}
"""
SCALA = "package object lamps {\n  def light(a: Int) = a\n}\n"
RUBY = (
    "class Lamp\n  unless method_defined? :light\n    def light(a)\n      a\n    end\n  end\n"
    "  if old?\n    def dim\n    end\n  end\nend\n"
)
CPP = """\
namespace harbor {
namespace {
class Lamp final : public Light {
 public:
  Lamp(int watts)
      :
#if defined(CHECKED)
        watts_(watts),
#endif
        is_on_(false) {
    start();
  }
};
}  // namespace
int CountLamps() { return 3; }
}  // namespace harbor
"""
ELIXIR = "".join(("defmodule Lamp do\n", *(f"  defp watts_{n}(:x), do: {n}\n" for n in range(200)), "end\n"))


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("zig", ZIG, {"Queue", "Queue.first", "Queue.push"}),
        ("scala", SCALA, {"lamps", "lamps.light"}),
        ("ruby", RUBY, {"Lamp", "Lamp.light", "Lamp.dim"}),
        ("cpp", CPP, {"Lamp", "Lamp.Lamp", "CountLamps"}),
        ("elixir", ELIXIR, {"Lamp", "Lamp.watts_0", "Lamp.watts_199"}),
    ],
)
def test_definitions_are_known_wherever_they_stand(language: str, text: str, names: set[str]) -> None:
    assert names <= {name for chunk in cut(text, language) for name in chunk.symbols}
