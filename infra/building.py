"""What keeps indexes fresh: a schedule for each collection, the job that it starts, and the role of GitHub Actions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_codebuild as codebuild
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3_assets as assets
from constructs import Construct

from infra.api_function import ALIAS, ApiFunction, retention
from infra.reasons import accept, logical_id, searched
from infra.schedules import add_schedules, service_of_account
from infra.settings import GITHUB, StackSettings, github_conditions
from infra.sharding import ShardMap
from infra.storage import Storage
from quire.collections import Collection

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = [".*", "build", "cdk.out", "node_modules", "tests", "infra", "**/__pycache__", "*.egg-info"]
CACHE = "build-cache"
STORING = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"]
LOADING = ["es:ESHttpGet", "es:ESHttpPost", "es:ESHttpPut", "es:ESHttpDelete"]
SNAPSHOTS = [
    "lambda:GetFunctionConfiguration",
    "lambda:ListVersionsByFunction",
    "lambda:PublishVersion",
    "lambda:UpdateFunctionConfiguration",
    "lambda:UpdateAlias",
    "lambda:DeleteFunction",
]
DIGESTS = "names of segments and models are digests; the policy names the prefix that they lie under"
NUMBERS = "a version's number is not known before it is published"
CACHED = "CodeBuild names its cache files itself"


class Building(Construct):
    """A CodeBuild project that runs `python -m build_index build` for one collection at a time, and its schedules.

    CodeBuild, because Lambda's 15 minutes are too few for a rebuild. EventBridge Scheduler delivers at least once; the
    build's own lock makes the second of two runs end at once.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        collections: Mapping[str, Collection],
        functions: Mapping[str, ApiFunction],
        *,
        storage: Storage,
        settings: StackSettings,
        sharding: ShardMap | None,
    ) -> None:
        super().__init__(scope, id)
        self._storage, self._settings, self._sharding = storage, settings, sharding
        self._functions = [one.function.function_name for one in functions.values() if one.plan.has_snapshot]
        self.source = assets.Asset(self, "Source", path=str(ROOT), exclude=LEFT_OUT)
        self.publishing = self._publishing(functions)
        if sharding:
            sharding.let_start(self.publishing)
        self.project = self._project()
        self.not_started = add_schedules(self, list(collections.values()), self.project, settings)
        if settings.repository:
            add_github_role(self, self.publishing, settings)

    def _project(self) -> codebuild.Project:
        log_group = logs.LogGroup(
            self,
            "Logs",
            retention=retention(self._settings.log_days),
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        project = codebuild.Project(
            self,
            "Project",
            # CDK would give the role the whole bucket; this role has what is written here and no more.
            role=self._role(log_group).without_policy_updates(),
            grant_report_group_permissions=False,
            source=codebuild.Source.s3(bucket=self.source.bucket, path=self.source.s3_object_key),
            environment=codebuild.BuildEnvironment(
                build_image=codebuild.LinuxBuildImage.AMAZON_LINUX_2_5,
                # 8 CPUs where it is LARGE: embedding is the build, and it is all CPU.
                compute_type=getattr(codebuild.ComputeType, self._settings.build_size),
            ),
            environment_variables={
                name: codebuild.BuildEnvironmentVariable(value=value)
                for name, value in self.environment().items()
            },
            cache=codebuild.Cache.bucket(self._storage.bucket, prefix=CACHE),
            logging=codebuild.LoggingOptions(
                cloud_watch=codebuild.CloudWatchLoggingOptions(log_group=log_group)
            ),
            build_spec=codebuild.BuildSpec.from_object(_build_spec(self._sharding is not None)),
            timeout=cdk.Duration.hours(self._settings.build_timeout_h),
            auto_retry_limit=self._settings.build_retries,
        )
        accept(
            project,
            {"AwsSolutions-CB4": "it leaves no artifact of its own; the bucket encrypts what it publishes"},
        )
        return project

    def _role(self, log_group: logs.LogGroup) -> iam.Role:
        """The job's own: its source, its log, its cache of vectors; publishing comes with the managed policy."""
        bucket = self._storage.bucket.bucket_arn
        role = iam.Role(
            self,
            "Builder",
            assumed_by=service_of_account(self, "codebuild"),
            managed_policies=[self.publishing],
        )
        source = self.source.bucket.arn_for_objects(self.source.s3_object_key)
        policy = iam.Policy(
            self,
            "BuilderRights",
            roles=[role],
            statements=[
                iam.PolicyStatement(actions=["s3:GetObject", "s3:GetObjectVersion"], resources=[source]),
                iam.PolicyStatement(
                    actions=["s3:GetObject", "s3:PutObject"], resources=[f"{bucket}/{CACHE}/*"]
                ),
                iam.PolicyStatement(
                    actions=["logs:CreateLogStream", "logs:PutLogEvents"], resources=[log_group.log_group_arn]
                ),
            ],
        )
        accept(
            policy,
            {f"AwsSolutions-IAM5[Resource::<{logical_id(self._storage.bucket)}.Arn>/{CACHE}/*]": CACHED},
        )
        return role

    def environment(self) -> dict[str, str]:
        """What the job reads beside its `COLLECTION`."""
        machine = {"QUIRE_STATE_MACHINE": self._sharding.machine.state_machine_arn} if self._sharding else {}
        return {
            **machine,
            **(
                {"QUIRE_OPENSEARCH_URL": self._settings.opensearch_url}
                if self._settings.opensearch_url
                else {}
            ),
            "COLLECTION": "",
            "QUIRE_STORE": f"s3://{self._storage.bucket.bucket_name}",
            # Without snapshots a new version would only end the environments that are warm.
            "QUIRE_FUNCTIONS": " ".join(self._functions) if self._settings.snap_start else "",
            "QUIRE_VERSIONS_KEPT": str(self._settings.versions_kept),
        }

    def _publishing(self, functions: Mapping[str, ApiFunction]) -> iam.ManagedPolicy:
        """What publishing takes, in CodeBuild and in GitHub Actions alike."""
        bucket = self._storage.bucket.bucket_arn
        arns = [one.function.function_arn for one in functions.values()]
        objects = [f"{bucket}/{place}" for place in ("collections/*", "models/*", "condemned.json")]
        policy = iam.ManagedPolicy(
            self,
            "Publishing",
            statements=[
                iam.PolicyStatement(actions=STORING, resources=objects),
                iam.PolicyStatement(actions=["s3:ListBucket"], resources=[bucket]),
            ],
        )
        if self._settings.snap_start:
            policy.add_statements(
                iam.PolicyStatement(actions=SNAPSHOTS, resources=[*arns, *(f"{arn}:*" for arn in arns)])
            )
        if self._settings.opensearch_arn:
            indexes = [f"{self._settings.opensearch_arn}/*"]
            policy.add_statements(iam.PolicyStatement(actions=LOADING, resources=indexes))
            accept(policy, searched(self._settings))
        held = logical_id(self._storage.bucket)
        names = [logical_id(one.function) for one in functions.values()]
        accept(
            policy,
            {
                f"AwsSolutions-IAM5[Resource::<{held}.Arn>/{one}/*]": DIGESTS
                for one in ("collections", "models")
            },
        )
        accept(policy, {f"AwsSolutions-IAM5[Resource::<{name}.Arn>:*]": NUMBERS for name in names})
        return policy


def _build_spec(is_sharded: bool) -> dict[str, Any]:
    engine = ' --engine stepfunctions --state-machine "$QUIRE_STATE_MACHINE"' if is_sharded else ""
    snapshots = (
        f'.venv/bin/python -m build_index.release.snapshots --alias {ALIAS} --keep "$QUIRE_VERSIONS_KEPT"'
    )
    return {
        "version": "0.2",
        "phases": {
            "install": {
                "runtime-versions": {"python": "3.13"},
                "commands": [
                    "python -m venv .venv",
                    ".venv/bin/python infra/packaging/install.py build_index/requirements.txt",
                ],
            },
            "build": {
                # One command, as CodeBuild ends a phase at the first that fails. Exit code 1 says that some files could
                # not be read: the rest is published, so what follows goes on, and the job fails for its alarm.
                "commands": [
                    "\n".join(
                        (
                            "status=0",
                            f'.venv/bin/python -m build_index build "$COLLECTION" --json{engine} || status=$?',
                            '[ "$status" -le 1 ] || exit "$status"',
                            '.venv/bin/python -m build_index prune "$COLLECTION" --keep 4 || status=$?',
                            f"{snapshots} $QUIRE_FUNCTIONS || status=$?",
                            'exit "$status"',
                        )
                    )
                ]
            },
        },
        "cache": {"paths": [".quire/cache/**/*"]},
    }


def add_github_role(scope: Construct, publishing: iam.IManagedPolicy, settings: StackSettings) -> None:
    """The role of one branch of one repository, for the workflow that publishes and the one that deploys."""
    principal = iam.WebIdentityPrincipal(
        settings.github_provider_arn or _provider(scope), github_conditions(settings)
    )
    role = iam.Role(scope, "GitHubRole", assumed_by=principal, managed_policies=[publishing])
    stack = cdk.Stack.of(scope)
    deploying = (
        f"arn:{stack.partition}:iam::{stack.account}:role/cdk-hnb659fds-*-{stack.account}-{stack.region}"
    )
    role.add_to_policy(iam.PolicyStatement(actions=["sts:AssumeRole"], resources=[deploying]))
    why = "the CDK's bootstrap roles: deploy, file-publishing and lookup"
    place = "arn:<AWS::Partition>:iam::<AWS::AccountId>:role/cdk-hnb659fds-*-<AWS::AccountId>-<AWS::Region>"
    accept(role, {f"AwsSolutions-IAM5[Resource::{place}]": why})
    cdk.CfnOutput(stack, "GitHubRoleArn", value=role.role_arn)


def _provider(scope: Construct) -> str:
    provider = iam.CfnOIDCProvider(
        scope, "GitHub", url=f"https://{GITHUB}", client_id_list=["sts.amazonaws.com"]
    )
    return provider.attr_arn
