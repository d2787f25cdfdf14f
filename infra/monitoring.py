"""What tells a maintainer: alarms, a dashboard and a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_budgets as budgets
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_codebuild as codebuild
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as stepfunctions
from constructs import Construct

from infra.api_function import ApiFunction
from infra.schedules import add_age_check
from infra.settings import StackSettings

TAG = "application"
"""Everything here has it, with the stack's name."""
NAMESPACE = "Quire"
"""Of the metrics that `functions/web/logs.py` writes into the logs."""
FULL_SHARE = 0.9
"""Of a function's /tmp. Before it is full what is closed goes; after that idle collections are closed."""
AGE_CHECK_H = 12
"""So an age is told within each day; a metric costs $0.30 / 730 for each hour in which it is sent."""
FIVE_MINUTES = cdk.Duration.minutes(5)


@dataclass(frozen=True, slots=True)
class Watched:
    """What is watched beside the functions.

    Attributes:
        scheduled: collections that are rebuilt by themselves.
        queues: alarm's name -> what it means that something waits there, and the queue, where there is one.
        machine: which leads the builds in shards, where there is one.
        answers_anyone: whether a model answers callers without a key.
    """

    api: apigateway.RestApi
    project: codebuild.Project
    scheduled: Sequence[str]
    queues: Mapping[str, tuple[str, sqs.IQueue | None]]
    machine: stepfunctions.StateMachine | None
    answers_anyone: bool


