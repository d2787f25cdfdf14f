"""`quire verify-citation` and `quire diff`: what the indexes themselves say, without a model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from functions.cli.choosing import choose, open_chosen
from functions.cli.common import NOTHING, CollectionOption, JsonOption, StoreOption, print_json
from functions.cli.user_directories import settings_for
from quire.errors import InputError


def verify_citation(
    file: Annotated[
        str, typer.Argument(help="JSON with citations, as `--json` or the API gave it; - reads it here.")
    ],
    collection: CollectionOption = "",
    *,
    store: StoreOption = "",
    as_json: JsonOption = False,
) -> None:
    """Check citations byte for byte against the indexed text; exit code 1 where one is not what was indexed."""
    from quire.service.access import ANYONE
    from quire.service.verification import VERIFIED, read_claims, verify_claims

    said = _read_json(file)
    claims = read_claims(said)
    named = said.get("collection", "") if isinstance(said, dict) else ""
    service, name = open_chosen(store, collection or str(named))
    verdicts = verify_claims(service, ANYONE, name, claims)
    if as_json:
        print_json(
            [
                {"id": claim.id, "status": one.status, "detail": one.detail}
                for claim, one in zip(claims, verdicts, strict=True)
            ]
        )
    else:
        for claim, one in zip(claims, verdicts, strict=True):
            place = f"{claim.place.get('path', claim.id)}:{claim.place.get('start_line', '')}".rstrip(":")
            typer.echo(f"{one.status}: {place}  {one.detail}".rstrip())
    if any(one.status != VERIFIED for one in verdicts):
        raise typer.Exit(NOTHING)


def diff(
    versions: Annotated[
        list[str],
        typer.Argument(
            metavar="[COLLECTION] BEFORE [AFTER]",
            help="Ids, engine versions (0.732) or dates; without AFTER what is served now.",
        ),
    ],
    collection: CollectionOption = "",
    *,
    store: StoreOption = "",
    as_json: JsonOption = False,
) -> None:
    """List what changed between two versions of an index: quire diff roblox 0.732 0.735."""
    from functions.app.wiring import open_service
    from functions.web.wire import comparison_wire
    from quire.service.access import ANYONE
    from quire.service.diff import compare

    settings = settings_for(store)
    service = open_service(settings)
    if not collection and (len(versions) > 2 or versions[0] in service.catalog.names()):
        collection, *versions = versions
    if not 1 <= len(versions) <= 2:
        raise InputError(f"diff: wanted one version or two, found {len(versions)}", field="version")
    before, after = (*versions, "latest")[:2]
    name = choose(service, collection, settings)
    changes = comparison_wire(name, compare(service, ANYONE, name, before, after=after))
    if as_json:
        print_json(changes)
        return
    for of in ("members", "documents"):
        for what, names in changes.get(of, {}).items():
            for one in names:
                typer.echo(f"{what}: {one['name'] if isinstance(one, dict) else one}")


def _read_json(file: str) -> Any:
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        return json.loads(text)
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}", field="file") from error
    except ValueError as error:
        raise InputError(f"{file}: wanted JSON in UTF-8: {error}", field="file") from error
