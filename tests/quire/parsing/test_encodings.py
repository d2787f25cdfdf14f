from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.parsing.encodings import older_encoding

TEXTS = {
    "ja": "会議室の鍵は受付にあります。\n受付は午前九時から開いています。鍵を返す時は台帳に記入してください。\n",
    "zh": "仓库的钥匙在前台。前台每天上午九点开门，归还钥匙时请在登记簿上签名。\n如果没有人，请打电话。\n",
    "tw": "倉庫的鑰匙在櫃檯。櫃檯每天上午九點開門，歸還鑰匙時請在登記簿上簽名。\n如果沒有人，請打電話。\n",
    "ko": "창고 열쇠는 안내 데스크에 있습니다. 오전 아홉 시에 엽니다.\n열쇠를 돌려줄 때는 장부에 적어 주십시오.\n",
    "ru": "Ключ от склада хранится у дежурного.\nДежурный меняется каждый понедельник в девять часов.\n",
    "uk": "Ключ від складу зберігає черговий. Після роботи його треба повернути.\n",
}


@pytest.mark.parametrize(
    ("language", "codec", "name"),
    [
        ("ja", "cp932", "Shift_JIS"),
        ("ja", "euc_jp", "EUC-JP"),
        ("zh", "gb18030", "GB 18030"),
        ("tw", "big5", "Big5"),
        ("ko", "cp949", "EUC-KR"),
        ("ru", "cp1251", "Windows-1251"),
        ("ru", "koi8_r", "KOI8-R"),
        ("uk", "cp1251", "Windows-1251"),
    ],
)
def test_a_text_in_another_alphabet_tells_its_encoding(language: str, codec: str, name: str) -> None:
    text = f"# README\n\n{TEXTS[language]}" * 3
    told = older_encoding(text.encode(codec))
    assert told is not None
    assert told.name == name
    assert text.encode(codec).decode(told.codec) == text


def test_two_russian_words_are_enough() -> None:
    told = older_encoding("Ключ дежурного".encode("cp1251"))
    assert told is not None
    assert told.codec == "cp1251"


@pytest.mark.parametrize(
    "text",
    ["Die „Kühlung“ der Kamera erreicht minus 30 Grad: größer, kälter, öfter.", "Où ça? Là-bas, à l’été."],
)
def test_a_western_text_is_none_of_them(text: str) -> None:
    assert older_encoding(text.encode("cp1252") * 20) is None


@pytest.mark.parametrize("language", TEXTS)
def test_a_damaged_place_in_utf_8_makes_it_none_of_them(language: str) -> None:
    data = TEXTS[language].encode() * 3
    assert older_encoding(data[:40] + b"\xff" + data[40:]) is None


@given(st.binary(max_size=4_000))
def test_bytes_of_any_kind_are_judged_without_an_error(data: bytes) -> None:
    told = older_encoding(data)
    assert told is None or isinstance(data.decode(told.codec, "replace"), str)
