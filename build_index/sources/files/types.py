"""What a file of a code base is by its name: its language, and whether it is a test, generated or translated."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

TEXT = "text"
"""The language of files that are read as windows of lines."""

LANGUAGES: Mapping[str, str] = {
    extension: language
    for language, extensions in {
        "python": ".py .pyi .pyw",
        "cython": ".pyx .pxd .pxi",
        "php": ".php .phtml .php5 .inc",
        "javascript": ".js .mjs .cjs .jsx",
        "typescript": ".ts .mts .cts",
        "tsx": ".tsx",
        "vue": ".vue",
        "svelte": ".svelte",
        "astro": ".astro",
        "go": ".go",
        "rust": ".rs",
        "java": ".java",
        "c": ".c .h",
        "cpp": ".cc .cpp .cxx .hpp .hh .hxx .ipp .inl .cu .cuh",
        "c_sharp": ".cs",
        "ruby": ".rb .rake .gemspec .ru",
        "lua": ".lua",
        "luau": ".luau",
        "shell": ".sh .bash .zsh",
        "sql": ".sql",
        "markdown": ".md .mdx .markdown .qmd .rmd",
        "rst": ".rst",
        "asciidoc": ".adoc .asciidoc .asc",
        "org": ".org",
        "latex": ".tex .ltx",
        "json": ".json .jsonc",
        "yaml": ".yml .yaml",
        "ini": ".ini .cfg .conf .properties",
        "toml": ".toml",
        "text": ".txt",
        "html": ".html .htm .twig .tpl",
        "css": ".css .scss .less",
        "zig": ".zig",
        "kotlin": ".kt .kts",
        "swift": ".swift",
        "scala": ".scala .sc",
        "dart": ".dart",
        "elixir": ".ex .exs",
        "erlang": ".erl .hrl",
        "haskell": ".hs",
        "ocaml": ".ml",
        "ocaml_interface": ".mli",
        "clojure": ".clj .cljs",
        "perl": ".pl .pm",
        "r": ".r",
        "julia": ".jl",
        "powershell": ".ps1",
        "batch": ".bat .cmd",
        "protobuf": ".proto",
        "graphql": ".graphql .gql",
        "hcl": ".tf .hcl",
        "cmake": ".cmake",
        "dockerfile": ".dockerfile",
        "makefile": ".mk",
        "groovy": ".groovy .gradle",
    }.items()
    for extension in extensions.split()
}
"""Languages by extension, in lower case."""

NAMES: Mapping[str, str] = {
    name: language
    for language, names in {
        "dockerfile": "dockerfile containerfile",
        "makefile": "makefile gnumakefile",
        "ruby": "rakefile gemfile vagrantfile",
        "python": "sconstruct wscript",
        "cmake": "cmakelists.txt",
        "groovy": "jenkinsfile",
        "go_module": "go.mod",
        TEXT: "readme",
    }.items()
    for name in names.split()
}
_INTERPRETERS: Mapping[str, str] = {
    **{name: name for name in ("python", "ruby", "php", "lua", "perl")},
    **dict.fromkeys(("sh", "bash", "dash", "zsh"), "shell"),
    "node": "javascript",
}
_SHEBANG = re.compile(r"#!\s*\S*?(?:env\s+(?:-\S+\s+)*)?([a-z]+)[\d.]*(?:\s|$)")
_CPP = re.compile(
    r"""
    ^[ \t]*+(?:
        class\s+\w+[^;\n]*+$                         # a definition, not `class A;`
        | namespace\s+\w
        | template\s*<
        | using\s+namespace
        | public: | private:
    )
    """,
    re.MULTILINE | re.VERBOSE,
)
NO_TEXT = frozenset(
    """
    .png .jpg .jpeg .gif .bmp .ico .icns .webp .avif .tif .tiff .psd .ai .eps .svg .ps .doc .xls
    .ppt .odt .ods .odp .rtf .zip .gz .tgz .bz2 .xz .zst .7z .rar .tar .jar .war .whl .egg .deb .rpm .dmg
    .iso .apk .aab .ipa .nupkg .so .dll .dylib .exe .bin .o .a .lib .obj .pyc .pyo .pyd .class .wasm .node .pdb
    .dex .ttf .otf .woff .woff2 .eot .mp3 .mp4 .m4a .wav .ogg .flac .avi .mov .mkv .webm .onnx .pt .pth
    .safetensors .gguf .h5 .pkl .pickle .npy .npz .db .sqlite .sqlite3 .mdb .mo .rbxm .rbxl .blend .fbx .glb
    .stl .keystore .jks .p12 .pfx .der
    """.split()
)
"""Extensions of what is no text."""
DATA = frozenset(
    """
    .csv .tsv .jsonl .ndjson .geojson .parquet .arrow .feather .log .out .snap .map .dat .data .har .ics .vcf
    .pem .crt .cer .key .pub .sum .lock .patch .diff .rej .orig .old .bak .swp .tmp .po .pot .xlf .xliff .arb .resx
    .strings .stringsdict .ts.qm .drawio .excalidraw .fig .xcscheme .pbxproj .xib .storyboard .sln
    .vcxproj .filters .gpx .kml .obj .mtl .ply .srt
    """.split()
)
"""Extensions of text that nobody asks about: tables, records, keys, translations of an interface's strings."""

