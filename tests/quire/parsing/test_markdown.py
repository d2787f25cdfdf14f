from __future__ import annotations

import time

import pytest

from quire.parsing.anchors import github_slug
from quire.parsing.markdown import dialect_of, page_title, parse_markdown
from quire.parsing.page import Page, Part
from quire.parsing.readable import readable_markdown
from tests.support.pace import takes_cpu_within

MDX = dialect_of("page.mdx", "")
SITE = dialect_of("page.md", "", site=True, references=True)


def parts(page: Page) -> list[Part]:
    return [part for section in page.sections for block in section.blocks for part in block.parts]


def texts(source: str, path: str = "page.mdx") -> list[str]:
    return [part.text for part in parts(parse_markdown(source, path))]


def lines(source: str, path: str = "page.mdx") -> list[tuple[int, int]]:
    return [(part.start_line, part.end_line) for part in parts(parse_markdown(source, path))]


def test_headings_make_sections_with_lines_levels_and_fragments() -> None:
    page = parse_markdown("# Book\n\nIntro.\n\n## Part A\n\nText.\n\n## Part A\n\n### Own {#mine}\n")
    assert [(one.heading, one.level, one.line, one.anchor) for one in page.sections] == [
        ("Book", 1, 1, "book"),
        ("Part A", 2, 5, "part-a"),
        ("Part A", 2, 9, "part-a-1"),
        ("Own", 3, 11, "mine"),
    ]


def test_front_matter_gives_the_title_where_no_heading_does() -> None:
    page = parse_markdown("---\ntitle: Springs\ndescription: How springs pull.\n---\n\nThey pull.\n")
    assert page.title == "Springs"
    assert [(one.heading, one.line) for one in page.sections] == [("Springs", 2)]
    assert [(part.text, part.start_line) for part in parts(page)] == [
        ("How springs pull.", 3),
        ("They pull.", 6),
    ]


def test_the_first_heading_of_level_one_is_the_title() -> None:
    source = "---\ntitle: Short\n---\n\n# The `Long` *one*\n"
    assert parse_markdown(source).title == "The `Long` one"
    assert page_title(source) == "The `Long` one"


def test_a_heading_inside_a_code_block_is_no_title() -> None:
    assert page_title("---\ntitle: Real\n---\n\n```python\n# not me\n```\n") == "Real"


def test_a_file_may_end_with_its_front_matter() -> None:
    assert page_title("---\ntitle: Springs\n---") == "Springs"
    for source in (
        "Springs\n=======\n\nText.",
        "\n\nSprings\n=======\n\n# Coils\n",
        "---\na: 1\n---\n\nSprings\n===\n",
    ):
        assert page_title(source) == parse_markdown(source).title == "Springs"
    assert page_title("---\nsidebar: 1\n---") == ""


def test_inline_marks_go_and_their_text_stays() -> None:
    source = "A **bold _word_**, [a link](https://x.org 'tip'), ~~old~~ `code`,\n"
    source += "<https://x.org> &amp; &lt;b&gt; ![alt](i.png).\n"
    assert texts(source, "page.md") == ["A bold word, a link, old `code`, https://x.org & <b> alt."]


def test_a_paragraph_knows_the_line_of_each_of_its_words() -> None:
    part = parts(parse_markdown("first one\nsecond two\nthird\n"))[0]
    assert part.text == "first one second two third"
    assert [part.line_at(part.text.index(word)) for word in part.text.split()] == [1, 1, 2, 2, 3]


def test_imports_and_exports_go_and_text_shown_from_data_stays() -> None:
    source = (
        "import Card from '@site/Card';\nimport {\n  Tabs,\n} from '@theme/Tabs'; import X from 'x'\n\nexport "
        "const name = 'Ada';\nexport const cards = [\n  {title: 'First card', href: '/x'},\n];\n\nHello {name}!\n"
    )
    assert texts(source) == ["First card", "Hello Ada!"]
    assert lines(source)[-1] == (11, 11)


