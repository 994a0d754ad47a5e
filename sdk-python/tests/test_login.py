"""Grants of people: by a code, renewed, and by the file of `postern login`."""

from __future__ import annotations

import json
import os
import stat
import sys
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import Server

from postern_sdk import AsyncPostern, ForbiddenError, Postern
from postern_sdk.login import (
    CLI_CLIENT,
    LoginError,
    LoginFile,
    Tokens,
    end_login,
    login_token,
    renewed_token,
    start_login,
)


@pytest.fixture
def person(server: Server) -> Any:
    """The browser of a person who is signed in."""
    with httpx.Client(base_url=server.url, headers={"origin": server.issuer}) as client:
        body = {"email": server.email, "password": server.password}
        client.post("/v1/auth/sign-in/email", json=body).raise_for_status()
        yield client


def decide(person: httpx.Client, server: Server, code: str, allow: bool) -> None:
    decision: dict[str, Any] = {"userCode": code, "allow": allow}
    if allow:
        decision["organizationId"] = server.organization_id
    person.post("/v1/auth/devices/decision", json=decision).raise_for_status()


def no_wait(_: float) -> None:
    """The person has decided already."""


def test_a_login_by_a_code_is_granted_and_ended(server: Server, person: httpx.Client) -> None:
    login = start_login(server.url, CLI_CLIENT, scope="webhooks:read")
    assert login.verification_uri == f"{server.issuer}/device" and login.expires_in > 0
    decide(person, server, login.user_code, True)
    kept = login.finish(sleep=no_wait)
    assert kept.scope == "webhooks:read" and kept.access_token not in repr(kept)

    class Memory:
        tokens: Tokens | None = kept

        def read(self) -> Tokens | None:
            return self.tokens

        def change(self, work: Any) -> Tokens:
            self.tokens = work(self.tokens)
            return self.tokens

    memory = Memory()
    with Postern(server.url, token=renewed_token(server.url, CLI_CLIENT, memory)) as client:
        assert len(client.webhooks.list().take(1)) <= 1
        with pytest.raises(ForbiddenError):
            client.webhooks.create(url="https://example.com/", events=["*"])
        end_login(server.url, CLI_CLIENT, kept)
        with pytest.raises(LoginError) as ended:
            client.webhooks.list().page()
        assert ended.value.reason == "invalid_grant"


def test_a_person_may_refuse(server: Server, person: httpx.Client) -> None:
    login = start_login(server.url, CLI_CLIENT, scope="webhooks:read")
    decide(person, server, login.user_code, False)
    with pytest.raises(LoginError) as refused:
        login.finish(sleep=no_wait)
    assert refused.value.reason == "access_denied"
    with pytest.raises(LoginError):
        start_login(server.url, "ocl_nobody")


def test_the_file_of_the_command_line_is_used_and_renewed_once_for_all(server: Server) -> None:
    file = Path(server.login_file)
    before = json.loads(file.read_text("utf-8"))[server.url]
    with Postern(server.url, token=login_token(f"{server.url}/", file=file)) as client:
        assert client.webhooks.list().page() is not None
    store = LoginFile(server.url, file)
    store.change(lambda kept: Tokens(kept.access_token, 0, kept.scope, kept.refresh_token))  # type: ignore[union-attr]
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(login_token(server.url, file=file)(None))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(found)) == 1 and found[0] != before["accessToken"]
    after = json.loads(file.read_text("utf-8"))[server.url]
    assert after["accessToken"] == found[0] and after["scope"] == before["scope"]
    assert isinstance(after["expiresAt"], int) and after["expiresAt"] > 1_700_000_000_000
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert os.listdir(file.parent) == [file.name]


@pytest.mark.anyio
async def test_so_it_is_without_waiting(server: Server) -> None:
    async with AsyncPostern(server.url, token=login_token(server.url, file=server.login_file)) as client:
        assert await client.webhooks.list().page() is not None


def test_what_is_not_there_or_not_safe_is_refused(server: Server, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.delenv("POSTERN_LOGIN_FILE", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with pytest.raises(LoginError) as missing:
        login_token(server.url)(None)
    assert missing.value.reason == "not_logged_in"
    with pytest.raises(ValueError):
        login_token("http://id.example.com")
    with pytest.raises(ValueError):
        login_token("nowhere")
    file = tmp_path / "postern" / "logins.json"
    LoginFile(server.url).change(lambda _: Tokens("a", 0, "s"))
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    if sys.platform != "win32":
        file.chmod(0o644)
        with pytest.raises(PermissionError):
            login_token(server.url)(None)
    file.chmod(0o600)
    file.write_text("no JSON")
    with pytest.raises(ValueError):
        login_token(server.url)(None)
    assert LoginFile("HTTPS://Example.COM:443/base/", file)._name == "https://example.com/base"
