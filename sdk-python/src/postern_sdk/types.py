# Written by `npm run docs` from /openapi.json and sdk/methods.ts; a test compares them.
"""The shapes of the API: what it takes and gives, and the events of webhooks."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Union

from ._models import ApiBody, ApiModel, CustomEvent

if TYPE_CHECKING:
    from typing_extensions import TypeAlias


class AcceptMcpServerBody(ApiBody):
    tools_digest: str
    """The value that was read with the tools, so that later changes are not accepted unseen."""


SessionUserStatus: TypeAlias = Literal["inactive", "active", "disabled"]


SessionUserOrganizationStatus: TypeAlias = Literal["active", "disabled"]


class SessionUserOrganization(ApiModel):
    id: str
    """Starts with `org_`."""
    name: str
    """Name of the organization."""
    role: str
    """`administrator`, `member`, or the id of a role of the organization, starting with `rol_`."""
    role_name: str
    """The name of that role."""
    status: SessionUserOrganizationStatus | str
    """`disabled` while the operator has shut the organization out."""
    second_factor_due_at: datetime | None = None
    """From then on the person gets no JWT of the organization without a second factor; null: none is
    required, or the person has one."""


class Account(ApiModel):
    id: str
    email: str
    first_name: str | None = None
    """Given name; null before the sign-up."""
    last_name: str | None = None
    """Family name; null before the sign-up."""
    language: str | None = None
    """The language that the person has chosen for mails; null: that of the organization."""
    status: SessionUserStatus | str
    """`inactive`: invited, and not signed up yet. `disabled`: the operator has shut it out."""
    email_verified: bool
    """Whether its owner has proved the mailbox."""
    terms_accepted_at: datetime | None = None
    """When the terms were accepted; null: not yet."""
    created_at: datetime
    """When it was made, in UTC."""
    memberships: int
    """How many organizations it belongs to."""
    sessions: int
    """How many sessions it has at present."""
    has_password: bool
    """Whether it can sign in with a password."""
    second_factors: int
    """The number of its second factors; without one a password is enough to sign in."""
    providers: list[str]
    """Identity providers with which it has signed in."""
    last_sign_in_at: datetime | None = None
    """Its last sign-in within the audit log (`AUDIT_DAYS`); null: none."""
    organizations: list[SessionUserOrganization]
    """Its organizations, the oldest membership first."""


class AccountItem(ApiModel):
    id: str
    email: str
    first_name: str | None = None
    """Given name; null before the sign-up."""
    last_name: str | None = None
    """Family name; null before the sign-up."""
    language: str | None = None
    """The language that the person has chosen for mails; null: that of the organization."""
    status: SessionUserStatus | str
    """`inactive`: invited, and not signed up yet. `disabled`: the operator has shut it out."""
    email_verified: bool
    """Whether its owner has proved the mailbox."""
    terms_accepted_at: datetime | None = None
    """When the terms were accepted; null: not yet."""
    created_at: datetime
    """When it was made, in UTC."""
    memberships: int
    """How many organizations it belongs to."""
    sessions: int
    """How many sessions it has at present."""
    has_password: bool
    """Whether it can sign in with a password."""
    second_factors: int
    """The number of its second factors; without one a password is enough to sign in."""
    providers: list[str]
    """Identity providers with which it has signed in."""


ActorKind: TypeAlias = Literal[
    "member",
    "former_member",
    "service_account",
    "api_key",
    "platform_key",
    "identity_provider",
    "setup_link",
]


class Actor(ApiModel):
    id: str
    """The requested id: `acc_…`, `svc_…`, `key_…` or `pky_…`."""
    kind: ActorKind | str
    """`former_member`: the person has left the organization."""
    name: str | None = None
    """Name of a person, of a former member when leaving, of a service account or of an API key; null where
    the caller may not see names of service accounts and keys."""


class AddDocumentBody(ApiBody):
    text: str | None = None
    """Passages are returned with the Markdown heading above them."""
    file_id: str | None = None
    """Starts with `fil_`, which may be left out."""
    name: str | None = None
    """The name of the document. Default: the name of the file."""


class AddPasskeyBodyCredentialResponse(ApiBody):
    client_data_json: str
    """In base64url."""
    attestation_object: str
    """In base64url."""
    authenticator_data: str | None = None
    """In base64url."""
    public_key: str | None = None
    """In base64url."""
    public_key_algorithm: int | None = None
    transports: list[str] | None = None


class AddPasskeyBodyCredential(ApiBody):
    id: str
    """In base64url."""
    raw_id: str
    """In base64url."""
    type: str
    """Always `public-key`."""
    response: AddPasskeyBodyCredentialResponse
    authenticator_attachment: str | None = None
    client_extension_results: dict[str, Any] | None = None


class AddPasskeyBody(ApiBody):
    name: str | None = None
    credential: AddPasskeyBodyCredential


AgentToolApproval: TypeAlias = Literal["always", "never"]


AgentToolApprovers: TypeAlias = Literal["person", "administrator", "key"]


class AgentTool(ApiModel):
    server_id: str
    """MCP server of the tool, starting with `mcp_`."""
    name: str
    """Name of the tool at its server."""
    approval: AgentToolApproval | str
    """`always`: each call waits for a decision. `never`: calls are made without one."""
    approvers: AgentToolApprovers | str
    repeatable: bool
    """Whether a call is repeated after a crash left its outcome unknown. It is repeated only if the tool
    declares itself read-only or idempotent."""
    parallel: bool
    """Whether its calls run in parallel with others of the same answer."""
    required: bool
    """Whether a run fails where the server of the tool is not available."""


AgentOnLength: TypeAlias = Literal["keep", "fail"]


AgentOnModelFailure: TypeAlias = Literal["fail", "retry", "fallback"]


AgentParametersReasoningEffort: TypeAlias = Literal[
    "none",
    "minimal",
    "low",
    "medium",
    "high",
    "xhigh",
    "max",
]


AgentParametersVerbosity: TypeAlias = Literal["low", "medium", "high"]


class AgentParameters(ApiModel):
    """Parameters of the model’s requests; they override those that the operator set for the model."""

    temperature: float | None = None
    """Higher values make answers vary more."""
    top_p: float | None = None
    """Only the likeliest tokens that together reach this probability are drawn."""
    frequency_penalty: float | None = None
    """Positive values make tokens rarer the more often they were used."""
    presence_penalty: float | None = None
    """Positive values make tokens rarer once they were used."""
    seed: int | None = None
    """The same seed gives similar answers, where the provider supports it."""
    reasoning_effort: AgentParametersReasoningEffort | str | None = None
    """How much a model that reasons may think before it answers."""
    verbosity: AgentParametersVerbosity | str | None = None
    """How long answers are, where the model supports it."""


class Agent(ApiModel):
    id: str
    """Starts with `agt_`."""
    name: str
    """The name of the agent."""
    version: int
    """Grows with each change; a run keeps the version that the agent had when the run was accepted."""
    instructions: str
    """Text that the model reads first in each of its calls."""
    model: str
    """A model of `GET /v1/models`."""
    knowledge_base_ids: list[str]
    """Knowledge bases that the agent searches; each id starts with `knb_`."""
    tools: list[AgentTool]
    """Tools of MCP servers that the agent may call."""
    max_steps: int
    """Calls of models and tools of one run, at most; calls of a model that failed do not count."""
    max_output_tokens: int
    """Longest answer of one call of the model, in tokens."""
    timeout_ms: int
    """Longest time of a run in milliseconds; waiting for a person does not count."""
    on_length: AgentOnLength | str
    """The effect of an answer that reaches `maxOutputTokens`."""
    on_model_failure: AgentOnModelFailure | str
    """The effect of a failed call of the model that may have been charged."""
    fallback_model: str | None = None
    """The model that is used after the first one has failed; null: none."""
    parameters: AgentParameters
    created_by: str
    """Account or service account that made it; null once that is gone."""
    created_at: datetime
    """When it was made, in UTC."""
    updated_at: datetime
    """When it was last changed, in UTC."""


RunFinishReason: TypeAlias = Literal["stop", "length", "refused"]


class AgentRunCompletedEventDataErrorDetails(ApiModel):
    reason: str | None = None
    """The cause within the code, for programs; null where the code has only one."""


class AgentRunCompletedEventDataError(ApiModel):
    code: str
    """Code of the catalogue."""
    message: str
    """The error, for people."""
    details: AgentRunCompletedEventDataErrorDetails
    """The cause within the code, and the message of the model's provider."""


class AgentRunCompletedEventData(ApiModel):
    agent_id: str
    """Id of the agent, which starts with `agt_`."""
    run_id: str
    """Id of the run, which starts with `run_`."""
    status: str
    """`succeeded`, `failed` or `cancelled`."""
    duration_ms: int
    """Milliseconds from the start of the run to its end; 0 where it never started."""
    output: str
    """The answer of the agent, cut at 65,536 characters; empty unless the run has succeeded."""
    finish_reason: RunFinishReason | str | None = None
    """`length`: the answer was cut at `maxOutputTokens`."""
    conversation_id: str | None = None
    """Id of the conversation, which starts with `cnv_`."""
    metadata: dict[str, Any] | None = None
    """The `metadata` of the request that started the run."""
    error: AgentRunCompletedEventDataError | None = None
    """Why it failed; null otherwise."""


class AgentRunCompletedEvent(ApiModel):
    id: str
    """Stable across retries: receivers tell a repeat by it. It starts with `evt_`."""
    type: Literal["agent.run.completed"]
    """Name of the event type."""
    created_at: datetime
    """When the event was accepted, in UTC."""
    data: AgentRunCompletedEventData
    """The facts of the event."""


class AgentRunWaitingEventData(ApiModel):
    agent_id: str
    """Id of the agent, which starts with `agt_`."""
    run_id: str
    """Id of the run, which starts with `run_`."""
    step_id: str
    """Id of the step, which starts with `stp_`."""
    tool: str
    """Tool whose call waits for a decision."""


class AgentRunWaitingEvent(ApiModel):
    id: str
    """Stable across retries: receivers tell a repeat by it. It starts with `evt_`."""
    type: Literal["agent.run.waiting"]
    """Name of the event type."""
    created_at: datetime
    """When the event was accepted, in UTC."""
    data: AgentRunWaitingEventData
    """The facts of the event."""


class AgentVersion(ApiModel):
    agent_id: str
    """Id of the agent, which starts with `agt_`."""
    version: int
    """1 for the first; each change makes the next."""
    instructions: str
    """Text that the model reads first in each of its calls."""
    model: str
    """A model of `GET /v1/models`."""
    knowledge_base_ids: list[str]
    """Knowledge bases that the agent searches; each id starts with `knb_`."""
    tools: list[AgentTool]
    """Tools of MCP servers that the agent may call."""
    max_steps: int
    """Calls of models and tools of one run, at most; calls of a model that failed do not count."""
    max_output_tokens: int
    """Longest answer of one call of the model, in tokens."""
    timeout_ms: int
    """Longest time of a run in milliseconds; waiting for a person does not count."""
    on_length: AgentOnLength | str
    """The effect of an answer that reaches `maxOutputTokens`."""
    on_model_failure: AgentOnModelFailure | str
    """The effect of a failed call of the model that may have been charged."""
    fallback_model: str | None = None
    """The model that is used after the first one has failed; null: none."""
    parameters: AgentParameters
    created_by: str
    """The account or service account that changed it to this."""
    created_at: datetime
    """When it was made, in UTC."""


class AllOrganizationModules(ApiModel):
    """Which it has, by its plan or by its flags."""

    webhooks: bool
    """Webhooks, events and deliveries."""
    connections: bool
    """Accounts at other services."""
    files: bool
    """Uploading and reading files."""
    knowledge: bool
    """Knowledge bases and search."""
    agents: bool
    """Agents, runs, conversations and MCP servers."""


class AllOrganization(ApiModel):
    id: str
    """Starts with `org_`."""
    name: str
    """Name of the organization."""
    external_id: str | None = None
    """Its id on your platform; null without one."""
    status: SessionUserOrganizationStatus | str
    """`disabled`: its members and keys have no access, its deliveries wait, and its runs are cancelled."""
    plan: str
    """Name of its plan."""
    modules: AllOrganizationModules
    """Which modules it has, after the switches of the operator."""
    flags: dict[str, bool]
    """Modules that are on or off apart from its plan."""
    members: int
    """How many members it has."""
    webhooks: int
    """How many webhooks it has."""
    created_at: datetime
    """When it was made, in UTC."""


class ApiKeyFormerSecret(ApiModel):
    hint: str
    """The last four characters of the secret."""
    expires_at: datetime
    """From then on the secret is refused."""
    last_used_at: datetime | None = None
    """When it was last used after its replacement, at most a minute earlier than the last use; null: never
    after it."""


class ApiKey(ApiModel):
    id: str
    """Starts with `key_`."""
    service_account_id: str
    """Service account that the key belongs to, starting with `svc_`."""
    name: str
    """The name of the key."""
    description: str | None = None
    """The use of the key; null: none is given."""
    role: str
    """The upper limit of the key’s rights. A key never has more rights than its maker."""
    scopes: list[str] | None = None
    """The part of its role’s permissions that the key has; null: all. docs/scopes.md lists the operations
    of each scope."""
    allowed_addresses: list[str] | None = None
    """Networks from which the key may be used; null: from anywhere."""
    hint: str
    """The last four characters of the key."""
    created_by: str | None = None
    """Account or service account that made the key."""
    created_with: str | None = None
    """API key with which it was made, starting with `key_`; null where a person made it."""
    created_at: datetime
    """When it was made, in UTC."""
    rotated_by: str | None = None
    """Account or service account that made the current secret; null for the first secret."""
    rotated_at: datetime | None = None
    """When the current secret was made; null for the first secret."""
    former_secrets: list[ApiKeyFormerSecret]
    """Replaced secrets that still work, the newest first."""
    expires_at: datetime | None = None
    """From then on the key is refused; null: it does not expire."""
    last_used_at: datetime | None = None
    """When the key was last used, at most a minute earlier than the last use; null: never."""


class AuditEntry(ApiModel):
    id: str
    """Starts with `aud_`."""
    action: str
    """The action, such as `webhook.created`."""
    organization_id: str | None = None
    """Organization of the action, starting with `org_`; null for actions without an organization."""
    account_id: str | None = None
    """Account that it concerns, starting with `acc_`; null where it concerns none."""
    actor_id: str | None = None
    """Account or service account that did it; null for the server itself or its command line."""
    key_id: str | None = None
    """API key of the service account, starting with `key_`; null where a person or the server acted."""
    target_id: str | None = None
    """Id of the changed resource; null where it has none."""
    details: dict[str, Any]
    """Facts of this action; never a secret."""
    ip: str
    """IP address that the request came from."""
    user_agent: str
    """`User-Agent` of the client, cut at 256 characters."""
    request_id: str
    """The `X-Request-Id` of the request."""
    created_at: datetime
    """When it was made, in UTC."""


AuditStreamStatus: TypeAlias = Literal["active", "failing", "paused"]


class AuditStreamUnsent(ApiModel):
    count: int
    """The number of unsent entries, up to 10,000."""
    at_least: bool
    """Whether there may be more than were counted."""
    oldest_at: datetime | None = None
    """The time of the oldest unsent entry; null: none."""


class AuditStream(ApiModel):
    id: str
    """Id of the stream, which starts with `aus_`."""
    name: str
    """The name of the stream."""
    url: str
    header_names: list[str]
    """Names of the headers that are sent with every request; their values are never shown."""
    status: AuditStreamStatus | str
    """`active`; `failing`: the last request was not accepted; or `paused`."""
    created_at: datetime
    """When it was made, in UTC."""
    paused_at: datetime | None = None
    """Since when it is paused; null: it is not."""
    unsent: AuditStreamUnsent
    """The entries that were not sent yet."""
    sent: int
    """The number of sent entries."""
    lost: int
    """The number of entries that were given up, 30 days after `AUDIT_DAYS`."""
    last_sent_at: datetime | None = None
    """When it last accepted entries; null: never."""
    failures: int
    """Requests that failed since the last success."""
    failing_since: datetime | None = None
    """Since when it fails; null: it does not."""
    last_error: str | None = None
    """Why the last request was not accepted, such as `http_503` or `timeout`; null: it was."""
    next_attempt_at: datetime | None = None
    """Before then it is not tried again; null: it is tried at once."""


class AuthorizationClient(ApiModel):
    name: str
    """The name that the application chose."""
    host: str
    """Where the person is sent back to."""
    is_registered: bool
    """Whether the operator registered it, or it is part of Postern; otherwise it chose its own name."""


class AuthorizationScope(ApiModel):
    name: str
    """A permission of docs/scopes.md."""
    about: str
    """A description for people."""


class AuthorizationOrganization(ApiModel):
    id: str
    name: str
    role: str
    scopes: list[str]
    """Those of the asked scopes that the person may grant there."""


class Authorization(ApiModel):
    client: AuthorizationClient
    """The requesting application."""
    needs_new_sign_in: bool
    """Whether the application requires a newer sign-in, or one of another account."""
    resource: str
    """The part of this server for which its tokens would be valid."""
    lasts: bool
    """Whether it continues after the session has ended."""
    identity: list[str]
    """The requested personal data."""
    scopes: list[AuthorizationScope]
    """The requested permissions."""
    organizations: list[AuthorizationOrganization]
    """The organizations for which the person can grant it."""


class AuthorizeConnectionBody(ApiBody):
    provider: str
    """A provider that the operator configured."""
    redirect_url: str
    """An absolute URL on one of `ALLOWED_ORIGINS`."""


class BalanceCycle(ApiModel):
    started_at: datetime
    """When the present cycle began."""
    renews_at: datetime
    """When it ends and the plan grants its credits again."""


class Balance(ApiModel):
    balance: int
    """The credits that can be spent now."""
    reserved: int
    """Set aside for work under way."""
    cycle_credits: int
    """The part of `credits` that ends with the cycle and is spent first."""
    purchased_credits: int
    """The part of `credits` that stays."""
    unlimited: bool
    """Whether the plan has no limit, so that work does not reduce the balance."""
    plan: str
    """Name of the plan of the organization."""
    credits_per_cycle: int | None = None
    """Credits that the plan gives in each cycle; null: no limit."""
    cycle: BalanceCycle
    """The present cycle."""


class CallMcpBody(ApiBody):
    jsonrpc: Literal["2.0"]
    """Always `2.0`."""
    id: str | int | None = None
    """Repeated in the answer; a notification has none."""
    method: str
    """Method of MCP, such as `tools/call`."""
    params: dict[str, Any] | None = None
    """Parameters of the method."""


CallWebhookAnswerStatus: TypeAlias = Literal["queued", "captured"]


class CallWebhookAnswer(ApiModel):
    id: str
    """Id of the event (`evt_`), or of the capture (`cap_`)."""
    status: CallWebhookAnswerStatus | str
    """`captured`: a capture window was open, and the call is kept for inspection."""


CaptureStatus: TypeAlias = Literal["open", "captured", "closed"]


class Capture(ApiModel):
    id: str
    """Starts with `cap_`."""
    status: CaptureStatus | str
    """`captured`: a call was kept; `closed`: the window ended without one."""
    created_at: datetime
    """When it was made, in UTC."""
    expires_at: datetime
    """When the window closes, or would have closed."""
    captured_at: datetime | None = None
    """When the call came; null where none did."""
    method: str | None = None
    """Method of the captured call; null where there is none."""
    query: dict[str, Any] | None = None
    """Parameters of its query; null where there is no call."""
    headers: dict[str, str] | None = None
    """Its headers, without credentials; null where there is no call."""
    content_type: str | None = None
    """Its `Content-Type`; null where it had none."""
    body: str | None = None
    """The exact bytes, as text."""
    body_base64: str | None = None
    """The exact bytes."""


