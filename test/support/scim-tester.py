"""Checks a SCIM server with scim2-tester, and writes what it finds as JSON."""

import json
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

url, token = sys.argv[1:3]
http = Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=30)
results = check_server(SyncSCIMClient(http))
found = [
    {"status": result.status.name, "title": result.title, "reason": str(result.reason), "of": result.resource_type}
    for result in results
]
json.dump(found, sys.stdout)
