"""The tokenizer against the package that it takes the place of for plain text."""

from __future__ import annotations

import json
import string
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordPiece as WordPieceModel
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer, Whitespace
from tokenizers.processors import BertProcessing, TemplateProcessing

from quire.embedding.wordpiece import WordPiece
from quire.errors import ModelError

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
STEMS = ("walk", "part", "tween", "run", "serv", "the", "##ing", "##ice", "##ed", "##s", "##er", "é", "日")
LETTERS = string.ascii_lowercase.replace("q", "")  # a word with a q has no pieces
MARKS = string.punctuation + string.digits


def published(**changes: Any) -> Tokenizer:
    """A tokenizer in the layout of published sentence models."""
    pieces = [*SPECIAL, *STEMS, *MARKS, *LETTERS, *(f"##{one}" for one in LETTERS + string.digits)]
    model = WordPieceModel(
        {piece: number for number, piece in enumerate(dict.fromkeys(pieces))},
        unk_token="[UNK]",
        max_input_chars_per_word=20,
    )
    tokenizer = Tokenizer(model)
    tokenizer.add_special_tokens(list(SPECIAL))
    tokenizer.normalizer = changes.get("normalizer", BertNormalizer(lowercase=True))
    tokenizer.pre_tokenizer = changes.get("pre_tokenizer", BertPreTokenizer())
    template = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    tokenizer.post_processor = changes.get("post_processor", template)
    return tokenizer


PACKAGE = published()
TOKENIZER = WordPiece(PACKAGE.to_str().encode())
WORDS = st.sampled_from(
    [*STEMS, *SPECIAL, "Walking", "SERVICES", "q", "aqa", "\x00", "\x0b", "\x1f", "\t", "\n", " "]
)


def ids_by_package(tokenizer: Tokenizer, text: str) -> Sequence[int]:
    ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
    return ids


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_text_is_cut_as_the_package_cuts_it(text: str) -> None:
    assert TOKENIZER.ids(text) == ids_by_package(PACKAGE, text)


@given(st.lists(WORDS | st.text(st.sampled_from(string.printable), max_size=24)).map("".join))
def test_words_marks_and_special_tokens_side_by_side_are_cut_as_the_package_cuts_them(text: str) -> None:
    assert TOKENIZER.ids(text) == ids_by_package(PACKAGE, text)


@pytest.mark.parametrize("text", ["café", "ΣΑΣ", "日本 walk", "ﬁn", "a\u200bb"])
def test_other_text_is_cut_by_the_package(text: str) -> None:
    assert TOKENIZER.ids(text) == ids_by_package(PACKAGE, text)


def test_a_lone_surrogate_is_no_error() -> None:
    assert TOKENIZER.ids("walk \ud800") == ids_by_package(PACKAGE, "walk ?")


@pytest.mark.parametrize(
    "changes",
    [
        {"normalizer": BertNormalizer(lowercase=False)},
        {"pre_tokenizer": Whitespace()},
        {"post_processor": BertProcessing(("[SEP]", 3), ("[CLS]", 2))},
    ],
    ids=["cased", "words only", "another template"],
)
def test_a_tokenizer_of_another_kind_does_as_its_own_file_says(changes: dict[str, Any]) -> None:
    package = published(**changes)
    tokenizer = WordPiece(package.to_str().encode())
    assert (tokenizer.first, tokenizer.last) == (2, 3)
    for text in ("Walking, the PARTS!", "a_b", "aqa"):
        assert tokenizer.ids(text) == ids_by_package(package, text)


def test_a_template_without_two_special_tokens_is_refused() -> None:
    fields = json.loads(PACKAGE.to_str())
    fields["post_processor"] = None
    with pytest.raises(ModelError, match="two special tokens"):
        WordPiece(json.dumps(fields).encode())


def test_plain_text_does_not_load_the_package(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(PACKAGE.to_str(), encoding="utf-8")
    code = (
        "import pathlib, sys; from quire.embedding.wordpiece import WordPiece; "
        "WordPiece(pathlib.Path(sys.argv[1]).read_bytes()).ids('walk the part'); "
        "print('tokenizers' in sys.modules)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "tokenizer.json")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == "False"


@pytest.mark.parametrize("layout", [{"indent": 1}, {"separators": (", ", ": ")}, {"sort_keys": True}])
def test_a_file_of_another_layout_is_read_too(layout: dict[str, Any]) -> None:
    fields = json.loads(PACKAGE.to_str())
    tokenizer = WordPiece(json.dumps(fields, **layout).encode())
    assert tokenizer.ids('walking "parts"') == ids_by_package(PACKAGE, 'walking "parts"')
