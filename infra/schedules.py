"""When collections are rebuilt: a schedule for each that has one, and a queue for the starts that failed."""

from __future__ import annotations

from collections.abc import Sequence

import aws_cdk as cdk
from aws_cdk import aws_codebuild as codebuild
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.reasons import accept
from infra.settings import StackSettings
from quire.collections import Collection

RETRIES = 3
ITSELF = "it is the queue for what failed; what arrives raises an alarm"


def add_schedules(
    scope: Construct, collections: Sequence[Collection], project: codebuild.Project, settings: StackSettings
) -> sqs.Queue | None:
    """Make the schedules; gives the queue for starts that failed, None where nothing is scheduled.

    What EventBridge Scheduler could not start after its retries it would drop without a word: no build ran, so none
    failed. The queue keeps it for 14 days, with the collection and the error.
    """
    role = iam.Role(scope, "Scheduler", assumed_by=service_of_account(scope, "scheduler"))
    role.add_to_policy(iam.PolicyStatement(actions=["codebuild:StartBuild"], resources=[project.project_arn]))
    scheduled = [one for one in collections if one.schedule]
    if not scheduled:
        return None
    not_started = queue_of_failures(scope, "NotStarted")
    role.add_to_policy(iam.PolicyStatement(actions=["sqs:SendMessage"], resources=[not_started.queue_arn]))
    for collection in scheduled:
        scheduler.CfnSchedule(
            scope,
            f"Rebuild{collection.name.title().replace('_', '').replace('-', '')}",
            description=f"Rebuilds {collection.name}",
            schedule_expression=f"cron({collection.schedule})",
            schedule_expression_timezone=settings.timezone,
            flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF"),
            target=_start(collection, project, role, not_started),
        )
    return not_started


def queue_of_failures(scope: Construct, id: str) -> sqs.Queue:  # noqa: A002
    """A queue that keeps for 14 days what would else fail without a word; an alarm looks at it."""
    queue = sqs.Queue(
        scope,
        id,
        enforce_ssl=True,
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        retention_period=cdk.Duration.days(14),
    )
    accept(queue, {"AwsSolutions-SQS3": ITSELF})
    return queue


def _start(
    collection: Collection, project: codebuild.Project, role: iam.Role, not_started: sqs.Queue
) -> scheduler.CfnSchedule.TargetProperty:
    """What a schedule does: start the project for the collection, or tell the queue."""
    started = {
        "ProjectName": project.project_name,
        "EnvironmentVariablesOverride": [
            {"Name": "COLLECTION", "Value": collection.name, "Type": "PLAINTEXT"}
        ],
    }
    return scheduler.CfnSchedule.TargetProperty(
        arn="arn:aws:scheduler:::aws-sdk:codebuild:startBuild",
        role_arn=role.role_arn,
        input=cdk.Stack.of(project).to_json_string(started),
        retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(maximum_retry_attempts=RETRIES),
        dead_letter_config=scheduler.CfnSchedule.DeadLetterConfigProperty(arn=not_started.queue_arn),
    )


def add_age_check(
    scope: Construct, function: lambda_.IFunction, collections: Sequence[str], hours: int
) -> None:
    """Have the function tell the collections' ages every so many hours: one that nobody asks grows old too."""
    role = iam.Role(scope, "AgeChecker", assumed_by=service_of_account(scope, "scheduler"))
    role.add_to_policy(
        iam.PolicyStatement(actions=["lambda:InvokeFunction"], resources=[function.function_arn])
    )
    scheduler.CfnSchedule(
        scope,
        "AgeCheck",
        description="Tells how old the indexes are",
        schedule_expression=f"rate({hours} hours)",
        flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF"),
        target=scheduler.CfnSchedule.TargetProperty(
            arn=function.function_arn,
            role_arn=role.role_arn,
            input=cdk.Stack.of(scope).to_json_string({"quire_ages": list(collections)}),
        ),
    )


def service_of_account(scope: Construct, name: str) -> iam.ServicePrincipal:
    """The service, on behalf of this account alone: it takes roles for whoever asks it."""
    account = {"StringEquals": {"aws:SourceAccount": cdk.Stack.of(scope).account}}
    return iam.ServicePrincipal(f"{name}.amazonaws.com", conditions=account)
