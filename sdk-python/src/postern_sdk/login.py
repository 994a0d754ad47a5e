"""Grants of people: a login by a code that is entered in a browser, and tokens that are renewed.

``login_token`` takes what ``postern login`` keeps for this user:

    postern = Postern(base_url, token=login_token(base_url))
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import httpx

from .errors import CallTimeoutError, NetworkError, PosternError, UnexpectedAnswerError

__all__ = [
    "LoginError",
    "LoginFile",
    "PendingLogin",
    "TokenStore",
    "Tokens",
    "end_login",
    "login_token",
    "renewed_token",
    "start_login",
]

# The application that ``postern login`` signs in for.
CLI_CLIENT = "postern-cli"
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
TIMEOUT = 30.0
# The wait between two questions where the server names none (RFC 8628 3.5), in seconds.
INTERVAL = 5.0
# A token is renewed this long before it expires.
AHEAD = 60.0
# Bytes of an answer.
MOST = 65_536
# A process that holds the file longer than this has died with it, in seconds.
LOCK_PATIENCE = 60.0
LOCK_POLL = 0.05


@dataclass(frozen=True)
class Tokens:
    """The tokens of a grant, as a program keeps them. Their holder acts as the person."""

    access_token: str
    expires_at: float
    """When the access token expires, in seconds since 1970."""
    scope: str
    """What was granted, with spaces between."""
    refresh_token: str | None = None
    """Without one the grant ends with the access token."""

    def __repr__(self) -> str:
        return f"Tokens(scope={self.scope!r}, expires_at={self.expires_at:.0f})"


class TokenStore(Protocol):
    """Where a program keeps the tokens of a grant."""

    def read(self) -> Tokens | None:
        """What is kept."""
        ...

    def change(self, work: Callable[[Tokens | None], Tokens]) -> Tokens:
        """Calls ``work`` with what is kept, and keeps what it returns.

        Nothing else that uses the store may run meanwhile, in no process: a refresh token that is used
        twice ends its grant.
        """
        ...


class LoginError(Exception):
    """A login that did not come about, or has ended."""

    reason: str
    """The code of OAuth, such as ``access_denied``, ``expired_token`` or ``invalid_grant``."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.reason, str(self)))


@dataclass(frozen=True)
class PendingLogin:
    """A login that waits for a person."""

    user_code: str
    """The code that the person enters."""
    verification_uri: str
    """Where the person enters it."""
    verification_uri_complete: str | None
    """The same page with the code in it."""
    expires_in: float
    """Seconds."""
    _base_url: str
    _form: dict[str, str]
    _interval: float

    def finish(self, *, sleep: Callable[[float], Any] = time.sleep) -> Tokens:
        """Waits for the person's decision. Raises LoginError where there is none in time, or a refusal."""
        ends = time.monotonic() + self.expires_in
        wait = self._interval
        while time.monotonic() < ends:
            sleep(wait)
            try:
                return _tokens(_ask(self._base_url, "/oauth/token", self._form))
            except LoginError as error:
                if error.reason not in ("authorization_pending", "slow_down"):
                    raise
                if error.reason == "slow_down":
                    wait += INTERVAL
            except PosternError as error:
                # Without an answer the network may come back.
                if error.status not in (0, 429) and error.status < 500:
                    raise
        raise LoginError("expired_token", "Nobody entered the code in time.")


def start_login(base_url: str, client_id: str, *, scope: str | None = None) -> PendingLogin:
    """Begins a login by a code that a person enters in a browser (RFC 8628), on this machine or another.

    Args:
        base_url: Where Postern is.
        client_id: ``ocl_…``, or the URL of a document.
        scope: Permissions with spaces between; without it the application asks for all that there are.
    """
    form = {"client_id": client_id, **({} if scope is None else {"scope": scope})}
    begun = _ask(base_url, "/oauth/device", form)
    return PendingLogin(
        user_code=str(begun.get("user_code")),
        verification_uri=str(begun.get("verification_uri")),
        verification_uri_complete=begun.get("verification_uri_complete"),
        expires_in=_seconds(begun.get("expires_in"), 0.0),
        _base_url=base_url,
        _form={
            "grant_type": DEVICE_GRANT,
            "client_id": client_id,
            "device_code": str(begun.get("device_code")),
        },
        _interval=_seconds(begun.get("interval"), INTERVAL) or INTERVAL,
    )


