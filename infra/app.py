"""The CDK app. `make synth` runs it; the archives of `make layers` must lie in build/layers."""

from __future__ import annotations

from pathlib import Path

import aws_cdk as cdk
from cdk_nag import AwsSolutionsChecks

from infra.routes import read_table
from infra.serving import Deployed
from infra.settings import read_settings
from infra.stack import QuireStack
from quire.collections import read_collections

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Synthesize what the CDK's command line chose."""
    synthesize(cdk.App())


def synthesize(app: cdk.App) -> None:
    """Write the stack of the app's context into its folder, judged by cdk-nag's rules."""
    settings = read_settings(app.node.get_all_context())
    deployed = Deployed(
        archives=Path(app.node.try_get_context("archives") or ROOT / "build/layers"),
        table=read_table(ROOT / "functions/routes.json"),
        collections=read_collections(
            Path(app.node.try_get_context("collections") or ROOT / "collections.toml")
        ),
    )
    QuireStack(
        app, settings.name, deployed, settings=settings, description="Quire: documents as a knowledge API"
    )
    cdk.Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    app.synth()


if __name__ == "__main__":
    main()