_TONGUES = (
    "af|ar|ast|az|be|bg|bn|br|bs|ca|ckb|cs|cy|da|de|el|eo|es|et|eu|fa|fi|fil|fr|ga|gd|gl|gu|he|hi|hr|hu|hy|id|is|it|ja|jp"
    "|ka|kk|km|kn|ko|ku|ky|lb|lt|lv|mk|ml|mn|mr|ms|mt|my|nb|ne|nl|nn|no|oc|pa|pl|ps|pt|ro|ru|si|sk|sl|sq|sr|sv|sw|ta|te"
    "|tg|th|tk|tl|tr|tt|ug|uk|ur|uz|vi|yi|zh|zu"
)
_VARIANT = "[A-Za-z]{2}|hans|hant|latn|cyrl|latin|cyrillic|formal|informal|valencia|419"
"""Where, in which script and how politely it is spoken: `pt_BR`, `zh-Hans-CN`, `sr@latin`, `de_DE_formal`."""
TONGUE = rf"(?:{_TONGUES})(?:[-_@](?:{_VARIANT})){{0,2}}"
_TRANSLATED_FOLDER = re.compile(TONGUE, re.IGNORECASE)
_TRANSLATED_STRINGS = re.compile(rf"{TONGUE}\.\w+", re.IGNORECASE)  # fr.json
# devise.fr.yml, beside code such as set_id.py
_TRANSLATED_DATA = re.compile(
    rf"(?:.+[._-])?{TONGUE}\.(?:json|ya?ml|properties|ini|toml|ftl|xml)", re.IGNORECASE
)
_TRANSLATED_WORDS = re.compile(rf"{TONGUE}\.(?:json|ya?ml|php|properties|ini)", re.IGNORECASE)  # Laravel's
_EXPORTED = re.compile(
    r"""
    <meta \s+ name = ["']? generator ["']? \s+ content = ["']? [^\s"'{<>]
    | <!--[ ]Book[ ]generated[ ]using[ ]mdBook
    | <body \s+ class = "theme-default [ ] aui-theme-default"  # Confluence's
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TRANSLATED_ANYWHERE = re.compile(
    rf"""
    .*/
    (?:
        values-{TONGUE.replace("[-_@]", "-r?")}/\w+\.xml            # Android's: res/values-pt-rBR/strings.xml
        | {TONGUE}\.lproj/.+                                      # Apple's
        | \w*(?:message|string|label|text|bundle|resource|i18n|translation|error)s?_{TONGUE}\.properties  # Java's
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TRANSLATION = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE TS\b|<TS\s)")  # Qt Linguist's, named .ts
# README.zh-CN.md
_TRANSLATED_PAGE = re.compile(rf".+[._-]{TONGUE}\.(?:md|mdx|markdown|rst|adoc|txt)", re.IGNORECASE)
_OF_STRINGS = frozenset("locale locales i18n l10n translation translations".split())
_OF_WORDS = frozenset("lang langs language languages".split())
_OF_TONGUES = (
    _OF_STRINGS | _OF_WORDS | frozenset("doc docs documentation content readme readmes website pages".split())
)
_VENDORED = frozenset(
    """
    vendor vendors vendored _vendor third_party third-party thirdparty 3rdparty 3rd_party extlib extlibs
    bower_components jspm_packages pods carthage site-packages elm-stuff
    """.split()
)
_LOCK = re.compile(
    r"""
    (?:
        .*\.lock | .*\.lockb
        | package-lock\.json | npm-shrinkwrap\.json | pnpm-lock\.ya?ml  # JavaScript's
        | packages\.lock\.json                                         # .NET's
        | go\.sum | gradle\.lockfile
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_MINIFIED = re.compile(
    r"""
    .*(?:
        [.-]min\.(?:js|mjs|css|html) | \.bundle\.js
        | \.(?:js|css)\.map  # where a debugger finds the source of these
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_GENERATED = re.compile(
    r"""
    .*(?:
        _pb2(?:_grpc)?\.pyi? | \.pb\.(?:go|cc|h|swift|dart|exs?) | _pb\.(?:rb|js|d\.ts)  # by protoc
        | \.g\.(?:dart|cs) | \.freezed\.dart | \.designer\.cs
        | [_.]generated\.\w+ | zz_generated.*\.go | \.gen\.\w+
        | [._-]rtl\.css  # of the style sheet that is written from left to right
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TEST_FOLDERS = frozenset(
    "test tests __tests__ spec specs testdata fixtures __fixtures__ mocks __mocks__ fakes dummy e2e t".split()
)
_TEST_FOLDER = re.compile(
    r"""
    (?:  android | common | jvm | js | native | ios | desktop   # source sets of Kotlin and Gradle: src/androidTest
       | unit | integration | functional | acceptance | instrumented | ui | smoke )[-_]?tests?
    | test[-_]?(?:fixtures|demo|data|suite|support|utils?|helpers?)
    | .+[-_.]tests?                                              # a module of its own: Shop.Tests, shop-test
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TEST_NAME = re.compile(
    r"""
    test_.+\.pyi? | .+_tests?\.\w+                          # Python, Go, Rust
    | .+[.-](?:test|spec|cy)\.\w+                             # JavaScript
    | conftest\.py
    | tests?\.(?:py|js|ts|php|rs|c|cc|cpp)
    | .+_spec\.rb
    | (?:.+[a-z0-9])Tests?\.(?:java|php|cs|kt|scala|swift)    # `UserTest.java`, not `Latest.java`
    | IT[A-Z][a-z].+\.(?:java|kt) | .+[a-z0-9]IT\.(?:java|kt)       # Maven's integration tests
    | test-.+\.\w+ | .+\.test
    | (?:.+[-_])?(?:test|fake|dummy|mock)[-_]?data\.\w+       # what fills a database to try it
    """,
    re.VERBOSE,
)
_EXAMPLE_FOLDER = re.compile(
    r"""
    _?(?:example|sample|demo|playground|tutorial|benchmark)s? | bench(?:es)?
    | (?:example|sample|demo|dummy|toy)[-_]?apps?        # that something is tried with
    | .+[-_.](?:examples|samples|demos|benchmarks)       # a module of its own: Shop.Samples, shop-benchmarks
    """,
    re.IGNORECASE | re.VERBOSE,
)
_EXAMPLE_NAME = re.compile(r"(?:example|demo)s?\.\w+", re.IGNORECASE)
_SOURCE_FOLDERS = frozenset("src lib main app pkg internal".split())
"""Below these a folder is named for what the code is about: a package `com.shop.samples`, a class `Demo`."""
_HISTORY_FOLDERS = frozenset(
    "announce announcements changelog changelogs releases release-notes release_notes whatsnew .changeset".split()
)
_HISTORY_NAME = re.compile(
    r"""
    (?: change[-_]?(?:logs?|archive|history|notes) | changes | history | news | release[-_]?notes? | whats?[-_]?new
      | (?: upgrad(?:e|ing) | migrat(?:ion|ing) ) (?=.*\.)  # a script has the bare word
      | authors | contributors )                          # what came of it, and by whom
    (?: (?: [-_.].* )? \. (?: md | mdx | markdown | rst | adoc | txt ) )?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_INTERFACE_NAME = re.compile(r"(?:variable|output|version)s?(?:[._-]\w+)?\.tf")
"""Of Terraform, where a module's variables and outputs stand apart from what it makes."""
_LEGACY = re.compile(r"(?:\d+[-_. ])?(?:legacy|deprecated|obsolete)(?:[-_. ].*)?", re.IGNORECASE)
"""A folder or page of what something newer has taken the place of: `99-legacy/01-legacy-let.md`."""
_UPKEEP = re.compile(
    r"""
    (?: .*/ )? (?:
        \.(?:github|gitlab|circleci|buildkite|woodpecker|azure-pipelines|semaphore)/ .+ \.ya?ml  # what servers run
      | \.(?:gitlab-ci|travis|drone|appveyor|cirrus)\.ya?ml
      | (?:\w+[_-])?migrat(?:e|ions?)/ .+ \.(?:py|rb|php|exs?|[jt]s|go|java|kt|cs|rs)  # a database's steps
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
EXAMPLE, HISTORY, INTERFACE, LEGACY, UPKEEP = "example", "history", "interface", "legacy", "upkeep"


def language_of(path: str, text: str = "") -> str:
    """The language of a file, "" where its kind is not known.

    Args:
        path: relative, with forward slashes.
        text: what the file holds, for what its name leaves open: a script without an extension, a C++ header.

    >>> language_of("a/b.py"), language_of("Dockerfile"), language_of("logo.png"), language_of("bin/run", "#!/bin/sh")
    ('python', 'dockerfile', '', 'shell')
    """
    name = PurePosixPath(path).name
    lower = name.lower()
    known = (
        NAMES.get(lower) or LANGUAGES.get(PurePosixPath(lower).suffix) or NAMES.get(lower.partition(".")[0])
    )
    if known == "c" and lower.endswith(".h") and _CPP.search(text):
        return "cpp"
    if known or "." in name.lstrip("."):
        return known or ""
    shebang = _SHEBANG.match(text.partition("\n")[0][:200])
    return _INTERPRETERS.get(shebang[1], "") if shebang else ""


def is_test_path(path: str) -> bool:
    """Whether a path is that of a test or its support, by the habits of the common languages.

    >>> is_test_path("pkg/a_test.go"), is_test_path("test.c"), is_test_path("src/contest.py")
    (True, True, False)
    """
    *folders, name = PurePosixPath(path).parts
    in_tests = any(one.lower() in _TEST_FOLDERS or _TEST_FOLDER.fullmatch(one) for one in folders)
    return in_tests or bool(_TEST_NAME.fullmatch(name))


def role_of(path: str) -> str:
    """What a file is beside the code itself; "" for most.

    `example`, `history` (notes of releases and upgrades), `interface` (what a module of Terraform takes and gives) or
    `upkeep` (what servers run to build and check it, and steps by which a database came to be what it is).

    >>> role_of("_examples/rest/main.go"), role_of("docs/UPGRADE-20.0.md"), role_of("src/com/shop/samples/Basket.kt")
    ('example', 'history', '')
    >>> role_of("modules/vpc/outputs.tf")
    'interface'
    >>> role_of(".github/workflows/lint.yml"), role_of("db/migrate/2019_add_lid.rb"), role_of(".github/SECURITY.md")
    ('upkeep', 'upkeep', '')
    """
    *folders, name = path.split("/")
    if _UPKEEP.fullmatch(path):
        return UPKEEP
    if _INTERFACE_NAME.fullmatch(name):
        return INTERFACE
    if _HISTORY_NAME.fullmatch(name) or not _HISTORY_FOLDERS.isdisjoint(one.lower() for one in folders):
        return HISTORY
    for folder in folders:
        if _EXAMPLE_FOLDER.fullmatch(folder):
            return EXAMPLE
        if folder.lower() in _SOURCE_FOLDERS:
            return ""
    return EXAMPLE if _EXAMPLE_NAME.fullmatch(name) else ""


_NAVIGATION = re.compile(
    r"""
    nav(?:igation)?(?:[-_][\w-]++)?\.(?:adoc|asciidoc)  # of Antora
    | _(?:sidebar|navbar)\.md                          # of docsify
    | SUMMARY\.md
    """,
    re.VERBOSE,
)
_OF_SITE = re.compile(
    r"""
    _(?:meta|nav|navbar|sidebar|category_)\.(?:json|ya?ml)  # a folder's menu: Rspress, Nextra, Docusaurus
    | _meta\.[cm]?[jt]sx?                                   # Nextra's alone: `_sidebar.tsx` is a component
    | _(?:headers|redirects)                                # what its host sends along: Netlify, Cloudflare
    """,
    re.VERBOSE,
)
_IN_NAVIGATION = re.compile(
    r"""
    [ \t]*+(?: [*.+-]{1,6}[ \t]++\S.*+ | \d{1,3}\.[ \t].*+  # an item
      | (?:\#|=|//|:[\w!-]++:|include::|if\w{2,4}::|endif::  # a heading, a comment, a setting, a condition
        |<!--|\.\w|-{3}|\[).*+ )                                              # a title, a rule, a link
    """,
    re.VERBOSE,
)


def page_role(path: str) -> str:
    """What a page is beside the documentation of what is used today: `legacy`, `history` as in `role_of`; "" for most.

    >>> page_role("99-legacy/01-legacy-let.md"), page_role("release-notes/3.1.md"), page_role("guide/lines.md")
    ('legacy', 'history', '')
    """
    if any(map(_LEGACY.fullmatch, path.split("/"))):
        return LEGACY
    return HISTORY if role_of(path) == HISTORY else ""


def is_vendored(path: str) -> bool:
    """Whether a folder's name says that others wrote what is in it.

    >>> is_vendored("third_party"), is_vendored("src/vendor"), is_vendored("src/vendoring")
    (True, True, False)
    """
    return path.rpartition("/")[2].lower() in _VENDORED


def _is_translated(folders: list[str], name: str) -> bool:
    """Whether a path says a language other than English: docs/de/install.md, locale/pt_BR/messages.py."""
    kinds = [folder.lower() for folder in folders]
    first = next((place for place, kind in enumerate(kinds) if kind in _OF_TONGUES), len(kinds))
    if any(map(_TRANSLATED_FOLDER.fullmatch, folders[first + 1 :])) or _TRANSLATED_PAGE.fullmatch(name):
        return True
    if _TRANSLATED_ANYWHERE.fullmatch("/".join(("", *folders, name))):
        return True
    if not _OF_STRINGS.isdisjoint(kinds):
        return bool(_TRANSLATED_STRINGS.fullmatch(name) or _TRANSLATED_DATA.fullmatch(name))
    return not _OF_WORDS.isdisjoint(kinds) and bool(_TRANSLATED_WORDS.fullmatch(name))


def is_translation(head: str) -> bool:
    """Whether a file begins as Qt Linguist's translations do, which share `.ts` with TypeScript.

    >>> is_translation('<?xml version="1.0"?>\\n<!DOCTYPE TS>\\n<TS version="2.1">'), is_translation("let a: TS")
    (True, False)
    """
    return bool(_TRANSLATION.match(head))


def is_exported_page(head: str) -> bool:
    """Whether an HTML file begins as what a word processor, a wiki or a generator of documentation writes.

    Such a page is a document; HTML that people write by hand is part of a program.

    >>> is_exported_page('<html><head><meta name=Generator content="Microsoft Word 15">')
    True
    >>> is_exported_page("<head><!-- Book generated using mdBook --><meta charset=UTF-8>")
    True
    >>> is_exported_page('<link href="styles/site.css"></head><body class="theme-default aui-theme-default">')
    True
    >>> is_exported_page('<meta name="generator" content="{{ hugo.Version }}">'), is_exported_page("<div id=app>")
    (False, False)
    """
    return bool(_EXPORTED.search(head))


def is_navigation(path: str, text: str) -> bool:
    """Whether a file lists a site's pages for its menu and says nothing else, or tells its host how to serve them.

    It is of Antora, docsify, GitBook, mdBook, Rspress, Nextra or Docusaurus.

    >>> [is_navigation(path, "x") for path in ("guide/_meta.json", "public/_headers", "guide/_meta.js", "_sidebar.tsx")]
    [True, True, True, False]
    >>> is_navigation("modules/ROOT/nav.adoc", ".Boats\\n* xref:oars.adoc[]\\n** Sails\\n")
    True
    >>> is_navigation("SUMMARY.md", "# Summary\\n\\nAll of boats.\\n"), is_navigation("a.md", "- [A](a.md)")
    (False, False)
    """
    lines = (line for line in text.splitlines() if line.strip())
    name = path.rpartition("/")[2]
    if _OF_SITE.fullmatch(name):
        return True
    return bool(_NAVIGATION.fullmatch(name)) and all(map(_IN_NAVIGATION.fullmatch, lines))


def unwanted_name(path: str) -> str:
    """Why a file is left out by its path alone: `lock`, `minified`, `generated` or `translation`; "" where it is not.

    >>> unwanted_name("package-lock.json"), unwanted_name("js/app.min.js"), unwanted_name("a.py")
    ('lock', 'minified', '')
    >>> unwanted_name("docs/pt_BR/a.md"), unwanted_name("README.zh-CN.md"), unwanted_name("src/it/a.py")
    ('translation', 'translation', '')
    >>> unwanted_name("lang/de.json"), unwanted_name("languages/go.ts"), unwanted_name("i18n/set_id.py")
    ('translation', '', '')
    """
    *folders, name = path.split("/")
    if _is_translated(folders, name):
        return "translation"
    if _LOCK.fullmatch(name):
        return "lock"
    if _MINIFIED.fullmatch(name):
        return "minified"
    return "generated" if _GENERATED.fullmatch(name) else ""
