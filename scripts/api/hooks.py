"""What schemathesis does beyond its own checks when it tests crier."""

import os
import re
from typing import Any

import schemathesis

# The codes of what is wrong with the form of a request rather than with its content.
FORM = {"invalid_type", "malformed_json", "required", "too_long", "too_many"}

# Fields that are required only where others are absent, or bounded in bytes.
RELATED = re.compile(r"(chatId|content|scheduledFor|url)$")

# The key that all requests are made with.
OWN_KEY = os.environ["CRIER_API_KEY_ID"]

HOST = re.compile(r"^(https?://)[^/?#]*")


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


def has_null(value: Any) -> bool:
    if isinstance(value, list):
        return any(has_null(item) for item in value)
    if isinstance(value, dict):
        return any(item is None or has_null(item) for item in value.values())
    return False


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case, kwargs: dict[str, Any]) -> None:
    case.body = unreachable(case.body)


@schemathesis.hook
def filter_case(context: schemathesis.HookContext, case: schemathesis.Case) -> bool:
    """Leaves out bodies with a null where they are to be wrong, since it is the same as
    absent, and the end of the key that all requests are made with."""
    if (case.path_parameters or {}).get("id") == OWN_KEY:
        return False
    return is_positive(case) or not has_null(case.body)


@schemathesis.check
def valid_form_is_accepted(ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """A request as its schema wants it is not refused for its form."""
    if response.status_code != 400 or not is_positive(case):
        return
    details = response.json()["error"].get("details", [])
    if wrong := [d for d in details if d["code"] in FORM and not RELATED.search(d["field"])]:
        raise AssertionError(f"the description allows what the gateway refuses: {wrong}")