def test_an_import_that_begins_behind_another_goes_whole() -> None:
    source = "import A from './a.md'; import\nB from './b.md';\n\nThe text.\n"
    assert texts(source, "page.mdx") == ["The text."]


def test_prose_that_begins_like_a_statement_stays() -> None:
    assert texts("import the mesh from Blender first.\n\nexport it to FBX.\n", "page.mdx") == [
        "import the mesh from Blender first.",
        "export it to FBX.",
    ]


def test_tags_go_and_their_text_stays_on_its_line() -> None:
    source = '<Alert severity="info">\n  <p>First <b>bold</b></p>\n\nSecond<br/>third\n</Alert>\n'
    assert texts(source) == ["First bold", "Second\nthird"]
    assert lines(source) == [(2, 2), (4, 4)]


def test_attributes_that_a_reader_sees_become_text() -> None:
    source = '<img src="a.png" alt="A robot arm" />\n\n<Card title="Begin here" to="/x">Go</Card>\n'
    assert texts(source) == ["A robot arm", "Begin here\nGo"]


def test_commands_that_a_component_shows_become_a_block_of_code() -> None:
    source = (
        'Install it:\n\n<Commands\n  npm="npm install lamp"\n  cargo="\n    cd lamp\n    cargo add lamp"\n'
        '  icon="bulb"\n/>\n\nSay <Code code="a <= b" lang="c" /> then\n'
    )
    assert texts(source) == [
        "Install it:",
        "```\nnpm install lamp\ncd lamp\ncargo add lamp\n```",
        "Say `a <= b` then",
    ]
    assert lines(source) == [(1, 1), (3, 9), (11, 11)]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ('<Shell command="brew tea" />\n', ["```\nbrew tea\n```"]),
        ('<PackageManagerTabs command="add kettle -D" />\n', ["```\nnpm add kettle -D\n```"]),
        (
            "<Run command={{\n  npm: 'npm create tea',\n  yarn: 'yarn create tea',\n}} />\n",
            ["```\nnpm create tea\nyarn create tea\n```"],
        ),
        (
            '<Snippet title="To steep"\n  code={`let a = 1;\n\nlet b;`} lang="js" />\n',
            ["To steep", "```js\nlet a = 1;\n\nlet b;\n```"],
        ),
        ('See <Shell command="brew tea" /> too.\n', ["See `brew tea` too."]),
    ],
)
def test_a_command_or_code_is_shown_however_its_component_is_given_it(source: str, shown: list[str]) -> None:
    assert texts(source, "page.mdx") == shown


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (
            (
                "<Kind\n  type=\"false | 'hot'\"\n  defaultValueList={[\n"
                "    { defaultValue: \"'hot'\", mode: 'tea' },\n"
                "    { defaultValue: 'false', mode: 'ice' },\n  ]}\n/>\n"
            ),
            "Type: `false | 'hot'`\nDefault: `'hot'` (mode: tea), `false` (mode: ice)",
        ),
        (
            '<Meta addedVersion="1.2.0" stability={Level.Experimental} />\n',
            "Added version: `1.2.0`\nStability: `Experimental`",
        ),
        (
            '<Option name="heat" type="number" default={1.5} description="How hot" />\n',
            "Name: `heat`\nType: `number`\nDefault: `1.5`\nHow hot",
        ),
        ('<Badge type="info" text="Read-only" />\n', "Read-only"),
        ('<HomeIcon type="home" />\n', ""),
        ('<Film type="video/mp4" src="a.mp4" />\n', ""),
        ("<Kind default={wanted} />\n", ""),
        ('<Tabs defaultValue="a"><TabItem value="a">Hot.</TabItem></Tabs>\n', "a: Hot."),
    ],
)
def test_what_a_component_tells_of_an_option_is_read_and_what_styles_it_is_not(
    source: str, shown: str
) -> None:
    assert texts(source, "page.mdx") == [shown] * bool(shown)


