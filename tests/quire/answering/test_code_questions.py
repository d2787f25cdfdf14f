"""What is asked of a symbol in code: what it is set to, which errors it gives, how it is tested, what it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quire.answering.answerer import answer
from quire.answering.extractive.code_answers import error_lines, statements_in
from quire.answering.extractive.code_lines import value_line
from quire.answering.extractive.extractive import choose_quotes
from quire.answering.extractive.messages import message_of
from quire.answering.extractive.precedence import is_test
from quire.answering.extractive.scoring import score_passages
from quire.answering.extractive.weighing import weigh
from quire.answering.findings import AskedCollection
from quire.answering.refusing import near_topics
from quire.answering.request import Inquiry
from quire.documents import Chunk
from quire.search.query import read_question
from tests.support.answer_checks import problems
from tests.support.shelves import chunk, code, hit_of, pages, shelf_of

PUSH_HEAD = """\
# Push many jobs at once.
def push_jobs(jobs)
  raise ArgumentError, "jobs must be a list" unless jobs.is_a?(Array)
"""
PUSH_REST = """\
  jobs.each do |job|
    # raise what is wrong with it
    raise ArgumentError, "a job has no name" unless job.name
  end
  send(jobs)
"""
LIMITS = "LONGEST_NAME = 64\nMAX_SPARE_JOBS = 10_000\n"


def calling(one: Chunk, *names: str) -> Chunk:
    """The chunk as one that refers to these names."""
    return one._replace(metadata={**one.metadata, "calls": names})


def text_of(shelf: AskedCollection, question: str) -> str:
    given = answer(shelf, Inquiry(question))
    assert problems(given) == []
    return given.text


def test_errors_of_a_function_are_those_of_its_whole_body() -> None:
    head, rest = (
        code("push.rb", PUSH_HEAD, "push_jobs", 1),
        code("push.rb", PUSH_REST, "push_jobs", 4, named=False),
    )
    other = code("other.rb", "def push_job(job)\n  push_jobs([job])\nend\n", "push_job", 1)
    text = text_of(shelf_of([head, rest, other], profile="code"), "Which errors does push_jobs raise?")
    assert text.startswith("`push_jobs`, push.rb:2-3 [1]")
    assert '"a job has no name"' in text
    assert "send(jobs)" not in text.partition("other.rb")[0]


@pytest.mark.parametrize(
    "question", ["What is the default of MAX_SPARE_JOBS?", "What is the default of max_spare_jobs?"]
)
def test_a_value_is_read_where_it_is_set_though_that_was_not_found(question: str) -> None:
    using = [
        code(f"use{n}.rb", f"def trim_{n}\n  drop(spare, MAX_SPARE_JOBS)\nend\n", f"trim_{n}", 1)
        for n in range(12)
    ]
    limits = code("limits.rb", LIMITS, "LONGEST_NAME", 1, kind="module")
    limits = limits._replace(symbols=("LONGEST_NAME", "MAX_SPARE_JOBS"))
    text = text_of(shelf_of([*using, limits], profile="code"), question)
    assert text.startswith("`MAX_SPARE_JOBS`, limits.rb:2 [1]\n\n```ruby\nMAX_SPARE_JOBS = 10_000\n```")


@pytest.mark.parametrize(
    ("question", "line"),
    [
        (
            "How large may the water of a boiler be if nothing is set?",
            "const DefaultMaxWaterSize int64 = 32 << 20",
        ),
        ("What is STEAM_WHISTLE_TIMEOUT set to?", "STEAM_WHISTLE_TIMEOUT = 5"),
        ("How long does a steam whistle wait by default?", "STEAM_WHISTLE_TIMEOUT = 5"),
    ],
)
def test_how_much_is_told_by_the_line_that_sets_it_though_its_name_says_it_otherwise(
    question: str, line: str
) -> None:
    language = "go" if line.startswith("const") else "ruby"
    limits = code(f"boiler.{language}", f"{line}\n", "boiler", 1, kind="module")
    limits = limits._replace(metadata={**limits.metadata, "lang": language})
    text = "def fill_boiler(boiler)\n  # the whistle may wait, large as its default is set\n  boiler.fill(9)\nend\n"
    using = code("fill.rb", text, "fill_boiler", 1)
    told = text_of(shelf_of([using, limits], profile="code"), question)
    assert line in told.partition("[2]")[0]


SETTINGS = """\
### `max_idle_jobs`

**Default:** `4`

How many jobs may wait for nothing.

### `max_spare_jobs`

**Default:** `20`

How many jobs are kept in reserve.

### `spare_queue`

**Default:** `"reserve"`

