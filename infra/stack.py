"""The stack: storage, functions, API, rebuilds, alarms."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_codedeploy as codedeploy
from constructs import Construct

from infra.api_function import ApiFunction
from infra.building import Building
from infra.gateway import Gateway
from infra.monitoring import TAG, Monitoring, Watched
from infra.reasons import accept
from infra.routes import deployed_routes
from infra.serving import Deployed, Functions
from infra.settings import StackSettings
from infra.sharding import ShardMap
from infra.storage import Storage

PERMISSIONS = "arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited"


class Rollout(Construct):
    """A deployment group for each function's alias, with the alarms that stop it."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        functions: Mapping[str, ApiFunction],
        alarms: Mapping[str, list[cloudwatch.Alarm]],
    ) -> None:
        super().__init__(scope, id)
        application = codedeploy.LambdaApplication(self, "Code")
        for name, one in functions.items():
            group = codedeploy.LambdaDeploymentGroup(
                self,
                name.capitalize(),
                application=application,
                alias=one.alias,
                deployment_config=codedeploy.LambdaDeploymentConfig.CANARY_10_PERCENT_5_MINUTES,
                alarms=alarms.get(name, []),
                auto_rollback=codedeploy.AutoRollbackConfig(failed_deployment=True, stopped_deployment=True),
            )
            accept(
                group, {f"AwsSolutions-IAM4[Policy::{PERMISSIONS}]": "CodeDeploy asks for this very policy"}
            )


ABSENT = {"CodeBuild": frozenset({"ap-east-2", "ca-west-1", "mx-central-1"})}
"""What some regions with Lambda lack. Source: the endpoints that botocore 1.44.5 lists."""


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
        # The CDK repeats dependencies that a reference implies already. Whoever validates the template reads it here:
        # sam takes no list of checks, and one warning fails it.
        self.template_options.metadata = {"cfn-lint": {"config": {"ignore_checks": ["W3005"]}}}
        region = os.environ.get("CDK_DEFAULT_REGION", "")
        for service in [name for name, places in ABSENT.items() if region in places]:
            what = f"{service}: not known in {region}; choose another region, or ask AWS whether it has come there"
            cdk.Annotations.of(self).add_warning_v2(f"quire:no-{service.lower()}", what)
        storage = Storage(self, "Storage", settings)
        serving = Functions(self, "Functions", deployed, storage=storage, settings=settings)
        functions = serving.by_name
        routes = deployed_routes(deployed.table, deployed.collections)
        gateway = Gateway(self, "Gateway", routes, functions, api_keys=storage.api_keys, settings=settings)
        sharding = (
            ShardMap(self, "Sharding", deployed, serving=serving, storage=storage, settings=settings)
            if settings.distributed
            else None
        )
        building = Building(
            self,
            "Building",
            deployed.collections,
            functions,
            storage=storage,
            settings=settings,
            sharding=sharding,
        )
        monitoring = Monitoring(
            self,
            "Monitoring",
            functions,
            watched=Watched(
                api=gateway.api,
                project=building.project,
                scheduled=[one.name for one in deployed.collections.values() if one.schedule],
                queues={
                    "NotStarted": ("a scheduled build could not be started", building.not_started),
                    "JobFailed": ("a job failed three times", serving.failed_jobs),
                },
                machine=sharding.machine if sharding else None,
                answers_anyone=any(one.public_answers for one in deployed.collections.values()),
            ),
            settings=settings,
        )
        if settings.canary:
            Rollout(self, "Rollout", functions, monitoring.errors)
        cdk.Tags.of(self).add(TAG, settings.name)
        names = [one.function.function_name for one in functions.values()]
        cdk.CfnOutput(self, "FunctionNames", value=" ".join(names))
        _print_address(self, gateway.api, settings)
        _print_storage(self, storage)


def _print_address(stack: cdk.Stack, api: apigateway.RestApi, settings: StackSettings) -> None:
    domain = api.domain_name
    cdk.CfnOutput(stack, "Address", value=f"https://{settings.domain}/" if domain else api.url)
    if domain:
        cdk.CfnOutput(
            stack,
            "DomainTarget",
            value=domain.domain_name_alias_domain_name,
            description="what a CNAME record of the domain must name",
        )


def _print_storage(stack: cdk.Stack, storage: Storage) -> None:
    cdk.CfnOutput(stack, "Bucket", value=storage.bucket.bucket_name)
    cdk.CfnOutput(stack, "ModelKeyArn", value=storage.model_key.secret_arn)
    # The functions ask for this key even where API Gateway asks for none.
    cdk.CfnOutput(
        stack,
        "KeyArn",
        value=storage.api_key.secret_arn,
        description="aws secretsmanager get-secret-value --query SecretString --secret-id ...",
    )
