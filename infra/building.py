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
from aws_cdk import aws_scheduler as scheduler
from constructs import Construct

from infra.api_function import ALIAS, ApiFunction, retention
from infra.reasons import accept, logical_id
from infra.settings import StackSettings
from infra.storage import Storage
from quire.collections import Collection

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = [".*", "build", "cdk.out", "node_modules", "tests", "infra", "**/__pycache__", "*.egg-info"]
CACHE = "build-cache"
STORING = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"]
SNAPSHOTS = [
    "lambda:GetFunctionConfiguration",
    "lambda:ListVersionsByFunction",
    "lambda:PublishVersion",
    "lambda:UpdateFunctionConfiguration",
    "lambda:GetAlias",
    "lambda:UpdateAlias",
    "lambda:DeleteFunction",
]
DIGESTS = "names of segments and models are digests; the policy names the prefix that they lie under"
NUMBERS = "a version's number is not known before it is published"
CACHED = "CodeBuild names its cache files itself"
GITHUB = "token.actions.githubusercontent.com"


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
    ) -> None:
        super().__init__(scope, id)
        self._storage, self._settings = storage, settings
        self._functions = [one.function.function_name for one in functions.values()]
        self.source = assets.Asset(self, "Source", path=str(ROOT), exclude=LEFT_OUT)
        self.publishing = self._publishing(functions)
        self.project = self._project()
        role = iam.Role(self, "Scheduler", assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com"))
        role.add_to_policy(
            iam.PolicyStatement(actions=["codebuild:StartBuild"], resources=[self.project.project_arn])
        )
        for collection in collections.values():
            if collection.schedule:
                self._schedule(collection, role)
        if settings.repository:
            self._github_role()

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
                compute_type=codebuild.ComputeType.LARGE,  # 8 CPUs: embedding is the build, and it is all CPU
            ),
            environment_variables={
                name: codebuild.BuildEnvironmentVariable(value=value)
                for name, value in self.environment().items()
            },
            cache=codebuild.Cache.bucket(self._storage.bucket, prefix=CACHE),
            logging=codebuild.LoggingOptions(
                cloud_watch=codebuild.CloudWatchLoggingOptions(log_group=log_group)
            ),
            build_spec=codebuild.BuildSpec.from_object(_build_spec()),
            timeout=cdk.Duration.hours(2),
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
            assumed_by=iam.ServicePrincipal("codebuild.amazonaws.com"),
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
        return {
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

    def _schedule(self, collection: Collection, role: iam.Role) -> None:
        started = {
            "ProjectName": self.project.project_name,
            "EnvironmentVariablesOverride": [
                {"Name": "COLLECTION", "Value": collection.name, "Type": "PLAINTEXT"}
            ],
        }
        scheduler.CfnSchedule(
            self,
            f"Rebuild{collection.name.title().replace('_', '').replace('-', '')}",
            description=f"Rebuilds {collection.name}",
            schedule_expression=f"cron({collection.schedule})",
            schedule_expression_timezone=self._settings.timezone,
            flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF"),
            target=scheduler.CfnSchedule.TargetProperty(
                arn="arn:aws:scheduler:::aws-sdk:codebuild:startBuild",
                role_arn=role.role_arn,
                input=cdk.Stack.of(self).to_json_string(started),
                retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(maximum_retry_attempts=3),
            ),
        )

    def _github_role(self) -> None:
        """The role of one branch of one repository: `aud` and the exact `sub` are pinned."""
        settings = self._settings
        provider = iam.CfnOIDCProvider(
            self, "GitHub", url=f"https://{GITHUB}", client_id_list=["sts.amazonaws.com"]
        )
        subject = f"repo:{settings.repository}:ref:refs/heads/{settings.branch}"
        principal = iam.WebIdentityPrincipal(
            provider.attr_arn,
            {"StringEquals": {f"{GITHUB}:aud": "sts.amazonaws.com", f"{GITHUB}:sub": subject}},
        )
        role = iam.Role(self, "GitHubRole", assumed_by=principal, managed_policies=[self.publishing])
        stack = cdk.Stack.of(self)
        deploying = (
            f"arn:{stack.partition}:iam::{stack.account}:role/cdk-hnb659fds-*-{stack.account}-{stack.region}"
        )
        role.add_to_policy(iam.PolicyStatement(actions=["sts:AssumeRole"], resources=[deploying]))
        why = "the CDK's bootstrap roles: deploy, file-publishing and lookup"
        place = (
            "arn:<AWS::Partition>:iam::<AWS::AccountId>:role/cdk-hnb659fds-*-<AWS::AccountId>-<AWS::Region>"
        )
        accept(role, {f"AwsSolutions-IAM5[Resource::{place}]": why})
        cdk.CfnOutput(self, "GitHubRoleArn", value=role.role_arn)


def _build_spec() -> dict[str, Any]:
    snapshots = f'.venv/bin/python -m build_index.snapshots --alias {ALIAS} --keep "$QUIRE_VERSIONS_KEPT"'
    return {
        "version": "0.2",
        "phases": {
            "install": {
                "runtime-versions": {"python": "3.13"},
                "commands": [
                    "python -m venv .venv",
                    ".venv/bin/python build_index/install.py build_index/requirements.txt",
                ],
            },
            "build": {
                "commands": [
                    '.venv/bin/python -m build_index build "$COLLECTION" --json',
                    '.venv/bin/python -m build_index prune "$COLLECTION" --keep 4',
                    f"{snapshots} $QUIRE_FUNCTIONS",
                ],
            },
        },
        "cache": {"paths": [".quire/cache/**/*"]},
    }
