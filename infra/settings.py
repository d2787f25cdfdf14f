"""What a deployment may choose, in one place. `cdk deploy -c alarm_email=ops@example.com` changes one for once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

GITHUB = "token.actions.githubusercontent.com"
STARTING = {
    # Threads for matrices that no question has: half of numpy's import.
    "OPENBLAS_NUM_THREADS": "1",
    # Nothing here is traced; FastAPI would load what carries traces on.
    "OTEL_PROPAGATORS": "none",
}
"""Variables that libraries read while they are imported."""


@dataclass(frozen=True, slots=True)
class StackSettings:
    """One deployment.

    Attributes:
        name: of the stack, and what names begin with.
        stage: of the API; the first part of every path unless there is a custom domain.
        memory_mb: of the functions that search; 1,769 MB is one whole CPU.
        ephemeral_mb: of a function's /tmp, 512 to 10,240: it holds the open indexes, and for a while two versions of
            one. What is above 512 costs $0.00000003 a GB-second. With `snap_start` 512 is all there is.
        query_timeout_s, answer_timeout_s: an answer is streamed and may take longer than API Gateway's 29 s.
        job_timeout_s: of what a request to `memory` leaves to do; Lambda's own limit is 900.
        log_days: how long logs are kept; a period that CloudWatch knows.
        rate_per_s, burst: what the API lets through, over all callers.
        key_rate_per_s, key_burst, key_quota_per_day: what one API key may use.
        keys_required: whether API Gateway asks for a key where a collection is not public.
        domain, certificate_arn: a custom domain; both or neither.
        firewall: whether AWS WAF stands before the API, about $7 a month; it does where `public_answers` is set.
        timezone: of the collections' schedules.
        stale_after_days: an index older than that raises an alarm.
        p99_ms: a function slower than that raises an alarm.
        alarm_email: who is told; "" for nobody.
        budget_usd: a month's cost that is worth a mail.
        repository, branch: of GitHub, as `owner/name`, which may deploy and publish; "" for none.
        github_provider_arn: of the account's identity provider for GitHub, of which it can have one; "" makes it.
        snap_start: whether functions start from a snapshot, with a new one after each index. Three of 1,769 MB cost
            $20.49 a month ($0.0000015046 a GB-second), asked or not; without, a start takes about a second of CPU.
        versions_kept: published versions kept of each function where snapshots are renewed.
        keep_data: whether bucket and table outlive the stack.
        key_generation, key_oldest: which of the first caller's keys is the newest, and the oldest that still counts.
            `make rotate-key` and `make retire-key` raise them in cdk.json.
        open_rate_per_s, open_burst: what routes without a key let through, so that they starve no caller with one.
        public_tokens_per_day: what callers without a key may spend of a collection with `public_answers = true`.
        repository_id, owner_id: GitHub's numbers of them, which its tokens name for repositories made, renamed or
            transferred after July 2026: `gh api repos/OWNER/NAME --jq '.id, .owner.id'`. "" accepts any.
        environment: of GitHub, whose approval the workflow `deploy` waits for.
        canary: whether a tenth of the calls meets new code for five minutes first, and an alarm leads back.
        api_logging: whether API Gateway writes an error log; sets the role for it, one a region for all APIs.
        tracing: whether AWS X-Ray traces calls, $5 a million.
        dashboard: whether there is one, $3 a month.
        build_size: of CodeBuild: SMALL, MEDIUM, LARGE or X_LARGE; new accounts may have no LARGE.
        build_timeout_h: of one build.
        build_retries: how often a build that failed is begun again by itself, 0 to 10.
        reserved_concurrency: of each function; 0 reserves none.
        distributed: whether builds are made by Lambda workers, led by a state machine, for collections that outgrow one
            machine; costs nothing while nothing is built.
        shard_concurrency: of those workers; a new account may have 10 functions running at once.
        opensearch_url, opensearch_arn: a domain of Amazon OpenSearch Service that holds collections with
            `options.engine = "opensearch"`; both or neither. The stack makes none: it costs by the hour.
        bucket, table: names of those that an earlier stack left, to be adopted; "" has AWS choose new ones.
    """

    name: str = "quire"
    stage: str = "prod"
    memory_mb: int = 1769
    ephemeral_mb: int = 512
    query_timeout_s: int = 29
    answer_timeout_s: int = 120
    job_timeout_s: int = 900
    log_days: int = 30
    rate_per_s: int = 50
    burst: int = 100
    key_rate_per_s: int = 10
    key_burst: int = 20
    key_quota_per_day: int = 10_000
    keys_required: bool = True
    domain: str = ""
    certificate_arn: str = ""
    firewall: bool = False
    timezone: str = "America/Los_Angeles"
    stale_after_days: int = 9
    p99_ms: int = 3_000
    alarm_email: str = ""
    budget_usd: int = 25
    repository: str = ""
    branch: str = "main"
    github_provider_arn: str = ""
    snap_start: bool = False
    versions_kept: int = 1
    keep_data: bool = True
    key_generation: int = 1
    key_oldest: int = 1
    open_rate_per_s: int = 10
    open_burst: int = 20
    public_tokens_per_day: int = 200_000
    repository_id: str = ""
    owner_id: str = ""
    environment: str = "production"
    canary: bool = True
    api_logging: bool = False
    tracing: bool = False
    dashboard: bool = False
    build_size: str = "LARGE"
    build_timeout_h: int = 2
    build_retries: int = 1
    reserved_concurrency: int = 0
    distributed: bool = False
    shard_concurrency: int = 100
    opensearch_url: str = ""
    opensearch_arn: str = ""
    bucket: str = ""
    table: str = ""


BUILD_SIZES = ("SMALL", "MEDIUM", "LARGE", "X_LARGE")
MOST_RETRIES = 10
SMALLEST_DISK_MB, LARGEST_DISK_MB = 512, 10_240
PLACES = ("archives", "collections")
"""Of the context too: where `infra.app` finds what it deploys, if elsewhere."""


def read_settings(context: Mapping[str, Any]) -> StackSettings:
    """The settings with what the CDK context says instead, by the same names.

    Raises:
        ValueError: a value cannot be what its field is, the domain lacks its certificate, or a name is none of these.
            Names with another sign than letters and `_` are the CDK's own.
    """
    default = StackSettings()
    known = [one.name for one in fields(StackSettings)]
    strange = [name for name in context if re.fullmatch(r"[a-z_]+", name) and name not in (*known, *PLACES)]
    if strange:
        raise ValueError(f"{strange[0]}: no such setting, wanted one of {', '.join(known)}")
    changed = {
        name: _typed(name, context[name], type(getattr(default, name)))
        for name in known
        if context.get(name) is not None
    }
    settings = replace(default, **changed)
    if bool(settings.domain) != bool(settings.certificate_arn):
        raise ValueError("domain: wanted it together with certificate_arn, found one of them")
    if bool(settings.opensearch_url) != bool(settings.opensearch_arn):
        raise ValueError("opensearch_url: wanted it together with opensearch_arn, found one of them")
    if settings.repository.count("/") != bool(settings.repository):
        raise ValueError(f"repository: wanted owner/name, found {settings.repository!r}")
    _check_disk(settings)
    if not 1 <= settings.key_oldest <= settings.key_generation:
        found = f"{settings.key_oldest} of {settings.key_generation}"
        raise ValueError(f"key_oldest: wanted 1 to key_generation, found {found}")
    if settings.build_size not in BUILD_SIZES:
        raise ValueError(f"build_size: wanted one of {', '.join(BUILD_SIZES)}, found {settings.build_size!r}")
    if not 0 <= settings.build_retries <= MOST_RETRIES:
        raise ValueError(f"build_retries: wanted 0 to {MOST_RETRIES}, found {settings.build_retries}")
    return settings


def _check_disk(settings: StackSettings) -> None:
    """Source: AWS, "Configure ephemeral storage for Lambda functions" and "Lambda SnapStart", limitations."""
    least, most = SMALLEST_DISK_MB, LARGEST_DISK_MB
    if not least <= settings.ephemeral_mb <= most:
        raise ValueError(f"ephemeral_mb: wanted {least} to {most}, found {settings.ephemeral_mb}")
    if settings.snap_start and settings.ephemeral_mb > least:
        raise ValueError(f"ephemeral_mb: wanted {least} with snap_start, found {settings.ephemeral_mb}")


def _typed(name: str, value: Any, kind: type) -> Any:
    text = str(value)
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise ValueError(f"{name}: wanted true or false, found {text!r}")
        return text.lower() == "true"
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"{name}: wanted {kind.__name__}, found {text!r}") from None


def github_conditions(settings: StackSettings) -> dict[str, dict[str, str | list[str]]]:
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
