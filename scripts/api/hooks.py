"""What schemathesis does beyond its own checks when it tests crier."""

import ast
import base64
import functools
import hashlib
import hmac
import json
import os
import re
import threading
import time
import zlib
from typing import Any

import requests
import schemathesis

# The codes of what is wrong with the form of a request rather than with its content.
FORM = {"invalid_type", "malformed_json", "required", "too_long", "too_many"}

# Fields that are required only where others are absent, or bounded in bytes.
RELATED = re.compile(r"(chatId|content|scheduledFor|url)$")

# The key that all requests are made with.
OWN_KEY = os.environ["CRIER_API_KEY_ID"]

HOST = re.compile(r"^(https?://)[^/?#]*")

# A PNG of one pixel.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def one_at_a_time(function: Any) -> Any:
    lock = threading.Lock()

    @functools.wraps(function)
    def locked(*args: Any, **kwargs: Any) -> Any:
        with lock:
            return function(*args, **kwargs)

    return locked


# Before Python 3.11.8 and 3.12.2 workers that parse at the same time fail with a SystemError
# (github.com/python/cpython/issues/106905).
ast.parse = one_at_a_time(ast.parse)


def is_positive(case: schemathesis.Case) -> bool:
    return case.meta is not None and case.meta.generation.mode.is_positive


def unreachable(value: Any) -> Any:
    """Moves every URL to a host that never exists: crier calls some of them."""
    if isinstance(value, str):
        return HOST.sub(r"\1crier.invalid", value)
    if isinstance(value, list):
        return [unreachable(item) for item in value]
    if isinstance(value, dict):
        return {name: unreachable(item) for name, item in value.items()}
    return value


def ask(method: str, path: str, body: Any = None) -> Any:
    headers = {"Authorization": f"Bearer {os.environ['CRIER_API_KEY']}"}
    response = requests.request(method, os.environ["CRIER_API_URL"] + path, json=body, headers=headers, timeout=60)
    response.raise_for_status()
    return response.json()


@functools.cache
def account() -> str:
    """An account on mastodon; bare platform names are ambiguous once more are connected."""
    return ask("GET", "/accounts?platform=mastodon")["accounts"][0]["id"]


@functools.cache
def file() -> tuple[str, str]:
    """The id and the name in the address of an upload that is there."""
    address = ask("POST", "/media", {"data": PIXEL, "mimeType": "image/png"})["media"]["url"]
    return tuple(address.split("/")[-2:])


def upload() -> tuple[str, str]:
    """The id and the secret in an address that takes an upload."""
    return tuple(ask("POST", "/media/upload-url")["uploadUrl"].split("/")[-2:])


@functools.cache
def delivery() -> tuple[str, str]:
    """The ids of a webhook and of a delivery to it, which fails."""
    webhook = ask("POST", "/webhooks", {"url": "https://crier.invalid/", "events": ["post.cancelled"]})["webhook"]["id"]
    ahead = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
    post = {"content": "x", "platforms": [{"platform": "mastodon", "accountId": account()}], "scheduledFor": ahead}
    ask("DELETE", "/posts/" + ask("POST", "/posts", post)["post"]["id"])
    for _ in range(100):
        if found := ask("GET", f"/webhooks/{webhook}/deliveries")["deliveries"]:
            return webhook, found[0]["id"]
        time.sleep(0.2)
    raise AssertionError("no event was delivered")


def every_second(body: Any) -> bool:
    return zlib.crc32(repr(body).encode()) % 2 == 0


def possible(body: dict[str, Any]) -> dict[str, Any]:
    """Makes a draft of a post or a thread, of which no field asks for what is not there."""
    related = {"publishNow", "queue", "queueId", "scheduledFor", "timezone", "brandId", "firstComment", "firstComments"}
    kept = {name: value for name, value in body.items() if name not in related}
    return {"content": "x"} | kept | {"status": "draft", "platforms": [{"platform": "mastodon", "accountId": account()}]}


def sign(case: schemathesis.Case) -> None:
    """Signs a notice as Stripe does."""
    now = int(time.time())
    signed = f"{now}.{json.dumps(case.body)}".encode()
    signature = hmac.new(os.environ["CRIER_STRIPE_WEBHOOK_SECRET"].encode(), signed, hashlib.sha256).hexdigest()
    case.headers["Stripe-Signature"] = f"t={now},v1={signature}"


def reach(case: schemathesis.Case) -> None:
    """Gives a request what no schema can say, so that it gets beyond the checks of its form:
    what exists, a signature, one scheduling mode. Of bodies every second one. In sequences
    of requests what exists is known, and may have been deleted on the way."""
    stateful = case.meta.phase.name == "stateful"
    match case.operation.label:
        case "PUT /uploads/{id}/{secret}":
            case.path_parameters["id"], case.path_parameters["secret"] = upload()
            (case.query or {}).pop("part", None)
            if every_second(case.body):
                case.body = base64.b64decode(PIXEL)
        case "GET /files/{id}/{name}" | "HEAD /files/{id}/{name}" if not stateful:
            case.path_parameters["id"], case.path_parameters["name"] = file()
        case "GET /webhooks/{id}/deliveries/{deliveryId}" | "POST /webhooks/{id}/deliveries/{deliveryId}/redeliver" if not stateful:
            case.path_parameters["id"], case.path_parameters["deliveryId"] = delivery()
        case "POST /posts" | "POST /threads" if isinstance(case.body, dict) and every_second(case.body):
            case.body = possible(case.body)
        case "POST /billing/stripe" if every_second(case.body):
            sign(case)


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case, kwargs: dict[str, Any]) -> None:
    case.body = unreachable(case.body)
    if is_positive(case):
        reach(case)


@schemathesis.hook
def filter_case(context: schemathesis.HookContext, case: schemathesis.Case) -> bool:
    """Leaves out the end of the key that all requests are made with."""
    return (case.path_parameters or {}).get("id") != OWN_KEY


@schemathesis.check
def valid_form_is_accepted(ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """A request as its schema wants it is not refused for its form."""
    if response.status_code != 400 or not is_positive(case):
        return
    error = response.json()["error"]
    details = error.get("details", []) if isinstance(error, dict) else []  # OAuth's errors are words
    # The gateway bounds texts in bytes, a schema in characters.
    form = FORM if repr(case.body).isascii() else FORM - {"too_long"}
    if case.operation.label == "POST /invitations/accept":  # who is a user already needs no name and no password
        form = form - {"required"}
    if wrong := [d for d in details if d["code"] in form and not RELATED.search(d["field"])]:
        raise AssertionError(f"the description allows what the gateway refuses: {wrong}")