The queue that jobs kept in reserve lie in.
"""


def test_a_setting_is_told_by_the_page_that_documents_it_and_by_no_example() -> None:
    page = chunk("docs/settings.md", SETTINGS, lang="markdown", kind="section", heading="Settings")
    trial = code("examples/spare.rb", "max_spare_jobs = 1\n", "spare", 1, kind="module")
    trial = trial._replace(metadata={**trial.metadata, "role": "example"})
    question = "What is the default value of max_spare_jobs?"
    text = text_of(shelf_of([trial, page], profile="code"), question)
    assert text.startswith(
        "**max_spare_jobs**\n\n**Default:** `20`\n\nHow many jobs are kept in reserve. [1]"
    )
    assert "max_spare_jobs = 1" not in text
    limits = code("limits.rb", LIMITS, "MAX_SPARE_JOBS", 1, kind="module")
    text = text_of(shelf_of([trial, page, limits], profile="code"), question)
    assert text.startswith("**max_spare_jobs**")
    assert "MAX_SPARE_JOBS = 10_000" in text


@pytest.mark.parametrize(
    "question",
    ["What does spare_queue do?", "How do I set spare_queue?", "Which values can spare_queue take?"],
)
def test_what_a_question_names_and_says_little_beside_is_told_by_its_own_section(question: str) -> None:
    page = chunk("docs/settings.md", SETTINGS, lang="markdown", kind="section", heading="Settings")
    using = code("keep.rb", "def keep(job)\n  push(spare_queue, job)\nend\n", "keep", 1)
    assert text_of(shelf_of([using, page], profile="code"), question).startswith("**spare_queue**")
    defining = code(
        "keep.rb", "# Names the queue of spare jobs.\ndef spare_queue\n  @queue\nend\n", "spare_queue", 1
    )
    text = text_of(shelf_of([defining, page], profile="code"), "What does spare_queue do?")
    assert text.startswith("`spare_queue`, keep.rb")


def test_an_example_in_a_comment_sets_no_value_and_gives_no_error() -> None:
    example = "/**\nHow long a pump waits.\n\npump = make(\nmax_wait: 5000,\n)\nthrow Error()\n*/\n"
    assert value_line("What is the default max wait?", example) is None
    assert error_lines(example) is None
    assert value_line("What is the default max wait?", f"{example}max_wait = 300\n") is not None


def test_tests_come_first_where_it_is_asked_how_something_is_tested() -> None:
    said = "# push_jobs is tested, tested and tested.\n"
    source = code("push.rb", said + PUSH_HEAD, "push_jobs", 1)
    trial = "def test_push_jobs\n  assert push_jobs([job])\nend\n"
    tests = code("test/push_test.rb", trial, "test_push_jobs", 1)
    shelf = shelf_of([source, tests], profile="code")
    assert "test/push_test.rb" in text_of(shelf, "How is push_jobs tested?").partition("[1]")[0]
    assert "`push_jobs`, push.rb" in text_of(shelf, "What does push_jobs do?").partition("[1]")[0]


def test_a_definition_that_is_one_chunk_is_shown_to_its_end_where_it_is_asked_what_it_does() -> None:
    body = "".join(f"  worker_{n}.take(jobs.shift) if jobs.any? # of kind {n}\n" for n in range(32))
    long = code("push.rb", f"def push_jobs(jobs)\n{body}  jobs.clear\nend\n", "push_jobs", 1)
    assert "  jobs.clear" in text_of(shelf_of([long], profile="code"), "What does push_jobs do?")


def test_a_definition_is_shown_to_its_end_where_it_is_asked_how_it_works() -> None:
    body = "".join(f"  worker_{n}.take(jobs.shift) if jobs.any? # of kind {n}\n" for n in range(32))
    long = code("push.rb", f"def push_jobs(jobs)\n{body}  jobs.clear\nend\n", "push_jobs", 1)
    shelf = shelf_of([long], profile="code")
    assert "  jobs.clear" in text_of(shelf, "How does a worker take jobs of kind 3?")
    assert "  jobs.clear" not in text_of(shelf, "Why do jobs have a worker of kind 3?")


def spec(n: int, folder: str = "spec") -> Chunk:
    made = code(f"{folder}/push_{n}_spec.rb", f"it 'pushes {n}' do\n  push_jobs([{n}])\nend\n", "", 1)
    return made._replace(metadata={**made.metadata, "is_test": True}, symbols=())


def test_where_the_tests_are_is_told_by_folders() -> None:
    source = code("push.rb", PUSH_HEAD, "push_jobs", 1)
    shelf = shelf_of([source, *(spec(n) for n in range(3)), spec(9, "app/integration/specs")], profile="code")
    assert text_of(shelf, "Where are the unit tests?") == (
        "Tests stand in:\n\n- `spec`: 3 files, such as `spec/push_2_spec.rb` [1]\n"
        "- `app/integration/specs`: one file, `app/integration/specs/push_9_spec.rb` [2]"
    )
    assert "`spec`" not in text_of(shelf, "Where are the integration tests?")
    many = shelf_of([spec(n, f"part{n}") for n in range(9)], profile="code")
    assert text_of(many, "Which test files are there?").endswith("\n- and 3 files in 3 more folders")
    assert "Tests stand in" not in text_of(shelf, "Where are the tests of push_jobs?")
    assert "Tests stand in" not in text_of(shelf_of([source], profile="code"), "Where are the tests?")


def test_a_test_among_other_code_is_a_test_in_answers() -> None:
    source = code("src/push.rs", "fn push_jobs(jobs: Jobs) {\n    queue.add(jobs);\n}\n", "push_jobs", 1)
    text = "#[test]\nfn three_jobs() {\n    push_jobs(three());\n}\n"
    test = code("src/push.rs", text, "three_jobs", 9)
    test = test._replace(metadata={**test.metadata, "role": "test"})
    assert (is_test(source), is_test(test)) == (False, True)
    shelf = shelf_of([source, test], profile="code")
    told = "Tests stand in:\n\n- `src`: one file, `src/push.rs` [1]"
    assert text_of(shelf, "Where are the unit tests?") == told


def test_where_an_error_comes_from_is_told_with_its_condition() -> None:
    error = code(
        "errors.rb", "# A job that is none.\nclass NoJobError < Error\nend\n", "NoJobError", 1, kind="class"
    )
    catching = "def run\n  push_jobs\nrescue NoJobError\n  stop\nend\n"
    raising = "def check(job)\n  take(job)\n  if job.name.nil?\n    raise NoJobError, job\n  end\nend\n"
    shelf = shelf_of(
        [error, code("a.rb", catching, "run", 1), code("b.rb", raising, "check", 1)], profile="code"
    )
    text = text_of(shelf, "When is NoJobError raised?")
    assert text.index("if job.name.nil?") < text.index("rescue NoJobError")


NO_LID = """\
def check_lid(pot)
  if pot.lid.nil?
    raise NoLidError, "the pot has no lid"
  end