class CatalogueEntry(ApiModel):
    code: str
    """Stable: branch on it."""
    status: int
    """The HTTP status of this code."""
    group: str
    """The chapter of the catalogue."""
    message: str
    """The usual `error.message`; it may change, and differs for some reasons."""
    meaning: str
    """The meaning of the code, in one sentence."""
    remedy: str
    """The remedy, in one sentence."""
    causes: list[str]
    """The causes, the most common first."""
    steps: list[str]
    """The steps of the remedy, in order."""
    example: dict[str, Any]
    """A whole answer with this code."""


CreateInvitationBodyLanguage: TypeAlias = Literal["en", "de", "fr", "es", "ja"]


class ChangeAccountBody(ApiBody):
    first_name: str | None = None
    """Given name, which others in the organization see."""
    last_name: str | None = None
    """Family name, which others in the organization see."""
    language: CreateInvitationBodyLanguage | None = None
    """Of mails to the account; null: that of the organization."""


class ChangeAccountStatusBody(ApiBody):
    status: SessionUserOrganizationStatus
    """`disabled`: its sessions, links and pending invitations end, and its sign-ins are refused. `active`:
    it can sign in again, with the memberships and the password that it had."""
    end_keys: bool | None = None
    """Also deletes the API keys that it made or rotated, and the keys that were made with those."""
    force: bool | None = None
    """Even if an organization is left without administrator (`last_administrator`)."""


class ChangeMemberRoleBody(ApiBody):
    role: str
    """The new role: `administrator`, `member`, or the id of a role of the organization. The last
    administrator keeps that role."""


CreateOrganizationBodyPlan: TypeAlias = Literal["free", "team", "scale", "unlimited"]


class ChangeOrganizationBodyModules(ApiBody):
    webhooks: bool | None = None
    """Webhooks, events and deliveries. Null: the setting of the plan."""
    connections: bool | None = None
    """Accounts at other services. Null: the setting of the plan."""
    files: bool | None = None
    """Uploading and reading files. Null: the setting of the plan."""
    knowledge: bool | None = None
    """Knowledge bases and search. Null: the setting of the plan."""
    agents: bool | None = None
    """Agents, runs, conversations and MCP servers. Null: the setting of the plan."""


class ChangeOrganizationBody(ApiBody):
    name: str | None = None
    """The new name, unique among the organizations of the server."""
    external_id: str | None = None
    """Its id on your platform: letters, digits and `. _ : @ | / + = ~ -`, unique on the installation;
    upper and lower case differ."""
    plan: CreateOrganizationBodyPlan | None = None
    """The new plan, which applies at once."""
    modules: ChangeOrganizationBodyModules | None = None
    """Switches that override the plan."""
    status: SessionUserOrganizationStatus | None = None
    """`disabled`: no session, token or key is accepted and deliveries wait until it is `active` again; its
    runs are cancelled."""
    sign_in_required: Literal[False] | None = None
    """`false` lets members use their own sign-ins, for example when their identity provider fails."""


class ChangePasswordAnswer(ApiModel):
    ended_sessions: int
    """The others, that have ended."""


class ChangePasswordBody(ApiBody):
    current_password: str
    """The current password, so that an open browser alone cannot change it."""
    new_password: str
    """8 to 256 characters, none of the well-known passwords."""


class ChangeProvisionedGroupBody(ApiBody):
    role: str | None = None
    """`administrator`, `member`, or the id of a role of the organization; null: it gives none."""
    priority: int | None = None
    """Of several groups of a user, the one with the highest priority gives the role."""


class ChangeProvisioningBody(ApiBody):
    end_keys: bool
    """Whether the API keys that a person made or rotated end with a membership that the directory ends.
    Default: false."""


IdentityProviderKind: TypeAlias = Literal["oidc", "saml"]


class CreateIdentityProviderBodyOidc(ApiBody):
    issuer: str
    """The value in its metadata."""
    client_id: str
    """The name of Postern at the provider."""
    client_secret: str
    """The client secret from the provider."""


IdentityProviderSamlLogoutBinding: TypeAlias = Literal["redirect", "post"]


class CreateIdentityProviderBodySaml(ApiBody):
    metadata: str | None = None
    """The metadata of the provider, instead of the members that they contain. Nothing is fetched."""
    entity_id: str | None = None
    """The entity id of the provider, from its metadata."""
    sign_on_url: str | None = None
    """Where browsers are sent with a request (HTTP-Redirect); Postern never calls it."""
    certificates: list[str] | None = None
    """Its signing certificates. Each is accepted until it is removed, also after its expiry."""
    email_attribute: str | None = None
    """The attribute with the address; null: the usual attributes, or a `NameID` of the format
    `emailAddress`."""
    logout_url: str | None = None
    """The address for browsers with messages about sign-outs (its `SingleLogoutService`); null: it has
    none."""
    logout_response_url: str | None = None
    """Where they are sent with answers to its requests for a sign-out; null: to `logoutUrl`."""
    logout_binding: IdentityProviderSamlLogoutBinding | None = None
    """How such messages reach it: `redirect` (HTTP-Redirect) or `post` (HTTP-POST)."""


class ChangeSetupProviderBody(ApiBody):
    kind: IdentityProviderKind
    """`oidc`: OpenID Connect. `saml`: SAML 2.0."""
    oidc: CreateIdentityProviderBodyOidc | None = None
    """How it is reached, where it is `oidc`."""
    saml: CreateIdentityProviderBodySaml | None = None
    """The settings of a `saml` provider: `metadata`, or the members that they contain."""


class CheckLivenessAnswer(ApiModel):
    status: str
    """Always `ok`: the process answers."""


class CheckReadinessAnswerChecks(ApiModel):
    database: str
    """`ok` where the database answers in time."""
    database_host: str | None = None
    deliveries: str
    """`ok` where the oldest due delivery of this process waits for no more than a minute, otherwise how
    late it is; always `ok` in a process that sends none."""


class CheckReadinessAnswer(ApiModel):
    status: str
    """`ok`; or, with the HTTP status 503, `stopping` or `failed`."""
    checks: CheckReadinessAnswerChecks
    """Each check with its result."""


CheckoutStatus: TypeAlias = Literal["open", "paid", "expired", "refunded"]


class CheckoutPrice(ApiModel):
    amount: int
    """In the currency's smallest unit."""
    currency: str
    """ISO 4217, in lower case."""


class Checkout(ApiModel):
    id: str
    """Starts with `chk_`."""
    status: CheckoutStatus | str
    """`expired`: its page no longer accepts a payment; an earlier payment, or a settlement by the
    operator, still makes it `paid`."""
    credits: int | None = None
    """Credits that are bought; null where a plan is."""
    plan: str | None = None
    """Plan that is bought; null where credits are."""
    price: CheckoutPrice
    """In the smallest unit of its currency."""
    checkout_url: str
    """Page on which it is paid."""
    created_at: datetime
    """When it was made, in UTC."""
    expires_at: datetime
    """From then on its page accepts no payment."""
    paid_at: datetime | None = None
    """When it was paid; null until then."""


ConfirmEmailChangeAnswerStatus: TypeAlias = Literal["waiting", "changed"]


ConfirmEmailChangeAnswerWaitsFor: TypeAlias = Literal["present", "new"]


class ConfirmEmailChangeAnswer(ApiModel):
    status: ConfirmEmailChangeAnswerStatus | str
    """`changed` where both mailboxes have agreed."""
    waits_for: ConfirmEmailChangeAnswerWaitsFor | str | None = None
    """The mailbox that has not agreed."""


class ConfirmEmailChangeBody(ApiBody):
    token: str
    """The secret of the link, which follows `?token=`."""


ConnectionStatus: TypeAlias = Literal["active", "expired", "revoked", "error"]


class ConnectionLastError(ApiModel):
    """Why the last refresh failed, or why the connection ended; null when a later refresh or authorization
    succeeded."""

    code: str
    """Code of the catalogue."""
    reason: str | None = None
    """The cause within the code, for programs; null where the code has only one."""


class Connection(ApiModel):
    id: str
    """Starts with `con_`."""
    provider: str
    """Name of the provider in `GET /v1/connections/providers`."""
    status: ConnectionStatus | str
    """`active`: it can be used. `expired`: its token has ended and cannot be refreshed. `revoked`: the
    provider does not accept it any more. `error`: the last refresh failed, and the next one may succeed.
    `expired` and `revoked` need a new authorization."""
    scopes: list[str]
    """Scopes that the provider granted."""
    subject: str | None = None
    """The provider's own id of the account, if it has sent one."""
    refreshable: bool
    """Whether a refresh token exists, so that the access token is renewed without a person."""
    last_error: ConnectionLastError | None = None
    retry_not_before: datetime | None = None
    """The provider asked to wait until then; null: it did not."""
    created_by: str | None = None
    """Account or service account that made it; null once that is gone."""
    created_at: datetime
    """When it was made, in UTC."""
    updated_at: datetime
    """When it was last changed, in UTC."""
    expires_at: datetime | None = None
    """When the access token expires; null: unknown."""
    refreshed_at: datetime | None = None
    """When the access token was last renewed; null: never."""


class ConnectionExpiredEventData(ApiModel):
    connection_id: str
    """An id that starts with con_."""
    provider: str
    """Name of the provider."""
    reason: str
    """Why the token could not be renewed."""


class ConnectionExpiredEvent(ApiModel):
    id: str
    """Stable across retries: receivers tell a repeat by it. It starts with `evt_`."""
    type: Literal["connection.expired"]
    """Name of the event type."""
    created_at: datetime
    """When the event was accepted, in UTC."""
    data: ConnectionExpiredEventData
    """The facts of the event."""


class ConnectionProvider(ApiModel):
    name: str
    """The name for `POST /v1/connections/oauth/authorize`."""
    scopes: list[str]
    """Scopes that each new connection requests."""
    api_hosts: list[str]
    """Hosts, with their ports, that a token may be sent to."""


class ConnectionRevokedEventData(ApiModel):
    connection_id: str
    """An id that starts with con_."""
    provider: str
    """Name of the provider."""
    reason: str
    """The answer of the provider."""


class ConnectionRevokedEvent(ApiModel):
    id: str
    """Stable across retries: receivers tell a repeat by it. It starts with `evt_`."""
    type: Literal["connection.revoked"]
    """Name of the event type."""
    created_at: datetime
    """When the event was accepted, in UTC."""
    data: ConnectionRevokedEventData
    """The facts of the event."""


class Conversation(ApiModel):
    id: str
    """Starts with `cnv_`."""
    title: str | None = None
    """The title of the conversation; null without one."""
    turns: int
    """Runs that have been accepted in it."""
    created_by: str
    """Account or service account that made it; null once that is gone."""
    created_at: datetime
    """When it was made, in UTC."""
    updated_at: datetime
    """When it was last changed, in UTC."""


class CreateAgentBodyTool(ApiBody):
    server_id: str
    """Starts with `mcp_`, which may be left out."""
    name: str
    """Name of the tool at its server."""
    approval: AgentToolApproval | None = None
    """`always`: each call waits for a decision. `never`: calls are made without one."""
    approvers: AgentToolApprovers | None = None
    """The deciders of a call: `person`, a signed-in person who may use the run; `administrator`, a
    signed-in administrator; `key`, also an API key that may use the run, even the one that started it."""
    repeatable: bool | None = None
    """Whether a call with an unknown outcome may be repeated, if the tool declares that it may."""
    parallel: bool | None = None
    """Whether calls of the tool may run in parallel with others of the same answer. Set it only for a tool
    whose calls are harmless in any order. Calls that a person decides about (`approval`) always run one
    after the other."""
    required: bool | None = None
    """Whether a run fails when the server is unavailable."""


class CreateAgentBody(ApiBody):
    name: str
    """The name of the agent."""
    instructions: str | None = None
    """Text that the model reads first in each of its calls."""
    model: str | None = None
    """A name of `GET /v1/models`."""
    knowledge_base_ids: list[str] | None = None
    """Knowledge bases that the agent searches; each id starts with `knb_`."""
    tools: list[CreateAgentBodyTool] | None = None
    """Tools of MCP servers that the agent may call."""
    max_steps: int | None = None
    """Calls of the model and of tools in a run; calls of a model that failed do not count."""
    max_output_tokens: int | None = None
    """Longest answer of one call of the model, in tokens."""
    timeout_ms: int | None = None
    """The longest duration of a run, without its waits for persons."""
    on_length: AgentOnLength | None = None
    """The effect of an answer that was cut at `maxOutputTokens`: `keep`, the default, ends the run with
    the cut answer, `fail` fails it. Tool calls in such an answer are never made."""
    on_model_failure: AgentOnModelFailure | None = None
    """The effect of a failed call of the model that may have been charged: `fail`, the default, fails the
    run, `retry` repeats it twice, `fallback` uses `fallbackModel`. A call that cannot have been charged is
    repeated up to 10 times in a row, twice with `fallback`."""
    fallback_model: str | None = None
    """A name of `GET /v1/models`, for `onModelFailure: fallback`."""
    parameters: AgentParameters | None = None


Role: TypeAlias = Literal["administrator", "member"]


class CreateApiKeyBody(ApiBody):
    name: str
    """The name of the key."""
    description: str | None = None
    """The use of the key; null: none is given."""
    role: Role | None = None
    """The most that the key may do. Without it: member, or administrator where a scope needs that."""
    scopes: list[CreateRoleBodyPermission] | None = None
    """Narrows the key to these; without them it may do all that its role may. A key that is narrowed gives
    no scope that it lacks."""
    expires_in_days: int | None = None
    """Days after which the key is refused. Default: it does not expire."""
    service_account_id: str | None = None
    """Starts with `svc_`, which may be left out."""
    allowed_addresses: list[str] | None = None


class CreateAuditStreamBody(ApiBody):
    name: str
    """The name of the stream."""
    url: str
    """Where entries are POSTed. It may be in a private network."""
    headers: dict[str, str] | None = None
    """Sent with every request, such as `Authorization` of the receiver; never shown."""


CreateCheckoutBodyPlan: TypeAlias = Literal["free", "team", "scale"]


class CreateCheckoutBody(ApiBody):
    credits: int | None = None
    """The number of credits to buy, in whole packs; not together with `plan`."""
    plan: CreateCheckoutBodyPlan | None = None
    """The new plan; not together with `credits`."""
    return_url: str | None = None
    """An absolute URL on one of `ALLOWED_ORIGINS`."""


class CreateConversationBody(ApiBody):
    title: str | None = None
    """The title of the conversation."""


class CreateDomainBody(ApiBody):
    name: str
    """The part of addresses after the `@`, in any script."""


class CreateEventTypeBody(ApiBody):
    name: str
    """The name for publications and subscriptions, such as `order.paid`."""
    description: str | None = None
    """The fact that such an event reports."""
    schema_: dict[str, Any] | None = None
    """JSON Schema for `data`. Default: any data is accepted."""
    example: dict[str, Any] | None = None
    """Must fit the schema; `{}` where it is left out."""


class CreateFirstAdministratorBody(ApiBody):
    token: str
    organization: str
    first_name: str
    last_name: str
    email: str
    """An e-mail address."""
    password: str
    """8 to 256 characters, none of the well-known passwords."""
    terms_accepted: Literal[True]
    """Must be true."""


class CreateIdentityProviderBodyRoleRule(ApiBody):
    claim: str
    """A claim of the ID token or the name of an attribute, such as `groups`."""
    value: str
    """A value of the claim, single or in a list."""
    role: str
    """The role then: `administrator`, `member`, or an id that starts with `rol_`."""


class CreateIdentityProviderBody(ApiBody):
    kind: IdentityProviderKind
    """`oidc`: OpenID Connect. `saml`: SAML 2.0."""
    name: str
    """The name for people, also in mails."""
    status: SessionUserOrganizationStatus | None = None
    """`active`, or `disabled`: sign-ins by it are refused."""
    oidc: CreateIdentityProviderBodyOidc | None = None
    """How it is reached, where it is `oidc`."""
    saml: CreateIdentityProviderBodySaml | None = None
    """The settings of a `saml` provider: `metadata`, or the members that they contain."""
    creates_memberships: bool | None = None
    """Whether a sign-in with an address of a proven domain makes a membership."""
    manages_roles: bool | None = None
    """Whether the rules for roles apply at each sign-in, and not only at the first. Roles from groups of
    the directory do not change."""
    default_role: str | None = None
    """Role of members without a matching rule: `administrator`, `member`, or an id that starts with
    `rol_`."""
    role_rules: list[CreateIdentityProviderBodyRoleRule] | None = None
    """The first matching rule gives the role."""
    second_factor_values: list[str] | None = None
    """Values that count as a second factor: of `amr` or `acr`; for SAML, of the authentication context
    class."""
    ends_provider_session: bool | None = None
    """Whether signing out also ends the session at the provider. Default: `false`."""


class CreateInvitationBody(ApiBody):
    email: str
    """An e-mail address."""
    role: str | None = None
    """Role that the person gets on joining: `administrator`, `member`, or the id of a role of the
    organization."""
    expires_in_days: int | None = None
    """Days after which the link of the invitation no longer works."""
    language: CreateInvitationBodyLanguage | None = None
    """Of the mail, unless the person has chosen one. Default: that of the organization."""
    send_email: bool | None = None
    """`false` returns the `acceptUrl`, only this once, and sends no mail."""


class CreateInvitationsBodyInvitation(ApiBody):
    email: str
    """Checked per row: an invalid address fails only its own row."""
    role: str | None = None
    """Role that the person gets on joining: `administrator`, `member`, or the id of a role of the
    organization. `member` where it is left out."""


class CreateInvitationsBody(ApiBody):
    invitations: list[CreateInvitationsBodyInvitation]
    """Each succeeds or fails independently."""
    expires_in_days: int | None = None
    """Days after which the link of the invitation no longer works."""
    language: CreateInvitationBodyLanguage | None = None
    """Of the mail, unless the person has chosen one. Default: that of the organization."""


class CreateKnowledgeBaseBody(ApiBody):
    name: str
    """Unique in the organization."""
    embedding: str | None = None
    """The model of the server, or null for none. Default: the model of the server, if it has one."""


class CreateMcpServerBody(ApiBody):
    name: str
    """The prefix of its tools: `{name}__{tool}`. Unique among the organization’s servers."""
    url: str
    """Where it speaks the protocol over Streamable HTTP."""
    headers: dict[str, str] | None = None
    """Sent with every request, `Authorization` for example; never shown."""
    connection_id: str | None = None
    """Starts with `con_`, which may be left out."""
    required: bool | None = None
    """Whether a run that may use it fails without it; otherwise the model reads that it is unavailable."""


class CreateOauthClientBody(ApiBody):
    name: str
    """The name that people see."""
    redirect_uris: list[str]
    post_logout_redirect_uris: list[str] | None = None
    uses_device_flow: bool | None = None
    is_confidential: bool | None = None
    organization_id: str | None = None
    """Starts with `org_`, which may be left out."""


class CreateOrganizationBody(ApiBody):
    name: str
    """Unique among the organizations of the server."""
    external_id: str | None = None
    """Its id on your platform: letters, digits and `. _ : @ | / + = ~ -`, unique on the installation;
    upper and lower case differ."""
    plan: CreateOrganizationBodyPlan | None = None
    """`DEFAULT_PLAN` where it is left out."""


