"""Builds that outgrow one machine: a state machine maps a worker over the shards of a build. `-c distributed=true`."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.api_function import ApiFunction, FunctionPlan, retention
from infra.reasons import accept, logical_id
from infra.schedules import service_of_account
from infra.serving import Deployed, Functions
from infra.settings import StackSettings
from infra.state_machine import WORKER_S, definition
from infra.storage import Storage

DIGESTS = "names of segments, packs, records and models are digests; the policy names the prefix that they lie under"
PLANS = "collections/*/shards/plans/*"
NAMED = "an execution is named when it is started; the policy names the state machine that it is one of"
LOGGING = [f"logs:{verb}LogDelivery" for verb in ("Create", "Get", "Update", "Delete")]
LOGGING += [
    f"logs:{one}"
    for one in ("ListLogDeliveries", "PutResourcePolicy", "DescribeResourcePolicies", "DescribeLogGroups")
]


class ShardMap(Construct):
    """The worker with its layers and rights, and the state machine over it."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        deployed: Deployed,
        *,
        serving: Functions,
        storage: Storage,
        settings: StackSettings,
    ) -> None:
        super().__init__(scope, id)
        self._storage, self._settings = storage, settings
        self.worker = self._worker(deployed, serving)
        self.log_group = logs.LogGroup(
            self,
            "Logs",
            # Step Functions would else add to the account's one policy for logs, which holds 5,120 characters.
            log_group_name=f"/aws/vendedlogs/states/{settings.name}-shards",
            retention=retention(settings.log_days),
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        self._name = f"{settings.name}-shards"
        self.role = iam.Role(self, "Role", assumed_by=service_of_account(self, "states"))
        described = definition(storage.bucket.bucket_name, self.worker.alias.function_arn)
        described["States"]["Shards"]["MaxConcurrency"] = settings.shard_concurrency
        self.machine = sfn.StateMachine(
            self,
            "Machine",
            state_machine_name=self._name,
            definition_body=sfn.DefinitionBody.from_string(cdk.Stack.of(self).to_json_string(described)),
            role=self.role.without_policy_updates(),
            logs=sfn.LogOptions(destination=self.log_group, level=sfn.LogLevel.ALL),
            tracing_enabled=settings.tracing,
        )
        self.machine.node.add_dependency(self._rights())
        if not settings.tracing:
            accept(
                self.machine,
                {"AwsSolutions-SF2": "X-Ray is asked for by -c tracing=true; each shard logs itself"},
            )
        cdk.CfnOutput(self, "MachineArn", value=self.machine.state_machine_arn)

    def _worker(self, deployed: Deployed, serving: Functions) -> ApiFunction:
        layer = serving.add_layer("grammars", "tree-sitter's grammars, RE2")
        plan = FunctionPlan(
            "worker",
            [serving.layers["core"], serving.layers["runtime"], layer],
            WORKER_S,
            {"QUIRE_STORE": f"s3://{self._storage.bucket.bucket_name}"},
            module="build_index.distributed.worker",
        )
        worker = ApiFunction(
            self, "Worker", plan, archive=deployed.archives / "worker.zip", settings=self._settings
        )
        bucket = self._storage.bucket.bucket_arn
        policy = iam.Policy(
            self,
            "WorkerRights",
            roles=[worker.role],
            statements=[
                iam.PolicyStatement(
                    actions=["s3:GetObject"],
                    resources=[f"{bucket}/collections/*/shards/*", f"{bucket}/models/*"],
                ),
                iam.PolicyStatement(actions=["s3:PutObject"], resources=[f"{bucket}/collections/*/shards/*"]),
                iam.PolicyStatement(actions=["s3:ListBucket"], resources=[bucket]),
            ],
        )
        worker.function.node.add_dependency(policy)
        self._accept_places(policy, "collections/*/shards/*", "models/*")
        return worker

    def _rights(self) -> iam.Policy:
        """The state machine's own: plans to read, the worker to invoke, children to start and end, a log to write.

        Sources: AWS, "IAM policies for using Distributed Map states", "Logging to CloudWatch Logs".
        """
        policy = iam.Policy(
            self,
            "MachineRights",
            roles=[self.role],
            statements=[
                iam.PolicyStatement(
                    actions=["lambda:InvokeFunction"], resources=[self.worker.alias.function_arn]
                ),
                iam.PolicyStatement(
                    actions=["s3:GetObject"], resources=[f"{self._storage.bucket.bucket_arn}/{PLANS}"]
                ),
                iam.PolicyStatement(actions=["states:StartExecution"], resources=[self._arn("stateMachine")]),
                iam.PolicyStatement(
                    actions=["states:DescribeExecution", "states:StopExecution", "states:RedriveExecution"],
                    resources=[self._arn("execution", ":*")],
                ),
                iam.PolicyStatement(actions=LOGGING, resources=["*"]),
            ],
        )
        self._accept_places(policy, PLANS)
        accept(policy, {"AwsSolutions-IAM5[Resource::*]": "actions on log deliveries know no resource"})
        accept(policy, {f"AwsSolutions-IAM5[Resource::{_told(self._name)}]": NAMED})
        return policy

    def let_start(self, policy: iam.ManagedPolicy) -> None:
        """Allow whoever builds to start executions and to follow them."""
        policy.add_statements(
            iam.PolicyStatement(actions=["states:StartExecution"], resources=[self._arn("stateMachine")]),
            iam.PolicyStatement(
                actions=["states:DescribeExecution"], resources=[self._arn("execution", ":*")]
            ),
        )
        accept(policy, {f"AwsSolutions-IAM5[Resource::{_told(self._name)}]": NAMED})

    def _arn(self, kind: str, rest: str = "") -> str:
        """Of the machine or its executions; by its name, since the machine waits for the rights that name it."""
        return cdk.Stack.of(self).format_arn(
            service="states",
            resource=kind,
            resource_name=self._name + rest,
            arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME,
        )

    def _accept_places(self, policy: iam.Policy, *places: str) -> None:
        held = logical_id(self._storage.bucket)
        accept(policy, {f"AwsSolutions-IAM5[Resource::<{held}.Arn>/{place}]": DIGESTS for place in places})


def _told(name: str) -> str:
    """The executions as cdk-nag names them."""
    return f"arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:{name}:*"
