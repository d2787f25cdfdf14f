from __future__ import annotations

import json
from collections.abc import Collection

import pytest

from quire.analysis.language import (
    NOTICE,
    OTHER_NOTICE,
    advice,
    capitals_are_names,
    is_foreign,
    is_unread,
    notices,
    small_terms,
)
from quire.analysis.terms import analyze
from tests.support.shared import shared_path

FOREIGN = """
¿Dónde guardo los datos del jugador?
qué sensores usa el robot
Cuánta memoria necesita la tarjeta
comment installer le pilote sur Linux
Quelle est la différence entre ces deux cartes ?
Was ist ein Regelkreis?
Wie groß ist der Arbeitsspeicher?
o que é aprendizado por reforço
por que usar Ubuntu
come si installa il driver
hoe installeer ik de driver
jak zainstalować sterownik
robot nedir
hur installerar jag drivrutinen
bagaimana cara memasang driver
làm thế nào để cài đặt
что такое датчик
كيف أثبت البرنامج
यह क्या है
ロボットとは何ですか
로봇이란 무엇입니까
机器人是什么
πώς εγκαθιστώ
איך מתקינים
Robot kya hota hai aur kaise kaam karta hai?
ROS 2 kya hai
Isaac Sim ko ROS 2 se kaise connect karte hain
mujhe sensor ke bare mein batao
donde guardo los datos
cual es la diferencia entre ROS y ROS 2
cuanto cuesta la camara
que es la inteligencia encarnada
nao sei como instalar
perche serve il sensore
robot nasil calisir
hur fungerar sensorn
""".strip().splitlines()
ENGLISH = """
What is the role of an actuator?
flex align center
die casting parameters
TouchableOpacity vs Pressable
sin and cos of the angle
de facto standard for middleware
naïve Bayes classifier
com.example.app package name
son of node
il2cpp build
se linux policy
AR and VR, or XR
uber jar with Maven
kar file in Karaf
key value store ko.js
es modules import
how do I use std::vector::push_back
self.create_timer(0.033, self.control_loop)
42
""".strip().splitlines()


@pytest.mark.parametrize("question", FOREIGN)
def test_a_question_in_another_language_is_noticed(question: str) -> None:
    assert is_foreign(question)


@pytest.mark.parametrize("question", ENGLISH)
def test_technical_english_is_left_alone(question: str) -> None:
    assert not is_foreign(question)


@pytest.mark.parametrize(
    "question", ["RemoteEvent:FireServer()", "jest --watch", "`où` est_ce_que", "", "???", "été"]
)
def test_with_fewer_than_two_words_beside_code_it_does_not_judge(question: str) -> None:
    assert not is_foreign(question)


@pytest.mark.shared
def test_six_thousand_english_questions_raise_no_alarm() -> None:
    rows = shared_path("data/beir/squad2-dev-half/queries.jsonl").read_text(encoding="utf-8").splitlines()
    assert [text for text in (json.loads(row)["text"] for row in rows) if is_foreign(text)] == []


class Shelf:
    """Chunks, and how many have a term."""

    def __init__(self, *chunks: str) -> None:
        self._chunks = [set(analyze(text)) for text in chunks]

    @property
    def chunk_count(self) -> int:
        return len(self._chunks)

    def document_frequency(self, term: str) -> int:
        return sum(term in chunk for chunk in self._chunks)

    @property
    def keywords(self) -> Shelf:
        return self

    def together(self, terms: Collection[str], least: int) -> int:
        return sum(len(chunk.intersection(terms)) >= least for chunk in self._chunks)

    @property
    def words(self) -> Shelf:
        return self

    def share_between(self, first: str, behind: str) -> float:
        known = set().union(*self._chunks)
        return sum(first <= term < behind for term in known) / len(known)