end
"""


@pytest.mark.parametrize(
    "question",
    [
        "Why do I get a NoLidError?",
        "Why does my kitchen fail with NoLidError?",
        "What causes the NoLidError exception?",
        "How do I fix NoLidError?",
        "Why is NoLidError raised?",
    ],
)
def test_why_somebody_gets_an_error_is_told_by_pages_and_by_the_code_that_gives_it(question: str) -> None:
    error = code("errors.rb", "class NoLidError < StandardError\nend\n", "NoLidError", 1, kind="class")
    caught = code("cook.rb", "def cook(pot)\n  check_lid(pot)\nrescue NoLidError\n  wait\nend\n", "cook", 1)
    checking = code("lid.rb", NO_LID, "check_lid", 1)
    trial = code("spec/lid_spec.rb", "def test_lid\n  raise NoLidError\nend\n", "test_lid", 1)
    trial = trial._replace(metadata={**trial.metadata, "is_test": True})
    page = chunk(
        "docs/lids.md",
        "## Lids\n\nA NoLidError means: put a lid on the pot.",
        lang="markdown",
        kind="section",
    )
    text = text_of(shelf_of([error, caught, trial, checking], profile="code"), question)
    assert text.startswith("`check_lid`, lid.rb:1-5 [1]")
    assert "class NoLidError" in text
    assert "rescue" not in text
    assert "lid_spec" not in text
    text = text_of(shelf_of([error, caught, checking, page], profile="code"), question)
    assert text.startswith("**Lids**\n\nA NoLidError means: put a lid on the pot. [1]\n\n`check_lid`")


def test_why_somebody_gets_what_is_no_error_is_told_as_before() -> None:
    size = code("size.rb", "class Size\nend\n", "Size", 1, kind="class")
    making = code("make.rb", "def size_of(pot)\n  return Size.new(pot)\nend\n", "size_of", 1)
    text = text_of(shelf_of([size, making], profile="code"), "Why do I get a Size?")
    assert text.startswith("`Size`, size.rb")


def test_an_interface_that_declares_a_method_does_not_call_it() -> None:
    fill = code("tank.go", "func (t *Tank) FillTank(lid Lid) error {\n\treturn nil\n}\n", "FillTank", 1)
    tanks = code(
        "tanks.go", "type Tanks interface {\n\tFillTank(lid Lid) error\n}\n", "Tanks", 1, kind="type"
    )
    using = code("run.go", "func run(t Tanks) {\n\tt.FillTank(Lid{})\n}\n", "run", 1)
    text = text_of(shelf_of([fill, tanks, calling(using, "FillTank")], profile="code"), "Who calls FillTank?")
    assert text.startswith("`run`, run.go")
    assert "tanks.go" not in text


def test_what_is_called_without_brackets_is_found_by_its_callers() -> None:
    build = code("push.rb", "def build_url\n  root\nend\n", "build_url", 1)
    calls = code("a.rb", "def fetch\n  get(build_url())\nend\n", "fetch", 1)
    calls = calls._replace(metadata={**calls.metadata, "calls": ("get", "build_url")})
    bare = code("b.rb", "def copy\n  make(build_url, true)\nend\n", "copy", 1)
    noted = code("c.rb", "# Not build_url.\ndef other\n  root\nend\n", "other", 1)
    text = text_of(shelf_of([build, calls, bare, noted], profile="code"), "What calls build_url?")
    assert "a.rb" in text
    assert "b.rb" in text
    assert "c.rb" not in text


@pytest.mark.parametrize(
    ("question", "text", "around"),
    [
        ("What is the default adapter?", "self.default_options = {}\nself.default_adapter = :net_http", ""),
        ("What is the default maximum size?", "size_of_all = 1\nmaxSize = 2048", ""),
        ("What is the default size of the pool?", "NAME = 'x'\nSIZE = 10", "pool.rb › Pool"),
    ],
)
def test_a_value_is_found_by_what_its_line_is_called(question: str, text: str, around: str) -> None:
    found = value_line(question, text, around=around)
    assert found is not None
    assert text[slice(*found[1:])] == text.splitlines()[-1]


def test_an_error_is_shown_with_all_of_its_message() -> None:
    text = "def f(a)\n  b = a\n  raise(\n    Problem,\n    'none'\n  )\nend\n"
    assert text[slice(*error_lines(text) or (0, 0))].endswith("'none'\n  )")


def test_a_key_in_a_question_means_the_class_that_is_called_so() -> None:
    index = shelf_of(
        [code("push.rb", "class PushJobs\nend\n", "PushJobs", 1, kind="class")], profile="code"
    ).index
    assert read_question("How does push_jobs work?", index, heading_weight=0.0).names == ("pushjobs",)
    assert read_question("How does push_all work?", index, heading_weight=0.0).names == ()


def test_the_errors_of_what_is_called_like_a_word_are_its_own() -> None:
    shelf = shelf_of([code("push.rb", PUSH_HEAD.replace("push_jobs", "push"), "push", 1)], profile="code")
    assert text_of(shelf, "What errors can push raise?").startswith("`push`, push.rb:2-3 [1]")


def test_a_caller_is_shown_without_what_closes_its_class() -> None:
    build = code("push.rb", "def build_url\n  root\nend\n", "build_url", 1)
    last = code("a.rb", "    def fetch\n      get(build_url())\n    end\n  end\nend\n", "fetch", 7)
    last = last._replace(metadata={**last.metadata, "calls": ("get", "build_url")})
    assert "a.rb:7-9 [1]" in text_of(shelf_of([build, last], profile="code"), "What calls build_url?")


def opening_of(question: str, first: Chunk, other: Chunk) -> Chunk:
    """What an answer opens with where the search found `first` first, and `other` has a little more of the words."""
    asked = weigh(question, shelf_of([first, other], profile="code").index)
    found = [hit_of(first, 1, cosine=None), hit_of(other, 2, cosine=None)]
    scored = score_passages(asked, found, None, None)
    scored = [replace(one, score=4.0 if one.hit.rank == 1 else 5.5) for one in scored]
    return choose_quotes(asked, scored)[0].hit.chunk


def test_how_something_works_is_told_by_what_does_it_and_not_by_what_hands_it_on() -> None:
    body = "".join(f"  # Of line {n}.\n  total += line[{n}].ord * {n}\n" for n in range(6))
    does = code("sums.rb", f"def checksum(lines)\n  total = 0\n{body}  total\nend\n", "checksum", 5)
    hands = code("sums.rb", "def sum_of(task)\n  checksum(task)\nend\n", "sum_of", 1)
    hands = hands._replace(metadata={**hands.metadata, "calls": ("checksum",)})
    assert opening_of("How is the sum of a task computed?", does, hands) == does
    assert opening_of("Which sum has a task?", does, hands) == hands


CARGO = '[dependencies]\nlog4rs = "1.2.0"\nlog4rs-extra = "0.3"\n'
POM = """\
<log4j.version>2.24</log4j.version>
<artifactId>log4j-core</artifactId>
<version>${log4j.version}</version>
"""
QUEUE = """\
class Queue < Store
  def pop
    raise EmptyError, "no job is left to take" if empty?
    ENV.fetch("QUEUE_WAIT_SECONDS")
  end
