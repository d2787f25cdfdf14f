from __future__ import annotations

import pytest

from quire.documents import AnchorRules
from quire.parsing.front_matter import read_front_matter
from quire.parsing.markdown import parse_markdown
from quire.parsing.template_tags import without_template_tags


def words(text: str, generator: str) -> str:
    page = parse_markdown(text, anchors=AnchorRules(generator))
    return "\n".join(block.text for section in page.sections for block in section.blocks)


def test_what_a_shortcode_holds_is_read_and_its_marks_are_not() -> None:
    text = '# Ropes\n\n{{< note >}}\nTie {{< tooltip text="knots" id="k" >}} twice.\n{{< /note >}}\n\n{{% toc %}}\n'
    assert words(text, "hugo") == "Tie knots twice."


def test_code_that_a_shortcode_holds_is_code() -> None:
    text = (
        "# A\n\n{{< code-toggle file=x >}}\nknots: 2\n{{< /code-toggle >}}\n\nAfter {{< code-link x >}} it.\n"
    )
    assert words(text, "hugo") == "```\nknots: 2\n```\nAfter it."


@pytest.mark.parametrize("generator", ["hugo", "plain"])
def test_a_shortcode_around_fenced_code_makes_no_other_fence(generator: str) -> None:
    text = "# A\n\n{{< code >}}\n\n```bash\nrow\n```\n\n```js\nrow();\n```\n\n{{< /code >}}\n\nAfter.\n"
    assert words(text, generator) == "```bash\nrow\n```\n```js\nrow();\n```\nAfter."


def test_a_tab_of_code_and_text_is_read_by_the_label_that_its_tabs_have_for_it() -> None:
    text = (
        '# A\n\n{{< tabs Sloop "Tall ship" >}}\n\n{{% codetab %}}\n\nHoist one.\n\n{{% /codetab %}}\n\n'
        "{{% codetab %}}\n\nHoist many:\n\n```sh\nhoist all\n```\n\n{{% /codetab %}}\n\n{{< /tabs >}}\n\nAfter.\n"
    )
    expected = "Sloop:\nHoist one.\nTall ship:\nHoist many:\n```sh\nhoist all\n```\nAfter."
    for generator in ("hugo", "plain", "docusaurus"):
        assert [line for line in words(text, generator).split("\n") if line] == expected.split("\n")


def test_an_example_of_a_tag_and_code_that_shows_a_fence_undo_no_code() -> None:
    named = "Use `{{< highlight go >}}` for code.\n\n```\nx\n```\n\n"
    shown = "{{< highlight md >}}\n# y\n\n```\ny\n```\n{{< /highlight >}}\n\n"
    held = f"{shown}{{{{< highlight sh >}}}}\n# z\n{{{{< /highlight >}}}}\n"
    assert without_template_tags(f"{named}{held}", "hugo").endswith("```sh\n# z\n```\n")


def test_what_holds_a_fence_somewhere_holds_text_elsewhere() -> None:
    held = "{{< code-box >}}\nMind the *ropes*.\n{{< /code-box >}}\n\n"
    text = f"# A\n\n{held}{{{{< code-box >}}}}\nSo:\n\n```sh\ncoil\n```\n{{{{< /code-box >}}}}\n"
    assert words(text, "hugo").startswith("Mind the ropes.\nSo:\n```sh")


def test_examples_of_shortcodes_are_shown_as_they_are_written() -> None:
    text = "# A\n\n```md\n{{</* note */>}}\n{{< raw >}}\n```\n\nWrite `{{< note >}}` here.\n"
    assert words(text, "hugo") == "```md\n{{< note >}}\n{{< raw >}}\n```\nWrite `{{< note >}}` here."


