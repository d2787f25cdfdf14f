"""A template's storage, secrets, queues, schedules and state machines at moto's server, and what refers to them.

What no emulator here runs (roles, alarms, CodeBuild, CodeDeploy) is counted and left out; functions run in the rig.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import boto3

from tests.support.aws import BOTO

ACCOUNT, REGION = "123456789012", BOTO["region_name"]
PSEUDO = {
    "AWS::AccountId": ACCOUNT,
    "AWS::Region": REGION,
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
    "AWS::StackName": "quire",
}
SECRET = re.compile(r"\{\{resolve:secretsmanager:([^}]+?):SecretString:::?\}\}")
Properties = Mapping[str, Any]


class Account:
    """An account at an emulator. Deploying a second template makes what the first had not, as an update does."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.made: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self._known: dict[str, dict[str, str]] = {}
        self._makers: dict[str, Callable[[str, Properties], dict[str, str]]] = {
            "S3::Bucket": self._bucket,
            "DynamoDB::Table": self._table,
            "SecretsManager::Secret": self._secret,
            "SQS::Queue": self._queue,
            "Scheduler::Schedule": self._schedule,
            "StepFunctions::StateMachine": self._state_machine,
        }

    def client(self, service: str) -> Any:
        """A client of the emulator."""
        return boto3.client(service, endpoint_url=self.url, **BOTO)  # type: ignore[call-overload]

    def deploy(self, template: Mapping[str, Any]) -> None:
        """Make what the template has and the account has not; what refers to others comes after them."""
        wanted = {
            name: one["Type"].removeprefix("AWS::")
            for name, one in template["Resources"].items()
            if name not in self._known
        }
        for kind in self._makers:
            for name in (name for name, one in wanted.items() if one == kind):
                properties = self.resolve(template["Resources"][name].get("Properties", {}))
                self._known[name] = self._makers[kind](name, properties)
                self.made[kind] += 1
        self.left_out.update(kind for kind in wanted.values() if kind not in self._makers)

    def resolve(self, value: Any) -> Any:
        """The value with its references, and with the secrets that CloudFormation would fill in."""
        if isinstance(value, list):
            return [self.resolve(one) for one in value]
        if isinstance(value, str):
            return SECRET.sub(lambda found: self.secret(found[1]), value)
        if not isinstance(value, dict):
            return value
        if "Ref" in value:
            return PSEUDO.get(value["Ref"]) or self._known.get(value["Ref"], {}).get("Ref", value["Ref"])
        if "Fn::GetAtt" in value:
            name, attribute = value["Fn::GetAtt"]
            made_up = f"arn:aws:quire:{REGION}:{ACCOUNT}:{name}"
            return self._known.get(name, {}).get(attribute, made_up)
        if "Fn::Join" in value:
            separator, parts = value["Fn::Join"]
            return self.resolve(separator.join(str(self.resolve(one)) for one in parts))
        return {key: self.resolve(one) for key, one in value.items()}

    def secret(self, name: str) -> str:
        """What a secret holds."""
        return str(self.client("secretsmanager").get_secret_value(SecretId=name)["SecretString"])

    def _bucket(self, name: str, said: Properties) -> dict[str, str]:
        bucket = said.get("BucketName", name.lower())
        client = self.client("s3")
        client.create_bucket(Bucket=bucket)
        if "VersioningConfiguration" in said:
            client.put_bucket_versioning(
                Bucket=bucket, VersioningConfiguration=said["VersioningConfiguration"]
            )
        return {"Ref": bucket, "Arn": f"arn:aws:s3:::{bucket}"}

    def _table(self, name: str, said: Properties) -> dict[str, str]:
        table = said.get("TableName", name)
        client = self.client("dynamodb")
        keys = ("KeySchema", "AttributeDefinitions", "BillingMode")
        made = client.create_table(TableName=table, **{key: said[key] for key in keys})
        client.update_time_to_live(TableName=table, TimeToLiveSpecification=said["TimeToLiveSpecification"])
        return {"Ref": table, "Arn": made["TableDescription"]["TableArn"]}

    def _secret(self, name: str, said: Properties) -> dict[str, str]:
        client, text = self.client("secretsmanager"), said.get("SecretString")
        if text is None:
            text = client.get_random_password(**said["GenerateSecretString"])["RandomPassword"]
        arn = client.create_secret(Name=name, SecretString=text)["ARN"]
        return {"Ref": arn, "Id": arn}

    def _queue(self, name: str, said: Properties) -> dict[str, str]:
        period = {"MessageRetentionPeriod": str(said["MessageRetentionPeriod"])}
        url = self.client("sqs").create_queue(QueueName=name, Attributes=period)["QueueUrl"]
        return {"Ref": url, "Arn": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}", "QueueName": name}

    def _schedule(self, name: str, said: Properties) -> dict[str, str]:
        target = {key: said["Target"][key] for key in ("Arn", "RoleArn", "Input")}
        arn = self.client("scheduler").create_schedule(
            Name=name,
            ScheduleExpression=said["ScheduleExpression"],
            FlexibleTimeWindow=said["FlexibleTimeWindow"],
            Target=target,
        )["ScheduleArn"]
        return {"Ref": name, "Arn": arn}

    def _state_machine(self, name: str, said: Properties) -> dict[str, str]:
        definition = said["DefinitionString"]
        text = definition if isinstance(definition, str) else json.dumps(definition)
        role = f"arn:aws:iam::{ACCOUNT}:role/{name}"
        arn = self.client("stepfunctions").create_state_machine(name=name, definition=text, roleArn=role)[
            "stateMachineArn"
        ]
        return {"Ref": arn, "Arn": arn, "Name": name}
