"""The role that GitHub Actions takes, to publish and to deploy."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.reasons import accept
from infra.settings import GITHUB, StackSettings, github_conditions


def add_github_role(scope: Construct, publishing: iam.IManagedPolicy, settings: StackSettings) -> None:
    """The role of one branch of one repository, for the workflow that publishes and the one that deploys."""
    principal = iam.WebIdentityPrincipal(
        settings.github_provider_arn or _provider(scope), github_conditions(settings)
    )
    role = iam.Role(scope, "GitHubRole", assumed_by=principal, managed_policies=[publishing])
    stack = cdk.Stack.of(scope)
    deploying = (
        f"arn:{stack.partition}:iam::{stack.account}:role/cdk-hnb659fds-*-{stack.account}-{stack.region}"
    )
    role.add_to_policy(iam.PolicyStatement(actions=["sts:AssumeRole"], resources=[deploying]))
    why = "the CDK's bootstrap roles: deploy, file-publishing and lookup"
    place = "arn:<AWS::Partition>:iam::<AWS::AccountId>:role/cdk-hnb659fds-*-<AWS::AccountId>-<AWS::Region>"
    accept(role, {f"AwsSolutions-IAM5[Resource::{place}]": why})
    cdk.CfnOutput(stack, "GitHubRoleArn", value=role.role_arn)


def _provider(scope: Construct) -> str:
    provider = iam.CfnOIDCProvider(
        scope, "GitHub", url=f"https://{GITHUB}", client_id_list=["sts.amazonaws.com"]
    )
    return provider.attr_arn