def test_a_heading_with_facts_of_a_component_behind_it_keeps_its_own_words() -> None:
    [section] = parse_markdown('## heat <Meta addedVersion="1.2" />\n\nHot.\n', "page.mdx").sections
    assert section.heading == "heat"


def test_prose_in_attributes_of_a_component_is_read_whatever_their_names() -> None:
    source = '<Figure\n  doText="Keep it short"\n  tip="A word or two is enough here"\n  mode="dark"\n/>\n'
    assert texts(source) == ["Keep it short\nA word or two is enough here"]


def test_a_component_among_rows_makes_a_row() -> None:
    source = (
        "<table>\n  <thead><tr><th>What</th><th>Code</th></tr></thead>\n"
        '  <Row name="Arrows" code="<A go={() => x | y} />" url="https://example.org" />\n'
        '  <Row name="Literals" code="`${a}`" />\n</table>\n'
    )
    assert texts(source) == ["What | Code", "Arrows | `<A go={() => x \\| y} />`", "Literals | `` `${a}` ``"]
    assert lines(source) == [(2, 2), (3, 3), (4, 4)]


def test_data_given_to_a_component_keeps_what_it_shows_and_where() -> None:
    source = (
        "<Quiz\n  id='q'\n  questions={[\n    {\n      question: 'Which sensor?',\n      options: ['Lidar', 'None'],\n"
        "    },\n  ]}\n/>\n"
    )
    assert [word for text in texts(source) for word in text.splitlines()] == [
        "Which sensor?",
        "Lidar",
        "None",
    ]
    assert lines(source)[0][0] == 5


@pytest.mark.parametrize(
    "formula",
    [
        r"$$ z = \frac{\mbox{value} - \mbox{mean}}{\mbox{SD}} $$",
        "$$\n{a \\over b}\n$$",
        r"$\sum_{i=1}^{n} \sqrt{\frac{a}{b_{i}}}$",
        r"$x_{i}^{2}$",
        r"$\text{score} = \text{has} \ {?} \ 1 : 0$",
        r"a \command{with {pairs} within}",
    ],
)
def test_braces_of_formulas_are_no_expressions(formula: str) -> None:
    shown = " ".join(texts(f"# Sums\n\n{formula}\n\nIt costs $5 or {{price}}.\n"))
    assert " ".join(shown.split()) == f"{' '.join(formula.split())} It costs $5 or ."


def test_a_page_whose_code_alone_looks_like_mdx_is_plain() -> None:
    fenced = "```text\n<Figure size 640x480>\n```\n\nA set is {a, b}.\n"
    assert not dialect_of("a.md", fenced).mdx
    assert dialect_of("a.md", f"<Figure>\n\n</Figure>\n\n{fenced}").mdx
    assert readable_markdown(fenced, "a.md").text == fenced


def test_expressions_show_strings_and_comments_vanish() -> None:
    assert texts("{/* hidden */}\n\nSee {'this'}{' '}and <!-- not this --> that.\n") == ["See this and that."]


def test_style_and_script_are_dropped() -> None:
    assert texts("<style>{`\n  p { color: red }\n`}</style>\n\n<script>x()</script>\n\nText\n") == ["Text"]


def test_html_entities_and_invisible_characters_are_made_plain() -> None:
    assert texts("A&nbsp;B\u200bC non\u2011stop\n", "page.md") == ["A BC non-stop"]


def test_code_blocks_stay_whole_with_language_title_and_lines() -> None:
    source = 'Run:\n\n```lua title="Server Script"\nlocal a <const> = {1}\n\nprint(a)\n```\n'
    assert texts(source) == [
        "Run:",
        "Server Script",
        "```lua\nlocal a <const> = {1}\n\nprint(a)\n```",
    ]
    assert lines(source)[2] == (3, 7)


def test_mermaid_is_code() -> None:
    page = parse_markdown("```mermaid\nA-->B\n```\n")
    assert [block.kind for section in page.sections for block in section.blocks] == ["code"]


