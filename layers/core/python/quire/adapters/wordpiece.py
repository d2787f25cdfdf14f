"""Text to token ids with the model's own `tokenizer.json`, by the `tokenizers` package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

from quire.errors import ModelError
from quire.model_facts import TOKENIZER_FILE, read_checked


class WordPiece:
    """A model's tokenizer without the padding and truncation that its file asks for.

    Attributes:
        first, last: the special tokens' ids that stand around every text ([CLS] and [SEP]).
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        around = tokenizer.encode("").ids
        if len(around) != 2:
            raise ModelError(f"tokenizer.json: wanted two special tokens around a text, found ids {around}")
        self._tokenizer = tokenizer
        self.first, self.last = around

    def ids(self, text: str) -> Sequence[int]:
        """The text's token ids, all of them, without the special tokens."""
        valid = text.encode("utf-8", "replace").decode(
            "utf-8"
        )  # a lone surrogate, as JSON may carry, is refused
        ids: list[int] = self._tokenizer.encode(valid, add_special_tokens=False).ids
        return ids


def open_tokenizer(folder: Path) -> WordPiece:
    """Open the `tokenizer.json` of an exported model's folder.

    Its digest is compared first, for under a millisecond: the binding answers a damaged file with a bare Exception.

    Raises:
        ModelError: it is missing or not the one that was exported.
    """
    content = read_checked(folder, TOKENIZER_FILE)
    return WordPiece(Tokenizer.from_str(content.decode("utf-8")))