def test_liquid_is_not_read_but_what_it_holds_is() -> None:
    text = (
        "# A\n\n{% if site.boats %}\nBoats [float]({{ site.baseurl }}/float).\n{% endif %}\n{: .note }\n\n"
        "{% highlight ruby %}\nx = {{ 1 }}\n{% endhighlight %}\n\n"
        "```liquid\n{% raw %}{{ page.title }}{% endraw %}\n```\n"
    )
    assert words(text, "jekyll") == (
        "Boats float.\n```ruby\nx = {{ 1 }}\n```\n```liquid\n{{ page.title }}\n```"
    )


@pytest.mark.parametrize("generator", ["plain", "mkdocs", "docusaurus"])
def test_pages_of_other_generators_keep_what_looks_like_tags(generator: str) -> None:
    text = "# A\n\nUse {% if x %} and {{< y >}} in text.\n"
    assert without_template_tags(text, generator) == text


@pytest.mark.parametrize("generator", ["plain", "mkdocs", "gitbook"])
def test_lines_of_tags_alone_are_no_text_of_any_page(generator: str) -> None:
    code = '{% code title="x.sh" %}\n```\n{% if %}\n```\n{% endcode %}\n'
    text = f'# A\n\n{{% hint style="info" %}}\nMind it.\n{{% endhint %}}\n\n{code}'
    assert words(text, generator) == "Mind it.\nx.sh\n```\n{% if %}\n```"


def test_shortcodes_of_a_folder_without_its_site_are_no_text() -> None:
    text = "# A\n\n{{< note >}}\nTie {{< tip >}}it{{< /tip >}}.\n{{< /note >}}\n\n{{% toc %}}\n"
    assert words(text, "plain") == "Tie it."
    assert words(text, "mkdocs") == "Tie {{< tip >}}it{{< /tip >}}."
    shown = "# A\n\nUse {{< y >}} so:\n\n```\n{{< y >}}\n```\n"
    assert without_template_tags(shown, "plain") == shown


def test_looks_of_a_link_are_no_text() -> None:
    text = "# A\n\nSee [it](b.md){: .btn .wide }, `x{: .y}` and {: .z}.\n"
    assert words(text, "jekyll") == "See it, `x{: .y}` and {: .z}."


def test_what_a_page_embeds_is_told_by_its_address() -> None:
    text = (
        '# A\n\n{% embed url="https://boats.example/%7Efilm" %}\n\n{% embed url="https://a.b/'
        + "x" * 200
        + '" %}\n'
    )
    assert words(text, "gitbook") == "https://boats.example/%7Efilm"


def test_a_tag_over_several_lines_is_one() -> None:
    text = (
        '# A\n\n{{% blocks/cover\n  title="Boats"\n  height="full"\n%}}\n{.wide #it}\n\nRow.\n\n'
        "```\n{{% x\n%}}\n```\n\nOpen {{< x\n\nand go on.\n"
    )
    assert words(text, "hugo") == "Boats\nRow.\n```\n{{% x\n%}}\n```\nOpen {{< x\nand go on."
    [section] = parse_markdown(text, anchors=AnchorRules("hugo")).sections
    assert [block.parts[0].start_line for block in section.blocks] == [3, 9, 11, 16, 18]


def test_lines_stay_where_they_are() -> None:
    text = "# A\n\n{{< note >}}\nOne.\n{{< /note >}}\n\nTwo.\n"
    [section] = parse_markdown(text, anchors=AnchorRules("hugo")).sections
    assert [block.parts[0].start_line for block in section.blocks] == [4, 7]


def test_a_head_of_toml_is_read() -> None:
    head = read_front_matter(
        '+++\ntitle = "Ropes"\ntags = ["a", "b"]\ndraft = true\n[params]\nx = 1\n+++\nText.\n'
    )
    assert (head.string("title"), head.values["tags"], head.string("draft")) == ("Ropes", ("a", "b"), "true")
    assert (head.end_line, head.lines["tags"]) == (7, 3)
    assert read_front_matter("+++ b/file\n--- a/file\n").end_line == 0
