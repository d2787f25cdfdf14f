from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from build_index.sources.files.selection import Excluded, Selection, as_selection, select_files
from quire.errors import InputError, SourceError
from quire.service.access import confine

EVERY = Selection(patterns=("*",), exclude=(".git",))


def write(root: Path, *paths: str, text: str = "x = 1\n") -> Path:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def selected(root: Path, selection: Selection | None = None) -> tuple[list[str], dict[str, int]]:
    excluded = Excluded()
    return list(select_files(root, selection or Selection(), excluded)), dict(excluded.reasons)


def git(root: Path, *arguments: str) -> str:
    command = ("git", "-c", "core.excludesFile=/dev/null", "-c", "core.quotePath=false", *arguments)
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout


def seen_by_git(root: Path) -> list[str]:
    return sorted(git(root, "ls-files", "--others", "--exclude-standard").splitlines())


def test_every_text_is_taken_and_the_rest_is_counted_by_extension(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "b/c.php", "Dockerfile", "Makefile", "b/notes.rst", "logo.png", "run")
    write(tmp_path, "empty.py", text="")
    write(tmp_path, "b/rows.csv", "b/logo.PNG", "b/main.zig", "b/odd.language", ".editorconfig")
    paths, reasons = selected(tmp_path)
    assert paths == [
        "Dockerfile",
        "Makefile",
        "a.py",
        "b/c.php",
        "b/main.zig",
        "b/notes.rst",
        "b/odd.language",
        "run",
    ]
    assert reasons == {".png": 2, ".csv": 1, "type": 1, "empty": 1}


def test_tables_are_data_beside_code_and_documents_in_a_folder_without_any(tmp_path: Path) -> None:
    write(tmp_path, "price list.csv", "hr/rota.tsv", "readme.md", "page.html", "run.log", "node_modules/a.js")
    paths, reasons = selected(tmp_path)
    assert paths == ["hr/rota.tsv", "page.html", "price list.csv", "readme.md"]
    assert reasons == {".log": 1, "exclude": 1}
    write(tmp_path, "tools/sum.py")
    paths, reasons = selected(tmp_path)
    assert paths == ["page.html", "readme.md", "tools/sum.py"]
    assert reasons == {".log": 1, ".csv": 1, ".tsv": 1, "exclude": 1}


def test_the_usual_folders_locks_minified_and_generated_files_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, "node_modules/a/b.js", "pkg/dist/a.js", ".venv/x.py", "a.egg-info/top.txt", "src/a.js")
    write(tmp_path, "package-lock.json", "yarn.lock", "poetry.lock", "app.min.js", "api_pb2.py")
    paths, reasons = selected(tmp_path)
    assert paths == ["src/a.js"]
    assert reasons == {"exclude": 4, "lock": 3, "minified": 1, "generated": 1}


def test_what_others_wrote_and_translations_are_left_out_unless_a_pattern_names_them(tmp_path: Path) -> None:
    write(tmp_path, "src/a.py", "vendor/lib/b.py", "extlibs/third/c.c", "src/vendoring.py", "src/it/d.py")
    write(
        tmp_path,
        "docs/en/a.md",
        "docs/de/a.md",
        "docs/zh-CN/b/a.md",
        "README.md",
        "README.pt-br.md",
        "locales/fr.json",
    )
    paths, reasons = selected(tmp_path)
    assert paths == ["README.md", "docs/en/a.md", "src/a.py", "src/it/d.py", "src/vendoring.py"]
    assert reasons == {"vendored": 2, "translation": 4}
    paths, _ = selected(tmp_path, as_selection(["vendor/**/*.py", "docs/de/*"]))
    assert paths == ["docs/de/a.md", "vendor/lib/b.py"]


def test_a_folder_of_pages_about_third_parties_is_the_project_s_own(tmp_path: Path) -> None:
    pages = ["docs/sso/third-party/google.rst", "docs/sso/third-party/saml/keycloak.rst"]
    write(
        tmp_path,
        *pages,
        "docs/sso/third-party/login.png",
        "third_party/oar/README.md",
        "third_party/oar/oar.c",
    )
    paths, reasons = selected(tmp_path)
    assert paths == pages
    assert reasons == {"vendored": 1, ".png": 1}


@pytest.mark.parametrize(
    ("folder", "manifest", "vendored"),
    [
        ("", {"config": {"vendor-dir": "lib/others"}}, ["lib/others/oar/a.php"]),
        (
            "lib/",
            {"config": {"vendor-dir": "./"}, "require": {"oars/oar": "1.0", "php": "8"}},
            ["lib/oars/oar/a.php"],
        ),
        ("", {"config": {"vendor-dir": "."}, "require-dev": {"oars/oar": "1.0"}}, ["oars/oar/a.php"]),
        ("", {"require": {"oars/oar": "1.0"}}, []),
        ("", ["config"], []),
        ("", {"config": {"vendor-dir": "lib"}, "require": [5]}, []),
    ],
)
def test_the_folder_that_composer_puts_packages_into_is_of_others(
    tmp_path: Path, folder: str, manifest: object, vendored: list[str]
) -> None:
    own = ["boat.php", "lib/boat.php", "oars/boat.php"]
    write(tmp_path, *own, *vendored)
    write(tmp_path, f"{folder}composer.json", text=json.dumps(manifest))
    paths, reasons = selected(tmp_path)
    assert paths == sorted([*own, f"{folder}composer.json"])
    assert reasons == ({"vendored": 1} if vendored else {})