def test_indented_code_is_code_in_plain_markdown_and_text_in_mdx() -> None:
    assert texts("Say:\n\n    <tag> kept\n", "page.md") == ["Say:", "```\n<tag> kept\n```"]
    assert texts("Say:\n\n    kept\n", "page.mdx") == ["Say:", "kept"]


def test_lists_keep_marks_depth_and_lines() -> None:
    source = "1. One\n   more\n2. Two\n   - Inner\n\n     ```sh\n     ls\n     ```\n"
    assert texts(source) == ["1. One more", "2. Two", "  - Inner", "```sh\nls\n```"]
    assert lines(source) == [(1, 2), (3, 3), (4, 4), (6, 8)]


def test_a_markdown_table_is_one_row_a_part() -> None:
    source = "| Tier | Rate |\n| --- | :--- |\n| **2** | 30 Hz |\n"
    assert texts(source) == ["Tier | Rate", "2 | 30 Hz"]
    assert lines(source) == [(1, 1), (3, 3)]


def test_an_html_table_reads_like_a_markdown_table() -> None:
    source = (
        "<table>\n<thead><tr><th>Key</th><th>Does</th></tr></thead>\n<tbody>\n<tr>\n  <td>`W`</td>\n"
        "  <td>Walks<br/>forward [on](x.md)</td>\n</tr>\n<tr><td><kbd>Ctrl</kbd><kbd>B</kbd></td><td><ul><li>one</li>"
        "<li>two</li></ul></td></tr>\n</tbody>\n</table>\n"
    )
    assert texts(source) == ["Key | Does", "`W` | Walks forward on", "Ctrl+B | one; two"]
    assert lines(source) == [(2, 2), (4, 7), (8, 8)]


def test_admonitions_and_tabs_are_named_by_their_labels() -> None:
    source = (
        ":::warning Hot surface\nDo not touch.\n:::\n\n<Tabs>\n<TabItem value='mac' label='macOS'>\n\nBrew it.\n\n"
        '</TabItem>\n<TabItem value="linux">\nApt it.\n</TabItem>\n</Tabs>\n\n:::note\nPlain.\n:::\n'
    )
    assert texts(source) == [
        "Warning: Hot surface", "Do not touch.", "macOS:", "Brew it.", "linux:", "Apt it.", "Note", "Plain.",
    ]  # fmt: skip


def test_alerts_of_github_are_named() -> None:
    assert texts("> [!NOTE]\n> Kept.\n", "page.md") == ["Note: Kept."]


def test_html_headings_on_their_own_line_make_sections() -> None:
    page = parse_markdown("<h2 style={{x: 1}}>\n  Inside\n</h2>\n\nText\n", "page.mdx")
    assert [(section.heading, section.level, section.line) for section in page.sections] == [("Inside", 2, 2)]


def test_a_tag_name_without_its_closing_tag_is_text_in_plain_markdown() -> None:
    assert texts("Use List<String> and x < y, 5 > 3.\n", "page.md") == ["Use List<String> and x < y, 5 > 3."]


def test_included_text_stands_where_it_is_included_and_knows_its_properties() -> None:
    source = "import Note from '../includes/note.md'\n\n## Here\n\n<Note who=\"you\" />\n\nAfter.\n"
    note = "---\ntitle: include\n---\n\nThis is for {props.who}.\n\n### Detail\n\nMore.\n"
    page = parse_markdown(source, "page.md", SITE, {"../includes/note.md": note})
    assert [(section.heading, section.line) for section in page.sections] == [("Here", 3), ("Detail", 5)]
    assert [(part.text, part.start_line) for part in parts(page)] == [
        ("This is for you.", 5), ("More.", 5), ("After.", 7),
    ]  # fmt: skip


