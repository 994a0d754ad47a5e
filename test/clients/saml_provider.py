"""A SAML identity provider by pysaml2: it answers, on standard output, the request that it reads as one line of JSON on standard input."""

import json
import sys

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NameID
from saml2.sigver import SecurityContext, pre_encryption_part
from saml_idp import identity_provider

asked = json.load(sys.stdin)
# Triple DES is what it encrypts by unless its code is told otherwise: there is no setting.
pre_encryption_part.__kwdefaults__["msg_enc"] = asked["cipher"]
SecurityContext.encrypt_assertion.__defaults__ = (asked["keyType"], None)
server = identity_provider(
    asked,
    endpoints={"single_sign_on_service": [(asked["signOnUrl"], BINDING_HTTP_REDIRECT)]},
    policy={"default": {"lifetime": {"minutes": 5}, "attribute_restrictions": None}},
)
request = server.parse_authn_request(asked["request"], BINDING_HTTP_REDIRECT)
answer = server.create_authn_response(
    identity={"mail": [asked["email"]], "givenName": ["Grace"], "sn": ["Hopper"]},
    name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text=asked["name"]),
    authn={"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:Password", "authn_auth": asked["entityId"]},
    sign_alg="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    digest_alg="http://www.w3.org/2001/04/xmlenc#sha256",
    **asked["options"],
    **server.response_args(request.message, [BINDING_HTTP_POST]),
)
print(json.dumps({"response": str(answer)}))
