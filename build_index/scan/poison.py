"""Scans chunks for text that speaks to models and not to readers: found by rule, reported, and kept out by rule.

Words are scanned as a model would read them: without invisible characters, look-alike letters in one alphabet,
digits for letters read as letters, letters that stand apart joined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from build_index.progress import say
from build_index.scan.characters import bidirectional, flood, hidden_markup, invisible, readings
from build_index.scan.hints import MARKUP, UNUSUAL, read_hints
from build_index.scan.phrases import Wording, find_phrase, find_signals, read_wording
from quire.documents import Chunk
from quire.errors import ConfigError

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


@dataclass(frozen=True, slots=True)
class Find:
    """A chunk that a rule found, with an excerpt for the report."""

    rule: str
    document_id: str
    place: str
    excerpt: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.document_id}{self.place}: {self.excerpt}"


@dataclass(slots=True)
class PoisonScan:
    """Lets chunks pass in which no quarantined rule finds something, and keeps what was found.

    Attributes:
        quarantined: rules whose finds are kept out.
        finds: everything that was found, in order.
        kept_out: how many chunks were kept out.
    """

    quarantined: Collection[str] = QUARANTINED
    finds: list[Find] = field(default_factory=list)
    kept_out: int = 0

    def lets_pass(self, finds: Sequence[Find]) -> bool:
        """Whether a chunk with these finds may be indexed; they are said and kept."""
        self.finds += finds
        for find in finds:
            say(f"found {find}")
        kept_out = any(find.rule in self.quarantined for find in finds)
        self.kept_out += kept_out
        return not kept_out

    def as_notes(self) -> dict[str, object]:
        """Counts for the manifest's notes."""
        counts = Counter(find.rule for find in self.finds)
        return {"found": dict(sorted(counts.items())), "kept_out": self.kept_out}


def open_scan(options: Mapping[str, object]) -> PoisonScan:
    """The scan that a collection's `quarantine` option asks for: a list of rules; by default `QUARANTINED`.

    Raises:
        ConfigError: it is no list of rules.
    """
    rules = options.get("quarantine")
    if rules is None:
        return PoisonScan()
    if not isinstance(rules, list) or not set(rules) <= set(RULES):
        raise ConfigError(f"quarantine: wanted a list of {', '.join(RULES)}, found {rules!r}")
    return PoisonScan(frozenset(rules))


def scan_chunk(chunk: Chunk) -> Iterator[Find]:
    """Every rule that finds something in the chunk's text, breadcrumb or aliases."""
    text = "\n".join(filter(None, (chunk.breadcrumb, chunk.text, chunk.aliases)))
    line = chunk.metadata.get("start_line")
    for rule, excerpt in scan_text(text):
        shown = " ".join(excerpt.split())[:EXCERPT]
        yield Find(rule, chunk.document_id, f":{line}" if line else "", shown)


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
        if excerpt := next(filter(None, found), ""):
            yield rule, excerpt
