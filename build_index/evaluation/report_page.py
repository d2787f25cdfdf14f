"""The evaluation as one self-contained HTML page: figures, plots drawn as inline SVG, and every question missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from build_index.evaluation.evaluate import AskedQuestion
from build_index.evaluation.metrics import MEASURES

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1b1f24;background:#fff}
table{border-collapse:collapse;margin:1rem 0}
td,th{padding:.25rem .7rem;text-align:right;border-bottom:1px solid #d5dae0}
td:first-child,th:first-child{text-align:left}svg{display:block;margin:1rem 0}.bar{fill:#3266c8}.span{stroke:#1b1f24}
.yes{fill:#3266c8}.no{fill:#c2571a}text{font-size:12px;fill:currentColor}
@media(prefers-color-scheme:dark){body{color:#e4e7eb;background:#14171a}td,th{border-color:#363c43}.span{stroke:#e4e7eb}}
"""
WIDTH, BAR = 620, 22


def write_page(path: Path, figures: Mapping[str, Any], asked: Sequence[AskedQuestion]) -> None:
    """Write the page; the file needs nothing beside itself."""
    name = escape(str(figures["collection"]))
    missed = [one for one in asked if one.outcome is not None and not one.outcome.hit(5)]
    body = [
        f"<h1>Retrieval of {name}</h1>",
        _table(figures),
        "<h2>hit@5 by kind</h2>",
        _bars({kind: row["hit@5"] for kind, row in figures["by_kind"].items()}),
        "<h2>Best score: answerable (blue) and off-topic (orange) questions</h2>",
        _scores(asked),
        f"<h2>Missed at 5 ({len(missed)})</h2>",
        "<table><tr><th>question</th><th>kind</th><th>best rank</th></tr>",
        *(_missed_row(one) for one in missed),
        "</table>",
    ]
    page = f"<!doctype html><meta charset=utf-8><title>{name}: retrieval</title><style>{_STYLE}</style>"
    path.write_text(page + "\n".join(body), encoding="utf-8")


def _table(figures: Mapping[str, Any]) -> str:
    head = "".join(f"<th>{measure}</th>" for measure in MEASURES)
    rows = [f"<table><tr><th>kind</th><th>n</th>{head}</tr>"]
    for kind, row in [("all", figures["all"]), *figures["by_kind"].items()]:
        cells = "".join(f"<td>{row[measure]:.3f}</td>" for measure in MEASURES)
        rows.append(f"<tr><td>{escape(kind)}</td><td>{row['n']}</td>{cells}</tr>")
    spans = "".join("<td>{:.2f}–{:.2f}</td>".format(*figures["intervals"][measure]) for measure in MEASURES)
    auc = figures["off_topic_auc"]
    rows.append(f"<tr><td>95 % interval</td><td></td>{spans}</tr></table>")
    return "".join(rows) + (f"<p>Off-topic AUC {auc:.3f}</p>" if auc is not None else "")


def _bars(values: Mapping[str, float]) -> str:
    rows = [f'<svg viewBox="0 0 {WIDTH} {BAR * len(values) + 4}" width="{WIDTH}" role="img">']
    for row, (label, value) in enumerate(values.items()):
        top = row * BAR
        rows.append(f'<text x="0" y="{top + 15}">{escape(label)}</text>')
        rows.append(f'<rect class="bar" x="120" y="{top + 3}" height="16" width="{value * 440:.1f}"/>')
        rows.append(f'<text x="{126 + value * 440:.1f}" y="{top + 15}">{value:.2f}</text>')
    return "".join(rows) + "</svg>"


def _scores(asked: Sequence[AskedQuestion]) -> str:
    """A strip of dots, one a question, from score 0 at the left to 1 at the right."""
    rows = [f'<svg viewBox="0 0 {WIDTH} 70" width="{WIDTH}" role="img">']
    rows.append(f'<line class="span" x1="10" x2="{WIDTH - 10}" y1="60" y2="60"/>')
    for place, one in enumerate(asked):
        if one.outcome is None and one.question.kind != "off_topic":
            continue
        kind, lane = ("yes", 8) if one.outcome is not None else ("no", 34)
        x = 10 + one.top_score * (WIDTH - 20)
        title = escape(one.question.query)
        rows.append(
            f'<circle class="{kind}" cx="{x:.1f}" cy="{lane + place * 7 % 20}" r="3"><title>{title}</title></circle>'
        )
    return "".join(rows) + "</svg>"


def _missed_row(one: AskedQuestion) -> str:
    best = one.outcome.first if one.outcome and one.outcome.first else "not in 10"
    return (
        f"<tr><td>{escape(one.question.query)}</td><td>{escape(one.question.kind)}</td><td>{best}</td></tr>"
    )