end
"""
USED = "import type { Queue } from './queue'\nextension Queue { }\n"
PATIENT = "class PatientQueue < Queue\n  def pop = super || sleep\nend\n"


def shelf_of_files() -> AskedCollection:
    def window(path: str, text: str, lang: str) -> Chunk:
        lines = {"start_line": 1, "end_line": text.count("\n")}
        return chunk(path, text, 1, lang=lang, kind="window", is_test=False, **lines)

    tries = 'it "takes" do\n  queue.pop # "no job is left to take"\n  ENV["QUEUE_WAIT_SECONDS"] = "1"\nend\n'
    used = 'log4rs::init();\nlog4rs::config("1.0");\n'
    return shelf_of(
        [
            window("Cargo.toml", CARGO, "toml"),
            window("pom.xml", POM, "text"),
            code("main.rb", used, "main", 1),
            code("another.ts", USED, "Queue", 1, kind="module"),
            code("queue.rb", QUEUE, "Queue", 1, kind="class"),
            code("patient.rb", PATIENT, "PatientQueue", 1, kind="class"),
            code("test/queue_test.rb", tries, "takes", 1, kind="test"),
            code(
                "test/pop_test.rb",
                "it 'pops from the Queue' do\n  Queue.new.pop\nend\n",
                "pops",
                1,
                kind="test",
            ),
        ],
        profile="code",
    )


@pytest.mark.parametrize(
    ("question", "opening", "line"),
    [
        ("Which version of log4rs does it depend on?", "Cargo.toml:2", 'log4rs = "1.2.0"'),
        ("What version of log4j-core is used?", "pom.xml:1", "<log4j.version>2.24"),
        ('Where is the error "no job is left to take" raised?', "`Queue`, queue.rb", "raise EmptyError"),
        ("Where is QUEUE_WAIT_SECONDS read?", "`Queue`, queue.rb", 'ENV.fetch("QUEUE_WAIT_SECONDS")'),
        ("Which classes extend Queue?", "`PatientQueue`, patient.rb:1", "class PatientQueue < Queue"),
        ("Which attributes has Queue?", "`Queue`, queue.rb", "class Queue < Store"),
        ("Where are the tests of Queue?", "`takes`, test/queue_test.rb", 'it "takes"'),
    ],
)
def test_lines_that_hold_what_a_question_gives_open_the_answer(
    question: str, opening: str, line: str
) -> None:
    text = text_of(shelf_of_files(), question)
    assert text.startswith(opening)
    assert line in text


GLAZE = """\
def glaze(pot, kiln):
    if not kiln.is_hot:
        raise KilnError(
            f"the kiln {kiln.name!r} has only {kiln.heat} degrees, "
            "which melts no glaze"
        )
