"""What Schemathesis must know of Postern: who is calling, and what is decided otherwise than it expects.

The tables of decisions below are all that is excluded from its findings, and each is held to the letter: an answer
that does not say exactly this, or says it of what does not break the rule, is judged as any other.
"""

import base64
import ipaddress
import json
import os
import re
import socket
import unicodedata
import urllib.parse
import urllib.request
from datetime import datetime, timezone
from pathlib import Path

import schemathesis

# The catalogue has no 405. A wrong method is ENTITY_NOT_FOUND, and says with `Allow` what the path has.
WRONG_METHOD = "ENTITY_NOT_FOUND"

# Rules that JSON Schema cannot express although they depend on no state: the field and the reason of a
# VALIDATION_FAILED, and whether the request breaks the rule.
BEYOND_WORDS = {
    # The sum of all that checking data would cost, and only a schema of some size has one.
    ("schema", "too_costly"): lambda sent: sum(1 for _ in values_in(sent["schema"])) > 7,
    # The length of the whole, as it is stored; written otherwise, it can be a little longer or shorter.
    ("schema", "too_large"): lambda sent: len(json.dumps(sent["schema"], ensure_ascii=False)) > 15_000,
    # The sum of the alternatives at all levels.
    ("schema", "too_many_branches"): lambda sent: branches_in(sent["schema"]) > 32,
    # A recursive schema does not count its levels. Ten schemas, each of which names the next in seven places, would; who
    # writes references out, as generators of clients do, would have millions.
    ("schema", "too_deep"): lambda sent: depth_of(sent["schema"]) > 10,
    ("example", "too_deep"): lambda sent: levels_of(sent["example"]) > 100,
    ("data", "too_deep"): lambda sent: levels_of(sent["data"]) > 100,
    # Which letters of all languages a name may have, and in which order.
    ("url", "not_a_url"): lambda sent: is_international(sent["url"]),
    # Two spellings of one name.
    ("headers", "twice"): lambda sent: len({name.lower() for name in sent["headers"]}) < len(sent["headers"]),
    # One moment compared with another, or with the present one where that is later or not given.
    ("since", "after_until"): lambda sent: moment(sent["since"]) > min(moment(sent.get("until")), moment(None)),
    # The days between two moments.
    ("since", "too_many_days"): lambda sent: days_of(sent) > 366,
    # How many of one time go into another, and a number beside its unit.
    ("bucket", "too_many_buckets"): lambda sent: span(sent.get("window", "24h")) > 200 * span(sent["bucket"]),
    # One member compared with another: scopes of administrators for a member's key.
    ("scopes", "not_of_role"): lambda sent: sent["role"] == "member" and len(sent["scopes"]) > 0,
    # The same: entries of one organization, or those of none.
    ("withoutOrganization", "not_beside_organization"): lambda sent: "organizationId" in sent,
    # The bits of an address beyond its prefix, and the number of groups in it.
    ("allowedAddresses", "not_a_network"): lambda sent: not all(map(is_network, sent["allowedAddresses"])),
    # What XML says, and what a certificate does.
    ("saml", "not_xml"): lambda sent: not is_provider(sent["saml"]["metadata"]),
    ("saml", "not_metadata"): lambda sent: not is_provider(sent["saml"]["metadata"]),
    ("saml", "not_a_certificate"): lambda sent: not all(map(is_der, sent["saml"]["certificates"])),
    # A list of 50,000 words, for which a document is no place; and one member compared with others.
    ("password", "password_too_common"): lambda sent: is_common(sent["password"], sent),
    ("newPassword", "password_too_common"): lambda sent: is_common(sent["newPassword"], sent),
}
# Rules about state, which no schema can know: the field, and the reasons of a VALIDATION_FAILED.
STATE = {
    # Nobody has registered the event type, or it is one that only the platform itself can publish.
    "type": {"unknown_event_type", "reserved_event_type"},
    "events": {"unknown_event_type"},
    # A token or state that was used, has expired, or was never given out.
    "token": {None},
    "state": {"unknown_or_expired"},
    # The webhook has no inbound path that could be captured.
    "endpointPath": {"required"},
    # Which hosts a connection's token may be sent to stands in the operator's settings.
    "url": {"host_not_allowed", "not_https"},
    # The organization is on this plan already.
    "plan": {"current_plan"},
    # Which models there are stands in the operator's settings.
    "model": {"unknown_model"},
    "embedding": {"unknown_model"},
    # Where a line of a file's text begins.
    "cursor": {"not_of_this_text"},
    # The name of the organization, which a request for its deletion repeats.
    "name": {"not_its_name"},
    # Which identity providers there are, and what they vouch for.
    "email": {"no_identity_provider"},
    "identityProviderId": {"no_identity_provider"},
    "organizationId": {"no_identity_provider"},
    # The permitted networks are in the operator's settings, and the kind of a provider is in its row.
    "oidc": {"address_not_allowed", "another_kind"},
    "saml": {"another_kind"},
    "id": {"another_kind"},
    # A receipt is sealed for one attempt: only what was fetched has one.
    "results": {"receipt"},
    # What a server of tools listed last.
    "toolsDigest": {"not_the_listed_tools"},
}
# Results of other things, which no rule about the request explains: route, status and code.
ELSEWHERE = {
    # Whether a file has a text is known when it has been read.
    ("GET /v1/files/{id}/text", 422, "PARSE_FAILED"),
    # The machine of somebody else, which a fuzzer makes up.
    ("POST /v1/files/from-url", 502, "FETCH_FAILED"),
    ("POST /v1/mcp-servers/{id}/refresh", 503, "MCP_CLIENT_UNAVAILABLE"),
}
# The registered schema of an event type decides about its data and its example, and lists all that is wrong.
REGISTERED = {"data", "example"}
REGISTERED_CODES = {"VALIDATION_FAILED", "MISSING_REQUIRED_FIELD", "TYPE_MISMATCH"}

