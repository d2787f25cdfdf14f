"""The role that GitHub Actions takes, to publish and to deploy."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.reasons import accept
from infra.settings import StackSettings

GITHUB = "token.actions.githubusercontent.com"


def add_github_role(scope: Construct, publishing: iam.IManagedPolicy, settings: StackSettings) -> None:
    """The role of one branch of one repository, for the workflow that publishes and the one that deploys."""
    principal = iam.WebIdentityPrincipal(
        settings.github_provider_arn or _provider(scope), conditions(settings)
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


def conditions(settings: StackSettings) -> dict[str, dict[str, str | list[str]]]:
    """What a token of GitHub must say: for whom, of which repository and branch, and as whom.

    A subject is `repo:OWNER/NAME:...`, or `repo:OWNER@ID/NAME@ID:...` for one made or renamed after July 2026.
    A job with an environment has that in its subject in place of the branch, which `ref` still names.
    AWS compares `repository`, `repository_id` and `ref` beside audience and subject since January 2026; a key that the
    token lacks refuses. Source: GitHub, "OpenID Connect reference"; AWS, "Available keys for AWS OIDC federation" and
    "AWS STS supports validation of identity provider claims".
    """
    owner, _, name = settings.repository.partition("/")
    numbered = f"repo:{owner}@{settings.owner_id or '*'}/{name}@{settings.repository_id or '*'}"
    ends = (f"ref:refs/heads/{settings.branch}", f"environment:{settings.environment}")
    subjects = [f"{one}:{end}" for one in (f"repo:{settings.repository}", numbered) for end in ends]
    equal: dict[str, str | list[str]] = {
        f"{GITHUB}:aud": "sts.amazonaws.com",
        f"{GITHUB}:repository": settings.repository,
        f"{GITHUB}:ref": f"refs/heads/{settings.branch}",
    }
    if settings.repository_id:
        equal[f"{GITHUB}:repository_id"] = settings.repository_id
    return {"StringEquals": equal, "StringLike": {f"{GITHUB}:sub": subjects}}


def _provider(scope: Construct) -> str:
    provider = iam.CfnOIDCProvider(
        scope, "GitHub", url=f"https://{GITHUB}", client_id_list=["sts.amazonaws.com"]
    )
    return provider.attr_arn