def renewed_token(base_url: str, client_id: str, store: TokenStore) -> Callable[[str | None], str | None]:
    """The ``token`` of a client: the kept access token, renewed before it expires and once it is refused.

    The function gives None where none is kept, and raises LoginError once the grant has ended.
    """

    def is_good(kept: Tokens, refused: str | None) -> bool:
        return kept.access_token != refused and kept.expires_at - AHEAD > time.time()

    def token(refused: str | None) -> str | None:
        kept = store.read()
        if kept is None or is_good(kept, refused):
            return None if kept is None else kept.access_token

        def renew(now: Tokens | None) -> Tokens:
            # Another one has renewed it meanwhile.
            if now is not None and is_good(now, refused):
                return now
            if now is None or now.refresh_token is None:
                raise _ended()
            form = {
                "grant_type": "refresh_token",
                "client_id": client_id,
                "refresh_token": now.refresh_token,
            }
            try:
                fresh = _tokens(_ask(base_url, "/oauth/token", form))
            except LoginError as error:
                raise _ended() if error.reason == "invalid_grant" else error from error
            return fresh if fresh.refresh_token else replace(fresh, refresh_token=now.refresh_token)

        return store.change(renew).access_token

    return token


def end_login(base_url: str, client_id: str, kept: Tokens) -> None:
    """Ends the grant of kept tokens at the server (RFC 7009)."""
    _ask(base_url, "/oauth/revoke", {"client_id": client_id, "token": kept.refresh_token or kept.access_token})


def login_token(base_url: str, *, file: str | os.PathLike[str] | None = None) -> Callable[[str | None], str]:
    """The ``token`` of a client that acts by what ``postern login`` keeps for this user.

    The function raises LoginError (``not_logged_in``) where this user has not logged in at this server.
    """
    token = renewed_token(base_url, CLI_CLIENT, LoginFile(base_url, file))

    def kept(refused: str | None) -> str:
        found = token(refused)
        if found is None:
            raise LoginError("not_logged_in", f"Log in first: npx postern login --url {base_url}")
        return found

    return kept


