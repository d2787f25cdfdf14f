"""What is deployed, read from the synthesized template."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from functions.web.logs import DISK_SHARE, NAMESPACE, UNITS, embedded
from infra.routes import FACES, deployed_routes, face_of, functions_of, read_table, written_collections
from infra.state_machine import definition
from quire.collections import read_collections
from quire.errors import ArtifactCorrupt, DiskFull, QuireError, StoreUnavailable, UnknownCollection
from quire.profiles import PROFILES
from quire.store.catalog import label_failure
from tests.support.alone import once
from tests.support.deployment import KEPT, SEARCHED, SHARDED, Deployment, flat, listed
from tests.support.tree import ROOT

TABLE = read_table(ROOT / "functions/routes.json")
COLLECTIONS = read_collections(ROOT / "collections.toml")
FUNCTIONS = ["jobs", *functions_of(TABLE, COLLECTIONS)]
READING = {"s3:GetObject", "s3:ListBucket", "logs:CreateLogStream", "logs:PutLogEvents"}
each_function = pytest.mark.parametrize("name", FUNCTIONS)


def test_cdk_nag_finds_nothing_that_is_not_accepted_with_a_reason(
    deployments: dict[str, Deployment],
) -> None:
    for one in deployments.values():
        report = json.loads((one.folder / "validation-report.json").read_text(encoding="utf-8"))
        judged = [(plugin["pluginName"], plugin["violations"]) for plugin in report["pluginReports"]]
        assert judged == [("AwsSolutions", [])]
        assert "ERROR" not in one.printed
        assert "Acknowledge with" not in one.printed


def test_cfn_lint_finds_nothing(
    deployment: Deployment, other_deployment: Deployment, many: Deployment
) -> None:
    program = str(Path(sys.executable).with_name("cfn-lint"))
    templates = [one.folder / "quire.template.json" for one in (deployment, other_deployment, many)]
    command = (program, *map(str, templates), "--regions", "us-west-2")
    with once("linted", Path(__file__), ROOT / "tests/requirements.txt", *templates) as is_known:
        if not is_known:  # 9 s of CPU
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stdout) == (0, "")


# ---- routes ---------------------------------------------------------------------------------------------------


def served(deployment: Deployment) -> dict[tuple[str, str], tuple[str, dict[str, object]]]:
    """(method, path) -> function's name and the method's properties."""
    resources = deployment.of_type("ApiGateway::Resource")

    def path_of(reference: dict[str, object]) -> str:
        name = reference.get("Ref")
        if name not in resources:
            return ""
        one = resources[str(name)]
        return f"{path_of(one['ParentId'])}/{one['PathPart']}"

    found = {}
    for one in deployment.of_type("ApiGateway::Method").values():
        if one["HttpMethod"] != "OPTIONS":
            alias = re.search(r"<Functions(\w+?)Alias", flat(one["Integration"]["Uri"]))
            assert alias is not None
            found[one["HttpMethod"], path_of(one["ResourceId"])] = (alias[1].lower(), one)
    return found


def test_every_path_of_every_face_reaches_the_function_that_serves_it(deployment: Deployment) -> None:
    routes = deployed_routes(TABLE, COLLECTIONS)
    found = served(deployment)
    assert {key: name for key, (name, _) in found.items()} == {
        (route.method, route.path): route.function for route in routes
    }
    assert ("POST", "/{collection}/query") in found
    assert ("POST", "/query") in found


def test_only_a_streaming_functions_responses_are_streamed(deployment: Deployment) -> None:
    for name, method in served(deployment).values():
        integration = method["Integration"]
        assert isinstance(integration, dict)
        uri, mode = flat(integration["Uri"]), integration.get("ResponseTransferMode", "BUFFERED")
        assert mode == ("STREAM" if name == "answer" else "BUFFERED")
        assert ("response-streaming-invocations" in uri) == (name == "answer")


def test_a_key_is_needed_wherever_a_collection_is_not_public(deployment: Deployment) -> None:
    found = served(deployment)
    for route in deployed_routes(TABLE, COLLECTIONS):
        _, method = found[route.method, route.path]
        assert method["ApiKeyRequired"] is not route.is_open
    assert found["POST", "/{collection}/query"][1]["ApiKeyRequired"] is True
    assert found["GET", "/{collection}/health"][1]["ApiKeyRequired"] is False


def test_a_page_that_its_collection_allows_may_ask_first(other_deployment: Deployment) -> None:
    resources = other_deployment.of_type("ApiGateway::Resource")
    preflights = [
        one
        for one in other_deployment.of_type("ApiGateway::Method").values()
        if one["HttpMethod"] == "OPTIONS"
    ]
    assert preflights
    for one in preflights:
        # API Gateway's own answer to a preflight is 500 where every type is binary; the function knows who may ask.
        assert one["Integration"]["Type"] == "AWS_PROXY"
        assert one["ApiKeyRequired"] is False
    names = {
        resources[one["ResourceId"]["Ref"]]["PathPart"] for one in preflights if "Ref" in one["ResourceId"]
    }
    # The widget asks the native routes, whose collection stands in the body.
    assert names >= {"answer", "query", "collections", "chat", "ingest"}
    # `/{collection}` stands for the book, which no page of another site may ask.
    (variable,) = (key for key, one in resources.items() if one["PathPart"] == "{collection}")
    below = {key for key, one in resources.items() if one["ParentId"] == {"Ref": variable}}
    assert below
    assert below.isdisjoint(one["ResourceId"].get("Ref") for one in preflights)


def test_nobody_asks_first_where_no_collection_is_shared(deployment: Deployment) -> None:
    methods = deployment.of_type("ApiGateway::Method").values()
    assert not [one for one in methods if one["HttpMethod"] == "OPTIONS"]


def refusals(deployment: Deployment) -> dict[str, dict[str, object]]:
    return {one["ResponseType"]: one for one in deployment.of_type("ApiGateway::GatewayResponse").values()}


def test_what_the_gateway_refuses_looks_as_if_a_function_had(deployment: Deployment) -> None:
    found = refusals(deployment)
    # The page asks for a key at 401, and takes 403 for a key that may not.
    assert found["INVALID_API_KEY"]["StatusCode"] == "401"
    assert found["MISSING_AUTHENTICATION_TOKEN"]["StatusCode"] == "404"
    retry = {"gatewayresponse.header.Retry-After": "'5'"}
    assert found["THROTTLED"]["ResponseParameters"] == retry
    for one in found.values():
        body = json.loads(one["ResponseTemplates"]["application/json"])  # type: ignore[index]
        assert set(body) == {"type", "title", "status", "detail", "request_id"}
        assert str(body["status"]) == one["StatusCode"]


def test_a_page_of_another_site_can_read_what_the_gateway_refuses(other_deployment: Deployment) -> None:
    found = refusals(other_deployment)
    assert set(found) >= {"DEFAULT_4XX", "DEFAULT_5XX", "THROTTLED", "INVALID_API_KEY"}
    for one in found.values():
        assert one["ResponseParameters"]["gatewayresponse.header.Access-Control-Allow-Origin"] == "'*'"  # type: ignore[index]


def test_profiles_and_faces_agree_with_the_core() -> None:
    assert {name: FACES.get(name, name) for name in PROFILES} == {
        name: one.face for name, one in PROFILES.items()
    }


# ---- functions ------------------------------------------------------------------------------------------------


@each_function
def test_a_function_runs_a_published_version_from_its_snapshot(deployment: Deployment, name: str) -> None:
    title = name.capitalize()
    (function,) = (
        one for key, one in deployment.of_type("Lambda::Function").items() if f"Functions{title}" in key
    )
    assert function["Runtime"] == "python3.13"
    assert function["Architectures"] == ["x86_64"]
    assert function["Handler"] == f"functions.{name}.handler"
    wanted = {"ApplyOn": "PublishedVersions"} if name != "jobs" else None  # nobody waits for a job's start
    assert function.get("SnapStart") == wanted
    assert function["EphemeralStorage"] == {"Size": 512}
    assert function["Environment"]["Variables"]["QUIRE_CACHE_MB"] == "512"
    assert function["Environment"]["Variables"]["QUIRE_MODEL_FOLDERS"] == "/opt/models"
    assert len(function["Layers"]) == (4 if name == "answer" else 3)
    assert any("LayerModel" in flat(one) for one in function["Layers"])
    (alias,) = (one for key, one in deployment.of_type("Lambda::Alias").items() if f"Functions{title}" in key)
    assert alias["Name"] == "live"
    assert "Version" in flat(alias["FunctionVersion"])


@each_function
def test_a_handler_that_is_deployed_exists(name: str) -> None:
    assert (ROOT / f"functions/{name}.py").is_file()


def test_a_query_may_read_the_bucket_and_nothing_else(deployment: Deployment) -> None:
    assert deployment.actions("FunctionsQueryRole") == READING


@pytest.mark.skipif("answer" not in FUNCTIONS, reason="no route is served by answer")
def test_an_answer_may_read_the_bucket_and_one_secret_and_keep_turns(deployment: Deployment) -> None:
    rest = deployment.actions("FunctionsAnswerRole") - READING
    assert {one for one in rest if not one.startswith("dynamodb:")} == {"secretsmanager:GetSecretValue"}
    (secret,) = (
        one for one in deployment.statements("FunctionsAnswerRole") if "secretsmanager" in str(one["Action"])
    )
    assert flat(secret["Resource"]).startswith("<StorageModelKey")


@pytest.mark.skipif("memory" not in FUNCTIONS, reason="no route is served by memory")
def test_only_memory_may_forget_and_neither_may_do_what_no_code_asks(deployment: Deployment) -> None:
    keeping = {"dynamodb:Query", "dynamodb:GetItem", "dynamodb:PutItem"}
    answer, memory = (
        {one for one in deployment.actions(f"Functions{name}Role") if one.startswith("dynamodb:")}
        for name in ("Answer", "Memory")
    )
    assert answer == keeping
    assert memory == keeping | {"dynamodb:Scan", "dynamodb:BatchWriteItem"}


def test_a_job_has_a_function_of_its_own_and_one_that_fails_is_kept_and_told(deployment: Deployment) -> None:
    (retries,) = deployment.of_type("Lambda::EventInvokeConfig").values()
    (name,) = (key for key in deployment.of_type("Lambda::Function") if "FunctionsJobs" in key)
    (queue,) = (key for key in deployment.of_type("SQS::Queue") if "FailedJobs" in key)
    assert (retries["FunctionName"], retries["Qualifier"]) == ({"Ref": name}, "live")
    assert retries["DestinationConfig"]["OnFailure"]["Destination"] == {"Fn::GetAtt": [queue, "Arn"]}
    assert "sqs:SendMessage" in deployment.actions("FunctionsJobsRole")
    alarms = deployment.of_type("CloudWatch::Alarm")
    told = {
        key.removeprefix("Monitoring")[:-8]: one["Threshold"] for key, one in alarms.items() if "Job" in key
    }
    assert told == {"JobFailed": 1, "JobDropped": 1}


def test_a_function_is_updated_once_it_has_its_rights(deployment: Deployment) -> None:
    for name, one in deployment.template["Resources"].items():
        if one["Type"] == "AWS::Lambda::Function" and name.startswith("Functions"):
            title = name.removeprefix("Functions").partition("Function")[0]
            assert [key for key in one["DependsOn"] if key.startswith(f"Functions{title}Rights")], name


@pytest.mark.skipif("memory" not in FUNCTIONS, reason="no route is served by memory")
def test_memory_may_write_its_own_prefixes_and_the_table(deployment: Deployment) -> None:
    rest = deployment.actions("FunctionsMemoryRole") - READING
    assert {one for one in rest if not one.startswith("dynamodb:")} == {
        "s3:PutObject",
        "s3:DeleteObject",
        "lambda:InvokeFunction",
    }
    writes = [one for one in deployment.statements("FunctionsMemoryRole") if "s3:PutObject" in one["Action"]]
    places = {flat(place).partition(">")[2] for one in writes for place in listed(one["Resource"])}
    assert places == {f"/collections/{name}/*" for name in written_collections(TABLE, COLLECTIONS)}


def test_jobs_go_through_the_alias_that_requests_go_through(deployment: Deployment) -> None:
    functions = deployment.of_type("Lambda::Function")
    (function,) = (one for key, one in functions.items() if "FunctionsMemory" in key)
    (name,) = (key for key in functions if "FunctionsJobs" in key)
    (alias,) = (
        one for one in deployment.of_type("Lambda::Alias").values() if one["FunctionName"] == {"Ref": name}
    )
    assert function["Environment"]["Variables"]["QUIRE_JOB_ALIAS"] == alias["Name"]
    assert function["Environment"]["Variables"]["QUIRE_JOB_FUNCTION"] == {"Ref": name}
    (invoking,) = (
        one
        for one in deployment.statements("FunctionsMemoryRole")
        if one["Action"] == "lambda:InvokeFunction"
    )
    assert flat(invoking["Resource"]) == f"<{name}.Arn>:{alias['Name']}"


@each_function
def test_a_function_asks_for_the_key_that_the_gateway_asks_for(deployment: Deployment, name: str) -> None:
    title = name.capitalize()
    (function,) = (
        one for key, one in deployment.of_type("Lambda::Function").items() if f"Functions{title}" in key
    )
    keys = {flat(one["Value"]) for one in deployment.of_type("ApiGateway::ApiKey").values()}
    said = function["Environment"]["Variables"]
    assert {flat(said["QUIRE_API_KEY"]), flat(said["QUIRE_API_KEYS_BEFORE"])} == keys
    assert flat(said["QUIRE_API_KEY"]).startswith("{{resolve:secretsmanager:<StorageApiKey2")
    secrets = deployment.of_type("SecretsManager::Secret")
    made = [one["GenerateSecretString"] for key, one in secrets.items() if "StorageApiKey" in key]
    assert [one["PasswordLength"] >= 40 for one in made] == [True, True]


def test_a_rotated_key_changes_the_reference_that_cloudformation_resolves_and_the_older_one_counts_on(
    deployment: Deployment, other_deployment: Deployment
) -> None:
    def keys(of: Deployment) -> tuple[str, str]:
        functions = of.of_type("Lambda::Function").items()
        (found,) = (one for key, one in functions if "FunctionsAnswer" in key)
        said = found["Environment"]["Variables"]
        return flat(said["QUIRE_API_KEY"]), flat(said.get("QUIRE_API_KEYS_BEFORE", ""))

    (before, none), (after, older) = keys(other_deployment), keys(deployment)
    assert (none, older) == ("", before)
    assert before != after


def test_both_keys_are_in_the_usage_plan_while_one_follows_the_other(deployment: Deployment) -> None:
    assert len(deployment.of_type("ApiGateway::UsagePlanKey")) == 2
    assert len({flat(one["Value"]) for one in deployment.of_type("ApiGateway::ApiKey").values()}) == 2


@each_function
def test_every_variable_of_a_function_is_one_that_something_reads(deployment: Deployment, name: str) -> None:
    read = " ".join(
        path.read_text(encoding="utf-8")
        for place in ("functions", "layers/core/python/quire")
        for path in (ROOT / place).rglob("*.py")
    )
    (function,) = (
        one
        for key, one in deployment.of_type("Lambda::Function").items()
        if f"Functions{name.capitalize()}" in key
    )
    said = set(function["Environment"]["Variables"])
    assert {one for one in said if one.startswith("QUIRE_") and f'"{one}"' not in read} == set()
    assert said >= {"QUIRE_STORE", "QUIRE_CACHE", "QUIRE_COLLECTIONS", "QUIRE_API_KEY"}


def test_no_role_may_do_everything_or_touch_every_resource(deployment: Deployment) -> None:
    for role in deployment.of_type("IAM::Role"):
        for one in deployment.statements(role):
            assert not [action for action in listed(one["Action"]) if action.endswith("*")], role
            assert "*" not in listed(one["Resource"]), role


def test_a_search_domain_may_be_asked_by_functions_and_loaded_by_builds_alone(
    deployment: Deployment, other_deployment: Deployment
) -> None:
    """The stack makes no domain: without one nobody is told of any."""
    asked: set[frozenset[str]] = set()
    for role in other_deployment.of_type("IAM::Role"):
        for one in other_deployment.statements(role):
            actions = {action for action in listed(one["Action"]) if action.startswith("es:")}
            if actions:
                asked.add(frozenset(actions))
                assert listed(one["Resource"]) == [f"{SEARCHED['opensearch_arn']}/*"]
    loads = frozenset({"es:ESHttpGet", "es:ESHttpPost", "es:ESHttpPut", "es:ESHttpDelete"})
    assert asked == {frozenset({"es:ESHttpGet", "es:ESHttpPost"}), loads}
    for function in other_deployment.of_type("Lambda::Function").values():
        told = function.get("Environment", {}).get("Variables", {})
        assert "QUIRE_STORE" not in told or told["QUIRE_OPENSEARCH_URL"] == SEARCHED["opensearch_url"]
    assert "es:ESHttp" not in json.dumps(deployment.template)


# ---- storage --------------------------------------------------------------------------------------------------


def test_the_bucket_is_versioned_encrypted_private_and_reached_over_tls_only(deployment: Deployment) -> None:
    (bucket,) = (one for key, one in deployment.of_type("S3::Bucket").items() if "Artifacts" in key)
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
    assert "BucketEncryption" in bucket
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    assert bucket["LifecycleConfiguration"]["Rules"][0]["NoncurrentVersionExpiration"] == {
        "NoncurrentDays": 30
    }
    # What was deleted leaves a marker, which nobody would ever delete.
    assert bucket["LifecycleConfiguration"]["Rules"][0]["ExpiredObjectDeleteMarker"] is True
    for policy in deployment.of_type("S3::BucketPolicy").values():
        denied = [one for one in policy["PolicyDocument"]["Statement"] if one["Effect"] == "Deny"]
        assert denied[0]["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_turns_expire_can_be_restored_and_cost_nothing_unused(deployment: Deployment) -> None:
    (table,) = deployment.of_type("DynamoDB::Table").values()
    assert table["BillingMode"] == "PAY_PER_REQUEST"
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert [one["AttributeName"] for one in table["KeySchema"]] == ["pk", "sk"]


def test_data_goes_with_the_stack_where_it_is_not_to_be_kept(other_deployment: Deployment) -> None:
    logging = {"AWS::ApiGateway::Account", "AWS::IAM::Role"}  # the region's
    assert other_deployment.kept() <= {"AWS::Lambda::Version", *logging}
    # CloudFormation deletes no bucket that holds anything.
    emptied = [
        one for one in other_deployment.template["Resources"].values() if "AutoDeleteObjects" in one["Type"]
    ]
    assert len(emptied) == len(other_deployment.of_type("S3::Bucket"))


def test_every_log_group_forgets(deployment: Deployment) -> None:
    groups = deployment.of_type("Logs::LogGroup").values()
    assert {one["RetentionInDays"] for one in groups} == {30}
    assert not [one for one in groups if "LogGroupName" in one]


def test_the_regions_role_for_logs_is_left_alone_unless_it_is_asked_for(
    deployment: Deployment, other_deployment: Deployment
) -> None:
    assert not deployment.of_type("ApiGateway::Account")
    resources = other_deployment.template["Resources"].values()
    (account,) = (one for one in resources if one["Type"] == "AWS::ApiGateway::Account")
    assert account["DeletionPolicy"] == "Retain"
    groups = other_deployment.of_type("Logs::LogGroup").values()
    (api,) = other_deployment.of_type("ApiGateway::RestApi")
    named = [flat(one["LogGroupName"]) for one in groups if "LogGroupName" in one]
    assert named == [f"API-Gateway-Execution-Logs_<{api}>/prod"]


def test_data_outlives_the_stack_and_nothing_else_does(deployment: Deployment) -> None:
    assert {"AWS::S3::Bucket", "AWS::DynamoDB::Table"} <= deployment.kept()
    assert deployment.kept() <= {"AWS::S3::Bucket", "AWS::DynamoDB::Table", "AWS::Lambda::Version"}


# ---- building -------------------------------------------------------------------------------------------------


def test_roblox_is_rebuilt_on_thursdays_at_midnight_in_california(deployment: Deployment) -> None:
    (schedule,) = (one for key, one in deployment.of_type("Scheduler::Schedule").items() if "Roblox" in key)
    assert schedule["ScheduleExpression"] == "cron(0 0 ? * THU *)"
    assert schedule["ScheduleExpressionTimezone"] == "America/Los_Angeles"
    assert '"COLLECTION","Value":"roblox"' in flat(schedule["Target"]["Input"]).replace(" ", "")
    assert deployment.actions("BuildingScheduler") == {"codebuild:StartBuild", "sqs:SendMessage"}


def rebuilds(of: Deployment) -> list[dict[str, Any]]:
    """The schedules that start a build."""
    return [
        one for one in of.of_type("Scheduler::Schedule").values() if "codebuild" in flat(one["Target"]["Arn"])
    ]


def test_every_schedule_has_its_alarm_on_age(deployment: Deployment) -> None:
    scheduled = {name for name, one in COLLECTIONS.items() if one.schedule}
    alarms = deployment.of_type("CloudWatch::Alarm").values()
    ages = {one["Dimensions"][0]["Value"] for one in alarms if one.get("MetricName") == "IndexAgeHours"}
    assert ages == scheduled
    assert len(rebuilds(deployment)) == len(scheduled)


def test_a_scheduled_build_that_could_not_be_started_is_kept_and_raises_an_alarm(
    deployment: Deployment,
) -> None:
    either = deployment
    (name,) = (key for key in either.of_type("SQS::Queue") if "NotStarted" in key)
    for one in rebuilds(either):
        assert one["Target"]["DeadLetterConfig"] == {"Arn": {"Fn::GetAtt": [name, "Arn"]}}
    sent = [one for one in either.statements("BuildingScheduler") if one["Action"] == "sqs:SendMessage"]
    assert [one["Resource"] for one in sent] == [{"Fn::GetAtt": [name, "Arn"]}]
    alarms = either.of_type("CloudWatch::Alarm")
    (alarm,) = (one for key, one in alarms.items() if "NotStarted" in key)
    assert alarm["Dimensions"] == [{"Name": "QueueName", "Value": {"Fn::GetAtt": [name, "QueueName"]}}]
    assert (alarm["MetricName"], alarm["Threshold"]) == ("ApproximateNumberOfMessagesVisible", 1)
    assert alarm["AlarmActions"]


def test_the_cost_table_counts_the_alarms_there_are(deployment: Deployment) -> None:
    readme = (ROOT / "infra/README.md").read_text(encoding="utf-8")
    (counted,) = re.findall(r"(\d+) × 0\.10 \|", readme)
    assert int(counted) == len(deployment.of_type("CloudWatch::Alarm"))


def test_the_build_job_runs_the_same_command_as_everybody(deployment: Deployment) -> None:
    (project,) = deployment.of_type("CodeBuild::Project").values()
    steps = flat(project["Source"]["BuildSpec"])
    assert 'python -m build_index build \\"$COLLECTION\\"' in steps
    assert "build_index.release.snapshots" in steps
    assert deployment.actions("BuildingBuilder") >= {"s3:PutObject", "lambda:PublishVersion"}


def test_the_build_job_prunes_what_it_published_though_some_files_failed(
    deployment: Deployment, tmp_path: Path
) -> None:
    (project,) = deployment.of_type("CodeBuild::Project").values()
    (command,) = json.loads(flat(project["Source"]["BuildSpec"]))["phases"]["build"]["commands"]
    program = tmp_path / ".venv/bin/python"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\necho "$2 $3" >> calls\n[ "$3" != build ] || exit "$BUILD"\n')
    program.chmod(0o755)

    def run(code: str) -> tuple[int, list[str]]:
        environment = {"PATH": os.environ["PATH"], "BUILD": code, "COLLECTION": "roblox"}
        done = subprocess.run(("/bin/sh", "-c", command), cwd=tmp_path, env=environment, check=False)
        calls = (tmp_path / "calls").read_text().splitlines()
        (tmp_path / "calls").unlink()
        return done.returncode, [
            line.split()[1] if "snapshots" not in line else "snapshots" for line in calls
        ]

    assert run("0") == (0, ["build", "prune", "snapshots"])
    assert run("1") == (1, ["build", "prune", "snapshots"])
    assert run("2") == (2, ["build"])


def test_services_take_their_roles_for_this_account_alone(deployment: Deployment) -> None:
    for service in ("BuildingScheduler", "BuildingBuilder"):
        (role,) = (one for key, one in deployment.of_type("IAM::Role").items() if service in key)
        (statement,) = role["AssumeRolePolicyDocument"]["Statement"]
        assert statement["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}


def test_the_accounts_own_provider_for_github_can_be_used(other_deployment: Deployment) -> None:
    (role,) = (one for key, one in other_deployment.of_type("IAM::Role").items() if "GitHubRole" in key)
    (statement,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert statement["Principal"]["Federated"].startswith("arn:aws:iam::111111111111:oidc-provider/")
    assert not other_deployment.of_type("IAM::OIDCProvider")


def test_what_the_readme_says_that_a_deployment_prints_has_that_name(
    deployment: Deployment, other_deployment: Deployment
) -> None:
    always = {"Address", "Bucket", "KeyArn", "ModelKeyArn", "GitHubRoleArn"}
    assert set(deployment.template["Outputs"]) >= always | {"FunctionNames"}
    assert set(other_deployment.template["Outputs"]) >= always | {"DomainTarget"}


def test_github_may_come_from_one_branch_of_one_repository(deployment: Deployment) -> None:
    (role,) = (one for key, one in deployment.of_type("IAM::Role").items() if "GitHubRole" in key)
    (statement,) = role["AssumeRolePolicyDocument"]["Statement"]
    issuer = "token.actions.githubusercontent.com"
    assert statement["Action"] == "sts:AssumeRoleWithWebIdentity"
    assert statement["Condition"] == {
        "StringEquals": {
            f"{issuer}:aud": "sts.amazonaws.com",
            f"{issuer}:repository": "acme/quire",
            f"{issuer}:ref": "refs/heads/main",
        },
        "StringLike": {
            f"{issuer}:sub": [
                "repo:acme/quire:ref:refs/heads/main",
                "repo:acme/quire:environment:production",
                "repo:acme@*/quire@*:ref:refs/heads/main",
                "repo:acme@*/quire@*:environment:production",
            ]
        },
    }


# ---- monitoring -----------------------------------------------------------------------------------------------


@each_function
def test_errors_and_slowness_of_a_function_raise_alarms(deployment: Deployment, name: str) -> None:
    alarms = {
        key: one
        for key, one in deployment.of_type("CloudWatch::Alarm").items()
        if f"Monitoring{name.capitalize()}" in key
    }
    watched = set() if name == "jobs" else {"Errors", "Duration"}  # a failed job is in its queue
    assert {one["MetricName"] for one in alarms.values()} == watched
    # Not of the alias: a job may end on the version before.
    assert {len(one["Dimensions"]) for one in alarms.values()} <= {1}


def test_failures_that_functions_answer_raise_an_alarm(deployment: Deployment) -> None:
    (alarm,) = (
        one for one in deployment.of_type("CloudWatch::Alarm").values() if one["MetricName"] == "5XXError"
    )
    assert alarm["Dimensions"] == [{"Name": "ApiName", "Value": "quire"}]


def test_alarms_and_graphs_look_at_metrics_that_are_written(
    deployment: Deployment, other_deployment: Deployment
) -> None:
    written = {DISK_SHARE, *(name for name, _ in UNITS.values())}
    own = [one for one in deployment.of_type("CloudWatch::Alarm").values() if one["Namespace"] == NAMESPACE]
    assert {one["MetricName"] for one in own} <= written
    facts = {"collection": "roblox", "index_age_h": 1.0}
    (directive,) = embedded(facts, {"AWS_LAMBDA_FUNCTION_NAME": "query"})["_aws"]["CloudWatchMetrics"]
    for one in own:
        assert directive["Namespace"] == one["Namespace"]
        if one["MetricName"] != DISK_SHARE:  # of a function's disk, whatever the collection
            assert directive["Dimensions"] == [[part["Name"] for part in one["Dimensions"]]]
    assert not deployment.of_type("CloudWatch::Dashboard")  # $3 a month
    (board,) = other_deployment.of_type("CloudWatch::Dashboard").values()
    drawn = set(re.findall(r'MetricName=[\\"]+(\w+)', flat(board["DashboardBody"])))
    assert drawn
    assert drawn <= written


def test_every_alarm_is_sent_to_somebody(deployment: Deployment) -> None:
    (topic,) = deployment.of_type("SNS::Topic")
    for one in deployment.of_type("CloudWatch::Alarm").values():
        assert one["AlarmActions"] == [{"Ref": topic}]
    # A policy that demands TLS replaces the one that lets the account's alarms publish.
    (policy,) = deployment.of_type("SNS::TopicPolicy").values()
    allowed = [one for one in policy["PolicyDocument"]["Statement"] if one["Effect"] == "Allow"]
    assert [(one["Principal"], one["Action"]) for one in allowed] == [
        ({"Service": "cloudwatch.amazonaws.com"}, "sns:Publish")
    ]
    (subscription,) = deployment.of_type("SNS::Subscription").values()
    assert subscription["Endpoint"] == "ops@example.com"


def test_a_failed_build_raises_an_alarm_and_a_budget_is_watched(deployment: Deployment) -> None:
    metrics = {one.get("MetricName") for one in deployment.of_type("CloudWatch::Alarm").values()}
    assert "FailedBuilds" in metrics
    (budget,) = deployment.of_type("Budgets::Budget").values()
    assert budget["Budget"]["BudgetLimit"] == {"Amount": 25, "Unit": "USD"}


def test_requests_are_throttled_counted_by_key_and_logged_without_their_content(
    deployment: Deployment,
) -> None:
    (stage,) = deployment.of_type("ApiGateway::Stage").values()
    (settings,) = (one for one in stage["MethodSettings"] if one["ResourcePath"] == "/*")
    bounds = {one["ResourcePath"]: one["ThrottlingRateLimit"] for one in stage["MethodSettings"]}
    assert bounds["/~1{collection}~1health"] == 10
    assert "/~1{collection}~1query" not in bounds
    assert (settings["ThrottlingRateLimit"], settings["DataTraceEnabled"]) == (50, False)
    # They cost for each method of the API, and nothing here looks at them.
    assert settings["MetricsEnabled"] is False
    written = flat(stage["AccessLogSetting"]["Format"])
    for field in ("requestId", "status", "responseLatency", "integrationLatency", "error.responseType"):
        assert f"$context.{field}" in written
    (plan,) = deployment.of_type("ApiGateway::UsagePlan").values()
    assert plan["Quota"] == {"Limit": 10_000, "Period": "DAY"}


@pytest.mark.parametrize("collection", COLLECTIONS.values(), ids=lambda one: one.name)
def test_a_collections_face_has_routes(collection) -> None:  # type: ignore[no-untyped-def]
    assert face_of(collection) in {one.face for one in PROFILES.values()}


def test_new_code_meets_a_tenth_of_the_calls_first_and_an_alarm_leads_back(deployment: Deployment) -> None:
    groups = deployment.of_type("CodeDeploy::DeploymentGroup")
    assert len(groups) == len(FUNCTIONS)
    for group in groups.values():
        assert group["DeploymentConfigName"] == "CodeDeployDefault.LambdaCanary10Percent5Minutes"
    # No caller waits for a job, so nothing is to be led back.
    stopped = [one for one in groups.values() if one.get("AlarmConfiguration", {}).get("Alarms")]
    assert len(stopped) == len(FUNCTIONS) - 1
    for group in stopped:
        assert "DEPLOYMENT_STOP_ON_ALARM" in group["AutoRollbackConfiguration"]["Events"]
    for one in deployment.template["Resources"].values():
        if one["Type"] == "AWS::Lambda::Alias":
            assert "CodeDeployLambdaAliasUpdate" in one["UpdatePolicy"]


def test_a_version_of_code_stays_when_a_deployment_replaces_it(deployment: Deployment) -> None:
    for one in deployment.template["Resources"].values():
        if one["Type"] == "AWS::Lambda::Version":
            assert (one["DeletionPolicy"], one["Properties"]["Description"]) == ("Retain", "deployed")


def test_everything_has_the_tag_that_the_budget_filters_by(deployment: Deployment) -> None:
    (budget,) = deployment.of_type("Budgets::Budget").values()
    assert budget["Budget"]["CostFilters"] == {"TagKeyValue": ["user:application$quire"]}
    for kind in ("Lambda::Function", "S3::Bucket", "DynamoDB::Table", "CodeBuild::Project", "SQS::Queue"):
        for one in deployment.of_type(kind).values():
            assert {"Key": "application", "Value": "quire"} in one["Tags"], kind


def test_without_somebody_to_tell_there_is_no_alarm_and_the_synthesis_says_so(
    other_deployment: Deployment,
) -> None:
    assert not other_deployment.of_type("CloudWatch::Alarm")
    said = " ".join(path.read_text(encoding="utf-8") for path in other_deployment.folder.glob("*.json"))
    assert "alarm_email: nobody is named" in said


def test_where_a_model_answers_anyone_a_firewall_bounds_each_address(
    deployment: Deployment, many: Deployment
) -> None:
    assert not deployment.of_type("WAFv2::WebACL")
    (acl,) = many.of_type("WAFv2::WebACL").values()
    assert "RateBasedStatement" in str(acl["Rules"])


def test_callers_without_a_key_have_a_budget_and_an_alarm_tells_when_it_is_used_up(
    deployment: Deployment, many: Deployment
) -> None:
    assert "dynamodb:UpdateItem" in many.actions("FunctionsAnswerRole")
    assert "dynamodb:UpdateItem" not in deployment.actions("FunctionsAnswerRole")
    (told,) = many.of_type("Logs::MetricFilter").values()
    (metric,) = told["MetricTransformations"]
    names = {one["MetricName"] for one in many.of_type("CloudWatch::Alarm").values()}
    assert metric["MetricName"] in names


def test_an_index_that_nobody_asks_is_looked_at_often_enough_for_its_alarm(deployment: Deployment) -> None:
    schedules = deployment.of_type("Scheduler::Schedule")
    (check,) = (one for key, one in schedules.items() if "AgeCheck" in key)
    assert check["ScheduleExpression"] == "rate(12 hours)"
    assert json.loads(flat(check["Target"]["Input"])) == {"quire_ages": ["roblox"]}
    assert "FunctionsQueryAlias" in flat(check["Target"]["Arn"])
    assert deployment.actions("AgeChecker") == {"lambda:InvokeFunction"}
    stale = [
        one
        for one in deployment.of_type("CloudWatch::Alarm").values()
        if one.get("MetricName") == "IndexAgeHours"
    ]
    assert [one["Period"] for one in stale] == [24 * 3600]


def test_a_region_that_lacks_a_service_is_told(deployment: Deployment, many: Deployment) -> None:
    def said(of: Deployment) -> str:
        return " ".join(path.read_text(encoding="utf-8") for path in of.folder.glob("*.json"))

    assert "CodeBuild: not known in mx-central-1" in said(many)
    assert "not known in" not in said(deployment)


def test_a_bucket_and_a_table_that_were_kept_are_adopted_by_their_names(
    deployment: Deployment, many: Deployment
) -> None:
    def names(of: Deployment) -> tuple[str, str]:
        (bucket,) = (one for key, one in of.of_type("S3::Bucket").items() if "Artifacts" in key)
        (table,) = of.of_type("DynamoDB::Table").values()
        return bucket.get("BucketName", ""), table.get("TableName", "")

    assert names(deployment) == ("", "")
    assert names(many) == (KEPT["bucket"], KEPT["table"])
    # CloudFormation imports nothing that does not say what becomes of it.
    assert {"AWS::S3::Bucket", "AWS::DynamoDB::Table"} <= many.kept()


def test_a_build_that_failed_is_begun_again_by_itself(deployment: Deployment, many: Deployment) -> None:
    assert [
        one["AutoRetryLimit"]
        for of in (deployment, many)
        for one in of.of_type("CodeBuild::Project").values()
    ] == [1, 3]


def test_what_a_small_account_lacks_is_a_choice(deployment: Deployment, many: Deployment) -> None:
    assert building_of(deployment) == ("BUILD_GENERAL1_LARGE", 120)
    assert building_of(many) == ("BUILD_GENERAL1_SMALL", 180)
    for one, reserved, timeouts in (
        (deployment, None, {29, 120, 900}),
        (many, 2, {20, 60, 300}),
    ):
        ours = [
            function
            for function in one.of_type("Lambda::Function").values()
            if function["Handler"].startswith("functions.")
        ]
        assert {function.get("ReservedConcurrentExecutions") for function in ours} == {reserved}
        assert {function["Timeout"] for function in ours} == timeouts


def building_of(deployment: Deployment) -> tuple[str, int]:
    """The size of the machine that builds, and a build's minutes."""
    [project] = deployment.of_type("CodeBuild::Project").values()
    return project["Environment"]["ComputeType"], project["TimeoutInMinutes"]