"""
POTS = """\
func (s *Store) pots(shelf string) error {
    return fmt.Errorf("no pot of size %d stands on shelf %q: %w", s.size, shelf, s.err)
}
"""
TRACE = "Traceback (most recent call last):\n  File 'oven.py', line 3, in main\n    glaze(pot, kiln)\n"
CLAY = """\
function clay($name) {
    throw new ClayError('Could not knead ' . $name . ' without water');
}
"""


@pytest.mark.parametrize(
    ("pasted", "opening"),
    [
        ("the kiln 'north-2' has only 310 degrees, which melts no glaze", "`glaze`, glaze.py"),
        ('I get "no pot of size 12 stands on shelf "b/7": it is empty", why?', "`pots`, pots.go"),
        ("What causes this error: Could not knead /srv/red-clay without water", "`clay`, clay.php"),
        (
            f"{TRACE}oven.KilnError: the kiln 'west' has only 9 degrees, which melts no glaze",
            "`glaze`, glaze.py",
        ),
    ],
)
def test_a_pasted_message_is_told_by_the_string_that_it_is_made_of(pasted: str, opening: str) -> None:
    shelf = shelf_of(
        [
            code("glaze.py", GLAZE, "glaze", 1),
            code("pots.go", POTS, "pots", 1),
            code("clay.php", CLAY, "clay", 1),
            code("tests/glaze_test.py", GLAZE.replace("def glaze", "def test_glaze"), "test_glaze", 1),
            code("knead.py", "def knead(pot):\n    return pot.kiln.without(water)\n", "knead", 1),
        ],
        profile="code",
    )
    text = text_of(shelf, pasted)
    assert text.startswith(opening)


@pytest.mark.parametrize(
    "question", ["How do I knead without water?", "What has only degrees which melts no glaze"]
)
def test_a_question_is_no_message(question: str) -> None:
    assert message_of(question) is None


KILN = "class Kiln\n  def heat\n    fire\n  end\nend\n"
ABOUT = "# This class is defined where the Kiln class is: a class defined for each Kiln.\nclass Shelf\nend\n"


@pytest.mark.parametrize(
    "question",
    [
        "Where is the class Kiln defined?",
        "where is class Kiln",
        "Where is the Kiln class?",
        "Show me the Kiln class",
        "Where can I find the Kiln class?",
        "Which file defines Kiln?",
    ],
)
def test_a_definition_is_shown_however_much_others_say_of_classes(question: str) -> None:
    often = [
        code(f"shelf{n}.rb", ABOUT.replace("Shelf", f"Shelf{n}"), f"Shelf{n}", 1, kind="class")
        for n in range(8)
    ]
    kiln = code("kiln/body.rb", KILN, "Kiln", 1, kind="class")
    heat = code(
        "kiln/body.rb", "def heat_class\n  # the Kiln class is defined above\nend\n", "Kiln.heat_class", 9
    )
    given = answer(shelf_of([*often, kiln, heat], profile="code"), Inquiry(question))
    assert given.citations[0].quote.startswith("class Kiln")


def test_of_many_definitions_of_a_name_all_heads_are_shown() -> None:
    fire = "# Fires it.\ndef fire(heat,\n         hours)\n  burn(heat)\nend\n"
    kinds = [
        code(f"{name}.rb", fire, f"{name}.fire", 1, kind="method")
        for name in ("Kiln", "Oven", "Stove", "Grill")
    ]
    tested = code("test_fire.rb", fire, "TestFire.fire", 1, kind="method")
    named = [one._replace(symbols=(*one.symbols, "fire")) for one in (*kinds, tested)]
    text = text_of(shelf_of(named, profile="code"), "Where is fire defined?")
    assert [f"`{name}#fire`" in text for name in ("Kiln", "Oven", "Stove", "Grill", "TestFire")] == [
        True
    ] * 4 + [False]
    assert text.count("hours)") == 4
    assert "burn" not in text
    assert "burn" in text_of(shelf_of(named[:3], profile="code"), "Where is fire defined?")


@pytest.mark.parametrize("name", ["Pump::Oil#fill", "Pump.Oil.fill", "Pump::Oil.fill"])
def test_a_method_of_ruby_is_shown_as_ruby_writes_it_and_found_by_either_form(name: str) -> None:
    fill = code("oil.rb", "def fill(litres)\n  @amount += litres\nend\n", "Pump.Oil.fill", 3, kind="method")
    waste = code("waste.rb", "def self.drain\n  open_all\nend\n", "Pump.Waste.drain", 3)
    shelf = shelf_of([fill, waste], profile="code")
    assert text_of(shelf, f"What does {name} do?").startswith("`Pump::Oil#fill`, oil.rb:3")
    assert text_of(shelf, "Where is Pump.Waste.drain defined?").startswith("`Pump::Waste.drain`, waste.rb:3")


def test_sections_that_a_refusal_names_are_spelled_as_their_language_does() -> None:
    drain = code("waste.rb", "def drain\n  open_all\nend\n", "Pump.Waste.drain", 3)
    assert near_topics([hit_of(drain)]) == ["waste.rb › Pump::Waste#drain"]


def test_beside_the_definition_of_what_is_asked_about_stands_no_code_that_only_uses_it() -> None:
    wrap = "function wrap (pump) {\n  return pump.then(fill, drain)\n}\n"
    gives = "module.exports = wrap\n"
    tries = "'use strict'\n\nconst { test } = require('test')\nconst wrap = require('../wrap')\n"
    uses = "function start (pump) {\n  const waiting = wrap(pump)\n  return waiting.done()\n}\n"
    parts = [
        ("wrap.js", wrap, "wrap", 3, "function"),
        ("wrap.js", gives, "module.exports", 7, "variable"),
        ("start.js", uses, "start", 1, "function"),
        ("test/wrap.test.js", tries, "wrap", 1, "module"),
    ]
    made = [code(path, text, name, line, kind=kind) for path, text, name, line, kind in parts]
    shelf = shelf_of([*made, *pages(6)], profile="code")
    given = answer(shelf, Inquiry("What does `wrap` do?"))
    assert [one.quote for one in given.citations] == [wrap.rstrip()]


def test_what_is_handed_over_is_used_and_a_variable_of_the_name_is_not() -> None:
    handed = "def serve(handler)\n  wrap(:plain, partial(run_job, handler))\nend\n"
    variable = "def count(jobs)\n  run_job = jobs.first\n  puts run_job\nend\n"
    shelf = shelf_of(
        [
            code("run.rb", "def run_job(job)\n  job.call\nend\n", "run_job", 1),
            code("call.rb", "def again(job)\n  run_job(job)\nend\n", "again", 1),
            code("serve.rb", handed, "serve", 1),
            code("count.rb", variable, "count", 1),
        ],
        profile="code",
    )
    text = text_of(shelf, "Who calls run_job?")
    assert "call.rb" in text
    assert "serve.rb" in text
    assert "count.rb" not in text


def test_errors_are_told_of_what_a_function_hands_its_work_to() -> None:
    wrapper = "def fire(pot)\n  Kiln.new.take_in(pot)\nend\n"
    taking = "def take_in(pot)\n  weigh(pot)\nend\n"
    weighing = 'def weigh(pot)\n  raise TooHeavy, "the pot is too heavy" if pot.weight > 9\nend\n'

    shelf = shelf_of(
        [
            calling(code("fire.rb", wrapper, "fire", 1), "take_in"),
            calling(code("kiln.rb", taking, "take_in", 1), "weigh"),
            code("kiln.rb", weighing, "weigh", 10),
            code("other.rb", 'def other\n  raise Cold, "it is cold"\nend\n', "other", 1),
        ],
        profile="code",
    )
    text = text_of(shelf, "Which errors does fire() raise?")
    assert text.startswith("`weigh`, kiln.rb")
    assert "the pot is too heavy" in text


@pytest.mark.parametrize(
    ("line", "gives"),
    [
        ("return ErrNoPot.Wrap(err)", True),
        ("return &HTTPError{Code: 415}", True),
        ("return NewHTTPError(404)", True),
        ("if errors.As(err, &known) {", False),
        ("class HeatError(Exception):", False),
        ("return pot", False),
    ],
)
def test_an_error_is_given_as_a_value_too(line: str, gives: bool) -> None:
    assert bool(error_lines(f"{line}\n")) is gives


def test_what_does_the_work_stands_beside_what_only_hands_it_on() -> None:
    wrapper = (
        "# Fires a pot.\ndef fire(pot,\n         heat: 900)\n  Logger.note(pot)\n  take_in(pot, heat)\nend\n"
    )
    taking = "def take_in(pot, heat)\n  open_door\n  pot.place\n  close_door\n  burn(heat)\nend\n"
    noting = "def note(pot)\n  file = open_log\n  file.write(pot)\n  file.close\n  pot\nend\n"

    shelf = shelf_of(
        [
            calling(code("fire.rb", wrapper, "fire", 1), "note", "take_in"),
            code("fire.rb", taking, "take_in", 10),
            code("logger.rb", noting, "note", 1),
            code("other.rb", "def other\n  1\nend\n", "other", 1),
        ],
        profile="code",
    )
    for question in ("What does fire() do?", "How does it happen that a pot fires with a heat of 900?"):
        text = text_of(shelf, question)
        assert text.startswith("`fire`, fire.rb")
        assert "burn(heat)" in text
        assert "open_log" not in text


def test_what_a_function_calls_for_a_part_of_its_work_stands_beside_it() -> None:
    fire = "def fire_kiln(pots)\n  open_lid\n  stacked = sort_by_glaze(pots)\n  heat(stacked)\n  log\nend\n"
    step = (
        "def sort_by_glaze(pots)\n  dull = pots.reject(&:shiny)\n  shiny = pots - dull\n  shiny + dull\nend\n"
    )
    shared = "def heat(stacked)\n  turn = 1\n  burn(turn)\n  wait(stacked)\nend\n"
    shelf = shelf_of(
        [
            calling(code("kiln.rb", fire, "fire_kiln", 1), "sort_by_glaze", "heat"),
            code("kiln.rb", step, "sort_by_glaze", 9),
            code("kiln.rb", shared, "heat", 19),
            calling(code("oven.rb", "def bake(bread)\n  heat(bread)\nend\n", "bake", 1), "heat"),
            *pages(6),
        ],
        profile="code",
    )
    text = text_of(shelf, "How does fire_kiln work?")
    assert text.index("open_lid") < text.index("shiny + dull")
    assert "burn(turn)" not in text
    assert "shiny + dull" not in text_of(shelf, "Where is fire_kiln defined?")


def test_the_errors_of_a_class_are_those_of_its_constructor() -> None:
    head = "# A box that fires pots.\nclass Kiln\n  HOT = 900\nend\n"
    making = 'def initialize(heat)\n  raise ArgumentError, "too hot" if heat > HOT\n  @heat = heat\nend\n'
    other = 'def initialize(heat)\n  raise ArgumentError, "no glass" unless heat\nend\n'
    shelf = shelf_of(
        [
            code("kiln.rb", head, "Kiln", 1, kind="class"),
            code("kiln.rb", making, "Kiln.initialize", 6, kind="method"),
            code("oven.rb", other, "Oven.initialize", 6, kind="method"),
            code("use.rb", "def use\n  Kiln.new(800) # which heat Kiln takes and checks\nend\n", "use", 1),
            *pages(6),
        ],
        profile="code",
    )
    for question in ("Which errors does Kiln raise?", "Which heat does Kiln refuse?"):
        text = text_of(shelf, question)
        assert '"too hot"' in text.partition("[2]")[0]
        assert "no glass" not in text.partition("[2]")[0]


def test_what_is_filtered_out_is_not_shown_beside_what_hands_its_work_to_it() -> None:
    taking = "def take_in(pot)\n  open_door\n  pot.place\n  close_door\n  burn\nend\n"
    shelf = shelf_of(
        [
            calling(code("fire.rb", "def fire(pot)\n  take_in(pot)\nend\n", "fire", 1), "take_in"),
            code("kiln.rb", taking, "take_in", 1),
        ],
        profile="code",
    )
    given = answer(shelf, Inquiry("What does fire() do?", filters={"path": "fire.rb"}))
    assert {one.hit.chunk.document_id for one in given.citations} == {"fire.rb"}
    whole = answer(shelf, Inquiry("What does fire() do?"))
    assert {one.hit.chunk.document_id for one in whole.citations} == {"fire.rb", "kiln.rb"}


def test_statements_of_a_function_are_counted_without_its_signature() -> None:
    text = "def f(\n    a,\n    b,\n):\n    # why\n    return g(\n        a,\n        b,\n    )\n"
    assert statements_in(code("f.py", text, "f", 1)) == 1


def test_errors_are_asked_of_a_function_by_the_words_of_its_name() -> None:
    text = 'def fill_pots(pots)\n  warm(pots)\n  raise TooFull, "too full" if pots.full?\nend\n'
    steps = "".join(f"def warm{n}(pots)\n  pots.warm\nend\n" for n in range(9))
    shelf = shelf_of(
        [code("fill.rb", text, "fill_pots", 1), code("warm.rb", steps, "warm0", 1)], profile="code"
    )
    assert 'raise TooFull, "too full"' in text_of(shelf, "Which errors can filling pots raise?")


def test_a_function_goes_on_behind_the_border_of_its_chunk_where_it_is_asked_how_it_works() -> None:
    head = "def count_pots(shelf)\n  pots = shelf.pots\n  total = shelf.size\n  told = read_tally(shelf)\n"
    chunks = [
        code("count.rb", head, "count_pots", 1),
        code(
            "count.rb",
            "  if told == total\n    light_lamp(shelf)\n  end\nend\n",
            "count_pots",
            5,
            named=False,
        ),
        code("lamp.rb", "def light_lamp(shelf)\n  shelf.lamp.on\nend\n", "light_lamp", 1),
    ]
    shelf = shelf_of([*chunks, *pages(6)], profile="code")
    text = text_of(shelf, "How does it happen that count_pots reads the tally of a shelf?")
    assert text.index("told = read_tally(shelf)") < text.index("if told == total")


def test_errors_that_what_is_called_gives_in_its_later_chunks_are_told_too() -> None:
    chunks = [
        calling(
            code("make.rb", "def make_kiln(plan)\n  build_kiln(plan)\nend\n", "make_kiln", 1), "build_kiln"
        ),
        code("make.rb", 'def build_kiln(plan)\n  raise "no plan" unless plan\n', "build_kiln", 5),
        code("make.rb", '  raise "no bricks" if plan.bricks == 0\nend\n', "build_kiln", 7, named=False),
    ]
    shelf = shelf_of([*chunks, *pages(6)], profile="code")
    text = text_of(shelf, "Which errors does make_kiln raise?")
    assert text.index("no plan") < text.index("no bricks")


VARIABLES = """\
variable "tank_size" {
  description = "Litres that a tank holds"
  default     = 400
}

