from __future__ import annotations

import pytest

from build_index.sources.files.types import (
    LANGUAGES,
    is_test_path,
    language_of,
    page_role,
    role_of,
    unwanted_name,
)
from quire.parsing.languages import GRAMMARS


def test_every_language_that_is_read_by_syntax_has_an_extension() -> None:
    assert set(GRAMMARS) <= set(LANGUAGES.values())


@pytest.mark.parametrize(
    "extension", ".py .php .js .ts .md .mdx .json .yml .yaml .ini .txt .sql .sh .rst".split()
)
def test_the_specifications_file_types_are_known(extension: str) -> None:
    assert language_of("folder/file" + extension)
    assert language_of("folder/FILE" + extension.upper()) == language_of("folder/file" + extension)


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        ("Dockerfile", "", "dockerfile"),
        ("docker/Dockerfile.dev", "", "dockerfile"),
        ("Makefile", "", "makefile"),
        ("Gemfile", "", "ruby"),
        ("CMakeLists.txt", "", "cmake"),
        ("bin/run", "#!/usr/bin/env -S python3 -u\n", "python"),
        ("bin/run", "#!/bin/bash\n", "shell"),
        ("bin/run", "no script", ""),
        ("a.h", "template <typename T>\n", "cpp"),
        ("a.h", "struct a { int b; };\n", "c"),
        ("photo.jpeg", "", ""),
        (".env", "", ""),
    ],
)
def test_names_and_first_lines_tell_the_language(path: str, head: str, language: str) -> None:
    assert language_of(path, head) == language


@pytest.mark.parametrize(
    "path",
    """tests/unit/helpers.py t/unit/app/conftest.py pkg/a_test.go src/a.spec.ts src/__tests__/a.js a/BasketTest.php
    src/test/java/org/BasketTests.java spec/basket_spec.rb test_basket.py a/basket_test.py Button.test.tsx
    src/androidTest/kotlin/Basket.kt core/src/commonTest/Basket.kt shop-tests/src/main/java/Fixtures.java
    Shop.Tests/Basket.cs store/src/integration-test/Basket.java store/ITBasket.java store/BasketIT.java
    tests/base64.test src/basket.test test-data/unit/basket.json
    server/mocks/store.go forge/fixtures/repos.go backend/dummy/dummy.go lib/tasks/fake_data.rake
    lib/bulk_test_data.rb""".split(),
)
def test_paths_of_tests_are_known(path: str) -> None:
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path",
    "src/contest.py celery/testing_tools.py latest/a.py attest.go protest.js ITEMS.java src/Iterator.java".split(),
)
def test_paths_of_other_code_are_no_tests(path: str) -> None:
    assert not is_test_path(path)


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("_examples/rest/main.go", "example"),
        ("modules/shop/examples/main.tf", "example"),
        ("example.lua", "example"),
        ("benchmarks/src/main/kotlin/Startup.kt", "example"),
        ("src/main/kotlin/com/shop/samples/Basket.kt", ""),
        ("lib/demo/basket.rb", ""),
        ("src/examples.rs", ""),
        ("CHANGELOG.md", "history"),
        ("docs/UPGRADE-20.0.md", "history"),
        ("docs/changelog/2.1.rst", "history"),
        ("NEWS", "history"),
        ("debian/changelog", "history"),
        ("docs/upgrade.py", ""),
        ("bin/upgrade", ""),
        ("src/History/Basket.swift", ""),
        ("lib/changes.rb", ""),
        ("modules/vpc/variables.tf", "interface"),
        ("examples/vpc/outputs.networks.tf", "interface"),
        ("modules/vpc/outputs.py", ""),
        ("demo-app/lib/basket.rb", "example"),
        ("Shop.Samples/Basket.cs", "example"),
        ("shop-benchmarks/basket.c", "example"),
        ("shop/benches/basket.rs", "example"),
        ("src/shop-samples/basket.rs", ""),
        ("app/basket.rb", ""),
        ("shop/db/old_migrations/2017_add_lid.rb", "upkeep"),
        (".gitlab-ci.yml", "upkeep"),
        ("src/migrations/README.md", ""),
        ("src/migrate.go", ""),
        ("db/migrations/0002_functions.sql", ""),
        ("samplers/rate.py", ""),
    ],
)
def test_examples_and_notes_of_releases_are_told_by_path(path: str, role: str) -> None:
    assert role_of(path) == role


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("99-legacy/01-let.md", "legacy"),
        ("guide/deprecated-options.rst", "legacy"),
        ("guide/legacyness.md", ""),
        ("announce/release-2.0.rst", "history"),
        ("examples/lamps.md", ""),
    ],
)
def test_pages_about_what_was_are_told_by_path(path: str, role: str) -> None:
    assert page_role(path) == role


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("composer.lock", "lock"),
        ("go.sum", "lock"),
        ("a/pnpm-lock.yaml", "lock"),
        ("jquery.min.js", "minified"),
        ("app.js.map", "minified"),
        ("api.pb.go", "generated"),
        ("lib/api.pb.ex", "generated"),
        ("api_pb.d.ts", "generated"),
        ("Form.Designer.cs", "generated"),
        ("themes/oar.rtl.css", "generated"),
        ("locksmith.py", ""),
        ("minify.js", ""),
    ],
)
def test_lock_minified_and_generated_files_are_told_by_name(path: str, reason: str) -> None:
    assert unwanted_name(path) == reason
