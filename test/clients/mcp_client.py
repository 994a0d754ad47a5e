"""The official MCP client in Python, which knows the URL of the server alone. It prints the address for the browser, reads where the
browser ended, and prints the tools that it found as one line of JSON."""

import asyncio
import json
import sys
from urllib.parse import parse_qs, urlsplit

from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

url, redirect_uri = sys.argv[1:]


class Storage:
    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def redirect(address):
    print(address, flush=True)


async def callback():
    line = await asyncio.to_thread(sys.stdin.readline)
    query = {name: values[0] for name, values in parse_qs(urlsplit(line.strip()).query).items()}
    return AuthorizationCodeResult(code=query["code"], state=query.get("state"), iss=query.get("iss"))


async def main():
    auth = OAuthClientProvider(
        server_url=url,
        client_metadata=OAuthClientMetadata(
            client_name="An MCP client in Python",
            redirect_uris=[redirect_uri],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
        ),
        storage=Storage(),
        redirect_handler=redirect,
        callback_handler=callback,
    )
    async with create_mcp_http_client(auth=auth) as http_client:
        async with streamable_http_client(url, http_client=http_client) as (read, write, *_):
            async with ClientSession(read, write) as session:
                await session.initialize()
                tools = await session.list_tools()
                called = await session.call_tool("list_webhooks", {})
                print(json.dumps({"tools": [tool.name for tool in tools.tools], "isError": called.is_error}))


asyncio.run(main())