def test_calls_are_traced_where_that_is_asked_for(
    deployment: Deployment, other_deployment: Deployment
) -> None:
    for one, wanted in ((deployment, set()), (other_deployment, {"Active"})):
        traced = {
            function["TracingConfig"]["Mode"]
            for function in one.of_type("Lambda::Function").values()
            if "TracingConfig" in function
        }
        assert traced == wanted


def test_two_hundred_collections_synthesize(many: Deployment) -> None:
    assert len(many.template["Resources"]) <= 400


def test_the_runbook_says_of_every_alarm_what_it_means_and_what_ends_it(
    deployment: Deployment, many: Deployment
) -> None:
    readme = (ROOT / "infra/README.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in readme.splitlines() if line.startswith("| `")]
    told = {name for row in rows if len(row) == 5 for name in re.findall(r"`(\w+)…?`", row[1])}
    found = {name for one in (deployment, many) for name in one.of_type("CloudWatch::Alarm")}
    rung = {name.removeprefix("Monitoring")[:-8] for name in found}
    assert {"Stale" if name.startswith("Stale") else name for name in rung} <= told


@pytest.mark.parametrize(
    "error",
    [StoreUnavailable(), UnknownCollection("docs"), ArtifactCorrupt(), DiskFull()],
    ids=lambda one: type(one).__name__,
)
def test_the_runbook_says_what_ends_each_way_of_serving_an_older_version(error: QuireError) -> None:
    readme = (ROOT / "infra/README.md").read_text(encoding="utf-8")
    rows = {
        line.split("`")[1] for line in readme.splitlines() if line.startswith("| `") and line.count("|") == 4
    }
    assert re.split(r" \(|: ", label_failure(error, "v1"))[0] in rows


# ---- builds in shards -----------------------------------------------------------------------------------------


def test_builds_in_shards_are_there_only_where_they_are_asked_for(
    deployment: Deployment, many: Deployment
) -> None:
    assert not [name for name in deployment.template["Resources"] if name.startswith("Sharding")]
    assert "stepfunctions" not in json.dumps(deployment.template)
    [project] = many.of_type("CodeBuild::Project").values()
    assert '--engine stepfunctions --state-machine \\"$QUIRE_STATE_MACHINE\\"' in flat(
        project["Source"]["BuildSpec"]
    )
    variables = {one["Name"]: flat(one["Value"]) for one in project["Environment"]["EnvironmentVariables"]}
    assert variables["QUIRE_STATE_MACHINE"].startswith("<ShardingMachine")


def test_the_state_machine_is_the_one_that_tests_run(many: Deployment) -> None:
    [machine] = many.of_type("StepFunctions::StateMachine").values()
    [bucket] = (key for key in many.of_type("S3::Bucket") if "Artifacts" in key)
    [alias] = (key for key in many.of_type("Lambda::Alias") if "Sharding" in key)
    wanted = definition(f"<{bucket}>", f"<{alias}>")
    wanted["States"]["Shards"]["MaxConcurrency"] = int(SHARDED["shard_concurrency"])
    assert json.loads(flat(machine["DefinitionString"])) == wanted
    assert machine["LoggingConfiguration"]["Level"] == "ALL"


def test_a_worker_writes_shards_and_nothing_that_is_served(many: Deployment) -> None:
    [worker] = (one for key, one in many.of_type("Lambda::Function").items() if "ShardingWorker" in key)
    assert worker["Handler"] == "build_index.distributed.worker.handler"
    assert (worker["Timeout"], len(worker["Layers"])) == (900, 3)
    assert many.actions("ShardingWorkerRole") == READING | {"s3:PutObject"}
    [writing] = (one for one in many.statements("ShardingWorkerRole") if one["Action"] == "s3:PutObject")
    assert flat(writing["Resource"]).endswith("/collections/*/shards/*")


def test_the_state_machine_may_invoke_its_worker_alone_and_whoever_builds_may_start_it(
    many: Deployment,
) -> None:
    role = "ShardingRole"
    assert {one for one in many.actions(role) if not one.startswith(("logs:", "states:"))} == {
        "lambda:InvokeFunction",
        "s3:GetObject",
    }
    [invoking] = (one for one in many.statements(role) if one["Action"] == "lambda:InvokeFunction")
    assert flat(invoking["Resource"]).startswith("<ShardingWorkerAlias")
    assert many.actions("BuildingBuilder") >= {"states:StartExecution", "states:DescribeExecution"}
    for one in many.statements(role) + many.statements("BuildingBuilder"):
        if "states:" in str(one["Action"]):
            assert flat(one["Resource"]).rpartition("quire-shards")[2] in ("", ":*")


def test_an_execution_that_fails_rings(many: Deployment) -> None:
    alarms = many.of_type("CloudWatch::Alarm").values()
    rung = {one["MetricName"] for one in alarms if one.get("Namespace") == "AWS/States"}
    assert rung == {"ExecutionsFailed", "ExecutionsTimedOut"}