class CreateOrganizationInvitationBody(ApiBody):
    email: str
    """An e-mail address."""
    role: str | None = None
    """Role that the person gets on joining."""
    send_email: bool | None = None
    """With `false` you hand over the link yourself. Default: whether a mail server is configured."""


class CreatePlatformKeyBody(ApiBody):
    name: str
    """The name of the key; organizations see it in their audit logs."""
    scopes: list[CreateRoleBodyPermission] | None
    """The permissions of the key in every organization; null: all."""
    may_create_organizations: bool | None = None
    """Whether a `POST` for an unknown `ext:` makes the organization, with `DEFAULT_PLAN`."""
    allowed_addresses: list[str] | None = None
    """Networks from which the key may be used; null: any."""
    expires_in_days: int | None = None
    """Days after which the key is refused. Default: it does not expire."""


CreateReplayBodyStatus: TypeAlias = Literal["failed", "delivered", "all"]


class CreateReplayBody(ApiBody):
    event_id: str | None = None
    """Starts with `evt_`, which may be left out."""
    event_type: str | None = None
    """Only deliveries of events of this type."""
    status_code: str | None = None
    """The status of the last attempt’s answer: one status, or a class such as `5xx`."""
    error_class: str | None = None
    """One or several of: timeout, dns, refused, reset, tls, invalid_answer, blocked_address, http_3xx,
    http_4xx, http_5xx, http_other; with a comma between two."""
    since: datetime
    """Only deliveries made at or after this moment."""
    until: datetime | None = None
    """Only deliveries made before this moment."""
    ids: list[str] | None = None
    """Only these. Ids of deliveries of others, or that were removed, are ignored."""
    dry_run: bool | None = None
    """Only counts the deliveries; nothing is changed."""
    status: CreateReplayBodyStatus | None = None
    """Which deliveries are made again, by their outcome."""


CreateRoleBodyPermission: TypeAlias = Literal[
    "organization:read",
    "organization:write",
    "members:read",
    "members:write",
    "invitations:read",
    "invitations:write",
    "roles:read",
    "roles:write",
    "sign_in:read",
    "sign_in:write",
    "scim:write",
    "mails:read",
    "keys:read",
    "keys:write",
    "audit:read",
    "billing:read",
    "billing:write",
    "events:read",
    "events:write",
    "event_types:read",
    "event_types:write",
    "webhooks:read",
    "webhooks:write",
    "deliveries:read",
    "deliveries:write",
    "captures:read",
    "captures:write",
    "connections:read",
    "connections:write",
    "connections:use",
    "files:read",
    "files:write",
    "files:all",
    "knowledge:read",
    "knowledge:write",
    "documents:write",
    "agents:read",
    "agents:write",
    "mcp_servers:read",
    "mcp_servers:write",
    "runs:read",
    "runs:write",
    "runs:all",
    "approvals:write",
    "conversations:read",
    "conversations:write",
    "conversations:all",
]


class CreateRoleBody(ApiBody):
    name: str
    """The name of the role, unique in the organization."""
    description: str | None = None
    """The purpose of the role; null: none is given."""
    permissions: list[CreateRoleBodyPermission]
    """The permissions of its holders. docs/scopes.md lists the operations of each."""


class CreateServiceAccountBody(ApiBody):
    name: str
    """The name of the machine in records of its actions."""
    description: str | None = None
    """The purpose of the machine; null: none is given."""
    owner_id: str | None = None
    """Starts with `acc_`, which may be left out."""


SetupLinkPurpose: TypeAlias = Literal["domains", "provider", "directory"]


class CreateSetupLinkBody(ApiBody):
    name: str
    """Whom it is for, in the words of its maker."""
    purposes: list[SetupLinkPurpose]
    """The permitted uses."""
    email: str | None = None
    """An e-mail address."""
    language: CreateInvitationBodyLanguage | None = None
    """The language of the mail."""
    expires_in_days: int | None = None
    """How long it lasts, unless the key that makes it ends before."""
    activates: bool | None = None
    """Whether a sign-in that works enables the identity provider; else an administrator does."""
    creates_memberships: bool | None = None
    """The same as for the added identity provider."""


class CreateWebhookBody(ApiBody):
    url: str
    """Absolute http or https URL without credentials, at a public address."""
    events: list[str]
    """Event types, or `*` for every one."""
    endpoint_path: str | None = None
    """Opens `POST /v1/webhooks/{endpointPath}` to external systems."""
    description: str | None = None
    """The purpose of the webhook."""
    max_in_flight: int | None = None
    """The most concurrent attempts; 256 by default. Below it as many are made as are answered well, and no
    slower than usual."""
    max_per_second: float | None = None
    """The most calls per second to the destination. Deliveries that wait for this limit are neither late
    nor failed."""


class CreatedApiKey(ApiModel):
    id: str
    """Starts with `key_`."""
    service_account_id: str
    """Service account that the key belongs to, starting with `svc_`."""
    name: str
    """The name of the key."""
    description: str | None = None
    """The use of the key; null: none is given."""
    role: str
    """The upper limit of the key’s rights. A key never has more rights than its maker."""
    scopes: list[str] | None = None
    """The part of its role’s permissions that the key has; null: all. docs/scopes.md lists the operations
    of each scope."""
    allowed_addresses: list[str] | None = None
    """Networks from which the key may be used; null: from anywhere."""
    hint: str
    """The last four characters of the key."""
    created_by: str | None = None
    """Account or service account that made the key."""
    created_with: str | None = None
    """API key with which it was made, starting with `key_`; null where a person made it."""
    created_at: datetime
    """When it was made, in UTC."""
    rotated_by: str | None = None
    """Account or service account that made the current secret; null for the first secret."""
    rotated_at: datetime | None = None
    """When the current secret was made; null for the first secret."""
    former_secrets: list[ApiKeyFormerSecret]
    """Replaced secrets that still work, the newest first."""
    expires_at: datetime | None = None
    """From then on the key is refused; null: it does not expire."""
    last_used_at: datetime | None = None
    """When the key was last used, at most a minute earlier than the last use; null: never."""
    key: str
    """The secret of the key, for `Authorization: Bearer`. Only this answer shows it."""


class CreatedAuditStream(ApiModel):
    id: str
    """Id of the stream, which starts with `aus_`."""
    name: str
    """The name of the stream."""
    url: str
    header_names: list[str]
    """Names of the headers that are sent with every request; their values are never shown."""
    status: AuditStreamStatus | str
    """`active`; `failing`: the last request was not accepted; or `paused`."""
    created_at: datetime
    """When it was made, in UTC."""
    paused_at: datetime | None = None
    """Since when it is paused; null: it is not."""
    unsent: AuditStreamUnsent
    """The entries that were not sent yet."""
    sent: int
    """The number of sent entries."""
    lost: int
    """The number of entries that were given up, 30 days after `AUDIT_DAYS`."""
    last_sent_at: datetime | None = None
    """When it last accepted entries; null: never."""
    failures: int
    """Requests that failed since the last success."""
    failing_since: datetime | None = None
    """Since when it fails; null: it does not."""
    last_error: str | None = None
    """Why the last request was not accepted, such as `http_503` or `timeout`; null: it was."""
    next_attempt_at: datetime | None = None
    """Before then it is not tried again; null: it is tried at once."""
    secret: str
    """The secret of the key, for `Authorization: Bearer`. Only this answer shows it."""


class CreatedCheckout(ApiModel):
    checkout_url: str
    """The address for the browser of the paying person."""
    checkout_id: str
    """Id of the checkout, which starts with `chk_`."""
    expires_at: datetime
    """From then on its page accepts no payment."""


InvitationStatus: TypeAlias = Literal["pending", "accepted", "revoked", "expired"]


InvitationDeliveryStatus: TypeAlias = Literal["queued", "sent", "failed", "not_configured"]


class InvitationDelivery(ApiModel):
    status: InvitationDeliveryStatus | str
    """`not_configured`: the server has no mail server, and the link must be handed over in another way."""
    attempts: int
    """How often the mail was handed to the mail server."""
    last_attempt_at: datetime | None = None
    """When it was last tried; null before the first try."""
    last_error: str | None = None
    """A short reason. The log has the reason why no mail server was reached."""
    answer: str | None = None
    """The mail server’s answer when it accepted or refused the mail."""


class Invitation(ApiModel):
    id: str
    """Starts with `inv_`."""
    email: str
    """The invited address."""
    organization_id: str
    """Id of the organization, which starts with `org_`."""
    role: str
    """Role that the person gets: `administrator`, `member`, or an id that starts with `rol_`."""
    role_name: str | None = None
    """The name of that role; null where it was deleted."""
    status: InvitationStatus | str
    """`expired` once `expiresAt` has passed; sending it again makes it `pending` again."""
    inviter_id: str | None = None
    """Account or service account that invited; null for the command line of the server."""
    created_at: datetime
    """When it was made, in UTC."""
    expires_at: datetime
    """From then on the link no longer works."""
    accepted_at: datetime | None = None
    """When the person joined; null until then."""
    revoked_at: datetime | None = None
    """When an administrator revoked it; null while it is not revoked."""
    delivery: InvitationDelivery
    """The state of the last mail of this invitation."""
    accept_url: str | None = None
    """Only in the answer that creates it with `sendEmail: false`."""


class CreatedInvitationResultError(ApiModel):
    code: str
    """Code of the catalogue."""
    message: str
    """The problem, for people."""
    details: dict[str, Any]
    """`field`, `value`, `reason` and the other details of the code."""


class CreatedInvitationResult(ApiModel):
    email: str
    """The address as it was sent."""
    invitation: Invitation | None = None
    """Present where the invitation was made."""
    error: CreatedInvitationResultError | None = None
    """Present where it was not."""


class CreatedInvitation(ApiModel):
    results: list[CreatedInvitationResult]
    """One result for each invitation of the request, in the same order."""


OauthClientOrigin: TypeAlias = Literal["registered", "dynamic"]


class CreatedOauthClient(ApiModel):
    id: str
    name: str
    """The name that people see; an application that registered itself chose it."""
    redirect_uris: list[str]
    """The exact URIs to which a browser may return."""
    post_logout_redirect_uris: list[str]
    """The exact URIs to which a browser may return after a sign-out; the `state` of the request is
    appended, so a URI must not have one."""
    organization_id: str | None = None
    """The only organization whose members can grant it access; null: any."""
    origin: OauthClientOrigin | str
    """`registered` by the operator, or `dynamic`: it registered itself."""
    is_confidential: bool
    """Whether it proves itself with a secret at the token endpoint."""
    uses_device_flow: bool
    """Whether it may request a grant by a code that a person enters at `/device`."""
    created_at: datetime
    """When it was made, in UTC."""
    last_used_at: datetime | None = None
    """When it last got a grant or a token; null: never."""
    expires_at: datetime | None = None
    """When it is removed unless it is used; null: it is not."""
    client_secret: str | None = None
    """For the token endpoint; null for applications that use only PKCE. Only this answer shows it."""


class CreatedOrganizationInvitation(ApiModel):
    invitation_id: str
    """Id of the invitation, which starts with `inv_`."""
    email: str
    """The address that was invited."""
    role: str
    """Role that the person gets."""
    is_mailed: bool
    """Whether the link is mailed; otherwise hand it over yourself."""
    expires_at: datetime
    """From then on the link no longer works."""
    accept_url: str
    """The link, shown only in this answer, for this person."""


class CreatedPlatformKey(ApiModel):
    id: str
    name: str
    """The name of the key; organizations see it in their audit logs."""
    scopes: list[str] | None = None
    """The permissions of the key in every organization; null: all."""
    may_create_organizations: bool
    """Whether a `POST` for an unknown `ext:` makes the organization, with `DEFAULT_PLAN`."""
    allowed_addresses: list[str] | None = None
    """Networks from which the key may be used; null: any."""
    hint: str
    """The last four characters of the key."""
    created_at: datetime
    """When it was made, in UTC."""
    expires_at: datetime | None = None
    """From then on the key is refused; null: it does not expire."""
    rotated_at: datetime | None = None
    """When it got its current secret; null for the first secret."""
    last_used_at: datetime | None = None
    """When the key was last used, at most a minute old; null: never."""
    key: str
    """The secret of the key, for `Authorization: Bearer`. Only this answer shows it."""


class CreatedSetupDirectoryKey(ApiModel):
    url: str
    key: str


class CreatedToken(ApiModel):
    token: str
    """The JWT, for `Authorization: Bearer`."""
    expires_at: datetime
    """60 minutes after it was made."""


WebhookStatus: TypeAlias = Literal["active", "paused", "disabled"]


WebhookHealthState: TypeAlias = Literal["delivering", "failing", "parked", "paused", "disabled"]


class WebhookHealth(ApiModel):
    """How its deliveries fare, the same in every process. `state` and `since` are written down within 2 s
    of a change; `reason`, and `nextAttemptAt` of a parked webhook, may be 10 s old. Tests do not count."""

    state: WebhookHealthState | str
    """`delivering`: its last attempt was delivered, or there was none. `failing`: its attempts fail.
    `parked`: they have failed for so long that one call at a time is made, with pauses, until one is
    delivered. `paused` and `disabled`: nothing is sent; a listener is paused while no client asks."""
    since: datetime | None = None
    reason: str | None = None
    """The failure of the last attempt: `http_` and the status, or `timeout`, `dns`, `refused`, `reset`,
    `tls`, `invalid_answer`, `blocked_address`. For a disabled webhook, the reason."""
    next_attempt_at: datetime | None = None
    """When a webhook that fails is tried next; null where that is any moment, or not known yet."""


class Webhook(ApiModel):
    id: str
    """Starts with `whk_`."""
    url: str
    """Where events are sent by `POST`."""
    events: list[str]
    """The subscribed event types; `*` means all."""
    endpoint_path: str | None = None
    """Opens `POST /v1/webhooks/{endpointPath}` to external systems; null: no such path."""
    description: str | None = None
    """The purpose of the webhook; null without a description."""
    status: WebhookStatus | str
    """`disabled`: the destination answered 410, or the operator disabled the organization; set `active` to
    resume. Deliveries are held while it is not `active`."""
    disabled_reason: str | None = None
    """`gone`: the destination answered 410. `organization_disabled`: the operator disabled the
    organization. Null unless `status` is `disabled`."""
    listener: str | None = None
    """The name by which clients fetch its deliveries; null where they are sent to `url`."""
    listened_at: datetime | None = None
    """The last request of a client for its deliveries, to within half a minute; null without one, and for
    a webhook with a URL."""
    health: WebhookHealth
    max_in_flight: int
    """Most attempts at once."""
    max_per_second: float | None = None
    """Most calls a second; null: no limit."""
    created_at: datetime
    """When it was made, in UTC."""
    updated_at: datetime
    """When it was last changed, in UTC."""
    secret_hint: str
    """The end of the current secret."""
    secret_rotated_at: datetime
    """When the present secret was made."""
    previous_secret_expires_at: datetime | None = None
    """Until then the previous secret signs as well; null where there is none."""


class CreatedWebhook(Webhook):
    secret: str
    """Signs each delivery. It is shown here and at its rotation only."""


DecideApprovalBodyDecision: TypeAlias = Literal["approve", "deny"]


class DecideApprovalBody(ApiBody):
    decision: DecideApprovalBodyDecision
    """The decision. It is valid once, for this call with these arguments."""
    reason: str | None = None
    """Kept with the run; of a call that is denied the model reads it."""


class DecideApprovalsBodyDecision(ApiBody):
    step_id: str
    """Starts with `stp_`, which may be left out."""
    decision: DecideApprovalBodyDecision
    reason: str | None = None
    """Kept with the run; of a call that is denied the model reads it."""


class DecideApprovalsBody(ApiBody):
    decisions: list[DecideApprovalsBodyDecision]


class DecideAuthorizationAnswer(ApiModel):
    redirect_to: str
    """The next URL for the browser."""


class DecideAuthorizationBody(ApiBody):
    allow: bool
    """Whether the person grants it."""
    organization_id: str | None = None
    """Starts with `org_`, which may be left out."""
    scopes: list[str] | None = None
    """The granted scopes. Default: all requested ones."""


class DecideDeviceRequestBody(ApiBody):
    user_code: str
    """The code that the device shows."""
    allow: bool
    """Whether the person grants it."""
    organization_id: str | None = None
    """Starts with `org_`, which may be left out."""
    scopes: list[str] | None = None
    """The granted scopes. Default: all requested ones."""


class DeleteMemberApiKeysAnswer(ApiModel):
    deleted_api_keys: int
    """How many keys were deleted."""


class DeliverCaptureAnswer(ApiModel):
    id: str
    """Id of the event that the call became (`evt_`)."""
    status: str
    """Always `queued`."""


DeliveryStatus: TypeAlias = Literal["pending", "held", "delivered", "failed"]


DeliveryWaitingReason: TypeAlias = Literal[
    "attempting",
    "retry_scheduled",
    "parked",
    "rate",
    "in_flight",
    "webhook_paused",
    "webhook_disabled",
    "listener",
]


class DeliveryWaiting(ApiModel):
    """Why a delivery that has not ended waits, up to 10 s old; null once it has ended."""

    reason: DeliveryWaitingReason | str
    """`attempting`: it is being attempted, or is the next that `maxPerSecond` allows. `retry_scheduled`:
    for its next attempt. `parked`: its webhook does not answer; one delivery at a time is tried, and all
    that wait follow once one is taken. `rate`: for `maxPerSecond`. `in_flight`: for those before it, as
    many at once as the webhook is trusted with. `webhook_paused`, `webhook_disabled`: until the webhook is
    resumed. `listener`: until a client of its listener fetches it."""
    until: datetime | None = None
    """When that ends: the next attempt, or the next probe of a parked webhook. Null where it is not known."""


DeliveryAttemptErrorClass: TypeAlias = Literal[
    "timeout",
    "dns",
    "refused",
    "reset",
    "tls",
    "invalid_answer",
    "blocked_address",
    "http_3xx",
    "http_4xx",
    "http_5xx",
    "http_other",
]


class DeliveryAttemptTimings(ApiModel):
    """The duration of each part; null for absent parts, such as the first three on an open connection."""

    dns_ms: int | None = None
    """Milliseconds for the look-up of the name; null where a connection was reused."""
    connect_ms: int | None = None
    """Milliseconds for the TCP connection; null where one was reused."""
    tls_ms: int | None = None
    """Milliseconds for the TLS handshake; null where there was none."""
    first_byte_ms: int | None = None
    """From when the request was written until its answer began."""
    total_ms: int
    """Of the whole attempt."""


DeliveryAttemptSignedWith: TypeAlias = Literal["current", "previous"]


class DeliveryAttempt(ApiModel):
    id: str
    """Starts with `att_`."""
    number: int
    """1 for the first attempt of the delivery."""
    started_at: datetime
    """When the attempt began."""
    duration_ms: int
    """Milliseconds until the end of the answer, or until it was given up; 30,000 at most."""
    outcome: str
    """State of the delivery after the attempt: `delivered`, `retry` or `failed`."""
    status_code: int | None = None
    """HTTP status of the answer; null where there was no answer."""
    error: str | None = None
    """The failure in words, where there was no complete answer; null otherwise."""
    error_class: DeliveryAttemptErrorClass | str | None = None
    """Kind of the failure; null where it succeeded."""
    url: str | None = None
    """Where its webhook sent to then."""
    address: str | None = None
    """The IP address that it went to."""
    timings: DeliveryAttemptTimings
    """Duration of each part of the attempt."""
    request_headers: dict[str, str]
    """Headers that were sent, signatures included."""
    response_headers: dict[str, str] | None = None
    """Headers of the answer, each cut at 1,024 characters; null where none came."""
    response_body: str | None = None
    """The first 16 KiB of the answer; null where none came."""
    signed_with: DeliveryAttemptSignedWith | str
    """Which secret the counting request was signed with."""