def test_references_are_read_only_where_the_dialect_has_them() -> None:
    source = "Listen to `Class.BasePart.Touched|Touched`.\n"
    assert parts(parse_markdown(source, "a.md", SITE))[0].text == "Listen to `BasePart.Touched`."
    assert parts(parse_markdown(source, "a.md"))[0].text == "Listen to `Class.BasePart.Touched|Touched`."


def test_windows_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    source = "---\ntitle: A\n---\n\n## B\n\n- c\n- d\n"
    assert parse_markdown("\ufeff" + source.replace("\n", "\r\n")) == parse_markdown(source)


@pytest.mark.parametrize("source", ["", "\n\n", "---\n---\n", "<br />\n", "<!-- only -->\n"])
def test_a_page_without_text_has_no_parts(source: str) -> None:
    assert parts(parse_markdown(source)) == []


def test_slugs_follow_the_sites() -> None:
    assert github_slug("1. Setup & Run: `npm`") == "1-setup--run-npm"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("<Tabs><TabItem value='a'>Run `x` now.</TabItem></Tabs>\n", ["a: Run `x` now."]),
        ("<TabItem label='L'>One.</TabItem>\n<TabItem label='M'>Two.</TabItem>\n", ["L: One.\nM: Two."]),
        (
            (
                "<Tabs\n  values={[\n    {label: 'Of ash', value: 'a'}, {value: \"b\", label: \"Of oak\"},\n  ]}>\n\n"
                "<TabItem value='a'>\n\nOne.\n\n</TabItem>\n<TabItem value='b'>Two.</TabItem>\n</Tabs>\n"
            ),
            ["Of ash:", "One.", "Of oak: Two."],
        ),
        ("<Tabs values={known}>\n<TabItem value='ios'>\nOne.\n</TabItem>\n</Tabs>\n", ["iOS:", "One."]),
        ("<TabItem label='L'><table><tr><td>B</td></tr></table></TabItem>\n", ["L: B"]),
        ("<table><tr><td>B</td></tr></table>And *more*.\n", ["B", "And more."]),
        ("<table><tr><td>B</td></tr></table><p>And more.</p>\n", ["B", "And more."]),
        ("- <table><tr><td>B</td></tr></table>And more.\n", ["B", "- And more."]),
        ("<h2>Sub</h2>And more.\n", ["Sub\nAnd more."]),
        (
            "<ParamField path='limit' type='integer'>\nHow many.\n</ParamField>\n",
            ["limit\ninteger\nHow many."],
        ),
        ('<ResponseField name="id" type="string">The row.</ResponseField>\n', ["id\nstring\nThe row."]),
        (":::tip[My tip]{.extra}\nSave it.\n:::\n", ["Tip: My tip", "Save it."]),
        (':::tip{title="My tip"}\nSave it.\n:::\n', ["Tip: My tip", "Save it."]),
    ],
)
def test_text_on_the_line_of_a_label_table_or_heading_is_kept(source: str, shown: list[str]) -> None:
    assert texts(source) == shown


@pytest.mark.parametrize(
    "source",
    [
        '<Tabs>\n  <Tab title="Oak">\nSaw.\n  </Tab>\n  <Tab title="Ash">\nBend.\n  </Tab>\n</Tabs>\n',
        "<Tabs items={['Oak', 'Ash']}>\n<Tab>\nSaw.\n</Tab>\n<Tab>\nBend.\n</Tab>\n</Tabs>\n",
        "<Tabs items={['Oak', 'Ash']}>\n<Tabs.Tab>\nSaw.\n</Tabs.Tab>\n<Tabs.Tab>\nBend.\n</Tabs.Tab>\n</Tabs>\n",
        '{{< tab "Oak" >}}\nSaw.\n{{< /tab >}}\n{{< tab name="Ash" >}}\nBend.\n{{< /tab >}}\n',
        '{% tab title="Oak" %}\nSaw.\n{% endtab %}\n{% tab title="Ash" %}\nBend.\n{% endtab %}\n',
    ],
)
def test_a_tab_is_told_by_its_label_however_its_site_writes_it(source: str) -> None:
    assert " ".join(texts(source)) == "Oak: Saw. Ash: Bend."


