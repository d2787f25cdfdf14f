"""What answers: the functions with their rights, and one REST API before them all.

REST rather than HTTP API: it streams responses, has API keys, usage plans and AWS WAF, and its methods may take longer
than 30 s. It costs $3.50 a million calls in place of $1.00, which a function's own time outweighs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_destinations as destinations
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.api_function import ALIAS, ApiFunction, FunctionPlan
from infra.reasons import accept, logical_id, searched
from infra.routes import Table, functions_of, written_collections
from infra.schedules import queue_of_failures
from infra.settings import StackSettings
from infra.storage import Storage
from quire.collections import Collection

QUERY, ANSWER, MEMORY, JOBS = "query", "answer", "memory", "jobs"
MOST_NAMED = 20
ACCESS = "access.toml"
"""The object of the bucket that says which keys have which scopes; see `quire.service.access_file`."""
LAYERS = {
    "core": "quire",
    "runtime": "numpy, onnxruntime, usearch, FastAPI",
    "model": "the embedding model",
    "llm": "google-genai, mcp",
}


@dataclass(frozen=True, slots=True)
class Deployed:
    """What is deployed: archives of `make layers`, the routes, the collections."""

    archives: Path
    table: Table
    collections: Mapping[str, Collection]


class Functions(Construct):
    """The functions that the routes name. Each may do what its routes need and nothing else."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        deployed: Deployed,
        *,
        storage: Storage,
        settings: StackSettings,
    ) -> None:
        super().__init__(scope, id)
        self._deployed, self._storage, self._settings = deployed, storage, settings
        self.layers = {name: self.add_layer(name, what) for name, what in LAYERS.items()}
        names = functions_of(deployed.table, deployed.collections)
        self.failed_jobs = queue_of_failures(self, "FailedJobs") if MEMORY in names else None
        self.by_name: dict[str, ApiFunction] = {}
        # Jobs first: the function that starts them is told their name.
        for name in [JOBS, *names] if self.failed_jobs else names:
            self.by_name[name] = self._function(name)
            self._allow(name, self.by_name[name].role)
        if self.failed_jobs:
            self._tell_of_failed_jobs(self.failed_jobs)

    def add_layer(self, name: str, description: str) -> lambda_.LayerVersion:
        """The layer of that archive."""
        return lambda_.LayerVersion(
            self,
            f"Layer{name.capitalize()}",
            code=lambda_.Code.from_asset(str(self._deployed.archives / f"{name}.zip")),
            compatible_runtimes=[lambda_.Runtime.PYTHON_3_13],
            compatible_architectures=[lambda_.Architecture.X86_64],
            description=description,
        )

    def _function(self, name: str) -> ApiFunction:
        streams = name == ANSWER
        layers = [one for key, one in self.layers.items() if key != "llm" or streams]
        environment = {
            "QUIRE_STORE": f"s3://{self._storage.bucket.bucket_name}",
            # CloudFormation fills it in: no call to another service stands before a cold start's first answer.
            "QUIRE_API_KEY": self._storage.api_key.secret_value.unsafe_unwrap(),
            "QUIRE_API_KEYS_BEFORE": self._keys_before(),
            # Keys with scopes and issuers of tokens; there is no need for the object to be there.
            "QUIRE_ACCESS": f"store:{ACCESS}",
        }
        if self._settings.opensearch_url:
            environment["QUIRE_OPENSEARCH_URL"] = self._settings.opensearch_url
        if name != QUERY:
            environment["QUIRE_MEMORY"] = f"dynamodb://{self._storage.table.table_name}"
        if name == MEMORY:
            environment["QUIRE_JOB_FUNCTION"] = self.by_name[JOBS].function.function_name
            environment["QUIRE_JOB_ALIAS"] = ALIAS
        if streams:
            environment["QUIRE_MODEL_SECRET"] = self._storage.model_key.secret_arn
            environment["QUIRE_PUBLIC_TOKENS_PER_DAY"] = str(self._settings.public_tokens_per_day)
        timeout_s = {ANSWER: self._settings.answer_timeout_s, JOBS: self._settings.job_timeout_s}.get(
            name, self._settings.query_timeout_s
        )
        # Nobody waits for a job's start: it need not cost a snapshot.
        has_snapshot = self._settings.snap_start and name != JOBS
        plan = FunctionPlan(name, layers, timeout_s, environment, streams, has_snapshot)
        archive = self._deployed.archives / "functions.zip"
        return ApiFunction(self, name.capitalize(), plan, archive=archive, settings=self._settings)

    def _tell_of_failed_jobs(self, queue: sqs.Queue) -> None:
        jobs = self.by_name[JOBS]
        lambda_.EventInvokeConfig(
            self,
            "JobRetries",
            function=jobs.function,
            qualifier=ALIAS,
            retry_attempts=2,
            # What nobody finished within an hour counts as failed anyway.
            max_event_age=cdk.Duration.hours(1),
            on_failure=destinations.SqsDestination(queue),
        ).node.add_dependency(jobs.alias)

    def _keys_before(self) -> str:
        """Keys that were rotated and still count, in one variable; "" where there is none."""
        older = [one for one in self._storage.api_keys.values() if one is not self._storage.api_key]
        return ",".join(one.secret_value.unsafe_unwrap() for one in older)

    def _allow(self, name: str, role: iam.Role) -> None:
        bucket = self._storage.bucket.bucket_arn
        statements = [
            _statement(
                ["s3:GetObject"], [f"{bucket}/{place}" for place in ("collections/*", "models/*", ACCESS)]
            ),
            # Without it S3 answers 403 where an object is missing, as if access were the matter.
            _statement(["s3:ListBucket"], [bucket]),
        ]
        if name in (MEMORY, JOBS):
            places = [f"{bucket}/collections/{one}/*" for one in self._written()]
            statements.append(_statement(["s3:PutObject", "s3:DeleteObject"], places))
        if name == MEMORY:
            # A job goes on in an invocation of its own, which nobody waits for.
            jobs = self.by_name[JOBS].function.function_arn
            statements.append(_statement(["lambda:InvokeFunction"], [f"{jobs}:{ALIAS}"]))
        if name in (ANSWER, MEMORY):
            turns = _TURNS + (_FORGETTING if name == MEMORY else self._counting())
            statements.append(_statement(turns, [self._storage.table.table_arn]))
        if name == ANSWER:
            statements.append(
                _statement(["secretsmanager:GetSecretValue"], [self._storage.model_key.secret_arn])
            )
        if self._settings.opensearch_arn:
            statements.append(
                _statement(["es:ESHttpGet", "es:ESHttpPost"], [f"{self._settings.opensearch_arn}/*"])
            )
        policy = iam.Policy(self, f"{name.capitalize()}Rights", roles=[role], statements=statements)
        # A version whose start meets no rights yet would start without its model, and stay so.
        self.by_name[name].function.node.add_dependency(policy)
        accept(policy, _wildcards(logical_id(self._storage.bucket), self._written()))
        accept(policy, searched(self._settings))

    def _written(self) -> list[str]:
        """The collections whose prefixes are written; all, where a policy would outgrow its 10,240 characters."""
        written = written_collections(self._deployed.table, self._deployed.collections)
        return written if len(written) <= MOST_NAMED else ["*"]

    def _counting(self) -> list[str]:
        """What the budget of callers without a key takes."""
        has_budget = any(one.public_answers for one in self._deployed.collections.values())
        return ["dynamodb:UpdateItem"] if has_budget else []


_TURNS = ["dynamodb:Query", "dynamodb:GetItem", "dynamodb:PutItem"]
_FORGETTING = ["dynamodb:Scan", "dynamodb:BatchWriteItem"]


def _statement(actions: list[str], resources: list[str]) -> iam.PolicyStatement:
    return iam.PolicyStatement(actions=actions, resources=resources)


def _wildcards(bucket: str, written: list[str]) -> dict[str, str]:
    """Findings on object keys: they are digests that no policy can list."""
    places = ["collections/*", "models/*", *(f"collections/{one}/*" for one in written)]
    why = "names of segments and models are digests; the policy names the prefix that they lie under"
    return {f"AwsSolutions-IAM5[Resource::<{bucket}.Arn>/{place}]": why for place in places}