class Delivery(ApiModel):
    id: str
    """Starts with `dlv_`."""
    webhook_id: str
    """Id of the webhook, which starts with `whk_`."""
    event_id: str
    """Id of the event, which starts with `evt_`."""
    event_type: str
    """Type of the event."""
    status: DeliveryStatus | str
    """`held`: the webhook is paused or disabled, and the delivery waits for it."""
    reason: str | None = None
    """Why it failed or is held; null otherwise."""
    test: bool
    """Whether it is a test of the webhook, which no replay makes again."""
    attempt_count: int
    """Attempts that have been made."""
    next_attempt_at: datetime | None = None
    """When the next attempt is due; null once it has ended, and while it is held."""
    created_at: datetime
    """When the event was accepted, or the delivery was made by a replay or a retry."""
    updated_at: datetime
    """When it was last changed, in UTC."""
    waiting: DeliveryWaiting | None = None
    attempts: list[DeliveryAttempt]
    """All attempts, the first one first."""


class DeliveryItem(ApiModel):
    id: str
    """Starts with `dlv_`."""
    webhook_id: str
    """Id of the webhook, which starts with `whk_`."""
    event_id: str
    """Id of the event, which starts with `evt_`."""
    event_type: str
    """Type of the event."""
    status: DeliveryStatus | str
    """`held`: the webhook is paused or disabled, and the delivery waits for it."""
    reason: str | None = None
    """Why it failed or is held; null otherwise."""
    test: bool
    """Whether it is a test of the webhook, which no replay makes again."""
    attempt_count: int
    """Attempts that have been made."""
    next_attempt_at: datetime | None = None
    """When the next attempt is due; null once it has ended, and while it is held."""
    created_at: datetime
    """When the event was accepted, or the delivery was made by a replay or a retry."""
    updated_at: datetime
    """When it was last changed, in UTC."""
    url: str
    """Where its webhook sends to now."""
    last_status_code: int | None = None
    """The status of the last attempt’s answer."""
    last_error_class: DeliveryAttemptErrorClass | str | None = None
    """Kind of the failure of the last attempt; null where it did not fail or there was none."""
    ended_at: datetime | None = None
    """When it was delivered or failed; null until then."""


class WebhookStatsLatencyMs(ApiModel):
    """The durations of the attempts that ended deliveries, in milliseconds: estimates, each within 10 % of
    the true percentile."""

    p50: int
    """Half of the attempts took at most so many milliseconds."""
    p95: int
    """95 of 100 attempts took at most so many milliseconds."""
    p99: int
    """99 of 100 attempts took at most so many milliseconds."""
    error: float
    """The largest relative error of each percentile."""


class DeliveryStatsBucket(ApiModel):
    at: datetime
    """Start of the bucket."""
    delivered: int
    """Deliveries that ended with a 2xx answer."""
    failed: int
    """Deliveries that ended without a 2xx answer."""
    pending: int
    """Deliveries that wait for an attempt."""
    latency_ms: WebhookStatsLatencyMs | None = None
    """Durations of the last attempts of deliveries; null where there was none."""


class DeliveryStatsTotals(ApiModel):
    delivered: int
    """Deliveries that ended with a 2xx answer."""
    failed: int
    """Deliveries that ended without a 2xx answer."""
    pending: int
    """Deliveries that wait for an attempt."""


class DeliveryStatsBacklog(ApiModel):
    pending: int
    """All of active webhooks that have not ended, whenever they were made."""
    held: int
    """The same of webhooks that are paused or disabled."""
    oldest_pending_at: datetime | None = None
    """Earliest due time of the deliveries that wait: of a new one its creation, of a retry its next
    attempt; null where none waits."""


class DeliveryStats(ApiModel):
    window_ms: int
    """Milliseconds that the figures look back."""
    bucket_ms: int
    """Milliseconds of one bucket."""
    buckets: list[DeliveryStatsBucket]
    """The figures over time, the oldest first."""
    totals: DeliveryStatsTotals
    """The sums over all buckets."""
    latency_ms: WebhookStatsLatencyMs | None = None
    """Durations of the last attempts of deliveries; null where there was none."""
    backlog: DeliveryStatsBacklog
    """Deliveries that wait at this moment."""


class DeviceRequestClient(ApiModel):
    name: str
    """The name that the application chose."""
    is_registered: bool
    """Whether the operator registered it, or it is part of Postern; otherwise it chose its own name."""


class DeviceRequestDevice(ApiModel):
    address: str
    """The IP address of the request."""
    program: str
    """`User-Agent` of its request, cut at 200 characters."""
    is_same_network: bool
    """Whether this request comes from the same network."""
    age_seconds: int
    """The age of the request in seconds."""


class DeviceRequest(ApiModel):
    client: DeviceRequestClient
    """The requesting application."""
    device: DeviceRequestDevice
    """The origin of the request, by which a person can recognize their device."""
    resource: str
    """The part of this server for which its tokens would be valid."""
    lasts: bool
    """Whether it continues after the session has ended."""
    identity: list[str]
    """The requested personal data."""
    scopes: list[AuthorizationScope]
    """The requested permissions."""
    organizations: list[AuthorizationOrganization]
    """The organizations for which the person can grant it."""


DocumentStatus: TypeAlias = Literal["queued", "indexing", "indexed", "failed"]


class DocumentError(ApiModel):
    """Why the last indexing failed."""

    code: str
    """A code of the catalogue."""
    reason: str | None = None
    """The cause within the code, for programs; null where the code has only one."""
    message: str
    """The cause, and the remedy."""


class DocumentReplacement(ApiModel):
    """The content that replaces the current one after it is indexed; after a failure it stays here until
    it is indexed again or replaced."""

    name: str
    """The new name of the document."""
    file_id: str | None = None
    """File that it is made of then; null for a text."""
    sha256: str
    """Digest of its bytes, in hex."""


class Document(ApiModel):
    id: str
    """Starts with `doc_`."""
    knowledge_base_id: str
    """Id of the knowledge base, which starts with `knb_`."""
    name: str
    """The name of the document in answers and sources."""
    file_id: str | None = None
    """File that it was made of, starting with `fil_`; null for a text."""
    sha256: str
    """Digest of its text, in hex."""
    status: DocumentStatus | str
    """The state of the last indexing. Searches find the result of an earlier one until the next has
    succeeded."""
    error: DocumentError | None = None
    """Why it was not indexed; null where it was."""
    replacement: DocumentReplacement | None = None
    chunks: int
    """Passages of it that are found."""
    chars: int
    """Length of its text in characters."""
    embedding: str | None = None
    """The model of its vectors."""
    created_by: str | None = None
    """Account or service account that made it; null once that is gone."""
    created_at: datetime
    """When it was made, in UTC."""
    updated_at: datetime
    """When it was last changed, in UTC."""
    indexed_at: datetime | None = None
    """When it was last indexed; null until then."""


class DocumentChunkLocation(ApiModel):
    page: int | None = None
    """Page of its PDF, or slide, from 1."""
    sheet: str | None = None
    """Name of a sheet of its spreadsheet."""
    heading: str | None = None
    """The heading above it."""


class DocumentChunk(ApiModel):
    chunk_id: str
    """The id of the passage in searches."""
    position: int
    """Its place in the document, from 0 on."""
    text: str
    """The passage."""
    location: DocumentChunkLocation
    """Its position in the file or text."""


DocumentIndexedEventDataStatus: TypeAlias = Literal["indexed", "failed"]


class DocumentIndexedEventDataError(ApiModel):
    code: str
    """Code of the catalogue."""
    reason: str | None = None
    """The cause within the code, for programs; null where the code has only one."""
    message: str
    """The cause, and the remedy."""


class DocumentIndexedEventData(ApiModel):
    document_id: str
    """An id that starts with doc_."""
    knowledge_base_id: str
    """An id that starts with knb_."""
    name: str
    """Name of the document."""
    status: DocumentIndexedEventDataStatus | str
    """`indexed` or `failed`."""
    chunks: int
    """Passages of it that are found now."""
    duration_ms: int
    """Milliseconds that indexing took."""
    error: DocumentIndexedEventDataError | None = None
    """Why it failed; null otherwise."""


class DocumentIndexedEvent(ApiModel):
    id: str
    """Stable across retries: receivers tell a repeat by it. It starts with `evt_`."""
    type: Literal["document.indexed"]
    """Name of the event type."""
    created_at: datetime
    """When the event was accepted, in UTC."""
    data: DocumentIndexedEventData
    """The facts of the event."""


class DocumentTextPart(ApiModel):
    offset: int
    """Where in `text` it begins, in UTF-16 code units."""
    page: int | None = None
    """Page of its PDF, or slide, from 1."""
    sheet: str | None = None
    """Name of a sheet of its spreadsheet."""
    heading: str | None = None
    """The heading above it."""


class DocumentText(ApiModel):
    text: str | None = None
    """Null until its file was processed for the first time."""
    indexed: bool
    """Whether searches find passages of this text: false before it was indexed for the first time, and
    after its file was read again."""
    parts: list[DocumentTextPart]
    """Where in the document the parts of `text` stand."""
    next_cursor: str | None = None
    """Pass as `cursor` for the text that follows; null at the end."""


DomainStatus: TypeAlias = Literal["pending", "verified", "failing", "lost"]


class DomainRecord(ApiModel):
    """The record to publish in the domain name system."""

    type: str
    """Always `TXT`."""
    name: str
    """Where to publish it."""
    value: str
    """The required value. Additional values are allowed."""


DomainReason: TypeAlias = Literal["no_record", "other_value", "no_answer"]


class Domain(ApiModel):
    id: str
    """Identifier, starting with `dom_`."""
    name: str
    """The domain, in ASCII."""
    status: DomainStatus | str
    """`pending` until its record was found. `failing`: the record is missing, and the domain still counts
    as proven. `lost`: it no longer counts."""
    record: DomainRecord
    reason: DomainReason | str | None = None
    """Why the last check found no proof; null: it found one, or no check was made."""
    created_by: str | None = None
    """Account or service account that claimed it."""
    created_at: datetime
    """When it was made, in UTC."""
    checked_at: datetime | None = None
    """Time of the last look-up of the record; null: never."""
    verified_at: datetime | None = None
    """When the domain was proven; null: never."""
    failing_since: datetime | None = None
    """Since when the record is missing; null while it is not."""


EmailChangeContentAskedBy: TypeAlias = Literal["person", "operator"]


class EmailChangeContent(ApiModel):
    new_email: str
    """The new address of the account."""
    asked_by: EmailChangeContentAskedBy | str
    """Who began it."""
    is_approved: bool
    """By the present mailbox, or by the operator instead of it."""
    is_confirmed: bool
    """By the new mailbox."""
    expires_at: datetime
    """When its links stop working."""


class EmailChange(ApiModel):
    change: EmailChangeContent | None = None
    """The change that waits for a mailbox; null where none does."""


class EndOtherSessionsAnswer(ApiModel):
    ended_sessions: int
    """How many sessions of the account were ended."""


class Event(ApiModel):
    id: str
    """Starts with `evt_`."""
    type: str
    """Name of its event type."""
    created_at: datetime
    """When the event was accepted; the same in every delivery of it."""
    data: dict[str, Any]
    """The data as the publisher sent them, byte for byte."""


class EventItem(ApiModel):
    id: str
    """Starts with `evt_`."""
    type: str
    """Name of its event type."""
    created_at: datetime
    """When the event was accepted; the same in every delivery of it."""
    data: dict[str, Any]
    """The data as the publisher sent them, byte for byte."""
    actor_id: str | None = None
    """The publisher: an account or a service account. Null for events of the platform and of inbound
    addresses."""


class EventType(ApiModel):
    name: str
    """The name for publications and subscriptions, such as `order.paid`."""
    description: str
    """The fact that such an event reports."""
    schema_: dict[str, Any]
    """JSON Schema that `data` of each event is checked against."""
    example: dict[str, Any]
    """A value of `data` that fits the schema; tests of webhooks send it."""
    built_in: bool
    """Whether the platform defines it; those cannot be changed or deleted."""
    publishable: bool
    """Whether `POST /v1/events` accepts it; only the platform publishes the others."""
    created_at: datetime | None = None
    """When it was registered; null for built-in types."""


class EventTypeItem(ApiModel):
    name: str
    """The name for publications and subscriptions, such as `order.paid`."""
    description: str
    """The fact that such an event reports."""
    schema_: dict[str, Any]
    """JSON Schema that `data` of each event is checked against."""
    example: dict[str, Any]
    """A value of `data` that fits the schema; tests of webhooks send it."""
    built_in: bool
    """Whether the platform defines it; those cannot be changed or deleted."""
    publishable: bool
    """Whether `POST /v1/events` accepts it; only the platform publishes the others."""
    created_at: datetime | None = None
    """When it was registered; null for built-in types."""
    subscribers: int
    """The number of webhooks that subscribe to it, inactive ones included."""


FactorKind: TypeAlias = Literal["totp", "passkey"]


class Factor(ApiModel):
    id: str
    kind: FactorKind | str
    """`totp`: an authenticator app. `passkey`: a device or a password manager."""
    name: str
    """The name that the person gave it."""
    created_at: datetime
    """When it was made, in UTC."""
    last_used_at: datetime | None = None
    """When it was last used; null: never."""


class FactorPage(ApiModel):
    data: list[Factor]
    """The items of the list."""
    next_cursor: str | None = None
    """Always null: the list is whole."""
    recovery_codes_left: int
    """Recovery codes that were not used."""


class FetchDeliveriesAnswerDelivery(ApiModel):
    receipt: str
    """Send it back with the result. It is valid for one attempt."""
    delivery_id: str
    """The same for each attempt."""
    event_id: str
    """The event of the delivery, the same as in `webhook-id`."""
    event_type: str
    """The name under which the event was published."""
    attempt: int
    """1 for the first attempt."""
    headers: dict[str, str]
    """The headers of the request, signed at this moment."""
    previous_signatures: list[str]
    """Values of `x-service-signature` by retired secrets: a receiver that answers 401 or 403 is asked
    again with each, in the same attempt."""
    body_base64: str
    """The exact bytes that the signatures are of."""
    deadline: datetime
    """An answer after this moment is a timeout."""


class FetchDeliveriesAnswer(ApiModel):
    deliveries: list[FetchDeliveriesAnswerDelivery]
    """None where none came in time."""


class FetchDeliveriesBody(ApiBody):
    limit: int | None = None
    """The most deliveries to fetch; their bodies have 1 MiB together at most."""
    wait_ms: int | None = None
    """How long to wait where none is due."""


class FetchFileBody(ApiBody):
    url: str
    """Where it is: http or https, at a public address, without credentials."""
    name: str | None = None
    """Name of the file. Default: the last part of the URL."""
    charset: str | None = None
    """The character encoding; it overrides that of the `Content-Type`."""


FetchThroughConnectionAnswerBodyEncoding: TypeAlias = Literal["text", "base64"]


class FetchThroughConnectionAnswer(ApiModel):
    status: int
    """The API's own status; 2xx, 3xx and 4xx are all returned."""
    headers: dict[str, str]
    """In lower case. A header that came several times is joined by commas."""
    body: str
    """Body of the answer, encoded by `bodyEncoding`."""
    body_encoding: FetchThroughConnectionAnswerBodyEncoding | str
    """`text` where the bytes are UTF-8, else `base64`."""


FetchThroughConnectionBodyMethod: TypeAlias = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]


class FetchThroughConnectionBody(ApiBody):
    method: FetchThroughConnectionBodyMethod
    """Method of the call; `GET` and `HEAD` have no body."""
    url: str
    """An absolute URL on one of the provider's `apiHosts`."""
    headers: dict[str, str] | None = None
    """Headers of the call. `Authorization` is set by the server and refused here."""
    body: str | dict[str, Any] | list[Any] | None = None
    """A text that is sent unchanged, or an object or list that is sent as JSON."""
    body_encoding: FetchThroughConnectionAnswerBodyEncoding | None = None
    """The encoding of a text in `body`."""


class FileProcessedEventDataError(ApiModel):
    code: str
    """Code of the catalogue."""
    reason: str | None = None
    """The cause within the code, for programs; null where the code has only one."""
    message: str | None = None
    """The cause, and the remedy."""


class FileProcessedEventData(ApiModel):
    file_id: str | None = None
    """Id of the file, which starts with `fil_`."""
    name: str | None = None
    """Name of the file."""
    media_type: str | None = None
    """Its kind, such as `application/pdf`."""
    size_bytes: int | None = None
    """Its size in bytes."""
    status: str | None = None
    """`processed` or `failed`."""
    duration_ms: int | None = None
    """Milliseconds from the request for the reading to its end, its wait for a turn included."""
    error: FileProcessedEventDataError | None = None
    """Why it failed; null otherwise."""


class FileProcessedEvent(ApiModel):
    id: str
    """Stable across retries: receivers tell a repeat by it. It starts with `evt_`."""
    type: Literal["file.processed"]
    """Name of the event type."""
    created_at: datetime
    """When the event was accepted, in UTC."""
    data: FileProcessedEventData
    """The facts of the event."""


FileTextStatus: TypeAlias = Literal["processing", "processed"]


class FileText(ApiModel):
    status: FileTextStatus | str
    """With `processing`, a text is that of an earlier reading, and stays until the next one has ended."""
    text: str | None = None
    """Null until the file was processed for the first time."""
    parts: list[DocumentTextPart]
    """Where in the file the parts of `text` stand."""
    next_cursor: str | None = None
    """Pass as `cursor` for the text that follows; null at the end."""


FindingLevel: TypeAlias = Literal["ok", "warning", "problem"]


class Finding(ApiModel):
    level: FindingLevel | str
    """`ok`: no action is needed. `warning`: it works, but is unsafe or may fail later. `problem`:
    something does not work."""
    what: str
    """Subject of the check."""
    text: str
    """The result, and the remedy."""


class GrantCreditsAnswer(ApiModel):
    granted: bool
    """False where the same `reference` has given them before."""
    balance: int
    """Credits that the organization can spend afterwards."""


class GrantCreditsBody(ApiBody):
    credits: int
    """How many credits to give."""
    reason: str
    """Shown in the ledger of the organization."""
    reference: str | None = None
    """Your own name of the grant, such as an invoice number; the same one grants credits only once."""


class IdentityProviderOidc(ApiModel):
    issuer: str
    """The value in its metadata."""
    client_id: str
    """The name of Postern at the provider."""
    back_channel_logout_uri: str
    """To be registered at the provider, where it can report sign-outs."""
    post_logout_redirect_uri: str
    """To be registered at the provider where `endsProviderSession` is set: it sends people back there."""


class IdentityProviderSamlCertificate(ApiModel):
    fingerprint: str
    """SHA-256 of it, in hex."""
    subject: str
    """Its subject."""
    not_before: datetime
    """Start of its validity, for information only."""
    not_after: datetime
    """End of its validity, before which `GET /v1/problems` names it. Signatures are accepted after it too."""