class LoginFile:
    """The login of one server in the file of ``postern login``, which several processes may use at once."""

    def __init__(self, base_url: str, file: str | os.PathLike[str] | None = None) -> None:
        self._name = _server(base_url)
        self._file = Path(file) if file is not None else _default_file()

    def read(self) -> Tokens | None:
        """What is kept. Raises PermissionError where other users can read the file."""
        return _from_file(self._all().get(self._name))

    def change(self, work: Callable[[Tokens | None], Tokens]) -> Tokens:
        """Calls ``work`` with what is kept, and keeps what it returns, alone of all processes."""
        with _alone(self._file):
            logins = self._all()
            tokens = work(_from_file(logins.get(self._name)))
            self._write({**logins, self._name: _to_file(tokens)})
            return tokens

    def _all(self) -> dict[str, Any]:
        try:
            if sys.platform != "win32" and self._file.stat().st_mode & 0o077:
                raise PermissionError(
                    f'Other users can read {self._file}: run "chmod 600" on it, and log in again if they may have.'
                )
            text = self._file.read_text("utf-8")
        except FileNotFoundError:
            return {}
        try:
            logins = json.loads(text)
        except ValueError as cause:
            raise ValueError(f"{self._file} holds no JSON: delete it, and log in again.") from cause
        return logins if isinstance(logins, dict) else {}

    def _write(self, logins: dict[str, Any]) -> None:
        draft = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        draft.unlink(missing_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"{json.dumps(logins, indent=2, ensure_ascii=False)}\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, self._file)


def _default_file() -> Path:
    """``POSTERN_LOGIN_FILE``, or ``postern/logins.json`` where programs of this user keep their settings (XDG)."""
    own = os.environ.get("POSTERN_LOGIN_FILE")
    if own:
        return Path(own)
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(
        os.environ.get("HOME") or os.path.expanduser("~"), ".config"
    )
    return Path(home, "postern", "logins.json")


def _server(base_url: str) -> str:
    """The address of a server as logins are kept by it. Raises ValueError where tokens would be sent in the clear."""
    url = httpx.URL(base_url)
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError("base_url must be an address such as https://id.example.com.")
    is_here = url.host in ("localhost", "::1") or url.host.startswith("127.") or url.host.endswith(".localhost")
    if url.scheme == "http" and not is_here:
        raise ValueError("base_url must begin with https: tokens are not sent in the clear.")
    host = f"[{url.host}]" if ":" in url.host else url.raw_host.decode()
    is_usual = url.port in (None, {"http": 80, "https": 443}[url.scheme])
    port = "" if is_usual else f":{url.port}"
    return f"{url.scheme}://{host}{port}{url.path.rstrip('/')}"


def _from_file(login: Any) -> Tokens | None:
    if not isinstance(login, dict) or not isinstance(login.get("accessToken"), str):
        return None
    refresh = login.get("refreshToken")
    return Tokens(
        access_token=login["accessToken"],
        refresh_token=refresh if isinstance(refresh, str) else None,
        expires_at=_seconds(login.get("expiresAt"), 0.0) / 1_000,
        scope=str(login.get("scope") or ""),
    )


def _to_file(tokens: Tokens) -> dict[str, Any]:
    refresh = {} if tokens.refresh_token is None else {"refreshToken": tokens.refresh_token}
    return {
        "accessToken": tokens.access_token,
        **refresh,
        "expiresAt": int(tokens.expires_at * 1_000),
        "scope": tokens.scope,
    }


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Lets no other process of this user in, so that no refresh token is used twice."""
    lock = file.with_name(f"{file.name}.lock")
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    while True:
        try:
            os.close(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            break
        except FileExistsError:
            if _age(lock) > LOCK_PATIENCE:
                lock.unlink(missing_ok=True)
            else:
                time.sleep(LOCK_POLL)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def _age(file: Path) -> float:
    """0 for a file that has gone meanwhile."""
    try:
        return time.time() - file.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _ended() -> LoginError:
    return LoginError("invalid_grant", "The grant has ended: log in again.")


def _tokens(answer: dict[str, Any]) -> Tokens:
    refresh = answer.get("refresh_token")
    return Tokens(
        access_token=str(answer.get("access_token")),
        refresh_token=refresh if isinstance(refresh, str) else None,
        expires_at=time.time() + _seconds(answer.get("expires_in"), 0.0),
        scope=str(answer.get("scope") or ""),
    )


def _seconds(value: Any, standard: float) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else standard


def _ask(base_url: str, path: str, form: dict[str, str]) -> dict[str, Any]:
    """Sends a form to an endpoint of the authorization server."""
    url = base_url.rstrip("/") + path
    try:
        with httpx.stream("POST", url, data=form, headers={"accept": "application/json"}, timeout=TIMEOUT) as response:
            text = b""
            for part in response.iter_bytes():
                text += part
                if len(text) > MOST:
                    raise UnexpectedAnswerError("UNEXPECTED_ANSWER", "The answer is too long.", status=200)
    except httpx.TimeoutException as cause:
        raise CallTimeoutError("TIMEOUT", f"POST {url}: no answer.") from cause
    except httpx.RequestError as cause:
        raise NetworkError("NETWORK", f"POST {url}: no answer ({type(cause).__name__}).") from cause
    try:
        answer = json.loads(text or b"{}")
    except ValueError:
        answer = {}
    answer = answer if isinstance(answer, dict) else {}
    if response.is_success:
        return answer
    reason = answer.get("error")
    if isinstance(reason, str):
        raise LoginError(reason, str(answer.get("error_description") or reason))
    status = response.status_code
    message = f"{url} answers {status}: it is no authorization server, or is not ready."
    raise UnexpectedAnswerError("UNEXPECTED_ANSWER", message, status=status)
