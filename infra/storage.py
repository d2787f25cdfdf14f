"""Where indexes, chat turns and keys lie."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_secretsmanager as secrets
from constructs import Construct

from infra.reasons import accept
from infra.settings import StackSettings


class Storage(Construct):
    """A bucket of artifacts, a table of chat turns, and two secrets: the answer model's key, and the first caller's."""

    def __init__(self, scope: Construct, id: str, settings: StackSettings) -> None:  # noqa: A002
        super().__init__(scope, id)
        removal = cdk.RemovalPolicy.RETAIN if settings.keep_data else cdk.RemovalPolicy.DESTROY
        access_logs = self._bucket("AccessLogs", removal, expiration=cdk.Duration.days(settings.log_days))
        accept(access_logs, {"AwsSolutions-S1": "it holds the access logs; logging it would feed itself"})
        self.bucket = self._bucket("Artifacts", removal, logs=access_logs, name=settings.bucket)
        self.table = dynamodb.Table(
            self,
            "Turns",
            table_name=settings.table or None,
            partition_key=dynamodb.Attribute(name="pk", type=dynamodb.AttributeType.STRING),
            sort_key=dynamodb.Attribute(name="sk", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            time_to_live_attribute="expires_at",
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            removal_policy=removal,
        )
        self.model_key = self._model_key()
        generations = range(settings.key_oldest, settings.key_generation + 1)
        self.api_keys = {generation: self._api_key(generation) for generation in generations}

    def _model_key(self) -> secrets.Secret:
        secret = secrets.Secret(
            self,
            "ModelKey",
            description='Settings of the answer model: {"QUIRE_PROVIDER": "gemini", "GEMINI_API_KEY": "..."}',
            # Nothing secret: without a provider answers are made of quotations.
            secret_string_value=cdk.SecretValue.unsafe_plain_text("{}"),
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        reason = "the provider issues the key, and AWS cannot rotate it; who runs this does"
        accept(secret, {"AwsSolutions-SMG4": reason})
        return secret

    @property
    def api_key(self) -> secrets.Secret:
        """The newest key of the first caller."""
        return self.api_keys[max(self.api_keys)]

    def _api_key(self, generation: int) -> secrets.Secret:
        """A secret of its own for each: CloudFormation reads a value again only where the reference to it changes."""
        secret = secrets.Secret(
            self,
            f"ApiKey{generation}" if generation > 1 else "ApiKey",
            description=f"The key of the first caller, who may do everything; generation {generation}",
            generate_secret_string=secrets.SecretStringGenerator(
                password_length=40, exclude_punctuation=True, include_space=False
            ),
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        reason = "callers hold it; who runs this rotates it with them: make rotate-key, make retire-key"
        accept(secret, {"AwsSolutions-SMG4": reason})
        return secret

    def _bucket(
        self,
        id: str,  # noqa: A002
        removal: cdk.RemovalPolicy,
        *,
        name: str = "",
        logs: s3.IBucket | None = None,
        expiration: cdk.Duration | None = None,
    ) -> s3.Bucket:
        """Private, encrypted, over TLS only; versioned where it does not expire."""
        return s3.Bucket(
            self,
            id,
            bucket_name=name or None,
            versioned=expiration is None,
            encryption=s3.BucketEncryption.S3_MANAGED,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            enforce_ssl=True,
            server_access_logs_bucket=logs,
            lifecycle_rules=[
                s3.LifecycleRule(
                    abort_incomplete_multipart_upload_after=cdk.Duration.days(2),
                    noncurrent_version_expiration=None if expiration else cdk.Duration.days(30),
                    # What was deleted leaves a marker, which goes once nothing lies under it.
                    expired_object_delete_marker=None if expiration else True,
                    expiration=expiration,
                )
            ],
            removal_policy=removal,
            # CloudFormation deletes no bucket that holds anything.
            auto_delete_objects=removal == cdk.RemovalPolicy.DESTROY,
        )
