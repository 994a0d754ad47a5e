"""Single logout by pysaml2 as an identity provider: it does, as one line of JSON on standard input asks, one act, and says on standard output what comes of it."""

import json
import sys
from urllib.parse import parse_qsl, urlsplit

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.s_utils import decode_base64_and_inflate
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NameID
from saml2.samlp import logout_response_from_string
from saml2.sigver import verify_redirect_signature
from saml2.time_util import in_a_while
from saml_idp import identity_provider

ALGORITHMS = {
    "sign_alg": "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    "digest_alg": "http://www.w3.org/2001/04/xmlenc#sha256",
}
asked = json.load(sys.stdin)
binding = BINDING_HTTP_POST if asked["binding"] == "post" else BINDING_HTTP_REDIRECT
server = identity_provider(
    asked,
    endpoints={
        "single_sign_on_service": [(asked["signOnUrl"], BINDING_HTTP_REDIRECT)],
        "single_logout_service": [(asked["logoutUrl"], binding)],
    },
    # It applies to requests for a sign-out, too.
    want_authn_requests_signed=True,
)


def bring(message, destination, relay_state, is_answer):
    """The query or the form by which a browser brings a message."""
    if binding == BINDING_HTTP_POST:
        return {"xml": str(message)}
    args = server.apply_binding(
        binding, str(message), destination, relay_state, response=is_answer, sign=True, sigalg=ALGORITHMS["sign_alg"]
    )
    return {"query": urlsplit(dict(args["headers"])["Location"]).query}


def answer():
    """Verifies a request of Postern, and answers it."""
    beside = {"relay_state": asked["relayState"], "sigalg": asked["sigAlg"], "signature": asked["signature"]}
    detached = beside if binding == BINDING_HTTP_REDIRECT else {}
    request = server.parse_logout_request(asked["request"], binding, **detached)
    response = server.create_logout_response(
        request.message, [binding], sign=binding == BINDING_HTTP_POST, **ALGORITHMS
    )
    return {
        "name": request.message.name_id.text,
        "sessions": [one.text for one in request.message.session_index],
        **bring(response, server.response_args(request.message, [binding])["destination"], asked["relayState"], True),
    }


def begin():
    """A request of the provider."""
    [service] = server.metadata.single_logout_service(asked["postern"], binding, "spsso")
    destination = service["location"]
    request = server.create_logout_request(
        destination,
        asked["postern"],
        name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text=asked["name"]),
        session_indexes=asked["sessions"],
        expire=in_a_while(minutes=5),
        sign=binding == BINDING_HTTP_POST,
        **ALGORITHMS,
    )
    # With a signature in it, it is text already.
    message = request[1] if isinstance(request, tuple) else request
    return bring(message, destination, "state", False)


def read():
    """Verifies an answer of Postern, by the certificates of its metadata."""
    if binding == BINDING_HTTP_POST:
        response = server.parse_logout_request_response(asked["response"], binding)
        return {"status": response.response.status.status_code.value}
    query = dict(parse_qsl(asked["query"]))
    certificates = [one for _, one in server.metadata.certs(asked["postern"], "spsso", "signing")]
    if not any(verify_redirect_signature(query, server.sec.sec_backend, one) for one in certificates):
        raise ValueError("the signature does not fit")
    response = logout_response_from_string(decode_base64_and_inflate(query["SAMLResponse"]))
    return {"status": response.status.status_code.value}


print(json.dumps({"answer": answer, "begin": begin, "read": read}[asked["act"]]()))
