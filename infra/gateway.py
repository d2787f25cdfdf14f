"""The REST API: one method for each route, keys, quotas, access logs; a firewall and a domain where they are wanted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_certificatemanager as certificates
from aws_cdk import aws_logs as logs
from aws_cdk import aws_secretsmanager as secrets
from aws_cdk import aws_wafv2 as waf
from constructs import Construct

from infra.api_function import ApiFunction, retention
from infra.reasons import accept
from infra.routes import Route
from infra.settings import StackSettings

EXECUTION_LOG = "API-Gateway-Execution-Logs_{api}/{stage}"
"""What API Gateway calls the log group that it writes its own errors to, and would make itself, kept for ever."""


class Gateway(Construct):
    """The API and everything that guards it."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        routes: Sequence[Route],
        functions: Mapping[str, ApiFunction],
        *,
        api_keys: Mapping[int, secrets.Secret],
        settings: StackSettings,
    ) -> None:
        super().__init__(scope, id)
        self._settings, self._api_keys = settings, api_keys
        self._routes = routes
        self.api = self._api()
        if settings.api_logging:
            self._keep_execution_log()
        integrations = {name: _integration(one) for name, one in functions.items()}
        asked = {one.name for route in routes for one in route.collections if one.options.get("origins")}
        for route in routes:
            # A page of another site calls the native routes, which serve every collection, or a collection's own.
            owners = {one.name for one in route.collections}
            is_shared = bool(asked) and (not owners or not owners.isdisjoint(asked))
            self._add(route, integrations[route.function], is_shared=is_shared)
        add_refusals(self.api, is_shared=bool(asked))
        if settings.keys_required:
            self._add_keys()
        # Whoever may spend the owner's tokens without a key is held to a rate of his own.
        answers_anyone = any(one.public_answers for route in routes for one in route.collections)
        if has_firewall := settings.firewall or answers_anyone:
            self._add_firewall()
        accept(self.api, _REASONS)
        if not has_firewall:
            accept(self.api, _NO_FIREWALL)
        if not settings.api_logging:
            accept(self.api, _NO_ERROR_LOG)

    def _api(self) -> apigateway.RestApi:
        access_log = logs.LogGroup(
            self,
            "AccessLog",
            retention=retention(self._settings.log_days),
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        return apigateway.RestApi(
            self,
            "Api",
            rest_api_name=self._settings.name,
            endpoint_types=[apigateway.EndpointType.REGIONAL],
            # What a function sends in base64 leaves as bytes: the page's files are compressed.
            binary_media_types=["*/*"],
            # One role a region, for the APIs of everybody: without it the others' logs would end with this stack.
            cloud_watch_role=self._settings.api_logging,
            cloud_watch_role_removal_policy=cdk.RemovalPolicy.RETAIN if self._settings.api_logging else None,
            domain_name=self._domain(),
            deploy_options=apigateway.StageOptions(
                stage_name=self._settings.stage,
                throttling_rate_limit=self._settings.rate_per_s,
                throttling_burst_limit=self._settings.burst,
                # A metric for each method would cost $0.30 a month; those of the whole API come without.
                metrics_enabled=False,
                method_options=self._open_methods(),
                tracing_enabled=self._settings.tracing,
                logging_level=apigateway.MethodLoggingLevel.ERROR
                if self._settings.api_logging
                else apigateway.MethodLoggingLevel.OFF,
                # Requests hold questions.
                data_trace_enabled=False,
                access_log_destination=apigateway.LogGroupLogDestination(access_log),
                access_log_format=_access_log_format(),
            ),
        )

    def _open_methods(self) -> dict[str, apigateway.MethodDeploymentOptions]:
        """Routes that need no key have a bound of their own, which takes nothing from callers with one."""
        bound = apigateway.MethodDeploymentOptions(
            throttling_rate_limit=self._settings.open_rate_per_s,
            throttling_burst_limit=self._settings.open_burst,
        )
        is_bound = self._settings.keys_required
        return {f"{one.path or '/'}/{one.method}": bound for one in self._routes if one.is_open and is_bound}

    def _domain(self) -> apigateway.DomainNameOptions | None:
        if not self._settings.domain:
            return None
        arn = self._settings.certificate_arn
        return apigateway.DomainNameOptions(
            domain_name=self._settings.domain,
            certificate=certificates.Certificate.from_certificate_arn(self, "Certificate", arn),
            endpoint_type=apigateway.EndpointType.REGIONAL,
            security_policy=apigateway.SecurityPolicy.TLS_1_2,
        )

    def _add(self, route: Route, integration: apigateway.LambdaIntegration, *, is_shared: bool) -> None:
        resource = self.api.root.resource_for_path(route.path) if route.path else self.api.root
        required = self._settings.keys_required and not route.is_open
        resource.add_method(route.method, integration, api_key_required=required)
        if is_shared and resource.node.try_find_child("OPTIONS") is None:
            # The function knows which pages may ask. API Gateway's own preflight answers 500 where bytes pass as bytes.
            resource.add_method("OPTIONS", integration, api_key_required=False)

    def _keep_execution_log(self) -> None:
        """Make that group before API Gateway does: with an end to what it keeps."""
        group = logs.LogGroup(
            self,
            "ExecutionLog",
            log_group_name=EXECUTION_LOG.format(api=self.api.rest_api_id, stage=self._settings.stage),
            retention=retention(self._settings.log_days),
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        self.api.deployment_stage.node.add_dependency(group)

    def _add_keys(self) -> None:
        settings = self._settings
        plan = self.api.add_usage_plan(
            "Plan",
            throttle=apigateway.ThrottleSettings(
                rate_limit=settings.key_rate_per_s, burst_limit=settings.key_burst
            ),
            quota=apigateway.QuotaSettings(limit=settings.key_quota_per_day, period=apigateway.Period.DAY),
        )
        for generation, secret in self._api_keys.items():
            # The functions ask for the same keys again: a method that was opened by mistake is not open.
            key = self.api.add_api_key(
                f"Key{generation}" if generation > 1 else "Key",
                value=secret.secret_value.unsafe_unwrap(),
                description=f"The first caller's, generation {generation}",
            )
            plan.add_api_key(key)
        plan.add_api_stage(stage=self.api.deployment_stage)

    def _add_firewall(self) -> None:
        acl = waf.CfnWebACL(
            self,
            "Firewall",
            scope="REGIONAL",
            default_action=waf.CfnWebACL.DefaultActionProperty(allow={}),
            visibility_config=_visibility("firewall"),
            rules=[
                waf.CfnWebACL.RuleProperty(
                    name="rate",
                    priority=0,
                    action=waf.CfnWebACL.RuleActionProperty(block={}),
                    statement=waf.CfnWebACL.StatementProperty(
                        rate_based_statement=waf.CfnWebACL.RateBasedStatementProperty(
                            limit=self._settings.rate_per_s * 60, aggregate_key_type="IP"
                        )
                    ),
                    visibility_config=_visibility("rate"),
                )
            ],
        )
        stage = self.api.deployment_stage.stage_arn
        waf.CfnWebACLAssociation(self, "Guard", resource_arn=stage, web_acl_arn=acl.attr_arn)


def _integration(function: ApiFunction) -> apigateway.LambdaIntegration:
    mode, streams = apigateway.ResponseTransferMode, function.plan.streams
    return apigateway.LambdaIntegration(
        function.alias,
        # One permission for the whole API; a policy with one a method outgrows its 20 KB.
        scope_permission_to_method=False,
        response_transfer_mode=mode.STREAM if streams else mode.BUFFERED,
        timeout=cdk.Duration.seconds(
            function.plan.timeout_s if streams else min(function.plan.timeout_s, 29)
        ),
    )


def _access_log_format() -> apigateway.AccessLogFormat:
    field = apigateway.AccessLogField
    return apigateway.AccessLogFormat.custom(
        cdk.Fn.join(
            "",
            [
                '{"request_id":"',
                field.context_request_id(),
                '","method":"',
                field.context_http_method(),
                '","route":"',
                field.context_resource_path(),
                '","status":"',
                field.context_status(),
                '","took_ms":"',
                field.context_response_latency(),
                '","function_ms":"',
                field.context_integration_latency(),
                '","function_status":"',
                field.context_integration_status(),
                '","error":"',
                field.context_error_response_type(),
                '","key_id":"',
                field.context_identity_api_key_id(),
                '"}',
            ],
        )
    )


def _visibility(name: str) -> waf.CfnWebACL.VisibilityConfigProperty:
    return waf.CfnWebACL.VisibilityConfigProperty(
        cloud_watch_metrics_enabled=True, metric_name=f"quire-{name}", sampled_requests_enabled=False
    )


LOGGING = "arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs"
_REASONS = {
    "AwsSolutions-APIG2": "the functions validate every body and name the field that is wrong",
    "AwsSolutions-APIG4": "API keys, and access policies of the collections in the functions, say who may call",
    "AwsSolutions-COG4": "callers are programs with keys; there is no user pool",
    f"AwsSolutions-IAM4[Policy::{LOGGING}]": "API Gateway asks for this very policy to write its logs",
}
_NO_ERROR_LOG = {
    "AwsSolutions-APIG6": "the access log has status, latency and error; `api_logging` adds API Gateway's own"
}
_NO_FIREWALL = {
    "AwsSolutions-APIG3": "throttling and quotas bound what a caller can do; `firewall` adds AWS WAF"
}


ANYWHERE = {"Access-Control-Allow-Origin": "'*'"}
"""They hold nothing of any collection: a page of another site may read that it asked too often."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One kind of answer: `code` as in `urn:quire:problem:code`."""

    kind: apigateway.ResponseType
    status: int
    code: str
    detail: str
    retry_after_s: int = 0


def refusals() -> list[Refusal]:
    """What callers may meet before any function runs."""
    kinds = apigateway.ResponseType
    return [
        # Without it 403, which says that a key is right and may not; the page asks for a key at 401.
        Refusal(kinds.INVALID_API_KEY, 401, "access-denied", "wanted a key in the header x-api-key"),
        # What it says of a path that is not there: "Missing Authentication Token".
        Refusal(
            kinds.MISSING_AUTHENTICATION_TOKEN, 404, "not-found", "there is no such path; see /reference"
        ),
        Refusal(kinds.THROTTLED, 429, "too-many-requests", "too many requests: ask again in 5 s", 5),
        Refusal(kinds.QUOTA_EXCEEDED, 429, "quota-exceeded", "the key's requests of today are used up"),
    ]


def add_refusals(api: apigateway.RestApi, *, is_shared: bool) -> None:
    """Give the API those answers; `is_shared` says that pages of other sites may ask it."""
    readable = ANYWHERE if is_shared else {}
    for one in refusals():
        body = {
            "type": f"urn:quire:problem:{one.code}",
            "title": one.code.replace("-", " ").capitalize(),
            "status": one.status,
            "detail": one.detail,
        }
        # The id is filled in by API Gateway.
        body_text = json.dumps(body)[:-1] + ', "request_id": "$context.requestId"}'
        later = {"Retry-After": f"'{one.retry_after_s}'"} if one.retry_after_s else {}
        api.add_gateway_response(
            one.code.title().replace("-", ""),
            type=one.kind,
            status_code=str(one.status),
            response_headers=later | readable,
            templates={"application/json": body_text},
        )
    if is_shared:
        for name, kind in (
            ("Refused", apigateway.ResponseType.DEFAULT_4_XX),
            ("Failed", apigateway.ResponseType.DEFAULT_5_XX),
        ):
            api.add_gateway_response(name, type=kind, response_headers=ANYWHERE)
