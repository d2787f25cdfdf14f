"""The commands of the operator's CLI with their arguments, and what becomes of their errors."""

from __future__ import annotations

import argparse
import io
import sys

from build_index.cli import commands
from build_index.cli.release_commands import add_release_commands
from build_index.gate.options import add_review_options
from build_index.progress import say
from build_index.sources.registry import registered
from quire.errors import QuireError, UnknownCollection, explain

REFUSED = 2


def run_command(arguments: list[str] | None = None) -> int:
    """Run one command and give its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a file's name may have signs that the terminal cannot show
        sys.stdout.reconfigure(errors="backslashreplace")
    args = _parser().parse_args(arguments)
    try:
        return int(args.run(args))
    except UnknownCollection as error:
        message = f"{error}: `python -m build_index build NAME` publishes one; --store names another store"
    except QuireError as error:
        message = str(error)
    except OSError as error:
        message = explain(error)
    say(f"build_index {args.command}: {message}")
    return REFUSED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m build_index", description="Builds and looks after collections."
    )
    commands_of = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_build(commands_of.add_parser("build", help="read sources, write a segment, publish it"))
    inspect = commands_of.add_parser("inspect", help="print what a collection serves")
    _common(inspect, commands.run_inspect)
    verify = commands_of.add_parser("verify", help="check every byte against the digests")
    _common(verify, commands.run_verify)
    scan = commands_of.add_parser("scan", help="look for text that speaks to models in what is served")
    _common(scan, commands.run_scan)
    _add_query(commands_of.add_parser("query", help="ask one question"))
    _add_evaluate(commands_of.add_parser("evaluate", help="ask the golden questions"))
    _add_beir(commands_of.add_parser("beir", help="run a BEIR-format folder"))
    _add_answers(commands_of.add_parser("answers", help="judge extracted answers on a SQuAD-like folder"))
    model = commands_of.add_parser("model", help="export the embedding model once, and print its folder")
    model.set_defaults(run=commands.run_model)
    add_release_commands(commands_of)
    return parser


def _common(parser: argparse.ArgumentParser, run: object) -> None:
    parser.add_argument("name", help="the collection")
    parser.add_argument("--store", help="folder of the store (default: QUIRE_STORE, else .quire/store)")
    parser.set_defaults(run=run)


def _add_build(parser: argparse.ArgumentParser) -> None:
    _common(parser, commands.run_build)
    parser.add_argument("--profile", choices=list(registered()))
    parser.add_argument(
        "--source",
        action="extend",
        nargs="+",
        default=[],
        metavar="KEY=PATH",
        help="a path, git URL or release URL",
    )
    parser.add_argument("--engine-version", help="names the index where the sources do not")
    parser.add_argument(
        "--engine",
        choices=["local", "stepfunctions", "dask"],
        help="make the build in shards: by processes of this machine, on AWS Lambda, or on a Dask cluster",
    )
    parser.add_argument("--workers", type=_count, help="processes of the engine local (default: one a core)")
    parser.add_argument("--state-machine", metavar="ARN", help="of the engine stepfunctions")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of the engine dask, such as tcp://host:8786")
    add_review_options(parser)
    parser.add_argument("--no-publish", action="store_true", help="stop before the pointer")
    parser.add_argument("--json", action="store_true")


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"wanted a whole number above 0, found {text!r}")
    return int(text)


def _add_query(parser: argparse.ArgumentParser) -> None:
    _common(parser, commands.run_query)
    parser.add_argument("text", help="the question")
    parser.add_argument("--top-k", type=int, default=8)
    parser.add_argument("--mode", default="hybrid", choices=["hybrid", "vector", "keyword"])
    parser.add_argument("--filter", action="extend", nargs="+", default=[], metavar="FIELD=VALUE")
    parser.add_argument("--version")
    parser.add_argument("--json", action="store_true")


def _add_evaluate(parser: argparse.ArgumentParser) -> None:
    _common(parser, commands.run_evaluate)
    parser.add_argument("--golden", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--html", metavar="FILE", help="write a self-contained page with plots")
    parser.add_argument(
        "--candidate", action="store_true", help="compare what `build --no-publish` left with what is served"
    )
    add_review_options(parser)
    parser.add_argument("--json", action="store_true")


def _add_beir(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", help="holds corpus.jsonl, queries.jsonl and qrels/")
    parser.add_argument("--mode", default="hybrid", choices=["hybrid", "vector", "keyword"])
    parser.add_argument("--split", default="test")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(run=commands.run_beir)


def _add_answers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", help="a BEIR-format folder whose questions have `answers` in their metadata"
    )
    parser.add_argument("--limit", type=int, default=1500, help="questions, a seeded sample; 0 asks all")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(run=commands.run_answers)
