"""The page and the widget in a real browser, over a small real collection."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from fastapi import FastAPI
from playwright.sync_api import (
    Browser,
    FloatRect,
    Locator,
    Page,
    Request,
    Route,
    ViewportSize,
    expect,
    sync_playwright,
)
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route as PageRoute

from functions.app.site import site
from quire.collections import Collection
from tests.support.corpus import api_documents
from tests.support.pages import CHROMIUM_FLAGS, chromium, running
from tests.support.served import Shelf

PAGE_BYTES, WIDGET_BYTES = 60_000, 25_000
SCREEN: ViewportSize = {"width": 1280, "height": 900}
QUESTION = "gravity in studs"
BOOK_POLICY = "default-src 'none'; style-src 'self'; script-src {quire}; connect-src {quire}"

TIMEOUTS_OF_THE_PAGES_CLOCK = """AbortSignal.timeout = (ms) => {
    const ending = new AbortController();
    setTimeout(() => ending.abort(new DOMException("", "TimeoutError")), ms);
    return ending.signal;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(CHROMIUM_FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    shelf = Shelf(tmp_path_factory.mktemp("shelf"))
    shelf.publish()
    shelf.publish("second")
    open_to_all = {"roblox": Collection("roblox", "roblox", title="the engine", options={"origins": ["*"]})}
    return shelf.app(collections=open_to_all)


@pytest.fixture(scope="module")
def quire(served: FastAPI) -> Iterator[str]:
    with running(served) as url:
        yield url


@dataclass
class Visit:
    """A page under watch."""

    page: Page
    home: str
    troubles: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    def go(self, address: str = "") -> Page:
        self.page.goto(f"{self.home}/{address}")
        return self.page


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    """One tab for all visits: opening one costs as much as what most tests do in it."""
    context = browser.new_context(viewport=SCREEN, reduced_motion="reduce")
    context.set_default_timeout(10_000)
    yield context.new_page()
    context.close()


@contextmanager
def listening(page: Page, home: str) -> Iterator[Visit]:
    """Note what the page complains of meanwhile, and where it goes."""
    visit = Visit(page, home)
    watches = {
        "console": lambda one: visit.troubles.append(one.text) if one.type in ("error", "warning") else None,
        "pageerror": lambda error: visit.troubles.append(str(error)),
        "request": lambda request: visit.hosts.add(urlsplit(request.url).netloc),
    }
    for event, note in watches.items():
        page.on(event, note)  # type: ignore[call-overload]
    try:
        yield visit
    finally:
        for event, note in watches.items():
            page.remove_listener(event, note)


@contextmanager
def watched(page: Page, home: str) -> Iterator[Visit]:
    """Whatever the page complains of meanwhile, and wherever it goes but home, is a fault."""
    with listening(page, home) as visit:
        yield visit
    assert visit.troubles == []
    assert {host for host in visit.hosts if host} <= {urlsplit(home).netloc}


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    yield tab
    leave_as_new(tab)


@pytest.fixture
def visit(page: Page, quire: str) -> Iterator[Visit]:
    with watched(page, quire) as visit:
        yield visit


def leave_as_new(tab: Page) -> None:
    """Take back what a test has set, and what the page has kept."""
    tab.unroute_all()
    tab.context.set_offline(False)
    tab.context.clear_permissions()
    tab.context.clear_cookies()
    tab.set_viewport_size(SCREEN)
    tab.emulate_media(color_scheme="null", media="null")
    if tab.url.startswith("http"):
        tab.evaluate("localStorage.clear(); sessionStorage.clear()")
    tab.goto("about:blank")


def assert_accessible(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    serious = [
        (one["id"], one["nodes"][0]["html"][:200], [why.get("message") for why in one["nodes"][0]["any"]])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == []


def test_typing_shows_marked_hits_and_the_address_follows(visit: Visit) -> None:
    page = visit.go()
    expect(page.get_by_role("heading", name="Answers you can check.")).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("/")
    page.keyboard.type(QUESTION)
    first = page.locator(".card").first
    expect(first.locator(".title")).to_have_text("Physics units")
    expect(first.locator(".place")).to_contain_text("content/en-us/guides/physics.md:3")
    expect(first.locator(".excerpt mark").first).to_be_visible()
    expect(first.locator(".badge")).to_contain_text("0.735")
    assert "q=gravity+in+studs" in page.url
    assert_accessible(page)


def test_facets_count_and_narrow_and_the_back_button_undoes_them(visit: Visit) -> None:
    page = visit.go("?c=roblox&q=Humanoid")
    box = page.get_by_role("checkbox", name="Event")
    expect(box).to_be_visible()
    number = int(
        page.locator("label.value", has=page.locator("[data-facet='member_type:Event']"))
        .locator(".number")
        .inner_text()
    )
    box.check()
    expect(page.locator(".card")).to_have_count(number)
    assert "f.member_type=Event" in page.url
    page.go_back()
    expect(page.locator(".card")).not_to_have_count(number)
    assert "f.member_type" not in page.url


def test_an_address_with_a_name_of_javascripts_own_does_not_stop_the_page(visit: Visit) -> None:
    page = visit.go("?c=roblox&f.__proto__=x&f.constructor=y")
    page.goto(f"{visit.home}/?c=roblox&q=Humanoid")
    expect(page.locator(".card").first).to_be_visible()
    assert page.locator(".card").count()


def test_a_keystroke_asks_for_few_passages_and_facets_say_what_they_count(visit: Visit) -> None:
    page = visit.go("?c=roblox")
    asked: list[int] = []

    def note(request: Request) -> None:
        if request.url.endswith("/query"):
            asked.append(json.loads(request.post_data or "{}")["top_k"])

    page.on("request", note)
    page.locator("#q").fill("Humanoid")
    expect(page.locator("#facets .basis")).to_have_text("Counts among the 12 best passages.")
    page.remove_listener("request", note)
    assert asked == [10, 1]
    page.get_by_role("button", name="Show 2 more").click()
    expect(page.locator(".card")).to_have_count(12)
    expect(page.locator(".card .title").nth(10)).to_be_focused()


def test_back_and_escape_close_a_passage_once(visit: Visit) -> None:
    page = visit.go(f"?c=roblox&q={QUESTION}")
    dialog = page.get_by_role("dialog", name="Physics units")
    for close in (page.go_back, lambda: page.keyboard.press("Escape")):
        page.locator(".card .title").first.click()
        expect(dialog).to_contain_text("196.2 studs")
        assert re.search(r"[?&]p=[0-9a-f]{16}&v=[0-9a-f]+", page.url)
        close()
        expect(dialog).to_be_hidden()
        page.wait_for_url(lambda url: "p=" not in url)
    before = page.evaluate("history.length")
    page.locator(".card .title").first.click()
    page.keyboard.press("Escape")
    page.wait_for_url(lambda url: "p=" not in url)
    assert page.evaluate("history.length") == before
    page.go_forward()
    expect(dialog).to_be_visible()
    page.reload()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.wait_for_url(lambda url: "p=" not in url)
    expect(page.locator(".card").first).to_be_visible()


@pytest.fixture
def swapped(page: Page, tmp_path: Path) -> Iterator[tuple[Page, str, Shelf]]:
    """A page over a shelf of its own, whose index a test may swap."""
    shelf = Shelf(tmp_path)
    shelf.publish()
    with running(shelf.app()) as url, watched(page, url) as visit:
        yield page, url, shelf
        visit.troubles[:] = [one for one in visit.troubles if "404" not in one]


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        ("same", "has the same text"),
        ("changed", "has another text here"),
        ("gone", "does not have it any more"),
    ],
)
def test_a_deep_link_shows_the_version_it_names_after_an_index_swap(
    swapped: tuple[Page, str, Shelf], edit: str, says: str
) -> None:
    page, home, shelf = swapped
    page.goto(f"{home}/?c=roblox&q={QUESTION}")
    page.locator(".card .title").first.click()
    dialog = page.get_by_role("dialog", name="Physics units")
    expect(dialog).to_contain_text("196.2 studs")
    link = page.url
    documents = [one for one in api_documents() if edit != "gone" or "physics" not in one.id]
    if edit == "changed":
        documents = [one._replace(text=one.text.replace("196.2", "200")) for one in documents]
    shelf.publish(documents=documents, engine="0.736.0.7360000")
    page.goto("about:blank")
    page.goto(link)
    expect(dialog).to_contain_text("196.2 studs")
    expect(dialog.locator(".note")).to_contain_text(says)
    assert_accessible(page)


def test_a_link_to_a_version_that_is_gone_shows_todays_passage_or_says_that_there_is_none(
    swapped: tuple[Page, str, Shelf],
) -> None:
    page, home, _ = swapped
    page.goto(f"{home}/?c=roblox&q={QUESTION}")
    page.locator(".card .title").first.click()
    page.wait_for_url("**p=**")
    lost = re.sub(r"v=[0-9a-f]+", "v=000000000000", page.url)
    page.goto("about:blank")
    page.goto(lost)
    dialog = page.get_by_role("dialog", name="Physics units")
    expect(dialog.locator(".note")).to_contain_text("Version 000000000000, which the link names, is not kept")
    page.goto("about:blank")
    page.goto(re.sub(r"p=[0-9a-f]+", "p=0000000000000000", lost))
    expect(page.locator("#notice")).to_contain_text("The linked passage is gone")
    assert page.locator("#passage").is_hidden()


def test_a_copied_link_carries_the_version(visit: Visit) -> None:
    page = visit.go(f"?c=roblox&q={QUESTION}")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(".card").first.get_by_role("button", name="Copy link").click()
    expect(page.locator(".card").first.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert re.search(r"[?&]p=[0-9a-f]{16}&v=[0-9a-f]+", link)


def test_control_k_leads_to_the_field_from_anywhere(visit: Visit) -> None:
    page = visit.go(f"?c=roblox&q={QUESTION}")
    expect(page.locator(".card").first).to_be_visible()
    for keys in ("Control+k", "Meta+k"):
        page.locator(".card .title").first.click()
        expect(page.locator("#passage")).to_be_visible()
        page.keyboard.press(keys)
        expect(page.locator("#passage")).to_be_hidden()
        expect(page.locator("#q")).to_be_focused()
        # The step back over the passage comes after that, and would end the visit that follows: net::ERR_ABORTED.
        page.wait_for_url(lambda url: "p=" not in url)
    visit.go("?c=roblox")
    expect(page.locator("#q")).to_be_focused()
    assert page.locator("#q").input_value() == ""


def test_an_unknown_collection_is_told_and_another_can_be_chosen(visit: Visit) -> None:
    page = visit.go("?c=rolbox&q=gravity")
    expect(page.get_by_role("heading", name="There is no collection “rolbox”.")).to_be_visible()
    assert "c=rolbox" in page.url
    page.locator("#state").get_by_role("button", name="Engine 12 documents").click()
    expect(page.locator(".card").first).to_be_visible()
    assert "c=roblox" in page.url


def test_a_long_text_is_shown_where_it_speaks_of_the_question_and_whole_when_opened(
    swapped: tuple[Page, str, Shelf],
) -> None:
    page, home, shelf = swapped
    filler = "Of other things, line after line. " * 60
    said = "Then call validateCSRFToken before every write."
    long = [one._replace(text=f"{filler}\n{said}\n{filler}") for one in api_documents()[:1]]
    shelf.publish(documents=long)
    page.goto(f"{home}/?c=roblox&q=CSRF tokens")
    expect(page.locator(".card .excerpt mark").first).to_be_visible()
    expect(page.locator(".card .excerpt")).to_contain_text(said)
    assert len(page.locator(".card .excerpt").inner_text()) < 700
    page.locator(".card .title").first.click()
    expect(page.locator("#passage .md")).to_contain_text(filler.strip())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_is_found_by_axe_in_either_theme(
    page: Page, quire: str, scheme: Literal["light", "dark"]
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{quire}/?c=roblox")
    expect(page.get_by_role("heading", name="Answers you can check.")).to_be_visible()
    assert_accessible(page)
    page.goto(f"{quire}/?c=roblox&q={QUESTION} guides&ask=1")
    expect(page.locator("#answer .cited li").first).to_be_visible()
    expect(page.locator(".card .place mark").first).to_be_visible()
    expect(page.locator("#facets .basis")).to_be_visible()
    assert page.locator("h1").count() == 1
    assert_accessible(page)
    page.locator(".card .title").first.click()
    expect(page.locator("#passage")).to_be_visible()
    assert_accessible(page)
    page.goto(f"{quire}/?c=roblox&q=gravity&plain=1")
    assert page.locator("h1").count() == 1
    assert_accessible(page)


def test_without_javascript_the_form_is_a_plain_get(browser: Browser, quire: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(quire)
    page.locator("#q").fill("gravity in studs <b>")
    page.keyboard.press("Enter")
    expect(page.locator(".card h2").first).to_have_text("Physics units")
    expect(page.locator(".card mark").first).to_be_visible()
    expect(page.locator("#q")).to_have_value("gravity in studs <b>")
    page.locator("#c").select_option("second")
    page.get_by_role("button", name="Search").click()
    assert "c=second" in page.url
    page.get_by_role("link", name="Stored text").first.click()
    assert '"state":"current"' in page.content()
    assert page.goto(f"{quire}/?plain=1&q=x&c=rolbox").status == 404  # type: ignore[union-attr]
    context.close()


def test_the_keyboard_is_enough(visit: Visit) -> None:
    page = visit.go("?c=roblox&q=gravity")
    expect(page.locator(".card").first).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".card .title").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#passage")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#passage")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#q")).to_have_value("")
    expect(page.get_by_role("heading", name="Answers you can check.")).to_be_visible()
    assert "q=" not in page.url


def test_another_collection_is_chosen_by_hand(visit: Visit) -> None:
    page = visit.go("?c=roblox&q=gravity")
    page.get_by_label("Collection").select_option("second")
    expect(page.locator("#about")).to_contain_text("Second")
    assert "c=second" in page.url


def test_nothing_overflows_on_a_phone(visit: Visit) -> None:
    visit.page.set_viewport_size({"width": 360, "height": 740})
    page = visit.go("?c=roblox&q=gravity")
    expect(page.locator(".card").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator("#facets summary").click()
    expect(page.locator("fieldset").first).to_be_visible()
    page.locator(".card .title").first.click()
    assert page.evaluate("document.querySelector('#passage').scrollWidth") <= 360


def test_a_question_that_is_asked_before_the_page_knows_its_collections_is_answered(visit: Visit) -> None:
    held: list[Route] = []
    visit.page.route("**/collections", lambda route: held.append(route))
    page = visit.go("?c=roblox")
    page.locator("#q").fill("At how many studs does gravity pull?")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_be_hidden()
    held[0].continue_()
    expect(page.locator("#answer .text button.cite").first).to_be_visible()
    assert len(held) == 1


def test_an_answer_streams_and_its_citation_opens_the_marked_quote(visit: Visit) -> None:
    page = visit.go("?c=roblox")
    page.locator("#q").fill("At how many studs does gravity pull?")
    page.keyboard.press("Enter")
    mark = page.locator("#answer .text button.cite").first
    expect(mark).to_be_visible()
    expect(page.locator("#answer .cited li").first).to_be_visible()
    assert_accessible(page)
    mark.click()
    expect(page.locator("#passage mark.quote").first).to_be_visible()
    assert "ask=1" in page.url
    page.reload()
    expect(page.locator("#passage mark.quote").first).to_be_visible()


@pytest.mark.parametrize(
    ("status", "words"),
    [(503, "Not available just now."), (429, "A moment, please."), (500, "Something went wrong.")],
)
def test_a_refusal_is_explained_and_asked_again(visit: Visit, status: int, words: str) -> None:
    page = visit.go("?c=roblox")
    expect(page.get_by_role("heading", name="Answers you can check.")).to_be_visible()
    problem = json.dumps({"status": status, "detail": "no"})

    def refuse(route: Route) -> None:
        route.fulfill(
            status=status,
            body=problem,
            headers={"retry-after": "30", "content-type": "application/problem+json"},
        )

    page.route("**/query", refuse)
    page.locator("#q").fill("gravity")
    expect(page.get_by_role("heading", name=words)).to_be_visible()
    page.unroute("**/query")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".card").first).to_be_visible()
    assert page.locator("#state").is_hidden()
    visit.troubles[:] = [one for one in visit.troubles if f"status of {status}" not in one]


def test_offline_is_said_and_mended_by_itself(visit: Visit) -> None:
    page = visit.go("?c=roblox&q=studs")
    expect(page.locator(".card").first).to_be_visible()
    page.context.set_offline(True)
    page.locator("#q").fill("gravity")
    expect(page.get_by_role("heading", name="You are offline.")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator(".card").first).to_be_visible()
    assert page.locator("#state").is_hidden()
    visit.troubles[:] = [one for one in visit.troubles if "ERR_INTERNET_DISCONNECTED" not in one]


def test_a_key_is_asked_for_and_kept_for_the_tab(page: Page, tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.publish()
    with running(shelf.app("secret")) as url:
        page.goto(f"{url}/?c=roblox&q=gravity")
        expect(page.get_by_role("heading", name="This service asks for a key.")).to_be_visible()
        page.get_by_label("Key").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="That key was not accepted.")).to_be_visible()
        page.get_by_label("Key").fill("secret")
        page.keyboard.press("Enter")
        expect(page.locator(".card").first).to_be_visible()
        page.reload()
        expect(page.locator(".card").first).to_be_visible()
        assert page.evaluate("sessionStorage.length") == 1


def test_an_answer_that_was_refused_can_be_asked_again(visit: Visit) -> None:
    page = visit.go("?c=roblox")
    problem = {"status": 429, "detail": "no"}
    page.route("**/answer", lambda route: route.fulfill(status=429, json=problem))
    page.locator("#q").fill("At how many studs does gravity pull?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Too many questions came at once.")
    assert_accessible(page)
    page.unroute("**/answer")
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator("#answer .cited li").first).to_be_visible()
    visit.troubles[:] = [one for one in visit.troubles if "status of 429" not in one]


def test_a_second_question_takes_the_first_along_until_it_is_asked_alone(visit: Visit) -> None:
    page = visit.go("?c=roblox")
    first, second = "At how many studs does gravity pull?", "And how does a Humanoid move?"

    def taken_along(do: Callable[[], object]) -> list[str]:
        with page.expect_response("**/answer") as replied:
            do()
        expect(page.locator("#answer .cited li").first).to_be_visible()
        return [one["content"] for one in json.loads(replied.value.request.post_data or "{}")["history"]]

    def ask(question: str) -> None:
        page.locator("#q").fill(question)
        page.keyboard.press("Enter")

    assert taken_along(lambda: ask(first)) == []
    expect(page.locator("#answer")).not_to_contain_text("Asked after")
    asked, answered = taken_along(lambda: ask(second))
    assert asked == first
    assert "[1]" in answered
    expect(page.locator("#answer")).to_contain_text(f"Asked after “{first}”.")
    assert_accessible(page)
    assert taken_along(lambda: page.keyboard.press("Enter")) == [first, answered]  # the same once more
    assert taken_along(page.reload) == [first, answered]
    assert taken_along(page.go_back) == []
    assert len(taken_along(page.go_forward)) == 2
    assert taken_along(page.get_by_role("button", name="Ask it alone").click) == []
    expect(page.locator("#answer")).not_to_contain_text("Asked after")
    assert len(taken_along(lambda: ask(first))) == 2
    page.locator("#collection").select_option("second")
    expect(page.locator("#answer")).not_to_contain_text("Asked after")


def test_back_leads_from_an_answer_to_the_question_before_it(visit: Visit) -> None:
    page = visit.go("?c=roblox")
    expect(page.get_by_role("heading", name="Answers you can check.")).to_be_visible()
    for question in (QUESTION, "How fast does a character walk?"):
        page.locator("#q").fill("")
        page.locator("#q").press_sequentially(question)
        page.keyboard.press("Enter")
        expect(page.locator("#answer h2")).not_to_be_empty()
        expect(page.locator("#answer .dots")).to_be_hidden()
    page.go_back()
    expect(page.locator("#q")).to_have_value(QUESTION)
    expect(page.locator("#answer .cited li").first).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Answers you can check.")).to_be_visible()
    assert page.locator("#answer").is_hidden()


def test_an_answer_comes_by_itself_once_the_server_is_back(visit: Visit) -> None:
    page = visit.go("?c=roblox")
    expect(page.get_by_role("heading", name="Answers you can check.")).to_be_visible()
    for path in ("**/query", "**/answer"):
        page.route(path, lambda route: route.abort("connectionrefused"))
    page.locator("#q").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached. It may be starting.")
    expect(page.get_by_role("alert")).not_to_contain_text("by itself")
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#answer .cited li").first).to_be_visible()
    assert page.get_by_role("alert").count() == 0
    visit.troubles[:] = [one for one in visit.troubles if "ERR_CONNECTION_REFUSED" not in one]


def test_a_server_that_falls_silent_is_not_waited_for_without_end(browser: Browser, quire: str) -> None:
    with watched(browser.new_page(), quire) as visit:  # of its own, for its clock stays changed
        visit.page.clock.install()
        page = visit.go("?c=roblox")
        expect(page.get_by_role("heading", name="Answers you can check.")).to_be_visible()
        page.route("**/query", lambda route: None)
        page.locator("#q").fill("gravity")
        page.clock.run_for(30_000)
        assert page.get_by_role("heading", name="The server cannot be reached.").is_hidden()
        page.clock.run_for(16_000)
        expect(page.get_by_role("heading", name="The server cannot be reached.")).to_be_visible()
        page.close()


def test_what_was_cut_off_a_long_question_is_told(visit: Visit) -> None:
    page = visit.go("?c=roblox")
    page.locator("#q").focus()
    page.keyboard.insert_text("gravity in studs " * 2_400)
    expect(page.locator("#notice")).to_contain_text("The first 8,000 characters of the question were read.")
    assert len(page.locator("#q").input_value()) == 8_000


def test_where_nothing_is_found_the_other_collections_are_offered(visit: Visit) -> None:
    page = visit.go("?c=second")
    page.locator("#q").fill("zyzzyva")
    expect(page.get_by_role("heading", name="No passage found.")).to_be_visible()
    page.get_by_role("button", name="Engine", exact=True).click()
    expect(page.locator("#collection")).to_have_value("roblox")
    assert page.locator("#q").input_value() == "zyzzyva"


def test_text_from_right_to_left_keeps_its_side_and_a_list_is_read_out_item_by_item(visit: Visit) -> None:
    done = {"answer": "العنوان\n\n- first\n- second", "answerable": True, "citations": [], "hits": []}
    page = visit.go("?c=roblox")
    page.route("**/answer", lambda route: route.fulfill(json=done))
    page.locator("#q").fill("متى تبدأ الجاذبية؟")
    expect(page.locator("#live")).to_have_text("No passage found")  # an answer takes longer than a search
    page.keyboard.press("Enter")
    expect(page.locator("#live")).to_have_text("Answer: العنوان first second")
    assert page.locator("#q").evaluate("it => getComputedStyle(it).direction") == "rtl"
    text = page.locator("#answer .text p").first
    right, last = text.evaluate(
        "it => { const of = new Range(); of.selectNodeContents(it);"
        " return [it, of].map((one) => one.getBoundingClientRect().right) }"
    )
    assert right - last < 2


def shown(page: Page, module: str, script: str, *given: str) -> Any:
    """Run a script with the exports of one of the page's files as `it` and the given texts as `given`."""
    known = f"(async ([release, given]) => {{ const it = await import(`./assets/${{release}}/{module}`); {script} }})"
    return page.evaluate(known, [site().release, list(given)])


@pytest.mark.parametrize(
    ("question", "text", "marked"),
    [
        ("validateCSRFToken", "CSRF token validation, broken", ["CSRF", "token", "validation"]),
        ("tween a part", "Tweens fit in-between parts of TweenService.", ["Tweens", "parts", "Tween"]),
        ("tasks failing", "FAILURE of a Task, failed", ["FAILURE", "Task", "failed"]),
        ("Humanoid.MoveTo", "humanoid:MoveToFinished, a humanoids", ["humanoid", "MoveTo", "humanoids"]),
        ("part", "a party, a particular partition", ["party"]),
    ],
)
def test_words_of_the_question_are_marked_and_parts_of_other_words_are_not(
    visit: Visit, question: str, text: str, marked: list[str]
) -> None:
    script = """
        const box = document.createElement("p");
        box.textContent = given[1];
        it.markWords(box, it.wordsOf(given[0]));
        return [...box.querySelectorAll("mark")].map((one) => one.textContent);
    """
    assert shown(visit.go(), "marking.js", script, question, text) == marked


def test_a_quote_is_marked_across_a_block_of_code(visit: Visit) -> None:
    script = """
        const { markdown } = await import(`./assets/${release}/markdown.js`);
        const box = document.createElement("div");
        box.append(markdown(given[0]));
        it.markQuote(box, given[1]);
        return [...box.querySelectorAll("mark.quote")].map((one) => one.textContent).join("");
    """
    text = "Run this:\n\n```python\nimport quire\n```\n\nThen wait."
    marked = shown(visit.go(), "marking.js", script, text, text[: text.index("Then")].strip())
    assert marked.strip() == "Run this:import quire"


@pytest.mark.parametrize(
    ("text", "rows", "paragraphs"),
    [
        ("| Quay | 4 |\n| Lock | 5 |\n\nThen it rains.", ["Quay|4", "Lock|5"], ["Then it rains."]),
        ("…\n| Quay | 4 |\n| Lock | 5 |", ["Quay|4", "Lock|5"], ["…"]),
        ("Port | Rise\nQuay | 4\nLock | 5\nand so on", ["Port|Rise", "Quay|4", "Lock|5"], ["and so on"]),
        ("| Port | Rise |\n| --- | --- |\n| Quay | 4 |", ["Port|Rise", "Quay|4"], []),
        ("ls | wc\nps | wc", [], ["ls | wc\nps | wc"]),
        ("a || b\nc | d | e\nf | g", [], ["a || b\nc | d | e\nf | g"]),
    ],
)
def test_rows_of_a_table_whose_head_another_passage_has_are_a_table(
    visit: Visit, text: str, rows: list[str], paragraphs: list[str]
) -> None:
    script = """
        const box = document.createElement("div");
        box.append(it.markdown(given[0]));
        const said = (row) => [...row.cells].map((cell) => cell.textContent).join("|");
        const words = (one) => one.textContent;
        return [[...box.querySelectorAll("tr")].map(said), [...box.querySelectorAll("p")].map(words)];
    """
    assert shown(visit.go(), "markdown.js", script, text) == [rows, paragraphs]


def test_restructured_text_is_shown_as_text_and_code(visit: Visit) -> None:
    text = "\n".join(
        [
            ".. _retrying:",
            "",
            "Retrying",
            "========",
            "",
            "Call :meth:`~app.Task.retry` or see `the guide <https://docs.example/retry>`_::",
            "",
            "    task.retry()",
            "",
            ".. note::",
            "",
            "    It raises ``Retry``.",
        ]
    )
    told = shown(visit.go(), "rst.js", "return it.fromRst(given[0]);", text)
    said = [line for line in told.split("\n") if line]
    assert said == [
        "## Retrying",
        "Call `app.Task.retry` or see [the guide](https://docs.example/retry):",
        "```",
        "task.retry()",
        "```",
        "**Note**",
        "It raises ``Retry``.",
    ]


def test_tables_and_definitions_of_restructured_text_keep_their_shape(visit: Visit) -> None:
    grid = [
        "+------+-------+",
        "| Sign | Means |",
        "+======+=======+",
        "| ``a`` | North |",
        "+------+-------+",
    ]
    simple = ["===  ===", "One  Two", "===  ===", "1    2", "===  ==="]
    text = "\n".join([*grid, "", "Then:", "", *simple, "", ".. py:data:: LIMIT", "", "    At most."])
    told = shown(visit.go(), "rst.js", "return it.fromRst(given[0]);", text)
    assert [line for line in told.split("\n") if line] == [
        *("```", *grid[:3], "| a     | North |", grid[4], "```", "Then:", "```", *simple, "```"),
        *("**Data: LIMIT**", "At most."),
    ]


def test_sources_cannot_bring_markup_scripts_or_images(visit: Visit) -> None:
    page = visit.go()
    hostile = "<img src=x onerror=alert(1)> [go](javascript:alert(1)) ![pixel](https://elsewhere.example/p) <script>1"
    found = page.evaluate(
        """async ([release, text]) => {
            const { markdown } = await import(`./assets/${release}/markdown.js`);
            const box = document.createElement("div");
            box.append(markdown(text));
            return [box.querySelectorAll("img, script, a, iframe").length, box.textContent];
        }""",
        [site().release, hostile],
    )
    assert found[0] == 0
    assert "<script>" in found[1]


def test_an_address_in_angle_brackets_is_a_link_without_them(visit: Visit) -> None:
    page = visit.go()
    found = page.evaluate(
        """async ([release, text]) => {
            const { markdown } = await import(`./assets/${release}/markdown.js`);
            const box = document.createElement("div");
            box.append(markdown(text));
            return [[...box.querySelectorAll("a")].map((one) => one.href), box.textContent];
        }""",
        [site().release, "See <https://acme.example/faq_(1)?a=[b]> and <javascript:alert(1)>."],
    )
    assert found == [
        ["https://acme.example/faq_(1)?a=[b]"],
        "See https://acme.example/faq_(1)?a=[b] and <javascript:alert(1)>.",
    ]


def test_an_escaped_mark_of_the_source_s_own_is_text_and_cites_nothing(visit: Visit) -> None:
    page = visit.go()
    found = page.evaluate(
        """async ([release, text]) => {
            const { markdown } = await import(`./assets/${release}/markdown.js`);
            const box = document.createElement("div");
            box.append(markdown(text, (n) => document.createElement("button")));
            return [box.querySelectorAll("button").length, box.textContent];
        }""",
        [site().release, r"Take items\[0], `items[1]` and \[99]. [2]"],
    )
    assert found == [1, "Take items[0], items[1] and [99]. "]


def test_what_nothing_closes_takes_time_by_its_length(visit: Visit) -> None:
    short, long = visit.go().evaluate(
        """async ([release, parts]) => {
            const { markdown } = await import(`./assets/${release}/markdown.js`);
            const time = (characters) => {
                const began = performance.now();
                for (const part of parts) markdown(part.repeat(characters / part.length));
                return performance.now() - began;
            };
            time(15000);
            return [Math.min(time(15000), time(15000)), time(90000)];
        }""",
        [site().release, ["![a](", "[a](", "![", "**a "]],
    )
    assert long < 15 * short  # six times the text; without longest lengths 35 times


def test_a_formula_is_shown_as_it_is_written(visit: Visit) -> None:
    page = visit.go()
    shown = page.evaluate(
        """async ([release, text]) => {
            const { markdown } = await import(`./assets/${release}/markdown.js`);
            const box = document.createElement("div");
            box.append(markdown(text, (n) => document.createElement("button")));
            return [box.querySelectorAll("button, em").length, box.textContent];
        }""",
        [
            site().release,
            (
                r"For $A^*$ and $B^*$ is $$\{x{[}1]\} \\ \|y\|$$ [1]. "
                r"It costs $5, *not* $6, by `$x` or \[2], US$5 [1], CA$."
            ),
        ],
    )
    told = r"For $A^*$ and $B^*$ is $$\{x[1]\} \\ \|y\|$$ . It costs $5, not $6, by $x or [2], US$5 , CA$."
    assert shown == [3, told]


@contextmanager
def book_page(page: Page, quire: str, attributes: str) -> Iterator[list[str]]:
    """Show a page of another origin that loads the widget; gives what the console complains of."""
    body = "<article><h1>Lesson</h1><p id=p>A stud is a unit of length.</p></article>"
    script = f'<script src="{quire}/widget.js" {attributes} defer></script>'
    document = f'<!doctype html><html lang="en"><title>Book</title>{body}{script}</html>'

    async def book(_: object) -> HTMLResponse:
        return HTMLResponse(document, headers={"content-security-policy": BOOK_POLICY.format(quire=quire)})

    with running(Starlette(routes=[PageRoute("/", book)])) as url, listening(page, url) as visit:
        visit.go()
        yield visit.troubles


def test_the_widget_keeps_a_conversation_on_a_strict_page_and_asks_about_selected_text(
    page: Page, quire: str
) -> None:
    with book_page(page, quire, 'data-collection="roblox"') as troubles:
        expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
        page.locator("#p").select_text()
        page.get_by_role("button", name="Ask about this").click()
        dialog = page.get_by_role("dialog", name="Ask the documentation")
        expect(dialog).to_contain_text("A stud is a unit of length.")
        first, second = "How many studs does gravity pull?", "And how does a Humanoid move?"
        with page.expect_response("**/answer") as replied:
            dialog.get_by_label("Your question").fill(first)
            dialog.get_by_role("button", name="Ask", exact=True).click()
        asked = json.loads(replied.value.request.post_data or "{}")
        assert (asked["selected_text"], asked["collection"]) == ("A stud is a unit of length.", "roblox")
        expect(dialog.locator(".cite").first).to_be_visible()
        expect(dialog.get_by_role("button", name="Leave the selected text out")).to_be_hidden()
        expect(dialog.locator(".turn")).to_contain_text("A stud is a unit of length.")
        dialog.get_by_role("button", name="Close").click()
        page.get_by_role("button", name="Ask", exact=True).click()
        with page.expect_response("**/answer") as replied:
            dialog.get_by_label("Your question").fill(second)
            page.keyboard.press("Enter")
        assert replied.value.status == 200
        asked = json.loads(replied.value.request.post_data or "{}")
        assert asked["selected_text"] is None
        assert [one["role"] for one in asked["history"]] == ["user", "assistant"]
        assert asked["history"][0]["content"] == f"“A stud is a unit of length.” {first}"
        expect(dialog.locator(".turn")).to_have_count(2)
        expect(dialog.locator(".turn").first).to_contain_text(first)
        expect(dialog.locator(".turn").last.locator(".cite").first).to_be_visible()
        assert troubles == []
        assert_accessible(page)


def box_of(part: Locator) -> FloatRect:
    """Where a part of the page stands, in pixels."""
    box = part.bounding_box()
    assert box is not None
    return box


def test_a_question_to_the_widget_stays_above_its_answer(page: Page, quire: str) -> None:
    with book_page(page, quire, 'data-collection="roblox"') as troubles:
        page.set_viewport_size({"width": 420, "height": 420})
        page.get_by_role("button", name="Ask", exact=True).click()
        dialog = page.get_by_role("dialog", name="Ask the documentation")
        for turn, question in enumerate(
            ("How many studs does gravity pull?", "How does a Humanoid move?"), 1
        ):
            dialog.get_by_label("Your question").fill(question)
            page.keyboard.press("Enter")
            expect(dialog.locator(".turn")).to_have_count(turn)
            expect(dialog.locator(".turn").last.locator("details.source").first).to_be_attached()
        begins = "one => one.getBoundingClientRect().top"
        above = dialog.locator(".turn").last.evaluate(begins) - dialog.locator(".out").evaluate(begins)
        left = dialog.locator(".out").evaluate("one => one.scrollHeight - one.scrollTop - one.clientHeight")
        assert 0 <= above < 24 or left < 2, "the answer lies out of sight"
        assert troubles == []


def test_a_widget_s_visitor_is_asked_for_english_once(page: Page, quire: str) -> None:
    with book_page(page, quire, 'data-collection="roblox"') as troubles:
        page.get_by_role("button", name="Ask", exact=True).click()
        dialog = page.get_by_role("dialog", name="Ask the documentation")
        dialog.get_by_label("Your question").fill("Wie bewege ich die Figur und wo ist das Tor?")
        page.keyboard.press("Enter")
        expect(dialog.get_by_text("Please ask your question in English.")).to_have_count(1)
        expect(dialog.get_by_text("terms")).to_have_count(0)  # a visitor has no such field
        assert troubles == []


def test_a_server_that_restarts_under_the_widget_costs_that_question_alone(
    page: Page, served: FastAPI
) -> None:
    server = ExitStack()
    quire = server.enter_context(running(served))
    with server, book_page(page, quire, 'data-collection="roblox"'):
        page.get_by_role("button", name="Ask", exact=True).click()
        dialog = page.get_by_role("dialog", name="Ask the documentation")
        field, turns = dialog.get_by_label("Your question"), dialog.locator(".turn")

        def refused(times: int) -> None:
            field.fill(QUESTION)
            page.keyboard.press("Enter")
            expect(dialog.get_by_role("alert")).to_have_count(times)
            expect(dialog.get_by_role("alert").last).to_have_text("The server cannot be reached.")
            expect(field).to_have_value(QUESTION)

        def answered() -> None:
            page.keyboard.press("Enter")
            expect(turns.last.locator(".cite").first).to_be_visible()

        page.route("**/assets/**", lambda route: route.abort())  # it goes before the first question
        refused(1)
        page.unroute("**/assets/**")
        answered()
        server.close()  # and after it
        refused(2)
        with running(served, port=int(quire.rpartition(":")[2])):
            answered()
        assert turns.count() == 4


@pytest.mark.parametrize(
    ("attributes", "told"),
    [
        ('data-collection="rolbox"', 'there is no collection "rolbox"'),
        ('data-collection="second"', 'Add "http://127.0.0.1'),
        ("", "has no data-collection"),
        ('data-collection="roblox" type="module"', 'without type="module"'),
    ],
)
def test_a_widget_that_cannot_work_tells_the_sites_owner_and_shows_no_button(
    page: Page, quire: str, attributes: str, told: str
) -> None:
    with book_page(page, quire, attributes):
        with page.expect_console_message(lambda one: one.text.startswith("Quire widget: ")) as said:
            page.reload()
        assert told in said.value.text
        expect(page.get_by_role("button", name="Ask", exact=True)).to_be_hidden()
        page.locator("#p").select_text()
        page.wait_for_timeout(300)
        expect(page.get_by_role("button", name="Ask about this")).to_be_hidden()


def test_the_widget_outlives_the_body_of_a_page_that_is_replaced(page: Page, quire: str) -> None:
    """Turbo, Astro and other view transitions put another body in place of the one that the script saw."""
    with book_page(page, quire, 'data-collection="roblox"') as troubles:
        page.get_by_role("button", name="Ask", exact=True).click()
        dialog = page.get_by_role("dialog", name="Ask the documentation")
        dialog.get_by_label("Your question").fill(QUESTION)
        page.keyboard.press("Enter")
        expect(dialog.locator(".cite").first).to_be_visible()
        expect(dialog.locator(".out")).to_have_attribute("aria-busy", "false")
        page.evaluate(
            """() => {
                document.documentElement.style.display = "grid";
                const next = document.createElement("body");
                next.innerHTML = "<main><h1>Next</h1></main>";
                document.body.replaceWith(next);
            }"""
        )
        expect(dialog.locator(".turn")).to_have_count(1)
        dialog.get_by_label("Your question").fill(QUESTION)
        page.keyboard.press("Enter")
        expect(dialog.locator(".turn").last.locator(".cite").first).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
        rows = page.evaluate("getComputedStyle(document.documentElement).gridTemplateRows")
        assert len(rows.split()) == 1, "the widget takes room of the page"
        assert troubles == []
        assert_accessible(page)


@pytest.mark.parametrize(
    "rules",
    [
        "* { all: unset !important }",
        "* { display: none !important; font-size: 3px !important } html, body { display: block !important }",
        "article { position: fixed; inset: 0; z-index: 2147483647 }",
        "html { font-size: 62.5% }",
        "div, section { display: none !important } button { width: 100% !important }",
    ],
)
def test_no_rule_of_the_page_hides_the_widget_or_changes_its_text(page: Page, quire: str, rules: str) -> None:
    with book_page(page, quire, 'data-collection="roblox"') as troubles:
        page.evaluate(
            """(rules) => {
                const sheet = new CSSStyleSheet();
                sheet.replaceSync(rules);
                document.adoptedStyleSheets = [sheet];
            }""",
            rules,
        )
        opener, dialog = page.locator("quire-widget .open"), page.locator("quire-widget dialog")
        opener.click()  # which waits until nothing lies above it
        dialog.locator("textarea").fill(QUESTION)
        page.keyboard.press("Enter")
        expect(dialog.locator(".cite").first).to_be_visible()
        fonts = "one => [getComputedStyle(one).fontFamily, getComputedStyle(one).fontSize]"
        assert opener.evaluate(fonts) == ["system-ui, sans-serif", "16px"]
        assert box_of(dialog)["width"] == 432
        assert troubles == []


def test_the_widget_fits_a_phone_whose_text_is_very_large(page: Page, quire: str) -> None:
    with book_page(page, quire, 'data-collection="roblox"') as troubles:
        page.set_viewport_size({"width": 360, "height": 640})
        page.evaluate("document.documentElement.style.fontSize = '48px'")
        page.get_by_role("button", name="Ask", exact=True).click()
        dialog = page.get_by_role("dialog", name="Ask the documentation")
        dialog.get_by_label("Your question").fill(QUESTION)
        page.keyboard.press("Enter")
        expect(dialog.locator(".cite").first).to_be_visible()
        assert box_of(dialog.get_by_label("Your question"))["width"] > 90
        overflows = "one => one.scrollWidth > one.clientWidth"
        for part in (dialog, dialog.locator("header"), dialog.locator(".out"), dialog.locator(".box")):
            assert not part.evaluate(overflows)
        assert troubles == []


def test_code_and_lists_in_the_widget_read_as_they_do_on_any_page_from_right_to_left(
    page: Page, quire: str
) -> None:
    text = "Call `move()`.\n\n- one\n- two\n\n```\n.. code:: x\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"
    done = {"answer": text, "answerable": True, "citations": [], "hits": []}
    with book_page(page, quire, 'data-collection="roblox"') as troubles:
        page.evaluate("document.documentElement.dir = 'rtl'")
        page.route(
            "**/answer", lambda route: route.fulfill(json=done, headers={"access-control-allow-origin": "*"})
        )
        page.get_by_role("button", name="Ask", exact=True).click()
        dialog = page.get_by_role("dialog", name="Ask the documentation")
        dialog.get_by_label("Your question").fill(QUESTION)
        page.keyboard.press("Enter")
        expect(dialog.locator("pre")).to_be_visible()
        for part in ("pre", "p code", "ul", "table"):
            assert dialog.locator(part).evaluate("one => getComputedStyle(one).direction") == "ltr"
        assert troubles == []


def test_a_selection_that_ends_beside_the_widget_does_not_close_it_and_a_click_there_does(
    page: Page, quire: str
) -> None:
    with book_page(page, quire, 'data-collection="roblox"') as troubles:
        page.get_by_role("button", name="Ask", exact=True).click()
        dialog = page.get_by_role("dialog", name="Ask the documentation")
        box = box_of(dialog.get_by_text("Answers quote their sources"))
        page.mouse.move(box["x"] + 100, box["y"] + 5)
        page.mouse.down()
        page.mouse.move(20, box["y"] + 5)
        page.mouse.up()
        expect(dialog).to_be_visible()
        page.mouse.click(20, box["y"] + 5)
        expect(dialog).to_be_hidden()
        assert troubles == []


def test_a_reload_keeps_the_widget_s_conversation_until_it_is_begun_anew(page: Page, quire: str) -> None:
    with book_page(page, quire, 'data-collection="roblox"') as troubles:
        opener = page.get_by_role("button", name="Ask", exact=True)
        dialog = page.get_by_role("dialog", name="Ask the documentation")
        field, turns = dialog.get_by_label("Your question"), dialog.locator(".turn")
        opener.click()
        field.fill(QUESTION)
        page.keyboard.press("Enter")
        expect(turns.locator(".source").first).to_be_visible()
        before = turns.inner_text()
        page.reload()
        opener.click()
        expect(turns.locator(".source").first).to_be_visible()
        assert turns.inner_text() == before
        field.fill("give me an example")
        with page.expect_response("**/answer") as replied:
            page.keyboard.press("Enter")
        asked = json.loads(replied.value.request.post_data or "{}")
        assert [one["role"] for one in asked["history"]] == ["user", "assistant"]
        assert asked["history"][0]["content"] == QUESTION
        expect(turns).to_have_count(2)
        dialog.get_by_role("button", name="Start over").click()
        expect(turns).to_have_count(0)
        expect(field).to_be_focused()
        page.reload()
        opener.click()
        expect(dialog.get_by_text("Answers quote their sources")).to_be_visible()
        assert troubles == []


def test_a_long_conversation_opens_at_its_end_and_is_sent_with_its_beginning(page: Page, quire: str) -> None:
    with book_page(page, quire, 'data-collection="roblox"'):
        answer = "It falls.\n\n" * 30
        kept = [{"question": f"Question {number}?", "answer": answer} for number in range(12)]
        key = f"quire-widget thread {quire}/ roblox"
        page.evaluate("([key, kept]) => sessionStorage.setItem(key, kept)", [key, json.dumps(kept)])
        page.reload()
        page.get_by_role("button", name="Ask", exact=True).click()
        dialog = page.get_by_role("dialog", name="Ask the documentation")
        expect(dialog.locator(".turn").last.locator("strong")).to_be_in_viewport()
        expect(dialog.locator(".turn").first.locator("strong")).not_to_be_in_viewport()
        with page.expect_response("**/answer") as replied:
            dialog.get_by_label("Your question").fill("And on the moon?")
            page.keyboard.press("Enter")
        asked = json.loads(replied.value.request.post_data or "{}")
        assert asked["history"][0]["content"] == "Question 0?"


def test_what_was_answered_is_there_as_text_where_the_server_is_down_after_a_reload(
    page: Page, quire: str
) -> None:
    with book_page(page, quire, 'data-collection="roblox"'):
        opener = page.get_by_role("button", name="Ask", exact=True)
        dialog = page.get_by_role("dialog", name="Ask the documentation")
        opener.click()
        dialog.get_by_label("Your question").fill(QUESTION)
        page.keyboard.press("Enter")
        expect(dialog.locator(".source").first).to_be_visible()
        page.route("**/assets/**", lambda route: route.abort())
        page.reload()
        opener.click()
        expect(dialog.locator(".turn")).to_contain_text("196.2")
        assert dialog.locator(".source").count() == 0


@pytest.mark.parametrize("kept", ["[null, 1, {}]", '{"question": "a"}', "no JSON"])
def test_a_kept_conversation_that_cannot_be_read_is_none(page: Page, quire: str, kept: str) -> None:
    with book_page(page, quire, 'data-collection="roblox"') as troubles:
        key = f"quire-widget thread {quire}/ roblox"
        page.evaluate("([key, kept]) => sessionStorage.setItem(key, kept)", [key, kept])
        page.reload()
        page.get_by_role("button", name="Ask", exact=True).click()
        dialog = page.get_by_role("dialog", name="Ask the documentation")
        expect(dialog.get_by_text("Answers quote their sources")).to_be_visible()
        assert dialog.locator(".turn").count() == 0
        assert troubles == []


def test_a_citation_of_the_widget_is_called_by_what_it_cites(page: Page, quire: str) -> None:
    with book_page(page, quire, 'data-collection="roblox"') as troubles:
        page.get_by_role("button", name="Ask", exact=True).click()
        dialog = page.get_by_role("dialog", name="Ask the documentation")
        dialog.get_by_label("Your question").fill(QUESTION)
        page.keyboard.press("Enter")
        named = dialog.get_by_role("button", name=re.compile(r"^Citation 1: \w"))
        named.press("Enter")
        expect(dialog.locator("details[data-n='1']")).to_have_attribute("open", "")
        done = {"answer": "A list [1] of none.", "answerable": False, "citations": [], "hits": []}
        anyone = {"access-control-allow-origin": "*"}
        page.route("**/answer", lambda route: route.fulfill(json=done, headers=anyone))
        dialog.get_by_label("Your question").fill("And in a list?")
        page.keyboard.press("Enter")
        expect(dialog.locator(".turn").last).to_contain_text("A list [1] of none.")
        assert dialog.locator(".turn").last.locator(".cite").count() == 0
        assert troubles == []


def test_a_printed_page_shows_no_button_and_an_open_conversation_whole(page: Page, quire: str) -> None:
    with book_page(page, quire, 'data-collection="roblox"') as troubles:
        page.set_viewport_size({"width": 500, "height": 200})
        opener = page.get_by_role("button", name="Ask", exact=True)
        opener.click()
        dialog = page.get_by_role("dialog", name="Ask the documentation")
        dialog.get_by_label("Your question").fill(QUESTION)
        page.keyboard.press("Enter")
        expect(dialog.locator(".source").first).to_be_attached()
        page.emulate_media(media="print")
        expect(dialog.get_by_role("button", name="Close")).to_be_hidden()
        assert dialog.locator(".out").evaluate("one => one.scrollHeight === one.clientHeight")
        assert box_of(dialog)["height"] > 200
        page.emulate_media(media="screen")
        page.keyboard.press("Escape")
        expect(opener).to_be_visible()
        page.emulate_media(media="print")
        expect(opener).to_be_hidden()
        assert troubles == []


def test_a_second_widget_on_a_page_is_told_to_the_sites_owner(page: Page, quire: str) -> None:
    with book_page(page, quire, 'data-collection="roblox"') as troubles:
        expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
        again = """([address, name]) => new Promise((done) => {
            const script = Object.assign(document.createElement("script"), { src: address, onload: done });
            script.dataset.collection = name;
            document.head.append(script);
        })"""
        page.evaluate(again, [f"{quire}/widget.js", "roblox"])  # as a page does that runs its scripts again
        assert troubles == []
        page.evaluate(again, [f"{quire}/widget.js", "second"])
        [told] = troubles
        assert '"roblox" already' in told
        assert '"second" is not asked' in told
        expect(page.get_by_role("button", name="Ask", exact=True)).to_have_count(1)


def test_a_widget_waits_for_no_server_that_takes_a_call_and_says_nothing(
    browser: Browser, quire: str
) -> None:
    page = browser.new_page(reduced_motion="reduce")  # of its own, for its clock stays changed
    with book_page(page, quire, 'data-collection="roblox"') as troubles:
        page.evaluate("sessionStorage.clear()")
        page.clock.install()
        page.add_init_script(TIMEOUTS_OF_THE_PAGES_CLOCK)
        for held in ("**/collections/*", "**/assets/**"):
            page.route(held, lambda _: None)
        page.reload()
        page.clock.fast_forward(25_000)
        page.get_by_role("button", name="Ask", exact=True).click()
        dialog = page.get_by_role("dialog", name="Ask the documentation")
        field = dialog.get_by_label("Your question")
        field.fill(QUESTION)
        page.keyboard.press("Enter")
        page.clock.fast_forward(25_000)
        expect(dialog.get_by_role("alert")).to_have_text("The server cannot be reached.")
        assert (field.input_value(), troubles) == (QUESTION, [])
    page.close()


def test_page_and_widget_are_small() -> None:
    files = site().files
    page = sum(len(gzip.compress(file.body, 9)) for name, file in files.items() if name != "widget.js")
    shared = ("widget.js", "api.js", "markdown.js", "code.js", "dom.js")
    widget = sum(len(gzip.compress(files[name].body, 9)) for name in shared)
    assert page <= PAGE_BYTES
    assert widget <= WIDGET_BYTES
