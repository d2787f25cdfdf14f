"""Pages of Quarto and R Markdown: what their readers see, on the lines where it stands."""

from __future__ import annotations

import pytest

from quire.documents import AnchorRules
from quire.parsing.markdown import page_title, parse_markdown
from quire.parsing.quarto import plain_quarto

PAGE = """\
---
title: "Boats: a course"
---

# Oars {#sec-oars .unnumbered}

As @sec-knots says, @fig-oar is short [@cook1770; see @finn1801, p. 3].
The mean is `r mean(length)` feet^[Of 40 oars.], as `[@key]` in code stays.

```{r}
#| label: fig-oar
#| fig-cap: |
#|   An oar of ash,
#|   with its collar.
#| echo: false
plot(oar)
```

```{python}
#| eval: false
row("fast")
```

::: {.callout-tip collapse="true"}
## Hold it low
Low oars [splash]{.wet} less.
:::

::: {.panel-tabset}
## Sea
Long ones.

## River
Short ones, {{< kbd Ctrl-R >}}{{< var none >}}.
:::

::: {.content-visible when-format="pdf"}
Only on paper.
:::

## Knots {#sec-knots}

See Section \\@ref(sec-oars) and Figure \\@ref(fig:oar), and @sec-the-far-shore.

| Knot | Use |
|------|-----|
| Bend | two ropes |

: Knots and their use {#tbl-knots .striped}
"""


def test_a_page_reads_as_its_readers_see_it() -> None:
    page = parse_markdown(PAGE, "oars.qmd", anchors=AnchorRules("quarto"))
    assert (page.title, page_title(PAGE, "oars.qmd")) == ("Oars", "Oars")
    shown = {
        one.heading: [part.text for block in one.blocks for part in block.parts] for one in page.sections
    }
    assert [(one.heading, one.anchor) for one in page.sections] == [
        ("Oars", "sec-oars"),
        ("Knots", "sec-knots"),
    ]
    assert shown["Oars"] == [
        "As “Knots” says, the figure is short. The mean is … feet (Of 40 oars.), as `[@key]` in code stays.",
        "An oar of ash, with its collar.",
        '```python\nrow("fast")\n```',
        "Tip: Hold it low",
        "Low oars splash less.",
        "Sea: Long ones.",
        "River: Short ones, `Ctrl-R`.",
    ]
    assert shown["Knots"][0] == "See Section “Oars” and Figure, and “the far shore”."
    assert shown["Knots"][-1] == ": Knots and their use"


def test_every_line_keeps_its_number() -> None:
    shown = plain_quarto(PAGE).split("\n")
    assert len(shown) == len(PAGE.split("\n"))
    for number, line in enumerate(PAGE.split("\n")):
        if line.startswith(("# ", "row(", "| Bend", "Low ", "Long ")):
            assert line.split(" {")[0].split(" [")[0] in shown[number]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("```{r, echo=FALSE}\nx\n```", "\n\n"),
        ("```{r fig.cap='Oars.', echo=FALSE}\nx\n```", "Oars.\n\n"),
        ("```{=html}\n<b>x</b>\n```", "\n\n"),
        ('```{.python filename="row.py"}\n#| kept\n```', "```python\n#| kept\n```"),
        ("```{{r}}\n#| label: a\nx\n```", "```r\n#| label: a\nx\n```"),
        ("````markdown\n```{r}\nx\n```\n````", "````markdown\n```{r}\nx\n```\n````"),
        ("```{theorem}\nLow *oars*.\n```", "\nLow *oars*.\n"),
        ("- One\n\n  ```{r}\n  x\n  ```", "- One\n\n  ```r\n  x\n  ```"),
        ("::: {.callout-note}\nAlone.\n:::", "> [!note]\n> Alone.\n"),
        ("::: {.a}\n:::: {.b}\nInner.\n::::\n:::\nOuter.", "\n\nInner.\n\n\nOuter."),
        ("mail@sec-tor.example and @someone", "mail@sec-tor.example and @someone"),
        ("An image ![oar](a.png){width=50%}.", "An image ![oar](a.png)."),
        ("```{r}\nnever closed", "```r\nnever closed"),
        (":::\n:::", "\n"),
    ],
)
def test_what_pandoc_knows_beside_markdown(written: str, shown: str) -> None:
    assert plain_quarto(written) == shown
