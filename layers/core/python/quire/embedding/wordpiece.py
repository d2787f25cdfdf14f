"""Text to token ids with the model's own `tokenizer.json`.

Plain ASCII text, as most questions are, is cut here: that costs over 30 ms of CPU less than importing the `tokenizers`
package and having it read the file, which a process start has not got. Any other text goes to the package.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from quire.embedding.model_folder import TOKENIZER_FILE, read_checked
from quire.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_PIECE = re.compile(r"[a-z0-9]+|[^a-z0-9\s]")
_DROPPED = dict.fromkeys({*range(32), 127} - {ord(blank) for blank in "\t\n\r"})
"""Control characters, which BERT's normalizer takes out; it keeps these three as blanks."""


class _PlainWords(NamedTuple):
    """How a tokenizer of BERT's kind cuts ASCII text: lower case, words and marks, longest pieces first.

    Attributes:
        words: piece -> id; one that goes on a word begins with `##`.
        unknown: id of a word that cannot be cut.
        longest: characters of the longest word that is cut at all.
        added: special tokens, which are found in a text before it is cut.
        around: ids that stand around every text.
    """

    words: Mapping[str, int]
    unknown: int
    longest: int
    added: tuple[str, ...]
    around: tuple[int, int]

    def can_cut(self, text: str) -> bool:
        """Whether nothing in the text needs more than this knows."""
        return text.isascii() and not any(token in text for token in self.added)

    def ids(self, text: str) -> list[int]:
        """Ids of the text's pieces."""
        ids: list[int] = []
        for word in _PIECE.findall(text.translate(_DROPPED).lower()):
            whole = self.words.get(word)
            ids += self._cut(word) if whole is None else (whole,)
        return ids

    def _cut(self, word: str) -> Sequence[int]:
        if len(word) > self.longest:
            return (self.unknown,)
        pieces: list[int] = []
        begin, mark = 0, ""
        while begin < len(word):
            end = len(word)
            while (piece := self.words.get(mark + word[begin:end])) is None:
                end -= 1
                if end == begin:
                    return (self.unknown,)
            pieces.append(piece)
            begin, mark = end, "##"
        return pieces


class WordPiece:
    """A model's tokenizer without the padding and truncation that its file asks for.

    Attributes:
        first, last: the special tokens' ids that stand around every text ([CLS] and [SEP]).
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._plain = _read_plain(json.loads(content))
        self.first, self.last = self._plain.around if self._plain else self._around()

    def ids(self, text: str) -> Sequence[int]:
        """The text's token ids, all of them, without the special tokens."""
        plain = self._plain
        if plain and plain.can_cut(text):
            return plain.ids(text)
        # A lone surrogate, as JSON may carry, is refused.
        valid = text.encode("utf-8", "replace").decode("utf-8")
        ids: list[int] = self._package.encode(valid, add_special_tokens=False).ids
        return ids

    @cached_property
    def _package(self) -> Tokenizer:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(self._content.decode("utf-8"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    def _around(self) -> tuple[int, int]:
        around = self._package.encode("").ids
        if len(around) != 2:
            raise ModelError(f"tokenizer.json: wanted two special tokens around a text, found ids {around}")
        return around[0], around[1]


def open_tokenizer(folder: Path) -> WordPiece:
    """Open the `tokenizer.json` of an exported model's folder.

    Its digest is compared first, for under a millisecond: the binding answers a damaged file with a bare Exception.

    Raises:
        ModelError: it is missing or not the one that was exported.
    """
    return WordPiece(read_checked(folder, TOKENIZER_FILE))


def _read_plain(file: Mapping[str, Any]) -> _PlainWords | None:
    """How the tokenizer of that file cuts ASCII text; None where that is not BERT's way for lower case."""
    try:
        model, normalizer, added = file["model"], file["normalizer"], file["added_tokens"]
        before, _, after = (
            _special_id(part, file["post_processor"]) for part in file["post_processor"]["single"]
        )
        is_plain = (
            (normalizer["type"], file["pre_tokenizer"]["type"]) == ("BertNormalizer", "BertPreTokenizer")
            and normalizer["clean_text"]
            and normalizer["lowercase"]
            and (model["type"], model["continuing_subword_prefix"]) == ("WordPiece", "##")
            and not any(one["normalized"] for one in added)
        )
        if not is_plain or before is None or after is None:
            return None
        words: Mapping[str, int] = model["vocab"]
        unknown = words[model["unk_token"]]
        names = tuple(one["content"] for one in added)
        return _PlainWords(words, unknown, model["max_input_chars_per_word"], names, (before, after))
    except (KeyError, TypeError, ValueError):
        return None


def _special_id(part: Mapping[str, Any], processor: Mapping[str, Any]) -> int | None:
    """The id of a special token in the template; None for the text itself."""
    if "SpecialToken" not in part:
        return None
    (number,) = processor["special_tokens"][part["SpecialToken"]["id"]]["ids"]
    return int(number)
