"""Calls to AWS through boto3: read only, with a time limit, page by page, and each refusal as a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Self

from ..redaction import redacted
from ..spec.quantities import printable
from .gathering import ReadingError, RefusedError

_ACTIONS = {"service-quotas": "servicequotas", "efs": "elasticfilesystem"}
"""IAM prefix of a service where it is not the client's name."""
_DENIED = ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "AuthorizationError", "403", "Forbidden")
_BAD_CREDENTIALS = (
    "AuthFailure",
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidClientTokenId",
    "RequestExpired",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
)
_MISSING = (
    "404",
    "FileSystemNotFound",
    "InvalidAMIID.Malformed",
    "InvalidAMIID.NotFound",
    "InvalidAMIID.Unavailable",
    "InvalidCapacityReservationId.Malformed",
    "InvalidCapacityReservationId.NotFound",
    "InvalidPlacementGroup.Unknown",
    "InvalidSubnetID.NotFound",
    "InvalidVpcID.NotFound",
    "NoSuchBucket",
    "NoSuchResourceException",
    "NotFoundException",
    "ParameterNotFound",
    "ParameterVersionNotFound",
)
_CONNECT_S, _READ_S = 5, 20


class AwsCalls:
    """Clients of one session, made when a service is first asked."""

    def __init__(self, session: Any, region: str) -> None:
        self._session, self._region = session, region
        self._clients: dict[str, Any] = {}

    @classmethod
    def of(cls, region: str, session: Any = None) -> Self:
        """The calls of a session; without one, of the credentials that boto3 finds. Raises ReadingError."""
        if session is None:
            try:
                boto3: Any = import_module("boto3")
            except ImportError:
                raise ReadingError(
                    "reading an AWS account needs boto3, which is not installed: pip install 'gpuinfra[preflight-aws]'"
                ) from None
            try:
                session = boto3.Session(region_name=region)
            except _errors().BotoCoreError as e:
                raise ReadingError(f"the AWS credentials cannot be used: {printable(redacted(str(e)), 200)}") from None
        return cls(session, region)

    def account(self) -> str:
        """The account that the credentials are of. Raises ReadingError where they are none, or no good."""
        errors = _errors()
        try:
            return str(self._client("sts").get_caller_identity()["Account"])
        except (errors.NoCredentialsError, errors.PartialCredentialsError):
            text = "no AWS credentials are found: sign in (aws sso login, aws configure), or set AWS_PROFILE"
            raise ReadingError(f"{text}; --account FILE judges a saved file") from None
        except errors.ClientError as e:
            raise ReadingError(_refused("sts", e).reason) from None
        except Exception as e:
            raise ReadingError(f"AWS cannot be asked: {printable(redacted(str(e)), 200)}") from None

    def ask(self, service: str, operation: str, **arguments: Any) -> dict[str, Any]:
        """One answer. Raises RefusedError."""
        client = self._client(service)
        return self._guarded(service, lambda: getattr(client, operation)(**arguments))

    def pages(self, service: str, operation: str, key: str, **arguments: Any) -> Iterator[dict[str, Any]]:
        """Every item of a list. Raises RefusedError."""
        paginator = self._client(service).get_paginator(operation)
        pages = iter(paginator.paginate(**arguments))
        while True:
            page = self._guarded(service, lambda: next(pages, None))
            if page is None:
                return
            yield from page.get(key, ())

    def _client(self, service: str) -> Any:
        if service not in self._clients:
            config = import_module("botocore.config").Config(
                connect_timeout=_CONNECT_S,
                read_timeout=_READ_S,
                retries={"max_attempts": 3, "mode": "standard"},
                user_agent_extra="gpuinfra-preflight",
            )
            # Cost Explorer has one endpoint.
            region = "us-east-1" if service == "ce" else self._region
            self._clients[service] = self._session.client(service, region_name=region, config=config)
        return self._clients[service]

    def _guarded(self, service: str, ask: Callable[[], Any]) -> Any:
        errors = _errors()
        try:
            return ask()
        except errors.ClientError as e:
            raise _refused(service, e) from None
        except (errors.ConnectTimeoutError, errors.ReadTimeoutError):
            raise RefusedError(f"{service} did not answer in time") from None
        except errors.EndpointConnectionError:
            raise RefusedError(f"{service} cannot be reached in {self._region}") from None
        except errors.BotoCoreError as e:
            raise RefusedError(f"{service} cannot be asked: {printable(str(e), 160)}") from None


def _errors() -> Any:
    return import_module("botocore.exceptions")


def _refused(service: str, error: Any) -> RefusedError:
    """A refusal by its code: the message may name accounts and people."""
    code = printable(str(error.response.get("Error", {}).get("Code", "")), 60)
    action = f"{_ACTIONS.get(service, service)}:{error.operation_name}"
    if code in _MISSING:
        return RefusedError(f"{action}: {code}", missing=True)
    if code in _BAD_CREDENTIALS:
        return RefusedError(f"the AWS credentials are refused ({code}): sign in again", fatal=True)
    if code in _DENIED:
        return RefusedError(f"permission denied: {action}")
    return RefusedError(f"{action} failed: {code}")