class IdentityProviderSaml(ApiModel):
    entity_id: str
    """The entity id of the provider, from its metadata."""
    sign_on_url: str
    """Where browsers are sent with a request (HTTP-Redirect); Postern never calls it."""
    certificates: list[IdentityProviderSamlCertificate]
    """Its signing certificates. Each is accepted until it is removed, also after its expiry."""
    email_attribute: str | None = None
    """The attribute with the address; null: the usual attributes, or a `NameID` of the format
    `emailAddress`."""
    logout_url: str | None = None
    """The address for browsers with messages about sign-outs (its `SingleLogoutService`); null: it has
    none."""
    logout_response_url: str | None = None
    """Where they are sent with answers to its requests for a sign-out; null: to `logoutUrl`."""
    logout_binding: IdentityProviderSamlLogoutBinding | str
    """How such messages reach it: `redirect` (HTTP-Redirect) or `post` (HTTP-POST)."""
    own_entity_id: str
    """The entity id of Postern for the provider; each provider has another one."""
    own_metadata_url: str
    """The entity id and `redirectUri` as SAML metadata, without credentials."""
    own_certificate_url: str
    """The certificate to which the provider may encrypt assertions, as PEM; also in the metadata."""
    own_signing_certificate_url: str
    """The certificate with which the provider verifies sign-out messages of Postern, as PEM; also in the
    metadata."""
    own_logout_url: str
    """To be registered at the provider for single logout, HTTP-Redirect and HTTP-POST; the metadata have
    it, too."""


class IdentityProviderRoleRule(ApiModel):
    claim: str
    """A claim of the ID token or the name of an attribute, such as `groups`."""
    value: str
    """A value of the claim, single or in a list."""
    role: str
    """The role then: `administrator`, `member`, or an id that starts with `rol_`."""


class IdentityProvider(ApiModel):
    id: str
    """Identifier, starting with `idp_`."""
    kind: IdentityProviderKind | str
    """`oidc`: OpenID Connect. `saml`: SAML 2.0."""
    name: str
    """The name for people, also in mails."""
    status: SessionUserOrganizationStatus | str
    """`active`, or `disabled`: sign-ins by it are refused."""
    oidc: IdentityProviderOidc | None = None
    """How it is reached; its client secret is not shown. null of SAML."""
    saml: IdentityProviderSaml | None = None
    """How it is known; null of OpenID Connect."""
    redirect_uri: str
    """To be registered at the provider; for SAML the address for answers (ACS, HTTP-POST)."""
    creates_memberships: bool
    """Whether a sign-in with an address of a proven domain makes a membership."""
    manages_roles: bool
    """Whether the rules for roles apply at each sign-in, and not only at the first. Roles from groups of
    the directory do not change."""
    default_role: str
    """Role of members without a matching rule: `administrator`, `member`, or an id that starts with
    `rol_`."""
    role_rules: list[IdentityProviderRoleRule]
    """The first matching rule gives the role."""
    second_factor_values: list[str]
    """Values that count as a second factor: of `amr` or `acr`; for SAML, of the authentication context
    class."""
    ends_provider_session: bool
    """Whether signing out also ends the session at the provider. Default: `false`."""
    created_by: str | None = None
    """Account or service account that made it."""
    created_at: datetime
    """When it was made, in UTC."""
    updated_at: datetime
    """When it was last changed, in UTC."""
    last_sign_in_at: datetime | None = None
    """The time of its last sign-in; null: none yet."""


class IdentityProviderKeyRotation(ApiModel):
    previous_ends_at: datetime
    """When the previous keys end."""


IdentityProviderTestFindingCode: TypeAlias = Literal["INTEGRATION_PROVIDER_ERROR", "VALIDATION_FAILED"]


class IdentityProviderTestFinding(ApiModel):
    code: IdentityProviderTestFindingCode | str
    """The code of the catalogue that a sign-in or a change would meet."""
    reason: str
    """The reason, such as `foreign_issuer`, `keys_status_404`, `timeout` or `certificate_expired`."""
    field: str
    """The member of the identity provider that it is about."""


class IdentityProviderTest(ApiModel):
    works: bool
    """Whether nothing was found."""
    findings: list[IdentityProviderTestFinding]
    """The problems, each with a reason of the catalogue."""
    certificates_end_at: datetime | None = None
    """When the last SAML certificate ends; null for OpenID Connect."""


class ImportAccountsAnswerRefusal(ApiModel):
    index: int
    """Place of the account in the request, from 0."""
    field: str
    """Which member of it."""
    reason: str
    """The rule that it does not keep."""


class ImportAccountsAnswer(ApiModel):
    imported: int
    """How many accounts were made."""
    unchanged: int
    """The number of accounts that existed with these memberships."""
    refused: int
    """How many were refused."""
    refusals: list[ImportAccountsAnswerRefusal]
    """Why, in the order of the request."""


class ImportAccountsBody(ApiBody):
    accounts: list[dict[str, Any]]
    """Accounts with the members that docs/operations.md describes."""
    dry_run: bool | None = None
    """Reports the refusals, and changes nothing."""


InstallationEngine: TypeAlias = Literal["sqlite", "postgres"]


class InstallationDeliveries(ApiModel):
    """Deliveries that have not ended. Exact up to a million deliveries that no worker has claimed, and up
    to 2,000 publications that are not completely written; above that it is a lower bound."""

    due: int
    """Deliveries whose next attempt is due."""
    scheduled: int
    """Due later: retries."""
    claimed: int
    """In the hands of a worker."""
    oldest_due_at: datetime | None = None
    """Since when the oldest of them is due; null where none is."""
    held: int
    """Of webhooks that are not active."""
    unwritten: int
    """Of events that are accepted, and not in the table yet."""


class InstallationJob(ApiModel):
    """Jobs of one kind that have not ended. Exact up to 10,000 jobs that no worker has claimed; above that
    it is a lower bound."""

    kind: str
    """Kind of the work, such as `file` or `run`."""
    due: int
    """Jobs that are due."""
    scheduled: int
    """Due later: retries."""
    claimed: int
    """In the hands of a worker."""
    oldest_due_at: datetime | None = None
    """Since when the oldest of them is due; null where none is."""


class InstallationWorker(ApiModel):
    alive_until: datetime
    """End of its lease. Other processes take its work over if it is not renewed by then."""


class InstallationMails(ApiModel):
    """Each counted exactly up to 10,000."""

    queued: int
    """Mails that wait to be sent."""
    failed: int
    """Mails that were given up."""
    is_configured: bool
    """Whether a mail server is configured (`SMTP_URL`)."""


class InstallationDisk(ApiModel):
    free_bytes: int
    """Free bytes of the disk that holds `DATA_DIR`."""


class Installation(ApiModel):
    version: str
    """Version of the program."""
    engine: InstallationEngine | str
    """Where the data is kept."""
    schema_version: int
    """Number of the last migration of the database."""
    role: str
    """Of the process that answers."""
    organizations: int
    """The number of organizations."""
    deliveries: InstallationDeliveries
    """Deliveries that are due."""
    jobs: list[InstallationJob]
    """Other durable work that is due, by its kind."""
    workers: list[InstallationWorker]
    """Processes that send and process."""
    mails: InstallationMails
    """Mails on their way."""
    disk: InstallationDisk
    """Space of the disk that holds `DATA_DIR`."""
    measured_at: datetime
    """The time of these figures."""


class InvitationAcceptedEventData(ApiModel):
    invitation_id: str
    """An id that starts with inv_."""
    account_id: str
    """An id that starts with acc_."""
    email: str
    """Address that was invited."""
    role: str
    """Role that the person has now."""


class InvitationAcceptedEvent(ApiModel):
    id: str
    """Stable across retries: receivers tell a repeat by it. It starts with `evt_`."""
    type: Literal["invitation.accepted"]
    """Name of the event type."""
    created_at: datetime
    """When the event was accepted, in UTC."""
    data: InvitationAcceptedEventData
    """The facts of the event."""


class InvitationCreatedEventData(ApiModel):
    invitation_id: str
    """An id that starts with inv_."""
    email: str
    """Address that was invited."""
    role: str
    """Role that the person gets."""
    inviter_id: str | None = None
    """Account or API key that invited; null for the command line of the server."""


class InvitationCreatedEvent(ApiModel):
    id: str
    """Stable across retries: receivers tell a repeat by it. It starts with `evt_`."""
    type: Literal["invitation.created"]
    """Name of the event type."""
    created_at: datetime
    """When the event was accepted, in UTC."""
    data: InvitationCreatedEventData
    """The facts of the event."""


class KnowledgeBase(ApiModel):
    id: str
    """Starts with `knb_`."""
    name: str
    """Unique in the organization."""
    embedding: str | None = None
    """The model of the vectors by which its documents are also searched; null: none."""
    documents: int
    """How many documents it holds."""
    chunks: int
    """Passages that are found."""
    created_by: str | None = None
    """Account or service account that made it; null once that is gone."""
    created_at: datetime
    """When it was made, in UTC."""
    updated_at: datetime
    """When it was last changed, in UTC."""


class LedgerDay(ApiModel):
    date: str
    """The day, in UTC."""
    credited: int
    """Credits added on this day."""
    debited: int
    """Credits removed on this day."""
    entries: int
    """Entries of that day."""
    balance: int
    """All credits at its end, those set aside included."""


LedgerEntryKind: TypeAlias = Literal["renewal", "expiry", "upgrade", "grant", "purchase", "debit", "reversal"]


class LedgerEntry(ApiModel):
    id: str
    """Starts with `led_`."""
    kind: LedgerEntryKind | str
    """Why the balance changed."""
    amount: int
    """Credits that came, or with a minus went."""
    balance: int
    """All credits after this entry, those set aside included."""
    cycle_credits: int
    """The part that ends with the cycle."""
    purchased_credits: int
    """The part that stays."""
    price: int | None = None
    """For a debit: the price of the work, even if less or nothing was taken."""
    action: str | None = None
    """Kind of work that a debit paid for; null for other entries."""
    reference: str | None = None
    """The id of the subject of the entry."""
    reason: str | None = None
    """The reason that the operator gave; null without one."""
    created_at: datetime
    """When it was made, in UTC."""


ListApiKeysOnlyScope: TypeAlias = Literal[
    "organization:read",
    "organization:write",
    "members:read",
    "members:write",
    "invitations:read",
    "invitations:write",
    "roles:read",
    "roles:write",
    "sign_in:read",
    "sign_in:write",
    "scim:write",
    "mails:read",
    "keys:read",
    "keys:write",
    "audit:read",
    "billing:read",
    "billing:write",
    "events:read",
    "events:write",
    "event_types:read",
    "event_types:write",
    "webhooks:read",
    "webhooks:write",
    "deliveries:read",
    "deliveries:write",
    "captures:read",
    "captures:write",
    "connections:read",
    "connections:write",
    "connections:use",
    "files:read",
    "files:write",
    "files:all",
    "knowledge:read",
    "knowledge:write",
    "documents:write",
    "agents:read",
    "agents:write",
    "mcp_servers:read",
    "mcp_servers:write",
    "runs:read",
    "runs:write",
    "runs:all",
    "approvals:write",
    "conversations:read",
    "conversations:write",
    "conversations:all",
]


class ListSigningKeysAnswer(ApiModel):
    keys: list[dict[str, str]]
    """Public keys as JSON Web Keys (RFC 7517): the current one, the next one, and those still in use."""


class Mail(ApiModel):
    id: str
    """Starts with `mal_`."""
    to: str
    """Address of the recipient."""
    subject: str
    """Subject line of the mail."""
    invitation_id: str | None = None
    """Invitation that the mail is about, starting with `inv_`; null for other mails."""
    status: InvitationDeliveryStatus | str
    """`not_configured`: the server has no mail server, and the mail is kept."""
    attempts: int
    """How often the mail was handed to the mail server."""
    last_attempt_at: datetime | None = None
    """When it was last tried; null before the first try."""
    last_error: str | None = None
    """A short reason. The log has the reason why no mail server was reached."""
    answer: str | None = None
    """The mail server’s answer when it accepted or refused the mail."""
    created_at: datetime
    """When it was made, in UTC."""


McpServerStatus: TypeAlias = Literal["new", "ready", "changed"]


class McpServerLastFailure(ApiModel):
    reason: str
    """Why: `timeout`, `unreachable`, `unauthorized` and others."""


McpServerToolStatus: TypeAlias = Literal["on", "changed", "new", "gone"]


class McpServerTool(ApiModel):
    name: str
    """Name of the tool at its server."""
    description: str
    """The server's description of the tool. The text is not written by Postern."""
    input_schema: dict[str, Any]
    """The server’s JSON Schema of its arguments."""
    read_only: bool
    """Whether the server declares the tool read-only."""
    idempotent: bool
    """Whether the server declares the tool idempotent."""
    status: McpServerToolStatus | str
    """Only tools that are `on` can be called. `gone`: it was accepted, and is not listed any more."""
    digest: str
    """Digest of the definition; it changes when the definition changes."""


class McpServer(ApiModel):
    id: str
    """Starts with `mcp_`."""
    name: str
    """Unique in the organization; the names of its tools begin with it."""
    url: str
    """The address of its MCP endpoint (Streamable HTTP)."""
    header_names: list[str]
    """Whose values are never shown."""
    connection_id: str | None = None
    """Connection whose token is sent to it, starting with `con_`; null: none."""
    required: bool
    """Whether a run fails where this server cannot be reached."""
    status: McpServerStatus | str
    """Whether its tools were never listed, are all accepted, or include tools that are not accepted."""
    tool_count: int
    """The number of tools in its last list."""
    tools_digest: str | None = None
    """The digest of the currently listed tools, which `accept` requires."""
    last_failure: McpServerLastFailure | None = None
    """Why the last request for its tools failed; null where it succeeded."""
    checked_at: datetime | None = None
    """When its tools were last listed; null: never."""
    created_at: datetime
    """When it was made, in UTC."""
    updated_at: datetime
    """When it was last changed, in UTC."""
    tools: list[McpServerTool]
    """Its accepted and its listed tools."""


class McpServerChangedEventData(ApiModel):
    server_id: str
    """An id that starts with mcp_."""
    name: str
    """Name of the server."""
    tools: list[str]
    """Names of tools that are new or whose definition changed."""


class McpServerChangedEvent(ApiModel):
    id: str
    """Stable across retries: receivers tell a repeat by it. It starts with `evt_`."""
    type: Literal["mcp_server.changed"]
    """Name of the event type."""
    created_at: datetime
    """When the event was accepted, in UTC."""
    data: McpServerChangedEventData
    """The facts of the event."""


class McpServerItem(ApiModel):
    id: str
    """Starts with `mcp_`."""
    name: str
    """Unique in the organization; the names of its tools begin with it."""
    url: str
    """The address of its MCP endpoint (Streamable HTTP)."""
    header_names: list[str]
    """Whose values are never shown."""
    connection_id: str | None = None
    """Connection whose token is sent to it, starting with `con_`; null: none."""
    required: bool
    """Whether a run fails where this server cannot be reached."""
    status: McpServerStatus | str
    """Whether its tools were never listed, are all accepted, or include tools that are not accepted."""
    tool_count: int
    """The number of tools in its last list."""
    tools_digest: str | None = None
    """The digest of the currently listed tools, which `accept` requires."""
    last_failure: McpServerLastFailure | None = None
    """Why the last request for its tools failed; null where it succeeded."""
    checked_at: datetime | None = None
    """When its tools were last listed; null: never."""
    created_at: datetime
    """When it was made, in UTC."""
    updated_at: datetime
    """When it was last changed, in UTC."""


class Member(ApiModel):
    account_id: str
    """Id of the account, which starts with `acc_`."""
    email: str
    """The e-mail address, in lower case."""
    first_name: str | None = None
    """Given name; null until the person has signed up."""
    last_name: str | None = None
    """Family name; null until the person has signed up."""
    role: str
    """`administrator`, `member`, or the id of a role of the organization, starting with `rol_`."""
    role_name: str
    """The name of that role."""
    joined_at: datetime
    """When the person became a member."""


class MemberRemovedEventData(ApiModel):
    account_id: str
    """An id that starts with acc_."""


class MemberRemovedEvent(ApiModel):
    id: str
    """Stable across retries: receivers tell a repeat by it. It starts with `evt_`."""
    type: Literal["member.removed"]
    """Name of the event type."""
    created_at: datetime
    """When the event was accepted, in UTC."""
    data: MemberRemovedEventData
    """The facts of the event."""


class MemberRoleChangedEventData(ApiModel):
    account_id: str
    """An id that starts with acc_."""
    from_: str
    """Role until then."""
    to: str
    """Role from then on."""


class MemberRoleChangedEvent(ApiModel):
    id: str
    """Stable across retries: receivers tell a repeat by it. It starts with `evt_`."""
    type: Literal["member.role_changed"]
    """Name of the event type."""
    created_at: datetime
    """When the event was accepted, in UTC."""
    data: MemberRoleChangedEventData
    """The facts of the event."""


MessageRole: TypeAlias = Literal["user", "assistant"]


MessageFinishReason: TypeAlias = Literal["stop", "length"]


class Message(ApiModel):
    id: str
    """Starts with `msg_`."""
    run_id: str
    """Id of the run, which starts with `run_`."""
    role: MessageRole | str
    """`user` for a question, `assistant` for an answer of the agent."""
    content: str
    """Untrusted data: a stranger may have written it, so take care when you show it as Markdown or HTML."""
    finish_reason: MessageFinishReason | str | None = None
    """For an answer: `length` where it was cut at `maxOutputTokens`. Null for a question."""
    created_at: datetime
    """When it was made, in UTC."""


class ModelPrices(ApiModel):
    """Credits for 1,000 tokens, in addition to the price of a step."""

    input_per1000: float
    """Credits for 1,000 tokens that the model reads."""
    output_per1000: float
    """Credits for 1,000 tokens that the model writes."""


class Model(ApiModel):
    name: str
    """The name of the model in agents."""
    context_tokens: int
    """Tokens that it reads and writes at most, together."""
    max_output_tokens: int
    """Longest answer of one call, in tokens."""
    prices: ModelPrices
    """The price of its tokens."""


Module: TypeAlias = Literal["webhooks", "connections", "files", "knowledge", "agents"]


class OauthClient(ApiModel):
    id: str
    name: str
    """The name that people see; an application that registered itself chose it."""
    redirect_uris: list[str]
    """The exact URIs to which a browser may return."""
    post_logout_redirect_uris: list[str]
    """The exact URIs to which a browser may return after a sign-out; the `state` of the request is
    appended, so a URI must not have one."""
    organization_id: str | None = None
    """The only organization whose members can grant it access; null: any."""
    origin: OauthClientOrigin | str
    """`registered` by the operator, or `dynamic`: it registered itself."""
    is_confidential: bool
    """Whether it proves itself with a secret at the token endpoint."""
    uses_device_flow: bool
    """Whether it may request a grant by a code that a person enters at `/device`."""
    created_at: datetime
    """When it was made, in UTC."""
    last_used_at: datetime | None = None
    """When it last got a grant or a token; null: never."""
    expires_at: datetime | None = None
    """When it is removed unless it is used; null: it is not."""


OpenCaptureWindowAnswerStatus: TypeAlias = Literal["open", "closed"]


class OpenCaptureWindowAnswer(ApiModel):
    capture_id: str
    """Id of the window, which starts with `cap_`."""
    status: OpenCaptureWindowAnswerStatus | str
    """`open`: the next inbound call is captured."""
    expires_at: datetime
    """The window closes 10 minutes after it was opened."""
    inbound_url: str
    """URL that external systems call."""


class OpenListenerAnswer(Webhook):
    secret: str | None = None
    """Of a listener that this request has made; null where there was one."""
    resumed: bool
    """Whether it was disabled, and this request has made it active again."""


class OpenListenerBody(ApiBody):
    events: list[str]
    """Event types, or `*` for every one."""
    description: str | None = None
    """The purpose of the webhook. Null removes it."""


