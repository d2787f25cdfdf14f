"""Scans chunks for text that speaks to models and not to readers: found by rule, reported, and kept out by rule.

Words are scanned as a model would read them: without invisible characters, look-alike letters in one alphabet,
digits for letters read as letters, letters that stand apart joined.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from build_index.progress import say
from build_index.scan.characters import bidirectional, flood, hidden_markup, invisible, readings
from build_index.scan.hints import MARKUP, UNUSUAL, read_hints
from build_index.scan.phrases import Wording, find_phrase, find_signals, read_wording
from quire.analysis.keywords import PROSE
from quire.documents import Chunk, Value
from quire.errors import ConfigError
from quire.parsing.line_maps import lines_at

EXCERPT = 120

ON_CHARACTERS: Mapping[str, tuple[Callable[[str], str], str]] = {
    "invisible": (invisible, UNUSUAL),
    "bidirectional": (bidirectional, UNUSUAL),
    "hidden_markup": (hidden_markup, MARKUP),
    "flood": (flood, ""),
}
"""Looks at the text itself, each with the hint without which it finds nothing; "" where there is none."""
ON_WORDS: Mapping[str, Sequence[Callable[[Wording], str]]] = {
    "instructions": (partial(find_phrase, "instructions"), find_signals),
    "exfiltration": (partial(find_phrase, "exfiltration"),),
    "fake_citations": (partial(find_phrase, "fake_citations"),),
}
RULES = (*ON_CHARACTERS, *ON_WORDS)

QUARANTINED = frozenset({"invisible", "hidden_markup", "instructions", "exfiltration", "fake_citations"})
"""Rules whose finds stay out of the index by default; what floods or reads backwards harms no model and is reported."""


HARMLESS_IN_CODE = QUARANTINED - {"invisible"}
"""Programs hold prompts, templates of chats and tests of both, and ignore keys: a hundred such places in the packages
of one environment, none of them an attack, and a search for them would find nothing. What no screen shows stays out."""


@dataclass(frozen=True, slots=True)
class Find:
    """A chunk that a rule found, with an excerpt for the report; `in_code` where the chunk is no prose."""

    rule: str
    document_id: str
    place: str
    excerpt: str
    in_code: bool = False

    def __str__(self) -> str:
        return f"{self.rule}: {self.document_id}{self.place}: {self.excerpt}"


@dataclass(slots=True)
class PoisonScan:
    """Lets chunks pass in which no quarantined rule finds something, and keeps what was found.

    Attributes:
        quarantined: rules whose finds are kept out.
        spares_code: whether those of `HARMLESS_IN_CODE` are in code nevertheless let pass, and not said.
        finds: everything that was found, in order.
        kept_out: how many chunks were kept out.
        said: rules with the documents in which a find of theirs was said.
    """

    quarantined: Collection[str] = QUARANTINED
    spares_code: bool = True
    finds: list[Find] = field(default_factory=list)
    kept_out: int = 0
    said: set[tuple[str, str]] = field(default_factory=set)

    @property
    def policy(self) -> tuple[str, ...]:
        """What decides which chunks are kept out, as a key of what was built by it."""
        return (*sorted(self.quarantined), *(["code is spared"] if self.spares_code else []))

    def lets_pass(self, finds: Sequence[Find]) -> bool:
        """Whether a chunk with these finds may be indexed; they are kept, and said unless code is spared them: where no
        chunk is kept out, the first of a rule in a document."""
        self.finds += finds
        told = [
            one for one in finds if not (self.spares_code and one.in_code and one.rule in HARMLESS_IN_CODE)
        ]
        kept_out = any(find.rule in self.quarantined for find in told)
        for find in told:
            if kept_out or (find.rule, find.document_id) not in self.said:
                say(f"{'kept out' if kept_out else 'found'}: {find}")
            self.said.add((find.rule, find.document_id))
        self.kept_out += kept_out
        return not kept_out

    def as_notes(self) -> dict[str, object]:
        """Counts for the manifest's notes."""
        counts = Counter(find.rule for find in self.finds)
        return {"found": dict(sorted(counts.items())), "kept_out": self.kept_out}


def open_scan(options: Mapping[str, object]) -> PoisonScan:
    """The scan that a collection's `quarantine` option asks for, a list of rules, of which code is spared none.

    By default these are `QUARANTINED`, of which it is spared some.

    Raises:
        ConfigError: it is no list of rules.
    """
    rules = options.get("quarantine")
    if rules is None:
        return PoisonScan()
    if not isinstance(rules, list) or not set(rules) <= set(RULES):
        raise ConfigError(f"quarantine: wanted a list of {', '.join(RULES)}, found {rules!r}")
    return PoisonScan(frozenset(rules), spares_code=False)


def scan_chunk(chunk: Chunk) -> Iterator[Find]:
    """Every rule that finds something in the chunk's text, breadcrumb or aliases."""
    text = "\n".join(filter(None, (chunk.breadcrumb, chunk.text, chunk.aliases)))
    in_code = chunk.metadata.get("lang", "") not in PROSE
    for rule, excerpt in scan_text(text):
        line = _line_of(excerpt, chunk)
        shown = " ".join(excerpt.split())[:EXCERPT]
        yield Find(rule, chunk.document_id, f":{line}" if line else "", shown, in_code)


def _line_of(excerpt: str, chunk: Chunk) -> Value:
    """The line of the file that the excerpt begins on, where its words stand so in the text, else the chunk's first."""
    words = r"\W{1,9}".join(map(re.escape, re.findall(r"\w+", excerpt[:EXCERPT])))
    found = re.search(words, chunk.text, re.IGNORECASE) if words else None
    lines = lines_at(chunk, *found.span()) if found else None
    return lines[0] if lines else chunk.metadata.get("start_line")


def scan_text(text: str) -> Iterator[tuple[str, str]]:
    """Each rule that finds something, with what it found."""
    hints = read_hints(text)
    for rule, (find, hint) in ON_CHARACTERS.items():
        if (not hint or hint in hints) and (excerpt := find(text)):
            yield rule, excerpt
    variants = [wording for wording in map(read_wording, readings(text, hints)) if wording.likely]
    if not variants:
        return
    for rule, finders in ON_WORDS.items():
        found = (find(variant) for find in finders for variant in variants)
        if (excerpt := next(filter(None, found), "")) and not _is_sample(rule, text, hints):
            yield rule, excerpt


def _is_sample(rule: str, text: str, hints: Collection[str]) -> bool:
    """Whether it stands in a sample of code alone, and is no order that says outright what to ignore.

    Documentation of models is full of prompts and of marks that pass for citations.
    """
    words = "\n".join(_unfenced(text)) if "```" in text else text
    if words == text:
        return False
    variants = list(map(read_wording, readings(words, hints)))
    if any(find(variant) for find in ON_WORDS[rule] for variant in variants):
        return False
    return rule == "fake_citations" or not any(
        find_phrase(rule, variant, outright=True) for variant in map(read_wording, readings(text, hints))
    )


def _unfenced(text: str) -> Iterator[str]:
    """The lines that stand in no fenced code; a fence that nothing closes goes on to the end."""
    fence = ""
    for line in text.split("\n"):
        bare = line.strip()
        ticks = bare[: len(bare) - len(bare.lstrip("`"))]
        if not fence:
            fence = ticks if len(ticks) >= len("```") else ""
            if not fence:
                yield line
        elif bare == ticks and ticks.startswith(fence):
            fence = ""
