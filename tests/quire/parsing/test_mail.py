"""Messages and canvases: what a reader sees of them."""

from __future__ import annotations

import json
import time
from email.message import EmailMessage

import pytest

from quire.errors import NoText, SourceError
from quire.parsing.canvas import canvas_html
from quire.parsing.formats import RawFile, read_converted
from quire.parsing.html_page import parse_html
from quire.parsing.mail import eml_html


def said(page: str) -> str:
    return "\n".join(
        "\n".join([section.heading, *(part.text for block in section.blocks for part in block.parts)])
        for section in parse_html(page).sections
    )


def message(text: str, html: str = "") -> EmailMessage:
    made = EmailMessage()
    made["Subject"], made["From"], made["To"] = "Kran 4 & Büro", "Jörg <j@kai.example>", "crew@kai.example"
    made["Date"] = "Mon, 02 Mar 2026 08:12:00 +0100"
    made.set_content(text, cte="base64")
    if html:
        made.add_alternative(html, subtype="html")
    return made


def test_a_message_is_read_as_its_reader_sees_it_whatever_it_is_sent_in() -> None:
    made = message("Kran 4 ruht vom 9. bis 11. April.\n\nGrüße\n", "<html><body><p>HTML</p></body></html>")
    made.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="Plan Süd.pdf")
    page = eml_html(made.as_bytes(), "mail/a.eml")
    assert parse_html(page).title == "Kran 4 & Büro"
    shown = said(page)
    for line in (
        "From: Jörg <j@kai.example>",
        "Date: Mon, 02 Mar 2026",
        "Kran 4 ruht vom",
        "Attached: Plan Süd.pdf",
    ):
        assert line in shown
    assert "HTML" not in shown
    assert "base64" not in shown


def test_of_a_message_in_html_alone_the_body_is_read() -> None:
    made = EmailMessage()
    made["Subject"] = "Lamps"
    made.set_content(
        "<html><head><style>p{}</style></head><body><h2>Why</h2><p>It is dark.</p></body></html>",
        subtype="html",
    )
    assert said(eml_html(made.as_bytes(), "a.eml")).endswith("Why\nIt is dark.")


@pytest.mark.parametrize(
    "data", [b"\x00\x01\x02", b"no message at all", b"<html>", b"Content-Type: text/plain\n\nHello"]
)
def test_what_is_no_message_is_told(data: bytes) -> None:
    with pytest.raises(SourceError, match=r"a\.eml: wanted a message"):
        eml_html(data, "a.eml")


def test_a_message_without_a_word_and_one_of_an_unknown_alphabet_are_told() -> None:
    with pytest.raises(NoText, match="the message holds no text"):
        eml_html(message("\n").as_bytes(), "a.eml")
    broken = b"Subject: a\nContent-Type: text/plain; charset=klingon\n\nHello\n"
    with pytest.raises(SourceError, match="the message cannot be read"):
        eml_html(broken, "a.eml")


def test_cards_of_a_canvas_are_read_from_above_and_its_arrows_by_what_they_join() -> None:
    nodes = [
        {
            "id": "b",
            "type": "text",
            "text": "Close *hatches*.\n- [ ] All **three**\n- see [[Tugs|the tugs]]",
            "x": 0,
            "y": 90,
        },
        {"id": "a", "type": "text", "text": "## Storm plan\nWind passes 9.", "x": 0, "y": 10},
        {"id": "g", "type": "group", "label": "Weather", "x": 0, "y": 0},
        {"id": "f", "type": "file", "file": "Tugs.md", "x": 9, "y": 90},
    ]
    edges = [
        {"fromNode": "a", "toNode": "f", "label": "applies to"},
        {"fromNode": "a", "toNode": "nowhere"},
    ]
    page = canvas_html(json.dumps({"nodes": nodes, "edges": edges}), "vault/Map.canvas")
    assert parse_html(page).title == "Map"
    shown = said(page)
    assert shown.index("Weather") < shown.index("Storm plan\nWind passes 9.") < shown.index("Close")
    assert "- All three" in shown
    assert "- see the tugs" in shown
    assert "Storm plan → Tugs.md (applies to)" in shown
    assert "nowhere" not in shown


def test_what_is_no_canvas_is_told() -> None:
    for text in ("{", "[]", '"a"', "7", '{"nodes": 3}'):
        with pytest.raises(SourceError, match=r"a\.canvas: the canvas cannot be read"):
            canvas_html(text, "a.canvas")
    with pytest.raises(NoText, match="the canvas holds no text"):
        canvas_html('{"nodes": [{"type": "text", "text": "12"}, 3]}', "a.canvas")


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.xlsx", "a.eml", "a.canvas", "a.csv", "a.ipynb"])
def test_an_empty_file_is_told_to_be_empty_whatever_its_name_promises(name: str) -> None:
    with pytest.raises(NoText, match="the file is empty"):
        read_converted(RawFile(name, b""))


def test_a_body_that_nothing_closes_takes_no_longer_than_it_is_long() -> None:
    hostile = b"Subject: x\nContent-Type: text/html\n\nhello " + b"<body " * 60_000
    began = time.process_time()
    assert "hello" in eml_html(hostile, "x.eml")
    assert time.process_time() - began < 2.0


def test_a_card_that_lies_beyond_all_numbers_is_told() -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        canvas_html(f'{{"nodes": [{{"x": 1{"0" * 400}}}, {{"x": 2}}]}}', "wide.canvas")