# Who may open the valve.
variable "valve_owner" {
  description = "Can be captain, cook or nobody"
  default     = "cook"
}

variable "valve_count" {
  default = 3
}
"""


@pytest.mark.parametrize(
    "question",
    ["What does valve_owner accept?", "What is valve_owner?", "What is the default of valve_owner?"],
)
def test_of_definitions_in_one_chunk_the_one_that_is_asked_for_is_quoted(question: str) -> None:
    variables = code("variables.tf", VARIABLES, "tank_size", 1, kind="variable")
    names = ("tank_size", "valve_owner", "valve_count")
    variables = variables._replace(
        symbols=tuple(f"{holder}{name}" for name in names for holder in ("", "variables.")),
        metadata={**variables.metadata, "lang": "hcl"},
    )
    passing = code("wrap.tf", "module {\n  valve_owner = try(var.own.valve_owner, null)\n}\n", "wrap", 1)
    text = text_of(
        shelf_of([variables, *([passing] if "default" in question else [])], profile="code"), question
    )
    assert text.startswith(
        '`valve_owner`, variables.tf:6-10 [1]\n\n```hcl\n# Who may open the valve.\nvariable "valve_owner"'
    )
    assert "tank_size" not in text


def test_a_member_beside_what_holds_it_is_shown_in_it() -> None:
    text = "class Pump:\n    LIMIT = 4\n\n    def stop(self):\n        return self.LIMIT\n"
    pump = code("pump.py", text, "Pump", 1)._replace(symbols=("Pump", "Pump.LIMIT", "Pump.stop"))
    assert "class Pump:" in text_of(shelf_of([pump], profile="code"), "What does Pump.stop return?")
