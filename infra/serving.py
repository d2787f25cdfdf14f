"""What answers: the functions with their rights, and one REST API before them all.

REST rather than HTTP API: it streams responses, has API keys, usage plans and AWS WAF, and its methods may take longer
than 30 s. It costs $3.50 a million calls in place of $1.00, which a function's own time outweighs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.api_function import ALIAS, ApiFunction, FunctionPlan
from infra.reasons import accept, logical_id
from infra.routes import Table, functions_of, written_collections
from infra.settings import StackSettings
from infra.storage import Storage
from quire.collections import Collection

ANSWER, MEMORY = "answer", "memory"
ACCESS = "access.toml"
"""The object of the bucket that says which keys have which scopes; see `quire.service.access_file`."""
LAYERS = {"core": "quire", "runtime": "numpy, onnxruntime, usearch, FastAPI", "llm": "google-genai, mcp"}


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
        self._layers = {name: self._layer(name, what) for name, what in LAYERS.items()}
        names = functions_of(deployed.table, deployed.collections)
        self.by_name = {name: self._function(name) for name in names}
        for name, one in self.by_name.items():
            self._allow(name, one.role)

    def _layer(self, name: str, description: str) -> lambda_.LayerVersion:
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
        layers = [one for key, one in self._layers.items() if key != "llm" or streams]
        environment = {
            "QUIRE_STORE": f"s3://{self._storage.bucket.bucket_name}",
            # CloudFormation fills it in: no call to another service stands before a cold start's first answer.
            "QUIRE_API_KEY": self._storage.api_key.secret_value.unsafe_unwrap(),
            # Keys with scopes and issuers of tokens; there is no need for the object to be there.
            "QUIRE_ACCESS": f"store:{ACCESS}",
        }
        if name in (ANSWER, MEMORY):
            environment["QUIRE_MEMORY"] = f"dynamodb://{self._storage.table.table_name}"
        if name == MEMORY:
            environment["QUIRE_JOB_ALIAS"] = ALIAS
        if streams:
            environment["QUIRE_MODEL_SECRET"] = self._storage.model_key.secret_arn
        timeout_s = {ANSWER: self._settings.answer_timeout_s, MEMORY: self._settings.job_timeout_s}.get(
            name, self._settings.query_timeout_s
        )
        plan = FunctionPlan(name, layers, timeout_s, environment, streams)
        archive = self._deployed.archives / "functions.zip"
        return ApiFunction(self, name.capitalize(), plan, archive=archive, settings=self._settings)

    def _allow(self, name: str, role: iam.Role) -> None:
        bucket = self._storage.bucket.bucket_arn
        statements = [
            _statement(
                ["s3:GetObject"], [f"{bucket}/{place}" for place in ("collections/*", "models/*", ACCESS)]
            ),
            # Without it S3 answers 403 where an object is missing, as if access were the matter.
            _statement(["s3:ListBucket"], [bucket]),
        ]
        if name == MEMORY:
            written = written_collections(self._deployed.table, self._deployed.collections)
            places = [f"{bucket}/collections/{one}/*" for one in written]
            statements.append(_statement(["s3:PutObject", "s3:DeleteObject"], places))
            # A job goes on in an invocation of its own, which nobody waits for.
            statements.append(
                _statement(["lambda:InvokeFunction"], [f"{self.by_name[name].function.function_arn}:{ALIAS}"])
            )
        if name in (ANSWER, MEMORY):
            turns = _TURNS + (_FORGETTING if name == MEMORY else [])
            statements.append(_statement(turns, [self._storage.table.table_arn]))
        if name == ANSWER:
            statements.append(
                _statement(["secretsmanager:GetSecretValue"], [self._storage.model_key.secret_arn])
            )
        policy = iam.Policy(self, f"{name.capitalize()}Rights", roles=[role], statements=statements)
        accept(policy, _wildcards(logical_id(self._storage.bucket), self._written()))

    def _written(self) -> list[str]:
        return written_collections(self._deployed.table, self._deployed.collections)


_TURNS = ["dynamodb:Query", "dynamodb:GetItem", "dynamodb:PutItem"]
_FORGETTING = ["dynamodb:Scan", "dynamodb:BatchWriteItem"]


def _statement(actions: list[str], resources: list[str]) -> iam.PolicyStatement:
    return iam.PolicyStatement(actions=actions, resources=resources)


def _wildcards(bucket: str, written: list[str]) -> dict[str, str]:
    """Findings on object keys: they are digests that no policy can list."""
    places = ["collections/*", "models/*", *(f"collections/{one}/*" for one in written)]
    why = "names of segments and models are digests; the policy names the prefix that they lie under"
    return {f"AwsSolutions-IAM5[Resource::<{bucket}.Arn>/{place}]": why for place in places}
