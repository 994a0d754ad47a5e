# Written by `npm run docs` from /openapi.json and sdk/methods.ts; a test compares them.

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Mapping, Sequence, cast, overload

from . import types as t
from ._call import OMIT, CallOptions, AsyncContent as Content, Omit, StreamOptions, make_call

if TYPE_CHECKING:
    import httpx
    from typing_extensions import Unpack

    from ._async_answers import AsyncDownload, AsyncEventStream, AsyncPages
    from ._async import AsyncTransport


class AsyncAccount:
    """The methods of `account`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def cancel_email_change(self, **options: Unpack[CallOptions]) -> None:
        """Cancel the pending change of address. Both links stop working. The answer is the same where none
        is pending. (`DELETE /v1/auth/change-email`)"""
        call = make_call("DELETE", "/v1/auth/change-email", options)
        await self._transport.nothing(call)

    async def change_email(
        self,
        *,
        new_email: str,
        current_password: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.RequestMagicLinkAnswer:
        """Request a change of the own address. Sends a link to both mailboxes; the address changes when
        both have confirmed, within 24 hours. The answer is the same whether or not the address has an
        account. Requires a second factor within the last 10 minutes; an account without one needs
        `currentPassword`, or a sign-in within the last 10 minutes. A newer request replaces an earlier
        one. (`POST /v1/auth/change-email`)

        Args:
            new_email: The new address of the account.
            current_password: Instead of a recent sign-in, if the account has no second factor.
        """
        call = make_call(
            "POST",
            "/v1/auth/change-email",
            options,
            body_type=t.RequestEmailChangeBody,
            body={"newEmail": new_email, "currentPassword": current_password},
        )
        return await self._transport.json(call, t.RequestMagicLinkAnswer)

    async def change_password(
        self,
        *,
        current_password: str,
        new_password: str,
        **options: Unpack[CallOptions],
    ) -> t.ChangePasswordAnswer:
        """Change the password. Ends every other session of the account, and every link that was mailed to
        it. An account without a password needs a reset instead. (`POST /v1/auth/change-password`)

        Args:
            current_password: The current password, so that an open browser alone cannot change it.
            new_password: 8 to 256 characters, none of the well-known passwords.
        """
        call = make_call(
            "POST",
            "/v1/auth/change-password",
            options,
            body_type=t.ChangePasswordBody,
            body={"currentPassword": current_password, "newPassword": new_password},
        )
        return await self._transport.json(call, t.ChangePasswordAnswer)

    async def confirm_email_change(
        self,
        *,
        token: str,
        **options: Unpack[CallOptions],
    ) -> t.ConfirmEmailChangeAnswer:
        """Confirm a change of address, at either mailbox. The second confirmation changes the address:
        every other session of the account ends, with every mailed link and grant. Either link requires a
        session of the account (`UNAUTHORIZED` without one, `own_sign_in_required` in one of an
        organization's identity provider), except for a change that the operator began. If no mailbox of
        the account was ever proven, the last confirmation also ends the password, and everything that was
        set up before. `DUPLICATE` where the new address has another person's account. (`POST
        /v1/auth/change-email/confirm`)

        Args:
            token: The secret of the link, which follows `?token=`.
        """
        call = make_call(
            "POST",
            "/v1/auth/change-email/confirm",
            options,
            body_type=t.ConfirmEmailChangeBody,
            body={"token": token},
        )
        return await self._transport.json(call, t.ConfirmEmailChangeAnswer)

    async def email_change(self, **options: Unpack[CallOptions]) -> t.EmailChange:
        """Read the pending change of address. `change` is null where none is pending. (`GET
        /v1/auth/change-email`)"""
        call = make_call("GET", "/v1/auth/change-email", options)
        return await self._transport.json(call, t.EmailChange)

    async def refuse_email_change(
        self,
        *,
        token: str,
        **options: Unpack[CallOptions],
    ) -> t.RequestMagicLinkAnswer:
        """Refuse a change of address, at either mailbox. Both links stop working, and the address stays.
        (`POST /v1/auth/change-email/refuse`)

        Args:
            token: The secret of the link, which follows `?token=`.
        """
        call = make_call(
            "POST",
            "/v1/auth/change-email/refuse",
            options,
            body_type=t.ConfirmEmailChangeBody,
            body={"token": token},
        )
        return await self._transport.json(call, t.RequestMagicLinkAnswer)

    async def update(
        self,
        *,
        first_name: str | Omit = OMIT,
        last_name: str | Omit = OMIT,
        language: t.CreateInvitationBodyLanguage | None | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.SessionUser:
        """Change the names and the language of the own account. (`PATCH /v1/auth/account`)

        Args:
            first_name: Given name, which others in the organization see.
            last_name: Family name, which others in the organization see.
            language: Of mails to the account; null: that of the organization.
        """
        call = make_call(
            "PATCH",
            "/v1/auth/account",
            options,
            body_type=t.ChangeAccountBody,
            body={"firstName": first_name, "lastName": last_name, "language": language},
        )
        return await self._transport.json(call, t.SessionUser)


class AsyncAccounts:
    """The methods of `accounts`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def change(
        self,
        id: str,
        *,
        status: t.SessionUserOrganizationStatus,
        end_keys: bool | Omit = OMIT,
        force: bool | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.Account:
        """Disable or enable an account. (`PATCH /v1/operator/accounts/{id}`)

        Args:
            status: `disabled`: its sessions, links and pending invitations end, and its sign-ins are
                refused. `active`: it can sign in again, with the memberships and the password that it had.
            end_keys: Also deletes the API keys that it made or rotated, and the keys that were made with
                those.
            force: Even if an organization is left without administrator (`last_administrator`).
        """
        call = make_call(
            "PATCH",
            "/v1/operator/accounts/{id}",
            options,
            places={"id": id},
            body_type=t.ChangeAccountStatusBody,
            body={"status": status, "endKeys": end_keys, "force": force},
        )
        return await self._transport.json(call, t.Account)

    async def change_email(
        self,
        id: str,
        *,
        new_email: str,
        **options: Unpack[CallOptions],
    ) -> t.RequestMagicLinkAnswer:
        """Begin a change of the address of an account. For a person who has lost the current mailbox,
        which gets a mail and can refuse. The address changes when the new mailbox confirms it, within 24
        hours; every session then ends. (`POST /v1/operator/accounts/{id}/email-change`)

        Args:
            new_email: The new address of the account.
        """
        call = make_call(
            "POST",
            "/v1/operator/accounts/{id}/email-change",
            options,
            places={"id": id},
            body_type=t.StartAccountEmailChangeBody,
            body={"newEmail": new_email},
        )
        return await self._transport.json(call, t.RequestMagicLinkAnswer)

    async def delete(
        self,
        id: str,
        *,
        email: str,
        end_keys: bool | None = None,
        force: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> None:
        """Delete an account. This cannot be undone. Its sessions, memberships, links, invitations and
        mails are also deleted; its entries in the audit log stay, under its id. If the address is invited
        again, it is a new account. (`DELETE /v1/operator/accounts/{id}`)

        Args:
            email: Its address, to be sure.
            end_keys: Also deletes the API keys that it made or rotated, and the keys that were made with
                those.
            force: Even if an organization is left without administrator (`last_administrator`).
        """
        call = make_call(
            "DELETE",
            "/v1/operator/accounts/{id}",
            options,
            places={"id": id},
            query={"email": email, "endKeys": end_keys, "force": force},
        )
        await self._transport.nothing(call)

    async def end_sessions(self, id: str, **options: Unpack[CallOptions]) -> t.EndOtherSessionsAnswer:
        """End all sessions of an account. In all its organizations, with their tokens and open streams,
        and every link and code that was mailed to it. The person must sign in again. (`DELETE
        /v1/operator/accounts/{id}/sessions`)"""
        call = make_call("DELETE", "/v1/operator/accounts/{id}/sessions", options, places={"id": id})
        return await self._transport.json(call, t.EndOtherSessionsAnswer)

    async def import_(
        self,
        *,
        accounts: Sequence[Mapping[str, Any]],
        dry_run: bool | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.ImportAccountsAnswer:
        """Import accounts of another system. Each account has the form of a line of `npx postern
        import-accounts`. An existing account is never changed, so the same request may be sent again. A
        refused account does not affect the others; 100 at a time are imported together. (`POST
        /v1/operator/accounts/import`)

        Args:
            accounts: Accounts with the members that docs/operations.md describes.
            dry_run: Reports the refusals, and changes nothing.
        """
        call = make_call(
            "POST",
            "/v1/operator/accounts/import",
            options,
            body_type=t.ImportAccountsBody,
            body={"accounts": accounts, "dryRun": dry_run},
        )
        return await self._transport.json(call, t.ImportAccountsAnswer)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        email: str | None = None,
        organization_id: str | None = None,
        status: t.SessionUserStatus | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.AccountItem]:
        """List the accounts of the installation. (`GET /v1/operator/accounts`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            email: An e-mail address.
            organization_id: Starts with `org_`, which may be left out.
            status: Only those in this state.
        """
        call = make_call(
            "GET",
            "/v1/operator/accounts",
            options,
            query={
                "limit": limit,
                "cursor": cursor,
                "email": email,
                "organizationId": organization_id,
                "status": status,
            },
        )
        return self._transport.pages(call, t.AccountItem)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.Account:
        """Read an account, with its organizations. (`GET /v1/operator/accounts/{id}`)"""
        call = make_call("GET", "/v1/operator/accounts/{id}", options, places={"id": id})
        return await self._transport.json(call, t.Account)

    async def remove_factors(self, id: str, **options: Unpack[CallOptions]) -> t.RemoveMemberFactorsAnswer:
        """Remove the second factors of an account. For a person who has lost all factors, recovery codes
        included. Ends every session and every mailed link of the account, and mails the person. The
        factors of the last exception from the required sign-in of an organization cannot be removed
        (`FORBIDDEN`, `reason: last_exception`, `organizationId`) until that is not required any more
        (`signInRequired`). (`DELETE /v1/operator/accounts/{id}/factors`)"""
        call = make_call("DELETE", "/v1/operator/accounts/{id}/factors", options, places={"id": id})
        return await self._transport.json(call, t.RemoveMemberFactorsAnswer)


class AsyncActors:
    """The methods of `actors`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, ids: str, **options: Unpack[CallOptions]) -> AsyncPages[t.Actor]:
        """Read the names of actors. Names for the ids in `createdBy`, `actorId`, `decidedBy` and
        `inviterId`: of members, of former members (their names when they left), of service accounts, of
        API keys (`keyId`), of platform keys, of identity providers, and of setup links. The answer omits
        ids that the organization does not know, and ids of deleted accounts and keys. Scope:
        `members:read`. (`GET /v1/actors`)

        Args:
            ids: Ids of accounts, service accounts, API keys, platform keys, identity providers and setup
                links, separated by commas, 100 at most.
        """
        call = make_call("GET", "/v1/actors", options, query={"ids": ids})
        return self._transport.pages(call, t.Actor)


class AsyncAgents:
    """The methods of `agents`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        name: str,
        instructions: str | Omit = OMIT,
        model: str | Omit = OMIT,
        knowledge_base_ids: Sequence[str] | Omit = OMIT,
        tools: Sequence[t.CreateAgentBodyTool | Mapping[str, Any]] | Omit = OMIT,
        max_steps: int | Omit = OMIT,
        max_output_tokens: int | Omit = OMIT,
        timeout_ms: int | Omit = OMIT,
        on_length: t.AgentOnLength | Omit = OMIT,
        on_model_failure: t.AgentOnModelFailure | Omit = OMIT,
        fallback_model: str | None | Omit = OMIT,
        parameters: t.AgentParameters | Mapping[str, Any] | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.Agent:
        """Create an agent. Without a model it has the built-in one, which quotes from its knowledge bases.
        Scope: `agents:write`, with `knowledgeBaseIds` `knowledge:read`, with `tools` `mcp_servers:read`.
        (`POST /v1/agents`)

        Args:
            name: The name of the agent.
            instructions: Text that the model reads first in each of its calls.
            model: A name of `GET /v1/models`.
            knowledge_base_ids: Knowledge bases that the agent searches; each id starts with `knb_`.
            tools: Tools of MCP servers that the agent may call.
            max_steps: Calls of the model and of tools in a run; calls of a model that failed do not count.
            max_output_tokens: Longest answer of one call of the model, in tokens.
            timeout_ms: The longest duration of a run, without its waits for persons.
            on_length: The effect of an answer that was cut at `maxOutputTokens`: `keep`, the default, ends
                the run with the cut answer, `fail` fails it. Tool calls in such an answer are never made.
            on_model_failure: The effect of a failed call of the model that may have been charged: `fail`,
                the default, fails the run, `retry` repeats it twice, `fallback` uses `fallbackModel`. A
                call that cannot have been charged is repeated up to 10 times in a row, twice with
                `fallback`.
            fallback_model: A name of `GET /v1/models`, for `onModelFailure: fallback`.
        """
        call = make_call(
            "POST",
            "/v1/agents",
            options,
            body_type=t.CreateAgentBody,
            body={
                "name": name,
                "instructions": instructions,
                "model": model,
                "knowledgeBaseIds": knowledge_base_ids,
                "tools": tools,
                "maxSteps": max_steps,
                "maxOutputTokens": max_output_tokens,
                "timeoutMs": timeout_ms,
                "onLength": on_length,
                "onModelFailure": on_model_failure,
                "fallbackModel": fallback_model,
                "parameters": parameters,
            },
            once=True,
        )
        return await self._transport.json(call, t.Agent)

    async def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Delete an agent. Runs that were accepted before, queued ones included, are still made, and all
        of them can be read. None can be started or resumed. Scope: `agents:write`. (`DELETE
        /v1/agents/{id}`)"""
        call = make_call("DELETE", "/v1/agents/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        search: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.Agent]:
        """List agents. Scope: `agents:read`. (`GET /v1/agents`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            search: Only items with this text in their name; upper and lower case are equal.
        """
        call = make_call(
            "GET",
            "/v1/agents",
            options,
            query={"limit": limit, "cursor": cursor, "search": search},
        )
        return self._transport.pages(call, t.Agent)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.Agent:
        """Read an agent. Scope: `agents:read`. (`GET /v1/agents/{id}`)"""
        call = make_call("GET", "/v1/agents/{id}", options, places={"id": id})
        return await self._transport.json(call, t.Agent)

    async def read_version(self, id: str, version: str, **options: Unpack[CallOptions]) -> t.AgentVersion:
        """Read a version of an agent. Scope: `agents:read`. (`GET /v1/agents/{id}/versions/{version}`)"""
        call = make_call(
            "GET",
            "/v1/agents/{id}/versions/{version}",
            options,
            places={"id": id, "version": version},
        )
        return await self._transport.json(call, t.AgentVersion)

    async def run(
        self,
        id: str,
        *,
        input: str,
        conversation_id: str | Omit = OMIT,
        file_ids: Sequence[str] | Omit = OMIT,
        metadata: Mapping[str, Any] | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.Run:
        """Have an agent do something. Answers 202 once the run is on disk. With `Prefer: wait=N` the
        answer waits up to N seconds, 30 at most: 200 where the run has ended by then, else 202; at once
        where it waits for a decision. In a conversation, runs take turns. With `Accept: text/event-stream`
        the answer is its events. Scope: `runs:write`, with `fileIds` `files:read`, with `conversationId`
        `conversations:write`. (`POST /v1/agents/{id}/runs`)

        Args:
            input: The input for the agent.
            conversation_id: Starts with `cnv_`, which may be left out.
            file_ids: Files whose text the agent reads; each id starts with `fil_`.
            metadata: Your own data, stored with the run and sent with `agent.run.completed`.
        """
        call = make_call(
            "POST",
            "/v1/agents/{id}/runs",
            options,
            places={"id": id},
            body_type=t.StartRunBody,
            body={
                "input": input,
                "conversationId": conversation_id,
                "fileIds": file_ids,
                "metadata": metadata,
            },
            once=True,
        )
        return await self._transport.json(call, t.Run)

    def runs(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.Run]:
        """List an agent's runs. Members get their own, administrators all. Scope: `runs:read`. (`GET
        /v1/agents/{id}/runs`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call(
            "GET",
            "/v1/agents/{id}/runs",
            options,
            places={"id": id},
            query={"limit": limit, "cursor": cursor},
        )
        return self._transport.pages(call, t.Run)

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        instructions: str | Omit = OMIT,
        model: str | Omit = OMIT,
        knowledge_base_ids: Sequence[str] | Omit = OMIT,
        tools: Sequence[t.CreateAgentBodyTool | Mapping[str, Any]] | Omit = OMIT,
        max_steps: int | Omit = OMIT,
        max_output_tokens: int | Omit = OMIT,
        timeout_ms: int | Omit = OMIT,
        on_length: t.AgentOnLength | Omit = OMIT,
        on_model_failure: t.AgentOnModelFailure | Omit = OMIT,
        fallback_model: str | None | Omit = OMIT,
        parameters: t.AgentParameters | Mapping[str, Any] | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.Agent:
        """Change an agent. Makes a new version for the runs that are accepted from then on; runs that were
        accepted before keep theirs. Scope: `agents:write`, with `knowledgeBaseIds` `knowledge:read`, with
        `tools` `mcp_servers:read`. (`PATCH /v1/agents/{id}`)

        Args:
            name: The name of the agent.
            instructions: Text that the model reads first in each of its calls.
            model: A name of `GET /v1/models`.
            knowledge_base_ids: Knowledge bases that the agent searches; each id starts with `knb_`.
            tools: Tools of MCP servers that the agent may call.
            max_steps: Calls of models and tools of one run, at most; calls of a model that failed do not
                count.
            max_output_tokens: Longest answer of one call of the model, in tokens.
            timeout_ms: Longest time of a run in milliseconds; waiting for a person does not count.
            on_length: The effect of an answer that was cut at `maxOutputTokens`: `keep`, the default, ends
                the run with the cut answer, `fail` fails it. Tool calls in such an answer are never made.
            on_model_failure: The effect of a failed call of the model that may have been charged: `fail`,
                the default, fails the run, `retry` repeats it twice, `fallback` uses `fallbackModel`. A
                call that cannot have been charged is repeated up to 10 times in a row, twice with
                `fallback`.
            fallback_model: A name of `GET /v1/models`, for `onModelFailure: fallback`.
        """
        call = make_call(
            "PATCH",
            "/v1/agents/{id}",
            options,
            places={"id": id},
            body_type=t.UpdateAgentBody,
            body={
                "name": name,
                "instructions": instructions,
                "model": model,
                "knowledgeBaseIds": knowledge_base_ids,
                "tools": tools,
                "maxSteps": max_steps,
                "maxOutputTokens": max_output_tokens,
                "timeoutMs": timeout_ms,
                "onLength": on_length,
                "onModelFailure": on_model_failure,
                "fallbackModel": fallback_model,
                "parameters": parameters,
            },
        )
        return await self._transport.json(call, t.Agent)

    def versions(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.AgentVersion]:
        """List the versions of an agent. Newest first; new runs use the newest. Scope: `agents:read`.
        (`GET /v1/agents/{id}/versions`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call(
            "GET",
            "/v1/agents/{id}/versions",
            options,
            places={"id": id},
            query={"limit": limit, "cursor": cursor},
        )
        return self._transport.pages(call, t.AgentVersion)


class AsyncApiKeys:
    """The methods of `api_keys`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        name: str,
        description: str | Omit = OMIT,
        role: t.Role | Omit = OMIT,
        scopes: Sequence[t.CreateRoleBodyPermission] | None | Omit = OMIT,
        expires_in_days: int | Omit = OMIT,
        service_account_id: str | Omit = OMIT,
        allowed_addresses: Sequence[str] | None | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.CreatedApiKey:
        """Create an API key. The answer has the `key`, which is never shown again. Use it as
        `Authorization: Bearer psk_…`. The key belongs to a service account: that of `serviceAccountId`,
        else a new one of the same name. It ends when it is deleted, when it expires, or with its service
        account; it stays when its maker leaves. If the caller is a key, the new key can have no more
        rights, no other addresses and no later expiry than the caller; by default it has the addresses and
        the expiry of the caller. Scope: `keys:write`. (`POST /v1/api-keys`)

        Args:
            name: The name of the key.
            description: The use of the key; null: none is given.
            role: The most that the key may do. Without it: member, or administrator where a scope needs
                that.
            scopes: Narrows the key to these; without them it may do all that its role may. A key that is
                narrowed gives no scope that it lacks.
            expires_in_days: Days after which the key is refused. Default: it does not expire.
            service_account_id: Starts with `svc_`, which may be left out.
        """
        call = make_call(
            "POST",
            "/v1/api-keys",
            options,
            body_type=t.CreateApiKeyBody,
            body={
                "name": name,
                "description": description,
                "role": role,
                "scopes": scopes,
                "expiresInDays": expires_in_days,
                "serviceAccountId": service_account_id,
                "allowedAddresses": allowed_addresses,
            },
            once=True,
        )
        return await self._transport.json(call, t.CreatedApiKey)

    async def delete(self, id: str, *, with_made: bool | None = None, **options: Unpack[CallOptions]) -> None:
        """Delete an API key. The key ends at once, also for open streams, and its pending invitations are
        revoked. Its service account stays, and so do the keys that were made with it, unless `withMade` is
        true. Scope: `keys:write`. (`DELETE /v1/api-keys/{id}`)

        Args:
            with_made: Also deletes the keys that were made with it, and with those in turn.
        """
        call = make_call(
            "DELETE",
            "/v1/api-keys/{id}",
            options,
            places={"id": id},
            query={"withMade": with_made},
        )
        await self._transport.nothing(call)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        created_by: str | None = None,
        service_account_id: str | None = None,
        only_scope: t.ListApiKeysOnlyScope | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.ApiKey]:
        """List API keys. Scope: `keys:read`. (`GET /v1/api-keys`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            created_by: Only keys that this account or service account made or rotated; also of a former
                member.
            service_account_id: Starts with `svc_`, which may be left out.
            only_scope: Only keys with exactly this one scope, such as the keys of a directory
                (`scim:write`).
        """
        call = make_call(
            "GET",
            "/v1/api-keys",
            options,
            query={
                "limit": limit,
                "cursor": cursor,
                "createdBy": created_by,
                "serviceAccountId": service_account_id,
                "onlyScope": only_scope,
            },
        )
        return self._transport.pages(call, t.ApiKey)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.ApiKey:
        """Read an API key. Scope: `keys:read`. (`GET /v1/api-keys/{id}`)"""
        call = make_call("GET", "/v1/api-keys/{id}", options, places={"id": id})
        return await self._transport.json(call, t.ApiKey)

    async def rotate(
        self,
        id: str,
        *,
        overlap_hours: int | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.CreatedApiKey:
        """Rotate an API key. Only this answer has the new secret (`key`). The previous one works for
        `overlapHours` more, and each earlier one until its own end, 5 at most (`too_many_secrets`). With
        `overlapHours: 0` every earlier secret ends at once: use it after a leak. Scope: `keys:write`.
        (`POST /v1/api-keys/{id}/rotate`)

        Args:
            overlap_hours: Hours for which the present secret works on.
        """
        call = make_call(
            "POST",
            "/v1/api-keys/{id}/rotate",
            options,
            places={"id": id},
            body_type=t.RotateApiKeyBody,
            body={"overlapHours": overlap_hours},
            once=True,
        )
        return await self._transport.json(call, t.CreatedApiKey)

    def scopes(self, **options: Unpack[CallOptions]) -> AsyncPages[t.Scope]:
        """List the scopes. The permissions of callers of an organization, in the order of the table.
        `x-scope` of each operation names the one that it requires. (`GET /v1/scopes`)"""
        call = make_call("GET", "/v1/scopes", options)
        return self._transport.pages(call, t.Scope)

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        description: str | None | Omit = OMIT,
        allowed_addresses: Sequence[str] | None | Omit = OMIT,
        expires_in_days: int | None | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.ApiKey:
        """Change an API key. Changes the name, description, addresses and expiry; its rights never change.
        If the caller is a key, it can change only keys that have no more rights, no other addresses and no
        later expiry than itself. Scope: `keys:write`. (`PATCH /v1/api-keys/{id}`)

        Args:
            expires_in_days: Days from now after which the key is refused; null: it does not expire.
        """
        call = make_call(
            "PATCH",
            "/v1/api-keys/{id}",
            options,
            places={"id": id},
            body_type=t.UpdateApiKeyBody,
            body={
                "name": name,
                "description": description,
                "allowedAddresses": allowed_addresses,
                "expiresInDays": expires_in_days,
            },
        )
        return await self._transport.json(call, t.ApiKey)


class AsyncAuditLog:
    """The methods of `audit_log`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        action: str | None = None,
        actor: str | None = None,
        target: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.AuditEntry]:
        """List the audit log. The events of the organization, and of the accounts of its members while
        they were members. Kept for `AUDIT_DAYS`. Scope: `audit:read`. (`GET /v1/audit-log`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            since: Only what happened at or after this moment.
            until: Only what happened before this moment.
            action: Only entries of this action.
            actor: Only what this account or service account did.
            target: Only what was done to the thing of this id.
        """
        call = make_call(
            "GET",
            "/v1/audit-log",
            options,
            query={
                "limit": limit,
                "cursor": cursor,
                "since": since,
                "until": until,
                "action": action,
                "actor": actor,
                "target": target,
            },
        )
        return self._transport.pages(call, t.AuditEntry)


class AsyncAuditStreams:
    """The methods of `audit_streams`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        name: str,
        url: str,
        headers: Mapping[str, str] | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.CreatedAuditStream:
        """Stream the audit log to a URL. Every later entry, of all organizations and of none, is POSTed
        there as lines of JSON, at least once. Only this answer has the `secret` that signs. (`POST
        /v1/operator/audit-streams`)

        Args:
            name: The name of the stream.
            url: Where entries are POSTed. It may be in a private network.
            headers: Sent with every request, such as `Authorization` of the receiver; never shown.
        """
        call = make_call(
            "POST",
            "/v1/operator/audit-streams",
            options,
            body_type=t.CreateAuditStreamBody,
            body={"name": name, "url": url, "headers": headers},
            once=True,
        )
        return await self._transport.json(call, t.CreatedAuditStream)

    async def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Delete a stream of the audit log. Unsent entries are not sent any more; the audit log itself
        stays. (`DELETE /v1/operator/audit-streams/{id}`)"""
        call = make_call("DELETE", "/v1/operator/audit-streams/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def list(self, **options: Unpack[CallOptions]) -> AsyncPages[t.AuditStream]:
        """List the streams of the audit log. How far each is behind, since when it fails, and why. (`GET
        /v1/operator/audit-streams`)"""
        call = make_call("GET", "/v1/operator/audit-streams", options)
        return self._transport.pages(call, t.AuditStream)

    async def rotate_secret(self, id: str, **options: Unpack[CallOptions]) -> t.RotateAuditStreamSecretAnswer:
        """Give a stream of the audit log another secret. Only this answer has the new `secret`. The
        previous one also signs for 24 hours. (`POST /v1/operator/audit-streams/{id}/rotate-secret`)"""
        call = make_call(
            "POST",
            "/v1/operator/audit-streams/{id}/rotate-secret",
            options,
            places={"id": id},
            once=True,
        )
        return await self._transport.json(call, t.RotateAuditStreamSecretAnswer)

    async def test(self, id: str, **options: Unpack[CallOptions]) -> t.TestAuditStreamAnswer:
        """Send a sample to a stream of the audit log. POSTs one entry with the action
        `audit_stream.tested`, which is in no audit log, and returns the destination’s response. Works
        while it is paused. (`POST /v1/operator/audit-streams/{id}/test`)"""
        call = make_call("POST", "/v1/operator/audit-streams/{id}/test", options, places={"id": id})
        return await self._transport.json(call, t.TestAuditStreamAnswer)

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        url: str | Omit = OMIT,
        headers: Mapping[str, str] | None | Omit = OMIT,
        paused: bool | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.AuditStream:
        """Change, pause or resume a stream of the audit log. Unsent entries are kept while it is paused,
        and are sent to a new URL. A change causes an attempt at once. (`PATCH
        /v1/operator/audit-streams/{id}`)

        Args:
            name: The name of the stream.
            url: Where entries are POSTed. It may be in a private network.
            headers: Sent with every request, such as `Authorization` of the receiver; never shown.
            paused: Whether sending is paused; entries that it has not accepted are kept.
        """
        call = make_call(
            "PATCH",
            "/v1/operator/audit-streams/{id}",
            options,
            places={"id": id},
            body_type=t.UpdateAuditStreamBody,
            body={"name": name, "url": url, "headers": headers, "paused": paused},
        )
        return await self._transport.json(call, t.AuditStream)


class AsyncAuth:
    """The methods of `auth`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def authorization(self, id: str, **options: Unpack[CallOptions]) -> t.Authorization:
        """Read the request of an application. For the page for consent, in the browser in which the
        application asked. (`GET /v1/auth/authorizations/{id}`)"""
        call = make_call("GET", "/v1/auth/authorizations/{id}", options, places={"id": id})
        return await self._transport.json(call, t.Authorization)

    async def decide_authorization(
        self,
        id: str,
        *,
        allow: bool,
        organization_id: str | Omit = OMIT,
        scopes: Sequence[str] | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.DecideAuthorizationAnswer:
        """Grant or refuse the request of an application. A grant is for one organization. Its scopes are a
        part of the requested ones; scopes that the person does not have in the organization are left out.
        (`POST /v1/auth/authorizations/{id}`)

        Args:
            allow: Whether the person grants it.
            organization_id: Starts with `org_`, which may be left out.
            scopes: The granted scopes. Default: all requested ones.
        """
        call = make_call(
            "POST",
            "/v1/auth/authorizations/{id}",
            options,
            places={"id": id},
            body_type=t.DecideAuthorizationBody,
            body={"allow": allow, "organizationId": organization_id, "scopes": scopes},
        )
        return await self._transport.json(call, t.DecideAuthorizationAnswer)

    async def decide_device(
        self,
        *,
        user_code: str,
        allow: bool,
        organization_id: str | Omit = OMIT,
        scopes: Sequence[str] | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> None:
        """Grant or refuse the request of a device. A grant is for one organization. Its scopes are a part
        of the requested ones; scopes that the person does not have in the organization are left out.
        (`POST /v1/auth/devices/decision`)

        Args:
            user_code: The code that the device shows.
            allow: Whether the person grants it.
            organization_id: Starts with `org_`, which may be left out.
            scopes: The granted scopes. Default: all requested ones.
        """
        call = make_call(
            "POST",
            "/v1/auth/devices/decision",
            options,
            body_type=t.DecideDeviceRequestBody,
            body={
                "userCode": user_code,
                "allow": allow,
                "organizationId": organization_id,
                "scopes": scopes,
            },
        )
        await self._transport.nothing(call)

    async def device(self, *, user_code: str, **options: Unpack[CallOptions]) -> t.DeviceRequest:
        """Read the request of a device. For the page on which a person enters the code that a device
        shows. It changes nothing. (`POST /v1/auth/devices`)

        Args:
            user_code: The code that the device shows, with or without separators.
        """
        call = make_call(
            "POST",
            "/v1/auth/devices",
            options,
            body_type=t.ReadDeviceRequestBody,
            body={"userCode": user_code},
        )
        return await self._transport.json(call, t.DeviceRequest)

    async def end_grant(self, id: str, **options: Unpack[CallOptions]) -> None:
        """End a grant of the account to an application. Its access and refresh tokens end at once, also
        for open streams. (`DELETE /v1/auth/grants/{id}`)"""
        call = make_call("DELETE", "/v1/auth/grants/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    async def finish_with_provider(
        self,
        provider: str,
        *,
        state: str | None = None,
        code: str | None = None,
        iss: str | None = None,
        error: str | None = None,
        **options: Unpack[CallOptions],
    ) -> httpx.Response:
        """Return from an identity provider. Called by the provider. Redirects to the `callbackURL` with a
        session, or to the `errorCallbackURL` with `error` and `error_description`. (`GET
        /v1/auth/callback/{provider}`)

        Args:
            state: What was sent along when the browser left; it works once.
            code: What the identity provider or the catalogue calls it.
            iss: The issuer that the answer comes from (RFC 9207).
            error: What the provider answers instead of a code.
        """
        call = make_call(
            "GET",
            "/v1/auth/callback/{provider}",
            options,
            places={"provider": provider},
            query={"state": state, "code": code, "iss": iss, "error": error},
        )
        return await self._transport.response(call)

    async def first_start(
        self,
        *,
        token: str,
        organization_: str,
        first_name: str,
        last_name: str,
        email: str,
        password: str,
        terms_accepted: Literal[True],
        **options: Unpack[CallOptions],
    ) -> t.Session:
        """Create the first organization and its administrator. With the token of the link that a start at
        a terminal shows while no account exists. Signs the administrator in. The answer is the same for an
        unknown, used or expired token, and for any token once an account exists. Refused input does not
        use up the token. (`POST /v1/auth/first-start`)

        Args:
            email: An e-mail address.
            password: 8 to 256 characters, none of the well-known passwords.
            terms_accepted: Must be true.
        """
        call = make_call(
            "POST",
            "/v1/auth/first-start",
            options,
            body_type=t.CreateFirstAdministratorBody,
            body={
                "token": token,
                "organization": organization_,
                "firstName": first_name,
                "lastName": last_name,
                "email": email,
                "password": password,
                "termsAccepted": terms_accepted,
            },
        )
        return await self._transport.json(call, t.Session)

    def grants(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.OwnGrant]:
        """List the grants of the account to applications. (`GET /v1/auth/grants`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call("GET", "/v1/auth/grants", options, query={"limit": limit, "cursor": cursor})
        return self._transport.pages(call, t.OwnGrant)

    async def open_magic_link(self, **options: Unpack[CallOptions]) -> httpx.Response:
        """The page that a sign-in link opens. It changes nothing: mail scanners open links too. (`GET
        /v1/auth/magic-link/verify`)"""
        call = make_call("GET", "/v1/auth/magic-link/verify", options)
        return await self._transport.response(call)

    async def pending_sign_in(self, **options: Unpack[CallOptions]) -> t.PendingSignIn:
        """Read a sign-in that requires a second factor. For a page to which a redirect led. `UNAUTHORIZED`
        where this browser has no sign-in that waits. (`GET /v1/auth/sign-in/second-factor`)"""
        call = make_call("GET", "/v1/auth/sign-in/second-factor", options)
        return await self._transport.json(call, t.PendingSignIn)

    async def request_magic_link(
        self,
        *,
        email: str,
        callback_u_r_l: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.RequestMagicLinkAnswer:
        """Request a sign-in link. One answer, whether or not the address has an account. Sets a cookie
        that binds the link to this browser. (`POST /v1/auth/magic-link`)

        Args:
            email: An e-mail address.
            callback_u_r_l: An absolute URL on one of `ALLOWED_ORIGINS`.
        """
        call = make_call(
            "POST",
            "/v1/auth/magic-link",
            options,
            body_type=t.RequestMagicLinkBody,
            body={"email": email, "callbackURL": callback_u_r_l},
        )
        return await self._transport.json(call, t.RequestMagicLinkAnswer)

    async def request_password_reset(
        self,
        *,
        email: str,
        redirect_to: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.RequestMagicLinkAnswer:
        """Request a password reset mail. One answer, whether or not the address has an account. An invited
        person gets the invitation again. (`POST /v1/auth/forget-password`)

        Args:
            email: An e-mail address.
            redirect_to: An absolute URL on one of `ALLOWED_ORIGINS`.
        """
        call = make_call(
            "POST",
            "/v1/auth/forget-password",
            options,
            body_type=t.RequestPasswordResetBody,
            body={"email": email, "redirectTo": redirect_to},
        )
        return await self._transport.json(call, t.RequestMagicLinkAnswer)

    async def reset_password(
        self,
        *,
        token: str,
        new_password: str,
        **options: Unpack[CallOptions],
    ) -> t.RequestMagicLinkAnswer:
        """Replace the password. Ends every session of the account and begins none. A password that is
        refused does not use up the token. (`POST /v1/auth/reset-password`)

        Args:
            token: The secret of the reset link, which follows `?token=`. It works once.
            new_password: 8 to 256 characters, none of the well-known passwords.
        """
        call = make_call(
            "POST",
            "/v1/auth/reset-password",
            options,
            body_type=t.ResetPasswordBody,
            body={"token": token, "newPassword": new_password},
        )
        return await self._transport.json(call, t.RequestMagicLinkAnswer)

    async def sign_in(self, *, email: str, password: str, **options: Unpack[CallOptions]) -> t.Session:
        """Sign in with e-mail and password. (`POST /v1/auth/sign-in/email`)

        Args:
            email: An e-mail address.
            password: The password of the account.
        """
        call = make_call(
            "POST",
            "/v1/auth/sign-in/email",
            options,
            body_type=t.SignInWithEmailBody,
            body={"email": email, "password": password},
        )
        return await self._transport.json(call, t.Session)

    async def sign_in_with_magic_link(
        self,
        *,
        token: str | Omit = OMIT,
        email: str | Omit = OMIT,
        code: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.SignInWithMagicLinkAnswer:
        """Sign in with the link or the code. `{ token }` in the browser that asked, `{ email, code }`
        there, or `{ token, code }` anywhere else. A posted form is answered with a redirect. (`POST
        /v1/auth/magic-link/verify`)

        Args:
            token: The secret of the sign-in link, which follows `?token=`. It works once.
            email: An e-mail address.
            code: The short code of the mail, for other browsers than the requesting one.
        """
        call = make_call(
            "POST",
            "/v1/auth/magic-link/verify",
            options,
            body_type=t.SignInWithMagicLinkBody,
            body={"token": token, "email": email, "code": code},
        )
        return await self._transport.json(call, t.SignInWithMagicLinkAnswer)

    async def sign_in_with_organization(
        self,
        *,
        callback_u_r_l: str,
        email: str | Omit = OMIT,
        identity_provider_id: str | Omit = OMIT,
        organization_id: str | Omit = OMIT,
        error_callback_u_r_l: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.SignInWithProviderAnswer:
        """Sign in with the identity provider of an organization. Takes one of `email`,
        `identityProviderId` and `organizationId`. An address selects the organization that has proven its
        domain; the answer reveals nothing about accounts. Redirect the browser to `authUrl`; it arrives at
        `callbackURL` with a session that gives access only to that organization. Without such a provider
        the answer is `VALIDATION_FAILED` with `reason: no_identity_provider`. (`POST
        /v1/auth/sign-in/sso`)

        Args:
            email: An e-mail address.
            identity_provider_id: Starts with `idp_`, which may be left out.
            organization_id: Starts with `org_`, which may be left out.
            callback_u_r_l: An absolute URL on one of `ALLOWED_ORIGINS`.
            error_callback_u_r_l: An absolute URL on one of `ALLOWED_ORIGINS`.
        """
        call = make_call(
            "POST",
            "/v1/auth/sign-in/sso",
            options,
            body_type=t.SignInWithOrganizationBody,
            body={
                "email": email,
                "identityProviderId": identity_provider_id,
                "organizationId": organization_id,
                "callbackURL": callback_u_r_l,
                "errorCallbackURL": error_callback_u_r_l,
            },
        )
        return await self._transport.json(call, t.SignInWithProviderAnswer)

    async def sign_in_with_passkey(
        self,
        *,
        credential: t.SignInWithPasskeyBodyCredential | Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> t.Session:
        """Sign in with a passkey. Takes the answer of the browser, as `toJSON()` writes it. No second
        factor is required, because the device has verified the person. Every failure has the same answer.
        (`POST /v1/auth/sign-in/passkey`)"""
        call = make_call(
            "POST",
            "/v1/auth/sign-in/passkey",
            options,
            body_type=t.SignInWithPasskeyBody,
            body={"credential": credential},
        )
        return await self._transport.json(call, t.Session)

    async def sign_in_with_provider(
        self,
        *,
        provider: t.SignInWithProviderBodyProvider,
        callback_u_r_l: str,
        error_callback_u_r_l: str | Omit = OMIT,
        invitation_token: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.SignInWithProviderAnswer:
        """Sign in with an identity provider. Redirect the browser to `authUrl`; the provider sends it
        back, and it arrives at `callbackURL` with a session cookie. Sets a cookie that binds the flow to
        this browser. (`POST /v1/auth/sign-in/social`)

        Args:
            provider: The identity provider.
            callback_u_r_l: An absolute URL on one of `ALLOWED_ORIGINS`.
            error_callback_u_r_l: An absolute URL on one of `ALLOWED_ORIGINS`.
            invitation_token: The secret of an invitation link, which follows `?token=`. It proves that the
                person reads the mailbox.
        """
        call = make_call(
            "POST",
            "/v1/auth/sign-in/social",
            options,
            body_type=t.SignInWithProviderBody,
            body={
                "provider": provider,
                "callbackURL": callback_u_r_l,
                "errorCallbackURL": error_callback_u_r_l,
                "invitationToken": invitation_token,
            },
        )
        return await self._transport.json(call, t.SignInWithProviderAnswer)

    async def sign_in_with_second_factor(
        self,
        *,
        code: str | Omit = OMIT,
        recovery_code: str | Omit = OMIT,
        passkey: t.SignInWithSecondFactorBodyPasskey | Mapping[str, Any] | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.SignInWithSecondFactorAnswer:
        """Complete a sign-in with a second factor. After a sign-in answered `UNAUTHORIZED` with `reason:
        second_factor_required`, in the same browser, within 10 minutes and five tries. `{ code }` of an
        authenticator app, `{ recoveryCode }`, or `{ passkey }`; each is valid once. (`POST
        /v1/auth/sign-in/second-factor`)

        Args:
            code: The six digits of an authenticator app.
            recovery_code: One of the recovery codes, with or without hyphens.
            passkey: The answer of the browser to the options, as `toJSON()` writes it.
        """
        call = make_call(
            "POST",
            "/v1/auth/sign-in/second-factor",
            options,
            body_type=t.SignInWithSecondFactorBody,
            body={"code": code, "recoveryCode": recovery_code, "passkey": passkey},
        )
        return await self._transport.json(call, t.SignInWithSecondFactorAnswer)

    async def sign_out(
        self,
        *,
        callback_u_r_l: str | None = None,
        **options: Unpack[CallOptions],
    ) -> t.SignOutAnswer:
        """End the session. Idempotent: without a session it also succeeds. If an identity provider with
        `endsProviderSession` began the session, the answer has `redirectTo`: send the browser there, and
        the session at the provider also ends. The browser then returns to `callbackURL`, or to a page that
        confirms the sign-out. (`POST /v1/auth/sign-out`)

        Args:
            callback_u_r_l: An absolute URL on one of `ALLOWED_ORIGINS`.
        """
        call = make_call("POST", "/v1/auth/sign-out", options, query={"callbackURL": callback_u_r_l})
        return await self._transport.json(call, t.SignOutAnswer)

    async def sign_out_for_application(
        self,
        *,
        id_token_hint: str | Omit = OMIT,
        client_id: str | Omit = OMIT,
        post_logout_redirect_uri: str | Omit = OMIT,
        state: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.SignOutForApplicationAnswer:
        """End the session at the request of an application. For the page that `/oauth/logout` leads to,
        with the parameters of that request. Idempotent: without a session it succeeds too. (`POST
        /v1/auth/sign-out/application`)

        Args:
            id_token_hint: `id_token_hint` of the request.
            client_id: `client_id` of the request.
            post_logout_redirect_uri: `post_logout_redirect_uri` of the request.
            state: `state` of the request, returned to the application.
        """
        call = make_call(
            "POST",
            "/v1/auth/sign-out/application",
            options,
            body_type=t.SignOutForApplicationBody,
            body={
                "idTokenHint": id_token_hint,
                "clientId": client_id,
                "postLogoutRedirectUri": post_logout_redirect_uri,
                "state": state,
            },
        )
        return await self._transport.json(call, t.SignOutForApplicationAnswer)

    async def sign_up(
        self,
        *,
        first_name: str,
        last_name: str,
        email: str,
        password: str,
        terms_accepted: Literal[True],
        invitation_token: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.SignUpWithEmailAnswer:
        """Sign up with an invited address. With the `invitationToken` of the mail the sign-up completes at
        once. Without it the account stays inactive until the address is confirmed by the mail that is
        sent. (`POST /v1/auth/sign-up/email`)

        Args:
            first_name: Given name, which others in the organization see.
            last_name: Family name, which others in the organization see.
            email: An e-mail address.
            password: 8 to 256 characters, none of the well-known passwords.
            terms_accepted: Must be true.
            invitation_token: The secret of an invitation link, which follows `?token=`. It proves that the
                person reads the mailbox.
        """
        call = make_call(
            "POST",
            "/v1/auth/sign-up/email",
            options,
            body_type=t.SignUpWithEmailBody,
            body={
                "firstName": first_name,
                "lastName": last_name,
                "email": email,
                "password": password,
                "termsAccepted": terms_accepted,
                "invitationToken": invitation_token,
            },
        )
        return await self._transport.json(call, t.SignUpWithEmailAnswer)

    async def signing_keys(self, **options: Unpack[CallOptions]) -> t.ListSigningKeysAnswer:
        """The public keys of the JWTs. (`GET /v1/auth/jwks`)"""
        call = make_call("GET", "/v1/auth/jwks", options)
        return await self._transport.json(call, t.ListSigningKeysAnswer)

    async def start_passkey_factor(self, **options: Unpack[CallOptions]) -> t.StartPasskeyFactorAnswer:
        """Start to use a passkey as a second factor. In the browser whose sign-in waits. (`POST
        /v1/auth/sign-in/second-factor/options`)"""
        call = make_call("POST", "/v1/auth/sign-in/second-factor/options", options)
        return await self._transport.json(call, t.StartPasskeyFactorAnswer)

    async def start_passkey_sign_in(self, **options: Unpack[CallOptions]) -> t.StartPasskeyFactorAnswer:
        """Begin to sign in with a passkey. The browser offers the passkeys that it has for this server.
        Sets a cookie that binds the answer to this browser. (`POST /v1/auth/sign-in/passkey/options`)"""
        call = make_call("POST", "/v1/auth/sign-in/passkey/options", options)
        return await self._transport.json(call, t.StartPasskeyFactorAnswer)

    async def start_passkey_step_up(self, **options: Unpack[CallOptions]) -> t.StartPasskeyFactorAnswer:
        """Start to use a passkey again. (`POST /v1/auth/step-up/options`)"""
        call = make_call("POST", "/v1/auth/step-up/options", options)
        return await self._transport.json(call, t.StartPasskeyFactorAnswer)

    async def step_up(
        self,
        *,
        code: str | Omit = OMIT,
        recovery_code: str | Omit = OMIT,
        passkey: t.SignInWithSecondFactorBodyPasskey | Mapping[str, Any] | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.VerifySecondFactorAnswer:
        """Use a second factor again. Dangerous operations require a second factor within the last 10
        minutes, and answer `FORBIDDEN` with `reason: step_up_required` without one. JWTs of the session
        need not be renewed. (`POST /v1/auth/step-up`)

        Args:
            code: The six digits of an authenticator app.
            recovery_code: One of the recovery codes, with or without hyphens.
            passkey: The answer of the browser to the options, as `toJSON()` writes it.
        """
        call = make_call(
            "POST",
            "/v1/auth/step-up",
            options,
            body_type=t.SignInWithSecondFactorBody,
            body={"code": code, "recoveryCode": recovery_code, "passkey": passkey},
        )
        return await self._transport.json(call, t.VerifySecondFactorAnswer)

    async def token(
        self,
        *,
        organization_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> t.CreatedToken:
        """Exchange the session for a JWT. For the requested organization, by default the one that the
        account joined first. The token names the role (`role`, also as the only item of `roles`) and its
        permissions (`permissions`). (`GET /v1/auth/token`)

        Args:
            organization_id: Starts with `org_`, which may be left out.
        """
        call = make_call("GET", "/v1/auth/token", options, query={"organizationId": organization_id})
        return await self._transport.json(call, t.CreatedToken)

    async def verify_email(
        self,
        *,
        token: str,
        password: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.Session:
        """Confirm the address of a sign-up. `{ token }` in the browser that signed up, `{ token, password
        }` in any other: there, without the password, the answer is `MISSING_REQUIRED_FIELD`. (`POST
        /v1/auth/verify-email`)

        Args:
            token: The secret of the confirmation link, which follows `?token=`. It works once.
            password: The password of the sign-up. Required in every browser except the one that signed up.
        """
        call = make_call(
            "POST",
            "/v1/auth/verify-email",
            options,
            body_type=t.VerifyEmailBody,
            body={"token": token, "password": password},
        )
        return await self._transport.json(call, t.Session)

    async def well_known_signing_keys(self, **options: Unpack[CallOptions]) -> t.ListSigningKeysAnswer:
        """The public keys of the JWTs. (`GET /.well-known/jwks.json`)"""
        call = make_call("GET", "/.well-known/jwks.json", options)
        return await self._transport.json(call, t.ListSigningKeysAnswer)


class AsyncBilling:
    """The methods of `billing`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def balance(self, **options: Unpack[CallOptions]) -> t.Balance:
        """Read the balance. Scope: `billing:read`. (`GET /v1/billing/balance`)"""
        call = make_call("GET", "/v1/billing/balance", options)
        return await self._transport.json(call, t.Balance)

    async def checkout(
        self,
        *,
        credits: int | Omit = OMIT,
        plan: t.CreateCheckoutBodyPlan | Omit = OMIT,
        return_url: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.CreatedCheckout:
        """Begin a checkout. For either credits or a plan. The payment is made at `checkoutUrl`. The
        credits or the plan are granted after the payment, and every process knows a new plan within 5
        seconds; a free checkout takes effect at once. Scope: `billing:write`. (`POST
        /v1/billing/checkout`)

        Args:
            credits: The number of credits to buy, in whole packs; not together with `plan`.
            plan: The new plan; not together with `credits`.
            return_url: An absolute URL on one of `ALLOWED_ORIGINS`.
        """
        call = make_call(
            "POST",
            "/v1/billing/checkout",
            options,
            body_type=t.CreateCheckoutBody,
            body={"credits": credits, "plan": plan, "returnUrl": return_url},
            once=True,
        )
        return await self._transport.json(call, t.CreatedCheckout)

    def ledger(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        action: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.LedgerEntry]:
        """List the entries of the ledger. Scope: `billing:read`. (`GET /v1/billing/ledger`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            since: Only what happened at or after this moment.
            until: Only what happened before this moment.
            action: Only entries of this action.
        """
        call = make_call(
            "GET",
            "/v1/billing/ledger",
            options,
            query={
                "limit": limit,
                "cursor": cursor,
                "since": since,
                "until": until,
                "action": action,
            },
        )
        return self._transport.pages(call, t.LedgerEntry)

    def ledger_days(
        self,
        *,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.LedgerDay]:
        """Sum up the ledger by day. The days (UTC) from `since` to `until`, oldest first, also days
        without entries; by default the last 30, 366 at most. Scope: `billing:read`. (`GET
        /v1/billing/ledger/daily`)

        Args:
            since: Only what happened at or after this moment.
            until: Only what happened before this moment.
        """
        call = make_call("GET", "/v1/billing/ledger/daily", options, query={"since": since, "until": until})
        return self._transport.pages(call, t.LedgerDay)

    def plans(self, **options: Unpack[CallOptions]) -> AsyncPages[t.Plan]:
        """List the plans, the prices and the modules. A limit of `null` is none; a price of `null` is not
        for sale. Scope: `billing:read`. (`GET /v1/billing/plans`)"""
        call = make_call("GET", "/v1/billing/plans", options)
        return self._transport.pages(call, t.Plan)

    async def read_checkout(self, id: str, **options: Unpack[CallOptions]) -> t.Checkout:
        """Read a checkout. Scope: `billing:read`. (`GET /v1/billing/checkout/{id}`)"""
        call = make_call("GET", "/v1/billing/checkout/{id}", options, places={"id": id})
        return await self._transport.json(call, t.Checkout)

    async def receive_stripe_event(self, **options: Unpack[CallOptions]) -> t.ReceiveStripeEventAnswer:
        """Hear of a payment from Stripe. Only for Stripe: the body must have its signature. The route does
        not exist without `STRIPE_SECRET_KEY`. (`POST /v1/billing/stripe`)"""
        call = make_call("POST", "/v1/billing/stripe", options)
        return await self._transport.json(call, t.ReceiveStripeEventAnswer)


class AsyncCaptures:
    """The methods of `captures`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def deliver(
        self,
        id: str,
        capture_id: str,
        **options: Unpack[CallOptions],
    ) -> t.DeliverCaptureAnswer:
        """Deliver a captured call after all. Each request makes a new event, with the returned `id`, and
        delivers it; requests with the same `Idempotency-Key` make one. Scope: `captures:write`. (`POST
        /v1/webhooks/{id}/test/captures/{captureId}/deliver`)"""
        call = make_call(
            "POST",
            "/v1/webhooks/{id}/test/captures/{captureId}/deliver",
            options,
            places={"id": id, "captureId": capture_id},
            once=True,
        )
        return await self._transport.json(call, t.DeliverCaptureAnswer)

    def list(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.Capture]:
        """List captured calls. Scope: `captures:read`. (`GET /v1/webhooks/{id}/test/captures`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call(
            "GET",
            "/v1/webhooks/{id}/test/captures",
            options,
            places={"id": id},
            query={"limit": limit, "cursor": cursor},
        )
        return self._transport.pages(call, t.Capture)

    async def start(self, id: str, **options: Unpack[CallOptions]) -> t.OpenCaptureWindowAnswer:
        """Open a capture window. For the next call to the inbound path. A window that is open already is
        the answer. Scope: `captures:write`. (`POST /v1/webhooks/{id}/test/start`)"""
        call = make_call("POST", "/v1/webhooks/{id}/test/start", options, places={"id": id})
        return await self._transport.json(call, t.OpenCaptureWindowAnswer)

    async def stop(self, id: str, **options: Unpack[CallOptions]) -> t.CheckLivenessAnswer:
        """Close the capture window. Idempotent: without an open window it succeeds too. Scope:
        `captures:write`. (`POST /v1/webhooks/{id}/test/stop`)"""
        call = make_call("POST", "/v1/webhooks/{id}/test/stop", options, places={"id": id})
        return await self._transport.json(call, t.CheckLivenessAnswer)


class AsyncConnections:
    """The methods of `connections`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def authorize(
        self,
        *,
        provider: str,
        redirect_url: str,
        **options: Unpack[CallOptions],
    ) -> t.SignInWithProviderAnswer:
        """Connect an account at a provider. Redirect the browser to `authUrl`; it arrives at `redirectUrl`
        with `connectionId`, or with `error` and `error_description`. Sets a cookie that binds the flow to
        this browser. Scope: `connections:write`. (`POST /v1/connections/oauth/authorize`)

        Args:
            provider: A provider that the operator configured.
            redirect_url: An absolute URL on one of `ALLOWED_ORIGINS`.
        """
        call = make_call(
            "POST",
            "/v1/connections/oauth/authorize",
            options,
            body_type=t.AuthorizeConnectionBody,
            body={"provider": provider, "redirectUrl": redirect_url},
        )
        return await self._transport.json(call, t.SignInWithProviderAnswer)

    async def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """End a connection. Nothing can use its tokens from here on. They are revoked at the provider,
        where it has a revocation endpoint, right after the answer; a provider that does not answer is
        asked again for 24 hours. Scope: `connections:write`. (`DELETE /v1/connections/{id}`)"""
        call = make_call("DELETE", "/v1/connections/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    async def fetch(
        self,
        id: str,
        *,
        method: t.FetchThroughConnectionBodyMethod,
        url: str,
        headers: Mapping[str, str] | Omit = OMIT,
        body: str | Mapping[str, Any] | Sequence[Any] | Omit = OMIT,
        body_encoding: t.FetchThroughConnectionAnswerBodyEncoding | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.FetchThroughConnectionAnswer:
        """Call the provider's API. Adds the token of the connection, which is first refreshed if it has
        expired. Redirects are not followed. The API’s answer is returned, except for 401, 429 and 5xx.
        Scope: `connections:use`. (`POST /v1/connections/{id}/fetch`)

        Args:
            method: Method of the call; `GET` and `HEAD` have no body.
            url: An absolute URL on one of the provider's `apiHosts`.
            headers: Headers of the call. `Authorization` is set by the server and refused here.
            body: A text that is sent unchanged, or an object or list that is sent as JSON.
            body_encoding: The encoding of a text in `body`.
        """
        call = make_call(
            "POST",
            "/v1/connections/{id}/fetch",
            options,
            places={"id": id},
            body_type=t.FetchThroughConnectionBody,
            body={
                "method": method,
                "url": url,
                "headers": headers,
                "body": body,
                "bodyEncoding": body_encoding,
            },
        )
        return await self._transport.json(call, t.FetchThroughConnectionAnswer)

    async def finish(
        self,
        provider: str,
        *,
        state: str | None = None,
        code: str | None = None,
        iss: str | None = None,
        error: str | None = None,
        **options: Unpack[CallOptions],
    ) -> httpx.Response:
        """Return from a provider. Called by the provider. Redirects to the `redirectUrl` with
        `connectionId`, or with `error` and `error_description`. (`GET
        /v1/connections/oauth/callback/{provider}`)

        Args:
            state: What was sent along when the browser left; it works once.
            code: What the identity provider or the catalogue calls it.
            iss: The issuer that the answer comes from (RFC 9207).
            error: What the provider answers instead of a code.
        """
        call = make_call(
            "GET",
            "/v1/connections/oauth/callback/{provider}",
            options,
            places={"provider": provider},
            query={"state": state, "code": code, "iss": iss, "error": error},
        )
        return await self._transport.response(call)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.Connection]:
        """List connections. Scope: `connections:read`. (`GET /v1/connections`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call("GET", "/v1/connections", options, query={"limit": limit, "cursor": cursor})
        return self._transport.pages(call, t.Connection)

    def providers(self, **options: Unpack[CallOptions]) -> AsyncPages[t.ConnectionProvider]:
        """List the providers that can be connected to. Scope: `connections:read`. (`GET
        /v1/connections/providers`)"""
        call = make_call("GET", "/v1/connections/providers", options)
        return self._transport.pages(call, t.ConnectionProvider)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.Connection:
        """Read a connection. Scope: `connections:read`. (`GET /v1/connections/{id}`)"""
        call = make_call("GET", "/v1/connections/{id}", options, places={"id": id})
        return await self._transport.json(call, t.Connection)

    async def refresh(self, id: str, **options: Unpack[CallOptions]) -> t.RefreshConnectionAnswer:
        """Refresh a connection's token. Calls at the same time make one request to the provider, and all
        get its result. Scope: `connections:write`. (`POST /v1/connections/{id}/refresh`)"""
        call = make_call("POST", "/v1/connections/{id}/refresh", options, places={"id": id})
        return await self._transport.json(call, t.RefreshConnectionAnswer)


class AsyncConversations:
    """The methods of `conversations`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, *, title: str | Omit = OMIT, **options: Unpack[CallOptions]) -> t.Conversation:
        """Begin a conversation. Its runs read the earlier messages, and take turns. Scope:
        `conversations:write`. (`POST /v1/conversations`)

        Args:
            title: The title of the conversation.
        """
        call = make_call(
            "POST",
            "/v1/conversations",
            options,
            body_type=t.CreateConversationBody,
            body={"title": title},
            once=True,
        )
        return await self._transport.json(call, t.Conversation)

    async def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Delete a conversation. Also deletes its messages, and cancels its runs that have not ended.
        Scope: `conversations:write`. (`DELETE /v1/conversations/{id}`)"""
        call = make_call("DELETE", "/v1/conversations/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.Conversation]:
        """List conversations. Members get their own, administrators all. Scope: `conversations:read`.
        (`GET /v1/conversations`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call("GET", "/v1/conversations", options, query={"limit": limit, "cursor": cursor})
        return self._transport.pages(call, t.Conversation)

    def messages(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.Message]:
        """List the messages of a conversation. Newest first. Scope: `conversations:read`. (`GET
        /v1/conversations/{id}/messages`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call(
            "GET",
            "/v1/conversations/{id}/messages",
            options,
            places={"id": id},
            query={"limit": limit, "cursor": cursor},
        )
        return self._transport.pages(call, t.Message)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.Conversation:
        """Read a conversation. Scope: `conversations:read`. (`GET /v1/conversations/{id}`)"""
        call = make_call("GET", "/v1/conversations/{id}", options, places={"id": id})
        return await self._transport.json(call, t.Conversation)


class AsyncDeliveries:
    """The methods of `deliveries`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: str | None = None,
        webhook_id: str | None = None,
        event_id: str | None = None,
        event_type: str | None = None,
        status_code: str | None = None,
        error_class: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.DeliveryItem]:
        """List the deliveries of the organization. Newest first, of all webhooks, also deleted ones. A
        page reads up to 20,000 deliveries: with a rare filter it may have fewer than `limit`, or none, and
        `nextCursor` continues. Scope: `deliveries:read`. (`GET /v1/deliveries`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            status: One or several of: pending, held, delivered, failed; with a comma between two.
            webhook_id: Starts with `whk_`, which may be left out.
            event_id: Starts with `evt_`, which may be left out.
            event_type: Only those of this event type.
            status_code: The status of the last attempt’s answer: one status, or a class such as `5xx`.
            error_class: One or several of: timeout, dns, refused, reset, tls, invalid_answer,
                blocked_address, http_3xx, http_4xx, http_5xx, http_other; with a comma between two.
            since: Only what happened at or after this moment.
            until: Only what happened before this moment.
        """
        call = make_call(
            "GET",
            "/v1/deliveries",
            options,
            query={
                "limit": limit,
                "cursor": cursor,
                "status": status,
                "webhookId": webhook_id,
                "eventId": event_id,
                "eventType": event_type,
                "statusCode": status_code,
                "errorClass": error_class,
                "since": since,
                "until": until,
            },
        )
        return self._transport.pages(call, t.DeliveryItem)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.Delivery:
        """Read a delivery with all its attempts. Scope: `deliveries:read`. (`GET /v1/deliveries/{id}`)"""
        call = make_call("GET", "/v1/deliveries/{id}", options, places={"id": id})
        return await self._transport.json(call, t.Delivery)

    async def retry(self, id: str, **options: Unpack[CallOptions]) -> t.WebhookDelivery:
        """Make a delivery again. An ended delivery is made again as a new one with the full schedule. A
        waiting delivery is attempted now. Scope: `deliveries:write`. (`POST /v1/deliveries/{id}/retry`)"""
        call = make_call("POST", "/v1/deliveries/{id}/retry", options, places={"id": id}, once=True)
        return await self._transport.json(call, t.WebhookDelivery)

    @overload
    async def retry_all(
        self,
        *,
        status: str | Omit = OMIT,
        webhook_id: str | Omit = OMIT,
        event_id: str | Omit = OMIT,
        event_type: str | Omit = OMIT,
        status_code: str | Omit = OMIT,
        error_class: str | Omit = OMIT,
        since: datetime | str | Omit = OMIT,
        until: datetime | str | Omit = OMIT,
        ids: Sequence[str] | Omit = OMIT,
        dry_run: Literal[False] | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.Replay: ...

    @overload
    async def retry_all(
        self,
        *,
        dry_run: Literal[True],
        status: str | Omit = OMIT,
        webhook_id: str | Omit = OMIT,
        event_id: str | Omit = OMIT,
        event_type: str | Omit = OMIT,
        status_code: str | Omit = OMIT,
        error_class: str | Omit = OMIT,
        since: datetime | str | Omit = OMIT,
        until: datetime | str | Omit = OMIT,
        ids: Sequence[str] | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.ReplayTrial: ...

    async def retry_all(
        self,
        *,
        status: str | Omit = OMIT,
        webhook_id: str | Omit = OMIT,
        event_id: str | Omit = OMIT,
        event_type: str | Omit = OMIT,
        status_code: str | Omit = OMIT,
        error_class: str | Omit = OMIT,
        since: datetime | str | Omit = OMIT,
        until: datetime | str | Omit = OMIT,
        ids: Sequence[str] | Omit = OMIT,
        dry_run: bool | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.ReplayTrial | t.Replay:
        """Try deliveries now. Waiting deliveries are attempted now, and failed ones are made again, as by
        a replay. The filter is that of the list of deliveries; without one it takes all deliveries that
        were not delivered. The result is a replay with the filter `pending`, `failed` or `undelivered`,
        and its progress. Scope: `deliveries:write`. (`POST /v1/deliveries/retry`)

        Args:
            status: One or several of: pending, failed; with a comma between two.
            webhook_id: Starts with `whk_`, which may be left out.
            event_id: Starts with `evt_`, which may be left out.
            event_type: Only deliveries of events of this type.
            status_code: The status of the last attempt’s answer: one status, or a class such as `5xx`.
            error_class: One or several of: timeout, dns, refused, reset, tls, invalid_answer,
                blocked_address, http_3xx, http_4xx, http_5xx, http_other; with a comma between two.
            since: Only deliveries made at or after this moment.
            until: Only deliveries made before this moment.
            ids: Only these. Ids of deliveries of others, or that were removed, are ignored.
            dry_run: Only counts the deliveries; nothing is changed.
        """
        call = make_call(
            "POST",
            "/v1/deliveries/retry",
            options,
            body_type=t.RetryDeliveriesBody,
            body={
                "status": status,
                "webhookId": webhook_id,
                "eventId": event_id,
                "eventType": event_type,
                "statusCode": status_code,
                "errorClass": error_class,
                "since": since,
                "until": until,
                "ids": ids,
                "dryRun": dry_run,
            },
            once=True,
        )
        return cast("t.ReplayTrial | t.Replay", await self._transport.json(call, t.ReplayTrial if dry_run is True else t.Replay))

    async def stats(
        self,
        *,
        window: str | None = None,
        bucket: str | None = None,
        webhook_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> t.DeliveryStats:
        """Read how deliveries fare over time. Deliveries by the time of their creation and their outcome,
        in at most 200 buckets; the last ends with the current minute (windows up to 4 h), quarter of an
        hour (up to 95 h) or hour, in UTC. Counts are exact, and written with the deliveries: each counts
        at the time when it was made, as pending until it is delivered or has failed. A retry by hand and a
        replay make new deliveries. Samples count. Pending deliveries of a deleted webhook count as failed.
        Scope: `deliveries:read`. (`GET /v1/stats/deliveries`)

        Args:
            window: How far to look back: minutes, hours or days, such as `90m`, `24h` or `7d`.
            bucket: `1h` unless said, and `1d` where that would be more than 200; quarters of an hour where
                the window is longer than 4 h, hours where it is longer than 95 h.
            webhook_id: Starts with `whk_`, which may be left out.
        """
        call = make_call(
            "GET",
            "/v1/stats/deliveries",
            options,
            query={"window": window, "bucket": bucket, "webhookId": webhook_id},
        )
        return await self._transport.json(call, t.DeliveryStats)


class AsyncDocuments:
    """The methods of `documents`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def chunks(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        from_: int | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.DocumentChunk]:
        """List the passages of a document. The passages that searches find, in the order of the text; none
        before it was indexed. A cursor is valid until the document is indexed again. Scope:
        `knowledge:read`. (`GET /v1/documents/{id}/chunks`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            from_: Only passages from this position on; the number at the end of a `chunkId` is one.
        """
        call = make_call(
            "GET",
            "/v1/documents/{id}/chunks",
            options,
            places={"id": id},
            query={"limit": limit, "cursor": cursor, "from": from_},
        )
        return self._transport.pages(call, t.DocumentChunk)

    async def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Delete a document. In any state: searches no longer find it. Its file stays. Scope:
        `documents:write`. (`DELETE /v1/documents/{id}`)"""
        call = make_call("DELETE", "/v1/documents/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    async def index(self, id: str, **options: Unpack[CallOptions]) -> t.Document:
        """Index a document again. Searches find the new chunks at its end, all at once. A document that is
        currently being indexed is not indexed twice; a document whose file is being read is indexed after
        that. `Prefer: wait=N` waits up to 30 seconds for the end of it. Scope: `documents:write`. (`POST
        /v1/documents/{id}/index`)"""
        call = make_call("POST", "/v1/documents/{id}/index", options, places={"id": id})
        return await self._transport.json(call, t.Document)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.Document:
        """Read a document. Scope: `knowledge:read`. (`GET /v1/documents/{id}`)"""
        call = make_call("GET", "/v1/documents/{id}", options, places={"id": id})
        return await self._transport.json(call, t.Document)

    async def replace(
        self,
        id: str,
        *,
        text: str | Omit = OMIT,
        file_id: str | Omit = OMIT,
        name: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.Document:
        """Replace a document. With a text, or with a file, which may still be in processing. The id stays.
        Searches find the old content until the new one is indexed, and also if that fails; until then
        `replacement` describes the new content. Of several replacements the last one counts. A replacement
        with the current content and name changes nothing, and withdraws a replacement that is not indexed
        yet. `Prefer: wait=N` waits up to 30 seconds for the end of it. Scope: `documents:write`, with
        `fileId` `files:read`. (`PUT /v1/documents/{id}`)

        Args:
            text: Passages are returned with the Markdown heading above them.
            file_id: Starts with `fil_`, which may be left out.
            name: The name of the document. Default: the name of the file.
        """
        call = make_call(
            "PUT",
            "/v1/documents/{id}",
            options,
            places={"id": id},
            body_type=t.AddDocumentBody,
            body={"text": text, "fileId": file_id, "name": name},
            once=True,
        )
        return await self._transport.json(call, t.Document)

    async def text(
        self,
        id: str,
        *,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> t.DocumentText:
        """Read the text of a document. In pages, which together are the text. For a document of a file it
        is the text of that file; for a failed file without a text the answer is the code of the failure.
        While a replacement is being indexed, it is the text that searches find. A cursor is valid until
        searches find another text, or the file is read again. Scope: `knowledge:read`. (`GET
        /v1/documents/{id}/text`)

        Args:
            cursor: The `nextCursor` of the previous page. It is refused after another text has replaced
                this one.
        """
        call = make_call(
            "GET",
            "/v1/documents/{id}/text",
            options,
            places={"id": id},
            query={"cursor": cursor},
        )
        return await self._transport.json(call, t.DocumentText)


class AsyncDomains:
    """The methods of `domains`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, *, name: str, **options: Unpack[CallOptions]) -> t.Domain:
        """Claim a domain. The answer names a TXT record: publish it, then call `POST
        /v1/domains/{id}/verify`. Until then the domain gives nothing. Any number of organizations may
        claim a domain, and one may prove it. An organization may claim 50. Scope: `sign_in:write`. (`POST
        /v1/domains`)

        Args:
            name: The part of addresses after the `@`, in any script.
        """
        call = make_call(
            "POST",
            "/v1/domains",
            options,
            body_type=t.CreateDomainBody,
            body={"name": name},
            once=True,
        )
        return await self._transport.json(call, t.Domain)

    async def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Give a domain up. Ends its proof: another organization may prove it from then on. Scope:
        `sign_in:write`. (`DELETE /v1/domains/{id}`)"""
        call = make_call("DELETE", "/v1/domains/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def list(self, **options: Unpack[CallOptions]) -> AsyncPages[t.Domain]:
        """List domains. All domains, oldest first. Scope: `sign_in:read`. (`GET /v1/domains`)"""
        call = make_call("GET", "/v1/domains", options)
        return self._transport.pages(call, t.Domain)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.Domain:
        """Read a domain. Scope: `sign_in:read`. (`GET /v1/domains/{id}`)"""
        call = make_call("GET", "/v1/domains/{id}", options, places={"id": id})
        return await self._transport.json(call, t.Domain)

    async def verify(self, id: str, **options: Unpack[CallOptions]) -> t.Domain:
        """Look the record of a domain up. Looks the record up now. The answer is the domain after that:
        `verified`, or unchanged with a `reason`. A domain that another organization has proven is
        `DUPLICATE`. A proven domain is checked every six hours; after its record has been missing for
        seven days, the proof is lost. Scope: `sign_in:write`. (`POST /v1/domains/{id}/verify`)"""
        call = make_call("POST", "/v1/domains/{id}/verify", options, places={"id": id})
        return await self._transport.json(call, t.Domain)


class AsyncErrors:
    """The methods of `errors`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, **options: Unpack[CallOptions]) -> AsyncPages[t.CatalogueEntry]:
        """List the error catalogue. (`GET /v1/errors`)"""
        call = make_call("GET", "/v1/errors", options)
        return self._transport.pages(call, t.CatalogueEntry)

    async def read(self, code: str, **options: Unpack[CallOptions]) -> t.CatalogueEntry:
        """Read one error code. The `docUrl` of each error leads here. A request that prefers `text/html`,
        such as that of a browser, gets a page. (`GET /v1/errors/{code}`)"""
        call = make_call("GET", "/v1/errors/{code}", options, places={"code": code})
        return await self._transport.json(call, t.CatalogueEntry)


class AsyncEventTypes:
    """The methods of `event_types`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        name: str,
        description: str | Omit = OMIT,
        schema: Mapping[str, Any] | Omit = OMIT,
        example: Mapping[str, Any] | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.EventType:
        """Make an event type. Data published under it is checked against `schema`, a JSON Schema without
        `pattern`, `uniqueItems` and `$ref` that costs little to check. Scope: `event_types:write`. (`POST
        /v1/event-types`)

        Args:
            name: The name for publications and subscriptions, such as `order.paid`.
            description: The fact that such an event reports.
            schema: JSON Schema for `data`. Default: any data is accepted.
            example: Must fit the schema; `{}` where it is left out.
        """
        call = make_call(
            "POST",
            "/v1/event-types",
            options,
            body_type=t.CreateEventTypeBody,
            body={"name": name, "description": description, "schema": schema, "example": example},
            once=True,
        )
        return await self._transport.json(call, t.EventType)

    async def delete(self, type: str, **options: Unpack[CallOptions]) -> None:
        """Delete an event type. No more events of the type can be published. Published events stay, and
        are delivered, retried and replayed as before; webhooks that subscribe to the type keep it in their
        lists, and get its events again if it is made again. Scope: `event_types:write`. (`DELETE
        /v1/event-types/{type}`)"""
        call = make_call("DELETE", "/v1/event-types/{type}", options, places={"type": type})
        await self._transport.nothing(call)

    def list(self, **options: Unpack[CallOptions]) -> AsyncPages[t.EventTypeItem]:
        """List event types. Scope: `event_types:read`. (`GET /v1/event-types`)"""
        call = make_call("GET", "/v1/event-types", options)
        return self._transport.pages(call, t.EventTypeItem)

    async def read(self, type: str, **options: Unpack[CallOptions]) -> t.EventType:
        """Read an event type. Scope: `event_types:read`. (`GET /v1/event-types/{type}`)"""
        call = make_call("GET", "/v1/event-types/{type}", options, places={"type": type})
        return await self._transport.json(call, t.EventType)

    async def update(
        self,
        type: str,
        *,
        description: str | Omit = OMIT,
        schema: Mapping[str, Any] | Omit = OMIT,
        example: Mapping[str, Any] | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.EventType:
        """Change an event type. Later events are checked against the new `schema`; published events do not
        change, and are delivered, retried and replayed as before. Inform your receivers first, because
        they rely on the schema. Scope: `event_types:write`. (`PATCH /v1/event-types/{type}`)

        Args:
            description: The fact that such an event reports.
            schema: JSON Schema that `data` of each event is checked against.
            example: A value of `data` that fits the schema; tests of webhooks send it.
        """
        call = make_call(
            "PATCH",
            "/v1/event-types/{type}",
            options,
            places={"type": type},
            body_type=t.UpdateEventTypeBody,
            body={"description": description, "schema": schema, "example": example},
        )
        return await self._transport.json(call, t.EventType)


class AsyncEvents:
    """The methods of `events`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        type: str | None = None,
        id: str | None = None,
        actor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.EventItem]:
        """List events. Scope: `events:read`. (`GET /v1/events`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            since: Only what happened at or after this moment.
            until: Only what happened before this moment.
            type: Name of an event type, such as `order.paid`.
            id: An id, or its beginning.
            actor: The publisher: the id of an account or of a service account.
        """
        call = make_call(
            "GET",
            "/v1/events",
            options,
            query={
                "limit": limit,
                "cursor": cursor,
                "since": since,
                "until": until,
                "type": type,
                "id": id,
                "actor": actor,
            },
        )
        return self._transport.pages(call, t.EventItem)

    @overload
    async def publish(
        self,
        *,
        type: str,
        data: Mapping[str, Any],
        dry_run: Literal[False] | None = None,
        **options: Unpack[CallOptions],
    ) -> t.PublishEventAnswer: ...

    @overload
    async def publish(
        self,
        *,
        type: str,
        data: Mapping[str, Any],
        dry_run: Literal[True],
        **options: Unpack[CallOptions],
    ) -> t.PublishEventTrial: ...

    async def publish(
        self,
        *,
        type: str,
        data: Mapping[str, Any],
        dry_run: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> t.PublishEventTrial | t.PublishEventAnswer:
        """Publish an event. After the answer the event is on disk, with one delivery for each matching
        webhook: `deliveries` is their number. Scope: `events:write`, with `dryRun` `webhooks:read`. (`POST
        /v1/events`)

        Args:
            type: A registered event type: a built-in one, or one of `POST /v1/event-types`.
            data: The facts of the event. They are checked against the schema of the type, and delivered
                byte for byte.
            dry_run: Checks the event and names its webhooks; writes nothing.
        """
        call = make_call(
            "POST",
            "/v1/events",
            options,
            query={"dryRun": dry_run},
            body_type=t.PublishEventBody,
            body={"type": type, "data": data},
            once=True,
        )
        return cast("t.PublishEventTrial | t.PublishEventAnswer", await self._transport.json(call, t.PublishEventTrial if dry_run is True else t.PublishEventAnswer))

    async def publish_batch(
        self,
        *,
        events: Sequence[t.PublishEventBody | Mapping[str, Any]],
        **options: Unpack[CallOptions],
    ) -> t.PublishEventsAnswer:
        """Publish up to 1,000 events. Each event succeeds or fails independently; the answer has one
        result per event, in the same order: its `id` and `deliveries`, or its `error`. Scope:
        `events:write`. (`POST /v1/events/batch`)

        Args:
            events: Each succeeds or fails independently.
        """
        call = make_call(
            "POST",
            "/v1/events/batch",
            options,
            body_type=t.PublishEventsBody,
            body={"events": events},
            once=True,
        )
        return await self._transport.json(call, t.PublishEventsAnswer)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.Event:
        """Read an event. Scope: `events:read`. (`GET /v1/events/{id}`)"""
        call = make_call("GET", "/v1/events/{id}", options, places={"id": id})
        return await self._transport.json(call, t.Event)


class AsyncFactors:
    """The methods of `factors`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def add_passkey(
        self,
        *,
        credential: t.AddPasskeyBodyCredential | Mapping[str, Any],
        name: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.VerifyTotpAnswer:
        """Add a passkey. Takes the credential that the browser made, as `toJSON()` writes it. A passkey
        signs in alone, and is a second factor in every other sign-in. The first factor of an account
        creates ten recovery codes, which only this answer shows, and ends every other session. (`POST
        /v1/auth/factors/passkeys`)"""
        call = make_call(
            "POST",
            "/v1/auth/factors/passkeys",
            options,
            body_type=t.AddPasskeyBody,
            body={"name": name, "credential": credential},
        )
        return await self._transport.json(call, t.VerifyTotpAnswer)

    async def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Remove a second factor. Removing the last factor also ends the recovery codes. The last
        exception from a required sign-in cannot remove it (`FORBIDDEN`, `reason: last_exception`). The
        session must have shown a second factor within the last 10 minutes: else `FORBIDDEN` with `reason:
        step_up_required`. (`DELETE /v1/auth/factors/{id}`)"""
        call = make_call("DELETE", "/v1/auth/factors/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def list(self, **options: Unpack[CallOptions]) -> AsyncPages[t.Factor]:
        """List the second factors of the own account. (`GET /v1/auth/factors`)"""
        call = make_call("GET", "/v1/auth/factors", options)
        return self._transport.pages(call, t.Factor)

    async def rename(self, id: str, *, name: str, **options: Unpack[CallOptions]) -> t.Factor:
        """Rename a second factor. (`PATCH /v1/auth/factors/{id}`)

        Args:
            name: The name that the person gave it.
        """
        call = make_call(
            "PATCH",
            "/v1/auth/factors/{id}",
            options,
            places={"id": id},
            body_type=t.RenameFactorBody,
            body={"name": name},
        )
        return await self._transport.json(call, t.Factor)

    async def replace_recovery_codes(self, **options: Unpack[CallOptions]) -> t.ReplaceRecoveryCodesAnswer:
        """Make new recovery codes. Ten codes, each valid once, which only this answer shows; earlier codes
        end. Without a second factor the answer is `FORBIDDEN` with `reason: no_second_factor`. (`POST
        /v1/auth/recovery-codes`)"""
        call = make_call("POST", "/v1/auth/recovery-codes", options)
        return await self._transport.json(call, t.ReplaceRecoveryCodesAnswer)

    async def start_passkey(self, **options: Unpack[CallOptions]) -> t.StartPasskeyFactorAnswer:
        """Start to add a passkey. The browser makes the passkey with these options within 10 minutes.
        (`POST /v1/auth/factors/passkeys/options`)"""
        call = make_call("POST", "/v1/auth/factors/passkeys/options", options)
        return await self._transport.json(call, t.StartPasskeyFactorAnswer)

    async def start_totp(
        self,
        *,
        name: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.StartTotpAnswer:
        """Start to add an authenticator app. The app reads the secret from a QR code of `uri`, and shows a
        code, which `POST /v1/auth/factors/{id}/confirm` accepts within 30 minutes. Until then it is not a
        factor. The session must have shown a second factor within the last 10 minutes, or, if the account
        has none, have begun within them: else `FORBIDDEN` with `reason: step_up_required`. (`POST
        /v1/auth/factors/totp`)

        Args:
            name: The name of the app. Default: `Authenticator app`.
        """
        call = make_call(
            "POST",
            "/v1/auth/factors/totp",
            options,
            body_type=t.StartTotpBody,
            body={"name": name},
        )
        return await self._transport.json(call, t.StartTotpAnswer)

    async def verify_totp(self, id: str, *, code: str, **options: Unpack[CallOptions]) -> t.VerifyTotpAnswer:
        """Confirm an authenticator app by its first code. From then on every sign-in requires a second
        factor. The first factor of an account creates ten recovery codes, which only this answer shows,
        and ends every other session. (`POST /v1/auth/factors/{id}/confirm`)

        Args:
            code: The six digits that the app shows.
        """
        call = make_call(
            "POST",
            "/v1/auth/factors/{id}/confirm",
            options,
            places={"id": id},
            body_type=t.VerifyTotpBody,
            body={"code": code},
        )
        return await self._transport.json(call, t.VerifyTotpAnswer)


class AsyncFiles:
    """The methods of `files`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def content(self, id: str, **options: Unpack[CallOptions]) -> AsyncDownload:
        """Read the bytes of a file. Always as an attachment. `Range: bytes=…` requests one range, also
        with `If-Range`; `If-None-Match` gets 304 for an unchanged file. A whole answer with altered bytes
        breaks off before its end; a range is not checked. Scope: `files:read`. (`GET
        /v1/files/{id}/content`)"""
        call = make_call("GET", "/v1/files/{id}/content", options, places={"id": id})
        return await self._transport.download(call)

    async def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Delete a file. For its maker and administrators. Its bytes, its text and the documents that were
        made of it are deleted with it; a reading that is under way is ended, without an event. Scope:
        `files:write`. (`DELETE /v1/files/{id}`)"""
        call = make_call("DELETE", "/v1/files/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    async def fetch(
        self,
        *,
        url: str,
        name: str | Omit = OMIT,
        charset: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.StoredFile:
        """Fetch a file from a URL. The file is fetched before the answer: 20 seconds, 5 redirects and 64
        MiB at most, and from no private network except those of `FILES_ALLOWED_NETWORKS`. `details.reason`
        of `FETCH_FAILED` has the cause of a failure. Its text is read afterwards, like that of an upload.
        Scope: `files:write`. (`POST /v1/files/from-url`)

        Args:
            url: Where it is: http or https, at a public address, without credentials.
            name: Name of the file. Default: the last part of the URL.
            charset: The character encoding; it overrides that of the `Content-Type`.
        """
        call = make_call(
            "POST",
            "/v1/files/from-url",
            options,
            body_type=t.FetchFileBody,
            body={"url": url, "name": name, "charset": charset},
            once=True,
        )
        return await self._transport.json(call, t.StoredFile)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.StoredFile]:
        """List files. Scope: `files:read`. (`GET /v1/files`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call("GET", "/v1/files", options, query={"limit": limit, "cursor": cursor})
        return self._transport.pages(call, t.StoredFile)

    async def process(
        self,
        id: str,
        *,
        charset: str | None = None,
        **options: Unpack[CallOptions],
    ) -> t.StoredFile:
        """Read the text of a file again. During a reading no other one starts, and the `charset` of this
        request is not used. The earlier text stays until the new one replaces it. With `Prefer: wait=30`
        the answer is the outcome: 200 with the file, the code of the failure, or 202 if it takes longer.
        Scope: `files:write`. (`POST /v1/files/{id}/process`)

        Args:
            charset: The character encoding; it overrides that of the `Content-Type`.
        """
        call = make_call(
            "POST",
            "/v1/files/{id}/process",
            options,
            places={"id": id},
            query={"charset": charset},
            once=True,
        )
        return await self._transport.json(call, t.StoredFile)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.StoredFile:
        """Read a file. Scope: `files:read`. (`GET /v1/files/{id}`)"""
        call = make_call("GET", "/v1/files/{id}", options, places={"id": id})
        return await self._transport.json(call, t.StoredFile)

    async def text(self, id: str, *, cursor: str | None = None, **options: Unpack[CallOptions]) -> t.FileText:
        """Read the text of a file. In pages, which together are the text. A cursor is valid until the file
        is read again. For a failed file without a text the answer is the code of the failure. Scope:
        `files:read`. (`GET /v1/files/{id}/text`)

        Args:
            cursor: The `nextCursor` of the previous page. It is refused after another text has replaced
                this one.
        """
        call = make_call("GET", "/v1/files/{id}/text", options, places={"id": id}, query={"cursor": cursor})
        return await self._transport.json(call, t.FileText)

    async def upload(
        self,
        content: Content,
        *,
        name: str | None = None,
        charset: str | None = None,
        content_type: str | None = None,
        **options: Unpack[CallOptions],
    ) -> t.StoredFile:
        """Upload a file. The plain bytes with `Content-Type` and `?name=`, or `multipart/form-data` with
        one part `file`; 64 MiB at most, within 60 seconds. `Content-Digest` (RFC 9530, `sha-256`) is
        checked. Its text is read afterwards: with `Prefer: wait=N` the answer waits for that, 30 seconds
        at most. Scope: `files:write`. (`POST /v1/files`)

        Args:
            name: The name; where it is a filter, only names that hold it.
            charset: The character encoding; it overrides that of the `Content-Type`.
        """
        call = make_call(
            "POST",
            "/v1/files",
            options,
            query={"name": name, "charset": charset},
            content=content,
            content_type=content_type,
            once=True,
        )
        return await self._transport.json(call, t.StoredFile)


class AsyncGrants:
    """The methods of `grants`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def end(self, id: str, **options: Unpack[CallOptions]) -> None:
        """End the grant of a member to an application. Its access and refresh tokens end at once, also for
        open streams. Scope: `keys:write`. (`DELETE /v1/grants/{id}`)"""
        call = make_call("DELETE", "/v1/grants/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        account_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.OwnGrant]:
        """List the grants of members to applications. Scope: `keys:read`. (`GET /v1/grants`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            account_id: Starts with `acc_`, which may be left out.
        """
        call = make_call(
            "GET",
            "/v1/grants",
            options,
            query={"limit": limit, "cursor": cursor, "accountId": account_id},
        )
        return self._transport.pages(call, t.OwnGrant)


class AsyncHealth:
    """The methods of `health`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def live(self, **options: Unpack[CallOptions]) -> t.CheckLivenessAnswer:
        """Whether the process lives. (`GET /livez`)"""
        call = make_call("GET", "/livez", options)
        return await self._transport.json(call, t.CheckLivenessAnswer)

    async def metrics(self, **options: Unpack[CallOptions]) -> httpx.Response:
        """Prometheus metrics. (`GET /metrics`)"""
        call = make_call("GET", "/metrics", options)
        return await self._transport.response(call)

    async def ready(self, **options: Unpack[CallOptions]) -> t.CheckReadinessAnswer:
        """Whether the process should get traffic. (`GET /readyz`)"""
        call = make_call("GET", "/readyz", options)
        return await self._transport.json(call, t.CheckReadinessAnswer)


class AsyncIdentityProviders:
    """The methods of `identity_providers`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        kind: t.IdentityProviderKind,
        name: str,
        status: t.SessionUserOrganizationStatus | Omit = OMIT,
        oidc: t.CreateIdentityProviderBodyOidc | Mapping[str, Any] | Omit = OMIT,
        saml: t.CreateIdentityProviderBodySaml | Mapping[str, Any] | Omit = OMIT,
        creates_memberships: bool | Omit = OMIT,
        manages_roles: bool | Omit = OMIT,
        default_role: str | Omit = OMIT,
        role_rules: Sequence[t.CreateIdentityProviderBodyRoleRule | Mapping[str, Any]] | Omit = OMIT,
        second_factor_values: Sequence[str] | Omit = OMIT,
        ends_provider_session: bool | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.IdentityProvider:
        """Add an identity provider. Register `redirectUri` of the answer at the provider; of SAML also
        `ownEntityId`, or have it read `ownMetadataUrl`. It vouches for every member of the organization,
        so the caller must have all permissions (`all_permissions_required`). An organization may have 10.
        Scope: `sign_in:write`. (`POST /v1/identity-providers`)

        Args:
            kind: `oidc`: OpenID Connect. `saml`: SAML 2.0.
            name: The name for people, also in mails.
            status: `active`, or `disabled`: sign-ins by it are refused.
            oidc: How it is reached, where it is `oidc`.
            saml: The settings of a `saml` provider: `metadata`, or the members that they contain.
            creates_memberships: Whether a sign-in with an address of a proven domain makes a membership.
            manages_roles: Whether the rules for roles apply at each sign-in, and not only at the first.
                Roles from groups of the directory do not change.
            default_role: Role of members without a matching rule: `administrator`, `member`, or an id that
                starts with `rol_`.
            role_rules: The first matching rule gives the role.
            second_factor_values: Values that count as a second factor: of `amr` or `acr`; for SAML, of the
                authentication context class.
            ends_provider_session: Whether signing out also ends the session at the provider. Default:
                `false`.
        """
        call = make_call(
            "POST",
            "/v1/identity-providers",
            options,
            body_type=t.CreateIdentityProviderBody,
            body={
                "kind": kind,
                "name": name,
                "status": status,
                "oidc": oidc,
                "saml": saml,
                "createsMemberships": creates_memberships,
                "managesRoles": manages_roles,
                "defaultRole": default_role,
                "roleRules": role_rules,
                "secondFactorValues": second_factor_values,
                "endsProviderSession": ends_provider_session,
            },
            once=True,
        )
        return await self._transport.json(call, t.IdentityProvider)

    async def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Delete an identity provider. Ends the sessions and grants that it began, and deletes its linked
        identities. Memberships stay. The last active provider cannot be deleted while the organization
        requires its sign-in (`sign_in_required`). Scope: `sign_in:write`. (`DELETE
        /v1/identity-providers/{id}`)"""
        call = make_call("DELETE", "/v1/identity-providers/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def list(self, **options: Unpack[CallOptions]) -> AsyncPages[t.IdentityProvider]:
        """List identity providers. All identity providers, oldest first. Scope: `sign_in:read`. (`GET
        /v1/identity-providers`)"""
        call = make_call("GET", "/v1/identity-providers", options)
        return self._transport.pages(call, t.IdentityProvider)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.IdentityProvider:
        """Read an identity provider. Scope: `sign_in:read`. (`GET /v1/identity-providers/{id}`)"""
        call = make_call("GET", "/v1/identity-providers/{id}", options, places={"id": id})
        return await self._transport.json(call, t.IdentityProvider)

    async def rotate_keys(
        self,
        id: str,
        *,
        overlap_days: int | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.IdentityProviderKeyRotation:
        """Rotate the keys for a SAML provider. SAML: replaces the encryption key of Postern for the
        provider, and the signing key if one exists. The metadata has the new certificates at once. The
        replaced keys stay valid for `overlapDays`, and Postern signs with the replaced signing key until
        then. Enter the new certificates at the provider within that time. A second call while replaced
        keys are valid makes no key and sets their end again; `overlapDays: 0` ends them at once. Scope:
        `sign_in:write`. (`POST /v1/identity-providers/{id}/rotate-keys`)

        Args:
            overlap_days: Days for which the present keys work on.
        """
        call = make_call(
            "POST",
            "/v1/identity-providers/{id}/rotate-keys",
            options,
            places={"id": id},
            body_type=t.RotateIdentityProviderKeysBody,
            body={"overlapDays": overlap_days},
        )
        return await self._transport.json(call, t.IdentityProviderKeyRotation)

    async def test(self, id: str, **options: Unpack[CallOptions]) -> t.IdentityProviderTest:
        """Test an identity provider. Checks everything that does not require a person. OpenID Connect: the
        metadata belong to the issuer and name all endpoints, and the keys can be read. SAML: the
        certificates are valid today, and the sign-on address answers; an address that only browsers can
        reach is a harmless finding. Problems are results, not errors. Only a sign-in shows whether the
        client secret, and the settings at the provider, are right. Scope: `sign_in:write`. (`POST
        /v1/identity-providers/{id}/test`)"""
        call = make_call("POST", "/v1/identity-providers/{id}/test", options, places={"id": id})
        return await self._transport.json(call, t.IdentityProviderTest)

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        status: t.SessionUserOrganizationStatus | Omit = OMIT,
        oidc: t.UpdateIdentityProviderBodyOidc | Mapping[str, Any] | Omit = OMIT,
        saml: t.UpdateIdentityProviderBodySaml | Mapping[str, Any] | Omit = OMIT,
        creates_memberships: bool | Omit = OMIT,
        manages_roles: bool | Omit = OMIT,
        default_role: str | Omit = OMIT,
        role_rules: Sequence[t.CreateIdentityProviderBodyRoleRule | Mapping[str, Any]] | Omit = OMIT,
        second_factor_values: Sequence[str] | Omit = OMIT,
        ends_provider_session: bool | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.IdentityProvider:
        """Change an identity provider. A new issuer or entity is another provider: a new issuer requires a
        client secret, and the linked identities of the old one are deleted. Omitted members of `saml` do
        not change; `certificates` replaces all certificates. `disabled` ends the sessions and grants that
        the provider began, and so does a new issuer. A provider that the holder of a setup link may still
        change cannot be enabled (`setup_under_way`): revoke the link first, or wait for its end. The
        caller must have all permissions. Scope: `sign_in:write`. (`PATCH /v1/identity-providers/{id}`)

        Args:
            name: The name for people, also in mails.
            status: `active`, or `disabled`: sign-ins by it are refused.
            oidc: The new OpenID Connect settings.
            saml: The new SAML settings. Omitted members keep their values.
            creates_memberships: Whether a sign-in with an address of a proven domain makes a membership.
            manages_roles: Whether the rules for roles apply at each sign-in, and not only at the first.
                Roles from groups of the directory do not change.
            default_role: Role of members without a matching rule: `administrator`, `member`, or an id that
                starts with `rol_`.
            role_rules: The first matching rule gives the role.
            second_factor_values: Values that count as a second factor: of `amr` or `acr`; for SAML, of the
                authentication context class.
            ends_provider_session: Whether signing out also ends the session at the provider. Default:
                `false`.
        """
        call = make_call(
            "PATCH",
            "/v1/identity-providers/{id}",
            options,
            places={"id": id},
            body_type=t.UpdateIdentityProviderBody,
            body={
                "name": name,
                "status": status,
                "oidc": oidc,
                "saml": saml,
                "createsMemberships": creates_memberships,
                "managesRoles": manages_roles,
                "defaultRole": default_role,
                "roleRules": role_rules,
                "secondFactorValues": second_factor_values,
                "endsProviderSession": ends_provider_session,
            },
        )
        return await self._transport.json(call, t.IdentityProvider)


class AsyncInvitations:
    """The methods of `invitations`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        email: str,
        role: str | Omit = OMIT,
        expires_in_days: int | Omit = OMIT,
        language: t.CreateInvitationBodyLanguage | Omit = OMIT,
        send_email: bool | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.Invitation:
        """Invite a person. Creates an invitation and an inactive account, and sends the invitation by
        e-mail, best-effort. Scope: `invitations:write`. (`POST /v1/invitations`)

        Args:
            email: An e-mail address.
            role: Role that the person gets on joining: `administrator`, `member`, or the id of a role of
                the organization.
            expires_in_days: Days after which the link of the invitation no longer works.
            language: Of the mail, unless the person has chosen one. Default: that of the organization.
            send_email: `false` returns the `acceptUrl`, only this once, and sends no mail.
        """
        call = make_call(
            "POST",
            "/v1/invitations",
            options,
            body_type=t.CreateInvitationBody,
            body={
                "email": email,
                "role": role,
                "expiresInDays": expires_in_days,
                "language": language,
                "sendEmail": send_email,
            },
            once=True,
        )
        return await self._transport.json(call, t.Invitation)

    async def create_bulk(
        self,
        *,
        invitations: Sequence[t.CreateInvitationsBodyInvitation | Mapping[str, Any]],
        expires_in_days: int | Omit = OMIT,
        language: t.CreateInvitationBodyLanguage | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.CreatedInvitation:
        """Invite up to 1,000 people. Each row succeeds or fails independently; the answer has one result
        per row, in the same order. Scope: `invitations:write`. (`POST /v1/invitations/bulk`)

        Args:
            invitations: Each succeeds or fails independently.
            expires_in_days: Days after which the link of the invitation no longer works.
            language: Of the mail, unless the person has chosen one. Default: that of the organization.
        """
        call = make_call(
            "POST",
            "/v1/invitations/bulk",
            options,
            body_type=t.CreateInvitationsBody,
            body={
                "invitations": invitations,
                "expiresInDays": expires_in_days,
                "language": language,
            },
            once=True,
        )
        return await self._transport.json(call, t.CreatedInvitation)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: t.InvitationStatus | None = None,
        email: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.Invitation]:
        """List invitations. Scope: `invitations:read`. (`GET /v1/invitations`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            status: Only those in this state.
            email: An e-mail address.
        """
        call = make_call(
            "GET",
            "/v1/invitations",
            options,
            query={"limit": limit, "cursor": cursor, "status": status, "email": email},
        )
        return self._transport.pages(call, t.Invitation)

    async def preview(self, *, token: str, **options: Unpack[CallOptions]) -> t.PreviewInvitationAnswer:
        """Read the invitation of a link. Fills in the sign-up form. One answer for a token that is
        unknown, used, expired or revoked. (`GET /v1/invitations/preview`)

        Args:
            token: The secret of a link, which follows `?token=`.
        """
        call = make_call("GET", "/v1/invitations/preview", options, query={"token": token})
        return await self._transport.json(call, t.PreviewInvitationAnswer)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.Invitation:
        """Read an invitation. Scope: `invitations:read`. (`GET /v1/invitations/{id}`)"""
        call = make_call("GET", "/v1/invitations/{id}", options, places={"id": id})
        return await self._transport.json(call, t.Invitation)

    async def resend(self, id: str, **options: Unpack[CallOptions]) -> t.Invitation:
        """Send an invitation again. With a new link and a new expiry; the old link stops working. Scope:
        `invitations:write`. (`POST /v1/invitations/{id}/resend`)"""
        call = make_call("POST", "/v1/invitations/{id}/resend", options, places={"id": id}, once=True)
        return await self._transport.json(call, t.Invitation)

    async def revoke(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Revoke an invitation. The link ends at once. Revoking a revoked or expired invitation changes
        nothing. Scope: `invitations:write`. (`DELETE /v1/invitations/{id}`)"""
        call = make_call("DELETE", "/v1/invitations/{id}", options, places={"id": id})
        await self._transport.nothing(call)


class AsyncKnowledgeBases:
    """The methods of `knowledge_bases`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def add_document(
        self,
        id: str,
        *,
        text: str | Omit = OMIT,
        file_id: str | Omit = OMIT,
        name: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.Document:
        """Add a document. From a text, or from a file, which may still be in processing. The answer is 201
        even if the indexing has failed: see `status`. `Prefer: wait=N` waits up to 30 seconds for the end
        of it. Scope: `documents:write`, with `fileId` `files:read`. (`POST
        /v1/knowledge-bases/{id}/documents`)

        Args:
            text: Passages are returned with the Markdown heading above them.
            file_id: Starts with `fil_`, which may be left out.
            name: The name of the document. Default: the name of the file.
        """
        call = make_call(
            "POST",
            "/v1/knowledge-bases/{id}/documents",
            options,
            places={"id": id},
            body_type=t.AddDocumentBody,
            body={"text": text, "fileId": file_id, "name": name},
            once=True,
        )
        return await self._transport.json(call, t.Document)

    async def create(
        self,
        *,
        name: str,
        embedding: str | None | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.KnowledgeBase:
        """Make a knowledge base. Scope: `knowledge:write`. (`POST /v1/knowledge-bases`)

        Args:
            name: Unique in the organization.
            embedding: The model of the server, or null for none. Default: the model of the server, if it
                has one.
        """
        call = make_call(
            "POST",
            "/v1/knowledge-bases",
            options,
            body_type=t.CreateKnowledgeBaseBody,
            body={"name": name, "embedding": embedding},
            once=True,
        )
        return await self._transport.json(call, t.KnowledgeBase)

    async def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Delete a knowledge base. Nothing of it is found from then on; its documents and passages are
        removed after it. Scope: `knowledge:write`. (`DELETE /v1/knowledge-bases/{id}`)"""
        call = make_call("DELETE", "/v1/knowledge-bases/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def documents(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.Document]:
        """List the documents of a knowledge base. Scope: `knowledge:read`. (`GET
        /v1/knowledge-bases/{id}/documents`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call(
            "GET",
            "/v1/knowledge-bases/{id}/documents",
            options,
            places={"id": id},
            query={"limit": limit, "cursor": cursor},
        )
        return self._transport.pages(call, t.Document)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        search: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.KnowledgeBase]:
        """List knowledge bases. Scope: `knowledge:read`. (`GET /v1/knowledge-bases`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            search: Only items with this text in their name; upper and lower case are equal.
        """
        call = make_call(
            "GET",
            "/v1/knowledge-bases",
            options,
            query={"limit": limit, "cursor": cursor, "search": search},
        )
        return self._transport.pages(call, t.KnowledgeBase)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.KnowledgeBase:
        """Read a knowledge base. Scope: `knowledge:read`. (`GET /v1/knowledge-bases/{id}`)"""
        call = make_call("GET", "/v1/knowledge-bases/{id}", options, places={"id": id})
        return await self._transport.json(call, t.KnowledgeBase)

    async def search(
        self,
        id: str,
        *,
        query: str,
        limit: int | Omit = OMIT,
        mode: t.SearchKnowledgeBaseBodyMode | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.SearchKnowledgeBaseAnswer:
        """Search a knowledge base. Every word of the query is searched literally; queries have no syntax.
        Scope: `knowledge:read`. (`POST /v1/knowledge-bases/{id}/search`)

        Args:
            query: The words to search for.
            limit: Most passages that are answered.
            mode: `auto`: by words, and by vectors where all of the base has them.
        """
        call = make_call(
            "POST",
            "/v1/knowledge-bases/{id}/search",
            options,
            places={"id": id},
            body_type=t.SearchKnowledgeBaseBody,
            body={"query": query, "limit": limit, "mode": mode},
        )
        return await self._transport.json(call, t.SearchKnowledgeBaseAnswer)

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        embedding: str | None | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.KnowledgeBase:
        """Rename a knowledge base, or give it another embedding model. After a change of the model it is
        searched only by text until each of its documents has been indexed again. Scope: `knowledge:write`.
        (`PATCH /v1/knowledge-bases/{id}`)

        Args:
            name: Unique in the organization.
            embedding: The model of the server, or null for none. Default: the model of the server, if it
                has one.
        """
        call = make_call(
            "PATCH",
            "/v1/knowledge-bases/{id}",
            options,
            places={"id": id},
            body_type=t.UpdateKnowledgeBaseBody,
            body={"name": name, "embedding": embedding},
        )
        return await self._transport.json(call, t.KnowledgeBase)


class AsyncListeners:
    """The methods of `listeners`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def fetch(
        self,
        name: str,
        *,
        limit: int | Omit = OMIT,
        wait_ms: int | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.FetchDeliveriesAnswer:
        """Fetch deliveries of a listener. Returns due deliveries, the oldest first, and waits for the
        first one. The client has 45 seconds to send each delivery and report the answer; after that
        another client gets it, and no attempt is counted. Scope: `webhooks:write`. (`POST
        /v1/listeners/{name}/claims`)

        Args:
            limit: The most deliveries to fetch; their bodies have 1 MiB together at most.
            wait_ms: How long to wait where none is due.
        """
        call = make_call(
            "POST",
            "/v1/listeners/{name}/claims",
            options,
            places={"name": name},
            body_type=t.FetchDeliveriesBody,
            body={"limit": limit, "waitMs": wait_ms},
        )
        return await self._transport.json(call, t.FetchDeliveriesAnswer)

    async def open(
        self,
        name: str,
        *,
        events: Sequence[str],
        description: str | None | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.OpenListenerAnswer:
        """Open a listener. A listener is a webhook without a destination: clients fetch its deliveries,
        like `postern listen`. If one of this name exists, its event types are set, and it is active again
        if an answer 410 had disabled it. It is deleted with its waiting deliveries after 7 days without a
        request of a client. Scope: `webhooks:write`. (`PUT /v1/listeners/{name}`)

        Args:
            events: Event types, or `*` for every one.
            description: The purpose of the webhook. Null removes it.
        """
        call = make_call(
            "PUT",
            "/v1/listeners/{name}",
            options,
            places={"name": name},
            body_type=t.OpenListenerBody,
            body={"events": events, "description": description},
        )
        return await self._transport.json(call, t.OpenListenerAnswer)

    async def report(
        self,
        name: str,
        *,
        results: Sequence[t.ReportDeliveriesBodyResult | Mapping[str, Any]],
        **options: Unpack[CallOptions],
    ) -> t.ReportDeliveriesAnswer:
        """Report the results of fetched deliveries. The reported answer is the attempt, with the outcome
        and the schedule of any other delivery. A result that is sent again is `lost`, and changes nothing.
        Scope: `webhooks:write`. (`POST /v1/listeners/{name}/results`)

        Args:
            results: One for each delivery.
        """
        call = make_call(
            "POST",
            "/v1/listeners/{name}/results",
            options,
            places={"name": name},
            body_type=t.ReportDeliveriesBody,
            body={"results": results},
        )
        return await self._transport.json(call, t.ReportDeliveriesAnswer)


class AsyncMails:
    """The methods of `mails`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        status: t.InvitationDeliveryStatus | None = None,
        to: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.Mail]:
        """List the mails that the organization has had sent. The state of each mail and the mail server’s
        answer, without the text. Kept for `RETENTION_DAYS`. Scope: `mails:read`. (`GET /v1/mails`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            since: Only what happened at or after this moment.
            until: Only what happened before this moment.
            status: Only those in this state.
            to: An e-mail address.
        """
        call = make_call(
            "GET",
            "/v1/mails",
            options,
            query={
                "limit": limit,
                "cursor": cursor,
                "since": since,
                "until": until,
                "status": status,
                "to": to,
            },
        )
        return self._transport.pages(call, t.Mail)


class AsyncMcp:
    """The methods of `mcp`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def call(
        self,
        *,
        jsonrpc: Literal["2.0"],
        method: str,
        id: str | int | Omit = OMIT,
        params: Mapping[str, Any] | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> dict[str, Any]:
        """Speak the Model Context Protocol. One message of JSON-RPC, by the protocol of 2026-07-28 or an
        older one (Streamable HTTP without sessions). A tool call requires the rights of its route, and
        counts as a separate request. (`POST /mcp`)

        Args:
            jsonrpc: Always `2.0`.
            id: Repeated in the answer; a notification has none.
            method: Method of MCP, such as `tools/call`.
            params: Parameters of the method.
        """
        call = make_call(
            "POST",
            "/mcp",
            options,
            body_type=t.CallMcpBody,
            body={"jsonrpc": jsonrpc, "id": id, "method": method, "params": params},
        )
        return await self._transport.json(call, dict[str, Any])


class AsyncMcpServers:
    """The methods of `mcp_servers`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def accept(self, id: str, *, tools_digest: str, **options: Unpack[CallOptions]) -> t.McpServer:
        """Accept the currently listed tools of an MCP server. Scope: `mcp_servers:write`. (`POST
        /v1/mcp-servers/{id}/accept`)

        Args:
            tools_digest: The value that was read with the tools, so that later changes are not accepted
                unseen.
        """
        call = make_call(
            "POST",
            "/v1/mcp-servers/{id}/accept",
            options,
            places={"id": id},
            body_type=t.AcceptMcpServerBody,
            body={"toolsDigest": tools_digest},
        )
        return await self._transport.json(call, t.McpServer)

    async def create(
        self,
        *,
        name: str,
        url: str,
        headers: Mapping[str, str] | Omit = OMIT,
        connection_id: str | Omit = OMIT,
        required: bool | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.McpServerItem:
        """Register an MCP server. It is not called yet: `POST /v1/mcp-servers/{id}/refresh` lists its
        tools. An address that would never be called is refused (`address_not_allowed`). Scope:
        `mcp_servers:write`, with `connectionId` `connections:use`. (`POST /v1/mcp-servers`)

        Args:
            name: The prefix of its tools: `{name}__{tool}`. Unique among the organization’s servers.
            url: Where it speaks the protocol over Streamable HTTP.
            headers: Sent with every request, `Authorization` for example; never shown.
            connection_id: Starts with `con_`, which may be left out.
            required: Whether a run that may use it fails without it; otherwise the model reads that it is
                unavailable.
        """
        call = make_call(
            "POST",
            "/v1/mcp-servers",
            options,
            body_type=t.CreateMcpServerBody,
            body={
                "name": name,
                "url": url,
                "headers": headers,
                "connectionId": connection_id,
                "required": required,
            },
            once=True,
        )
        return await self._transport.json(call, t.McpServerItem)

    async def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Forget an MCP server. Agents that use its tools continue without them; a run for which a tool is
        `required` fails. Scope: `mcp_servers:write`. (`DELETE /v1/mcp-servers/{id}`)"""
        call = make_call("DELETE", "/v1/mcp-servers/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.McpServerItem]:
        """List MCP servers. Scope: `mcp_servers:read`. (`GET /v1/mcp-servers`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call("GET", "/v1/mcp-servers", options, query={"limit": limit, "cursor": cursor})
        return self._transport.pages(call, t.McpServerItem)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.McpServer:
        """Read an MCP server with its tools. Scope: `mcp_servers:read`. (`GET /v1/mcp-servers/{id}`)"""
        call = make_call("GET", "/v1/mcp-servers/{id}", options, places={"id": id})
        return await self._transport.json(call, t.McpServer)

    async def refresh(self, id: str, **options: Unpack[CallOptions]) -> t.McpServer:
        """List the tools of an MCP server. The first time all tools are accepted. Later, a new or changed
        tool is off until it is accepted. A server that cannot be reached is `MCP_CLIENT_UNAVAILABLE` with
        `details.reason`. Scope: `mcp_servers:write`. (`POST /v1/mcp-servers/{id}/refresh`)"""
        call = make_call("POST", "/v1/mcp-servers/{id}/refresh", options, places={"id": id})
        return await self._transport.json(call, t.McpServer)

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        url: str | Omit = OMIT,
        headers: Mapping[str, str] | None | Omit = OMIT,
        connection_id: str | None | Omit = OMIT,
        required: bool | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.McpServerItem:
        """Change an MCP server. `headers` replaces all headers. After a change of `url` no tool is
        accepted. Scope: `mcp_servers:write`, with `connectionId` `connections:use`. (`PATCH
        /v1/mcp-servers/{id}`)

        Args:
            name: The prefix of its tools: `{name}__{tool}`. Unique among the organization’s servers.
            url: Where it speaks the protocol over Streamable HTTP.
            headers: Sent with every request, `Authorization` for example; never shown.
            connection_id: Starts with `con_`, which may be left out.
            required: Whether a run that may use it fails without it; otherwise the model reads that it is
                unavailable.
        """
        call = make_call(
            "PATCH",
            "/v1/mcp-servers/{id}",
            options,
            places={"id": id},
            body_type=t.UpdateMcpServerBody,
            body={
                "name": name,
                "url": url,
                "headers": headers,
                "connectionId": connection_id,
                "required": required,
            },
        )
        return await self._transport.json(call, t.McpServerItem)


class AsyncMembers:
    """The methods of `members`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def change_role(
        self,
        id: str,
        account_id: str,
        *,
        role: str,
        **options: Unpack[CallOptions],
    ) -> t.Member:
        """Change a member's role. The role must not have more permissions than the caller. Pending
        invitations that the member could not make with the new role are revoked. Service accounts and API
        keys that the member made stay: `GET /v1/api-keys?createdBy=` lists the keys. Scope:
        `members:write`. (`PATCH /v1/organizations/{id}/members/{accountId}`)

        Args:
            role: The new role: `administrator`, `member`, or the id of a role of the organization. The
                last administrator keeps that role.
        """
        call = make_call(
            "PATCH",
            "/v1/organizations/{id}/members/{accountId}",
            options,
            places={"id": id, "accountId": account_id},
            body_type=t.ChangeMemberRoleBody,
            body={"role": role},
        )
        return await self._transport.json(call, t.Member)

    async def delete_api_keys(
        self,
        id: str,
        account_id: str,
        **options: Unpack[CallOptions],
    ) -> t.DeleteMemberApiKeysAnswer:
        """Delete the API keys that a member made. Deletes the keys that the member made or rotated in this
        organization, and the keys that were made with those; also for a former member. The service
        accounts stay. Scope: `keys:write`. (`DELETE /v1/organizations/{id}/members/{accountId}/api-keys`)"""
        call = make_call(
            "DELETE",
            "/v1/organizations/{id}/members/{accountId}/api-keys",
            options,
            places={"id": id, "accountId": account_id},
        )
        return await self._transport.json(call, t.DeleteMemberApiKeysAnswer)

    async def end_sessions(
        self,
        id: str,
        account_id: str,
        **options: Unpack[CallOptions],
    ) -> t.EndOtherSessionsAnswer:
        """End a member's sessions. For this organization: the sessions get no more tokens for it, and
        earlier tokens end, also for open streams. The person must sign in again. For other organizations
        the sessions stay valid. Scope: `members:write`. (`DELETE
        /v1/organizations/{id}/members/{accountId}/sessions`)"""
        call = make_call(
            "DELETE",
            "/v1/organizations/{id}/members/{accountId}/sessions",
            options,
            places={"id": id, "accountId": account_id},
        )
        return await self._transport.json(call, t.EndOtherSessionsAnswer)

    async def leave(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Leave the organization. The effects are those of a removal. The last administrator cannot leave.
        An API key is not a member and cannot leave. (`DELETE /v1/organizations/{id}/members/me`)"""
        call = make_call("DELETE", "/v1/organizations/{id}/members/me", options, places={"id": id})
        await self._transport.nothing(call)

    def list(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        search: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.Member]:
        """List members. Scope: `members:read`. (`GET /v1/organizations/{id}/members`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            search: Only items with this text in their name or e-mail address; upper and lower case are
                equal.
        """
        call = make_call(
            "GET",
            "/v1/organizations/{id}/members",
            options,
            places={"id": id},
            query={"limit": limit, "cursor": cursor, "search": search},
        )
        return self._transport.pages(call, t.Member)

    async def remove(
        self,
        id: str,
        account_id: str,
        *,
        end_keys: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> None:
        """Remove a member. Their tokens for this organization stop working, and their pending invitations
        are revoked. Service accounts and API keys that they made stay, unless `endKeys` is true; the audit
        log names the keys that stay, and `GET /v1/api-keys?createdBy=` lists them. Scope: `members:write`.
        (`DELETE /v1/organizations/{id}/members/{accountId}`)

        Args:
            end_keys: Also deletes the API keys that the member made or rotated, and the keys that were
                made with those; requires `keys:write` as well.
        """
        call = make_call(
            "DELETE",
            "/v1/organizations/{id}/members/{accountId}",
            options,
            places={"id": id, "accountId": account_id},
            query={"endKeys": end_keys},
        )
        await self._transport.nothing(call)

    async def remove_factors(
        self,
        id: str,
        account_id: str,
        **options: Unpack[CallOptions],
    ) -> t.RemoveMemberFactorsAnswer:
        """Remove a member's second factors. For a person who has lost all factors and is a member of only
        this organization; for members of others only the operator can do this (`FORBIDDEN`, `reason:
        member_elsewhere`). Ends every session and every mailed link of the account, and mails the person.
        Remove your own factors at `/v1/auth/factors/{id}` (`reason: own_account`). The factors of the last
        exception from a required sign-in cannot be removed (`reason: last_exception`). Scope:
        `members:write`. (`DELETE /v1/organizations/{id}/members/{accountId}/factors`)"""
        call = make_call(
            "DELETE",
            "/v1/organizations/{id}/members/{accountId}/factors",
            options,
            places={"id": id, "accountId": account_id},
        )
        return await self._transport.json(call, t.RemoveMemberFactorsAnswer)


class AsyncModels:
    """The methods of `models`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.Model]:
        """List models. All models on one page: the configured ones and the built-in one. Scope:
        `agents:read`. (`GET /v1/models`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call("GET", "/v1/models", options, query={"limit": limit, "cursor": cursor})
        return self._transport.pages(call, t.Model)


class AsyncOauthClients:
    """The methods of `oauth_clients`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        name: str,
        redirect_uris: Sequence[str],
        post_logout_redirect_uris: Sequence[str] | Omit = OMIT,
        uses_device_flow: bool | Omit = OMIT,
        is_confidential: bool | Omit = OMIT,
        organization_id: str | None | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.CreatedOauthClient:
        """Register an application. The page for consent shows this name, as registered. A confidential
        application authenticates at the token endpoint (`client_secret_basic`) with the `clientSecret`,
        which only this answer shows; others use only PKCE. With `organizationId` only members of that
        organization can grant it access. (`POST /v1/operator/oauth-clients`)

        Args:
            name: The name that people see.
            organization_id: Starts with `org_`, which may be left out.
        """
        call = make_call(
            "POST",
            "/v1/operator/oauth-clients",
            options,
            body_type=t.CreateOauthClientBody,
            body={
                "name": name,
                "redirectUris": redirect_uris,
                "postLogoutRedirectUris": post_logout_redirect_uris,
                "usesDeviceFlow": uses_device_flow,
                "isConfidential": is_confidential,
                "organizationId": organization_id,
            },
            once=True,
        )
        return await self._transport.json(call, t.CreatedOauthClient)

    async def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Delete an application. Its grants end at once in every organization, also for open streams.
        (`DELETE /v1/operator/oauth-clients/{id}`)"""
        call = make_call("DELETE", "/v1/operator/oauth-clients/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.OauthClient]:
        """List the applications that have registered or were registered. (`GET
        /v1/operator/oauth-clients`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call(
            "GET",
            "/v1/operator/oauth-clients",
            options,
            query={"limit": limit, "cursor": cursor},
        )
        return self._transport.pages(call, t.OauthClient)


class AsyncOperator:
    """The methods of `operator`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def audit_log(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        action: str | None = None,
        actor: str | None = None,
        target: str | None = None,
        organization_id: str | None = None,
        without_organization: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.AuditEntry]:
        """List the audit log of the installation. The entries of all organizations, in the form that each
        organization sees, and those of none. Kept for `AUDIT_DAYS`. (`GET /v1/operator/audit-log`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            since: Only what happened at or after this moment.
            until: Only what happened before this moment.
            action: Only entries of this action.
            actor: Only what this account or service account did.
            target: Only what was done to the thing of this id.
            organization_id: Starts with `org_`, which may be left out.
            without_organization: Only entries of no organization, such as sign-ins of addresses without an
                account.
        """
        call = make_call(
            "GET",
            "/v1/operator/audit-log",
            options,
            query={
                "limit": limit,
                "cursor": cursor,
                "since": since,
                "until": until,
                "action": action,
                "actor": actor,
                "target": target,
                "organizationId": organization_id,
                "withoutOrganization": without_organization,
            },
        )
        return self._transport.pages(call, t.AuditEntry)

    async def change_organization(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        external_id: str | None | Omit = OMIT,
        plan: t.CreateOrganizationBodyPlan | Omit = OMIT,
        modules: t.ChangeOrganizationBodyModules | Mapping[str, Any] | Omit = OMIT,
        status: t.SessionUserOrganizationStatus | Omit = OMIT,
        sign_in_required: Literal[False] | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.AllOrganization:
        """Change, disable or enable an organization. Makes all changes, or none. A module that is null
        follows the plan. (`PATCH /v1/operator/organizations/{id}`)

        Args:
            name: The new name, unique among the organizations of the server.
            external_id: Its id on your platform: letters, digits and `. _ : @ | / + = ~ -`, unique on the
                installation; upper and lower case differ.
            plan: The new plan, which applies at once.
            modules: Switches that override the plan.
            status: `disabled`: no session, token or key is accepted and deliveries wait until it is
                `active` again; its runs are cancelled.
            sign_in_required: `false` lets members use their own sign-ins, for example when their identity
                provider fails.
        """
        call = make_call(
            "PATCH",
            "/v1/operator/organizations/{id}",
            options,
            places={"id": id},
            body_type=t.ChangeOrganizationBody,
            body={
                "name": name,
                "externalId": external_id,
                "plan": plan,
                "modules": modules,
                "status": status,
                "signInRequired": sign_in_required,
            },
        )
        return await self._transport.json(call, t.AllOrganization)

    async def create_organization(
        self,
        *,
        name: str,
        external_id: str | Omit = OMIT,
        plan: t.CreateOrganizationBodyPlan | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.AllOrganization:
        """Make an organization. Invite its first administrator by `POST
        /v1/operator/organizations/{id}/invitations`. (`POST /v1/operator/organizations`)

        Args:
            name: Unique among the organizations of the server.
            external_id: Its id on your platform: letters, digits and `. _ : @ | / + = ~ -`, unique on the
                installation; upper and lower case differ.
            plan: `DEFAULT_PLAN` where it is left out.
        """
        call = make_call(
            "POST",
            "/v1/operator/organizations",
            options,
            body_type=t.CreateOrganizationBody,
            body={"name": name, "externalId": external_id, "plan": plan},
            once=True,
        )
        return await self._transport.json(call, t.AllOrganization)

    async def delete_organization(self, id: str, *, name: str, **options: Unpack[CallOptions]) -> None:
        """Delete an organization with everything it has. This cannot be undone. Its ledger, paid checkouts
        and audit log are kept; its events are deleted after `RETENTION_DAYS`, and tokens of its
        connections are revoked at their providers. (`DELETE /v1/operator/organizations/{id}`)

        Args:
            name: Its name, to be sure.
        """
        call = make_call(
            "DELETE",
            "/v1/operator/organizations/{id}",
            options,
            places={"id": id},
            query={"name": name},
        )
        await self._transport.nothing(call)

    def findings(self, **options: Unpack[CallOptions]) -> AsyncPages[t.Finding]:
        """Read the doctor's findings. The findings of `npx postern doctor`, renewed at most every 60 s;
        those about the database, which need all of it to be read, at most every 10 minutes. (`GET
        /v1/operator/findings`)"""
        call = make_call("GET", "/v1/operator/findings", options)
        return self._transport.pages(call, t.Finding)

    async def grant_credits(
        self,
        id: str,
        *,
        credits: int,
        reason: str,
        reference: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.GrantCreditsAnswer:
        """Give an organization credits. They stay until they are spent. The same `reference` grants them
        only once. (`POST /v1/operator/organizations/{id}/credits`)

        Args:
            credits: How many credits to give.
            reason: Shown in the ledger of the organization.
            reference: Your own name of the grant, such as an invoice number; the same one grants credits
                only once.
        """
        call = make_call(
            "POST",
            "/v1/operator/organizations/{id}/credits",
            options,
            places={"id": id},
            body_type=t.GrantCreditsBody,
            body={"credits": credits, "reason": reason, "reference": reference},
            once=True,
        )
        return await self._transport.json(call, t.GrantCreditsAnswer)

    async def installation(self, **options: Unpack[CallOptions]) -> t.Installation:
        """Read the state of the installation. The waiting work of all organizations, the workers, mails
        and the disk; at most 10 s old. (`GET /v1/operator/installation`)"""
        call = make_call("GET", "/v1/operator/installation", options)
        return await self._transport.json(call, t.Installation)

    async def invite(
        self,
        id: str,
        *,
        email: str,
        role: str | Omit = OMIT,
        send_email: bool | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.CreatedOrganizationInvitation:
        """Invite a person to an organization. Like `npx postern invite`: valid for 7 days, mailed if a
        mail server is configured. It replaces an earlier invitation of that address, whose link ends.
        (`POST /v1/operator/organizations/{id}/invitations`)

        Args:
            email: An e-mail address.
            role: Role that the person gets on joining.
            send_email: With `false` you hand over the link yourself. Default: whether a mail server is
                configured.
        """
        call = make_call(
            "POST",
            "/v1/operator/organizations/{id}/invitations",
            options,
            places={"id": id},
            body_type=t.CreateOrganizationInvitationBody,
            body={"email": email, "role": role, "sendEmail": send_email},
            once=True,
        )
        return await self._transport.json(call, t.CreatedOrganizationInvitation)

    def organizations(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        name: str | None = None,
        external_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.AllOrganization]:
        """List the organizations of the installation. (`GET /v1/operator/organizations`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            name: The name; where it is a filter, only names that hold it.
            external_id: Its id on your platform: letters, digits and `. _ : @ | / + = ~ -`, unique on the
                installation; upper and lower case differ.
        """
        call = make_call(
            "GET",
            "/v1/operator/organizations",
            options,
            query={"limit": limit, "cursor": cursor, "name": name, "externalId": external_id},
        )
        return self._transport.pages(call, t.AllOrganization)


class AsyncOrganizations:
    """The methods of `organizations`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.Organization]:
        """List the caller's organizations. Scope: `organization:read`. (`GET /v1/organizations`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call("GET", "/v1/organizations", options, query={"limit": limit, "cursor": cursor})
        return self._transport.pages(call, t.Organization)

    async def rename(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        second_factor_required_from: datetime | str | None | Omit = OMIT,
        second_factor_grace_ms: int | Omit = OMIT,
        sign_in: t.RenameOrganizationBodySignIn | Mapping[str, Any] | Omit = OMIT,
        language: t.CreateInvitationBodyLanguage | None | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.Organization:
        """Change the name, the required sign-in or the language of the organization. The name must be
        unique. From `secondFactorRequiredFrom` on, members without a second factor get no JWT for the
        organization (`FORBIDDEN`, `reason: second_factor_required`); their session lets them add one.
        `secondFactorGraceMs` gives each member time after that moment, or after joining, whichever is
        later; it does not postpone the requirement of the installation. The caller must have a second
        factor to require one: else `FORBIDDEN` with `reason: no_second_factor`. With `signIn.required`
        members sign in by an identity provider of the organization, and access by other sign-ins ends;
        `exceptions` are administrators who may use their own sign-in with a second factor, at least one.
        Scope: `organization:write`, with `signIn` `sign_in:write`. (`PATCH /v1/organizations/{id}`)

        Args:
            name: The new name, unique among the organizations of the server.
            second_factor_required_from: From when on members need a second factor; null requires none.
            second_factor_grace_ms: The time that a member has to add one after that moment, or after
                joining, whichever is later. Default: 0.
            sign_in: Whether its members sign in by its identity provider. It also requires
                `sign_in:write`.
            language: Of its mails, and of pages about it; null: that of the installation.
        """
        call = make_call(
            "PATCH",
            "/v1/organizations/{id}",
            options,
            places={"id": id},
            body_type=t.RenameOrganizationBody,
            body={
                "name": name,
                "secondFactorRequiredFrom": second_factor_required_from,
                "secondFactorGraceMs": second_factor_grace_ms,
                "signIn": sign_in,
                "language": language,
            },
        )
        return await self._transport.json(call, t.Organization)


class AsyncPlatformKeys:
    """The methods of `platform_keys`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        name: str,
        scopes: Sequence[t.CreateRoleBodyPermission] | None,
        may_create_organizations: bool | Omit = OMIT,
        allowed_addresses: Sequence[str] | None | Omit = OMIT,
        expires_in_days: int | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.CreatedPlatformKey:
        """Create a key of the installation. Only this answer has the `key`. Use it as `Authorization:
        Bearer ppk_…`, with the organization in `Postern-Organization`. (`POST /v1/operator/platform-keys`)

        Args:
            name: The name of the key; organizations see it in their audit logs.
            scopes: The permissions of the key in every organization; null: all.
            may_create_organizations: Whether a `POST` for an unknown `ext:` makes the organization, with
                `DEFAULT_PLAN`.
            allowed_addresses: Networks from which the key may be used; null: any.
            expires_in_days: Days after which the key is refused. Default: it does not expire.
        """
        call = make_call(
            "POST",
            "/v1/operator/platform-keys",
            options,
            body_type=t.CreatePlatformKeyBody,
            body={
                "name": name,
                "scopes": scopes,
                "mayCreateOrganizations": may_create_organizations,
                "allowedAddresses": allowed_addresses,
                "expiresInDays": expires_in_days,
            },
            once=True,
        )
        return await self._transport.json(call, t.CreatedPlatformKey)

    async def delete(self, id: str, *, with_made: bool | None = None, **options: Unpack[CallOptions]) -> None:
        """Revoke a key of the installation. The key ends at once, also for open streams, and its pending
        invitations are revoked. API keys that were made with it stay, unless `withMade` is true. (`DELETE
        /v1/operator/platform-keys/{id}`)"""
        call = make_call(
            "DELETE",
            "/v1/operator/platform-keys/{id}",
            options,
            places={"id": id},
            query={"withMade": with_made},
        )
        await self._transport.nothing(call)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.PlatformKey]:
        """List the keys of the installation. (`GET /v1/operator/platform-keys`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call(
            "GET",
            "/v1/operator/platform-keys",
            options,
            query={"limit": limit, "cursor": cursor},
        )
        return self._transport.pages(call, t.PlatformKey)

    async def rotate(
        self,
        id: str,
        *,
        overlap_hours: int | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.RotatePlatformKeyAnswer:
        """Give a key of the installation another secret. Only this answer has the new `key`. The previous
        key is accepted for `overlapHours` more, and each earlier one until its own end, 5 at most
        (`too_many_secrets`); with 0 every earlier one ends at once. (`POST
        /v1/operator/platform-keys/{id}/rotate`)

        Args:
            overlap_hours: How long the previous secret is still accepted.
        """
        call = make_call(
            "POST",
            "/v1/operator/platform-keys/{id}/rotate",
            options,
            places={"id": id},
            body_type=t.RotatePlatformKeyBody,
            body={"overlapHours": overlap_hours},
            may_lack_body=True,
            once=True,
        )
        return await self._transport.json(call, t.RotatePlatformKeyAnswer)

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        allowed_addresses: Sequence[str] | None | Omit = OMIT,
        expires_in_days: int | None | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.PlatformKey:
        """Change a key of the installation. Changes the name, addresses and expiry; its rights never
        change. Its pending invitations end with it at the latest. (`PATCH
        /v1/operator/platform-keys/{id}`)"""
        call = make_call(
            "PATCH",
            "/v1/operator/platform-keys/{id}",
            options,
            places={"id": id},
            body_type=t.UpdatePlatformKeyBody,
            body={
                "name": name,
                "allowedAddresses": allowed_addresses,
                "expiresInDays": expires_in_days,
            },
        )
        return await self._transport.json(call, t.PlatformKey)


class AsyncProblems:
    """The methods of `problems`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, **options: Unpack[CallOptions]) -> AsyncPages[t.Problem]:
        """List the open problems. The open problems that the caller may see, the worst first: webhooks
        that are disabled, parked or failing, or have deliveries that failed permanently; runs that wait
        for a person; failed files and documents; connections that must be renewed; mails that were not
        sent; low credits; API keys that expire, or whose replaced secret a directory still uses; domains
        whose record is missing; identity providers whose certificates or replaced keys end. A solved
        problem is no longer listed; a permanent failure is listed for 7 days at most. Up to 10,000 rows of
        each problem are counted. With more than 500 problems, `more` counts the others. (`GET
        /v1/problems`)"""
        call = make_call("GET", "/v1/problems", options)
        return self._transport.pages(call, t.Problem)


class AsyncProvisioning:
    """The methods of `provisioning`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def change(self, *, end_keys: bool, **options: Unpack[CallOptions]) -> t.Provisioning:
        """Change how the organization provisions. Scope: `sign_in:write`. (`PATCH /v1/scim`)

        Args:
            end_keys: Whether the API keys that a person made or rotated end with a membership that the
                directory ends. Default: false.
        """
        call = make_call(
            "PATCH",
            "/v1/scim",
            options,
            body_type=t.ChangeProvisioningBody,
            body={"endKeys": end_keys},
        )
        return await self._transport.json(call, t.Provisioning)

    async def change_group(
        self,
        id: str,
        *,
        role: str | None | Omit = OMIT,
        priority: int | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.ProvisionedGroup:
        """Map a group to a role. Its users get the role at once, as members and in pending invitations;
        for more than 100 users a job follows. A user of several groups gets the role of the group with the
        highest `priority`, and of equal ones that of the older group. The caller must have all permissions
        (`FORBIDDEN`, `reason: all_permissions_required`). If a group of the organization gives
        `administrator`, before or after, the caller must be a person, not an API key (`person_required`).
        Scope: `sign_in:write`. (`PATCH /v1/scim/groups/{id}`)

        Args:
            role: `administrator`, `member`, or the id of a role of the organization; null: it gives none.
            priority: Of several groups of a user, the one with the highest priority gives the role.
        """
        call = make_call(
            "PATCH",
            "/v1/scim/groups/{id}",
            options,
            places={"id": id},
            body_type=t.ChangeProvisionedGroupBody,
            body={"role": role, "priority": priority},
        )
        return await self._transport.json(call, t.ProvisionedGroup)

    def list_exchanges(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        only_failed: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.ProvisioningExchange]:
        """List the requests of the directory. The requests of the directory by SCIM and their answers,
        without the values that it sent. The newest 500 requests are kept, for 7 days. Scope:
        `sign_in:read`. (`GET /v1/scim/exchanges`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            since: Only what happened at or after this moment.
            until: Only what happened before this moment.
            only_failed: Only requests that were answered with an error.
        """
        call = make_call(
            "GET",
            "/v1/scim/exchanges",
            options,
            query={
                "limit": limit,
                "cursor": cursor,
                "since": since,
                "until": until,
                "onlyFailed": only_failed,
            },
        )
        return self._transport.pages(call, t.ProvisioningExchange)

    def list_groups(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.ProvisionedGroup]:
        """List the groups of the directory. The groups that the directory provisions by SCIM, each with
        the role that it gives. Scope: `sign_in:read`. (`GET /v1/scim/groups`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call("GET", "/v1/scim/groups", options, query={"limit": limit, "cursor": cursor})
        return self._transport.pages(call, t.ProvisionedGroup)

    def list_users(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        email: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.ProvisionedUser]:
        """List the users of the directory. The users that the directory provisions by SCIM, each with its
        membership or invitation, and the role. Scope: `sign_in:read`. (`GET /v1/scim/users`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            email: An e-mail address.
        """
        call = make_call(
            "GET",
            "/v1/scim/users",
            options,
            query={"limit": limit, "cursor": cursor, "email": email},
        )
        return self._transport.pages(call, t.ProvisionedUser)

    async def read(self, **options: Unpack[CallOptions]) -> t.Provisioning:
        """How the organization provisions. The URL for the directory, and the numbers of provisioned users
        and groups. Scope: `sign_in:read`. (`GET /v1/scim`)"""
        call = make_call("GET", "/v1/scim", options)
        return await self._transport.json(call, t.Provisioning)

    async def read_group(self, id: str, **options: Unpack[CallOptions]) -> t.ProvisionedGroup:
        """Read a group of the directory. Scope: `sign_in:read`. (`GET /v1/scim/groups/{id}`)"""
        call = make_call("GET", "/v1/scim/groups/{id}", options, places={"id": id})
        return await self._transport.json(call, t.ProvisionedGroup)


class AsyncReplays:
    """The methods of `replays`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def cancel(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Cancel a replay. Deliveries that it has made stay. Cancelling an ended replay changes nothing.
        Scope: `deliveries:write`. (`DELETE /v1/replays/{id}`)"""
        call = make_call("DELETE", "/v1/replays/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    @overload
    async def create(
        self,
        *,
        since: datetime | str,
        event_id: str | Omit = OMIT,
        event_type: str | Omit = OMIT,
        status_code: str | Omit = OMIT,
        error_class: str | Omit = OMIT,
        until: datetime | str | Omit = OMIT,
        ids: Sequence[str] | Omit = OMIT,
        dry_run: Literal[False] | Omit = OMIT,
        status: t.CreateReplayBodyStatus | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.Replay: ...

    @overload
    async def create(
        self,
        *,
        since: datetime | str,
        dry_run: Literal[True],
        event_id: str | Omit = OMIT,
        event_type: str | Omit = OMIT,
        status_code: str | Omit = OMIT,
        error_class: str | Omit = OMIT,
        until: datetime | str | Omit = OMIT,
        ids: Sequence[str] | Omit = OMIT,
        status: t.CreateReplayBodyStatus | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.ReplayTrial: ...

    async def create(
        self,
        *,
        since: datetime | str,
        event_id: str | Omit = OMIT,
        event_type: str | Omit = OMIT,
        status_code: str | Omit = OMIT,
        error_class: str | Omit = OMIT,
        until: datetime | str | Omit = OMIT,
        ids: Sequence[str] | Omit = OMIT,
        dry_run: bool | Omit = OMIT,
        status: t.CreateReplayBodyStatus | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.ReplayTrial | t.Replay:
        """Make deliveries of a time again, of all webhooks. Like the replay of one webhook, for all
        webhooks of the organization, one after the other. Scope: `deliveries:write`. (`POST /v1/replays`)

        Args:
            event_id: Starts with `evt_`, which may be left out.
            event_type: Only deliveries of events of this type.
            status_code: The status of the last attempt’s answer: one status, or a class such as `5xx`.
            error_class: One or several of: timeout, dns, refused, reset, tls, invalid_answer,
                blocked_address, http_3xx, http_4xx, http_5xx, http_other; with a comma between two.
            since: Only deliveries made at or after this moment.
            until: Only deliveries made before this moment.
            ids: Only these. Ids of deliveries of others, or that were removed, are ignored.
            dry_run: Only counts the deliveries; nothing is changed.
            status: Which deliveries are made again, by their outcome.
        """
        call = make_call(
            "POST",
            "/v1/replays",
            options,
            body_type=t.CreateReplayBody,
            body={
                "eventId": event_id,
                "eventType": event_type,
                "statusCode": status_code,
                "errorClass": error_class,
                "since": since,
                "until": until,
                "ids": ids,
                "dryRun": dry_run,
                "status": status,
            },
            once=True,
        )
        return cast("t.ReplayTrial | t.Replay", await self._transport.json(call, t.ReplayTrial if dry_run is True else t.Replay))

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.Replay]:
        """List the replays of the organization. Newest first, of all webhooks or of one, with their
        progress. Scope: `deliveries:read`. (`GET /v1/replays`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call("GET", "/v1/replays", options, query={"limit": limit, "cursor": cursor})
        return self._transport.pages(call, t.Replay)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.Replay:
        """Read the progress of a replay. Scope: `deliveries:read`. (`GET /v1/replays/{id}`)"""
        call = make_call("GET", "/v1/replays/{id}", options, places={"id": id})
        return await self._transport.json(call, t.Replay)


class AsyncRoles:
    """The methods of `roles`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        name: str,
        permissions: Sequence[t.CreateRoleBodyPermission],
        description: str | None | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.OrganizationRole:
        """Create a role. A role is a named set of permissions. The caller must have each of them. `role`
        of members and invitations accepts its id. An organization may create 50 roles. Scope:
        `roles:write`. (`POST /v1/roles`)

        Args:
            name: The name of the role, unique in the organization.
            description: The purpose of the role; null: none is given.
            permissions: The permissions of its holders. docs/scopes.md lists the operations of each.
        """
        call = make_call(
            "POST",
            "/v1/roles",
            options,
            body_type=t.CreateRoleBody,
            body={"name": name, "description": description, "permissions": permissions},
            once=True,
        )
        return await self._transport.json(call, t.OrganizationRole)

    async def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Delete a role. Refused with `role_in_use` while a member has the role, a pending invitation
        names it, or a group of the directory or an identity provider gives it: first give those members
        and groups another role, and revoke those invitations. The caller must have every permission of the
        role. Scope: `roles:write`. (`DELETE /v1/roles/{id}`)"""
        call = make_call("DELETE", "/v1/roles/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def list(self, **options: Unpack[CallOptions]) -> AsyncPages[t.OrganizationRole]:
        """List roles. All roles: `administrator` and `member`, which every organization has, then its own,
        oldest first. Scope: `roles:read`. (`GET /v1/roles`)"""
        call = make_call("GET", "/v1/roles", options)
        return self._transport.pages(call, t.OrganizationRole)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.OrganizationRole:
        """Read a role of the organization's own. Scope: `roles:read`. (`GET /v1/roles/{id}`)"""
        call = make_call("GET", "/v1/roles/{id}", options, places={"id": id})
        return await self._transport.json(call, t.OrganizationRole)

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        description: str | None | Omit = OMIT,
        permissions: Sequence[t.CreateRoleBodyPermission] | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.OrganizationRole:
        """Change a role. The caller must have every permission that the role has before and after. A
        change of `permissions` takes effect for all holders of the role within five seconds, also in open
        streams; their pending invitations that they could no longer make are revoked. Scope:
        `roles:write`. (`PATCH /v1/roles/{id}`)

        Args:
            name: The name of the role, unique in the organization.
            description: The purpose of the role; null: none is given.
            permissions: All that its holders may do from now on. docs/scopes.md lists the operations of
                each.
        """
        call = make_call(
            "PATCH",
            "/v1/roles/{id}",
            options,
            places={"id": id},
            body_type=t.UpdateRoleBody,
            body={"name": name, "description": description, "permissions": permissions},
        )
        return await self._transport.json(call, t.OrganizationRole)


class AsyncRuns:
    """The methods of `runs`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def cancel(self, id: str, **options: Unpack[CallOptions]) -> t.Run:
        """Cancel a run. In every state, at once: the current call is aborted. A run that has ended does
        not change. Scope: `runs:write`. (`POST /v1/runs/{id}/cancel`)"""
        call = make_call("POST", "/v1/runs/{id}/cancel", options, places={"id": id})
        return await self._transport.json(call, t.Run)

    async def decide(
        self,
        id: str,
        step_id: str,
        *,
        decision: t.DecideApprovalBodyDecision,
        reason: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.Run:
        """Approve or deny a call of a tool. Once, and within 24 hours; after that the call is denied. An
        approval is valid only for this call with its current arguments and definition. `approvers` of the
        tool sets the deciders: by default a signed-in person, never an API key (`FORBIDDEN`,
        `person_required`). Scope: `approvals:write`. (`POST /v1/runs/{id}/approvals/{stepId}`)

        Args:
            decision: The decision. It is valid once, for this call with these arguments.
            reason: Kept with the run; of a call that is denied the model reads it.
        """
        call = make_call(
            "POST",
            "/v1/runs/{id}/approvals/{stepId}",
            options,
            places={"id": id, "stepId": step_id},
            body_type=t.DecideApprovalBody,
            body={"decision": decision, "reason": reason},
        )
        return await self._transport.json(call, t.Run)

    async def decide_all(
        self,
        id: str,
        *,
        decisions: Sequence[t.DecideApprovalsBodyDecision | Mapping[str, Any]],
        **options: Unpack[CallOptions],
    ) -> t.Run:
        """Approve or deny several calls of tools. Accepts all decisions or none. The run continues when
        all its calls are decided. Scope: `approvals:write`. (`POST /v1/runs/{id}/approvals`)"""
        call = make_call(
            "POST",
            "/v1/runs/{id}/approvals",
            options,
            places={"id": id},
            body_type=t.DecideApprovalsBody,
            body={"decisions": decisions},
        )
        return await self._transport.json(call, t.Run)

    def list(
        self,
        *,
        agent_id: str | None = None,
        status: t.RunStatus | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.Run]:
        """List the runs of the organization. Newest first, of all agents, also deleted ones. Members get
        their own runs, administrators all. Scope: `runs:read`. (`GET /v1/runs`)

        Args:
            agent_id: Starts with `agt_`, which may be left out.
            status: Only those in this state.
            since: Only what happened at or after this moment.
            until: Only what happened before this moment.
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call(
            "GET",
            "/v1/runs",
            options,
            query={
                "agentId": agent_id,
                "status": status,
                "since": since,
                "until": until,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return self._transport.pages(call, t.Run)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.Run:
        """Read a run. Scope: `runs:read`. (`GET /v1/runs/{id}`)"""
        call = make_call("GET", "/v1/runs/{id}", options, places={"id": id})
        return await self._transport.json(call, t.Run)

    async def resume(self, id: str, **options: Unpack[CallOptions]) -> t.Run:
        """Resume a failed run. Continues after its last finished step: nothing is done or paid twice. The
        limits of time and steps start again. A run that has not failed is `FORBIDDEN` (`run_not_failed`).
        Scope: `runs:write`. (`POST /v1/runs/{id}/resume`)"""
        call = make_call("POST", "/v1/runs/{id}/resume", options, places={"id": id}, once=True)
        return await self._transport.json(call, t.Run)

    def steps(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.Step]:
        """List the steps of a run. Oldest first. Each step is stored before it starts. Scope: `runs:read`.
        (`GET /v1/runs/{id}/steps`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call(
            "GET",
            "/v1/runs/{id}/steps",
            options,
            places={"id": id},
            query={"limit": limit, "cursor": cursor},
        )
        return self._transport.pages(call, t.Step)

    def stream(self, id: str, **options: Unpack[StreamOptions]) -> AsyncEventStream:
        """Watch a run. Server-sent events with their position as `id`; a client that reconnects with
        `Last-Event-ID` gets the later events, from any process. The stream ends after the end of the run.
        A client that disconnects does not end the run. `run.output.delta` extends the text of the current
        step, `run.output.snapshot` replaces it; neither has an `id`. Scope: `runs:read`. (`GET
        /v1/runs/{id}/events`)"""
        call = make_call("GET", "/v1/runs/{id}/events", options, places={"id": id})
        return self._transport.stream(call)


class AsyncServiceAccounts:
    """The methods of `service_accounts`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        name: str,
        description: str | None | Omit = OMIT,
        owner_id: str | None | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.ServiceAccount:
        """Create a service account. The identity of a machine: it owns everything that its API keys make,
        with any of them. It stays when its maker leaves. `ownerId` is the responsible member. Default: the
        person who makes it, or the responsible member of the service account that makes it. Scope:
        `keys:write`. (`POST /v1/service-accounts`)

        Args:
            name: The name of the machine in records of its actions.
            description: The purpose of the machine; null: none is given.
            owner_id: Starts with `acc_`, which may be left out.
        """
        call = make_call(
            "POST",
            "/v1/service-accounts",
            options,
            body_type=t.CreateServiceAccountBody,
            body={"name": name, "description": description, "ownerId": owner_id},
            once=True,
        )
        return await self._transport.json(call, t.ServiceAccount)

    async def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Delete a service account. All its API keys end at once, also for open streams, and their pending
        invitations are revoked. Its resources stay under its id. Scope: `keys:write`. (`DELETE
        /v1/service-accounts/{id}`)"""
        call = make_call("DELETE", "/v1/service-accounts/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.ServiceAccount]:
        """List service accounts. Scope: `keys:read`. (`GET /v1/service-accounts`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call("GET", "/v1/service-accounts", options, query={"limit": limit, "cursor": cursor})
        return self._transport.pages(call, t.ServiceAccount)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.ServiceAccount:
        """Read a service account. Scope: `keys:read`. (`GET /v1/service-accounts/{id}`)"""
        call = make_call("GET", "/v1/service-accounts/{id}", options, places={"id": id})
        return await self._transport.json(call, t.ServiceAccount)

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        description: str | None | Omit = OMIT,
        owner_id: str | None | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.ServiceAccount:
        """Change a service account. Scope: `keys:write`. (`PATCH /v1/service-accounts/{id}`)

        Args:
            name: The name of the machine in records of its actions.
            description: The purpose of the machine; null: none is given.
            owner_id: Starts with `acc_`, which may be left out.
        """
        call = make_call(
            "PATCH",
            "/v1/service-accounts/{id}",
            options,
            places={"id": id},
            body_type=t.UpdateServiceAccountBody,
            body={"name": name, "description": description, "ownerId": owner_id},
        )
        return await self._transport.json(call, t.ServiceAccount)


class AsyncSessions:
    """The methods of `sessions`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def current(self, **options: Unpack[CallOptions]) -> t.Session:
        """Read the session and its user. (`GET /v1/auth/session`)"""
        call = make_call("GET", "/v1/auth/session", options)
        return await self._transport.json(call, t.Session)

    async def end(self, id: str, **options: Unpack[CallOptions]) -> None:
        """End one of the sessions. (`DELETE /v1/auth/sessions/{id}`)"""
        call = make_call("DELETE", "/v1/auth/sessions/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    async def end_others(self, **options: Unpack[CallOptions]) -> t.EndOtherSessionsAnswer:
        """End all other sessions. Also ends every mailed link of the account, and its grants to
        applications. The session of the request stays. (`DELETE /v1/auth/sessions`)"""
        call = make_call("DELETE", "/v1/auth/sessions", options)
        return await self._transport.json(call, t.EndOtherSessionsAnswer)

    def list(self, **options: Unpack[CallOptions]) -> AsyncPages[t.SessionItem]:
        """List the account's sessions. (`GET /v1/auth/sessions`)"""
        call = make_call("GET", "/v1/auth/sessions", options)
        return self._transport.pages(call, t.SessionItem)


class AsyncSetup:
    """The methods of `setup`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def change_provider(
        self,
        *,
        kind: t.IdentityProviderKind,
        oidc: t.CreateIdentityProviderBodyOidc | Mapping[str, Any] | Omit = OMIT,
        saml: t.CreateIdentityProviderBodySaml | Mapping[str, Any] | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.Setup:
        """Enter how the identity provider is reached. The first call adds the provider, disabled; a later
        call replaces its connection settings, secret included. The call is `FORBIDDEN`
        (`changed_elsewhere`) after the provider was enabled, or an administrator has changed it. (`PUT
        /v1/setup/identity-provider`)

        Args:
            kind: `oidc`: OpenID Connect. `saml`: SAML 2.0.
            oidc: How it is reached, where it is `oidc`.
            saml: The settings of a `saml` provider: `metadata`, or the members that they contain.
        """
        call = make_call(
            "PUT",
            "/v1/setup/identity-provider",
            options,
            body_type=t.ChangeSetupProviderBody,
            body={"kind": kind, "oidc": oidc, "saml": saml},
        )
        return await self._transport.json(call, t.Setup)

    async def check_domain(self, *, name: str, **options: Unpack[CallOptions]) -> t.Setup:
        """Claim a domain, and look its record up. Claims the domain, unless the organization has claimed
        it, and looks the record up now: the domain is `verified`, or unchanged with a `reason`. A domain
        that another organization has proven is `DUPLICATE`. A link claims 10 domains at most. (`POST
        /v1/setup/domains`)

        Args:
            name: The part of addresses after the `@`, in any script.
        """
        call = make_call(
            "POST",
            "/v1/setup/domains",
            options,
            body_type=t.CreateDomainBody,
            body={"name": name},
        )
        return await self._transport.json(call, t.Setup)

    async def create_directory_key(self, **options: Unpack[CallOptions]) -> t.CreatedSetupDirectoryKey:
        """Make the API key of the directory. The key has only the scope of SCIM, and only this answer
        shows it. A further call replaces the key by a new one and revokes the old one. The call is
        `FORBIDDEN` (`key_changed_elsewhere`) after an administrator has deleted, rotated or limited the
        key. (`POST /v1/setup/directory`)"""
        call = make_call("POST", "/v1/setup/directory", options)
        return await self._transport.json(call, t.CreatedSetupDirectoryKey)

    async def finish(self, **options: Unpack[CallOptions]) -> t.Setup:
        """Finish the setup. Ends the link. Everything that was set up stays. (`POST /v1/setup/finish`)"""
        call = make_call("POST", "/v1/setup/finish", options)
        return await self._transport.json(call, t.Setup)

    async def open(self, *, token: str, **options: Unpack[CallOptions]) -> t.Setup:
        """Open a setup link. With the token of the link, which is valid once: the browser gets a cookie,
        and only this browser can continue the setup. `ENTITY_NOT_FOUND` for a token that is unknown,
        revoked or expired; with `reason: opened_elsewhere` where another browser has opened the link.
        `FORBIDDEN` (`another_setup`) where this browser has opened another link that has not ended,
        because an open page of that link would change this organization. (`POST /v1/setup/open`)

        Args:
            token: The secret of the link, which follows `?token=`.
        """
        call = make_call(
            "POST",
            "/v1/setup/open",
            options,
            body_type=t.ConfirmEmailChangeBody,
            body={"token": token},
        )
        return await self._transport.json(call, t.Setup)

    async def read(self, **options: Unpack[CallOptions]) -> t.Setup:
        """Read the setup that this browser has opened. The values to enter elsewhere, and the progress of
        each purpose; null for a purpose that the link does not have. No secret is shown again. (`GET
        /v1/setup`)"""
        call = make_call("GET", "/v1/setup", options)
        return await self._transport.json(call, t.Setup)

    async def test_provider(self, **options: Unpack[CallOptions]) -> t.SignInWithProviderAnswer:
        """Try a sign-in at the identity provider. Redirect the browser to `authUrl`. The provider sends
        the browser back to `/set-up`, and `GET /v1/setup` has the result. The test begins no session. A
        successful test enables the provider where the link `activates` it. (`POST
        /v1/setup/identity-provider/test`)"""
        call = make_call("POST", "/v1/setup/identity-provider/test", options)
        return await self._transport.json(call, t.SignInWithProviderAnswer)


class AsyncSetupLinks:
    """The methods of `setup_links`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        name: str,
        purposes: Sequence[t.SetupLinkPurpose],
        email: str | Omit = OMIT,
        language: t.CreateInvitationBodyLanguage | Omit = OMIT,
        expires_in_days: int | Omit = OMIT,
        activates: bool | Omit = OMIT,
        creates_memberships: bool | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.SetupLink:
        """Make a setup link. A link lets the IT of the organization's company configure sign-in without an
        account. The first browser that opens the link is bound to it; the link is valid in no other
        browser. `purposes` limit what the link may do. `domains`: claim and verify domains. `provider`:
        add one identity provider and test it. An administrator enables the provider; with `activates`, the
        first successful test enables it. `activates` and `createsMemberships` need this purpose.
        `directory`: make one API key for SCIM. `provider` and `directory` need all permissions
        (`all_permissions_required`). A link shows no member, and shows no secret twice. A link ends with
        the permission of its maker. An organization has at most 10 open links. Scope: `sign_in:write`.
        (`POST /v1/setup-links`)

        Args:
            name: Whom it is for, in the words of its maker.
            purposes: The permitted uses.
            email: An e-mail address.
            language: The language of the mail.
            expires_in_days: How long it lasts, unless the key that makes it ends before.
            activates: Whether a sign-in that works enables the identity provider; else an administrator
                does.
            creates_memberships: The same as for the added identity provider.
        """
        call = make_call(
            "POST",
            "/v1/setup-links",
            options,
            body_type=t.CreateSetupLinkBody,
            body={
                "name": name,
                "purposes": purposes,
                "email": email,
                "language": language,
                "expiresInDays": expires_in_days,
                "activates": activates,
                "createsMemberships": creates_memberships,
            },
            once=True,
        )
        return await self._transport.json(call, t.SetupLink)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        only_open: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.SetupLink]:
        """List setup links. Newest first; ended links are kept for `RETENTION_DAYS`. Scope:
        `sign_in:read`. (`GET /v1/setup-links`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            only_open: Only links that can still be used.
        """
        call = make_call(
            "GET",
            "/v1/setup-links",
            options,
            query={"limit": limit, "cursor": cursor, "onlyOpen": only_open},
        )
        return self._transport.pages(call, t.SetupLink)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.SetupLink:
        """Read a setup link. Scope: `sign_in:read`. (`GET /v1/setup-links/{id}`)"""
        call = make_call("GET", "/v1/setup-links/{id}", options, places={"id": id})
        return await self._transport.json(call, t.SetupLink)

    async def revoke(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Revoke a setup link. Ends the link at once, also in the browser that opened it. Everything that
        was set up stays: domains, the identity provider and the API key belong to the organization. Scope:
        `sign_in:write`. (`DELETE /v1/setup-links/{id}`)"""
        call = make_call("DELETE", "/v1/setup-links/{id}", options, places={"id": id})
        await self._transport.nothing(call)


class AsyncWebhooks:
    """The methods of `webhooks`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def call(self, endpoint_path: str, **options: Unpack[CallOptions]) -> t.CallWebhookAnswer:
        """Call a webhook from outside. No token is required. A caller that sends `X-Service-Signature`
        must sign with a live secret of the webhook. Calls that were caused by Postern’s deliveries have
        `X-Service-Hops`; with more than 5 a call is refused. (`POST /v1/webhooks/{endpointPath}`)"""
        call = make_call(
            "POST",
            "/v1/webhooks/{endpointPath}",
            options,
            places={"endpointPath": endpoint_path},
        )
        return await self._transport.json(call, t.CallWebhookAnswer)

    async def create(
        self,
        *,
        url: str,
        events: Sequence[str],
        endpoint_path: str | Omit = OMIT,
        description: str | Omit = OMIT,
        max_in_flight: int | Omit = OMIT,
        max_per_second: float | None | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.CreatedWebhook:
        """Register a webhook. The answer holds the `secret` that signs its deliveries; it is never shown
        again. Scope: `webhooks:write`. (`POST /v1/webhooks`)

        Args:
            url: Absolute http or https URL without credentials, at a public address.
            events: Event types, or `*` for every one.
            endpoint_path: Opens `POST /v1/webhooks/{endpointPath}` to external systems.
            description: The purpose of the webhook.
            max_in_flight: The most concurrent attempts; 256 by default. Below it as many are made as are
                answered well, and no slower than usual.
            max_per_second: The most calls per second to the destination. Deliveries that wait for this
                limit are neither late nor failed.
        """
        call = make_call(
            "POST",
            "/v1/webhooks",
            options,
            body_type=t.CreateWebhookBody,
            body={
                "url": url,
                "events": events,
                "endpointPath": endpoint_path,
                "description": description,
                "maxInFlight": max_in_flight,
                "maxPerSecond": max_per_second,
            },
            once=True,
        )
        return await self._transport.json(call, t.CreatedWebhook)

    async def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Delete a webhook. Its pending deliveries fail with the reason `webhook_deleted`; the record of
        the others stays. Scope: `webhooks:write`. (`DELETE /v1/webhooks/{id}`)"""
        call = make_call("DELETE", "/v1/webhooks/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def deliveries(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: t.DeliveryStatus | None = None,
        event_type: str | None = None,
        since: datetime | str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.WebhookDelivery]:
        """List the deliveries of a webhook. Scope: `deliveries:read`. (`GET /v1/webhooks/{id}/deliveries`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            status: Only those in this state.
            event_type: Only those of this event type.
            since: Only what happened at or after this moment.
        """
        call = make_call(
            "GET",
            "/v1/webhooks/{id}/deliveries",
            options,
            places={"id": id},
            query={
                "limit": limit,
                "cursor": cursor,
                "status": status,
                "eventType": event_type,
                "since": since,
            },
        )
        return self._transport.pages(call, t.WebhookDelivery)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        search: str | None = None,
        event_type: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.Webhook]:
        """List webhooks. Scope: `webhooks:read`. (`GET /v1/webhooks`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            search: Only items with this text in their URL or description; upper and lower case are equal.
            event_type: Webhooks that subscribe to this event type, or to all.
        """
        call = make_call(
            "GET",
            "/v1/webhooks",
            options,
            query={"limit": limit, "cursor": cursor, "search": search, "eventType": event_type},
        )
        return self._transport.pages(call, t.Webhook)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.Webhook:
        """Read a webhook. Scope: `webhooks:read`. (`GET /v1/webhooks/{id}`)"""
        call = make_call("GET", "/v1/webhooks/{id}", options, places={"id": id})
        return await self._transport.json(call, t.Webhook)

    @overload
    async def replay(
        self,
        id: str,
        *,
        since: datetime | str,
        event_id: str | Omit = OMIT,
        event_type: str | Omit = OMIT,
        status_code: str | Omit = OMIT,
        error_class: str | Omit = OMIT,
        until: datetime | str | Omit = OMIT,
        ids: Sequence[str] | Omit = OMIT,
        dry_run: Literal[False] | Omit = OMIT,
        status: t.CreateReplayBodyStatus | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.Replay: ...

    @overload
    async def replay(
        self,
        id: str,
        *,
        since: datetime | str,
        dry_run: Literal[True],
        event_id: str | Omit = OMIT,
        event_type: str | Omit = OMIT,
        status_code: str | Omit = OMIT,
        error_class: str | Omit = OMIT,
        until: datetime | str | Omit = OMIT,
        ids: Sequence[str] | Omit = OMIT,
        status: t.CreateReplayBodyStatus | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.ReplayTrial: ...

    async def replay(
        self,
        id: str,
        *,
        since: datetime | str,
        event_id: str | Omit = OMIT,
        event_type: str | Omit = OMIT,
        status_code: str | Omit = OMIT,
        error_class: str | Omit = OMIT,
        until: datetime | str | Omit = OMIT,
        ids: Sequence[str] | Omit = OMIT,
        dry_run: bool | Omit = OMIT,
        status: t.CreateReplayBodyStatus | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.ReplayTrial | t.Replay:
        """Make deliveries of a time again. Makes one new delivery for each event that has a delivery of
        that time and status, and whose newest delivery to the webhook still has that status. Events that
        were delivered since or are on their way again, and tests, are left out. Scope: `deliveries:write`.
        (`POST /v1/webhooks/{id}/replay`)

        Args:
            event_id: Starts with `evt_`, which may be left out.
            event_type: Only deliveries of events of this type.
            status_code: The status of the last attempt’s answer: one status, or a class such as `5xx`.
            error_class: One or several of: timeout, dns, refused, reset, tls, invalid_answer,
                blocked_address, http_3xx, http_4xx, http_5xx, http_other; with a comma between two.
            since: Only deliveries made at or after this moment.
            until: Only deliveries made before this moment.
            ids: Only these. Ids of deliveries of others, or that were removed, are ignored.
            dry_run: Only counts the deliveries; nothing is changed.
            status: Which deliveries are made again, by their outcome.
        """
        call = make_call(
            "POST",
            "/v1/webhooks/{id}/replay",
            options,
            places={"id": id},
            body_type=t.CreateReplayBody,
            body={
                "eventId": event_id,
                "eventType": event_type,
                "statusCode": status_code,
                "errorClass": error_class,
                "since": since,
                "until": until,
                "ids": ids,
                "dryRun": dry_run,
                "status": status,
            },
            once=True,
        )
        return cast("t.ReplayTrial | t.Replay", await self._transport.json(call, t.ReplayTrial if dry_run is True else t.Replay))

    async def rotate_secret(self, id: str, **options: Unpack[CallOptions]) -> t.RotateWebhookSecretAnswer:
        """Rotate the secret. Only this answer has the new `secret`. It signs from now on; the previous one
        stays valid for 24 hours, so a receiver that still has it is not affected. Scope: `webhooks:write`.
        (`POST /v1/webhooks/{id}/rotate-secret`)"""
        call = make_call("POST", "/v1/webhooks/{id}/rotate-secret", options, places={"id": id}, once=True)
        return await self._transport.json(call, t.RotateWebhookSecretAnswer)

    async def stats(
        self,
        id: str,
        *,
        window: str | None = None,
        **options: Unpack[CallOptions],
    ) -> t.WebhookStats:
        """Read how a destination fares. Deliveries by their outcome since `from`: the window ends with the
        current minute (up to 4 h), quarter of an hour (up to 95 h) or hour, in UTC. Counts are exact, and
        written with the deliveries: each counts at the time when it was made, as pending until it is
        delivered or has failed. A retry by hand and a replay make new deliveries. Samples count. Pending
        deliveries of a deleted webhook count as failed. Scope: `webhooks:read`. (`GET
        /v1/webhooks/{id}/stats`)

        Args:
            window: How far to look back: minutes, hours or days, such as `90m`, `24h` or `7d`.
        """
        call = make_call(
            "GET",
            "/v1/webhooks/{id}/stats",
            options,
            places={"id": id},
            query={"window": window},
        )
        return await self._transport.json(call, t.WebhookStats)

    async def test(
        self,
        id: str,
        *,
        type: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.TestWebhookAnswer:
        """Send a sample event. Sends the sample of an event type once, for any status and events of the
        webhook. Tests do not count for `health`. After a delivered test, waiting deliveries of the webhook
        are tried at once, also where it is parked; these attempts then decide about `health`. Scope:
        `webhooks:write`. (`POST /v1/webhooks/{id}/test`)

        Args:
            type: Type whose example is sent; `webhook.test` where it is left out.
        """
        call = make_call(
            "POST",
            "/v1/webhooks/{id}/test",
            options,
            places={"id": id},
            body_type=t.TestWebhookBody,
            body={"type": type},
            may_lack_body=True,
        )
        return await self._transport.json(call, t.TestWebhookAnswer)

    async def update(
        self,
        id: str,
        *,
        url: str | Omit = OMIT,
        events: Sequence[str] | Omit = OMIT,
        endpoint_path: str | None | Omit = OMIT,
        description: str | None | Omit = OMIT,
        status: t.UpdateWebhookBodyStatus | Omit = OMIT,
        max_in_flight: int | Omit = OMIT,
        max_per_second: float | None | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.Webhook:
        """Change, pause or resume a webhook. Scope: `webhooks:write`. (`PATCH /v1/webhooks/{id}`)

        Args:
            url: Absolute http or https URL without credentials, at a public address.
            events: Event types, or `*` for every one.
            endpoint_path: Opens `POST /v1/webhooks/{endpointPath}` to external systems.
            description: The purpose of the webhook. Null removes it.
            status: `paused` keeps events until it is `active` again.
            max_in_flight: The most concurrent attempts; 256 by default. Below it as many are made as are
                answered well, and no slower than usual.
            max_per_second: The most calls per second to the destination. Deliveries that wait for this
                limit are neither late nor failed.
        """
        call = make_call(
            "PATCH",
            "/v1/webhooks/{id}",
            options,
            places={"id": id},
            body_type=t.UpdateWebhookBody,
            body={
                "url": url,
                "events": events,
                "endpointPath": endpoint_path,
                "description": description,
                "status": status,
                "maxInFlight": max_in_flight,
                "maxPerSecond": max_per_second,
            },
        )
        return await self._transport.json(call, t.Webhook)


class AsyncMethods:
    """The methods of a client, by what they are about."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.account = AsyncAccount(transport)
        self.accounts = AsyncAccounts(transport)
        self.actors = AsyncActors(transport)
        self.agents = AsyncAgents(transport)
        self.api_keys = AsyncApiKeys(transport)
        self.audit_log = AsyncAuditLog(transport)
        self.audit_streams = AsyncAuditStreams(transport)
        self.auth = AsyncAuth(transport)
        self.billing = AsyncBilling(transport)
        self.captures = AsyncCaptures(transport)
        self.connections = AsyncConnections(transport)
        self.conversations = AsyncConversations(transport)
        self.deliveries = AsyncDeliveries(transport)
        self.documents = AsyncDocuments(transport)
        self.domains = AsyncDomains(transport)
        self.errors = AsyncErrors(transport)
        self.event_types = AsyncEventTypes(transport)
        self.events = AsyncEvents(transport)
        self.factors = AsyncFactors(transport)
        self.files = AsyncFiles(transport)
        self.grants = AsyncGrants(transport)
        self.health = AsyncHealth(transport)
        self.identity_providers = AsyncIdentityProviders(transport)
        self.invitations = AsyncInvitations(transport)
        self.knowledge_bases = AsyncKnowledgeBases(transport)
        self.listeners = AsyncListeners(transport)
        self.mails = AsyncMails(transport)
        self.mcp = AsyncMcp(transport)
        self.mcp_servers = AsyncMcpServers(transport)
        self.members = AsyncMembers(transport)
        self.models = AsyncModels(transport)
        self.oauth_clients = AsyncOauthClients(transport)
        self.operator = AsyncOperator(transport)
        self.organizations = AsyncOrganizations(transport)
        self.platform_keys = AsyncPlatformKeys(transport)
        self.problems = AsyncProblems(transport)
        self.provisioning = AsyncProvisioning(transport)
        self.replays = AsyncReplays(transport)
        self.roles = AsyncRoles(transport)
        self.runs = AsyncRuns(transport)
        self.service_accounts = AsyncServiceAccounts(transport)
        self.sessions = AsyncSessions(transport)
        self.setup = AsyncSetup(transport)
        self.setup_links = AsyncSetupLinks(transport)
        self.webhooks = AsyncWebhooks(transport)

    def stream(
        self,
        *,
        topics: str | None = None,
        webhook_id: str | None = None,
        **options: Unpack[StreamOptions],
    ) -> AsyncEventStream:
        """Watch an organization. Server-sent events: `open` first, then the current state of a `delivery`,
        `replay`, `webhook`, `capture`, `invitation`, `file`, `document`, `domain`, `identityProvider`,
        `setupLink`, `apiKey` or `run` after each change. Of several changes at once the last is shown. A
        client that reconnects with `Last-Event-ID` within five minutes gets the missed events, from any
        process; `gap` means that events are missing: read the lists again. `end` has the reason for the
        end of the stream: `token_expired`, `revoked` or `stopping`. (`GET /v1/stream`)

        Args:
            topics: Topics, separated by commas: deliveries, replays, webhooks, captures, invitations,
                files, documents, domains, identity-providers, setup-links, scim-exchanges, api-keys, runs.
                Default: all that the caller may see. Captures and invitations are for administrators; API
                keys, domains, identity providers, setup links and requests of directories for callers with
                the permission to read them; runs for their owner and administrators.
            webhook_id: Starts with `whk_`, which may be left out.
        """
        call = make_call("GET", "/v1/stream", options, query={"topics": topics, "webhookId": webhook_id})
        return self._transport.stream(call)