class OrganizationSignIn(ApiModel):
    required: bool
    """Whether its members sign in by its identity provider, and by nothing else."""
    exceptions: list[str]
    """Administrators who may use their own sign-in, with a second factor."""


class Organization(ApiModel):
    id: str
    """Starts with `org_`."""
    name: str
    """Name of the organization."""
    external_id: str | None = None
    """Its id on the platform that made it; null without one."""
    plan: str
    """Name of its plan; `GET /v1/billing/plans` describes each."""
    role: str
    """The role of the caller."""
    role_name: str
    """The name of that role."""
    second_factor_required_from: datetime | None = None
    """From then on members without a second factor get no JWT for it; null: it requires none."""
    second_factor_grace_ms: int
    """The time that a member has to add one after that moment, or after joining, whichever is later."""
    sign_in: OrganizationSignIn
    """Whether its members sign in by its identity provider."""
    language: str | None = None
    """Of its mails, and of pages about it; null: that of the installation."""
    created_at: datetime
    """When it was made, in UTC."""


class OrganizationRole(ApiModel):
    id: str
    """`administrator` or `member`, or an id that starts with `rol_`."""
    name: str
    """The name of the role, unique in the organization."""
    description: str | None = None
    """The purpose of the role; null: none is given."""
    permissions: list[str]
    """The permissions of its holders. docs/scopes.md lists the operations of each."""
    is_fixed: bool
    """Whether every organization has it; such a role cannot be changed."""
    created_by: str | None = None
    """Account or service account that made it; null for a fixed one."""
    created_at: datetime | None = None
    """When it was made; null for a fixed one."""
    updated_at: datetime | None = None
    """When it was last changed; null for a fixed one."""


class OwnGrant(ApiModel):
    id: str
    account_id: str
    """The person who granted it."""
    organization_id: str
    """The organization of the grant."""
    client_id: str
    """The application: an id that starts with `ocl_`, or the URL of its document."""
    client_name: str
    """The name that the application chose."""
    client_host: str
    """The host to which the browser returned; for a device, its IP address."""
    resource: str
    """The part of this server for which its tokens are valid."""
    scopes: list[str]
    """The granted permissions, as far as the person still has them."""
    identity_scopes: list[str]
    """The personal data that it may read."""
    ends_with_session: bool
    """Whether it ends when the person signs out."""
    created_at: datetime
    """When it was made, in UTC."""
    last_used_at: datetime | None = None
    """When its last tokens were issued; null: never."""
    expires_at: datetime
    """When it expires."""


PendingSignInMethod: TypeAlias = Literal["totp", "passkey", "recovery_code"]


class PendingSignIn(ApiModel):
    methods: list[PendingSignInMethod | str]
    """The accepted second factors."""
    expires_at: datetime
    """When the pending sign-in expires, and must be started again."""


class Plan(ApiModel):
    name: str
    """The value of `plan` for `POST /v1/billing/checkout`."""
    requests_per_minute: int | None = None
    """Requests a minute of an organization; null: no limit."""
    modules: list[Module | str]
    """Parts of the platform that an organization of this plan may use."""
    webhooks: int
    """Webhooks that an organization may have."""
    storage_gi_b: int | None = None
    """How much an organization may store."""
    credits_per_cycle: int | None = None
    """Credits that each cycle brings; null: no limit."""
    price: CheckoutPrice | None = None
    """Price of one cycle; null: it cannot be bought here."""
    current: bool
    """Whether it is the plan of the caller’s organization."""


class PlanPageModule(ApiModel):
    module: Module | str
    """Name of the module, as plans list it."""
    enabled: bool
    """Whether the caller’s organization may use it."""
    by_flag: bool
    """Whether a flag of the organization decides this, instead of its plan."""


PlanPageCycle: TypeAlias = Literal["day", "week", "month", "year"]


class PlanPageCreditPack(ApiModel):
    credits: int
    """Credits of one pack."""
    price: CheckoutPrice
    """Price of one pack."""


PlanPageActionContent: TypeAlias = Literal["connection.fetch", "file.process", "document.index", "run.step"]


class PlanPageAction(ApiModel):
    action: PlanPageActionContent | str
    """The kind of work."""
    credits: int
    """Credits that one such action costs."""


class PlanPage(ApiModel):
    data: list[Plan]
    """The items of the list."""
    next_cursor: str | None = None
    """Always null: the list is whole."""
    modules: list[PlanPageModule]
    """Each module, and whether the organization of the caller may use it."""
    cycle: PlanPageCycle | str
    """How long a cycle lasts."""
    credit_pack: PlanPageCreditPack | None = None
    """Credits are bought in multiples of this pack; null: they are not for sale."""
    payment_provider: Literal["stripe"] | str | None = None
    """The payment provider. Null: none is configured; the operator grants credits, changes plans and
    settles checkouts by hand."""
    actions: list[PlanPageAction]
    """The price of each kind of work."""


class PlatformKey(ApiModel):
    id: str
    """Starts with `pky_`."""
    name: str
    """The name of the key; organizations see it in their audit logs."""
    scopes: list[str] | None = None
    """The permissions of the key in every organization; null: all."""
    may_create_organizations: bool
    """Whether a `POST` for an unknown `ext:` makes the organization, with `DEFAULT_PLAN`."""
    allowed_addresses: list[str] | None = None
    """Networks from which the key may be used; null: any."""
    hint: str
    """The last four characters of the key."""
    created_at: datetime
    """When it was made, in UTC."""
    expires_at: datetime | None = None
    """From then on the key is refused; null: it does not expire."""
    rotated_at: datetime | None = None
    """When it got its current secret; null for the first secret."""
    last_used_at: datetime | None = None
    """When the key was last used, at most a minute old; null: never."""


class PreviewInvitationAnswerOrganization(ApiModel):
    name: str
    """Name of the organization."""
    role: str
    """Role that the person gets there: `administrator`, `member`, or an id."""
    role_name: str | None = None
    """The name of that role."""


class PreviewInvitationAnswer(ApiModel):
    email: str
    """The invited address; the sign-up accepts no other."""
    organizations: list[PreviewInvitationAnswerOrganization]
    """Every organization that accepting would lead into."""
    expires_at: datetime
    """From then on the link no longer works."""


ProblemKind: TypeAlias = Literal[
    "webhook",
    "run",
    "file",
    "document",
    "connection",
    "mail",
    "credits",
    "api_key",
    "domain",
    "identity_provider",
]


ProblemState: TypeAlias = Literal[
    "disabled",
    "parked",
    "failing",
    "used_up",
    "revoked",
    "expired",
    "error",
    "failed",
    "lost",
    "waiting",
    "expiring",
    "low",
]


class ProblemWaiting(ApiModel):
    """The number of waiting deliveries of a webhook, or of runs that wait for a person."""

    count: int
    at_least: bool
    """Whether there may be more than were counted."""


class ProblemFailed(ApiModel):
    """The number of permanent failures of the last 7 days that were neither made again nor removed; all
    were made from `since` to before `until`, so that a replay of that time makes exactly these deliveries
    again."""

    count: int
    at_least: bool
    """Whether there may be more than were counted."""
    since: datetime
    until: datetime


class Problem(ApiModel):
    id: str
    """The same as long as the problem is open."""
    kind: ProblemKind | str
    state: ProblemState | str
    """Of a webhook: `disabled`, `parked`, `failing`, or `failed` (it takes deliveries, and some of the
    last 7 days failed for good). Of runs: `waiting` for a person. Of a connection: its status. Of credits:
    `low` or `used_up`. Of an API key: `expiring` within 7 days, `expired` in the last 7, or `failing`
    while a directory uses a replaced secret (`former_secret`). Of a domain: `failing` while its record is
    missing, and `lost` once it counts no longer. Of an identity provider: `expiring` within 30 days of the
    end of its last certificate, then `expired`; `expiring` within 21 days of the end of the replaced keys
    of Postern (`own_keys`); `waiting` where a setup link has added it and an administrator has to enable
    it. Of all others: `failed`."""
    subject_id: str | None = None
    """The webhook, connection, knowledge base, API key, domain or identity provider that it is about."""
    subject: str | None = None
    """The same in words: a URL, a provider, a name."""
    reason: str | None = None
    """The reason, such as `http_503` or `timeout`."""
    message: str | None = None
    """For files, documents, certificates, replaced keys and replaced secrets: the failure (for files and
    documents, of the one of `exampleId`), and the remedy."""
    since: datetime
    next_at: datetime | None = None
    """When it is tried next, credits are renewed, or an API key or a certificate expires."""
    waiting: ProblemWaiting | None = None
    failed: ProblemFailed | None = None
    balance: int | None = None
    """For credits: the balance that can be spent."""
    example_id: str | None = None
    """An example: a delivery, a run, a file, a document or a mail."""


class ProblemPage(ApiModel):
    data: list[Problem]
    """The items of the list."""
    more: int
    """Problems beyond those in `data`."""
    next_cursor: str | None = None
    """Always null: the list has one page."""


class ProvisionedGroup(ApiModel):
    id: str
    """Identifier, starting with `scg_`."""
    display_name: str
    """The name of the group at the directory."""
    external_id: str | None = None
    """The id of the group at the directory; null: unknown."""
    users: int
    """How many users it has."""
    role: str | None = None
    """`administrator`, `member`, or the id of a role of the organization; null: it gives none."""
    role_name: str | None = None
    """The name of that role; null: it gives none."""
    priority: int
    """Of several groups of a user, the one with the highest priority gives the role."""
    created_at: datetime
    """When it was made, in UTC."""
    updated_at: datetime
    """When the directory, or an administrator, last changed it."""


ProvisionedUserMembership: TypeAlias = Literal["member", "invited", "none"]


class ProvisionedUser(ApiModel):
    id: str
    """Identifier, starting with `scu_`."""
    user_name: str
    """The name of the person at the directory."""
    email: str
    """The address of the person, in lower case."""
    external_id: str | None = None
    """The id of the person at the directory; null: unknown."""
    active: bool
    """Whether the directory lets the person in."""
    account_id: str | None = None
    """The account of the person, starting with `acc_`; null while there is none."""
    membership: ProvisionedUserMembership | str
    """`member`, `invited` while an invitation is pending, or `none`: not active, removed by an
    administrator, or the invitation has ended."""
    role: str | None = None
    """`administrator`, `member`, or the id of a role of the organization; null without a membership."""
    created_at: datetime
    """When it was made, in UTC."""
    updated_at: datetime
    """When the directory last changed it."""


class Provisioning(ApiModel):
    url: str
    """Base URL for the SCIM client of the directory."""
    end_keys: bool
    """Whether the API keys that a person made or rotated end with a membership that the directory ends.
    Default: false."""
    users: int
    """Users that the directory has provisioned."""
    active_users: int
    """The users with access."""
    groups: int
    """Groups that it has provisioned."""


class ProvisioningExchange(ApiModel):
    id: str
    """Identifier, starting with `sce_`."""
    method: str
    """The method of the request."""
    path: str
    """Path and query without values: `{id}` stands for an id of Postern, `…` for any other value."""
    status: int
    """The status of the answer."""
    code: str | None = None
    """A code of the catalogue; null: the request succeeded."""
    scim_type: str | None = None
    """The `scimType` of RFC 7644; null where it has none."""
    detail: str | None = None
    """The error in one sentence; null: the request succeeded."""
    resource_id: str | None = None
    """User or group that the request named or created, starting with `scu_` or `scg_`; null: it named none
    by an id of Postern."""
    external_id: str | None = None
    """The directory’s id of that user or group; null: unknown, or it is deleted."""
    duration_ms: int
    """How long the answer took, in milliseconds."""
    created_at: datetime
    """When the request arrived."""


class PublishEventAnswer(ApiModel):
    id: str
    """Starts with `evt_`."""
    type: str
    """The type as it was sent."""
    created_at: datetime
    """When the event was accepted."""
    deliveries: int
    """The number of webhooks that get it, paused and disabled ones included."""


class PublishEventBody(ApiBody):
    type: str
    """A registered event type: a built-in one, or one of `POST /v1/event-types`."""
    data: dict[str, Any]
    """The facts of the event. They are checked against the schema of the type, and delivered byte for
    byte."""


class PublishEventTrialWebhook(ApiModel):
    id: str
    """Starts with `whk_`."""
    url: str
    """Where it would be sent."""
    status: str
    """`active`, or why it would be held."""


class PublishEventTrial(ApiModel):
    dry_run: bool
    """Always true: nothing was published."""
    type: str
    """The type as it was sent."""
    deliveries: int
    """Webhooks that it would be sent to, or held for."""
    webhooks: list[PublishEventTrialWebhook]
    """The first 100 webhooks."""


class PublishEventsAnswerResultError(ApiModel):
    code: str
    """Code of the catalogue."""
    message: str
    """The problem, for people."""
    details: dict[str, Any]
    """`field`, `value`, `reason` and the other details of the code."""


class PublishEventsAnswerResult(ApiModel):
    id: str | None = None
    """Id of the event, starting with `evt_`; present where it was accepted."""
    deliveries: int | None = None
    """The number of webhooks that get it, paused and disabled ones included."""
    error: PublishEventsAnswerResultError | None = None
    """Present where it was refused."""


class PublishEventsAnswer(ApiModel):
    results: list[PublishEventsAnswerResult]
    """One result for each event, in the order of the request."""


class PublishEventsBody(ApiBody):
    events: list[PublishEventBody]
    """Each succeeds or fails independently."""


class ReadDeviceRequestBody(ApiBody):
    user_code: str
    """The code that the device shows, with or without separators."""


class ReceiveStripeEventAnswer(ApiModel):
    received: bool
    """Always true: Stripe need not send it again."""


class RefreshConnectionAnswer(ApiModel):
    id: str
    """Starts with `con_`."""
    provider: str
    """Name of the provider."""
    status: str
    """Always `active`: this request renewed the token, or another one just before it did."""
    scopes: list[str]
    """Scopes that the provider granted."""
    expires_at: datetime | None = None
    """When the access token expires; null: unknown."""
    refreshed_at: datetime | None = None
    """When the access token was last renewed; null: never."""


class RemoveMemberFactorsAnswer(ApiModel):
    removed_factors: int


class RenameFactorBody(ApiBody):
    name: str
    """The name that the person gave it."""


class RenameOrganizationBodySignIn(ApiBody):
    required: bool
    """Whether its members sign in by its identity provider, and by nothing else."""
    exceptions: list[str] | None = None
    """Administrators who may use their own sign-in, with a second factor."""


class RenameOrganizationBody(ApiBody):
    name: str | None = None
    """The new name, unique among the organizations of the server."""
    second_factor_required_from: datetime | None = None
    """From when on members need a second factor; null requires none."""
    second_factor_grace_ms: int | None = None
    """The time that a member has to add one after that moment, or after joining, whichever is later.
    Default: 0."""
    sign_in: RenameOrganizationBodySignIn | None = None
    """Whether its members sign in by its identity provider. It also requires `sign_in:write`."""
    language: CreateInvitationBodyLanguage | None = None
    """Of its mails, and of pages about it; null: that of the installation."""


class ReplaceRecoveryCodesAnswer(ApiModel):
    recovery_codes: list[str]
    """Only this answer shows them."""


ReplayStatus: TypeAlias = Literal["running", "completed", "cancelled"]


ReplayFilter: TypeAlias = Literal["failed", "delivered", "all", "pending", "undelivered"]


class Replay(ApiModel):
    id: str
    """Starts with `rpl_`."""
    webhook_id: str | None = None
    """Null where it is of all webhooks."""
    status: ReplayStatus | str
    """`running` until a new delivery was made for every event that it covers."""
    filter: ReplayFilter | str
    """`all`: delivered or failed; `undelivered`: pending or failed. A pending delivery becomes due now
    instead of being made again."""
    event_id: str | None = None
    """Only deliveries of this event; null: of all."""
    event_type: str | None = None
    """Only events of this type; null: of all types."""
    status_code: str | None = None
    """Only deliveries whose last answer had this status; null: any."""
    error_class: str | None = None
    """Only deliveries whose last attempt failed with this class; null: any."""
    id_count: int | None = None
    """How many deliveries it names; null where it names none."""
    since: datetime
    """Deliveries made at or after this moment are covered."""
    until: datetime
    """Deliveries made before this moment are covered."""
    total: int
    """The number of deliveries to make at its start, as far as they were counted; higher if others have
    got the status since."""
    replayed: int
    """Deliveries that are to be made. Fewer are made where some were delivered since they were counted."""
    created_at: datetime
    """When it was made, in UTC."""
    updated_at: datetime
    """When it was last changed, in UTC."""


class ReplayTrial(ApiModel):
    """Nothing was made."""

    matched: int
    """Deliveries that the replay would make."""
    at_least: bool
    """Whether there may be more than were counted."""


ReportDeliveriesAnswerResultOutcome: TypeAlias = Literal["delivered", "pending", "failed", "released", "lost"]


class ReportDeliveriesAnswerResult(ApiModel):
    delivery_id: str
    """The delivery that the receipt came with."""
    outcome: ReportDeliveriesAnswerResultOutcome | str
    """`pending`: another attempt follows. `lost`: the claim has ended and the report changed nothing,
    because the delivery was already reported, went to another client after 45 seconds, or ended. `GET
    /v1/deliveries/{id}` returns its current state."""


class ReportDeliveriesAnswer(ApiModel):
    results: list[ReportDeliveriesAnswerResult]
    """In the order of the request."""


ReportDeliveriesBodyResultFailure: TypeAlias = Literal[
    "timeout",
    "dns",
    "refused",
    "reset",
    "tls",
    "invalid_answer",
]


class ReportDeliveriesBodyResult(ApiBody):
    receipt: str
    """The value from the delivery."""
    status: int | None = None
    """Of the answer."""
    headers: dict[str, str] | None = None
    """Of the answer; 16 KiB of names and values together."""
    body_base64: str | None = None
    """The first 16 KiB of the body of the answer."""
    failure: ReportDeliveriesBodyResultFailure | None = None
    """Why there was no whole answer."""
    error: str | None = None
    """That, in words."""
    released: bool | None = None
    """True where no attempt has begun: another client may have it."""
    duration_ms: int | None = None
    """How long the attempt took, in milliseconds; 0 unless set."""
    signature: int | None = None
    """Which signature the request had that counts: 0 that of `headers`, else the place in
    `previousSignatures`, from 1 on."""


class ReportDeliveriesBody(ApiBody):
    results: list[ReportDeliveriesBodyResult]
    """One for each delivery."""


class RequestEmailChangeBody(ApiBody):
    new_email: str
    """The new address of the account."""
    current_password: str | None = None
    """Instead of a recent sign-in, if the account has no second factor."""


class RequestMagicLinkAnswer(ApiModel):
    status: bool
    """Always true, whether or not the address has an account."""


class RequestMagicLinkBody(ApiBody):
    email: str
    """An e-mail address."""
    callback_u_r_l: str | None = None
    """An absolute URL on one of `ALLOWED_ORIGINS`."""


class RequestPasswordResetBody(ApiBody):
    email: str
    """An e-mail address."""
    redirect_to: str | None = None
    """An absolute URL on one of `ALLOWED_ORIGINS`."""


class ResetPasswordBody(ApiBody):
    token: str
    """The secret of the reset link, which follows `?token=`. It works once."""
    new_password: str
    """8 to 256 characters, none of the well-known passwords."""


