"""New code meets a tenth of the calls first; an alarm within five minutes leads all of them back."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_codedeploy as codedeploy
from constructs import Construct

from infra.api_function import ApiFunction
from infra.reasons import accept

PERMISSIONS = "arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited"


class Rollout(Construct):
    """A deployment group for each function's alias, with the alarms that stop it."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        functions: Mapping[str, ApiFunction],
        alarms: Mapping[str, list[cloudwatch.Alarm]],
    ) -> None:
        super().__init__(scope, id)
        application = codedeploy.LambdaApplication(self, "Code")
        for name, one in functions.items():
            group = codedeploy.LambdaDeploymentGroup(
                self,
                name.capitalize(),
                application=application,
                alias=one.alias,
                deployment_config=codedeploy.LambdaDeploymentConfig.CANARY_10_PERCENT_5_MINUTES,
                alarms=alarms.get(name, []),
                auto_rollback=codedeploy.AutoRollbackConfig(failed_deployment=True, stopped_deployment=True),
            )
            accept(
                group, {f"AwsSolutions-IAM4[Policy::{PERMISSIONS}]": "CodeDeploy asks for this very policy"}
            )