def test_tabs_in_a_tab_leave_the_labels_of_those_around_them() -> None:
    inner = "<Tabs items={['Dry', 'Wet', 'None']}>\n<Tab>\nSaw.\n</Tab>\n<Tab>\nWait.\n</Tab>\n</Tabs>\n"
    plain = "<Tabs>\n<Tab>\nBend.\n</Tab>\n</Tabs>\n"
    tabs = "".join(f"<Tab>\n{held}</Tab>\n" for held in (inner, plain, "Leave.\n"))
    source = f"<Tabs items={{['Oak', 'Ash', 'Elm']}}>\n{tabs}</Tabs>\n"
    assert " ".join(texts(source)) == "Oak: Dry: Saw. Wet: Wait. Ash: Bend. Elm: Leave."


@pytest.mark.parametrize(
    "source",
    [
        "::: code-group\n\n```sh [oak]\nsaw oak\n```\n\n```sh [ash]\nbend ash\n```\n\n:::\n",
        "<CodeGroup>\n```sh oak\nsaw oak\n```\n```sh ash\nbend ash\n```\n</CodeGroup>\n",
        '```sh filename="oak"\nsaw oak\n```\n\n```sh filename="ash" {1}\nbend ash\n```\n',
    ],
)
def test_code_in_a_tab_is_told_by_its_label(source: str) -> None:
    shown = [one for one in texts(source) if one != "Code"]
    assert shown == ["oak", "```sh\nsaw oak\n```", "ash", "```sh\nbend ash\n```"]


def test_words_behind_a_language_elsewhere_are_no_title() -> None:
    source = "<CodeGroup />\n\n<CodeGroup>\n</CodeGroup>\n\n```rust should_panic\nfall();\n```\n"
    assert texts(source) == ["```rust\nfall();\n```"]


def test_text_behind_an_included_file_is_kept() -> None:
    source = "import Note from './note.md'\n\n<Note/> And more.\n"
    page = parse_markdown(source, "page.mdx", MDX, {"./note.md": "Included.\n"})
    assert [part.text for part in parts(page)] == ["Included.", "And more."]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("| Type |\n| --- |\n| number |\n", ["Type", "number"]),
        ("| Type |\n| --- |\n| number |\n| text |\n", ["| Type |", "| number |", "| text |"]),
        (
            "| Part | Price |\n| --- | --- |\n| Seal | 4 |\n| Spare | |\n",
            ["Part | Price", "Seal | 4", "| Spare |"],
        ),
        ("<table><tr><th>Type</th></tr><tr><td>number</td></tr></table>\n", ["Type", "number"]),
        ("![The pump, from above](pump.png)\n\nIt runs.\n", ["Picture: The pump, from above", "It runs."]),
        ("![pump.png](pump.png)\n\nIt runs.\n", ["It runs."]),
        ("[![Builds](b.svg)](x) [![Price](p.svg)](y)\n\nIt runs.\n", ["It runs."]),
        ("Press ![the bell](bell.png) twice.\n", ["Press the bell twice."]),
    ],
)
def test_a_lone_cell_is_a_row_and_a_lone_picture_is_told_as_one(source: str, shown: list[str]) -> None:
    assert texts(source) == shown


@pytest.mark.parametrize(
    ("title", "read"),
    [
        ("Oars [![CI](https://a.b/c.svg)](https://a.b) [![Chat](d.svg)](e)", "Oars"),
        ("Oars <a href='https://a.b'><img src='c.svg' alt='Try it'></a>", "Oars"),
        ("![The crest](crest.png) Oars", "The crest Oars"),
        ("[Oars ![new](new.png)](oars.md)", "Oars"),
        ("[![Oars and sails](logo.svg)](https://a.b)", "Picture: Oars and sails"),
    ],
)
def test_badges_are_no_part_of_a_title(title: str, read: str) -> None:
    page = parse_markdown(f"# {title}\n\nThey row.\n", "a.md")
    assert page.title == page_title(f"# {title}\n\nThey row.\n") == read