class RetryDeliveriesBody(ApiBody):
    status: str | None = None
    """One or several of: pending, failed; with a comma between two."""
    webhook_id: str | None = None
    """Starts with `whk_`, which may be left out."""
    event_id: str | None = None
    """Starts with `evt_`, which may be left out."""
    event_type: str | None = None
    """Only deliveries of events of this type."""
    status_code: str | None = None
    """The status of the last attempt’s answer: one status, or a class such as `5xx`."""
    error_class: str | None = None
    """One or several of: timeout, dns, refused, reset, tls, invalid_answer, blocked_address, http_3xx,
    http_4xx, http_5xx, http_other; with a comma between two."""
    since: datetime | None = None
    """Only deliveries made at or after this moment."""
    until: datetime | None = None
    """Only deliveries made before this moment."""
    ids: list[str] | None = None
    """Only these. Ids of deliveries of others, or that were removed, are ignored."""
    dry_run: bool | None = None
    """Only counts the deliveries; nothing is changed."""


class RotateApiKeyBody(ApiBody):
    overlap_hours: int | None = None
    """Hours for which the present secret works on."""


class RotateAuditStreamSecretAnswer(ApiModel):
    id: str
    """Id of the stream, which starts with `aus_`."""
    name: str
    """The name of the stream."""
    url: str
    header_names: list[str]
    """Names of the headers that are sent with every request; their values are never shown."""
    status: AuditStreamStatus | str
    """`active`; `failing`: the last request was not accepted; or `paused`."""
    created_at: datetime
    """When it was made, in UTC."""
    paused_at: datetime | None = None
    """Since when it is paused; null: it is not."""
    unsent: AuditStreamUnsent
    """The entries that were not sent yet."""
    sent: int
    """The number of sent entries."""
    lost: int
    """The number of entries that were given up, 30 days after `AUDIT_DAYS`."""
    last_sent_at: datetime | None = None
    """When it last accepted entries; null: never."""
    failures: int
    """Requests that failed since the last success."""
    failing_since: datetime | None = None
    """Since when it fails; null: it does not."""
    last_error: str | None = None
    """Why the last request was not accepted, such as `http_503` or `timeout`; null: it was."""
    next_attempt_at: datetime | None = None
    """Before then it is not tried again; null: it is tried at once."""
    secret: str
    """The secret of the key, for `Authorization: Bearer`. Only this answer shows it."""
    previous_expires_at: datetime
    """From then on the previous secret no longer signs."""


class RotateIdentityProviderKeysBody(ApiBody):
    overlap_days: int | None = None
    """Days for which the present keys work on."""


class RotatePlatformKeyAnswer(ApiModel):
    id: str
    name: str
    """The name of the key; organizations see it in their audit logs."""
    scopes: list[str] | None = None
    """The permissions of the key in every organization; null: all."""
    may_create_organizations: bool
    """Whether a `POST` for an unknown `ext:` makes the organization, with `DEFAULT_PLAN`."""
    allowed_addresses: list[str] | None = None
    """Networks from which the key may be used; null: any."""
    hint: str
    """The last four characters of the key."""
    created_at: datetime
    """When it was made, in UTC."""
    expires_at: datetime | None = None
    """From then on the key is refused; null: it does not expire."""
    rotated_at: datetime | None = None
    """When it got its current secret; null for the first secret."""
    last_used_at: datetime | None = None
    """When the key was last used, at most a minute old; null: never."""
    key: str
    """The secret of the key, for `Authorization: Bearer`. Only this answer shows it."""
    previous_expires_at: datetime
    """From then on the previous secret is refused."""


class RotatePlatformKeyBody(ApiBody):
    overlap_hours: int | None = None
    """How long the previous secret is still accepted."""


class RotateWebhookSecretAnswer(ApiModel):
    id: str
    """Starts with `whk_`."""
    secret: str
    """The new secret, which signs from now on. Only this answer shows it."""
    previous_secret_expires_at: datetime
    """24 hours from now; until then both secrets sign."""


RunStatus: TypeAlias = Literal["queued", "running", "waiting", "succeeded", "failed", "cancelled"]


class RunFileNote(ApiModel):
    file_id: str
    """Id of the file, which starts with `fil_`."""
    name: str
    note: str
    """The sentence that the model reads about this file."""


class RunErrorDetails(ApiModel):
    reason: str | None = None
    """The cause within the code, for programs; null where the code has only one."""
    provider_message: str | None = None
    """The provider's own message about a failure."""


class RunError(ApiModel):
    code: str
    """A code of the error catalogue."""
    message: str
    """The cause, and the remedy."""
    details: RunErrorDetails
    """The cause within the code, and the message of the model's provider."""


class RunApproval(ApiModel):
    step_id: str
    """Id of the step, which starts with `stp_`."""
    tool: str
    """Tool that would be called."""
    server_id: str | None = None
    """MCP server of the tool, starting with `mcp_`; null for a tool of the platform."""
    arguments: str
    """JSON, as the model wrote it."""
    approvers: AgentToolApprovers | str
    """The deciders of the call."""


class RunUsage(ApiModel):
    input_tokens: int
    """Tokens that models read."""
    output_tokens: int
    """Tokens that models wrote."""


class Run(ApiModel):
    id: str
    """Starts with `run_`."""
    agent_id: str
    """Id of the agent, which starts with `agt_`."""
    agent_version: int
    """Version of the agent when the run was accepted."""
    conversation_id: str | None = None
    """Conversation that it belongs to, starting with `cnv_`; null: none."""
    status: RunStatus | str
    """`queued`: it waits for its turn. `waiting`: it waits for a decision about each call in `approvals`.
    `succeeded`, `failed` and `cancelled` are final, except that a failed run can be resumed."""
    input: str
    """The input for the agent."""
    file_ids: list[str]
    """Files whose text the agent reads; each id starts with `fil_`."""
    file_notes: list[RunFileNote]
    """The notes for the model about files that could not be read completely."""
    metadata: dict[str, Any]
    """Your own data, stored with the run and sent with `agent.run.completed`."""
    output: str | None = None
    """The answer of the agent; null unless the run has succeeded."""
    finish_reason: RunFinishReason | str | None = None
    """Why the model ended its answer. `stop`: the answer is complete. `length`: it was cut at
    `maxOutputTokens`. `refused`: the model refused to answer."""
    error: RunError | None = None
    """Why it failed; null otherwise."""
    approval: RunApproval | None = None
    """The first call that waits for a decision; null without one."""
    approvals: list[RunApproval]
    """The calls that wait for a decision; the run continues when all of them are decided."""
    steps: int
    """Number of its steps, decisions and steps under way included."""
    usage: RunUsage
    """Tokens of all its steps."""
    credits: int
    """The cost of its steps."""
    created_by: str
    """Account or API key that started it."""
    created_at: datetime
    """When it was made, in UTC."""
    started_at: datetime | None = None
    """When it first left the queue; null until then."""
    ended_at: datetime | None = None
    """When it succeeded, failed or was cancelled; null until then."""
    duration_ms: int | None = None
    """Milliseconds from `startedAt` to `endedAt`, waits for decisions included; 0 where it never started,
    null until it has ended."""


class Scope(ApiModel):
    scope: str
    """The name in `scopes` of an API key, such as `events:write`."""
    role: str
    """The lowest role that has it."""
    module: str | None = None
    """The module of a plan to which its operations belong."""
    description: str
    """Its meaning, in one sentence."""


class SearchKnowledgeBaseAnswerData(ApiModel):
    document_id: str
    """Id of the document, which starts with `doc_`."""
    document_name: str
    """Name of the document."""
    knowledge_base_id: str
    """Id of the knowledge base, which starts with `knb_`."""
    chunk_id: str
    """Names the passage within its document."""
    text: str
    """The passage."""
    location: DocumentChunkLocation
    """Its position in the file."""
    score: float
    """Higher is better; comparable only within one answer."""


SearchKnowledgeBaseAnswerMode: TypeAlias = Literal["text", "vector", "both"]


class SearchKnowledgeBaseAnswer(ApiModel):
    data: list[SearchKnowledgeBaseAnswerData]
    """The passages, the best first."""
    mode: SearchKnowledgeBaseAnswerMode | str
    """The kind of search."""
    reason: str | None = None
    """Why vectors were not used, if the request or the base asks for them."""


SearchKnowledgeBaseBodyMode: TypeAlias = Literal["auto", "text", "vector"]


class SearchKnowledgeBaseBody(ApiBody):
    query: str
    """The words to search for."""
    limit: int | None = None
    """Most passages that are answered."""
    mode: SearchKnowledgeBaseBodyMode | None = None
    """`auto`: by words, and by vectors where all of the base has them."""


class ServiceAccount(ApiModel):
    id: str
    """Starts with `svc_`."""
    name: str
    """The name of the machine in records of its actions."""
    description: str | None = None
    """The purpose of the machine; null: none is given."""
    owner_id: str | None = None
    """The responsible member, starting with `acc_`; null after that person has left."""
    created_by: str | None = None
    """Account or service account that made it; null once that is gone."""
    created_at: datetime
    """When it was made, in UTC."""
    updated_at: datetime
    """When it was last changed, in UTC."""
    last_used_at: datetime | None = None
    """When one of its keys was last used, at most a minute earlier than the last use; null: never."""


class SessionUser(ApiModel):
    id: str
    """Starts with `acc_`."""
    email: str
    """The e-mail address, in lower case."""
    first_name: str | None = None
    """Given name; null until the person has signed up."""
    last_name: str | None = None
    """Family name; null until the person has signed up."""
    language: str | None = None
    """The language that the person has chosen for mails; null: that of the organization."""
    status: SessionUserStatus | str
    """`inactive` until the sign-up is complete; `disabled` accounts cannot sign in."""
    email_verified: bool
    """Whether the person has proved to read mail to this address."""
    terms_accepted_at: datetime | None = None
    """When the terms of use were accepted; null: not yet."""
    created_at: datetime
    """When it was made, in UTC."""
    organizations: list[SessionUserOrganization]
    """The organizations that the account is a member of, the first one joined first."""


class SessionContent(ApiModel):
    id: str
    """Starts with `ses_`."""
    created_at: datetime
    """When it was made, in UTC."""
    expires_at: datetime
    """When the session ends at the latest; unused, it ends earlier."""
    organization_id: str | None = None
    """The only organization of the session, if that organization’s identity provider began it; null: all
    of the account."""
    identity_provider_id: str | None = None
    """The identity provider of an organization that began it; null: the person’s own sign-in."""


class Session(ApiModel):
    user: SessionUser
    """The account that is signed in."""
    session: SessionContent
    """The session of this browser."""


class SessionItem(ApiModel):
    id: str
    """Starts with `ses_`."""
    current: bool
    """Whether it is the session of the request."""
    ip: str
    """IP address of its last use."""
    user_agent: str
    """`User-Agent` of its browser, cut at 256 characters."""
    created_at: datetime
    """When it was made, in UTC."""
    last_seen_at: datetime
    """When it was last used, at most an hour old."""
    expires_at: datetime
    """When it ends at the latest; unused, it ends earlier."""


SetupStatus: TypeAlias = Literal["opened", "finished"]


SetupIdentityProviderTestAddress: TypeAlias = Literal["proven", "not_proven", "none"]


class SetupIdentityProviderTest(ApiModel):
    at: datetime
    """When it came back."""
    works: bool
    """Whether the provider vouched for a person."""
    reason: str | None = None
    """Why it does not work; null: it does."""
    address: SetupIdentityProviderTestAddress | str | None = None
    """Whether the organization has proven the domain of the address of the person; `none`: the provider
    named no address. null: it does not work."""


class SetupIdentityProvider(ApiModel):
    redirect_uri: str
    """To be registered at the provider; for SAML the address for answers (ACS, HTTP-POST)."""
    own_entity_id: str
    """For SAML: the entity id of Postern for the provider."""
    activates: bool
    """Whether a sign-in that works enables it."""
    kind: IdentityProviderKind | str | None = None
    """`oidc`: OpenID Connect. `saml`: SAML 2.0. null: it was not entered yet."""
    status: SessionUserOrganizationStatus | str | None = None
    """null: it was not entered yet."""
    issuer: str | None = None
    """The issuer, or of SAML the entity id."""
    client_id: str | None = None
    """Of OpenID Connect."""
    sign_on_url: str | None = None
    """Of SAML."""
    is_changeable: bool
    """Whether the link may still enter and test it."""
    test: SetupIdentityProviderTest | None = None
    """The result of the last test sign-in with the current settings; null: none."""


class SetupDirectory(ApiModel):
    url: str
    """The base URL for SCIM."""
    has_key: bool
    """Whether a key was made by the link."""


class Setup(ApiModel):
    organization: str
    """The name of the organization."""
    purposes: list[SetupLinkPurpose | str]
    """The purposes of the link."""
    expires_at: datetime
    status: SetupStatus | str
    """`finished` in the answer that ends it."""
    domains: list[SetupDomain] | None = None
    """Domains of the organization; null without that purpose."""
    identity_provider: SetupIdentityProvider | None = None
    """The one identity provider of the link; null without that purpose."""
    directory: SetupDirectory | None = None
    """The values to enter at the directory; null without that purpose."""


class SetupDomainRecord(ApiModel):
    type: str
    """Always `TXT`."""
    name: str
    """Where to publish it."""
    value: str
    """The required value."""


class SetupDomain(ApiModel):
    name: str
    """The domain, in ASCII."""
    status: DomainStatus | str
    """The same as in `GET /v1/domains`."""
    record: SetupDomainRecord
    """The record to publish in the domain name system."""
    reason: DomainReason | str | None = None
    """Why the last check found no proof; null: it found one, or no check was made."""


SetupLinkStatus: TypeAlias = Literal["pending", "opened", "finished", "revoked", "expired"]


class SetupLink(ApiModel):
    id: str
    """Identifier, starting with `sul_`."""
    name: str
    """Whom it is for, in the words of its maker."""
    purposes: list[SetupLinkPurpose | str]
    """The permitted uses."""
    email: str | None = None
    """Where it is mailed to; null or omitted: its maker hands it over."""
    activates: bool
    """Whether a sign-in that works enables the identity provider; else an administrator does."""
    creates_memberships: bool
    """The same as for the added identity provider."""
    status: SetupLinkStatus | str
    """`pending` until it is opened; `opened` in one browser until it is `finished`, `revoked` or
    `expired`."""
    identity_provider_id: str | None = None
    """The identity provider that was added by it; null: none yet."""
    created_by: str | None = None
    """On whose right it rests."""
    created_at: datetime
    """When it was made, in UTC."""
    expires_at: datetime
    opened_at: datetime | None = None
    """When a browser opened it; null: none has."""
    ended_at: datetime | None = None
    """When it was finished or revoked; null: it was not."""
    url: str | None = None
    """The link, only in this answer and only if it was not mailed."""


class SignInWithEmailBody(ApiBody):
    email: str
    """An e-mail address."""
    password: str
    """The password of the account."""


class SignInWithMagicLinkAnswer(ApiModel):
    user: SessionUser
    """The account that is signed in."""
    session: SessionContent
    """The new session; its cookie is in the answer."""
    callback_u_r_l: str | None = None
    """The URL that the requesting page has named for the browser; null without one."""


class SignInWithMagicLinkBody(ApiBody):
    token: str | None = None
    """The secret of the sign-in link, which follows `?token=`. It works once."""
    email: str | None = None
    """An e-mail address."""
    code: str | None = None
    """The short code of the mail, for other browsers than the requesting one."""


class SignInWithOrganizationBody(ApiBody):
    email: str | None = None
    """An e-mail address."""
    identity_provider_id: str | None = None
    """Starts with `idp_`, which may be left out."""
    organization_id: str | None = None
    """Starts with `org_`, which may be left out."""
    callback_u_r_l: str
    """An absolute URL on one of `ALLOWED_ORIGINS`."""
    error_callback_u_r_l: str | None = None
    """An absolute URL on one of `ALLOWED_ORIGINS`."""


class SignInWithSecondFactorBodyPasskeyResponse(ApiBody):
    client_data_json: str
    """What was signed for which site, in base64url."""
    authenticator_data: str
    """What the device says of itself and of its person, in base64url."""
    signature: str
    """Over both, in base64url."""
    user_handle: str | None = None
    """The account that the passkey belongs to, in base64url."""


class SignInWithPasskeyBodyCredential(ApiBody):
    id: str
    """In base64url."""
    raw_id: str
    """In base64url."""
    type: str
    """Always `public-key`."""
    response: SignInWithSecondFactorBodyPasskeyResponse
    authenticator_attachment: str | None = None
    client_extension_results: dict[str, Any] | None = None


class SignInWithPasskeyBody(ApiBody):
    credential: SignInWithPasskeyBodyCredential


class SignInWithProviderAnswer(ApiModel):
    auth_url: str
    """The address of the sign-in at the provider, for the browser."""


SignInWithProviderBodyProvider: TypeAlias = Literal["google", "microsoft"]


class SignInWithProviderBody(ApiBody):
    provider: SignInWithProviderBodyProvider
    """The identity provider."""
    callback_u_r_l: str
    """An absolute URL on one of `ALLOWED_ORIGINS`."""
    error_callback_u_r_l: str | None = None
    """An absolute URL on one of `ALLOWED_ORIGINS`."""
    invitation_token: str | None = None
    """The secret of an invitation link, which follows `?token=`. It proves that the person reads the
    mailbox."""


class SignInWithSecondFactorAnswer(ApiModel):
    user: SessionUser
    """The account that is signed in."""
    session: SessionContent
    """The new session; its cookie is in the answer."""
    callback_u_r_l: str | None = None
    """Where the sign-in was to lead; null where it named nothing."""


class SignInWithSecondFactorBodyPasskey(ApiBody):
    id: str
    """In base64url."""
    raw_id: str
    """In base64url."""
    type: str
    """Always `public-key`."""
    response: SignInWithSecondFactorBodyPasskeyResponse
    authenticator_attachment: str | None = None
    client_extension_results: dict[str, Any] | None = None


class SignInWithSecondFactorBody(ApiBody):
    code: str | None = None
    """The six digits of an authenticator app."""
    recovery_code: str | None = None
    """One of the recovery codes, with or without hyphens."""
    passkey: SignInWithSecondFactorBodyPasskey | None = None
    """The answer of the browser to the options, as `toJSON()` writes it."""


class SignOutAnswer(ApiModel):
    success: bool
    """Always true, also without a session."""
    redirect_to: str | None = None
    """Where the browser signs out at the identity provider."""


class SignOutForApplicationAnswer(ApiModel):
    redirect_to: str | None = None
    """Where the application wants the browser, or the sign-out at the identity provider that began the
    session, which leads there; null where it is neither."""


class SignOutForApplicationBody(ApiBody):
    id_token_hint: str | None = None
    """`id_token_hint` of the request."""
    client_id: str | None = None
    """`client_id` of the request."""
    post_logout_redirect_uri: str | None = None
    """`post_logout_redirect_uri` of the request."""
    state: str | None = None
    """`state` of the request, returned to the application."""


class SignUpWithEmailAnswer(ApiModel):
    user: SessionUser
    """The account, which is `active` where the address is proved."""
    session: SessionContent | None = None
    """Null if the address must first be confirmed by a link that is mailed."""
    email_verification_required: bool
    """Whether the person must open the link of a mail before signing in."""


class SignUpWithEmailBody(ApiBody):
    first_name: str
    """Given name, which others in the organization see."""
    last_name: str
    """Family name, which others in the organization see."""
    email: str
    """An e-mail address."""
    password: str
    """8 to 256 characters, none of the well-known passwords."""
    terms_accepted: Literal[True]
    """Must be true."""
    invitation_token: str | None = None
    """The secret of an invitation link, which follows `?token=`. It proves that the person reads the
    mailbox."""


