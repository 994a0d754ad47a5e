"""What Schemathesis must know of Postern: who is calling, and what is decided otherwise than it expects.

The tables of decisions below are all that is excluded from its findings, and each is held to the letter:
an answer that does not say exactly this is judged as any other.
"""

import ipaddress
import json
import os
import urllib.parse
import urllib.request

import schemathesis

# The catalogue has no 405. A wrong method is ENTITY_NOT_FOUND, and says with `Allow` what the path has.
WRONG_METHOD = "ENTITY_NOT_FOUND"

# What JSON Schema has no words for, though it is no state: the field, and the reasons of a VALIDATION_FAILED.
BEYOND_WORDS = {
    # A member of this name at any depth of what is free in its shape; `propertyNames` reaches one level.
    "body": {"reserved_member"},
    # Sums over the whole of a schema that holds schemas: how deep it is, its branches, its bytes, what it costs to run.
    "schema": {"too_deep", "too_many_branches", "too_large", "too_costly"},
    # One member compared with another, or with the present moment where that is not given.
    "since": {"after_until"},
    # Which networks nobody may call stands in the operator's settings, and a name has to be looked up first.
    "url": {"address_not_allowed"},
}
# Rules about state, which no schema can know: the field, and the reasons (None: any) of a VALIDATION_FAILED.
STATE = {
    # Nobody has registered the event type, or it is one that only the platform itself can publish.
    "type": {"unknown_event_type", "reserved_event_type"},
    "events": {"unknown_event_type"},
    # What is registered as the type's schema decides about its data; and about its example, beside which it stands.
    "data": None,
    "example": None,
    # A token or state that was used, has expired, or was never given out.
    "token": {None},
    "state": {"unknown_or_expired"},
    # The webhook has no inbound path that could be captured.
    "endpointPath": {"required"},
    # The organization is on this plan already.
    "plan": {"current_plan"},
}
# Fields whose refusal may come with a list of issues: theirs is a schema that an organization has registered.
REGISTERED = {"data", "example"}


def credentials_url():
    return os.environ["POSTERN_FUZZ_CREDENTIALS"]


if os.environ["POSTERN_FUZZ_CALLER"] != "anonymous":

    @schemathesis.auth(refresh_interval=1)
    class Credentials:
        """Asks the stand for what is good just now: a run ends its own sessions and deletes its own keys."""

        def get(self, case, ctx):
            try:
                with urllib.request.urlopen(credentials_url(), timeout=60) as answer:
                    return json.load(answer)
            except Exception as error:
                print(f"The stand gives no credentials: {error!r}", flush=True)
                raise

        def set(self, case, data, ctx):
            asked = {name for one in case.operation.definition.raw.get("security") or [] for name in one}
            if "bearer" in asked and "bearer" in data:
                case.headers["Authorization"] = f"Bearer {data['bearer']}"
            if "session" in asked and "cookie" in data:
                case.headers["Cookie"] = data["cookie"]


@schemathesis.hook
def filter_case(context, case):
    """Nothing is sent to strangers: names all lead to this machine, so addresses are left out."""
    url = case.body.get("url") if isinstance(case.body, dict) else None
    if not isinstance(url, str):
        return True
    try:
        host = urllib.parse.urlsplit(url.strip()).hostname or ""
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return True


@schemathesis.hook
def after_call(context, case, response):
    """Reads the answers that are decided as what Schemathesis calls them."""
    if response.status_code == 404 and is_wrong_method(response):
        response.status_code = 405
    elif response.status_code == 400 and is_beyond_schemas(response):
        response.status_code = 409


def error_of(response):
    try:
        return json.loads(response.content)["error"]
    except (ValueError, KeyError, TypeError):
        return {}


def is_wrong_method(response):
    error = error_of(response)
    allowed = (error.get("details") or {}).get("allowed")
    said = response.headers.get("allow") or [""]
    return (
        error.get("code") == WRONG_METHOD
        and bool(allowed)
        and response.request.method not in allowed
        and ", ".join(allowed) == said[0]
    )


def is_beyond_schemas(response):
    error = error_of(response)
    details = error.get("details") or {}
    field = str(details.get("field")).split(".")[0]
    # What such a schema finds has a code of its own.
    codes = {"VALIDATION_FAILED"}
    if field in REGISTERED:
        codes |= {"MISSING_REQUIRED_FIELD", "TYPE_MISMATCH"}
    known = {**BEYOND_WORDS, **STATE}
    if error.get("code") not in codes or field not in known:
        return False
    # Any other list of issues comes from a schema that the document shows.
    if "issues" in details and field not in REGISTERED:
        return False
    reasons = known[field]
    return reasons is None or details.get("reason") in reasons