# A longest text above it is not tried; `test/abuse/largest.test.ts` sends the largest bodies.
LONGEST_MADE = 4_096

IN_SCHEMAS = ("additionalProperties", "items", "not")
ALTERNATIVES = ("anyOf", "oneOf", "allOf")


COMMON = set(json.loads(Path(os.environ["POSTERN_FUZZ_COMMON"]).read_text()))


def credentials_url():
    return os.environ["POSTERN_FUZZ_CREDENTIALS"]


if os.environ["POSTERN_FUZZ_CALLER"] != "anonymous":

    @schemathesis.auth(refresh_interval=1)
    class Credentials:
        """Asks the stand for valid credentials: a run ends its own sessions and deletes its own keys."""

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
            if "operator" in asked and "operator" in data:
                case.headers["Authorization"] = f"Bearer {data['operator']}"
            if "session" in asked and "cookie" in data:
                case.headers["Cookie"] = data["cookie"]


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """
    OpenAPI 3.1 describes the body of a stream, which is a text; Schemathesis holds each event to that. The header that operations
    share (a reference) must name the organization of the credential, which no schema can say.
    """
    for operations in raw_schema["paths"].values():
        for operation in operations.values():
            body = operation.get("requestBody", {})
            for media in body.get("content", {}).values():
                shorten(media.get("schema"))
                # An optional body may also be null, which the document cannot express.
                if body.get("required") is False:
                    media["schema"] = {"anyOf": [media["schema"], {"type": "null"}]}
            operation["parameters"] = [one for one in operation.get("parameters", []) if "$ref" not in one]
            for response in operation.get("responses", {}).values():
                response.get("content", {}).get("text/event-stream", {}).pop("schema", None)
    shorten(raw_schema.get("components"))


def shorten(schema):
    """Drops limits of long texts: with several in a body Schemathesis would try forever, and send nothing."""
    for inner in inner_of(schema):
        shorten(inner)
    if isinstance(schema, dict) and isinstance(schema.get("maxLength"), int) and schema["maxLength"] > LONGEST_MADE:
        del schema["maxLength"]


