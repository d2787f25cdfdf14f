"""One Lambda function as every one of them is: own role, own log group, an alias on a version with its snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.reasons import accept
from infra.settings import STARTING, StackSettings

ALIAS = "live"
LAMBDA_TASK = "/var/task"


@dataclass(frozen=True, slots=True)
class FunctionPlan:
    """What makes one function differ from the others.

    `streams`: its responses leave piece by piece. `module` has its handler, `functions.<name>` where that is "".
    """

    name: str
    layers: Sequence[lambda_.ILayerVersion]
    timeout_s: int
    environment: Mapping[str, str]
    streams: bool = False
    has_snapshot: bool = False
    module: str = ""


class ApiFunction(Construct):
    """`functions/<name>.py` behind the alias `live`, which points to a published version.

    An alias, because code and layers are updated in two calls: callers of `$LATEST` would meet the state between.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        plan: FunctionPlan,
        *,
        archive: Path,
        settings: StackSettings,
    ) -> None:
        super().__init__(scope, id)
        self.plan = plan
        self.log_group = logs.LogGroup(
            self, "Logs", retention=retention(settings.log_days), removal_policy=cdk.RemovalPolicy.DESTROY
        )
        self.role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        self.log_group.grant_write(self.role)
        self.function = lambda_.Function(
            self,
            "Function",
            runtime=lambda_.Runtime.PYTHON_3_13,
            architecture=lambda_.Architecture.X86_64,
            handler=f"{plan.module or f'functions.{plan.name}'}.handler",
            code=lambda_.Code.from_asset(str(archive)),
            layers=list(plan.layers),
            role=self.role,
            log_group=self.log_group,
            memory_size=settings.memory_mb,
            ephemeral_storage_size=cdk.Size.mebibytes(settings.ephemeral_mb),
            timeout=cdk.Duration.seconds(plan.timeout_s),
            environment=_environment(plan, settings),
            tracing=lambda_.Tracing.ACTIVE if settings.tracing else lambda_.Tracing.DISABLED,
            reserved_concurrent_executions=settings.reserved_concurrency or None,
            # A stack that goes back to an earlier template leads its alias to that version again.
            current_version_options=lambda_.VersionOptions(
                removal_policy=cdk.RemovalPolicy.RETAIN,
                # Else it would have the one that renewing snapshots gave the function, and be pruned like those.
                description="deployed",
            ),
            snap_start=lambda_.SnapStartConf.ON_PUBLISHED_VERSIONS if plan.has_snapshot else None,
        )
        self.alias = lambda_.Alias(self, "Alias", alias_name=ALIAS, version=self.function.current_version)
        if settings.tracing:
            accept(self.role, {"AwsSolutions-IAM5[Resource::*]": "X-Ray's actions know no resource"})
        accept(self.function, {"AwsSolutions-L1": "the layers hold libraries and bytecode of Python 3.13"})


def retention(days: int) -> logs.RetentionDays:
    """CloudWatch's period of so many days.

    Raises:
        ValueError: it knows none of that length.
    """
    known = {1: "ONE_DAY", 7: "ONE_WEEK", 30: "ONE_MONTH", 90: "THREE_MONTHS", 365: "ONE_YEAR"}
    if days not in known:
        raise ValueError(f"log_days: wanted one of {', '.join(map(str, known))}, found {days}")
    return logs.RetentionDays[known[days]]


def _environment(plan: FunctionPlan, settings: StackSettings) -> dict[str, str]:
    environment = {
        "QUIRE_CACHE_MB": str(settings.ephemeral_mb),
        "QUIRE_MODEL_FOLDERS": "/opt/models",
        "QUIRE_CACHE": "/tmp/quire",  # noqa: S108, the one folder that a function may write
        "QUIRE_COLLECTIONS": f"{LAMBDA_TASK}/collections.toml",
        **STARTING,
        **plan.environment,
    }
    if plan.streams:
        environment["AWS_LAMBDA_EXEC_WRAPPER"] = f"{LAMBDA_TASK}/functions/aws/stream-runtime"
    return environment
