"""The stack: storage, functions, API, rebuilds, alarms."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from constructs import Construct

from infra.building import Building
from infra.gateway import Gateway
from infra.monitoring import Monitoring
from infra.routes import deployed_routes
from infra.serving import Deployed, Functions
from infra.settings import StackSettings
from infra.storage import Storage


class QuireStack(cdk.Stack):
    """One deployment of Quire."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        deployed: Deployed,
        *,
        settings: StackSettings,
        **more: Any,
    ) -> None:
        super().__init__(scope, id, **more)
        storage = Storage(self, "Storage", settings)
        functions = Functions(self, "Functions", deployed, storage=storage, settings=settings).by_name
        routes = deployed_routes(deployed.table, deployed.collections)
        gateway = Gateway(self, "Gateway", routes, functions, api_key=storage.api_key, settings=settings)
        building = Building(
            self, "Building", deployed.collections, functions, storage=storage, settings=settings
        )
        scheduled = [one.name for one in deployed.collections.values() if one.schedule]
        Monitoring(
            self,
            "Monitoring",
            functions,
            scheduled=scheduled,
            project=building.project,
            settings=settings,
        )
        cdk.CfnOutput(self, "Address", value=gateway.api.url)
        cdk.CfnOutput(self, "Bucket", value=storage.bucket.bucket_name)
        if settings.snap_start:
            cdk.CfnOutput(self, "FunctionNames", value=building.environment()["QUIRE_FUNCTIONS"])
        cdk.CfnOutput(self, "ModelKeyArn", value=storage.model_key.secret_arn)
