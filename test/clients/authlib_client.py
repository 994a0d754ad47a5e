"""Authlib as a client of OAuth and OpenID, which knows the issuer and its own id alone. It prints the address for the browser, reads
where the browser ended, and prints what it has learnt as one line of JSON."""

import json
import secrets
import sys

import requests
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.jwk import KeySet

issuer, client_id, redirect_uri = sys.argv[1:]
metadata = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=30).json()
assert metadata["issuer"] == issuer
keys = KeySet.import_key_set(requests.get(metadata["jwks_uri"], timeout=30).json())
client = OAuth2Session(
    client_id,
    scope="openid email offline_access webhooks:read",
    redirect_uri=redirect_uri,
    code_challenge_method="S256",
    token_endpoint_auth_method="none",
)
verifier, nonce = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
uri, state = client.create_authorization_url(
    metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce
)
print(uri, flush=True)
callback = sys.stdin.readline().strip()
token = client.fetch_token(
    metadata["token_endpoint"], authorization_response=callback, code_verifier=verifier, state=state
)


def verified(text):
    claims = jwt.decode(text, keys, algorithms=metadata["id_token_signing_alg_values_supported"]).claims
    rules = jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": issuer},
        aud={"essential": True, "value": client_id},
        exp={"essential": True},
    )
    rules.validate(claims)
    return claims


claims = verified(token["id_token"])
assert claims["nonce"] == nonce
first = token["access_token"]
renewed = client.refresh_token(metadata["token_endpoint"], refresh_token=token["refresh_token"])
told = client.get(metadata["userinfo_endpoint"]).json()
listed = client.get(f"{issuer}/v1/webhooks")
print(
    json.dumps(
        {
            "sub": claims["sub"],
            "email": claims["email"],
            "organization": claims["org_id"],
            "again": verified(renewed["id_token"])["sub"],
            "told": told,
            "isRenewed": renewed["access_token"] != first,
            "status": listed.status_code,
        }
    )
)