class StartAccountEmailChangeBody(ApiBody):
    new_email: str
    """The new address of the account."""


class StartPasskeyFactorAnswer(ApiModel):
    options: dict[str, Any]


class StartRunBody(ApiBody):
    input: str
    """The input for the agent."""
    conversation_id: str | None = None
    """Starts with `cnv_`, which may be left out."""
    file_ids: list[str] | None = None
    """Files whose text the agent reads; each id starts with `fil_`."""
    metadata: dict[str, Any] | None = None
    """Your own data, stored with the run and sent with `agent.run.completed`."""


class StartTotpAnswerQrCode(ApiModel):
    size: int
    """Side of the square, in modules, with its border."""
    path: str
    """The dark modules, as the `d` of an SVG path."""


class StartTotpAnswer(ApiModel):
    id: str
    name: str
    secret: str
    """In base32, for manual entry. Only this answer shows it."""
    uri: str
    """The `otpauth:` address that the QR code holds."""
    qr_code: StartTotpAnswerQrCode
    """The QR code of `uri`, to be drawn as an SVG."""


class StartTotpBody(ApiBody):
    name: str | None = None
    """The name of the app. Default: `Authenticator app`."""


StepKind: TypeAlias = Literal["model", "tool", "approval"]


StepStatus: TypeAlias = Literal["started", "succeeded", "failed", "unknown"]


class StepCall(ApiModel):
    id: str
    """Id that the model gave the call."""
    name: str
    """Tool that the model called."""
    arguments: str
    """JSON, as the model wrote it."""


class Step(ApiModel):
    id: str
    """Starts with `stp_`."""
    seq: int
    """Place in the run, from 1."""
    kind: StepKind | str
    """A call of a model, a call of a tool, or a decision of a person."""
    status: StepStatus | str
    """`unknown`: it was begun, and its outcome is unknown; it is not repeated. Of an approval, `failed`
    means denied, not decided in time, or that the run ended before."""
    name: str
    """The model, or the tool."""
    server_id: str | None = None
    """MCP server of the tool, starting with `mcp_`; null for a tool of the platform and for a call of a
    model."""
    call_id: str | None = None
    """The call in the answer of the model that this step makes, or for which it requires a decision; null
    for a call of a model."""
    arguments: str | None = None
    """JSON, as the model wrote it."""
    text: str | None = None
    """The output of the model, or the answer of the tool."""
    calls: list[StepCall]
    """Tool calls of the model."""
    reason: str | None = None
    """Why it failed, or why its outcome is unknown; of a decision, the reason that was given with it. Null
    otherwise."""
    finish_reason: RunFinishReason | str | None = None
    """Why the model ended its answer. `stop`: the answer is complete. `length`: it was cut at
    `maxOutputTokens`. `refused`: the model refused to answer."""
    provider_message: str | None = None
    """The provider's own message about a failure."""
    tries: int
    """How often it was started; more than once if a process ended during the step and the step may be
    repeated."""
    usage: RunUsage
    """Tokens of this step."""
    credits: int
    """Credits that it cost."""
    decided_by: str | None = None
    """Account or API key that approved or denied; null for other steps, and while the decision is open or
    has expired."""
    started_at: datetime
    """When it was last started."""
    ended_at: datetime | None = None
    """When it ended; null until then."""


StoredFileStatus: TypeAlias = Literal["processing", "processed", "failed"]


class StoredFileError(ApiModel):
    """Why the last reading failed."""

    code: str
    """A code of the catalogue."""
    reason: str | None = None
    """The cause within the code, for programs; null where the code has only one."""
    message: str
    """The cause, and the remedy."""


StoredFileWarningCode: TypeAlias = Literal[
    "charset_guessed",
    "charset_not_followed",
    "attachments_not_read",
    "pages_without_text",
]


class StoredFileWarning(ApiModel):
    code: StoredFileWarningCode | str
    detail: str
    """Which charset, which attachments, which pages."""


class StoredFile(ApiModel):
    id: str
    """Starts with `fil_`."""
    name: str
    """Name of the file, as it was uploaded."""
    media_type: str
    """The media type of the upload, without parameters; after processing that of the content."""
    size_bytes: int
    """Size of the bytes as they are stored."""
    sha256: str
    """In hex."""
    status: StoredFileStatus | str
    """`processed`: its text is available; with `error` it is the text of an earlier reading. `failed`: it
    has no text, and `error` has the reason; the bytes are kept."""
    error: StoredFileError | None = None
    """Why the last reading of its text failed; null where it succeeded."""
    text_chars: int | None = None
    """The length of its text in characters; null without a text."""
    text_truncated: bool
    """Whether the text was cut at its maximum length."""
    charset: str | None = None
    """The character encoding from the upload or from the request to read it again."""
    warnings: list[StoredFileWarning]
    """Notes about the reading of its text, such as a charset that was detected from the bytes."""
    created_by: str
    """Account or service account that made it; null once that is gone."""
    created_at: datetime
    """When it was made, in UTC."""
    processed_at: datetime | None = None
    """When the last reading of its text ended, also a failed one; null until then."""


class TestAuditStreamAnswer(ApiModel):
    taken: bool
    """Whether the answer was one of 2xx."""
    status: int | None = None
    """Status of the answer; null where none arrived."""
    reason: str | None = None
    """Why the request was not accepted, such as `http_503` or `timeout`; null where it was."""
    duration_ms: int
    """How long the request took, in milliseconds."""


class TestWebhookAnswerAttempt(ApiModel):
    status_code: int | None = None
    """HTTP status of the answer; null where there was no answer."""
    duration_ms: int
    """Milliseconds from the look-up of the name to the end of the answer."""
    response_body: str | None = None
    """The first 16 KiB of the answer; null where none came."""
    error: str | None = None
    """The failure, where there was no complete answer; null otherwise."""


class TestWebhookAnswer(ApiModel):
    event_id: str
    """Id of the event, which starts with `evt_`."""
    delivery_id: str
    """Id of the delivery, which starts with `dlv_`."""
    delivered: bool
    """Whether the destination answered 2xx."""
    attempt: TestWebhookAnswerAttempt
    """The request that was sent and the answer."""


class TestWebhookBody(ApiBody):
    type: str | None = None
    """Type whose example is sent; `webhook.test` where it is left out."""


class UpdateAgentBody(ApiBody):
    name: str | None = None
    """The name of the agent."""
    instructions: str | None = None
    """Text that the model reads first in each of its calls."""
    model: str | None = None
    """A name of `GET /v1/models`."""
    knowledge_base_ids: list[str] | None = None
    """Knowledge bases that the agent searches; each id starts with `knb_`."""
    tools: list[CreateAgentBodyTool] | None = None
    """Tools of MCP servers that the agent may call."""
    max_steps: int | None = None
    """Calls of models and tools of one run, at most; calls of a model that failed do not count."""
    max_output_tokens: int | None = None
    """Longest answer of one call of the model, in tokens."""
    timeout_ms: int | None = None
    """Longest time of a run in milliseconds; waiting for a person does not count."""
    on_length: AgentOnLength | None = None
    """The effect of an answer that was cut at `maxOutputTokens`: `keep`, the default, ends the run with
    the cut answer, `fail` fails it. Tool calls in such an answer are never made."""
    on_model_failure: AgentOnModelFailure | None = None
    """The effect of a failed call of the model that may have been charged: `fail`, the default, fails the
    run, `retry` repeats it twice, `fallback` uses `fallbackModel`. A call that cannot have been charged is
    repeated up to 10 times in a row, twice with `fallback`."""
    fallback_model: str | None = None
    """A name of `GET /v1/models`, for `onModelFailure: fallback`."""
    parameters: AgentParameters | None = None


class UpdateApiKeyBody(ApiBody):
    name: str | None = None
    description: str | None = None
    allowed_addresses: list[str] | None = None
    expires_in_days: int | None = None
    """Days from now after which the key is refused; null: it does not expire."""


class UpdateAuditStreamBody(ApiBody):
    name: str | None = None
    """The name of the stream."""
    url: str | None = None
    """Where entries are POSTed. It may be in a private network."""
    headers: dict[str, str] | None = None
    """Sent with every request, such as `Authorization` of the receiver; never shown."""
    paused: bool | None = None
    """Whether sending is paused; entries that it has not accepted are kept."""


class UpdateEventTypeBody(ApiBody):
    description: str | None = None
    """The fact that such an event reports."""
    schema_: dict[str, Any] | None = None
    """JSON Schema that `data` of each event is checked against."""
    example: dict[str, Any] | None = None
    """A value of `data` that fits the schema; tests of webhooks send it."""


class UpdateIdentityProviderBodyOidc(ApiBody):
    issuer: str
    """The value in its metadata."""
    client_id: str
    """The name of Postern at the provider."""
    client_secret: str | None = None
    """The client secret from the provider; required with a new issuer, else omitted to keep it."""


class UpdateIdentityProviderBodySaml(ApiBody):
    metadata: str | None = None
    """The metadata of the provider, instead of the members that they contain. Nothing is fetched."""
    entity_id: str | None = None
    """The entity id of the provider, from its metadata."""
    sign_on_url: str | None = None
    """Where browsers are sent with a request (HTTP-Redirect); Postern never calls it."""
    certificates: list[str] | None = None
    """Its signing certificates. Each is accepted until it is removed, also after its expiry."""
    email_attribute: str | None = None
    """The attribute with the address; null: the usual attributes, or a `NameID` of the format
    `emailAddress`."""
    logout_url: str | None = None
    """The address for browsers with messages about sign-outs (its `SingleLogoutService`); null: it has
    none."""
    logout_response_url: str | None = None
    """Where they are sent with answers to its requests for a sign-out; null: to `logoutUrl`."""
    logout_binding: IdentityProviderSamlLogoutBinding | None = None
    """How such messages reach it: `redirect` (HTTP-Redirect) or `post` (HTTP-POST)."""


class UpdateIdentityProviderBody(ApiBody):
    name: str | None = None
    """The name for people, also in mails."""
    status: SessionUserOrganizationStatus | None = None
    """`active`, or `disabled`: sign-ins by it are refused."""
    oidc: UpdateIdentityProviderBodyOidc | None = None
    """The new OpenID Connect settings."""
    saml: UpdateIdentityProviderBodySaml | None = None
    """The new SAML settings. Omitted members keep their values."""
    creates_memberships: bool | None = None
    """Whether a sign-in with an address of a proven domain makes a membership."""
    manages_roles: bool | None = None
    """Whether the rules for roles apply at each sign-in, and not only at the first. Roles from groups of
    the directory do not change."""
    default_role: str | None = None
    """Role of members without a matching rule: `administrator`, `member`, or an id that starts with
    `rol_`."""
    role_rules: list[CreateIdentityProviderBodyRoleRule] | None = None
    """The first matching rule gives the role."""
    second_factor_values: list[str] | None = None
    """Values that count as a second factor: of `amr` or `acr`; for SAML, of the authentication context
    class."""
    ends_provider_session: bool | None = None
    """Whether signing out also ends the session at the provider. Default: `false`."""


class UpdateKnowledgeBaseBody(ApiBody):
    name: str | None = None
    """Unique in the organization."""
    embedding: str | None = None
    """The model of the server, or null for none. Default: the model of the server, if it has one."""


class UpdateMcpServerBody(ApiBody):
    name: str | None = None
    """The prefix of its tools: `{name}__{tool}`. Unique among the organization’s servers."""
    url: str | None = None
    """Where it speaks the protocol over Streamable HTTP."""
    headers: dict[str, str] | None = None
    """Sent with every request, `Authorization` for example; never shown."""
    connection_id: str | None = None
    """Starts with `con_`, which may be left out."""
    required: bool | None = None
    """Whether a run that may use it fails without it; otherwise the model reads that it is unavailable."""


class UpdatePlatformKeyBody(ApiBody):
    name: str | None = None
    allowed_addresses: list[str] | None = None
    expires_in_days: int | None = None


class UpdateRoleBody(ApiBody):
    name: str | None = None
    """The name of the role, unique in the organization."""
    description: str | None = None
    """The purpose of the role; null: none is given."""
    permissions: list[CreateRoleBodyPermission] | None = None
    """All that its holders may do from now on. docs/scopes.md lists the operations of each."""


class UpdateServiceAccountBody(ApiBody):
    name: str | None = None
    """The name of the machine in records of its actions."""
    description: str | None = None
    """The purpose of the machine; null: none is given."""
    owner_id: str | None = None
    """Starts with `acc_`, which may be left out."""


UpdateWebhookBodyStatus: TypeAlias = Literal["active", "paused"]


class UpdateWebhookBody(ApiBody):
    url: str | None = None
    """Absolute http or https URL without credentials, at a public address."""
    events: list[str] | None = None
    """Event types, or `*` for every one."""
    endpoint_path: str | None = None
    """Opens `POST /v1/webhooks/{endpointPath}` to external systems."""
    description: str | None = None
    """The purpose of the webhook. Null removes it."""
    status: UpdateWebhookBodyStatus | None = None
    """`paused` keeps events until it is `active` again."""
    max_in_flight: int | None = None
    """The most concurrent attempts; 256 by default. Below it as many are made as are answered well, and no
    slower than usual."""
    max_per_second: float | None = None
    """The most calls per second to the destination. Deliveries that wait for this limit are neither late
    nor failed."""


class UploadFileBody(ApiBody):
    file: str
    """The bytes of the file."""
    name: str | None = None
    """Name of the file. Default: that of the part."""
    charset: str | None = None
    """The character encoding; it overrides that of the `Content-Type`."""


class VerifyEmailBody(ApiBody):
    token: str
    """The secret of the confirmation link, which follows `?token=`. It works once."""
    password: str | None = None
    """The password of the sign-up. Required in every browser except the one that signed up."""


class VerifySecondFactorAnswer(ApiModel):
    shown_until: datetime
    """Until when the session need not show another."""


class VerifyTotpAnswer(ApiModel):
    factor: Factor
    """The factor, which counts from now on."""
    recovery_codes: list[str] | None = None
    """Only this answer shows them; null where the account had a factor before."""


class VerifyTotpBody(ApiBody):
    code: str
    """The six digits that the app shows."""


class WebhookDelivery(ApiModel):
    id: str
    """Starts with `dlv_`."""
    webhook_id: str
    """Id of the webhook, which starts with `whk_`."""
    event_id: str
    """Id of the event, which starts with `evt_`."""
    event_type: str
    """Type of the event."""
    status: DeliveryStatus | str
    """`held`: the webhook is paused or disabled, and the delivery waits for it."""
    reason: str | None = None
    """Why it failed or is held; null otherwise."""
    test: bool
    """Whether it is a test of the webhook, which no replay makes again."""
    attempt_count: int
    """Attempts that have been made."""
    next_attempt_at: datetime | None = None
    """When the next attempt is due; null once it has ended, and while it is held."""
    created_at: datetime
    """When the event was accepted, or the delivery was made by a replay or a retry."""
    updated_at: datetime
    """When it was last changed, in UTC."""


class WebhookDisabledEventData(ApiModel):
    webhook_id: str
    """An id that starts with whk_."""
    reason: str
    """Why the platform disabled the webhook."""


class WebhookDisabledEvent(ApiModel):
    id: str
    """Stable across retries: receivers tell a repeat by it. It starts with `evt_`."""
    type: Literal["webhook.disabled"]
    """Name of the event type."""
    created_at: datetime
    """When the event was accepted, in UTC."""
    data: WebhookDisabledEventData
    """The facts of the event."""


WebhookReceivedEventDataBodyEncoding: TypeAlias = Literal["json", "text", "base64"]


class WebhookReceivedEventData(ApiModel):
    method: str
    """Method of the inbound call."""
    query: dict[str, Any]
    """Parameters of its query."""
    headers: dict[str, str]
    """Its headers, without credentials."""
    content_type: str | None = None
    """Its `Content-Type`; null where it had none."""
    body_encoding: WebhookReceivedEventDataBodyEncoding | str
    """The form of `body`: a JSON value, text, or base64."""
    body: Any = None
    """For convenience: read by a JSON reader, numbers may lose digits."""
    body_text: str | None = None
    """The body to the byte, in UTF-8."""
    body_base64: str | None = None
    """The body to the byte, where `bodyText` is not there."""


class WebhookReceivedEvent(ApiModel):
    id: str
    """Stable across retries: receivers tell a repeat by it. It starts with `evt_`."""
    type: Literal["webhook.received"]
    """Name of the event type."""
    created_at: datetime
    """When the event was accepted, in UTC."""
    data: WebhookReceivedEventData
    """The facts of the event."""


class WebhookStatsDeliveries(ApiModel):
    pending: int
    """Deliveries that wait for an attempt."""
    delivered: int
    """Deliveries that ended with a 2xx answer."""
    failed: int
    """Deliveries that ended without a 2xx answer."""


class WebhookStatsInFlight(ApiModel):
    level: int
    """The current concurrency limit, at most `maxInFlight`; up to 10 s old."""
    parked_at: datetime | None = None
    """Since when the webhook is parked: one delivery at a time is tried, because the destination keeps
    failing; null: it is not parked."""


class WebhookStats(ApiModel):
    window_ms: int
    """Milliseconds that the figures look back."""
    from_: datetime
    """Start of the window."""
    deliveries: WebhookStatsDeliveries
    """Deliveries of that time, by their outcome."""
    success_rate: float | None = None
    """Delivered of all that ended; null when none did."""
    latency_ms: WebhookStatsLatencyMs | None = None
    """Durations of the last attempts of deliveries; null where there was none."""
    oldest_pending_at: datetime | None = None
    """Earliest due time of the deliveries that wait: of a new one its creation, of a retry its next
    attempt; null where none waits."""
    in_flight: WebhookStatsInFlight
    """The current number of concurrent calls, and the limit."""


class WebhookTestEvent(ApiModel):
    id: str
    """Stable across retries: receivers tell a repeat by it. It starts with `evt_`."""
    type: Literal["webhook.test"]
    """Name of the event type."""
    created_at: datetime
    """When the event was accepted, in UTC."""
    data: dict[str, Any]
    """The facts of the event."""


# The built-in events, by their types.
EVENTS: dict[str, type[ApiModel]] = {
    "agent.run.completed": AgentRunCompletedEvent,
    "agent.run.waiting": AgentRunWaitingEvent,
    "file.processed": FileProcessedEvent,
    "webhook.test": WebhookTestEvent,
    "webhook.received": WebhookReceivedEvent,
    "webhook.disabled": WebhookDisabledEvent,
    "invitation.created": InvitationCreatedEvent,
    "invitation.accepted": InvitationAcceptedEvent,
    "member.role_changed": MemberRoleChangedEvent,
    "member.removed": MemberRemovedEvent,
    "mcp_server.changed": McpServerChangedEvent,
    "connection.expired": ConnectionExpiredEvent,
    "connection.revoked": ConnectionRevokedEvent,
    "document.indexed": DocumentIndexedEvent,
}

# What a webhook brings: a built-in event, or one of a type of your own.
WebhookEvent: TypeAlias = Union[
    AgentRunCompletedEvent,
    AgentRunWaitingEvent,
    FileProcessedEvent,
    WebhookTestEvent,
    WebhookReceivedEvent,
    WebhookDisabledEvent,
    InvitationCreatedEvent,
    InvitationAcceptedEvent,
    MemberRoleChangedEvent,
    MemberRemovedEvent,
    McpServerChangedEvent,
    ConnectionExpiredEvent,
    ConnectionRevokedEvent,
    DocumentIndexedEvent,
    CustomEvent,
]
