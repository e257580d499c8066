"""Verifies and reads what crier's webhooks deliver."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from typing import Literal

from .events import Event, event_of


class WebhookError(Exception):
    """Why a delivery is refused."""

    def __init__(self, reason: Literal["signature", "time", "body"], message: str) -> None:
        super().__init__(message)
        self.reason = reason
        """signature, time (it was signed too long ago, or in the future) or body (it is no event)."""

    def __reduce__(self) -> tuple[type[WebhookError], tuple[str, str]]:
        return type(self), (self.reason, str(self))


def verify(secret: str, headers: Mapping[str, str], body: bytes, *, tolerance: float = 300, now: float | None = None) -> Event:
    """Return the event of a delivery that is signed with the webhook's secret, by X-Webhook-Signature or the headers of
    Standard Webhooks; any other is a WebhookError. Give the body as it arrived: parsed and written again it may differ.
    tolerance is how many seconds the time of a signature may be from now, which is the machine's unless a test has another.
    An event comes at least once: drop the ids that you know.
    """
    given = {name.lower(): value for name, value in headers.items()}
    own = given.get("x-webhook-signature")
    at, right = _own(secret, own, body) if own else _standard(secret, given, body)
    if not right:
        raise WebhookError("signature", "the delivery is not signed with the webhook's secret")
    if abs((time.time() if now is None else now) - _unix(at)) > tolerance:
        raise WebhookError("time", "the delivery was signed too long ago, or in the future")
    try:
        return event_of(json.loads(body))
    except ValueError as cause:
        raise WebhookError("body", "the event cannot be read") from cause


def _own(secret: str, text: str, body: bytes) -> tuple[str, bool]:
    """Read t=<Unix time>,v1=<hex>, with a v1 for each secret while one replaces another."""
    stamp, *fields = text.split(",")
    at = stamp.removeprefix("t=")
    right = hmac.digest(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hex()
    return at, stamp.startswith("t=") and secret != "" and _among(right, (one.removeprefix("v1=").lower() for one in fields))


def _standard(secret: str, headers: Mapping[str, str], body: bytes) -> tuple[str, bool]:
    """Read the headers of Standard Webhooks: v1,<base64>, several with spaces between them."""
    at = headers.get("webhook-timestamp", "")
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        return at, False
    signed = f"{headers.get('webhook-id', '')}.{at}.".encode() + body
    right = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    return at, key != b"" and _among(right, (one.removeprefix("v1,") for one in headers.get("webhook-signature", "").split()))


def _among(right: str, given: Iterable[str]) -> bool:
    """Compare in constant time."""
    return any([hmac.compare_digest(right.encode(), one.encode()) for one in given])


def _unix(text: str) -> float:
    """Read a time; what is none is long ago."""
    return int(text) if text.isdecimal() else 0