@schemathesis.hook
def filter_case(context, case):
    """Nothing is sent to strangers: names all lead to this machine, so addresses of others are left out."""
    url = case.body.get("url") if isinstance(case.body, dict) else None
    if not isinstance(url, str):
        return True
    try:
        host = urllib.parse.urlsplit(url.strip()).hostname or ""
    except ValueError:
        return True
    return is_of_this_machine(host)


def is_of_this_machine(host):
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        pass
    try:
        # Every notation of IPv4 that there has ever been.
        return ipaddress.ip_address(socket.inet_aton(host)).is_loopback
    except (OSError, ValueError):
        return True


@schemathesis.hook
def after_call(context, case, response):
    """Reads the answers that are decided as what Schemathesis calls them."""
    if response.status_code == 404 and is_wrong_method(response):
        response.status_code = 405
    elif response.status_code == 400 and is_beyond_schemas(case, response):
        response.status_code = 409
    elif is_of_elsewhere(case, response):
        response.status_code = 409


def error_of(response):
    try:
        # A run has a member of that name, too, which says nothing where it went well.
        return json.loads(response.content)["error"] or {}
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


def is_of_elsewhere(case, response):
    route = f"{case.operation.method.upper()} {case.operation.path}"
    return (route, response.status_code, error_of(response).get("code")) in ELSEWHERE


def is_beyond_schemas(case, response):
    error = error_of(response)
    code, details = error.get("code"), error.get("details") or {}
    field, reason = str(details.get("field")).split(".")[0], details.get("reason")
    # Any other list of issues comes from a schema that the document shows.
    if "issues" in details:
        return field in REGISTERED and code in REGISTERED_CODES
    if code != "VALIDATION_FAILED":
        return False
    if field in STATE and reason in STATE[field]:
        return True
    is_broken = BEYOND_WORDS.get((field, reason))
    try:
        return is_broken is not None and is_broken(case.body if isinstance(case.body, dict) else case.query)
    except (KeyError, TypeError, ValueError, AttributeError):
        return False


def values_in(value):
    yield value
    for inner in inner_of(value):
        yield from values_in(inner)


def inner_of(value):
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def levels_of(value):
    return 1 + max(map(levels_of, inner_of(value)), default=0)


def schemas_in(schema):
    """The schemas that stand in a schema, one level down."""
    if not isinstance(schema, dict):
        return
    yield from (schema[keyword] for keyword in IN_SCHEMAS if keyword in schema)
    yield from schema.get("properties", {}).values()
    for keyword in ALTERNATIVES:
        yield from schema.get(keyword, [])


def depth_of(schema):
    return max((1 + depth_of(inner) for inner in schemas_in(schema)), default=0)


def branches_in(schema):
    own = sum(len(schema.get(keyword, [])) for keyword in ALTERNATIVES) if isinstance(schema, dict) else 0
    return own + sum(map(branches_in, schemas_in(schema)))


def is_international(url):
    host = re.match("[^:]*://([^/?#]*)", url)[1]
    return not host.isascii() or "xn--" in host.lower()


def moment(text):
    if text is None:
        return datetime.now(timezone.utc)
    # Python has no year 0.
    return datetime.fromisoformat(re.sub("^0000", "0001", text))


def days_of(sent):
    # The last day counts as well.
    return (moment(sent.get("until")) - moment(sent["since"])).days + 2


def span(text):
    return int(text[:-1]) * {"m": 1, "h": 60, "d": 1440}[text[-1]]


def is_network(text):
    try:
        return ipaddress.ip_network(text) is not None
    except ValueError:
        return False


def is_provider(metadata):
    return "IDPSSODescriptor" in metadata


def is_der(certificate):
    text = re.sub(r"-----(BEGIN|END) CERTIFICATE-----|\s", "", certificate)
    try:
        return base64.b64decode(text, validate=True)[:1] == b"\x30"
    except ValueError:
        return False


def is_common(password, sent):
    typed = same(password)
    email = same(sent.get("email", ""))
    personal = {email, email.split("@")[0], same(sent.get("firstName", "")), same(sent.get("lastName", ""))}
    return typed in personal or typed in COMMON


def same(text):
    return unicodedata.normalize("NFKC", text).strip(" ").lower()
