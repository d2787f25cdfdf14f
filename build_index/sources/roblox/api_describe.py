"""How an API entry reads: one text for people and agents, a shorter one for the embedding model.

What it means comes first and boilerplate last, because the embedding model's window is 256 tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from build_index.sources.roblox.api_text import bare, split_words

_LONG_NUMBER = re.compile(r"-?(?<!\d)\d++\.\d{7,}+(?:e[-+]?\d+)?")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter, or with an empty name a returned value; `default` is None where the caller must give one."""

    name: str
    type: str
    default: str | None = None
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Described:
    """An entry taken apart into what its text is made of.

    Attributes:
        name: the qualified name, such as `BasePart.Touched` or `Enum.Material.Plastic`.
        signature: how it is written; opens the text.
        role: what it is, such as `Event of BasePart`.
        notes: what the first line says of it besides, such as `read-only`; not embedded.
        notice: deprecation and replacement; "" where it is current.
        prose: summary and description, readable.
        parameters: in order.
        returns: in order, without names.
        context: one line on what it belongs to, for entries that say little themselves.
        details: further lines, such as member lists.
        samples: names of the code samples on its web page.
        facts: short boilerplate, the last line of the text.
    """

    name: str
    signature: str
    role: str
    notes: tuple[str, ...] = ()
    notice: str = ""
    prose: str = ""
    parameters: tuple[Parameter, ...] = ()
    returns: tuple[Parameter, ...] = ()
    context: str = ""
    details: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The member's own name as words: `walk to point`."""
        return split_words(re.split(r"[.:]", self.name)[-1])


def write_text(entry: Described) -> str:
    """The stored text, in blocks separated by blank lines."""
    blocks = [
        f"{entry.signature} — {', '.join((entry.role, *entry.notes))}",
        entry.notice,
        write_meaning(entry),
        entry.context,
        "\n".join(entry.details),
        "Code samples on the web page: " + ", ".join(map(_title, entry.samples)) if entry.samples else "",
        " · ".join(fact for fact in entry.facts if fact),
    ]
    return "\n\n".join(block for block in blocks if block)


def write_meaning(entry: Described) -> str:
    """The part of the stored text that says what the entry means and takes."""
    blocks = [
        entry.prose or f"{entry.words.capitalize()} (undocumented).",
        _parameter_block("Parameters:", entry.parameters),
        _parameter_block("Returns:", entry.returns),
    ]
    return "\n\n".join(block for block in blocks if block)


def write_embedding(entry: Described) -> str:
    """The text to embed: names in words, what it means, what its parameters mean; no code, markup or boilerplate."""
    told = [f"{entry.name} ({entry.words}), {entry.role}.", entry.notice, entry.prose, entry.context]
    told.extend(
        f"{parameter.name}: {parameter.summary}" for parameter in entry.parameters if parameter.summary
    )
    told.extend(f"Returns {value.summary}" for value in entry.returns if value.summary)
    told.extend(entry.details)
    return bare("\n".join(part for part in told if part))


def write_headline(entry: Described) -> str:
    """The gist to embed beside the text: the name in words and the first paragraph of what it means."""
    owner, _, member = entry.name.replace(":", ".").removeprefix("Enum.").rpartition(".")
    first = entry.prose.split("\n\n", 1)[0]
    return bare(f"{split_words(owner)} {split_words(member)}: {first}".strip(": "))


def signature(name: str, parameters: Sequence[Parameter], returns: Sequence[Parameter] = ()) -> str:
    """Write a call as Luau does.

    >>> signature("Model:MoveTo", [Parameter("position", "Vector3")], [Parameter("", "()")])
    'Model:MoveTo(position: Vector3)'
    """
    inside = ", ".join(
        f"{parameter.name}: {parameter.type}"
        + ("" if parameter.default is None else f" = {parameter.default}")
        for parameter in parameters
    )
    result = ", ".join(value.type for value in returns if value.type not in {"", "()"})
    return f"{name}({inside})" + (f": {result}" if result else "")


def join_prose(summary: str, description: str) -> str:
    """Summary, then description, without saying the same twice.

    >>> join_prose("Fires.", "Fires. Often."), join_prose("Short.", "Longer words.")
    ('Fires. Often.', 'Short.\\n\\nLonger words.')
    """
    if description.casefold().startswith(summary.casefold().rstrip(".")):
        return description
    return f"{summary}\n\n{description}" if description else summary


def show_default(value: object) -> str | None:
    """A default as a reader writes it; None where the dump holds a marker or bytes in place of a value.

    >>> show_default("0.100000001"), show_default(""), show_default("__api_dump_skipped_class__"), show_default(None)
    ('0.1', '""', None, None)
    """
    if value is None or not isinstance(value, (str, int, float)):
        return None
    text = str(value)
    if text.startswith("__api_dump") or not text.isprintable():
        return None
    return _LONG_NUMBER.sub(lambda match: f"{float(match[0]):.6g}", text) if text else '""'


def list_names(title: str, names: Iterable[str]) -> str:
    """`Events: Died, Running`, or "" where there are no names."""
    joined = ", ".join(names)
    return f"{title}: {joined}" if joined else ""


def _parameter_block(title: str, values: Sequence[Parameter]) -> str:
    told = [value for value in values if value.summary or value.name]
    if not any(value.summary for value in told):
        return ""
    return "\n".join((title, *(f"- {_parameter_line(value)}" for value in told)))


def _parameter_line(value: Parameter) -> str:
    optional = "" if value.default is None else f", default {value.default}"
    name = f"`{value.name}` ({value.type}{optional})" if value.name else f"{value.type}"
    return f"{name}: {value.summary}".replace("\n", "\n  ") if value.summary else name


def _title(sample: str) -> str:
    return " ".join(re.split(r"[-_]+", sample)).strip()
