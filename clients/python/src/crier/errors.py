from __future__ import annotations

import json
from typing import Any

import httpx

from . import models


class CrierError(Exception):
    """What a call ends with unless it succeeds. Without an answer, __cause__ says why."""

    def __init__(self, message: str, *, status: int | None = None, request_id: str | None = None, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        """Of HTTP; None where there was no answer."""
        self.code: str | None = None
        """Names the kind of error; None where there was no answer, or one that is not crier's."""
        self.details: list[models.Detail] = []
        """All that is wrong with a request, each with its field; of account_ambiguous, the accounts to choose from."""
        self.documentation: str | None = None
        """The page that explains the code."""
        self.request_id = request_id
        """Names the request in the server's logs."""
        self.retry_after = retry_after
        """Seconds after which the server is to be asked again, where it said so."""


def error_of(response: httpx.Response) -> CrierError:
    """Reads an answer that is no success."""
    said = _envelope(response.content)
    message = str(said.get("message", ""))
    details = [models.Detail.model_validate(one) for one in said.get("details") or []]
    request_id = response.headers.get("X-Request-Id")
    text = f"{said['code']} ({response.status_code}): {message}" if "code" in said else f"the server answered {response.status_code}"
    text += "".join(f"\n  {one.field}: {one.message}" for one in details if one.message not in message)
    if response.status_code >= 500 and request_id:
        text += f" (request {request_id})"
    after = response.headers.get("Retry-After", "")
    error = CrierError(text, status=response.status_code, request_id=request_id, retry_after=int(after) if after.isdecimal() and int(after) else None)
    error.code, error.documentation, error.details = said.get("code"), said.get("documentation"), details
    return error


def _envelope(body: bytes) -> dict[str, Any]:
    try:
        said = json.loads(body)["error"]
    except (ValueError, KeyError, TypeError):
        return {}
    return said if isinstance(said, dict) else {}