GERMAN = Shelf(
    "Die Maschine wird alle drei Monate entkalkt, und der Tank ist dann leer.",
    "Drücken Sie die Taste, wenn das Licht nicht leuchtet.",
)
RUSSIAN = Shelf(
    "Бак нужно очистить, если индикатор не горит.",
    "Кнопка находится на панели и включает насос для воды.",
)
CHINESE = Shelf("如果指示灯没有亮，可以按下按钮。", "每两个月清洗一次水箱，使用清洗剂。")
JAPANESE = Shelf("ボタンを押してから水を入れます。このタンクは大きいです。", "清掃する前には電源を切ること。")
PAGES = (
    "Das Tor bleibt offen, wenn der Sensor ausfällt, und die Anlage meldet einen Fehler.",
    "Für Reisen mit der Bahn wird die zweite Klasse erstattet.",
    "Wer krank ist, meldet sich bis neun Uhr bei der Leitung.",
)
CODE = ("def open_gate(sensor): return sensor.read()",) * 200
JEST = Shelf("Jest mocks timers.", "Run jest in the folder.", "A timer is real or not.")
DOZENS = [f"stands{chr(n)}" for n in range(97, 123)]
SCRIPTS = Shelf("var lamp = find(1)", "var hall = 2", "var shelf = 3", "A lamp for the hall.")


@pytest.mark.parametrize(
    ("question", "sources", "unread"),
    [
        ("Wie oft muss ich die Maschine entkalken?", GERMAN, False),
        ("¿Dónde guardo los datos del jugador?", GERMAN, True),
        ("How often do I descale it?", GERMAN, False),
        ("Wie oft muss ich die Maschine entkalken?", Shelf("Descale the machine every two months."), True),
        ("hur fungerar var och som?", SCRIPTS, True),
        ("jest mock timers", JEST, False),
        ("jest --watch", JEST, False),
        ("czy jest z timers?", JEST, True),
        ("jest mock timers", SCRIPTS, True),
        ("Was passiert, wenn der Sensor ausfällt?", Shelf(*CODE, *PAGES), False),
        ("Wie oft muss ich die Maschine entkalken?", Shelf(*CODE, *PAGES), False),
        ("Was passiert, wenn der Sensor ausfällt?", Shelf(*CODE, *PAGES[:2]), True),
        ("¿Dónde guardo los datos del jugador?", Shelf(*CODE, *PAGES), True),
        ("水箱容量是多少", Shelf("水箱容量为一点五升。"), False),
        ("水箱容量是多少", Shelf("The tank holds 1.5 litres.", "语言"), True),
        ("Как очистить бак?", Shelf("Как часто нужно очистить бак."), False),
        ("Назови столицу Франции", RUSSIAN, False),
        ("Назови столицу Франции", CHINESE, True),
        ("Где ключ от замка?", Shelf("Ключи лежат в ящике.", *["A lamp for the hall."] * 9), False),
        ("Где ключ от замка?", Shelf("Привет!", *[f"A lamp {word} hall." for word in DOZENS]), True),
        ("法国的首都是哪里？", CHINESE, False),
        ("法国的首都是哪里？", RUSSIAN, True),
        ("フランスの首都はどこですか", JAPANESE, False),
        ("フランスの首都はどこですか", CHINESE, True),
    ],
)
def test_a_question_is_unread_where_the_sources_do_not_have_its_language(
    question: str, sources: Shelf, unread: bool
) -> None:
    assert is_unread(question, sources) is unread


def test_who_asks_in_another_language_is_told_to_ask_in_that_of_the_sources() -> None:
    asked = "¿Dónde guardo los datos del jugador?"
    assert notices(asked, "", RUSSIAN) == (OTHER_NOTICE,)
    assert notices(asked, "", GERMAN) == (OTHER_NOTICE,)
    assert notices(asked, "", SCRIPTS) == (NOTICE,)
    assert notices(asked, "player data", SCRIPTS) == ()
    assert notices("Где лежат данные?", "", RUSSIAN) == ()


def test_who_may_name_words_of_the_sources_is_told_so_in_their_own_way() -> None:
    assert advice([NOTICE, "Something else."], "give `--terms`") == (
        "This index reads English; in another language give `--terms` too, the English names and words to look for.",
    )
    assert advice([OTHER_NOTICE], "send `terms`")[0].startswith("In another language send `terms` too")
    assert advice(["Something else."], "send `terms`") == ()


def test_small_words_are_those_of_the_questions_own_language() -> None:
    assert {"la"} < small_terms("¿Cómo cambio la rueda?")
    assert "wie" in small_terms("Wie wechsle ich den Reifen?")
    assert small_terms("die casting parameters") == frozenset()


def test_nouns_of_german_are_no_names() -> None:
    assert not capitals_are_names("Wie wechsle ich den Reifen?")
    assert capitals_are_names("Comment installer Docker ?")
    assert capitals_are_names("How do I install Docker?")