def test_a_title_that_is_a_picture_alone_is_what_that_is_called() -> None:
    source = (
        '<h1 align="center"><a href="https://a.b"><img src="logo.svg" alt="Oars"></a></h1>\n\nThey row.\n'
    )
    assert parse_markdown(source, "a.md").title == "Oars"


def test_pictures_stand_on_the_lines_that_they_are_written_on() -> None:
    [section] = parse_markdown("![an oar](a.png) ![a rope](b.png)\n![a mast](c.png)\n").sections
    [part] = section.blocks[0].parts
    assert part.text == "Picture: an oar\nPicture: a rope\nPicture: a mast"
    assert [part.line_at(part.text.index(one)) for one in ("oar", "rope", "mast")] == [1, 1, 2]
    assert (part.start_line, part.end_line) == (1, 2)


@pytest.mark.parametrize(
    "formula",
    [
        r"$A^*$ and $B^*$",
        r"$\{x_1, x_2\}$",
        r"$\|x\|_2 \le \varepsilon \\ y$",
        r"$$\hat\beta^* = (X^*X)^{-1}X^*y$$",
    ],
)
def test_a_formula_in_a_line_stays_as_it_is_written(formula: str) -> None:
    source = (
        f"For {formula} this *holds*.\n\n- Or {formula}.\n\n| a |\n| - |\n| {formula.replace('|', '')} |\n"
    )
    cell = formula.replace("|", "")
    assert texts(source, "page.md") == [f"For {formula} this holds.", f"- Or {formula}.", "a", cell]
    assert texts(f"For {formula} it *holds*.\n") == [f"For {formula} it holds."]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("It is $5, *not* $6.", "It is $5, not $6."),
        ("Set $HOME/*a* and $PATH_*b*.", "Set $HOME/a and $PATH_b."),
        (r"A \$ and *b* cost $c$.", "A $ and b cost $c$."),
        ("Run `echo $x` or `*$y*`.", "Run `echo $x` or `*$y*`."),
    ],
)
def test_dollars_that_hold_no_formula_are_text(written: str, shown: str) -> None:
    assert texts(written, "page.md") == [shown]


@pytest.mark.parametrize(("opens", "closes"), [("$$", "$$"), (r"\begin{align*}", r"\end{align*}")])
@pytest.mark.parametrize("sign", ["=", "-", "+ y", "- y", "# y", "> y", "1. y"])
def test_a_line_of_a_formula_is_no_heading_and_no_item(opens: str, closes: str, sign: str) -> None:
    rows = rf"{opens} A^*x \\ B^*x {sign} c \\ d {closes}"
    formula = f"{opens}\nA^*x \\\\ B^*x\n{sign}\nc \\\\ d\n{closes}"
    page = parse_markdown(
        f"# Sums\n\nHence\n{formula} (*as said*)\n\n- Item\n  {opens}\n  {sign}\n  {closes}\n\nEnd.\n"
    )
    assert [section.heading for section in page.sections] == ["Sums"]
    assert [part.text for part in parts(page)] == [
        "Hence",
        f"{rows} (as said)",
        "- Item",
        f"  {opens} {sign} {closes}",
        "End.",
    ]
    assert [(part.start_line, part.end_line) for part in parts(page)][1] == (4, 8)


def test_dollars_that_nothing_closes_leave_a_page_as_it_was() -> None:
    assert texts("$$\na\n\n- b\n", "page.md") == ["$$ a", "- b"]
    many = "\\begin{a}\n" * 40_000
    began = time.process_time()
    assert texts(many + "\nEnd.\n", "page.md")[-1] == "End."
    assert takes_cpu_within(time.process_time() - began, 2.0)  # 4 where each was looked for line by line