class Monitoring(Construct):
    """Alarms go to one topic; `alarm_email` is subscribed to it where it is set."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        functions: Mapping[str, ApiFunction],
        *,
        watched: Watched,
        settings: StackSettings,
    ) -> None:
        super().__init__(scope, id)
        self._settings = settings
        self.errors: dict[str, list[cloudwatch.Alarm]] = {}
        self._budget()
        if settings.dashboard:
            self._dashboard(functions)
        if not settings.alarm_email:
            why = "alarm_email: nobody is named, so no alarm is made; deploy with -c alarm_email=you@example.com"
            cdk.Annotations.of(self).add_warning_v2("quire:nobody-is-told", why)
            return
        self.topic = sns.Topic(self, "Alarms", enforce_ssl=True)
        self._let_alarms_publish()
        self.topic.add_subscription(subscriptions.EmailSubscription(settings.alarm_email))
        for name, one in functions.items():
            self._watch_function(name, one)
        # A failure that a function answers is no error of Lambda's: what callers meet is counted at the API.
        failed = watched.api.metric_server_error(period=FIVE_MINUTES, statistic="Sum")
        self._alarm("Failing", failed, 5, "5 requests in 5 minutes were answered 5xx")
        self._alarm(
            "BuildFailed", watched.project.metric_failed_builds(period=FIVE_MINUTES), 1, "a build failed"
        )
        if machine := watched.machine:
            self._alarm("ShardsFailed", machine.metric_failed(period=FIVE_MINUTES), 1, "shards were given up")
            ended = machine.metric_timed_out(period=FIVE_MINUTES)
            self._alarm("ShardsTimedOut", ended, 1, "an execution was ended after a day")
        for id_, (what, queue) in watched.queues.items():
            self._watch_queue(id_, queue, what)
        if jobs := functions.get("jobs"):
            dropped = jobs.function.metric("AsyncEventsDropped", period=FIVE_MINUTES, statistic="Sum")
            self._alarm("JobDropped", dropped, 1, "a job was never begun")
        if watched.answers_anyone and "answer" in functions:
            self._watch_public_budget(functions["answer"])
        full = cloudwatch.Metric(
            namespace=NAMESPACE, metric_name="DiskShare", statistic="Maximum", period=FIVE_MINUTES
        )
        self._alarm("DiskFull", full, FULL_SHARE, f"a function's /tmp is {FULL_SHARE:.0%} full")
        self._watch_ages(watched.scheduled, functions)

    def _watch_queue(self, id: str, queue: sqs.IQueue | None, what: str) -> None:  # noqa: A002
        if queue is not None:
            waiting = queue.metric_approximate_number_of_messages_visible(
                period=FIVE_MINUTES, statistic="Maximum"
            )
            self._alarm(id, waiting, 1, f"{what}; the queue says which")

    def _watch_public_budget(self, answer: ApiFunction) -> None:
        """Count answers that were quotations because the tokens for callers without a key were used up."""
        refused = logs.MetricFilter(
            self,
            "PublicRefused",
            log_group=answer.log_group,
            metric_namespace=NAMESPACE,
            metric_name="PublicRefused",
            filter_pattern=logs.FilterPattern.exists("$.public_refused"),
        ).metric(period=FIVE_MINUTES, statistic="Sum")
        self._alarm("PublicBudget", refused, 1, "a public collection's tokens of today are used up")

    def _let_alarms_publish(self) -> None:
        """Allow what the topic's policy no longer does by itself: demanding TLS replaced the policy that allows."""
        account = {"StringEquals": {"aws:SourceAccount": cdk.Stack.of(self).account}}
        self.topic.add_to_resource_policy(
            iam.PolicyStatement(
                actions=["sns:Publish"],
                resources=[self.topic.topic_arn],
                principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com", conditions=account)],
            )
        )

    def _watch_function(self, name: str, one: ApiFunction) -> None:
        title = name.capitalize()
        # Of the function, not of its alias: a job may end on the version before.
        errors = one.function.metric_errors(period=FIVE_MINUTES)
        slowest = one.function.metric_duration(period=FIVE_MINUTES, statistic="p99")
        if name == "jobs":  # one that failed is in the queue, and none comes to callers
            return
        # What is throttled is counted at the API, as 5xx.
        self.errors[name] = [self._alarm(f"{title}Errors", errors, 5, f"{name}: 5 errors in 5 minutes")]
        bound = self._settings.p99_ms if one.plan.timeout_s <= 29 else one.plan.timeout_s * 500
        self._alarm(f"{title}Slow", slowest, bound, f"{name}: p99 over {bound} ms")

    def _watch_ages(self, collections: Sequence[str], functions: Mapping[str, ApiFunction]) -> None:
        for name in collections:
            self._watch_age(name)
        if collections and "query" in functions:
            add_age_check(self, functions["query"].alias, collections, AGE_CHECK_H)

    def _watch_age(self, collection: str) -> None:
        age = cloudwatch.Metric(
            namespace=NAMESPACE,
            metric_name="IndexAgeHours",
            dimensions_map={"collection": collection},
            statistic="Minimum",
            period=cdk.Duration.hours(2 * AGE_CHECK_H),
        )
        hours = self._settings.stale_after_days * 24
        name = f"Stale{collection.title().replace('_', '').replace('-', '')}"
        self._alarm(name, age, hours, f"{collection}: the index is older than {hours} hours")

    def _alarm(
        self,
        id: str,  # noqa: A002
        metric: cloudwatch.IMetric,
        threshold: float,
        description: str,
    ) -> cloudwatch.Alarm:
        alarm = cloudwatch.Alarm(
            self,
            id,
            metric=metric,
            threshold=threshold,
            evaluation_periods=1,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
            alarm_description=description,
        )
        alarm.add_alarm_action(actions.SnsAction(self.topic))
        return alarm

    def _dashboard(self, functions: Mapping[str, ApiFunction]) -> None:
        stages = [
            cloudwatch.MathExpression(
                expression=f"SEARCH('{{{NAMESPACE},collection}} MetricName=\"{name}\"', 'p95', 300)",
                label="",
                using_metrics={},
            )
            for name in ("TookMs", "OpenMs", "SearchMs", "AnswerMs")
        ]
        calls = [one.alias.metric_invocations(label=name) for name, one in functions.items()]
        failures = [one.alias.metric_errors(label=name) for name, one in functions.items()]
        cloudwatch.Dashboard(
            self,
            "Dashboard",
            widgets=[
                [
                    cloudwatch.GraphWidget(title="Calls", left=calls, width=12),
                    cloudwatch.GraphWidget(title="Errors", left=failures, width=12),
                ],
                [
                    cloudwatch.GraphWidget(title="p95, ms, by collection", left=stages, width=12),
                    cloudwatch.GraphWidget(
                        title="Degraded, abstained, failed, tokens", left=_searches(), width=12
                    ),
                ],
            ],
        )

    def _budget(self) -> None:
        subscriber = budgets.CfnBudget.SubscriberProperty(
            address=self._settings.alarm_email, subscription_type="EMAIL"
        )
        forecast = budgets.CfnBudget.NotificationProperty(
            comparison_operator="GREATER_THAN", notification_type="FORECASTED", threshold=100
        )
        told = budgets.CfnBudget.NotificationWithSubscribersProperty(
            notification=forecast, subscribers=[subscriber]
        )
        budgets.CfnBudget(
            self,
            "Budget",
            budget=budgets.CfnBudget.BudgetDataProperty(
                budget_type="COST",
                time_unit="MONTHLY",
                # The account's other costs are not this deployment's. Tags count once they are activated in Billing.
                cost_filters={"TagKeyValue": [f"user:{TAG}${self._settings.name}"]},
                budget_limit=budgets.CfnBudget.SpendProperty(amount=self._settings.budget_usd, unit="USD"),
            ),
            notifications_with_subscribers=[told] if self._settings.alarm_email else None,
        )


def _searches() -> list[cloudwatch.IMetric]:
    return [
        cloudwatch.MathExpression(
            expression=f"SEARCH('{{{NAMESPACE},collection}} MetricName=\"{name}\"', 'Sum', 300)",
            label="",
            using_metrics={},
        )
        for name in ("Degraded", "Abstained", "ModelFailures", "PromptTokens", "AnswerTokens")
    ]
