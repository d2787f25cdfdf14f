"""Pictures of the page of a running server: `make screenshots URL=http://127.0.0.1:8000`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.pages import CHROMIUM_FLAGS, chromium

SETTLE_MS = 1500


def main() -> None:
    """Write `start`, `search`, `dark`, `phone`, `passage` and `answer` as PNG files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="address of the server")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--collection", default="quire")
    parser.add_argument("--question", default="What does the shrink guard refuse?")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    asked = f"{given.url}/?c={given.collection}&q={given.question}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(CHROMIUM_FLAGS))
        take(browser, f"{given.url}/?c={given.collection}", given.folder / "start.png")
        take(browser, asked, given.folder / "search.png")
        take(browser, asked, given.folder / "dark.png", scheme="dark")
        take(browser, asked, given.folder / "phone.png", width=390)
        take(browser, asked, given.folder / "passage.png", click=".card .title")
        take(browser, f"{asked}&ask=1", given.folder / "answer.png")
        browser.close()
    sys.stdout.write(f"pictures in {given.folder}\n")


def take(
    browser: Browser, url: str, path: Path, *, scheme: str = "light", width: int = 1280, click: str = ""
) -> None:
    """One picture, after the page has come to rest."""
    dark = {"color_scheme": "dark"} if scheme == "dark" else {"color_scheme": "light"}
    context = browser.new_context(viewport={"width": width, "height": 820}, **dark)  # type: ignore[arg-type]
    page: Page = context.new_page()
    page.goto(url)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(SETTLE_MS)
    if click:
        page.locator(click).first.click()
        page.wait_for_timeout(400)
    page.screenshot(path=path)
    context.close()


if __name__ == "__main__":
    main()
