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
        """Take back the change of address that waits. Both links stop working. The answer is the same
        where none waits. (`DELETE /v1/auth/change-email`)"""
        call = make_call("DELETE", "/v1/auth/change-email", options)
        await self._transport.nothing(call)

    async def change_email(
        self,
        *,
        new_email: str,
        current_password: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.RequestMagicLinkAnswer:
        """Ask to change one's own address. Mails both mailboxes, and changes nothing before both have
        agreed, within 24 hours. One answer, whether or not the address has an account. It asks for a
        second factor of the last 10 minutes; of who has none, for `currentPassword` or a sign-in of the
        last 10 minutes. A newer request replaces an earlier one. (`POST /v1/auth/change-email`)

        Args:
            new_email: The address that the account is to get.
            current_password: In place of a recent sign-in, where the account has no second factor.
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
        it. Who has no password yet asks for a reset. (`POST /v1/auth/change-password`)

        Args:
            current_password: The present password, so that an open browser alone cannot change it.
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
        """Agree to a change of address, at either mailbox. The second of the two changes it: every other
        session of the account ends, with every mailed link and grant. Either link asks for a session of
        the account (`UNAUTHORIZED` without one, `own_sign_in_required` in one of an organization's
        identity provider), but for a change that the operator began. Where no mailbox of the account was
        ever proven, the last of them ends the password, and all that was set up before. `DUPLICATE` where
        the new address has another person's account. (`POST /v1/auth/change-email/confirm`)

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
        """Read the change of address that waits. `change` is null where none does. (`GET
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
        """Change one's own names and language. (`PATCH /v1/auth/account`)

        Args:
            first_name: Given name, as others in the organization see it.
            last_name: Family name, as others in the organization see it.
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
            end_keys: Also deletes the API keys that it made or rotated, and those that were made with
                them.
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
        """Begin a change of the address of an account. For a person who has lost the present mailbox,
        which is told and may refuse. The address changes when the new mailbox confirms it, within 24
        hours; every session then ends. (`POST /v1/operator/accounts/{id}/email-change`)

        Args:
            new_email: The address that the account is to get.
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
        """Delete an account. There is no way back. Its sessions, memberships, links, invitations and mails
        go with it; its entries in the audit log stay, under its id. Invited again, the address is a new
        account. (`DELETE /v1/operator/accounts/{id}`)

        Args:
            email: Its address, to be sure.
            end_keys: Also deletes the API keys that it made or rotated, and those that were made with
                them.
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
        """End all sessions of an account. In all of its organizations, with their tokens and open streams,
        and every link and code that was mailed to it. The person signs in once more. (`DELETE
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
        """Import accounts of another system. Each is what a line of `npx postern import-accounts` is. An
        account that exists is never changed, so that the same request may be sent again. A refused account
        does not hold up the others; 100 at a time are imported together. (`POST
        /v1/operator/accounts/import`)

        Args:
            accounts: Accounts with the members that docs/operations.md describes.
            dry_run: Says what would be refused, and changes nothing.
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
        """Remove the second factors of an account. For a person who has lost all of them, recovery codes
        too. Ends every session and every mailed link of the account, and mails the person. The last
        exception from the required sign-in of an organization keeps them (`FORBIDDEN`, `reason:
        last_exception`, `organizationId`) until that is not required any more (`signInRequired`). (`DELETE
        /v1/operator/accounts/{id}/factors`)"""
        call = make_call("DELETE", "/v1/operator/accounts/{id}/factors", options, places={"id": id})
        return await self._transport.json(call, t.RemoveMemberFactorsAnswer)


class AsyncActors:
    """The methods of `actors`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, ids: str, **options: Unpack[CallOptions]) -> AsyncPages[t.Actor]:
        """Name who did something. Names for the ids in `createdBy`, `actorId`, `decidedBy` and
        `inviterId`: of members, of former members as they were called when they left, of service accounts,
        of API keys (`keyId`), of keys of the platform, of identity providers, and of setup links. An id
        that the organization does not know, or whose account or key is deleted, is not in the answer.
        Scope: `members:read`. (`GET /v1/actors`)

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
            name: What people call the agent.
            instructions: Text that the model reads first in each of its calls.
            model: A name of `GET /v1/models`.
            knowledge_base_ids: Knowledge bases that the agent searches; each id starts with `knb_`.
            tools: Tools of MCP servers that the agent may call.
            max_steps: Calls of the model and of tools in a run; calls of a model that failed do not count.
            max_output_tokens: Longest answer of one call of the model, in tokens.
            timeout_ms: How long a run takes at most, beside the time for which it waits for a person.
            on_length: What an answer that was cut at `maxOutputTokens` does: `keep`, the default, ends the
                run with what was said, `fail` fails it. Calls of tools in such an answer are not made in
                either case.
            on_model_failure: What a call of the model does that failed and may have been paid: `fail`, the
                default, fails the run, `retry` asks twice more, `fallback` asks `fallbackModel`. One that
                cannot have been paid is tried again up to 10 times in a row, twice where `fallback`
                follows.
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
            search: Only those that hold this text in their name, in capitals or not.
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
            input: What the agent is asked.
            conversation_id: Starts with `cnv_`, which may be left out.
            file_ids: Files whose text the agent reads; each id starts with `fil_`.
            metadata: Facts of your own, stored with the run and sent with `agent.run.completed`.
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
        """List an agent's runs. Of a member the member's own, of an administrator all. Scope: `runs:read`.
        (`GET /v1/agents/{id}/runs`)

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
            name: What people call the agent.
            instructions: Text that the model reads first in each of its calls.
            model: A name of `GET /v1/models`.
            knowledge_base_ids: Knowledge bases that the agent searches; each id starts with `knb_`.
            tools: Tools of MCP servers that the agent may call.
            max_steps: Calls of models and tools of one run, at most; calls of a model that failed do not
                count.
            max_output_tokens: Longest answer of one call of the model, in tokens.
            timeout_ms: Longest time of a run in milliseconds; waiting for a person does not count.
            on_length: What an answer that was cut at `maxOutputTokens` does: `keep`, the default, ends the
                run with what was said, `fail` fails it. Calls of tools in such an answer are not made in
                either case.
            on_model_failure: What a call of the model does that failed and may have been paid: `fail`, the
                default, fails the run, `retry` asks twice more, `fallback` asks `fallbackModel`. One that
                cannot have been paid is tried again up to 10 times in a row, twice where `fallback`
                follows.
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
        """List the versions of an agent. Newest first; new runs use the first one. Scope: `agents:read`.
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
        """Create an API key. The answer holds the `key`; it is never shown again. Use it as
        `Authorization: Bearer psk_…`. The key belongs to a service account: the one of `serviceAccountId`,
        else a new one of the same name. It ends when it is deleted, when it expires, or with its service
        account; it stays when its maker leaves. A key as the caller makes no key that may do more, come
        from elsewhere or last longer than itself: unless said otherwise, the new one has its addresses and
        its end. Scope: `keys:write`. (`POST /v1/api-keys`)

        Args:
            name: What the key is for.
            description: The use of the key; null: none is given.
            role: The most that the key may do. Without it: member, or administrator where a scope needs
                that.
            scopes: Narrows the key to these; without them it may do all that its role may. A key that is
                narrowed gives no scope that it lacks.
            expires_in_days: Days after which the key is refused; it does not expire where this is left
                out.
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
        """Delete an API key. It stops working at once, open streams included, and its pending invitations
        are revoked. Its service account stays, and so do the keys that were made with it, unless
        `withMade` is true. Scope: `keys:write`. (`DELETE /v1/api-keys/{id}`)

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
            only_scope: Only keys that have this scope and no other, such as the keys of a directory
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
        """Rotate an API key. The answer holds the new secret (`key`), once. The one before works for
        `overlapHours` more, and each earlier one until its own end, 5 at most (`too_many_secrets`). With
        `overlapHours: 0` every earlier secret ends at once, which is the way to answer a leak. Scope:
        `keys:write`. (`POST /v1/api-keys/{id}/rotate`)

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
        """List the scopes. What callers of an organization may be permitted, in the order of the table.
        `x-scope` of each operation names the one that it asks for. (`GET /v1/scopes`)"""
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
        """Change an API key. Its name, description, addresses and expiry; what it may do never changes. A
        key as the caller changes no key that may do more, come from elsewhere or last longer than itself.
        Scope: `keys:write`. (`PATCH /v1/api-keys/{id}`)

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
        """List the audit log. What happened in the organization, and at the accounts of its members while
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
        """Stream the audit log to a URL. Every entry that is written from then on, of all organizations
        and of none, is POSTed there as lines of JSON, at least once. The answer holds the `secret` that
        signs; it is never shown again. (`POST /v1/operator/audit-streams`)

        Args:
            name: What you call it.
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
        """Delete a stream of the audit log. What it has not taken is not sent any more; the audit log
        itself stays. (`DELETE /v1/operator/audit-streams/{id}`)"""
        call = make_call("DELETE", "/v1/operator/audit-streams/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def list(self, **options: Unpack[CallOptions]) -> AsyncPages[t.AuditStream]:
        """List the streams of the audit log. How far each is behind, since when it fails, and why. (`GET
        /v1/operator/audit-streams`)"""
        call = make_call("GET", "/v1/operator/audit-streams", options)
        return self._transport.pages(call, t.AuditStream)

    async def rotate_secret(self, id: str, **options: Unpack[CallOptions]) -> t.RotateAuditStreamSecretAnswer:
        """Give a stream of the audit log another secret. The answer holds the new `secret`, this once. The
        one before signs beside it for 24 hours. (`POST /v1/operator/audit-streams/{id}/rotate-secret`)"""
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
        `audit_stream.tested`, which is in no audit log, and answers what the destination did. Works while
        it is paused. (`POST /v1/operator/audit-streams/{id}/test`)"""
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
        """Change, pause or resume a stream of the audit log. What it has not taken is kept while it is
        paused, and goes to a new URL. It is tried at once. (`PATCH /v1/operator/audit-streams/{id}`)

        Args:
            name: What you call it.
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
        """Read what an application asks for. For the page for consent, in the browser in which the
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
        """Grant or refuse what an application asks for. A grant is for one organization. The scopes are
        some of those that were asked for; what the person may not do in the organization is left out.
        (`POST /v1/auth/authorizations/{id}`)

        Args:
            allow: Whether the person grants it.
            organization_id: Starts with `org_`, which may be left out.
            scopes: Those that are granted; all that were asked for where it is left out.
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
        """Grant or refuse what a device asks for. A grant is for one organization. The scopes are some of
        those that were asked for; what the person may not do in the organization is left out. (`POST
        /v1/auth/devices/decision`)

        Args:
            user_code: The code that the device shows.
            allow: Whether the person grants it.
            organization_id: Starts with `org_`, which may be left out.
            scopes: Those that are granted; all that were asked for where it is left out.
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
        """Read what a device asks for. For the page on which a person enters the code that a device shows.
        It changes nothing. (`POST /v1/auth/devices`)

        Args:
            user_code: The code that the device shows, with or without what separates its letters.
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
        """End what the account has granted to an application. Its access and refresh tokens stop working
        at once, open streams included. (`DELETE /v1/auth/grants/{id}`)"""
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
        """Come back from an identity provider. Called by the provider. Redirects to the `callbackURL` with
        a session, or to the `errorCallbackURL` with `error` and `error_description`. (`GET
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
        """Make the first organization and its administrator. With the token of the link that a start at a
        terminal shows while there is no account. Signs the administrator in. One answer for a token that
        is unknown, used or expired, and for any token once there is an account. Input that is refused does
        not use up the token. (`POST /v1/auth/first-start`)

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
        """List what the account has granted to applications. (`GET /v1/auth/grants`)

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
        """Read what a sign-in waits for. For a page to which a redirect led. `UNAUTHORIZED` where this
        browser has no sign-in that waits. (`GET /v1/auth/sign-in/second-factor`)"""
        call = make_call("GET", "/v1/auth/sign-in/second-factor", options)
        return await self._transport.json(call, t.PendingSignIn)

    async def request_magic_link(
        self,
        *,
        email: str,
        callback_u_r_l: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.RequestMagicLinkAnswer:
        """Ask for a sign-in link. One answer, whether or not the address has an account. Sets a cookie
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
        """Ask for a password reset mail. One answer, whether or not the address has an account. An invited
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
            code: The short code of the mail, for another browser than the one that asked.
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
        """Sign in with the identity provider of an organization. Names one of `email`,
        `identityProviderId` and `organizationId`. An address finds the organization that has proven its
        domain; the answer tells nothing of accounts. Redirect the browser to `authUrl`; it arrives at
        `callbackURL` with a session that opens that organization alone. Without such a provider the answer
        is `VALIDATION_FAILED` with `reason: no_identity_provider`. (`POST /v1/auth/sign-in/sso`)

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
        """Sign in with a passkey. What the browser answered, as `toJSON()` writes it. No second factor is
        asked for: the device has verified the person. Every failure is one answer. (`POST
        /v1/auth/sign-in/passkey`)"""
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
        """Complete a sign-in with a second factor. After a door answered `UNAUTHORIZED` with `reason:
        second_factor_required`, in the same browser, within 10 minutes and five tries. `{ code }` of an
        authenticator app, `{ recoveryCode }`, or `{ passkey }`; each is good once. (`POST
        /v1/auth/sign-in/second-factor`)

        Args:
            code: The six digits of an authenticator app.
            recovery_code: One of the recovery codes, with or without hyphens.
            passkey: What the browser answered to the options, as `toJSON()` writes it.
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
        """End the session. Idempotent: without a session it succeeds too. Where the session was begun by
        an identity provider with `endsProviderSession`, the answer has `redirectTo`: send the browser
        there, and the session at the provider ends as well. From there it comes back to `callbackURL`, or
        to a page that says that it is signed out. (`POST /v1/auth/sign-out`)

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
        """End the session as an application has asked. For the page that `/oauth/logout` leads to, with
        the parameters of that request. Idempotent: without a session it succeeds too. (`POST
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
            first_name: Given name, as others in the organization see it.
            last_name: Family name, as others in the organization see it.
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
        """Begin to show a passkey as a second factor. In the browser whose sign-in waits. (`POST
        /v1/auth/sign-in/second-factor/options`)"""
        call = make_call("POST", "/v1/auth/sign-in/second-factor/options", options)
        return await self._transport.json(call, t.StartPasskeyFactorAnswer)

    async def start_passkey_sign_in(self, **options: Unpack[CallOptions]) -> t.StartPasskeyFactorAnswer:
        """Begin to sign in with a passkey. The browser offers the passkeys that it has for this server.
        Sets a cookie that binds the answer to this browser. (`POST /v1/auth/sign-in/passkey/options`)"""
        call = make_call("POST", "/v1/auth/sign-in/passkey/options", options)
        return await self._transport.json(call, t.StartPasskeyFactorAnswer)

    async def start_passkey_step_up(self, **options: Unpack[CallOptions]) -> t.StartPasskeyFactorAnswer:
        """Begin to show a passkey once more. (`POST /v1/auth/step-up/options`)"""
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
        """Show a second factor once more. What is dangerous asks for a second factor of the last 10
        minutes, and answers `FORBIDDEN` with `reason: step_up_required` without one. JWTs of the session
        need not be renewed. (`POST /v1/auth/step-up`)

        Args:
            code: The six digits of an authenticator app.
            recovery_code: One of the recovery codes, with or without hyphens.
            passkey: What the browser answered to the options, as `toJSON()` writes it.
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
        """Exchange the session for a JWT. The organization is the one asked for, else the first of the
        account’s that was joined. The token names the role (`role`, and alone in the list `roles`) and
        what it permits (`permissions`). (`GET /v1/auth/token`)

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
            password: The one of the sign-up. Asked for in every browser but the one that signed up.
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
        """Begin a checkout. For credits or for a plan, one of them. It is paid at `checkoutUrl`. The
        credits or the plan are given when it is paid, and every process knows a new plan within 5 seconds;
        what costs nothing is given at once. Scope: `billing:write`. (`POST /v1/billing/checkout`)

        Args:
            credits: How many credits to buy, in whole packs; not beside `plan`.
            plan: Plan to change to; not beside `credits`.
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
        """List what changed the balance. Scope: `billing:read`. (`GET /v1/billing/ledger`)

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
        """Sum up the ledger by day. Days of UTC that `since` and `until` touch, oldest first, those on
        which nothing changed too; the last 30 unless said, 366 at most. Scope: `billing:read`. (`GET
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
        """Hear of a payment from Stripe. For Stripe alone: the body must carry its signature. Not there
        without `STRIPE_SECRET_KEY`. (`POST /v1/billing/stripe`)"""
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
        """Deliver a captured call after all. Each call makes an event of its own, which `id` names, and
        delivers it; with the same `Idempotency-Key` they are one. Scope: `captures:write`. (`POST
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
        """Call the provider's API. Adds the token of the connection, which is refreshed first where it has
        ended. Redirects are not followed. What the API answers is passed on, but for 401, 429 and 5xx.
        Scope: `connections:use`. (`POST /v1/connections/{id}/fetch`)

        Args:
            method: Method of the call; `GET` and `HEAD` take no body.
            url: An absolute URL on one of the provider's `apiHosts`.
            headers: Headers of the call. `Authorization` is set by the server and refused here.
            body: A text as it is to be sent; or an object or a list, which is sent as JSON.
            body_encoding: How a text in `body` stands for its bytes.
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
        """Come back from a provider. Called by the provider. Redirects to the `redirectUrl` with
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
        """Begin a conversation. Runs in it know what was said before, and take turns. Scope:
        `conversations:write`. (`POST /v1/conversations`)

        Args:
            title: What it is about.
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
        """Delete a conversation. Its messages are gone; runs in it that have not ended are cancelled.
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
        """List conversations. Of a member the member's own, of an administrator all. Scope:
        `conversations:read`. (`GET /v1/conversations`)

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
        """List the deliveries of the organization. Newest first, of all webhooks, deleted ones too. For
        one page up to 20,000 deliveries are gone through: where what the filter asks for is rare, a page
        may hold fewer than `limit`, or none, and `nextCursor` leads on. Scope: `deliveries:read`. (`GET
        /v1/deliveries`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
            status: One or several of: pending, held, delivered, failed; with a comma between two.
            webhook_id: Starts with `whk_`, which may be left out.
            event_id: Starts with `evt_`, which may be left out.
            event_type: Only those of this event type.
            status_code: Of the answer to the last attempt: one, or a hundred of them.
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
        """Make a delivery again. An ended delivery is made again as a new one with the full schedule. One
        that still waits for its next attempt makes it now. Scope: `deliveries:write`. (`POST
        /v1/deliveries/{id}/retry`)"""
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
        """Try deliveries now. What waits for its next attempt makes it now, and what has failed is made
        again, as a replay makes it: by the filter of the list of deliveries, without one all that were not
        delivered. It is a replay of the filter `pending`, `failed` or `undelivered`, with its progress.
        Scope: `deliveries:write`. (`POST /v1/deliveries/retry`)

        Args:
            status: One or several of: pending, failed; with a comma between two.
            webhook_id: Starts with `whk_`, which may be left out.
            event_id: Starts with `evt_`, which may be left out.
            event_type: Only deliveries of events of this type.
            status_code: Of the answer to the last attempt: one, or a hundred of them.
            error_class: One or several of: timeout, dns, refused, reset, tls, invalid_answer,
                blocked_address, http_3xx, http_4xx, http_5xx, http_other; with a comma between two.
            since: Only deliveries made at or after this moment.
            until: Only deliveries made before this moment.
            ids: Only these. Ids of deliveries of others, or that were removed, are ignored.
            dry_run: Only tells how many there are; nothing is changed.
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
        """Read how deliveries fare over time. Deliveries by when they were made and what became of them,
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
        """List the passages of a document. Those that are found, in the order of its text: none before it
        was indexed. A cursor is good until the document was indexed once more. Scope: `knowledge:read`.
        (`GET /v1/documents/{id}/chunks`)

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
        """Delete a document. In whatever state it is: nothing of it is found from then on. A file that it
        was made of stays. Scope: `documents:write`. (`DELETE /v1/documents/{id}`)"""
        call = make_call("DELETE", "/v1/documents/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    async def index(self, id: str, **options: Unpack[CallOptions]) -> t.Document:
        """Index a document again. What is found of it changes when it is done, at once and as a whole. One
        that is just being indexed is not indexed twice; one whose file is being read is indexed after
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
        """Replace a document. By a text, or by a file, which may still be in processing. The id stays. The
        old content is found until the new one is indexed, and stays when that fails; until then
        `replacement` says what is to come. Of several replacements the last one counts. The content that
        the document has already, under the same name, changes nothing, and withdraws a replacement that is
        not indexed yet. `Prefer: wait=N` waits up to 30 seconds for the end of it. Scope:
        `documents:write`, with `fileId` `files:read`. (`PUT /v1/documents/{id}`)

        Args:
            text: Its headings of Markdown are told with what is found below them.
            file_id: Starts with `fil_`, which may be left out.
            name: What it is called; the name of the file where it is left out.
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
        """Read the text of a document. In pages: all pages put together are the text. Of a document of a
        file it is the text of that file; where the file has none, and failed, the answer is the code of
        why it did. While another content is indexed to take its place, it is the one that is found. A
        cursor is good until another text is found, or the file was read again. Scope: `knowledge:read`.
        (`GET /v1/documents/{id}/text`)

        Args:
            cursor: The `nextCursor` of the page before. It is of one text: once another has taken the
                place of that, it is refused.
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
        """List domains. All of them, oldest first. Scope: `sign_in:read`. (`GET /v1/domains`)"""
        call = make_call("GET", "/v1/domains", options)
        return self._transport.pages(call, t.Domain)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.Domain:
        """Read a domain. Scope: `sign_in:read`. (`GET /v1/domains/{id}`)"""
        call = make_call("GET", "/v1/domains/{id}", options, places={"id": id})
        return await self._transport.json(call, t.Domain)

    async def verify(self, id: str, **options: Unpack[CallOptions]) -> t.Domain:
        """Look the record of a domain up. Asks the name servers now. The answer is the domain as it is
        then: `verified`, or as before with a `reason`. A domain that another organization has proven is
        `DUPLICATE`. A proven domain is checked every six hours; once its record is missing for seven days,
        the proof is lost. Scope: `sign_in:write`. (`POST /v1/domains/{id}/verify`)"""
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
        as a browser does, gets a page. (`GET /v1/errors/{code}`)"""
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
            name: The name that events are published and subscribed under, such as `order.paid`.
            description: The fact that such an event reports.
            schema: JSON Schema for `data`; anything is taken where it is left out.
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
        """Delete an event type. Nothing of it can be published any more. Events that are published already
        stay, and are delivered, tried again and replayed as before; webhooks that ask for the type keep it
        in their list, and get events of it again if it is made again. Scope: `event_types:write`. (`DELETE
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
        """Change an event type. What is published from then on is checked against the new `schema`; events
        that are published already stay as they are, and are delivered, tried again and replayed as before.
        Tell your receivers first: they rely on it. Scope: `event_types:write`. (`PATCH
        /v1/event-types/{type}`)

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
            actor: Who published it: the id of an account or of a service account.
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
        """Publish an event. Once this is answered the event is on disk, and so is that each matching
        webhook gets it: `deliveries` of them. Scope: `events:write`, with `dryRun` `webhooks:read`. (`POST
        /v1/events`)

        Args:
            type: A registered event type: a built-in one, or one of `POST /v1/event-types`.
            data: The facts of the event. They are checked against the schema of the type, and delivered
                byte for byte.
            dry_run: Checks the event and names the webhooks that it would go to; writes nothing.
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
        """Publish up to 1,000 events. Each succeeds or fails by itself; the answer has one result an
        event, in their order: its `id` and `deliveries`, or its `error`. Scope: `events:write`. (`POST
        /v1/events/batch`)

        Args:
            events: Each succeeds or fails by itself.
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
        """Add a passkey. What the browser made, as `toJSON()` writes it. It signs in by itself, and is a
        second factor at every other door. The first factor of an account brings ten recovery codes, which
        are shown in this answer alone, and ends every other session. (`POST /v1/auth/factors/passkeys`)"""
        call = make_call(
            "POST",
            "/v1/auth/factors/passkeys",
            options,
            body_type=t.AddPasskeyBody,
            body={"name": name, "credential": credential},
        )
        return await self._transport.json(call, t.VerifyTotpAnswer)

    async def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Remove a second factor. With the last one the recovery codes end too; the last exception from a
        required sign-in keeps it (`FORBIDDEN`, `reason: last_exception`). The session must have shown a
        second factor within the last 10 minutes: else `FORBIDDEN` with `reason: step_up_required`.
        (`DELETE /v1/auth/factors/{id}`)"""
        call = make_call("DELETE", "/v1/auth/factors/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def list(self, **options: Unpack[CallOptions]) -> AsyncPages[t.Factor]:
        """List one's own second factors. (`GET /v1/auth/factors`)"""
        call = make_call("GET", "/v1/auth/factors", options)
        return self._transport.pages(call, t.Factor)

    async def rename(self, id: str, *, name: str, **options: Unpack[CallOptions]) -> t.Factor:
        """Rename a second factor. (`PATCH /v1/auth/factors/{id}`)

        Args:
            name: What the person calls it.
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
        """Make new recovery codes. Ten, each good once and shown in this answer alone; the earlier ones
        end. Without a second factor there are none: `FORBIDDEN` with `reason: no_second_factor`. (`POST
        /v1/auth/recovery-codes`)"""
        call = make_call("POST", "/v1/auth/recovery-codes", options)
        return await self._transport.json(call, t.ReplaceRecoveryCodesAnswer)

    async def start_passkey(self, **options: Unpack[CallOptions]) -> t.StartPasskeyFactorAnswer:
        """Begin to add a passkey. The browser makes the passkey with these options within 10 minutes.
        (`POST /v1/auth/factors/passkeys/options`)"""
        call = make_call("POST", "/v1/auth/factors/passkeys/options", options)
        return await self._transport.json(call, t.StartPasskeyFactorAnswer)

    async def start_totp(
        self,
        *,
        name: str | Omit = OMIT,
        **options: Unpack[CallOptions],
    ) -> t.StartTotpAnswer:
        """Begin to enrol an authenticator app. The app reads the secret from a QR code of `uri`, and shows
        a code, which `POST /v1/auth/factors/{id}/confirm` takes within 30 minutes. Until then it is no
        factor. The session must have shown a second factor within the last 10 minutes, or, where the
        account has none, have begun within them: else `FORBIDDEN` with `reason: step_up_required`. (`POST
        /v1/auth/factors/totp`)

        Args:
            name: What the person calls the app; `Authenticator app` where it is left out.
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
        """Confirm an authenticator app by its first code. From then on every sign-in asks for a second
        factor. The first factor of an account brings ten recovery codes, which are shown in this answer
        alone, and ends every other session. (`POST /v1/auth/factors/{id}/confirm`)

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
        """Read the bytes of a file. As an attachment, whatever they are. One range of them by `Range:
        bytes=…`, also with `If-Range`; 304 for who has them, by `If-None-Match`. Whole, bytes that are not
        those that came are not given to their end; a range is not proven. Scope: `files:read`. (`GET
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
        """Fetch a file from a URL. Fetched before the answer: 20 seconds, 5 redirects and 64 MiB at most,
        and from no private network but those of `FILES_ALLOWED_NETWORKS`. `FETCH_FAILED` says in
        `details.reason` what went wrong. Its text is read afterwards, as that of an upload. Scope:
        `files:write`. (`POST /v1/files/from-url`)

        Args:
            url: Where it is: http or https, at a public address, without credentials.
            name: Name of the file; the last part of the URL where it is left out.
            charset: How its letters are written; it comes before what the `Content-Type` says.
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
        """Read the text of a file again. Where a reading is under way, no other one begins, and the
        `charset` of this request is not used. The earlier text stays until the new one is there. With
        `Prefer: wait=30` the answer is the outcome: 200 with the file, the code of why it failed, or 202
        where it takes longer. Scope: `files:write`. (`POST /v1/files/{id}/process`)

        Args:
            charset: How its letters are written; it comes before what the `Content-Type` says.
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
        """Read the text of a file. In pages: all pages put together are the text. A cursor is good until
        the file was read again. Of a file that has none, and failed, the answer is the code of why it did.
        Scope: `files:read`. (`GET /v1/files/{id}/text`)

        Args:
            cursor: The `nextCursor` of the page before. It is of one text: once another has taken the
                place of that, it is refused.
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
        """Upload a file. The bytes as they are with `Content-Type` and `?name=`, or `multipart/form-data`
        with one part `file`; 64 MiB at most, within 60 seconds. `Content-Digest` (RFC 9530, `sha-256`) is
        checked. Its text is read afterwards: with `Prefer: wait=N` the answer waits for that, 30 seconds
        at most. Scope: `files:write`. (`POST /v1/files`)

        Args:
            name: The name; where it is a filter, only names that hold it.
            charset: How its letters are written; it comes before what the `Content-Type` says.
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
        """End what a member has granted to an application. Its access and refresh tokens stop working at
        once, open streams included. Scope: `keys:write`. (`DELETE /v1/grants/{id}`)"""
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
        """List what members have granted to applications. Scope: `keys:read`. (`GET /v1/grants`)

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
            name: What people call it, in mails, too.
            status: `active`, or `disabled`: sign-ins by it are refused.
            oidc: How it is reached, where it is `oidc`.
            saml: How it is known, where it is `saml`: `metadata`, or the members that they say.
            creates_memberships: Whether a sign-in with an address of a proven domain makes a membership.
            manages_roles: Whether the rules for roles are applied at each sign-in, and not only at the
                first. Who has a role from a group of the directory keeps it.
            default_role: Role of members without a matching rule: `administrator`, `member`, or an id that
                starts with `rol_`.
            role_rules: The first one that matches names the role.
            second_factor_values: Values that count as a second factor: of `amr` or `acr`; by SAML of the
                class of the authentication.
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
        """Delete an identity provider. Ends the sessions and grants that it began, and forgets which
        person is which account there. Memberships stay. The last active one cannot go while the
        organization requires its members to sign in by it (`sign_in_required`). Scope: `sign_in:write`.
        (`DELETE /v1/identity-providers/{id}`)"""
        call = make_call("DELETE", "/v1/identity-providers/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def list(self, **options: Unpack[CallOptions]) -> AsyncPages[t.IdentityProvider]:
        """List identity providers. All of them, oldest first. Scope: `sign_in:read`. (`GET
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
        """Test an identity provider. Looks at what can be seen without a person. OpenID Connect: the
        metadata are those of the issuer and name all endpoints, and the keys can be read. SAML: the
        certificates are valid today, and the sign-on address answers; one that only browsers reach is a
        finding that does no harm. What is wrong is a result, not an error. Only a sign-in shows whether
        the client secret, and what is entered at the provider, is right. Scope: `sign_in:write`. (`POST
        /v1/identity-providers/{id}/test`)"""
        call = make_call("POST", "/v1/identity-providers/{id}/test", options, places={"id": id})
        return await self._transport.json(call, t.IdentityProviderTest)

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
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
        """Change an identity provider. Another issuer or entity is another provider: an issuer takes a
        client secret, and the people of the one before are forgotten. Members of `saml` that are left out
        stay as they are; `certificates` replaces all of them. `disabled` ends the sessions and grants that
        it began, as another issuer does. One that the holder of a setup link may still change is not
        enabled (`setup_under_way`): revoke the link first, or wait for its end. The caller must have all
        permissions. Scope: `sign_in:write`. (`PATCH /v1/identity-providers/{id}`)

        Args:
            name: What people call it, in mails, too.
            status: `active`, or `disabled`: sign-ins by it are refused.
            oidc: The new OpenID Connect settings.
            saml: The new SAML settings. Omitted members keep their values.
            creates_memberships: Whether a sign-in with an address of a proven domain makes a membership.
            manages_roles: Whether the rules for roles are applied at each sign-in, and not only at the
                first. Who has a role from a group of the directory keeps it.
            default_role: Role of members without a matching rule: `administrator`, `member`, or an id that
                starts with `rol_`.
            role_rules: The first one that matches names the role.
            second_factor_values: Values that count as a second factor: of `amr` or `acr`; by SAML of the
                class of the authentication.
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
            send_email: `false` answers with the `acceptUrl`, once, instead of mailing it.
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
        """Invite up to 1,000 people. Each row succeeds or fails by itself; the answer has one result a
        row, in their order. Scope: `invitations:write`. (`POST /v1/invitations/bulk`)

        Args:
            invitations: Each succeeds or fails by itself.
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
        """What an invitation link is for. Fills in the sign-up form. One answer for a token that is
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
        """Revoke an invitation. Its link stops working at once. Revoking a revoked or expired invitation
        changes nothing. Scope: `invitations:write`. (`DELETE /v1/invitations/{id}`)"""
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
        """Add a document. Of a text, or of a file, which may still be in processing. The answer is 201
        also where the indexing has failed: `status` says so. `Prefer: wait=N` waits up to 30 seconds for
        the end of it. Scope: `documents:write`, with `fileId` `files:read`. (`POST
        /v1/knowledge-bases/{id}/documents`)

        Args:
            text: Its headings of Markdown are told with what is found below them.
            file_id: Starts with `fil_`, which may be left out.
            name: What it is called; the name of the file where it is left out.
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
            embedding: The model that the server has, or null for none. Unless given, the model where there
                is one.
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
            search: Only those that hold this text in their name, in capitals or not.
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
        """Search a knowledge base. Every word of the query is looked for as it is; there is no language of
        queries. Scope: `knowledge:read`. (`POST /v1/knowledge-bases/{id}/search`)

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
        """Rename a knowledge base, or give it another embedding model. With another model it is searched
        by text alone until each of its documents has been indexed again. Scope: `knowledge:write`. (`PATCH
        /v1/knowledge-bases/{id}`)

        Args:
            name: Unique in the organization.
            embedding: The model that the server has, or null for none. Unless given, the model where there
                is one.
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
        """Fetch deliveries of a listener. Takes due deliveries, the oldest first, and waits for the first
        one. Each is the client’s for 45 seconds, in which it sends it and reports the answer; then another
        client gets it, without an attempt being counted. Scope: `webhooks:write`. (`POST
        /v1/listeners/{name}/claims`)

        Args:
            limit: Most deliveries to fetch; bodies of more than 1 MiB together are not.
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
        """Open a listener. A listener is a webhook without a destination: clients fetch its deliveries, as
        `postern listen` does. Where there is one of this name, its event types are set, and one that an
        answer 410 has disabled is active again. It is deleted with what waits for it once no client has
        asked for 7 days. Scope: `webhooks:write`. (`PUT /v1/listeners/{name}`)

        Args:
            events: Event types, or `*` for every one.
            description: What the webhook is for, in your own words. Null removes it.
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
        """Report what became of fetched deliveries. The reported answer is the attempt, with the outcome
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
        """List the mails that the organization has had sent. How each fares, and what the mail server said
        of it; not what it says. Kept for `RETENTION_DAYS`. Scope: `mails:read`. (`GET /v1/mails`)

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
        older one (Streamable HTTP without sessions). A tool call has the rights of the route that it
        stands for, and counts as a request of its own. (`POST /mcp`)

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
        """Accept the tools of an MCP server as they are listed now. Scope: `mcp_servers:write`. (`POST
        /v1/mcp-servers/{id}/accept`)

        Args:
            tools_digest: As it was read with the tools: what has changed since is not accepted unseen.
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
            name: What its tools are called by: `{name}__{tool}`. Of the organization’s servers none has
                the same.
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
        """List the tools of an MCP server. The first time all of them are accepted. Later, what is new or
        described otherwise is off until it is accepted. A server that cannot be asked is
        `MCP_CLIENT_UNAVAILABLE` with `details.reason`. Scope: `mcp_servers:write`. (`POST
        /v1/mcp-servers/{id}/refresh`)"""
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
        """Change an MCP server. Headers are replaced as a whole. Under another `url` no tool of it is
        accepted any more. Scope: `mcp_servers:write`, with `connectionId` `connections:use`. (`PATCH
        /v1/mcp-servers/{id}`)

        Args:
            name: What its tools are called by: `{name}__{tool}`. Of the organization’s servers none has
                the same.
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
        """Change a member's role. Takes a role that permits no more than the caller may do. The pending
        invitations that the member made and could not make with the new role are revoked. Service accounts
        and API keys that they made stay: `GET /v1/api-keys?createdBy=` lists the keys. Scope:
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
        """Delete the API keys that a member made. Those that the member made or rotated in this
        organization, and those that were made with them; also of a former member. Their service accounts
        stay. Scope: `keys:write`. (`DELETE /v1/organizations/{id}/members/{accountId}/api-keys`)"""
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
        those that they got stop working, open streams included. The person signs in once more. The
        sessions stay good for other organizations of the person. Scope: `members:write`. (`DELETE
        /v1/organizations/{id}/members/{accountId}/sessions`)"""
        call = make_call(
            "DELETE",
            "/v1/organizations/{id}/members/{accountId}/sessions",
            options,
            places={"id": id, "accountId": account_id},
        )
        return await self._transport.json(call, t.EndOtherSessionsAnswer)

    async def leave(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Leave the organization. It has the effects of being removed. The last administrator cannot
        leave. An API key is no member and cannot leave. (`DELETE /v1/organizations/{id}/members/me`)"""
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
            search: Only those that hold this text in their name or e-mail address, in capitals or not.
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
            end_keys: Also deletes the API keys that they made or rotated, and those that were made with
                them; takes `keys:write` as well.
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
        """Remove a member's second factors. For a person who has lost all of them, and is a member of this
        organization alone: of others it is the act of the operator (`FORBIDDEN`, `reason:
        member_elsewhere`). Ends every session and every mailed link of the account, and mails the person.
        One’s own are removed at `/v1/auth/factors/{id}` (`reason: own_account`). The last exception from a
        required sign-in keeps them (`reason: last_exception`). Scope: `members:write`. (`DELETE
        /v1/organizations/{id}/members/{accountId}/factors`)"""
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
        """List models. All on one page: those that the operator configured, and the built-in one. Scope:
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
        """Register an application. The page for consent shows it by this name, as registered. A
        confidential one proves itself at the token endpoint (`client_secret_basic`) with the
        `clientSecret` of this answer, which is never shown again; another one has PKCE alone. With
        `organizationId` only members of that organization can grant it something. (`POST
        /v1/operator/oauth-clients`)

        Args:
            name: What people are shown.
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
        """Delete an application. Its grants end at once in every organization, open streams included.
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
        """List the audit log of the installation. The entries of all organizations, each as that
        organization is shown it, and those of none. Kept for `AUDIT_DAYS`. (`GET /v1/operator/audit-log`)

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
        """Change, disable or enable an organization. Makes all changes, or none. A module that is null is
        as the plan has it. (`PATCH /v1/operator/organizations/{id}`)

        Args:
            name: The new name, unique among the organizations of the server.
            external_id: What your platform calls it: letters, digits and `. _ : @ | / + = ~ -`, unique on
                the installation; upper and lower case differ.
            plan: The new plan, which holds at once.
            modules: Switches that go before the plan.
            status: `disabled`: no session, token or key is accepted and deliveries wait until it is
                `active` again; its runs are cancelled.
            sign_in_required: `false` lets members use their own sign-ins where their identity provider
                fails.
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
        """Make an organization. Its first administrator is let in by `POST
        /v1/operator/organizations/{id}/invitations`. (`POST /v1/operator/organizations`)

        Args:
            name: Unique among the organizations of the server.
            external_id: What your platform calls it: letters, digits and `. _ : @ | / + = ~ -`, unique on
                the installation; upper and lower case differ.
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
        """Delete an organization with everything it has. There is no way back. Its ledger, paid checkouts
        and audit log are kept; what it published is removed after `RETENTION_DAYS`, and tokens of its
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
        """Give an organization credits. They stay until they are spent. The same `reference` gives them
        once. (`POST /v1/operator/organizations/{id}/credits`)

        Args:
            credits: How many credits to give.
            reason: Shown in the ledger of the organization.
            reference: A name of your own, such as an invoice number: the same one gives credits once only.
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
        """Read how the installation stands. What waits of all organizations, who works on it, mails, disk.
        Looked at once in 10 s. (`GET /v1/operator/installation`)"""
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
        """Invite a person to an organization. As `npx postern invite`: good for 7 days, mailed where there
        is a mail server, and in place of an earlier one for that address, whose link is dead. (`POST
        /v1/operator/organizations/{id}/invitations`)

        Args:
            email: An e-mail address.
            role: Role that the person gets on joining.
            send_email: `false` leaves it to you to hand over the link. Unless said: whether there is a
                mail server.
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
            external_id: What your platform calls it: letters, digits and `. _ : @ | / + = ~ -`, unique on
                the installation; upper and lower case differ.
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
        """Change the name of the organization, or what it asks of its members. No two organizations have
        one name. From `secondFactorRequiredFrom` on, members without a second factor get no JWT for it
        (`FORBIDDEN`, `reason: second_factor_required`); a session lets them add one. `secondFactorGraceMs`
        gives each member time after that moment, or after joining, whichever is later; it does not put off
        the requirement of the installation. Who requires it must have one: else `FORBIDDEN` with `reason:
        no_second_factor`. With `signIn.required` members sign in by an identity provider of the
        organization, and what they began otherwise ends; `exceptions` are administrators who may use their
        own sign-in with a second factor, one at least. Scope: `organization:write`, with `signIn`
        `sign_in:write`. (`PATCH /v1/organizations/{id}`)

        Args:
            name: The new name, unique among the organizations of the server.
            second_factor_required_from: From when on members need a second factor; null requires none.
            second_factor_grace_ms: How long a member has to add one after that moment, or after joining,
                whichever is later; 0 at first.
            sign_in: Whether its members sign in by its identity provider. It takes `sign_in:write`, too.
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
        """Create a key of the installation. The answer holds the `key`; it is never shown again. Use it as
        `Authorization: Bearer ppk_…`, with the organization for which it acts in `Postern-Organization`.
        (`POST /v1/operator/platform-keys`)

        Args:
            name: What the key is for; organizations see it in their audit logs.
            scopes: What the key may in every organization; null: all.
            may_create_organizations: Whether a `POST` for an unknown `ext:` makes the organization, with
                `DEFAULT_PLAN`.
            allowed_addresses: Networks from which the key may come; null: any.
            expires_in_days: Days after which the key is refused; it does not expire where this is left
                out.
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
        """Revoke a key of the installation. It stops working at once, open streams included, and its
        pending invitations are revoked. API keys that were made with it stay, unless `withMade` is true.
        (`DELETE /v1/operator/platform-keys/{id}`)"""
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
        """Give a key of the installation another secret. The answer holds the new `key`, this once. The
        key before it is accepted for `overlapHours` more, and each earlier one until its own end, 5 at
        most (`too_many_secrets`); with 0 every earlier one ends at once. (`POST
        /v1/operator/platform-keys/{id}/rotate`)

        Args:
            overlap_hours: How long the secret before is still accepted.
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
        """Change a key of the installation. Its name, addresses and expiry; what it may do never changes.
        Its pending invitations end with it at the latest. (`PATCH /v1/operator/platform-keys/{id}`)"""
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
        that are disabled, parked or failing, or have deliveries that failed for good; runs that wait for a
        person; files and documents that failed; connections that must be renewed; mails that did not go
        out; credits that run low; API keys that expire. A problem goes when it is solved; a final failure
        stays in the list for 7 days at most. Up to 10,000 rows of each problem are counted. Where there
        are more than 500 problems, `more` counts the others. (`GET /v1/problems`)"""
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
        """Say which role a group gives. Its users get the role at once, as members and in pending
        invitations; of more than 100, by a job right after. A user of several groups gets the role of the
        one with the highest `priority`, of equal ones that of the older one. The caller must have all
        permissions (`FORBIDDEN`, `reason: all_permissions_required`). Where a group of the organization
        gives `administrator`, before or after, it takes a person, and no API key (`person_required`).
        Scope: `sign_in:write`. (`PATCH /v1/scim/groups/{id}`)

        Args:
            role: `administrator`, `member`, or the id of a role of the organization; null: it gives none.
            priority: Of several groups of a user the one with the highest gives the role.
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
        """List the requests of the directory. What the directory asked by SCIM, and how it was answered,
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
        """List the groups of the directory. Groups come by SCIM; here each has the role that it gives.
        Scope: `sign_in:read`. (`GET /v1/scim/groups`)

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
        """List the users of the directory. Users come by SCIM; here each has how far the person has come
        in, and the role. Scope: `sign_in:read`. (`GET /v1/scim/users`)

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
        """How the organization provisions. The URL for the directory, and what has come from it. Scope:
        `sign_in:read`. (`GET /v1/scim`)"""
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
        """Cancel a replay. What it has made already stays. Cancelling one that has ended changes nothing.
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
        """Make deliveries of a time again, of all webhooks. As the replay of one webhook, for each that
        the organization has, one after the other. Scope: `deliveries:write`. (`POST /v1/replays`)

        Args:
            event_id: Starts with `evt_`, which may be left out.
            event_type: Only deliveries of events of this type.
            status_code: Of the answer to the last attempt: one, or a hundred of them.
            error_class: One or several of: timeout, dns, refused, reset, tls, invalid_answer,
                blocked_address, http_3xx, http_4xx, http_5xx, http_other; with a comma between two.
            since: Only deliveries made at or after this moment.
            until: Only deliveries made before this moment.
            ids: Only these. Ids of deliveries of others, or that were removed, are ignored.
            dry_run: Only tells how many there are; nothing is changed.
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
        """List the replays of the organization. Newest first: what is sent again, of all webhooks or of
        one, with its progress. Scope: `deliveries:read`. (`GET /v1/replays`)

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
        of members and invitations takes its id. An organization may create 50 roles. Scope: `roles:write`.
        (`POST /v1/roles`)

        Args:
            name: What people call the role, unique in the organization.
            description: The purpose of the role; null: none is given.
            permissions: What its holders may do. docs/scopes.md lists the operations of each.
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
        """Delete a role. Refused with `role_in_use` while a member has it, a pending invitation names it a
        group of the directory or an identity provider gives it: give those members and groups another role
        and revoke those invitations first. The caller must have every permission of the role. Scope:
        `roles:write`. (`DELETE /v1/roles/{id}`)"""
        call = make_call("DELETE", "/v1/roles/{id}", options, places={"id": id})
        await self._transport.nothing(call)

    def list(self, **options: Unpack[CallOptions]) -> AsyncPages[t.OrganizationRole]:
        """List roles. All of them: `administrator` and `member`, which every organization has, then its
        own, oldest first. Scope: `roles:read`. (`GET /v1/roles`)"""
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
        change of `permissions` takes effect for all who have the role within five seconds, in open
        streams, too; pending invitations that they made and could make no longer are revoked. Scope:
        `roles:write`. (`PATCH /v1/roles/{id}`)

        Args:
            name: What people call the role, unique in the organization.
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
        """Cancel a run. From every state, and at once: what is under way is broken off. One that has ended
        stays as it is. Scope: `runs:write`. (`POST /v1/runs/{id}/cancel`)"""
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
        """Approve or deny a call of a tool. Once, and within 24 hours; a call that is not decided about by
        then is denied. What is approved is this call of the tool as it is now; one that differs is not
        made. Who may decide is a setting of the tool (`approvers`): unless said otherwise a person who is
        signed in, never an API key (`FORBIDDEN`, `person_required`). Scope: `approvals:write`. (`POST
        /v1/runs/{id}/approvals/{stepId}`)

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
        """Approve or deny several calls of tools. Takes all decisions or none. The run continues when each
        of its calls is decided about. Scope: `approvals:write`. (`POST /v1/runs/{id}/approvals`)"""
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
        """List the runs of the organization. Newest first, of all agents, deleted ones too. Of a member
        the member's own, of an administrator all. Scope: `runs:read`. (`GET /v1/runs`)

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
        """Resume a failed run. From its last finished step: what it has done is not done again, and what
        it has paid is not paid again. Its time and its steps are counted anew. A run that has not failed
        is `FORBIDDEN` (`run_not_failed`). Scope: `runs:write`. (`POST /v1/runs/{id}/resume`)"""
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
        """List the steps of a run. Oldest first. Each was written before it was made. Scope: `runs:read`.
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
        """Watch a run. Server-sent events, `id` being their place; who comes back with `Last-Event-ID`
        gets what came after it, from any process. Ends after the end of the run. Who leaves does not end
        the run. `run.output.delta` adds to the text of the step under way, `run.output.snapshot` takes its
        place; neither has an `id`. Scope: `runs:read`. (`GET /v1/runs/{id}/events`)"""
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
        """Create a service account. The actor of a machine: what its API keys make belongs to it,
        whichever of them is used. It stays when its maker leaves. `ownerId` is the member to ask about it:
        where it is left out, the person who makes it, or whom to ask about the service account that makes
        it. Scope: `keys:write`. (`POST /v1/service-accounts`)

        Args:
            name: What the machine is called where it has done something.
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
        """Delete a service account. All its API keys stop working at once, open streams included, and
        their pending invitations are revoked. What it owns stays under its id. Scope: `keys:write`.
        (`DELETE /v1/service-accounts/{id}`)"""
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
            name: What the machine is called where it has done something.
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
        """End all other sessions. Ends every link that was mailed to the account, and what it has granted
        to applications, too. The session of the request stays. (`DELETE /v1/auth/sessions`)"""
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
        """Enter how the identity provider is reached. The first call adds it, disabled; a later one
        replaces how it is reached, secret included. It is `FORBIDDEN` (`changed_elsewhere`) once the
        provider is enabled, or an administrator has changed it. (`PUT /v1/setup/identity-provider`)

        Args:
            kind: `oidc`: OpenID Connect. `saml`: SAML 2.0.
            oidc: How it is reached, where it is `oidc`.
            saml: How it is known, where it is `saml`: `metadata`, or the members that they say.
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
        """Claim a domain, and look its record up. Claims it where the organization has not, and asks the
        name servers now: it is `verified`, or as before with a `reason`. A domain that another
        organization has proven is `DUPLICATE`. A link claims 10 at most. (`POST /v1/setup/domains`)

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
        """Make the API key of the directory. The key has the scope of SCIM alone. The answer is the only
        one that shows it. A further call replaces the key by a new one and revokes the old one. The call
        is `FORBIDDEN` (`key_changed_elsewhere`) after an administrator has deleted, rotated or limited the
        key. (`POST /v1/setup/directory`)"""
        call = make_call("POST", "/v1/setup/directory", options)
        return await self._transport.json(call, t.CreatedSetupDirectoryKey)

    async def finish(self, **options: Unpack[CallOptions]) -> t.Setup:
        """Finish the setup. Ends the link. What was set up stays. (`POST /v1/setup/finish`)"""
        call = make_call("POST", "/v1/setup/finish", options)
        return await self._transport.json(call, t.Setup)

    async def open(self, *, token: str, **options: Unpack[CallOptions]) -> t.Setup:
        """Open a setup link. With the token of the link, which is good once: the browser gets a cookie,
        and from then on the setup is there alone. `ENTITY_NOT_FOUND` for a token that is unknown, revoked
        or over; with `reason: opened_elsewhere` where another browser has opened the link. `FORBIDDEN`
        (`another_setup`) where this browser has opened another link that is not over: a page of that one
        would act on this one. (`POST /v1/setup/open`)

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
        """Read the setup that this browser has opened. What is to be entered elsewhere, and how far each
        purpose is; null for a purpose that the link does not have. No secret is shown again. (`GET
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
            purposes: What it may be used for, and nothing else.
            email: An e-mail address.
            language: The language of the mail.
            expires_in_days: How long it lasts, unless the key that makes it ends before.
            activates: Whether a sign-in that works enables the identity provider; else an administrator
                does.
            creates_memberships: As of the identity provider that is added by it.
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
        **options: Unpack[CallOptions],
    ) -> AsyncPages[t.SetupLink]:
        """List setup links. Newest first; those that are over are kept for `RETENTION_DAYS`. Scope:
        `sign_in:read`. (`GET /v1/setup-links`)

        Args:
            limit: Most items of the page.
            cursor: The `nextCursor` of the page before.
        """
        call = make_call("GET", "/v1/setup-links", options, query={"limit": limit, "cursor": cursor})
        return self._transport.pages(call, t.SetupLink)

    async def read(self, id: str, **options: Unpack[CallOptions]) -> t.SetupLink:
        """Read a setup link. Scope: `sign_in:read`. (`GET /v1/setup-links/{id}`)"""
        call = make_call("GET", "/v1/setup-links/{id}", options, places={"id": id})
        return await self._transport.json(call, t.SetupLink)

    async def revoke(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Revoke a setup link. Ends it at once, in the browser that has opened it, too. What was set up by
        it stays: domains, the identity provider and the API key belong to the organization. Scope:
        `sign_in:write`. (`DELETE /v1/setup-links/{id}`)"""
        call = make_call("DELETE", "/v1/setup-links/{id}", options, places={"id": id})
        await self._transport.nothing(call)


class AsyncWebhooks:
    """The methods of `webhooks`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def call(self, endpoint_path: str, **options: Unpack[CallOptions]) -> t.CallWebhookAnswer:
        """Call a webhook from outside. No token is asked for. A caller that sends `X-Service-Signature`
        must have signed with a live secret of the webhook. A call that deliveries of ours led to carries
        `X-Service-Hops`; with more than 5 it is refused. (`POST /v1/webhooks/{endpointPath}`)"""
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
            description: What the webhook is for, in your own words.
            max_in_flight: Attempts at once, at most; 256 unless set. Below it as many are made as are
                answered well, and no slower than usual.
            max_per_second: Calls a second that the destination takes. What waits for that is neither late
                nor failed.
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
            search: Only those that hold this text in their URL or description, in capitals or not.
            event_type: Those that ask for events of this type, or of every one.
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
            status_code: Of the answer to the last attempt: one, or a hundred of them.
            error_class: One or several of: timeout, dns, refused, reset, tls, invalid_answer,
                blocked_address, http_3xx, http_4xx, http_5xx, http_other; with a comma between two.
            since: Only deliveries made at or after this moment.
            until: Only deliveries made before this moment.
            ids: Only these. Ids of deliveries of others, or that were removed, are ignored.
            dry_run: Only tells how many there are; nothing is changed.
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
        """Rotate the secret. The answer holds the new `secret`, once. It signs from now on; the one before
        stays valid for 24 hours, and a receiver that still holds it notices nothing. Scope:
        `webhooks:write`. (`POST /v1/webhooks/{id}/rotate-secret`)"""
        call = make_call("POST", "/v1/webhooks/{id}/rotate-secret", options, places={"id": id}, once=True)
        return await self._transport.json(call, t.RotateWebhookSecretAnswer)

    async def stats(
        self,
        id: str,
        *,
        window: str | None = None,
        **options: Unpack[CallOptions],
    ) -> t.WebhookStats:
        """Read how a destination fares. Deliveries by what became of them since `from`: the window ends
        with the current minute (up to 4 h), quarter of an hour (up to 95 h) or hour, in UTC. Counts are
        exact, and written with the deliveries: each counts at the time when it was made, as pending until
        it is delivered or has failed. A retry by hand and a replay make new deliveries. Samples count.
        Pending deliveries of a deleted webhook count as failed. Scope: `webhooks:read`. (`GET
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
            description: What the webhook is for, in your own words. Null removes it.
            status: `paused` keeps events until it is `active` again.
            max_in_flight: Attempts at once, at most; 256 unless set. Below it as many are made as are
                answered well, and no slower than usual.
            max_per_second: Calls a second that the destination takes. What waits for that is neither late
                nor failed.
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
        """Watch an organization. Server-sent events: `open` first, then a `delivery`, `replay`, `webhook`,
        `capture`, `invitation`, `file`, `document`, `domain`, `identityProvider`, `setupLink`, `apiKey` or
        `run` as it is now, each time that it has changed. Of several changes at once the last is shown.
        Who comes back with `Last-Event-ID` within five minutes gets what it has missed, from any process;
        `gap` says that something is missing: read the lists anew. `end` says why the stream ends:
        `token_expired`, `revoked` or `stopping`. (`GET /v1/stream`)

        Args:
            topics: What to watch, separated by commas: deliveries, replays, webhooks, captures,
                invitations, files, documents, domains, identity-providers, setup-links, api-keys, runs.
                Without it, all that the caller may see: captures and invitations are for administrators,
                API keys, domains, identity providers and setup links for those who may read them, runs for
                their owner and administrators.
            webhook_id: Starts with `whk_`, which may be left out.
        """
        call = make_call("GET", "/v1/stream", options, query={"topics": topics, "webhookId": webhook_id})
        return self._transport.stream(call)
