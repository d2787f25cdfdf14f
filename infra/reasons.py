"""Findings of cdk-nag that are accepted, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import Acknowledgment, CfnElement, Stack, Validations
from constructs import IConstruct

from infra.settings import StackSettings


def accept(construct: IConstruct, findings: Mapping[str, str]) -> None:
    """Accept the findings (rule, or `rule[finding]`) on the construct and what lies in it."""
    for rule, reason in findings.items():
        Validations.of(construct).acknowledge(Acknowledgment(id=f"AwsSolutions::{rule}", reason=reason))


def logical_id(construct: IConstruct) -> str:
    """The name in the template of the resource behind a construct, which findings speak of."""
    resource = construct.node.default_child
    if not isinstance(resource, CfnElement):
        raise TypeError(f"{construct.node.path}: wanted a construct over one resource, found {resource!r}")
    return Stack.of(construct).get_logical_id(resource)


def searched(settings: StackSettings) -> dict[str, str]:
    """The finding on the paths of a search domain, where there is one."""
    why = "names of indexes are digests, which no policy can list; the domain is the one that was chosen"
    found = f"AwsSolutions-IAM5[Resource::{settings.opensearch_arn}/*]"
    return {found: why} if settings.opensearch_arn else {}
