"""A message (`.eml`) to a page of HTML: its subject, who wrote it to whom and when, and what it says."""

from __future__ import annotations

import email
import html
import re
from email import policy
from email.message import EmailMessage

from quire.errors import NoText, SourceError
from quire.parsing.zipped_xml import holds_words

_HEADS = ("From", "To", "Cc", "Date")
_BODY = re.compile(r"<body\b[^<>]*+>(.*?)(?:</body\s*>|\Z)", re.DOTALL | re.IGNORECASE)


def eml_html(data: bytes, path: str) -> str:
    """The message as HTML; of what is attached the names.

    Raises:
        SourceError: it is none, or cannot be decoded.
        NoText: it holds no word.
    """
    try:
        message = email.message_from_bytes(data, policy=policy.default)
        if not isinstance(message, EmailMessage) or not any(map(message.get, (*_HEADS, "Subject"))):
            raise SourceError(f"{path}: wanted a message, found no `From:`, `Date:` or `Subject:`", path=path)
        heads = [f"{name}: {_line(message.get(name))}" for name in _HEADS if message.get(name)]
        body = _body(message)
        attached = [_line(one.get_filename()) for one in message.iter_attachments() if one.get_filename()]
    except (LookupError, ValueError, AttributeError, TypeError, AssertionError, RecursionError) as error:
        raise SourceError(f"{path}: the message cannot be read: {error}", path=path) from error
    heads += [f"Attached: {', '.join(attached)}"] if attached else []
    if not holds_words(body):
        raise NoText(f"{path}: the message holds no text", path=path)
    title = html.escape(_line(message.get("Subject")) or "Message")
    shown = "".join(f"<li>{html.escape(one)}</li>" for one in heads)
    return f"<title>{title}</title>\n<h1>{title}</h1>\n<ul>{shown}</ul>\n{body}"


def _line(value: object) -> str:
    return " ".join(str(value or "").split())


def _body(message: EmailMessage) -> str:
    """What is written in it as HTML: its plain text where it has one, which has no layout of a sender's program."""
    part = message.get_body(("plain", "html"))
    if part is None:
        return ""
    text = str(part.get_content())
    if part.get_content_subtype() == "html":
        found = _BODY.search(text)
        return found[1] if found else text
    paragraphs = (one.strip("\n") for one in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")))
    return "\n".join(
        f"<p>{html.escape(one).replace(chr(10), '<br>' + chr(10))}</p>" for one in paragraphs if one
    )