@pytest.mark.parametrize(
    ("translated", "kept"),
    [
        ("lang/de.json", "lang/en.json"),
        ("app/lang/pt_BR.php", "app/languages/go.js"),
        ("app/Locale/de_DE_du/strings.php", "app/Locale/en_GB/strings.php"),
        ("locale/sr@latin/strings.py", "locale/strings.py"),
        ("docs/zh-Hans-CN/a.md", "docs/a-b/a.md"),
        ("config/locales/devise.fr.yml", "config/locales/devise.en.yml"),
        ("translations/messages.de.yaml", "src/messages.de.yaml"),
        ("i18n/fr.ts", "i18n/set_id.py"),
        ("app/src/main/res/values-pt-rBR/strings.xml", "app/src/main/res/values-night/colors.xml"),
        ("ios/de.lproj/LaunchScreen.xml", "ios/Base.lproj/LaunchScreen.xml"),
        ("src/main/resources/messages_de.properties", "src/main/resources/user_id.properties"),
    ],
)
def test_strings_of_the_common_frameworks_in_other_languages_are_left_out(
    tmp_path: Path, translated: str, kept: str
) -> None:
    assert selected(write(tmp_path, translated, kept)) == ([kept], {"translation": 1})


def test_patterns_take_files_of_any_kind_and_globs_leave_files_out(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "b/c.py", "b/d.xyz", "b/e.md")
    paths, reasons = selected(tmp_path, as_selection(["**/*.py", "*.xyz"], ["b/c.*"]))
    assert paths == ["a.py", "b/d.xyz"]
    assert reasons == {"exclude": 1, "pattern": 1}


def test_links_pipes_and_large_files_are_left_out(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", "secret.py")
    root = write(tmp_path / "root", "a.py")
    (root / "link.py").symlink_to(outside / "secret.py")
    (root / "folder").symlink_to(outside)
    os.mkfifo(root / "pipe.py")
    write(root, "large.py", text="x" * 2000)
    paths, reasons = selected(root, Selection(largest_bytes=1000))
    assert paths == ["a.py"]
    assert reasons == {"symlink": 2, "special": 1, "size": 1}


def test_a_name_that_is_not_utf8_is_left_out(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.py")).write_text("x = 1\n")
    assert selected(tmp_path) == ([], {"name": 1})


def test_nested_ignore_files_are_read_as_git_reads_them(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(
        tmp_path,
        "a.log",
        "keep.log",
        "b/a.log",
        "b/keep.log",
        "b/c/x.tmp",
        "b/c/y.py",
        "tmp/z.py",
        "b/tmp/z.py",
    )
    write(tmp_path, "docs/build.py", "x/docs/build.py", "private.py", "é.py")
    (tmp_path / ".gitignore").write_text("*.log\n!keep.log\n/tmp/\ndocs/build.py\n# comment\n\\#x\n")
    (tmp_path / "b/.gitignore").write_text("!a.log\nkeep.log\n*.tmp\n")
    (tmp_path / ".git/info/exclude").write_text("private.py\n")
    paths, reasons = selected(tmp_path, EVERY)
    assert sorted(paths) == seen_by_git(tmp_path)
    assert reasons["gitignore"] > 0


@settings(max_examples=25)
@given(
    st.lists(
        st.sampled_from("a b *.x !a.x /a b/ a/ **/c a/**/c !b *.?x [ab].x !*.x a/b /*.x !/b/a.x".split()),
        max_size=4,
    ),
    st.lists(st.sampled_from("a *.x !a.x /c !c c/ !**/b.x".split()), max_size=3),
)
@example(["[ab].x"], ["!c"])
@example(["a/c"], ["!c"])
@example(["c/", "!a.x"], ["a.x", "!c/"])
def test_any_ignore_files_are_read_as_git_reads_them(
    tmp_path_factory: pytest.TempPathFactory, above: list[str], below: list[str]
) -> None:
    root = tmp_path_factory.mktemp("ignored")
    git(root, "init", "-q")
    write(root, "a.x", "b.x", "c", "b/a.x", "b/c/b.x", "b/b.xx", "a/b/c", "a/c/a.x", "a/a", text="x")
    (root / ".gitignore").write_text("\n".join(["# rules", *above]))
    (root / "a/.gitignore").write_text("\n".join(["# rules", *below]))
    assert sorted(selected(root, EVERY)[0]) == seen_by_git(root)


def test_rules_above_the_root_hold_unless_they_ignore_the_root_itself(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, "part/a.py", "part/b.log.py", "skipped/part/a.py")
    (tmp_path / ".gitignore").write_text("*.log.py\nskipped/\n")
    assert selected(tmp_path / "part")[0] == ["a.py"]
    assert selected(tmp_path / "skipped/part")[0] == ["a.py"]


def test_a_root_that_is_no_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="found nothing"):
        selected(tmp_path / "missing")


def test_a_root_is_confined_to_the_allowed_folder(tmp_path: Path) -> None:
    write(tmp_path, "allowed/repo/a.py", "other/a.py")
    (tmp_path / "allowed/link").symlink_to(tmp_path / "other")
    allowed = tmp_path / "allowed"
    assert confine("repo", allowed) == (allowed / "repo").resolve()
    assert confine(".", allowed) == allowed.resolve()
    for root in ("../other", str(tmp_path / "other"), "link", "repo/../../other"):
        with pytest.raises(InputError, match="leads out"):
            confine(root, allowed)
    with pytest.raises(InputError, match="found nothing"):
        confine("missing", allowed)


def test_counts_are_told_in_words(tmp_path: Path) -> None:
    excluded = Excluded()
    list(select_files(write(tmp_path, "a.png", "b.png", "yarn.lock"), Selection(), excluded))
    assert (str(excluded), excluded.total) == ("3 left out: 2 .png, 1 lock", 3)
