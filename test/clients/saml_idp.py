"""The identity provider of pysaml2 that the scripts beside it use."""

import shutil

from saml2.config import IdPConfig
from saml2.server import Server


def identity_provider(asked, **role):
    """
    :param asked: the entity id, the paths of key and certificate, and the path of Postern's metadata
    :param role: settings of the role ``idp``
    """
    return Server(
        config=IdPConfig().load(
            {
                "entityid": asked["entityId"],
                "xmlsec_binary": shutil.which("xmlsec1"),
                "key_file": asked["key"],
                "cert_file": asked["certificate"],
                "metadata": {"local": [asked["metadata"]]},
                "service": {"idp": role},
            }
        )
    )
