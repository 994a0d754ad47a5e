// Written by `npm run docs` from /openapi.json and sdk/methods.ts; a test compares them.

import type { ErrorCode } from './codes.gen.ts'
import type { Pages } from './page.ts'
import type { Bytes, CallOptions } from './request.ts'
import type { EventStream, StreamOptions } from './stream.ts'

export interface AcceptMcpServerBody {
  /** The value that was read with the tools, so that later changes are not accepted unseen. */
  toolsDigest: string
}

export interface Account {
  id: string
  email: string
  /** Given name; null before the sign-up. */
  firstName: string | null
  /** Family name; null before the sign-up. */
  lastName: string | null
  /** The language that the person has chosen for mails; null: that of the organization. */
  language: string | null
  /** `inactive`: invited, and not signed up yet. `disabled`: the operator has shut it out. */
  status: SessionUserStatus
  /** Whether its owner has proved the mailbox. */
  emailVerified: boolean
  /** When the terms were accepted; null: not yet. */
  termsAcceptedAt: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** How many organizations it belongs to. */
  memberships: number
  /** How many sessions it has at present. */
  sessions: number
  /** Whether it can sign in with a password. */
  hasPassword: boolean
  /** The number of its second factors; without one a password is enough to sign in. */
  secondFactors: number
  /** Identity providers with which it has signed in. */
  providers: string[]
  /** Its last sign-in within the audit log (`AUDIT_DAYS`); null: none. */
  lastSignInAt: string | null
  /** Its organizations, the oldest membership first. */
  organizations: SessionUserOrganization[]
}

export interface AccountItem {
  id: string
  email: string
  /** Given name; null before the sign-up. */
  firstName: string | null
  /** Family name; null before the sign-up. */
  lastName: string | null
  /** The language that the person has chosen for mails; null: that of the organization. */
  language: string | null
  /** `inactive`: invited, and not signed up yet. `disabled`: the operator has shut it out. */
  status: SessionUserStatus
  /** Whether its owner has proved the mailbox. */
  emailVerified: boolean
  /** When the terms were accepted; null: not yet. */
  termsAcceptedAt: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** How many organizations it belongs to. */
  memberships: number
  /** How many sessions it has at present. */
  sessions: number
  /** Whether it can sign in with a password. */
  hasPassword: boolean
  /** The number of its second factors; without one a password is enough to sign in. */
  secondFactors: number
  /** Identity providers with which it has signed in. */
  providers: string[]
}

export interface AccountPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: AccountItem[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface Actor {
  /** The requested id: `acc_…`, `svc_…`, `key_…` or `pky_…`. */
  id: string
  /** `former_member`: the person has left the organization. */
  kind: ActorKind
  /** Name of a person, of a former member when leaving, of a service account or of an API key; null where the caller may not see names of service accounts and keys. */
  name: string | null
}

export type ActorKind = 'member' | 'former_member' | 'service_account' | 'api_key' | 'platform_key' | 'identity_provider' | 'setup_link'

export interface ActorPage {
  /** The items of the list. */
  data: Actor[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export interface AddDocumentBody {
  /** Passages are returned with the Markdown heading above them. */
  text?: string | undefined
  /** Starts with `fil_`, which may be left out. */
  fileId?: string | undefined
  /** The name of the document. Default: the name of the file. */
  name?: string | undefined
}

export interface AddPasskeyBody {
  name?: string | undefined
  credential: AddPasskeyBodyCredential
}

export interface AddPasskeyBodyCredential {
  /** In base64url. */
  id: string
  /** In base64url. */
  rawId: string
  /** Always `public-key`. */
  type: string
  response: AddPasskeyBodyCredentialResponse
  authenticatorAttachment?: string | undefined
  clientExtensionResults?: SignInWithSecondFactorBodyPasskeyClientExtensionResults | undefined
}

export interface AddPasskeyBodyCredentialResponse {
  /** In base64url. */
  clientDataJSON: string
  /** In base64url. */
  attestationObject: string
  /** In base64url. */
  authenticatorData?: string | undefined
  /** In base64url. */
  publicKey?: string | undefined
  publicKeyAlgorithm?: number | undefined
  transports?: string[] | undefined
}

export interface Agent {
  /** Starts with `agt_`. */
  id: string
  /** The name of the agent. */
  name: string
  /** Grows with each change; a run keeps the version that the agent had when the run was accepted. */
  version: number
  /** Text that the model reads first in each of its calls. */
  instructions: string
  /** A model of `GET /v1/models`. */
  model: string
  /** Knowledge bases that the agent searches; each id starts with `knb_`. */
  knowledgeBaseIds: string[]
  /** Tools of MCP servers that the agent may call. */
  tools: AgentTool[]
  /** Calls of models and tools of one run, at most; calls of a model that failed do not count. */
  maxSteps: number
  /** Longest answer of one call of the model, in tokens. */
  maxOutputTokens: number
  /** Longest time of a run in milliseconds; waiting for a person does not count. */
  timeoutMs: number
  /** The effect of an answer that reaches `maxOutputTokens`. */
  onLength: AgentOnLength
  /** The effect of a failed call of the model that may have been charged. */
  onModelFailure: AgentOnModelFailure
  /** The model that is used after the first one has failed; null: none. */
  fallbackModel: string | null
  parameters: AgentParameters
  /** Account or service account that made it; null once that is gone. */
  createdBy: string
  /** When it was made, in UTC. */
  createdAt: string
  /** When it was last changed, in UTC. */
  updatedAt: string
}

export type AgentOnLength = 'keep' | 'fail'

export type AgentOnModelFailure = 'fail' | 'retry' | 'fallback'

export interface AgentPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Agent[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

/** Parameters of the model’s requests; they override those that the operator set for the model. */
export interface AgentParameters {
  /** Higher values make answers vary more. */
  temperature?: number | undefined
  /** Only the likeliest tokens that together reach this probability are drawn. */
  topP?: number | undefined
  /** Positive values make tokens rarer the more often they were used. */
  frequencyPenalty?: number | undefined
  /** Positive values make tokens rarer once they were used. */
  presencePenalty?: number | undefined
  /** The same seed gives similar answers, where the provider supports it. */
  seed?: number | undefined
  /** How much a model that reasons may think before it answers. */
  reasoningEffort?: AgentParametersReasoningEffort | undefined
  /** How long answers are, where the model supports it. */
  verbosity?: AgentParametersVerbosity | undefined
}

export type AgentParametersReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

export type AgentParametersVerbosity = 'low' | 'medium' | 'high'

export interface AgentRunCompletedEvent {
  /** Stable across retries: receivers tell a repeat by it. It starts with `evt_`. */
  id: string
  /** Name of the event type. */
  type: 'agent.run.completed'
  /** When the event was accepted, in UTC. */
  createdAt: string
  /** The facts of the event. */
  data: AgentRunCompletedEventData
}

export interface AgentRunCompletedEventData {
  /** Id of the agent, which starts with `agt_`. */
  agentId: string
  /** Id of the run, which starts with `run_`. */
  runId: string
  /** `succeeded`, `failed` or `cancelled`. */
  status: string
  /** Milliseconds from the start of the run to its end; 0 where it never started. */
  durationMs: number
  /** The answer of the agent, cut at 65,536 characters; empty unless the run has succeeded. */
  output: string
  /** `length`: the answer was cut at `maxOutputTokens`. */
  finishReason?: RunFinishReason | null | undefined
  /** Id of the conversation, which starts with `cnv_`. */
  conversationId?: string | null | undefined
  /** The `metadata` of the request that started the run. */
  metadata?: EventTypeSchema | undefined
  /** Why it failed; null otherwise. */
  error?: AgentRunCompletedEventDataError | null | undefined
}

export interface AgentRunCompletedEventDataError {
  /** Code of the catalogue. */
  code: string
  /** The error, for people. */
  message: string
  /** The cause within the code, and the message of the model's provider. */
  details: AgentRunCompletedEventDataErrorDetails
}

export interface AgentRunCompletedEventDataErrorDetails {
  /** The cause within the code, for programs; null where the code has only one. */
  reason: string | null
}

export interface AgentRunPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Run[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface AgentRunWaitingEvent {
  /** Stable across retries: receivers tell a repeat by it. It starts with `evt_`. */
  id: string
  /** Name of the event type. */
  type: 'agent.run.waiting'
  /** When the event was accepted, in UTC. */
  createdAt: string
  /** The facts of the event. */
  data: AgentRunWaitingEventData
}

export interface AgentRunWaitingEventData {
  /** Id of the agent, which starts with `agt_`. */
  agentId: string
  /** Id of the run, which starts with `run_`. */
  runId: string
  /** Id of the step, which starts with `stp_`. */
  stepId: string
  /** Tool whose call waits for a decision. */
  tool: string
}

export interface AgentTool {
  /** MCP server of the tool, starting with `mcp_`. */
  serverId: string
  /** Name of the tool at its server. */
  name: string
  /** `always`: each call waits for a decision. `never`: calls are made without one. */
  approval: AgentToolApproval
  approvers: AgentToolApprovers
  /** Whether a call is repeated after a crash left its outcome unknown. It is repeated only if the tool declares itself read-only or idempotent. */
  repeatable: boolean
  /** Whether its calls run in parallel with others of the same answer. */
  parallel: boolean
  /** Whether a run fails where the server of the tool is not available. */
  required: boolean
}

export type AgentToolApproval = 'always' | 'never'

export type AgentToolApprovers = 'person' | 'administrator' | 'key'

export interface AgentVersion {
  /** Id of the agent, which starts with `agt_`. */
  agentId: string
  /** 1 for the first; each change makes the next. */
  version: number
  /** Text that the model reads first in each of its calls. */
  instructions: string
  /** A model of `GET /v1/models`. */
  model: string
  /** Knowledge bases that the agent searches; each id starts with `knb_`. */
  knowledgeBaseIds: string[]
  /** Tools of MCP servers that the agent may call. */
  tools: AgentTool[]
  /** Calls of models and tools of one run, at most; calls of a model that failed do not count. */
  maxSteps: number
  /** Longest answer of one call of the model, in tokens. */
  maxOutputTokens: number
  /** Longest time of a run in milliseconds; waiting for a person does not count. */
  timeoutMs: number
  /** The effect of an answer that reaches `maxOutputTokens`. */
  onLength: AgentOnLength
  /** The effect of a failed call of the model that may have been charged. */
  onModelFailure: AgentOnModelFailure
  /** The model that is used after the first one has failed; null: none. */
  fallbackModel: string | null
  parameters: AgentParameters
  /** The account or service account that changed it to this. */
  createdBy: string
  /** When it was made, in UTC. */
  createdAt: string
}

export interface AgentVersionPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: AgentVersion[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface AllOrganization {
  /** Starts with `org_`. */
  id: string
  /** Name of the organization. */
  name: string
  /** Its id on your platform; null without one. */
  externalId: string | null
  /** `disabled`: its members and keys have no access, its deliveries wait, and its runs are cancelled. */
  status: SessionUserOrganizationStatus
  /** Name of its plan. */
  plan: string
  /** Which modules it has, after the switches of the operator. */
  modules: AllOrganizationModules
  /** Modules that are on or off apart from its plan. */
  flags: { [name: string]: boolean }
  /** How many members it has. */
  members: number
  /** How many webhooks it has. */
  webhooks: number
  /** When it was made, in UTC. */
  createdAt: string
}

/** Which it has, by its plan or by its flags. */
export interface AllOrganizationModules {
  /** Webhooks, events and deliveries. */
  webhooks: boolean
  /** Accounts at other services. */
  connections: boolean
  /** Uploading and reading files. */
  files: boolean
  /** Knowledge bases and search. */
  knowledge: boolean
  /** Agents, runs, conversations and MCP servers. */
  agents: boolean
}

export interface AllOrganizationPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: AllOrganization[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface ApiKey {
  /** Starts with `key_`. */
  id: string
  /** Service account that the key belongs to, starting with `svc_`. */
  serviceAccountId: string
  /** The name of the key. */
  name: string
  /** The use of the key; null: none is given. */
  description: string | null
  /** The upper limit of the key’s rights. A key never has more rights than its maker. */
  role: string
  /** The part of its role’s permissions that the key has; null: all. docs/scopes.md lists the operations of each scope. */
  scopes: ApiKeyScopes | null
  /** Networks from which the key may be used; null: from anywhere. */
  allowedAddresses: ApiKeyScopes | null
  /** The last four characters of the key. */
  hint: string
  /** Account or service account that made the key. */
  createdBy: string | null
  /** API key with which it was made, starting with `key_`; null where a person made it. */
  createdWith: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** Account or service account that made the current secret; null for the first secret. */
  rotatedBy: string | null
  /** When the current secret was made; null for the first secret. */
  rotatedAt: string | null
  /** Replaced secrets that still work, the newest first. */
  formerSecrets: ApiKeyFormerSecret[]
  /** From then on the key is refused; null: it does not expire. */
  expiresAt: string | null
  /** When the key was last used, at most a minute earlier than the last use; null: never. */
  lastUsedAt: string | null
}

export interface ApiKeyFormerSecret {
  /** The last four characters of the secret. */
  hint: string
  /** From then on the secret is refused. */
  expiresAt: string
  /** When it was last used after its replacement, at most a minute earlier than the last use; null: never after it. */
  lastUsedAt: string | null
}

export interface ApiKeyPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: ApiKey[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export type ApiKeyScopes = string[]

export interface AuditEntry {
  /** Starts with `aud_`. */
  id: string
  /** The action, such as `webhook.created`. */
  action: string
  /** Organization of the action, starting with `org_`; null for actions without an organization. */
  organizationId: string | null
  /** Account that it concerns, starting with `acc_`; null where it concerns none. */
  accountId: string | null
  /** Account or service account that did it; null for the server itself or its command line. */
  actorId: string | null
  /** API key of the service account, starting with `key_`; null where a person or the server acted. */
  keyId: string | null
  /** Id of the changed resource; null where it has none. */
  targetId: string | null
  /** Facts of this action; never a secret. */
  details: { [name: string]: unknown }
  /** IP address that the request came from. */
  ip: string
  /** `User-Agent` of the client, cut at 256 characters. */
  userAgent: string
  /** The `X-Request-Id` of the request. */
  requestId: string
  /** When it was made, in UTC. */
  createdAt: string
}

export interface AuditEntryPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: AuditEntry[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface AuditStream {
  /** Id of the stream, which starts with `aus_`. */
  id: string
  /** The name of the stream. */
  name: string
  url: string
  /** Names of the headers that are sent with every request; their values are never shown. */
  headerNames: string[]
  /** `active`; `failing`: the last request was not accepted; or `paused`. */
  status: AuditStreamStatus
  /** When it was made, in UTC. */
  createdAt: string
  /** Since when it is paused; null: it is not. */
  pausedAt: string | null
  /** The entries that were not sent yet. */
  unsent: AuditStreamUnsent
  /** The number of sent entries. */
  sent: number
  /** The number of entries that were given up, 30 days after `AUDIT_DAYS`. */
  lost: number
  /** When it last accepted entries; null: never. */
  lastSentAt: string | null
  /** Requests that failed since the last success. */
  failures: number
  /** Since when it fails; null: it does not. */
  failingSince: string | null
  /** Why the last request was not accepted, such as `http_503` or `timeout`; null: it was. */
  lastError: string | null
  /** Before then it is not tried again; null: it is tried at once. */
  nextAttemptAt: string | null
}

export interface AuditStreamPage {
  /** The items of the list. */
  data: AuditStream[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export type AuditStreamStatus = 'active' | 'failing' | 'paused'

export interface AuditStreamUnsent {
  /** The number of unsent entries, up to 10,000. */
  count: number
  /** Whether there may be more than were counted. */
  atLeast: boolean
  /** The time of the oldest unsent entry; null: none. */
  oldestAt: string | null
}

export interface Authorization {
  /** The requesting application. */
  client: AuthorizationClient
  /** Whether the application requires a newer sign-in, or one of another account. */
  needsNewSignIn: boolean
  /** The part of this server for which its tokens would be valid. */
  resource: string
  /** Whether it continues after the session has ended. */
  lasts: boolean
  /** The requested personal data. */
  identity: string[]
  /** The requested permissions. */
  scopes: AuthorizationScope[]
  /** The organizations for which the person can grant it. */
  organizations: AuthorizationOrganization[]
}

export interface AuthorizationClient {
  /** The name that the application chose. */
  name: string
  /** Where the person is sent back to. */
  host: string
  /** Whether the operator registered it, or it is part of Postern; otherwise it chose its own name. */
  isRegistered: boolean
}

export interface AuthorizationOrganization {
  id: string
  name: string
  role: string
  /** Those of the asked scopes that the person may grant there. */
  scopes: string[]
}

export interface AuthorizationScope {
  /** A permission of docs/scopes.md. */
  name: string
  /** A description for people. */
  about: string
}

export interface AuthorizeConnectionBody {
  /** A provider that the operator configured. */
  provider: string
  /** An absolute URL on one of `ALLOWED_ORIGINS`. */
  redirectUrl: string
}

export interface Balance {
  /** The credits that can be spent now. */
  balance: number
  /** Set aside for work under way. */
  reserved: number
  /** The part of `credits` that ends with the cycle and is spent first. */
  cycleCredits: number
  /** The part of `credits` that stays. */
  purchasedCredits: number
  /** Whether the plan has no limit, so that work does not reduce the balance. */
  unlimited: boolean
  /** Name of the plan of the organization. */
  plan: string
  /** Credits that the plan gives in each cycle; null: no limit. */
  creditsPerCycle: number | null
  /** The present cycle. */
  cycle: BalanceCycle
}

export interface BalanceCycle {
  /** When the present cycle began. */
  startedAt: string
  /** When it ends and the plan grants its credits again. */
  renewsAt: string
}

export interface CallMcpBody {
  /** Always `2.0`. */
  jsonrpc: '2.0'
  /** Repeated in the answer; a notification has none. */
  id?: CallMcpBodyId | undefined
  /** Method of MCP, such as `tools/call`. */
  method: string
  /** Parameters of the method. */
  params?: EventTypeSchema | undefined
}

export type CallMcpBodyId = string | number

export interface CallWebhookAnswer {
  /** Id of the event (`evt_`), or of the capture (`cap_`). */
  id: string
  /** `captured`: a capture window was open, and the call is kept for inspection. */
  status: CallWebhookAnswerStatus
}

export type CallWebhookAnswerStatus = 'queued' | 'captured'

export interface Capture {
  /** Starts with `cap_`. */
  id: string
  /** `captured`: a call was kept; `closed`: the window ended without one. */
  status: CaptureStatus
  /** When it was made, in UTC. */
  createdAt: string
  /** When the window closes, or would have closed. */
  expiresAt: string
  /** When the call came; null where none did. */
  capturedAt: string | null
  /** Method of the captured call; null where there is none. */
  method: string | null
  /** Parameters of its query; null where there is no call. */
  query: CaptureQuery | null
  /** Its headers, without credentials; null where there is no call. */
  headers: DeliveryAttemptResponseHeaders | null
  /** Its `Content-Type`; null where it had none. */
  contentType: string | null
  /** The exact bytes, as text. */
  body: string | null
  /** The exact bytes. */
  bodyBase64: string | null
}

export interface CapturePage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Capture[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export type CaptureQuery = { [name: string]: unknown }

export type CaptureStatus = 'open' | 'captured' | 'closed'

export interface CatalogueEntry {
  /** Stable: branch on it. */
  code: string
  /** The HTTP status of this code. */
  status: number
  /** The chapter of the catalogue. */
  group: string
  /** The usual `error.message`; it may change, and differs for some reasons. */
  message: string
  /** The meaning of the code, in one sentence. */
  meaning: string
  /** The remedy, in one sentence. */
  remedy: string
  /** The causes, the most common first. */
  causes: string[]
  /** The steps of the remedy, in order. */
  steps: string[]
  /** A whole answer with this code. */
  example: CatalogueEntryExample
}

/** A whole answer with this code. */
export type CatalogueEntryExample = { [name: string]: unknown }

export interface ChangeAccountBody {
  /** Given name, which others in the organization see. */
  firstName?: string | undefined
  /** Family name, which others in the organization see. */
  lastName?: string | undefined
  /** Of mails to the account; null: that of the organization. */
  language?: CreateInvitationBodyLanguage | null | undefined
}

export interface ChangeAccountStatusBody {
  /** `disabled`: its sessions, links and pending invitations end, and its sign-ins are refused. `active`: it can sign in again, with the memberships and the password that it had. */
  status: SessionUserOrganizationStatus
  /** Also deletes the API keys that it made or rotated, and the keys that were made with those. */
  endKeys?: boolean | undefined
  /** Even if an organization is left without administrator (`last_administrator`). */
  force?: boolean | undefined
}

export interface ChangeMemberRoleBody {
  /** The new role: `administrator`, `member`, or the id of a role of the organization. The last administrator keeps that role. */
  role: string
}

export interface ChangeOrganizationBody {
  /** The new name, unique among the organizations of the server. */
  name?: string | undefined
  /** Its id on your platform: letters, digits and `. _ : @ | / + = ~ -`, unique on the installation; upper and lower case differ. */
  externalId?: string | null | undefined
  /** The new plan, which applies at once. */
  plan?: CreateOrganizationBodyPlan | undefined
  /** Switches that override the plan. */
  modules?: ChangeOrganizationBodyModules | undefined
  /** `disabled`: no session, token or key is accepted and deliveries wait until it is `active` again; its runs are cancelled. */
  status?: SessionUserOrganizationStatus | undefined
  /** `false` lets members use their own sign-ins, for example when their identity provider fails. */
  signInRequired?: false | undefined
}

export interface ChangeOrganizationBodyModules {
  /** Webhooks, events and deliveries. Null: the setting of the plan. */
  webhooks?: boolean | null | undefined
  /** Accounts at other services. Null: the setting of the plan. */
  connections?: boolean | null | undefined
  /** Uploading and reading files. Null: the setting of the plan. */
  files?: boolean | null | undefined
  /** Knowledge bases and search. Null: the setting of the plan. */
  knowledge?: boolean | null | undefined
  /** Agents, runs, conversations and MCP servers. Null: the setting of the plan. */
  agents?: boolean | null | undefined
}

export interface ChangePasswordAnswer {
  /** The others, that have ended. */
  endedSessions: number
}

export interface ChangePasswordBody {
  /** The current password, so that an open browser alone cannot change it. */
  currentPassword: string
  /** 8 to 256 characters, none of the well-known passwords. */
  newPassword: string
}

export interface ChangeProvisionedGroupBody {
  /** `administrator`, `member`, or the id of a role of the organization; null: it gives none. */
  role?: string | null | undefined
  /** Of several groups of a user, the one with the highest priority gives the role. */
  priority?: number | undefined
}

export interface ChangeProvisioningBody {
  /** Whether the API keys that a person made or rotated end with a membership that the directory ends. Default: false. */
  endKeys: boolean
}

export interface ChangeSetupProviderBody {
  /** `oidc`: OpenID Connect. `saml`: SAML 2.0. */
  kind: IdentityProviderKind
  /** How it is reached, where it is `oidc`. */
  oidc?: CreateIdentityProviderBodyOidc | undefined
  /** The settings of a `saml` provider: `metadata`, or the members that they contain. */
  saml?: CreateIdentityProviderBodySaml | undefined
}

export interface CheckLivenessAnswer {
  /** Always `ok`: the process answers. */
  status: string
}

export interface CheckReadinessAnswer {
  /** `ok`; or, with the HTTP status 503, `stopping` or `failed`. */
  status: string
  /** Each check with its result. */
  checks: CheckReadinessAnswerChecks
}

export interface CheckReadinessAnswerChecks {
  /** `ok` where the database answers in time. */
  database: string
  databaseHost?: string | undefined
  /** `ok` where the oldest due delivery of this process waits for no more than a minute, otherwise how late it is; always `ok` in a process that sends none. */
  deliveries: string
}

export interface Checkout {
  /** Starts with `chk_`. */
  id: string
  /** `expired`: its page no longer accepts a payment; an earlier payment, or a settlement by the operator, still makes it `paid`. */
  status: CheckoutStatus
  /** Credits that are bought; null where a plan is. */
  credits: number | null
  /** Plan that is bought; null where credits are. */
  plan: string | null
  /** In the smallest unit of its currency. */
  price: CheckoutPrice
  /** Page on which it is paid. */
  checkoutUrl: string
  /** When it was made, in UTC. */
  createdAt: string
  /** From then on its page accepts no payment. */
  expiresAt: string
  /** When it was paid; null until then. */
  paidAt: string | null
}

export interface CheckoutPrice {
  /** In the currency's smallest unit. */
  amount: number
  /** ISO 4217, in lower case. */
  currency: string
}

export type CheckoutStatus = 'open' | 'paid' | 'expired' | 'refunded'

export interface ConfirmEmailChangeAnswer {
  /** `changed` where both mailboxes have agreed. */
  status: ConfirmEmailChangeAnswerStatus
  /** The mailbox that has not agreed. */
  waitsFor: ConfirmEmailChangeAnswerWaitsFor | null
}

export type ConfirmEmailChangeAnswerStatus = 'waiting' | 'changed'

export type ConfirmEmailChangeAnswerWaitsFor = 'present' | 'new'

export interface ConfirmEmailChangeBody {
  /** The secret of the link, which follows `?token=`. */
  token: string
}

export interface Connection {
  /** Starts with `con_`. */
  id: string
  /** Name of the provider in `GET /v1/connections/providers`. */
  provider: string
  /** `active`: it can be used. `expired`: its token has ended and cannot be refreshed. `revoked`: the provider does not accept it any more. `error`: the last refresh failed, and the next one may succeed. `expired` and `revoked` need a new authorization. */
  status: ConnectionStatus
  /** Scopes that the provider granted. */
  scopes: string[]
  /** The provider's own id of the account, if it has sent one. */
  subject: string | null
  /** Whether a refresh token exists, so that the access token is renewed without a person. */
  refreshable: boolean
  lastError: ConnectionLastError | null
  /** The provider asked to wait until then; null: it did not. */
  retryNotBefore: string | null
  /** Account or service account that made it; null once that is gone. */
  createdBy: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** When it was last changed, in UTC. */
  updatedAt: string
  /** When the access token expires; null: unknown. */
  expiresAt: string | null
  /** When the access token was last renewed; null: never. */
  refreshedAt: string | null
}

export interface ConnectionExpiredEvent {
  /** Stable across retries: receivers tell a repeat by it. It starts with `evt_`. */
  id: string
  /** Name of the event type. */
  type: 'connection.expired'
  /** When the event was accepted, in UTC. */
  createdAt: string
  /** The facts of the event. */
  data: ConnectionExpiredEventData
}

export interface ConnectionExpiredEventData {
  /** An id that starts with con_. */
  connectionId: string
  /** Name of the provider. */
  provider: string
  /** Why the token could not be renewed. */
  reason: string
}

/** Why the last refresh failed, or why the connection ended; null when a later refresh or authorization succeeded. */
export interface ConnectionLastError {
  /** Code of the catalogue. */
  code: string
  /** The cause within the code, for programs; null where the code has only one. */
  reason: string | null
}

export interface ConnectionPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Connection[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface ConnectionProvider {
  /** The name for `POST /v1/connections/oauth/authorize`. */
  name: string
  /** Scopes that each new connection requests. */
  scopes: string[]
  /** Hosts, with their ports, that a token may be sent to. */
  apiHosts: string[]
}

export interface ConnectionProviderPage {
  /** The items of the list. */
  data: ConnectionProvider[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export interface ConnectionRevokedEvent {
  /** Stable across retries: receivers tell a repeat by it. It starts with `evt_`. */
  id: string
  /** Name of the event type. */
  type: 'connection.revoked'
  /** When the event was accepted, in UTC. */
  createdAt: string
  /** The facts of the event. */
  data: ConnectionRevokedEventData
}

export interface ConnectionRevokedEventData {
  /** An id that starts with con_. */
  connectionId: string
  /** Name of the provider. */
  provider: string
  /** The answer of the provider. */
  reason: string
}

export type ConnectionStatus = 'active' | 'expired' | 'revoked' | 'error'

export interface Conversation {
  /** Starts with `cnv_`. */
  id: string
  /** The title of the conversation; null without one. */
  title: string | null
  /** Runs that have been accepted in it. */
  turns: number
  /** Account or service account that made it; null once that is gone. */
  createdBy: string
  /** When it was made, in UTC. */
  createdAt: string
  /** When it was last changed, in UTC. */
  updatedAt: string
}

export interface ConversationPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Conversation[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface CreateAgentBody {
  /** The name of the agent. */
  name: string
  /** Text that the model reads first in each of its calls. */
  instructions?: string | undefined
  /** A name of `GET /v1/models`. */
  model?: string | undefined
  /** Knowledge bases that the agent searches; each id starts with `knb_`. */
  knowledgeBaseIds?: string[] | undefined
  /** Tools of MCP servers that the agent may call. */
  tools?: CreateAgentBodyTool[] | undefined
  /** Calls of the model and of tools in a run; calls of a model that failed do not count. */
  maxSteps?: number | undefined
  /** Longest answer of one call of the model, in tokens. */
  maxOutputTokens?: number | undefined
  /** The longest duration of a run, without its waits for persons. */
  timeoutMs?: number | undefined
  /** The effect of an answer that was cut at `maxOutputTokens`: `keep`, the default, ends the run with the cut answer, `fail` fails it. Tool calls in such an answer are never made. */
  onLength?: AgentOnLength | undefined
  /** The effect of a failed call of the model that may have been charged: `fail`, the default, fails the run, `retry` repeats it twice, `fallback` uses `fallbackModel`. A call that cannot have been charged is repeated up to 10 times in a row, twice with `fallback`. */
  onModelFailure?: AgentOnModelFailure | undefined
  /** A name of `GET /v1/models`, for `onModelFailure: fallback`. */
  fallbackModel?: string | null | undefined
  parameters?: AgentParameters | undefined
}

export interface CreateAgentBodyTool {
  /** Starts with `mcp_`, which may be left out. */
  serverId: string
  /** Name of the tool at its server. */
  name: string
  /** `always`: each call waits for a decision. `never`: calls are made without one. */
  approval?: AgentToolApproval | undefined
  /** The deciders of a call: `person`, a signed-in person who may use the run; `administrator`, a signed-in administrator; `key`, also an API key that may use the run, even the one that started it. */
  approvers?: AgentToolApprovers | undefined
  /** Whether a call with an unknown outcome may be repeated, if the tool declares that it may. */
  repeatable?: boolean | undefined
  /** Whether calls of the tool may run in parallel with others of the same answer. Set it only for a tool whose calls are harmless in any order. Calls that a person decides about (`approval`) always run one after the other. */
  parallel?: boolean | undefined
  /** Whether a run fails when the server is unavailable. */
  required?: boolean | undefined
}

export interface CreateApiKeyBody {
  /** The name of the key. */
  name: string
  /** The use of the key; null: none is given. */
  description?: string | undefined
  /** The most that the key may do. Without it: member, or administrator where a scope needs that. */
  role?: Role | undefined
  /** Narrows the key to these; without them it may do all that its role may. A key that is narrowed gives no scope that it lacks. */
  scopes?: CreateApiKeyBodyScopes | null | undefined
  /** Days after which the key is refused. Default: it does not expire. */
  expiresInDays?: number | undefined
  /** Starts with `svc_`, which may be left out. */
  serviceAccountId?: string | undefined
  allowedAddresses?: CreateApiKeyBodyAllowedAddresses | null | undefined
}

export type CreateApiKeyBodyAllowedAddresses = string[]

export type CreateApiKeyBodyScopes = CreateRoleBodyPermission[]

export interface CreateAuditStreamBody {
  /** The name of the stream. */
  name: string
  /** Where entries are POSTed. It may be in a private network. */
  url: string
  /** Sent with every request, such as `Authorization` of the receiver; never shown. */
  headers?: { [name: string]: string } | undefined
}

export interface CreateCheckoutBody {
  /** The number of credits to buy, in whole packs; not together with `plan`. */
  credits?: number | undefined
  /** The new plan; not together with `credits`. */
  plan?: CreateCheckoutBodyPlan | undefined
  /** An absolute URL on one of `ALLOWED_ORIGINS`. */
  returnUrl?: string | undefined
}

export type CreateCheckoutBodyPlan = 'free' | 'team' | 'scale'

export interface CreateConversationBody {
  /** The title of the conversation. */
  title?: string | undefined
}

export interface CreateDomainBody {
  /** The part of addresses after the `@`, in any script. */
  name: string
}

export interface CreateEventTypeBody {
  /** The name for publications and subscriptions, such as `order.paid`. */
  name: string
  /** The fact that such an event reports. */
  description?: string | undefined
  /** JSON Schema for `data`. Default: any data is accepted. */
  schema?: CreateEventTypeBodySchema | undefined
  /** Must fit the schema; `{}` where it is left out. */
  example?: FreeObject | undefined
}

export interface CreateEventTypeBodySchema {
  /** Accepted without effect: the dialect is always draft 2020-12. */
  $schema?: string | undefined
  /** For readers; without effect on the check. */
  title?: string | undefined
  /** For readers; without effect on the check. */
  description?: string | undefined
  /** Values that would pass; not checked. */
  examples?: FreeValue[] | undefined
  default?: FreeValue | undefined
  /** For readers; without effect on the check. */
  deprecated?: boolean | undefined
  /** Type, or types, that a value may have. */
  type?: DataSchemaObjectType | undefined
  /** The allowed values. */
  enum?: FreeValue[] | undefined
  const?: FreeValue | undefined
  /** Schemas of the members of an object, by name. */
  properties?: { [name: string]: DataSchema } | undefined
  /** Names of the members that an object must have. */
  required?: string[] | undefined
  additionalProperties?: DataSchema | undefined
  /** Fewest members of an object. */
  minProperties?: number | undefined
  /** Most members of an object. */
  maxProperties?: number | undefined
  items?: DataSchema | undefined
  /** Fewest items of an array. */
  minItems?: number | undefined
  /** Most items of an array. */
  maxItems?: number | undefined
  /** The smallest allowed number. */
  minimum?: number | undefined
  /** The largest allowed number. */
  maximum?: number | undefined
  /** A number must be larger than this. */
  exclusiveMinimum?: number | undefined
  /** A number must be smaller than this. */
  exclusiveMaximum?: number | undefined
  /** A number must be a multiple of this. */
  multipleOf?: number | undefined
  /** Fewest characters of a text. */
  minLength?: number | undefined
  /** Most characters of a text. */
  maxLength?: number | undefined
  /** For readers, such as `date-time`; not checked. */
  format?: string | undefined
  /** A value must pass at least one of these. */
  anyOf?: DataSchema[] | undefined
  /** A value must pass exactly one of these. */
  oneOf?: DataSchema[] | undefined
  /** A value must pass all of these. */
  allOf?: DataSchema[] | undefined
  not?: DataSchema | undefined
}

export interface CreateFirstAdministratorBody {
  token: string
  organization: string
  firstName: string
  lastName: string
  /** An e-mail address. */
  email: string
  /** 8 to 256 characters, none of the well-known passwords. */
  password: string
  /** Must be true. */
  termsAccepted: true
}

export interface CreateIdentityProviderBody {
  /** `oidc`: OpenID Connect. `saml`: SAML 2.0. */
  kind: IdentityProviderKind
  /** The name for people, also in mails. */
  name: string
  /** `active`, or `disabled`: sign-ins by it are refused. */
  status?: SessionUserOrganizationStatus | undefined
  /** How it is reached, where it is `oidc`. */
  oidc?: CreateIdentityProviderBodyOidc | undefined
  /** The settings of a `saml` provider: `metadata`, or the members that they contain. */
  saml?: CreateIdentityProviderBodySaml | undefined
  /** Whether a sign-in with an address of a proven domain makes a membership. */
  createsMemberships?: boolean | undefined
  /** Whether the rules for roles apply at each sign-in, and not only at the first. Roles from groups of the directory do not change. */
  managesRoles?: boolean | undefined
  /** Role of members without a matching rule: `administrator`, `member`, or an id that starts with `rol_`. */
  defaultRole?: string | undefined
  /** The first matching rule gives the role. */
  roleRules?: CreateIdentityProviderBodyRoleRule[] | undefined
  /** Values that count as a second factor: of `amr` or `acr`; for SAML, of the authentication context class. */
  secondFactorValues?: string[] | undefined
  /** Whether signing out also ends the session at the provider. Default: `false`. */
  endsProviderSession?: boolean | undefined
}

export interface CreateIdentityProviderBodyOidc {
  /** The value in its metadata. */
  issuer: string
  /** The name of Postern at the provider. */
  clientId: string
  /** The client secret from the provider. */
  clientSecret: string
}

export interface CreateIdentityProviderBodyRoleRule {
  /** A claim of the ID token or the name of an attribute, such as `groups`. */
  claim: string
  /** A value of the claim, single or in a list. */
  value: string
  /** The role then: `administrator`, `member`, or an id that starts with `rol_`. */
  role: string
}

export interface CreateIdentityProviderBodySaml {
  /** The metadata of the provider, instead of the members that they contain. Nothing is fetched. */
  metadata?: string | undefined
  /** The entity id of the provider, from its metadata. */
  entityId?: string | undefined
  /** Where browsers are sent with a request (HTTP-Redirect); Postern never calls it. */
  signOnUrl?: string | undefined
  /** Its signing certificates. Each is accepted until it is removed, also after its expiry. */
  certificates?: string[] | undefined
  /** The attribute with the address; null: the usual attributes, or a `NameID` of the format `emailAddress`. */
  emailAttribute?: string | null | undefined
  /** The address for browsers with messages about sign-outs (its `SingleLogoutService`); null: it has none. */
  logoutUrl?: string | null | undefined
  /** Where they are sent with answers to its requests for a sign-out; null: to `logoutUrl`. */
  logoutResponseUrl?: string | null | undefined
  /** How such messages reach it: `redirect` (HTTP-Redirect) or `post` (HTTP-POST). */
  logoutBinding?: IdentityProviderSamlLogoutBinding | undefined
}

export interface CreateInvitationBody {
  /** An e-mail address. */
  email: string
  /** Role that the person gets on joining: `administrator`, `member`, or the id of a role of the organization. */
  role?: string | undefined
  /** Days after which the link of the invitation no longer works. */
  expiresInDays?: number | undefined
  /** Of the mail, unless the person has chosen one. Default: that of the organization. */
  language?: CreateInvitationBodyLanguage | undefined
  /** `false` returns the `acceptUrl`, only this once, and sends no mail. */
  sendEmail?: boolean | undefined
}

export type CreateInvitationBodyLanguage = 'en' | 'de' | 'fr' | 'es' | 'ja'

export interface CreateInvitationsBody {
  /** Each succeeds or fails independently. */
  invitations: CreateInvitationsBodyInvitation[]
  /** Days after which the link of the invitation no longer works. */
  expiresInDays?: number | undefined
  /** Of the mail, unless the person has chosen one. Default: that of the organization. */
  language?: CreateInvitationBodyLanguage | undefined
}

export interface CreateInvitationsBodyInvitation {
  /** Checked per row: an invalid address fails only its own row. */
  email: string
  /** Role that the person gets on joining: `administrator`, `member`, or the id of a role of the organization. `member` where it is left out. */
  role?: string | undefined
}

export interface CreateKnowledgeBaseBody {
  /** Unique in the organization. */
  name: string
  /** The model of the server, or null for none. Default: the model of the server, if it has one. */
  embedding?: string | null | undefined
}

export interface CreateMcpServerBody {
  /** The prefix of its tools: `{name}__{tool}`. Unique among the organization’s servers. */
  name: string
  /** Where it speaks the protocol over Streamable HTTP. */
  url: string
  /** Sent with every request, `Authorization` for example; never shown. */
  headers?: { [name: string]: string } | undefined
  /** Starts with `con_`, which may be left out. */
  connectionId?: string | undefined
  /** Whether a run that may use it fails without it; otherwise the model reads that it is unavailable. */
  required?: boolean | undefined
}

export interface CreateOauthClientBody {
  /** The name that people see. */
  name: string
  redirectUris: string[]
  postLogoutRedirectUris?: string[] | undefined
  usesDeviceFlow?: boolean | undefined
  isConfidential?: boolean | undefined
  /** Starts with `org_`, which may be left out. */
  organizationId?: string | null | undefined
}

export interface CreateOrganizationBody {
  /** Unique among the organizations of the server. */
  name: string
  /** Its id on your platform: letters, digits and `. _ : @ | / + = ~ -`, unique on the installation; upper and lower case differ. */
  externalId?: string | undefined
  /** `DEFAULT_PLAN` where it is left out. */
  plan?: CreateOrganizationBodyPlan | undefined
}

export type CreateOrganizationBodyPlan = 'free' | 'team' | 'scale' | 'unlimited'

export interface CreateOrganizationInvitationBody {
  /** An e-mail address. */
  email: string
  /** Role that the person gets on joining. */
  role?: string | undefined
  /** With `false` you hand over the link yourself. Default: whether a mail server is configured. */
  sendEmail?: boolean | undefined
}

export interface CreatePlatformKeyBody {
  /** The name of the key; organizations see it in their audit logs. */
  name: string
  /** The permissions of the key in every organization; null: all. */
  scopes: CreateApiKeyBodyScopes | null
  /** Whether a `POST` for an unknown `ext:` makes the organization, with `DEFAULT_PLAN`. */
  mayCreateOrganizations?: boolean | undefined
  /** Networks from which the key may be used; null: any. */
  allowedAddresses?: CreateApiKeyBodyAllowedAddresses | null | undefined
  /** Days after which the key is refused. Default: it does not expire. */
  expiresInDays?: number | undefined
}

export interface CreateReplayBody {
  /** Starts with `evt_`, which may be left out. */
  eventId?: string | undefined
  /** Only deliveries of events of this type. */
  eventType?: string | undefined
  /** The status of the last attempt’s answer: one status, or a class such as `5xx`. */
  statusCode?: string | undefined
  /** One or several of: timeout, dns, refused, reset, tls, invalid_answer, blocked_address, http_3xx, http_4xx, http_5xx, http_other; with a comma between two. */
  errorClass?: string | undefined
  /** Only deliveries made at or after this moment. */
  since: string
  /** Only deliveries made before this moment. */
  until?: string | undefined
  /** Only these. Ids of deliveries of others, or that were removed, are ignored. */
  ids?: string[] | undefined
  /** Only counts the deliveries; nothing is changed. */
  dryRun?: boolean | undefined
  /** Which deliveries are made again, by their outcome. */
  status?: CreateReplayBodyStatus | undefined
}

export type CreateReplayBodyStatus = 'failed' | 'delivered' | 'all'

export interface CreateRoleBody {
  /** The name of the role, unique in the organization. */
  name: string
  /** The purpose of the role; null: none is given. */
  description?: string | null | undefined
  /** The permissions of its holders. docs/scopes.md lists the operations of each. */
  permissions: CreateRoleBodyPermission[]
}

export type CreateRoleBodyPermission = 'organization:read' | 'organization:write' | 'members:read' | 'members:write' | 'invitations:read' | 'invitations:write' | 'roles:read' | 'roles:write' | 'sign_in:read' | 'sign_in:write' | 'scim:write' | 'mails:read' | 'keys:read' | 'keys:write' | 'audit:read' | 'billing:read' | 'billing:write' | 'events:read' | 'events:write' | 'event_types:read' | 'event_types:write' | 'webhooks:read' | 'webhooks:write' | 'deliveries:read' | 'deliveries:write' | 'captures:read' | 'captures:write' | 'connections:read' | 'connections:write' | 'connections:use' | 'files:read' | 'files:write' | 'files:all' | 'knowledge:read' | 'knowledge:write' | 'documents:write' | 'agents:read' | 'agents:write' | 'mcp_servers:read' | 'mcp_servers:write' | 'runs:read' | 'runs:write' | 'runs:all' | 'approvals:write' | 'conversations:read' | 'conversations:write' | 'conversations:all'

export interface CreateServiceAccountBody {
  /** The name of the machine in records of its actions. */
  name: string
  /** The purpose of the machine; null: none is given. */
  description?: string | null | undefined
  /** Starts with `acc_`, which may be left out. */
  ownerId?: string | null | undefined
}

export interface CreateSetupLinkBody {
  /** Whom it is for, in the words of its maker. */
  name: string
  /** The permitted uses. */
  purposes: SetupLinkPurpose[]
  /** An e-mail address. */
  email?: string | undefined
  /** The language of the mail. */
  language?: CreateInvitationBodyLanguage | undefined
  /** How long it lasts, unless the key that makes it ends before. */
  expiresInDays?: number | undefined
  /** Whether a sign-in that works enables the identity provider; else an administrator does. */
  activates?: boolean | undefined
  /** The same as for the added identity provider. */
  createsMemberships?: boolean | undefined
}

export interface CreateWebhookBody {
  /** Absolute http or https URL without credentials, at a public address. */
  url: string
  /** Event types, or `*` for every one. */
  events: string[]
  /** Opens `POST /v1/webhooks/{endpointPath}` to external systems. */
  endpointPath?: string | undefined
  /** The purpose of the webhook. */
  description?: string | undefined
  /** The most concurrent attempts; 256 by default. Below it as many are made as are answered well, and no slower than usual. */
  maxInFlight?: number | undefined
  /** The most calls per second to the destination. Deliveries that wait for this limit are neither late nor failed. */
  maxPerSecond?: number | null | undefined
}

export interface CreatedApiKey {
  /** Starts with `key_`. */
  id: string
  /** Service account that the key belongs to, starting with `svc_`. */
  serviceAccountId: string
  /** The name of the key. */
  name: string
  /** The use of the key; null: none is given. */
  description: string | null
  /** The upper limit of the key’s rights. A key never has more rights than its maker. */
  role: string
  /** The part of its role’s permissions that the key has; null: all. docs/scopes.md lists the operations of each scope. */
  scopes: ApiKeyScopes | null
  /** Networks from which the key may be used; null: from anywhere. */
  allowedAddresses: ApiKeyScopes | null
  /** The last four characters of the key. */
  hint: string
  /** Account or service account that made the key. */
  createdBy: string | null
  /** API key with which it was made, starting with `key_`; null where a person made it. */
  createdWith: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** Account or service account that made the current secret; null for the first secret. */
  rotatedBy: string | null
  /** When the current secret was made; null for the first secret. */
  rotatedAt: string | null
  /** Replaced secrets that still work, the newest first. */
  formerSecrets: ApiKeyFormerSecret[]
  /** From then on the key is refused; null: it does not expire. */
  expiresAt: string | null
  /** When the key was last used, at most a minute earlier than the last use; null: never. */
  lastUsedAt: string | null
  /** The secret of the key, for `Authorization: Bearer`. Only this answer shows it. */
  key: string
}

export interface CreatedAuditStream {
  /** Id of the stream, which starts with `aus_`. */
  id: string
  /** The name of the stream. */
  name: string
  url: string
  /** Names of the headers that are sent with every request; their values are never shown. */
  headerNames: string[]
  /** `active`; `failing`: the last request was not accepted; or `paused`. */
  status: AuditStreamStatus
  /** When it was made, in UTC. */
  createdAt: string
  /** Since when it is paused; null: it is not. */
  pausedAt: string | null
  /** The entries that were not sent yet. */
  unsent: AuditStreamUnsent
  /** The number of sent entries. */
  sent: number
  /** The number of entries that were given up, 30 days after `AUDIT_DAYS`. */
  lost: number
  /** When it last accepted entries; null: never. */
  lastSentAt: string | null
  /** Requests that failed since the last success. */
  failures: number
  /** Since when it fails; null: it does not. */
  failingSince: string | null
  /** Why the last request was not accepted, such as `http_503` or `timeout`; null: it was. */
  lastError: string | null
  /** Before then it is not tried again; null: it is tried at once. */
  nextAttemptAt: string | null
  /** The secret of the key, for `Authorization: Bearer`. Only this answer shows it. */
  secret: string
}

export interface CreatedCheckout {
  /** The address for the browser of the paying person. */
  checkoutUrl: string
  /** Id of the checkout, which starts with `chk_`. */
  checkoutId: string
  /** From then on its page accepts no payment. */
  expiresAt: string
}

export interface CreatedInvitation {
  /** One result for each invitation of the request, in the same order. */
  results: CreatedInvitationResult[]
}

export interface CreatedInvitationResult {
  /** The address as it was sent. */
  email: string
  /** Present where the invitation was made. */
  invitation?: Invitation | undefined
  /** Present where it was not. */
  error?: CreatedInvitationResultError | undefined
}

export interface CreatedInvitationResultError {
  /** Code of the catalogue. */
  code: string
  /** The problem, for people. */
  message: string
  /** `field`, `value`, `reason` and the other details of the code. */
  details: { [name: string]: unknown }
}

export interface CreatedOauthClient {
  id: string
  /** The name that people see; an application that registered itself chose it. */
  name: string
  /** The exact URIs to which a browser may return. */
  redirectUris: string[]
  /** The exact URIs to which a browser may return after a sign-out; the `state` of the request is appended, so a URI must not have one. */
  postLogoutRedirectUris: string[]
  /** The only organization whose members can grant it access; null: any. */
  organizationId: string | null
  /** `registered` by the operator, or `dynamic`: it registered itself. */
  origin: OauthClientOrigin
  /** Whether it proves itself with a secret at the token endpoint. */
  isConfidential: boolean
  /** Whether it may request a grant by a code that a person enters at `/device`. */
  usesDeviceFlow: boolean
  /** When it was made, in UTC. */
  createdAt: string
  /** When it last got a grant or a token; null: never. */
  lastUsedAt: string | null
  /** When it is removed unless it is used; null: it is not. */
  expiresAt: string | null
  /** For the token endpoint; null for applications that use only PKCE. Only this answer shows it. */
  clientSecret: string | null
}

export interface CreatedOrganizationInvitation {
  /** Id of the invitation, which starts with `inv_`. */
  invitationId: string
  /** The address that was invited. */
  email: string
  /** Role that the person gets. */
  role: string
  /** Whether the link is mailed; otherwise hand it over yourself. */
  isMailed: boolean
  /** From then on the link no longer works. */
  expiresAt: string
  /** The link, shown only in this answer, for this person. */
  acceptUrl: string
}

export interface CreatedPlatformKey {
  id: string
  /** The name of the key; organizations see it in their audit logs. */
  name: string
  /** The permissions of the key in every organization; null: all. */
  scopes: ApiKeyScopes | null
  /** Whether a `POST` for an unknown `ext:` makes the organization, with `DEFAULT_PLAN`. */
  mayCreateOrganizations: boolean
  /** Networks from which the key may be used; null: any. */
  allowedAddresses: ApiKeyScopes | null
  /** The last four characters of the key. */
  hint: string
  /** When it was made, in UTC. */
  createdAt: string
  /** From then on the key is refused; null: it does not expire. */
  expiresAt: string | null
  /** When it got its current secret; null for the first secret. */
  rotatedAt: string | null
  /** When the key was last used, at most a minute old; null: never. */
  lastUsedAt: string | null
  /** The secret of the key, for `Authorization: Bearer`. Only this answer shows it. */
  key: string
}

export interface CreatedSetupDirectoryKey {
  url: string
  key: string
}

export interface CreatedToken {
  /** The JWT, for `Authorization: Bearer`. */
  token: string
  /** 60 minutes after it was made. */
  expiresAt: string
}

export type CreatedWebhook = Webhook & {
  /** Signs each delivery. It is shown here and at its rotation only. */
  secret: string
}

/** A JSON Schema without costly keywords. */
export type DataSchema = boolean | DataSchemaObject

export interface DataSchemaObject {
  /** For readers; without effect on the check. */
  title?: string | undefined
  /** For readers; without effect on the check. */
  description?: string | undefined
  /** Values that would pass; not checked. */
  examples?: FreeValue[] | undefined
  default?: FreeValue | undefined
  /** For readers; without effect on the check. */
  deprecated?: boolean | undefined
  /** Type, or types, that a value may have. */
  type?: DataSchemaObjectType | undefined
  /** The allowed values. */
  enum?: FreeValue[] | undefined
  const?: FreeValue | undefined
  /** Schemas of the members of an object, by name. */
  properties?: { [name: string]: DataSchema } | undefined
  /** Names of the members that an object must have. */
  required?: string[] | undefined
  additionalProperties?: DataSchema | undefined
  /** Fewest members of an object. */
  minProperties?: number | undefined
  /** Most members of an object. */
  maxProperties?: number | undefined
  items?: DataSchema | undefined
  /** Fewest items of an array. */
  minItems?: number | undefined
  /** Most items of an array. */
  maxItems?: number | undefined
  /** The smallest allowed number. */
  minimum?: number | undefined
  /** The largest allowed number. */
  maximum?: number | undefined
  /** A number must be larger than this. */
  exclusiveMinimum?: number | undefined
  /** A number must be smaller than this. */
  exclusiveMaximum?: number | undefined
  /** A number must be a multiple of this. */
  multipleOf?: number | undefined
  /** Fewest characters of a text. */
  minLength?: number | undefined
  /** Most characters of a text. */
  maxLength?: number | undefined
  /** For readers, such as `date-time`; not checked. */
  format?: string | undefined
  /** A value must pass at least one of these. */
  anyOf?: DataSchema[] | undefined
  /** A value must pass exactly one of these. */
  oneOf?: DataSchema[] | undefined
  /** A value must pass all of these. */
  allOf?: DataSchema[] | undefined
  not?: DataSchema | undefined
}

export type DataSchemaObjectType = DataSchemaObjectTypeChoice | DataSchemaObjectTypeList

export type DataSchemaObjectTypeChoice = 'array' | 'boolean' | 'integer' | 'null' | 'number' | 'object' | 'string'

export type DataSchemaObjectTypeList = DataSchemaObjectTypeChoice[]

export interface DecideApprovalBody {
  /** The decision. It is valid once, for this call with these arguments. */
  decision: DecideApprovalBodyDecision
  /** Kept with the run; of a call that is denied the model reads it. */
  reason?: string | undefined
}

export type DecideApprovalBodyDecision = 'approve' | 'deny'

export interface DecideApprovalsBody {
  decisions: DecideApprovalsBodyDecision[]
}

export interface DecideApprovalsBodyDecision {
  /** Starts with `stp_`, which may be left out. */
  stepId: string
  decision: DecideApprovalBodyDecision
  /** Kept with the run; of a call that is denied the model reads it. */
  reason?: string | undefined
}

export interface DecideAuthorizationAnswer {
  /** The next URL for the browser. */
  redirectTo: string
}

export interface DecideAuthorizationBody {
  /** Whether the person grants it. */
  allow: boolean
  /** Starts with `org_`, which may be left out. */
  organizationId?: string | undefined
  /** The granted scopes. Default: all requested ones. */
  scopes?: string[] | undefined
}

export interface DecideDeviceRequestBody {
  /** The code that the device shows. */
  userCode: string
  /** Whether the person grants it. */
  allow: boolean
  /** Starts with `org_`, which may be left out. */
  organizationId?: string | undefined
  /** The granted scopes. Default: all requested ones. */
  scopes?: string[] | undefined
}

export interface DeleteMemberApiKeysAnswer {
  /** How many keys were deleted. */
  deletedApiKeys: number
}

export interface DeliverCaptureAnswer {
  /** Id of the event that the call became (`evt_`). */
  id: string
  /** Always `queued`. */
  status: string
}

export interface Delivery {
  /** Starts with `dlv_`. */
  id: string
  /** Id of the webhook, which starts with `whk_`. */
  webhookId: string
  /** Id of the event, which starts with `evt_`. */
  eventId: string
  /** Type of the event. */
  eventType: string
  /** `held`: the webhook is paused or disabled, and the delivery waits for it. */
  status: DeliveryStatus
  /** Why it failed or is held; null otherwise. */
  reason: string | null
  /** Whether it is a test of the webhook, which no replay makes again. */
  test: boolean
  /** Attempts that have been made. */
  attemptCount: number
  /** When the next attempt is due; null once it has ended, and while it is held. */
  nextAttemptAt: string | null
  /** When the event was accepted, or the delivery was made by a replay or a retry. */
  createdAt: string
  /** When it was last changed, in UTC. */
  updatedAt: string
  waiting: DeliveryWaiting | null
  /** All attempts, the first one first. */
  attempts: DeliveryAttempt[]
}

export interface DeliveryAttempt {
  /** Starts with `att_`. */
  id: string
  /** 1 for the first attempt of the delivery. */
  number: number
  /** When the attempt began. */
  startedAt: string
  /** Milliseconds until the end of the answer, or until it was given up; 30,000 at most. */
  durationMs: number
  /** State of the delivery after the attempt: `delivered`, `retry` or `failed`. */
  outcome: string
  /** HTTP status of the answer; null where there was no answer. */
  statusCode: number | null
  /** The failure in words, where there was no complete answer; null otherwise. */
  error: string | null
  /** Kind of the failure; null where it succeeded. */
  errorClass: DeliveryAttemptErrorClass | null
  /** Where its webhook sent to then. */
  url: string | null
  /** The IP address that it went to. */
  address: string | null
  /** Duration of each part of the attempt. */
  timings: DeliveryAttemptTimings
  /** Headers that were sent, signatures included. */
  requestHeaders: { [name: string]: string }
  /** Headers of the answer, each cut at 1,024 characters; null where none came. */
  responseHeaders: DeliveryAttemptResponseHeaders | null
  /** The first 16 KiB of the answer; null where none came. */
  responseBody: string | null
  /** Which secret the counting request was signed with. */
  signedWith: DeliveryAttemptSignedWith
}

export type DeliveryAttemptErrorClass = 'timeout' | 'dns' | 'refused' | 'reset' | 'tls' | 'invalid_answer' | 'blocked_address' | 'http_3xx' | 'http_4xx' | 'http_5xx' | 'http_other'

export type DeliveryAttemptResponseHeaders = { [name: string]: string }

export type DeliveryAttemptSignedWith = 'current' | 'previous'

/** The duration of each part; null for absent parts, such as the first three on an open connection. */
export interface DeliveryAttemptTimings {
  /** Milliseconds for the look-up of the name; null where a connection was reused. */
  dnsMs: number | null
  /** Milliseconds for the TCP connection; null where one was reused. */
  connectMs: number | null
  /** Milliseconds for the TLS handshake; null where there was none. */
  tlsMs: number | null
  /** From when the request was written until its answer began. */
  firstByteMs: number | null
  /** Of the whole attempt. */
  totalMs: number
}

export interface DeliveryItem {
  /** Starts with `dlv_`. */
  id: string
  /** Id of the webhook, which starts with `whk_`. */
  webhookId: string
  /** Id of the event, which starts with `evt_`. */
  eventId: string
  /** Type of the event. */
  eventType: string
  /** `held`: the webhook is paused or disabled, and the delivery waits for it. */
  status: DeliveryStatus
  /** Why it failed or is held; null otherwise. */
  reason: string | null
  /** Whether it is a test of the webhook, which no replay makes again. */
  test: boolean
  /** Attempts that have been made. */
  attemptCount: number
  /** When the next attempt is due; null once it has ended, and while it is held. */
  nextAttemptAt: string | null
  /** When the event was accepted, or the delivery was made by a replay or a retry. */
  createdAt: string
  /** When it was last changed, in UTC. */
  updatedAt: string
  /** Where its webhook sends to now. */
  url: string
  /** The status of the last attempt’s answer. */
  lastStatusCode: number | null
  /** Kind of the failure of the last attempt; null where it did not fail or there was none. */
  lastErrorClass: DeliveryAttemptErrorClass | null
  /** When it was delivered or failed; null until then. */
  endedAt: string | null
}

export interface DeliveryPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: DeliveryItem[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface DeliveryStats {
  /** Milliseconds that the figures look back. */
  windowMs: number
  /** Milliseconds of one bucket. */
  bucketMs: number
  /** The figures over time, the oldest first. */
  buckets: DeliveryStatsBucket[]
  /** The sums over all buckets. */
  totals: DeliveryStatsTotals
  /** Durations of the last attempts of deliveries; null where there was none. */
  latencyMs: WebhookStatsLatencyMs | null
  /** Deliveries that wait at this moment. */
  backlog: DeliveryStatsBacklog
}

export interface DeliveryStatsBacklog {
  /** All of active webhooks that have not ended, whenever they were made. */
  pending: number
  /** The same of webhooks that are paused or disabled. */
  held: number
  /** Earliest due time of the deliveries that wait: of a new one its creation, of a retry its next attempt; null where none waits. */
  oldestPendingAt: string | null
}

export interface DeliveryStatsBucket {
  /** Start of the bucket. */
  at: string
  /** Deliveries that ended with a 2xx answer. */
  delivered: number
  /** Deliveries that ended without a 2xx answer. */
  failed: number
  /** Deliveries that wait for an attempt. */
  pending: number
  /** Durations of the last attempts of deliveries; null where there was none. */
  latencyMs: WebhookStatsLatencyMs | null
}

export interface DeliveryStatsTotals {
  /** Deliveries that ended with a 2xx answer. */
  delivered: number
  /** Deliveries that ended without a 2xx answer. */
  failed: number
  /** Deliveries that wait for an attempt. */
  pending: number
}

export type DeliveryStatus = 'pending' | 'held' | 'delivered' | 'failed'

/** Why a delivery that has not ended waits, up to 10 s old; null once it has ended. */
export interface DeliveryWaiting {
  /** `attempting`: it is being attempted, or is the next that `maxPerSecond` allows. `retry_scheduled`: for its next attempt. `parked`: its webhook does not answer; one delivery at a time is tried, and all that wait follow once one is taken. `rate`: for `maxPerSecond`. `in_flight`: for those before it, as many at once as the webhook is trusted with. `webhook_paused`, `webhook_disabled`: until the webhook is resumed. `listener`: until a client of its listener fetches it. */
  reason: DeliveryWaitingReason
  /** When that ends: the next attempt, or the next probe of a parked webhook. Null where it is not known. */
  until: string | null
}

export type DeliveryWaitingReason = 'attempting' | 'retry_scheduled' | 'parked' | 'rate' | 'in_flight' | 'webhook_paused' | 'webhook_disabled' | 'listener'

export interface DeviceRequest {
  /** The requesting application. */
  client: DeviceRequestClient
  /** The origin of the request, by which a person can recognize their device. */
  device: DeviceRequestDevice
  /** The part of this server for which its tokens would be valid. */
  resource: string
  /** Whether it continues after the session has ended. */
  lasts: boolean
  /** The requested personal data. */
  identity: string[]
  /** The requested permissions. */
  scopes: AuthorizationScope[]
  /** The organizations for which the person can grant it. */
  organizations: AuthorizationOrganization[]
}

export interface DeviceRequestClient {
  /** The name that the application chose. */
  name: string
  /** Whether the operator registered it, or it is part of Postern; otherwise it chose its own name. */
  isRegistered: boolean
}

export interface DeviceRequestDevice {
  /** The IP address of the request. */
  address: string
  /** `User-Agent` of its request, cut at 200 characters. */
  program: string
  /** Whether this request comes from the same network. */
  isSameNetwork: boolean
  /** The age of the request in seconds. */
  ageSeconds: number
}

export interface Document {
  /** Starts with `doc_`. */
  id: string
  /** Id of the knowledge base, which starts with `knb_`. */
  knowledgeBaseId: string
  /** The name of the document in answers and sources. */
  name: string
  /** File that it was made of, starting with `fil_`; null for a text. */
  fileId: string | null
  /** Digest of its text, in hex. */
  sha256: string
  /** The state of the last indexing. Searches find the result of an earlier one until the next has succeeded. */
  status: DocumentStatus
  /** Why it was not indexed; null where it was. */
  error: DocumentError | null
  replacement: DocumentReplacement | null
  /** Passages of it that are found. */
  chunks: number
  /** Length of its text in characters. */
  chars: number
  /** The model of its vectors. */
  embedding: string | null
  /** Account or service account that made it; null once that is gone. */
  createdBy: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** When it was last changed, in UTC. */
  updatedAt: string
  /** When it was last indexed; null until then. */
  indexedAt: string | null
}

export interface DocumentChunk {
  /** The id of the passage in searches. */
  chunkId: string
  /** Its place in the document, from 0 on. */
  position: number
  /** The passage. */
  text: string
  /** Its position in the file or text. */
  location: DocumentChunkLocation
}

export interface DocumentChunkLocation {
  /** Page of its PDF, or slide, from 1. */
  page?: number | undefined
  /** Name of a sheet of its spreadsheet. */
  sheet?: string | undefined
  /** The heading above it. */
  heading?: string | undefined
}

export interface DocumentChunkPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: DocumentChunk[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

/** Why the last indexing failed. */
export interface DocumentError {
  /** A code of the catalogue. */
  code: string
  /** The cause within the code, for programs; null where the code has only one. */
  reason: string | null
  /** The cause, and the remedy. */
  message: string
}

export interface DocumentIndexedEvent {
  /** Stable across retries: receivers tell a repeat by it. It starts with `evt_`. */
  id: string
  /** Name of the event type. */
  type: 'document.indexed'
  /** When the event was accepted, in UTC. */
  createdAt: string
  /** The facts of the event. */
  data: DocumentIndexedEventData
}

export interface DocumentIndexedEventData {
  /** An id that starts with doc_. */
  documentId: string
  /** An id that starts with knb_. */
  knowledgeBaseId: string
  /** Name of the document. */
  name: string
  /** `indexed` or `failed`. */
  status: DocumentIndexedEventDataStatus
  /** Passages of it that are found now. */
  chunks: number
  /** Milliseconds that indexing took. */
  durationMs: number
  /** Why it failed; null otherwise. */
  error: DocumentIndexedEventDataError | null
}

export interface DocumentIndexedEventDataError {
  /** Code of the catalogue. */
  code: string
  /** The cause within the code, for programs; null where the code has only one. */
  reason: string | null
  /** The cause, and the remedy. */
  message: string
}

export type DocumentIndexedEventDataStatus = 'indexed' | 'failed'

export interface DocumentPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Document[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

/** The content that replaces the current one after it is indexed; after a failure it stays here until it is indexed again or replaced. */
export interface DocumentReplacement {
  /** The new name of the document. */
  name: string
  /** File that it is made of then; null for a text. */
  fileId: string | null
  /** Digest of its bytes, in hex. */
  sha256: string
}

export type DocumentStatus = 'queued' | 'indexing' | 'indexed' | 'failed'

export interface DocumentText {
  /** Null until its file was processed for the first time. */
  text: string | null
  /** Whether searches find passages of this text: false before it was indexed for the first time, and after its file was read again. */
  indexed: boolean
  /** Where in the document the parts of `text` stand. */
  parts: DocumentTextPart[]
  /** Pass as `cursor` for the text that follows; null at the end. */
  nextCursor: string | null
}

export interface DocumentTextPart {
  /** Where in `text` it begins, in UTF-16 code units. */
  offset: number
  /** Page of its PDF, or slide, from 1. */
  page?: number | undefined
  /** Name of a sheet of its spreadsheet. */
  sheet?: string | undefined
  /** The heading above it. */
  heading?: string | undefined
}

export interface Domain {
  /** Identifier, starting with `dom_`. */
  id: string
  /** The domain, in ASCII. */
  name: string
  /** `pending` until its record was found. `failing`: the record is missing, and the domain still counts as proven. `lost`: it no longer counts. */
  status: DomainStatus
  record: DomainRecord
  /** Why the last check found no proof; null: it found one, or no check was made. */
  reason: DomainReason | null
  /** Account or service account that claimed it. */
  createdBy: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** Time of the last look-up of the record; null: never. */
  checkedAt: string | null
  /** When the domain was proven; null: never. */
  verifiedAt: string | null
  /** Since when the record is missing; null while it is not. */
  failingSince: string | null
}

export interface DomainPage {
  /** The items of the list. */
  data: Domain[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export type DomainReason = 'no_record' | 'other_value' | 'no_answer'

/** The record to publish in the domain name system. */
export interface DomainRecord {
  /** Always `TXT`. */
  type: string
  /** Where to publish it. */
  name: string
  /** The required value. Additional values are allowed. */
  value: string
}

export type DomainStatus = 'pending' | 'verified' | 'failing' | 'lost'

export interface EmailChange {
  /** The change that waits for a mailbox; null where none does. */
  change: EmailChangeContent | null
}

export interface EmailChangeContent {
  /** The new address of the account. */
  newEmail: string
  /** Who began it. */
  askedBy: EmailChangeContentAskedBy
  /** By the present mailbox, or by the operator instead of it. */
  isApproved: boolean
  /** By the new mailbox. */
  isConfirmed: boolean
  /** When its links stop working. */
  expiresAt: string
}

export type EmailChangeContentAskedBy = 'person' | 'operator'

export interface EndOtherSessionsAnswer {
  /** How many sessions of the account were ended. */
  endedSessions: number
}

export interface ErrorAnswerError {
  /** Stable: branch on it. Each code always has the same HTTP status. */
  code: ErrorCode
  /** For people; it may change. */
  message: string
  /** `field`, `value` and `reason` of the first problem, `issues` with all problems, and further details of the code. */
  details: { [name: string]: unknown }
  /** The `X-Request-Id` of the answer; quote it to the operator. */
  requestId: string
  /** The page of the code: causes, remedy and an example. */
  docUrl: string
}

export interface ErrorPage {
  /** The items of the list. */
  data: CatalogueEntry[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export interface Event {
  /** Starts with `evt_`. */
  id: string
  /** Name of its event type. */
  type: string
  /** When the event was accepted; the same in every delivery of it. */
  createdAt: string
  /** The data as the publisher sent them, byte for byte. */
  data: EventTypeSchema
}

export interface EventItem {
  /** Starts with `evt_`. */
  id: string
  /** Name of its event type. */
  type: string
  /** When the event was accepted; the same in every delivery of it. */
  createdAt: string
  /** The data as the publisher sent them, byte for byte. */
  data: EventTypeSchema
  /** The publisher: an account or a service account. Null for events of the platform and of inbound addresses. */
  actorId: string | null
}

export interface EventPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: EventItem[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface EventType {
  /** The name for publications and subscriptions, such as `order.paid`. */
  name: string
  /** The fact that such an event reports. */
  description: string
  /** JSON Schema that `data` of each event is checked against. */
  schema: EventTypeSchema
  /** A value of `data` that fits the schema; tests of webhooks send it. */
  example: EventTypeSchema
  /** Whether the platform defines it; those cannot be changed or deleted. */
  builtIn: boolean
  /** Whether `POST /v1/events` accepts it; only the platform publishes the others. */
  publishable: boolean
  /** When it was registered; null for built-in types. */
  createdAt: string | null
}

export interface EventTypeItem {
  /** The name for publications and subscriptions, such as `order.paid`. */
  name: string
  /** The fact that such an event reports. */
  description: string
  /** JSON Schema that `data` of each event is checked against. */
  schema: EventTypeSchema
  /** A value of `data` that fits the schema; tests of webhooks send it. */
  example: EventTypeSchema
  /** Whether the platform defines it; those cannot be changed or deleted. */
  builtIn: boolean
  /** Whether `POST /v1/events` accepts it; only the platform publishes the others. */
  publishable: boolean
  /** When it was registered; null for built-in types. */
  createdAt: string | null
  /** The number of webhooks that subscribe to it, inactive ones included. */
  subscribers: number
}

export interface EventTypePage {
  /** The items of the list. */
  data: EventTypeItem[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export type EventTypeSchema = { [name: string]: unknown }

export interface Factor {
  id: string
  /** `totp`: an authenticator app. `passkey`: a device or a password manager. */
  kind: FactorKind
  /** The name that the person gave it. */
  name: string
  /** When it was made, in UTC. */
  createdAt: string
  /** When it was last used; null: never. */
  lastUsedAt: string | null
}

export type FactorKind = 'totp' | 'passkey'

export interface FactorPage {
  /** The items of the list. */
  data: Factor[]
  /** Always null: the list is whole. */
  nextCursor: string | null
  /** Recovery codes that were not used. */
  recoveryCodesLeft: number
}

export interface FetchDeliveriesAnswer {
  /** None where none came in time. */
  deliveries: FetchDeliveriesAnswerDelivery[]
}

export interface FetchDeliveriesAnswerDelivery {
  /** Send it back with the result. It is valid for one attempt. */
  receipt: string
  /** The same for each attempt. */
  deliveryId: string
  /** The event of the delivery, the same as in `webhook-id`. */
  eventId: string
  /** The name under which the event was published. */
  eventType: string
  /** 1 for the first attempt. */
  attempt: number
  /** The headers of the request, signed at this moment. */
  headers: { [name: string]: string }
  /** Values of `x-service-signature` by retired secrets: a receiver that answers 401 or 403 is asked again with each, in the same attempt. */
  previousSignatures: string[]
  /** The exact bytes that the signatures are of. */
  bodyBase64: string
  /** An answer after this moment is a timeout. */
  deadline: string
}

export interface FetchDeliveriesBody {
  /** The most deliveries to fetch; their bodies have 1 MiB together at most. */
  limit?: number | undefined
  /** How long to wait where none is due. */
  waitMs?: number | undefined
}

export interface FetchFileBody {
  /** Where it is: http or https, at a public address, without credentials. */
  url: string
  /** Name of the file. Default: the last part of the URL. */
  name?: string | undefined
  /** The character encoding; it overrides that of the `Content-Type`. */
  charset?: string | undefined
}

export interface FetchThroughConnectionAnswer {
  /** The API's own status; 2xx, 3xx and 4xx are all returned. */
  status: number
  /** In lower case. A header that came several times is joined by commas. */
  headers: { [name: string]: string }
  /** Body of the answer, encoded by `bodyEncoding`. */
  body: string
  /** `text` where the bytes are UTF-8, else `base64`. */
  bodyEncoding: FetchThroughConnectionAnswerBodyEncoding
}

export type FetchThroughConnectionAnswerBodyEncoding = 'text' | 'base64'

export interface FetchThroughConnectionBody {
  /** Method of the call; `GET` and `HEAD` have no body. */
  method: FetchThroughConnectionBodyMethod
  /** An absolute URL on one of the provider's `apiHosts`. */
  url: string
  /** Headers of the call. `Authorization` is set by the server and refused here. */
  headers?: { [name: string]: string } | undefined
  /** A text that is sent unchanged, or an object or list that is sent as JSON. */
  body?: FetchThroughConnectionBodyContent | undefined
  /** The encoding of a text in `body`. */
  bodyEncoding?: FetchThroughConnectionAnswerBodyEncoding | undefined
}

export type FetchThroughConnectionBodyContent = string | FreeObject | FetchThroughConnectionBodyContentList

export type FetchThroughConnectionBodyContentList = FreeValue[]

export type FetchThroughConnectionBodyMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface FilePage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: StoredFile[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface FileProcessedEvent {
  /** Stable across retries: receivers tell a repeat by it. It starts with `evt_`. */
  id: string
  /** Name of the event type. */
  type: 'file.processed'
  /** When the event was accepted, in UTC. */
  createdAt: string
  /** The facts of the event. */
  data: FileProcessedEventData
}

export interface FileProcessedEventData {
  /** Id of the file, which starts with `fil_`. */
  fileId?: string | undefined
  /** Name of the file. */
  name?: string | undefined
  /** Its kind, such as `application/pdf`. */
  mediaType?: string | undefined
  /** Its size in bytes. */
  sizeBytes?: number | undefined
  /** `processed` or `failed`. */
  status?: string | undefined
  /** Milliseconds from the request for the reading to its end, its wait for a turn included. */
  durationMs?: number | undefined
  /** Why it failed; null otherwise. */
  error?: FileProcessedEventDataError | null | undefined
}

export interface FileProcessedEventDataError {
  /** Code of the catalogue. */
  code: string
  /** The cause within the code, for programs; null where the code has only one. */
  reason: string | null
  /** The cause, and the remedy. */
  message?: string | undefined
}

export interface FileText {
  /** With `processing`, a text is that of an earlier reading, and stays until the next one has ended. */
  status: FileTextStatus
  /** Null until the file was processed for the first time. */
  text: string | null
  /** Where in the file the parts of `text` stand. */
  parts: DocumentTextPart[]
  /** Pass as `cursor` for the text that follows; null at the end. */
  nextCursor: string | null
}

export type FileTextStatus = 'processing' | 'processed'

export interface Finding {
  /** `ok`: no action is needed. `warning`: it works, but is unsafe or may fail later. `problem`: something does not work. */
  level: FindingLevel
  /** Subject of the check. */
  what: string
  /** The result, and the remedy. */
  text: string
}

export type FindingLevel = 'ok' | 'warning' | 'problem'

export interface FindingPage {
  /** The items of the list. */
  data: Finding[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export type FreeObject = { [name: string]: FreeValue }

/** Any JSON without the members that lead programs of JavaScript astray. */
export type FreeValue = unknown

export interface GrantCreditsAnswer {
  /** False where the same `reference` has given them before. */
  granted: boolean
  /** Credits that the organization can spend afterwards. */
  balance: number
}

export interface GrantCreditsBody {
  /** How many credits to give. */
  credits: number
  /** Shown in the ledger of the organization. */
  reason: string
  /** Your own name of the grant, such as an invoice number; the same one grants credits only once. */
  reference?: string | undefined
}

export interface IdentityProvider {
  /** Identifier, starting with `idp_`. */
  id: string
  /** `oidc`: OpenID Connect. `saml`: SAML 2.0. */
  kind: IdentityProviderKind
  /** The name for people, also in mails. */
  name: string
  /** `active`, or `disabled`: sign-ins by it are refused. */
  status: SessionUserOrganizationStatus
  /** How it is reached; its client secret is not shown. null of SAML. */
  oidc: IdentityProviderOidc | null
  /** How it is known; null of OpenID Connect. */
  saml: IdentityProviderSaml | null
  /** To be registered at the provider; for SAML the address for answers (ACS, HTTP-POST). */
  redirectUri: string
  /** Whether a sign-in with an address of a proven domain makes a membership. */
  createsMemberships: boolean
  /** Whether the rules for roles apply at each sign-in, and not only at the first. Roles from groups of the directory do not change. */
  managesRoles: boolean
  /** Role of members without a matching rule: `administrator`, `member`, or an id that starts with `rol_`. */
  defaultRole: string
  /** The first matching rule gives the role. */
  roleRules: IdentityProviderRoleRule[]
  /** Values that count as a second factor: of `amr` or `acr`; for SAML, of the authentication context class. */
  secondFactorValues: string[]
  /** Whether signing out also ends the session at the provider. Default: `false`. */
  endsProviderSession: boolean
  /** Account or service account that made it. */
  createdBy: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** When it was last changed, in UTC. */
  updatedAt: string
  /** The time of its last sign-in; null: none yet. */
  lastSignInAt: string | null
}

export interface IdentityProviderKeyRotation {
  /** When the previous keys end. */
  previousEndsAt: string
}

export type IdentityProviderKind = 'oidc' | 'saml'

export interface IdentityProviderOidc {
  /** The value in its metadata. */
  issuer: string
  /** The name of Postern at the provider. */
  clientId: string
  /** To be registered at the provider, where it can report sign-outs. */
  backChannelLogoutUri: string
  /** To be registered at the provider where `endsProviderSession` is set: it sends people back there. */
  postLogoutRedirectUri: string
}

export interface IdentityProviderPage {
  /** The items of the list. */
  data: IdentityProvider[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export interface IdentityProviderRoleRule {
  /** A claim of the ID token or the name of an attribute, such as `groups`. */
  claim: string
  /** A value of the claim, single or in a list. */
  value: string
  /** The role then: `administrator`, `member`, or an id that starts with `rol_`. */
  role: string
}

export interface IdentityProviderSaml {
  /** The entity id of the provider, from its metadata. */
  entityId: string
  /** Where browsers are sent with a request (HTTP-Redirect); Postern never calls it. */
  signOnUrl: string
  /** Its signing certificates. Each is accepted until it is removed, also after its expiry. */
  certificates: IdentityProviderSamlCertificate[]
  /** The attribute with the address; null: the usual attributes, or a `NameID` of the format `emailAddress`. */
  emailAttribute: string | null
  /** The address for browsers with messages about sign-outs (its `SingleLogoutService`); null: it has none. */
  logoutUrl: string | null
  /** Where they are sent with answers to its requests for a sign-out; null: to `logoutUrl`. */
  logoutResponseUrl: string | null
  /** How such messages reach it: `redirect` (HTTP-Redirect) or `post` (HTTP-POST). */
  logoutBinding: IdentityProviderSamlLogoutBinding
  /** The entity id of Postern for the provider; each provider has another one. */
  ownEntityId: string
  /** The entity id and `redirectUri` as SAML metadata, without credentials. */
  ownMetadataUrl: string
  /** The certificate to which the provider may encrypt assertions, as PEM; also in the metadata. */
  ownCertificateUrl: string
  /** The certificate with which the provider verifies sign-out messages of Postern, as PEM; also in the metadata. */
  ownSigningCertificateUrl: string
  /** To be registered at the provider for single logout, HTTP-Redirect and HTTP-POST; the metadata have it, too. */
  ownLogoutUrl: string
}

export interface IdentityProviderSamlCertificate {
  /** SHA-256 of it, in hex. */
  fingerprint: string
  /** Its subject. */
  subject: string
  /** Start of its validity, for information only. */
  notBefore: string
  /** End of its validity, before which `GET /v1/problems` names it. Signatures are accepted after it too. */
  notAfter: string
}

export type IdentityProviderSamlLogoutBinding = 'redirect' | 'post'

export interface IdentityProviderTest {
  /** Whether nothing was found. */
  works: boolean
  /** The problems, each with a reason of the catalogue. */
  findings: IdentityProviderTestFinding[]
  /** When the last SAML certificate ends; null for OpenID Connect. */
  certificatesEndAt: string | null
}

export interface IdentityProviderTestFinding {
  /** The code of the catalogue that a sign-in or a change would meet. */
  code: IdentityProviderTestFindingCode
  /** The reason, such as `foreign_issuer`, `keys_status_404`, `timeout` or `certificate_expired`. */
  reason: string
  /** The member of the identity provider that it is about. */
  field: string
}

export type IdentityProviderTestFindingCode = 'INTEGRATION_PROVIDER_ERROR' | 'VALIDATION_FAILED'

export interface ImportAccountsAnswer {
  /** How many accounts were made. */
  imported: number
  /** The number of accounts that existed with these memberships. */
  unchanged: number
  /** How many were refused. */
  refused: number
  /** Why, in the order of the request. */
  refusals: ImportAccountsAnswerRefusal[]
}

export interface ImportAccountsAnswerRefusal {
  /** Place of the account in the request, from 0. */
  index: number
  /** Which member of it. */
  field: string
  /** The rule that it does not keep. */
  reason: string
}

export interface ImportAccountsBody {
  /** Accounts with the members that docs/operations.md describes. */
  accounts: { [name: string]: unknown }[]
  /** Reports the refusals, and changes nothing. */
  dryRun?: boolean | undefined
}

export interface Installation {
  /** Version of the program. */
  version: string
  /** Where the data is kept. */
  engine: InstallationEngine
  /** Number of the last migration of the database. */
  schemaVersion: number
  /** Of the process that answers. */
  role: string
  /** The number of organizations. */
  organizations: number
  /** Deliveries that are due. */
  deliveries: InstallationDeliveries
  /** Other durable work that is due, by its kind. */
  jobs: InstallationJob[]
  /** Processes that send and process. */
  workers: InstallationWorker[]
  /** Mails on their way. */
  mails: InstallationMails
  /** Space of the disk that holds `DATA_DIR`. */
  disk: InstallationDisk
  /** The time of these figures. */
  measuredAt: string
}

/** Deliveries that have not ended. Exact up to a million deliveries that no worker has claimed, and up to 2,000 publications that are not completely written; above that it is a lower bound. */
export interface InstallationDeliveries {
  /** Deliveries whose next attempt is due. */
  due: number
  /** Due later: retries. */
  scheduled: number
  /** In the hands of a worker. */
  claimed: number
  /** Since when the oldest of them is due; null where none is. */
  oldestDueAt: string | null
  /** Of webhooks that are not active. */
  held: number
  /** Of events that are accepted, and not in the table yet. */
  unwritten: number
}

export interface InstallationDisk {
  /** Free bytes of the disk that holds `DATA_DIR`. */
  freeBytes: number
}

export type InstallationEngine = 'sqlite' | 'postgres'

/** Jobs of one kind that have not ended. Exact up to 10,000 jobs that no worker has claimed; above that it is a lower bound. */
export interface InstallationJob {
  /** Kind of the work, such as `file` or `run`. */
  kind: string
  /** Jobs that are due. */
  due: number
  /** Due later: retries. */
  scheduled: number
  /** In the hands of a worker. */
  claimed: number
  /** Since when the oldest of them is due; null where none is. */
  oldestDueAt: string | null
}

/** Each counted exactly up to 10,000. */
export interface InstallationMails {
  /** Mails that wait to be sent. */
  queued: number
  /** Mails that were given up. */
  failed: number
  /** Whether a mail server is configured (`SMTP_URL`). */
  isConfigured: boolean
}

export interface InstallationWorker {
  /** End of its lease. Other processes take its work over if it is not renewed by then. */
  aliveUntil: string
}

export interface Invitation {
  /** Starts with `inv_`. */
  id: string
  /** The invited address. */
  email: string
  /** Id of the organization, which starts with `org_`. */
  organizationId: string
  /** Role that the person gets: `administrator`, `member`, or an id that starts with `rol_`. */
  role: string
  /** The name of that role; null where it was deleted. */
  roleName: string | null
  /** `expired` once `expiresAt` has passed; sending it again makes it `pending` again. */
  status: InvitationStatus
  /** Account or service account that invited; null for the command line of the server. */
  inviterId: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** From then on the link no longer works. */
  expiresAt: string
  /** When the person joined; null until then. */
  acceptedAt: string | null
  /** When an administrator revoked it; null while it is not revoked. */
  revokedAt: string | null
  /** The state of the last mail of this invitation. */
  delivery: InvitationDelivery
  /** Only in the answer that creates it with `sendEmail: false`. */
  acceptUrl?: string | undefined
}

export interface InvitationAcceptedEvent {
  /** Stable across retries: receivers tell a repeat by it. It starts with `evt_`. */
  id: string
  /** Name of the event type. */
  type: 'invitation.accepted'
  /** When the event was accepted, in UTC. */
  createdAt: string
  /** The facts of the event. */
  data: InvitationAcceptedEventData
}

export interface InvitationAcceptedEventData {
  /** An id that starts with inv_. */
  invitationId: string
  /** An id that starts with acc_. */
  accountId: string
  /** Address that was invited. */
  email: string
  /** Role that the person has now. */
  role: string
}

export interface InvitationCreatedEvent {
  /** Stable across retries: receivers tell a repeat by it. It starts with `evt_`. */
  id: string
  /** Name of the event type. */
  type: 'invitation.created'
  /** When the event was accepted, in UTC. */
  createdAt: string
  /** The facts of the event. */
  data: InvitationCreatedEventData
}

export interface InvitationCreatedEventData {
  /** An id that starts with inv_. */
  invitationId: string
  /** Address that was invited. */
  email: string
  /** Role that the person gets. */
  role: string
  /** Account or API key that invited; null for the command line of the server. */
  inviterId: string | null
}

export interface InvitationDelivery {
  /** `not_configured`: the server has no mail server, and the link must be handed over in another way. */
  status: InvitationDeliveryStatus
  /** How often the mail was handed to the mail server. */
  attempts: number
  /** When it was last tried; null before the first try. */
  lastAttemptAt: string | null
  /** A short reason. The log has the reason why no mail server was reached. */
  lastError: string | null
  /** The mail server’s answer when it accepted or refused the mail. */
  answer: string | null
}

export type InvitationDeliveryStatus = 'queued' | 'sent' | 'failed' | 'not_configured'

export interface InvitationPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Invitation[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export type InvitationStatus = 'pending' | 'accepted' | 'revoked' | 'expired'

export interface KnowledgeBase {
  /** Starts with `knb_`. */
  id: string
  /** Unique in the organization. */
  name: string
  /** The model of the vectors by which its documents are also searched; null: none. */
  embedding: string | null
  /** How many documents it holds. */
  documents: number
  /** Passages that are found. */
  chunks: number
  /** Account or service account that made it; null once that is gone. */
  createdBy: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** When it was last changed, in UTC. */
  updatedAt: string
}

export interface KnowledgeBasePage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: KnowledgeBase[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface LedgerDay {
  /** The day, in UTC. */
  date: string
  /** Credits added on this day. */
  credited: number
  /** Credits removed on this day. */
  debited: number
  /** Entries of that day. */
  entries: number
  /** All credits at its end, those set aside included. */
  balance: number
}

export interface LedgerDayPage {
  /** The items of the list. */
  data: LedgerDay[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export interface LedgerEntry {
  /** Starts with `led_`. */
  id: string
  /** Why the balance changed. */
  kind: LedgerEntryKind
  /** Credits that came, or with a minus went. */
  amount: number
  /** All credits after this entry, those set aside included. */
  balance: number
  /** The part that ends with the cycle. */
  cycleCredits: number
  /** The part that stays. */
  purchasedCredits: number
  /** For a debit: the price of the work, even if less or nothing was taken. */
  price: number | null
  /** Kind of work that a debit paid for; null for other entries. */
  action: string | null
  /** The id of the subject of the entry. */
  reference: string | null
  /** The reason that the operator gave; null without one. */
  reason: string | null
  /** When it was made, in UTC. */
  createdAt: string
}

export type LedgerEntryKind = 'renewal' | 'expiry' | 'upgrade' | 'grant' | 'purchase' | 'debit' | 'reversal'

export interface LedgerEntryPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: LedgerEntry[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export type ListApiKeysOnlyScope = 'organization:read' | 'organization:write' | 'members:read' | 'members:write' | 'invitations:read' | 'invitations:write' | 'roles:read' | 'roles:write' | 'sign_in:read' | 'sign_in:write' | 'scim:write' | 'mails:read' | 'keys:read' | 'keys:write' | 'audit:read' | 'billing:read' | 'billing:write' | 'events:read' | 'events:write' | 'event_types:read' | 'event_types:write' | 'webhooks:read' | 'webhooks:write' | 'deliveries:read' | 'deliveries:write' | 'captures:read' | 'captures:write' | 'connections:read' | 'connections:write' | 'connections:use' | 'files:read' | 'files:write' | 'files:all' | 'knowledge:read' | 'knowledge:write' | 'documents:write' | 'agents:read' | 'agents:write' | 'mcp_servers:read' | 'mcp_servers:write' | 'runs:read' | 'runs:write' | 'runs:all' | 'approvals:write' | 'conversations:read' | 'conversations:write' | 'conversations:all'

export interface ListSigningKeysAnswer {
  /** Public keys as JSON Web Keys (RFC 7517): the current one, the next one, and those still in use. */
  keys: { [name: string]: string }[]
}

export interface Mail {
  /** Starts with `mal_`. */
  id: string
  /** Address of the recipient. */
  to: string
  /** Subject line of the mail. */
  subject: string
  /** Invitation that the mail is about, starting with `inv_`; null for other mails. */
  invitationId: string | null
  /** `not_configured`: the server has no mail server, and the mail is kept. */
  status: InvitationDeliveryStatus
  /** How often the mail was handed to the mail server. */
  attempts: number
  /** When it was last tried; null before the first try. */
  lastAttemptAt: string | null
  /** A short reason. The log has the reason why no mail server was reached. */
  lastError: string | null
  /** The mail server’s answer when it accepted or refused the mail. */
  answer: string | null
  /** When it was made, in UTC. */
  createdAt: string
}

export interface MailPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Mail[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface McpServer {
  /** Starts with `mcp_`. */
  id: string
  /** Unique in the organization; the names of its tools begin with it. */
  name: string
  /** The address of its MCP endpoint (Streamable HTTP). */
  url: string
  /** Whose values are never shown. */
  headerNames: string[]
  /** Connection whose token is sent to it, starting with `con_`; null: none. */
  connectionId: string | null
  /** Whether a run fails where this server cannot be reached. */
  required: boolean
  /** Whether its tools were never listed, are all accepted, or include tools that are not accepted. */
  status: McpServerStatus
  /** The number of tools in its last list. */
  toolCount: number
  /** The digest of the currently listed tools, which `accept` requires. */
  toolsDigest: string | null
  /** Why the last request for its tools failed; null where it succeeded. */
  lastFailure: McpServerLastFailure | null
  /** When its tools were last listed; null: never. */
  checkedAt: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** When it was last changed, in UTC. */
  updatedAt: string
  /** Its accepted and its listed tools. */
  tools: McpServerTool[]
}

export interface McpServerChangedEvent {
  /** Stable across retries: receivers tell a repeat by it. It starts with `evt_`. */
  id: string
  /** Name of the event type. */
  type: 'mcp_server.changed'
  /** When the event was accepted, in UTC. */
  createdAt: string
  /** The facts of the event. */
  data: McpServerChangedEventData
}

export interface McpServerChangedEventData {
  /** An id that starts with mcp_. */
  serverId: string
  /** Name of the server. */
  name: string
  /** Names of tools that are new or whose definition changed. */
  tools: string[]
}

export interface McpServerItem {
  /** Starts with `mcp_`. */
  id: string
  /** Unique in the organization; the names of its tools begin with it. */
  name: string
  /** The address of its MCP endpoint (Streamable HTTP). */
  url: string
  /** Whose values are never shown. */
  headerNames: string[]
  /** Connection whose token is sent to it, starting with `con_`; null: none. */
  connectionId: string | null
  /** Whether a run fails where this server cannot be reached. */
  required: boolean
  /** Whether its tools were never listed, are all accepted, or include tools that are not accepted. */
  status: McpServerStatus
  /** The number of tools in its last list. */
  toolCount: number
  /** The digest of the currently listed tools, which `accept` requires. */
  toolsDigest: string | null
  /** Why the last request for its tools failed; null where it succeeded. */
  lastFailure: McpServerLastFailure | null
  /** When its tools were last listed; null: never. */
  checkedAt: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** When it was last changed, in UTC. */
  updatedAt: string
}

export interface McpServerLastFailure {
  /** Why: `timeout`, `unreachable`, `unauthorized` and others. */
  reason: string
}

export interface McpServerPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: McpServerItem[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export type McpServerStatus = 'new' | 'ready' | 'changed'

export interface McpServerTool {
  /** Name of the tool at its server. */
  name: string
  /** The server's description of the tool. The text is not written by Postern. */
  description: string
  /** The server’s JSON Schema of its arguments. */
  inputSchema: EventTypeSchema
  /** Whether the server declares the tool read-only. */
  readOnly: boolean
  /** Whether the server declares the tool idempotent. */
  idempotent: boolean
  /** Only tools that are `on` can be called. `gone`: it was accepted, and is not listed any more. */
  status: McpServerToolStatus
  /** Digest of the definition; it changes when the definition changes. */
  digest: string
}

export type McpServerToolStatus = 'on' | 'changed' | 'new' | 'gone'

export interface Member {
  /** Id of the account, which starts with `acc_`. */
  accountId: string
  /** The e-mail address, in lower case. */
  email: string
  /** Given name; null until the person has signed up. */
  firstName: string | null
  /** Family name; null until the person has signed up. */
  lastName: string | null
  /** `administrator`, `member`, or the id of a role of the organization, starting with `rol_`. */
  role: string
  /** The name of that role. */
  roleName: string
  /** When the person became a member. */
  joinedAt: string
}

export interface MemberPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Member[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface MemberRemovedEvent {
  /** Stable across retries: receivers tell a repeat by it. It starts with `evt_`. */
  id: string
  /** Name of the event type. */
  type: 'member.removed'
  /** When the event was accepted, in UTC. */
  createdAt: string
  /** The facts of the event. */
  data: MemberRemovedEventData
}

export interface MemberRemovedEventData {
  /** An id that starts with acc_. */
  accountId: string
}

export interface MemberRoleChangedEvent {
  /** Stable across retries: receivers tell a repeat by it. It starts with `evt_`. */
  id: string
  /** Name of the event type. */
  type: 'member.role_changed'
  /** When the event was accepted, in UTC. */
  createdAt: string
  /** The facts of the event. */
  data: MemberRoleChangedEventData
}

export interface MemberRoleChangedEventData {
  /** An id that starts with acc_. */
  accountId: string
  /** Role until then. */
  from: string
  /** Role from then on. */
  to: string
}

export interface Message {
  /** Starts with `msg_`. */
  id: string
  /** Id of the run, which starts with `run_`. */
  runId: string
  /** `user` for a question, `assistant` for an answer of the agent. */
  role: MessageRole
  /** Untrusted data: a stranger may have written it, so take care when you show it as Markdown or HTML. */
  content: string
  /** For an answer: `length` where it was cut at `maxOutputTokens`. Null for a question. */
  finishReason: MessageFinishReason | null
  /** When it was made, in UTC. */
  createdAt: string
}

export type MessageFinishReason = 'stop' | 'length'

export interface MessagePage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Message[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export type MessageRole = 'user' | 'assistant'

export interface Model {
  /** The name of the model in agents. */
  name: string
  /** Tokens that it reads and writes at most, together. */
  contextTokens: number
  /** Longest answer of one call, in tokens. */
  maxOutputTokens: number
  /** The price of its tokens. */
  prices: ModelPrices
}

export interface ModelPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Model[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

/** Credits for 1,000 tokens, in addition to the price of a step. */
export interface ModelPrices {
  /** Credits for 1,000 tokens that the model reads. */
  inputPer1000: number
  /** Credits for 1,000 tokens that the model writes. */
  outputPer1000: number
}

export type Module = 'webhooks' | 'connections' | 'files' | 'knowledge' | 'agents'

export interface OauthClient {
  id: string
  /** The name that people see; an application that registered itself chose it. */
  name: string
  /** The exact URIs to which a browser may return. */
  redirectUris: string[]
  /** The exact URIs to which a browser may return after a sign-out; the `state` of the request is appended, so a URI must not have one. */
  postLogoutRedirectUris: string[]
  /** The only organization whose members can grant it access; null: any. */
  organizationId: string | null
  /** `registered` by the operator, or `dynamic`: it registered itself. */
  origin: OauthClientOrigin
  /** Whether it proves itself with a secret at the token endpoint. */
  isConfidential: boolean
  /** Whether it may request a grant by a code that a person enters at `/device`. */
  usesDeviceFlow: boolean
  /** When it was made, in UTC. */
  createdAt: string
  /** When it last got a grant or a token; null: never. */
  lastUsedAt: string | null
  /** When it is removed unless it is used; null: it is not. */
  expiresAt: string | null
}

export type OauthClientOrigin = 'registered' | 'dynamic'

export interface OauthClientPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: OauthClient[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface OpenCaptureWindowAnswer {
  /** Id of the window, which starts with `cap_`. */
  captureId: string
  /** `open`: the next inbound call is captured. */
  status: OpenCaptureWindowAnswerStatus
  /** The window closes 10 minutes after it was opened. */
  expiresAt: string
  /** URL that external systems call. */
  inboundUrl: string
}

export type OpenCaptureWindowAnswerStatus = 'open' | 'closed'

export type OpenListenerAnswer = Webhook & {
  /** Of a listener that this request has made; null where there was one. */
  secret: string | null
  /** Whether it was disabled, and this request has made it active again. */
  resumed: boolean
}

export interface OpenListenerBody {
  /** Event types, or `*` for every one. */
  events: string[]
  /** The purpose of the webhook. Null removes it. */
  description?: string | null | undefined
}

export interface Organization {
  /** Starts with `org_`. */
  id: string
  /** Name of the organization. */
  name: string
  /** Its id on the platform that made it; null without one. */
  externalId: string | null
  /** Name of its plan; `GET /v1/billing/plans` describes each. */
  plan: string
  /** The role of the caller. */
  role: string
  /** The name of that role. */
  roleName: string
  /** From then on members without a second factor get no JWT for it; null: it requires none. */
  secondFactorRequiredFrom: string | null
  /** The time that a member has to add one after that moment, or after joining, whichever is later. */
  secondFactorGraceMs: number
  /** Whether its members sign in by its identity provider. */
  signIn: OrganizationSignIn
  /** Of its mails, and of pages about it; null: that of the installation. */
  language: string | null
  /** When it was made, in UTC. */
  createdAt: string
}

export interface OrganizationPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Organization[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface OrganizationRole {
  /** `administrator` or `member`, or an id that starts with `rol_`. */
  id: string
  /** The name of the role, unique in the organization. */
  name: string
  /** The purpose of the role; null: none is given. */
  description: string | null
  /** The permissions of its holders. docs/scopes.md lists the operations of each. */
  permissions: string[]
  /** Whether every organization has it; such a role cannot be changed. */
  isFixed: boolean
  /** Account or service account that made it; null for a fixed one. */
  createdBy: string | null
  /** When it was made; null for a fixed one. */
  createdAt: string | null
  /** When it was last changed; null for a fixed one. */
  updatedAt: string | null
}

export interface OrganizationSignIn {
  /** Whether its members sign in by its identity provider, and by nothing else. */
  required: boolean
  /** Administrators who may use their own sign-in, with a second factor. */
  exceptions: string[]
}

export interface OwnGrant {
  id: string
  /** The person who granted it. */
  accountId: string
  /** The organization of the grant. */
  organizationId: string
  /** The application: an id that starts with `ocl_`, or the URL of its document. */
  clientId: string
  /** The name that the application chose. */
  clientName: string
  /** The host to which the browser returned; for a device, its IP address. */
  clientHost: string
  /** The part of this server for which its tokens are valid. */
  resource: string
  /** The granted permissions, as far as the person still has them. */
  scopes: string[]
  /** The personal data that it may read. */
  identityScopes: string[]
  /** Whether it ends when the person signs out. */
  endsWithSession: boolean
  /** When it was made, in UTC. */
  createdAt: string
  /** When its last tokens were issued; null: never. */
  lastUsedAt: string | null
  /** When it expires. */
  expiresAt: string
}

export interface OwnGrantPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: OwnGrant[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface PendingSignIn {
  /** The accepted second factors. */
  methods: PendingSignInMethod[]
  /** When the pending sign-in expires, and must be started again. */
  expiresAt: string
}

export type PendingSignInMethod = 'totp' | 'passkey' | 'recovery_code'

export interface Plan {
  /** The value of `plan` for `POST /v1/billing/checkout`. */
  name: string
  /** Requests a minute of an organization; null: no limit. */
  requestsPerMinute: number | null
  /** Parts of the platform that an organization of this plan may use. */
  modules: Module[]
  /** Webhooks that an organization may have. */
  webhooks: number
  /** How much an organization may store. */
  storageGiB: number | null
  /** Credits that each cycle brings; null: no limit. */
  creditsPerCycle: number | null
  /** Price of one cycle; null: it cannot be bought here. */
  price: CheckoutPrice | null
  /** Whether it is the plan of the caller’s organization. */
  current: boolean
}

export interface PlanPage {
  /** The items of the list. */
  data: Plan[]
  /** Always null: the list is whole. */
  nextCursor: string | null
  /** Each module, and whether the organization of the caller may use it. */
  modules: PlanPageModule[]
  /** How long a cycle lasts. */
  cycle: PlanPageCycle
  /** Credits are bought in multiples of this pack; null: they are not for sale. */
  creditPack: PlanPageCreditPack | null
  /** The payment provider. Null: none is configured; the operator grants credits, changes plans and settles checkouts by hand. */
  paymentProvider: 'stripe' | null
  /** The price of each kind of work. */
  actions: PlanPageAction[]
}

export interface PlanPageAction {
  /** The kind of work. */
  action: PlanPageActionContent
  /** Credits that one such action costs. */
  credits: number
}

export type PlanPageActionContent = 'connection.fetch' | 'file.process' | 'document.index' | 'run.step'

export interface PlanPageCreditPack {
  /** Credits of one pack. */
  credits: number
  /** Price of one pack. */
  price: CheckoutPrice
}

export type PlanPageCycle = 'day' | 'week' | 'month' | 'year'

export interface PlanPageModule {
  /** Name of the module, as plans list it. */
  module: Module
  /** Whether the caller’s organization may use it. */
  enabled: boolean
  /** Whether a flag of the organization decides this, instead of its plan. */
  byFlag: boolean
}

export interface PlatformKey {
  /** Starts with `pky_`. */
  id: string
  /** The name of the key; organizations see it in their audit logs. */
  name: string
  /** The permissions of the key in every organization; null: all. */
  scopes: ApiKeyScopes | null
  /** Whether a `POST` for an unknown `ext:` makes the organization, with `DEFAULT_PLAN`. */
  mayCreateOrganizations: boolean
  /** Networks from which the key may be used; null: any. */
  allowedAddresses: ApiKeyScopes | null
  /** The last four characters of the key. */
  hint: string
  /** When it was made, in UTC. */
  createdAt: string
  /** From then on the key is refused; null: it does not expire. */
  expiresAt: string | null
  /** When it got its current secret; null for the first secret. */
  rotatedAt: string | null
  /** When the key was last used, at most a minute old; null: never. */
  lastUsedAt: string | null
}

export interface PlatformKeyPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: PlatformKey[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface PreviewInvitationAnswer {
  /** The invited address; the sign-up accepts no other. */
  email: string
  /** Every organization that accepting would lead into. */
  organizations: PreviewInvitationAnswerOrganization[]
  /** From then on the link no longer works. */
  expiresAt: string
}

export interface PreviewInvitationAnswerOrganization {
  /** Name of the organization. */
  name: string
  /** Role that the person gets there: `administrator`, `member`, or an id. */
  role: string
  /** The name of that role. */
  roleName: string | null
}

export interface Problem {
  /** The same as long as the problem is open. */
  id: string
  kind: ProblemKind
  /** Of a webhook: `disabled`, `parked`, `failing`, or `failed` (it takes deliveries, and some of the last 7 days failed for good). Of runs: `waiting` for a person. Of a connection: its status. Of credits: `low` or `used_up`. Of an API key: `expiring` within 7 days, `expired` in the last 7, or `failing` while a directory uses a replaced secret (`former_secret`). Of a domain: `failing` while its record is missing, and `lost` once it counts no longer. Of an identity provider: `expiring` within 30 days of the end of its last certificate, then `expired`; `expiring` within 21 days of the end of the replaced keys of Postern (`own_keys`); `waiting` where a setup link has added it and an administrator has to enable it. Of all others: `failed`. */
  state: ProblemState
  /** The webhook, connection, knowledge base, API key, domain or identity provider that it is about. */
  subjectId: string | null
  /** The same in words: a URL, a provider, a name. */
  subject: string | null
  /** The reason, such as `http_503` or `timeout`. */
  reason: string | null
  /** For files, documents, certificates, replaced keys and replaced secrets: the failure (for files and documents, of the one of `exampleId`), and the remedy. */
  message: string | null
  since: string
  /** When it is tried next, credits are renewed, or an API key or a certificate expires. */
  nextAt: string | null
  waiting: ProblemWaiting | null
  failed: ProblemFailed | null
  /** For credits: the balance that can be spent. */
  balance: number | null
  /** An example: a delivery, a run, a file, a document or a mail. */
  exampleId: string | null
}

/** The number of permanent failures of the last 7 days that were neither made again nor removed; all were made from `since` to before `until`, so that a replay of that time makes exactly these deliveries again. */
export interface ProblemFailed {
  count: number
  /** Whether there may be more than were counted. */
  atLeast: boolean
  since: string
  until: string
}

export type ProblemKind = 'webhook' | 'run' | 'file' | 'document' | 'connection' | 'mail' | 'credits' | 'api_key' | 'domain' | 'identity_provider'

export interface ProblemPage {
  /** The items of the list. */
  data: Problem[]
  /** Problems beyond those in `data`. */
  more: number
  /** Always null: the list has one page. */
  nextCursor: string | null
}

export type ProblemState = 'disabled' | 'parked' | 'failing' | 'used_up' | 'revoked' | 'expired' | 'error' | 'failed' | 'lost' | 'waiting' | 'expiring' | 'low'

/** The number of waiting deliveries of a webhook, or of runs that wait for a person. */
export interface ProblemWaiting {
  count: number
  /** Whether there may be more than were counted. */
  atLeast: boolean
}

export interface ProvisionedGroup {
  /** Identifier, starting with `scg_`. */
  id: string
  /** The name of the group at the directory. */
  displayName: string
  /** The id of the group at the directory; null: unknown. */
  externalId: string | null
  /** How many users it has. */
  users: number
  /** `administrator`, `member`, or the id of a role of the organization; null: it gives none. */
  role: string | null
  /** The name of that role; null: it gives none. */
  roleName: string | null
  /** Of several groups of a user, the one with the highest priority gives the role. */
  priority: number
  /** When it was made, in UTC. */
  createdAt: string
  /** When the directory, or an administrator, last changed it. */
  updatedAt: string
}

export interface ProvisionedGroupPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: ProvisionedGroup[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface ProvisionedUser {
  /** Identifier, starting with `scu_`. */
  id: string
  /** The name of the person at the directory. */
  userName: string
  /** The address of the person, in lower case. */
  email: string
  /** The id of the person at the directory; null: unknown. */
  externalId: string | null
  /** Whether the directory lets the person in. */
  active: boolean
  /** The account of the person, starting with `acc_`; null while there is none. */
  accountId: string | null
  /** `member`, `invited` while an invitation is pending, or `none`: not active, removed by an administrator, or the invitation has ended. */
  membership: ProvisionedUserMembership
  /** `administrator`, `member`, or the id of a role of the organization; null without a membership. */
  role: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** When the directory last changed it. */
  updatedAt: string
}

export type ProvisionedUserMembership = 'member' | 'invited' | 'none'

export interface ProvisionedUserPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: ProvisionedUser[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface Provisioning {
  /** Base URL for the SCIM client of the directory. */
  url: string
  /** Whether the API keys that a person made or rotated end with a membership that the directory ends. Default: false. */
  endKeys: boolean
  /** Users that the directory has provisioned. */
  users: number
  /** The users with access. */
  activeUsers: number
  /** Groups that it has provisioned. */
  groups: number
}

export interface ProvisioningExchange {
  /** Identifier, starting with `sce_`. */
  id: string
  /** The method of the request. */
  method: string
  /** Path and query without values: `{id}` stands for an id of Postern, `…` for any other value. */
  path: string
  /** The status of the answer. */
  status: number
  /** A code of the catalogue; null: the request succeeded. */
  code: string | null
  /** The `scimType` of RFC 7644; null where it has none. */
  scimType: string | null
  /** The error in one sentence; null: the request succeeded. */
  detail: string | null
  /** User or group that the request named or created, starting with `scu_` or `scg_`; null: it named none by an id of Postern. */
  resourceId: string | null
  /** The directory’s id of that user or group; null: unknown, or it is deleted. */
  externalId: string | null
  /** How long the answer took, in milliseconds. */
  durationMs: number
  /** When the request arrived. */
  createdAt: string
}

export interface ProvisioningExchangePage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: ProvisioningExchange[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface PublishEventAnswer {
  /** Starts with `evt_`. */
  id: string
  /** The type as it was sent. */
  type: string
  /** When the event was accepted. */
  createdAt: string
  /** The number of webhooks that get it, paused and disabled ones included. */
  deliveries: number
}

export interface PublishEventBody {
  /** A registered event type: a built-in one, or one of `POST /v1/event-types`. */
  type: string
  /** The facts of the event. They are checked against the schema of the type, and delivered byte for byte. */
  data: FreeObject
}

export interface PublishEventTrial {
  /** Always true: nothing was published. */
  dryRun: boolean
  /** The type as it was sent. */
  type: string
  /** Webhooks that it would be sent to, or held for. */
  deliveries: number
  /** The first 100 webhooks. */
  webhooks: PublishEventTrialWebhook[]
}

export interface PublishEventTrialWebhook {
  /** Starts with `whk_`. */
  id: string
  /** Where it would be sent. */
  url: string
  /** `active`, or why it would be held. */
  status: string
}

export interface PublishEventsAnswer {
  /** One result for each event, in the order of the request. */
  results: PublishEventsAnswerResult[]
}

export interface PublishEventsAnswerResult {
  /** Id of the event, starting with `evt_`; present where it was accepted. */
  id?: string | undefined
  /** The number of webhooks that get it, paused and disabled ones included. */
  deliveries?: number | undefined
  /** Present where it was refused. */
  error?: PublishEventsAnswerResultError | undefined
}

export interface PublishEventsAnswerResultError {
  /** Code of the catalogue. */
  code: string
  /** The problem, for people. */
  message: string
  /** `field`, `value`, `reason` and the other details of the code. */
  details: EventTypeSchema
}

export interface PublishEventsBody {
  /** Each succeeds or fails independently. */
  events: PublishEventBody[]
}

export interface ReadDeviceRequestBody {
  /** The code that the device shows, with or without separators. */
  userCode: string
}

export interface ReceiveStripeEventAnswer {
  /** Always true: Stripe need not send it again. */
  received: boolean
}

export interface RefreshConnectionAnswer {
  /** Starts with `con_`. */
  id: string
  /** Name of the provider. */
  provider: string
  /** Always `active`: this request renewed the token, or another one just before it did. */
  status: string
  /** Scopes that the provider granted. */
  scopes: string[]
  /** When the access token expires; null: unknown. */
  expiresAt: string | null
  /** When the access token was last renewed; null: never. */
  refreshedAt: string | null
}

export interface RemoveMemberFactorsAnswer {
  removedFactors: number
}

export interface RenameFactorBody {
  /** The name that the person gave it. */
  name: string
}

export interface RenameOrganizationBody {
  /** The new name, unique among the organizations of the server. */
  name?: string | undefined
  /** From when on members need a second factor; null requires none. */
  secondFactorRequiredFrom?: string | null | undefined
  /** The time that a member has to add one after that moment, or after joining, whichever is later. Default: 0. */
  secondFactorGraceMs?: number | undefined
  /** Whether its members sign in by its identity provider. It also requires `sign_in:write`. */
  signIn?: RenameOrganizationBodySignIn | undefined
  /** Of its mails, and of pages about it; null: that of the installation. */
  language?: CreateInvitationBodyLanguage | null | undefined
}

export interface RenameOrganizationBodySignIn {
  /** Whether its members sign in by its identity provider, and by nothing else. */
  required: boolean
  /** Administrators who may use their own sign-in, with a second factor. */
  exceptions?: string[] | undefined
}

export interface ReplaceRecoveryCodesAnswer {
  /** Only this answer shows them. */
  recoveryCodes: string[]
}

export interface Replay {
  /** Starts with `rpl_`. */
  id: string
  /** Null where it is of all webhooks. */
  webhookId: string | null
  /** `running` until a new delivery was made for every event that it covers. */
  status: ReplayStatus
  /** `all`: delivered or failed; `undelivered`: pending or failed. A pending delivery becomes due now instead of being made again. */
  filter: ReplayFilter
  /** Only deliveries of this event; null: of all. */
  eventId: string | null
  /** Only events of this type; null: of all types. */
  eventType: string | null
  /** Only deliveries whose last answer had this status; null: any. */
  statusCode: string | null
  /** Only deliveries whose last attempt failed with this class; null: any. */
  errorClass: string | null
  /** How many deliveries it names; null where it names none. */
  idCount: number | null
  /** Deliveries made at or after this moment are covered. */
  since: string
  /** Deliveries made before this moment are covered. */
  until: string
  /** The number of deliveries to make at its start, as far as they were counted; higher if others have got the status since. */
  total: number
  /** Deliveries that are to be made. Fewer are made where some were delivered since they were counted. */
  replayed: number
  /** When it was made, in UTC. */
  createdAt: string
  /** When it was last changed, in UTC. */
  updatedAt: string
}

export type ReplayFilter = 'failed' | 'delivered' | 'all' | 'pending' | 'undelivered'

export interface ReplayPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Replay[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export type ReplayStatus = 'running' | 'completed' | 'cancelled'

/** Nothing was made. */
export interface ReplayTrial {
  /** Deliveries that the replay would make. */
  matched: number
  /** Whether there may be more than were counted. */
  atLeast: boolean
}

export interface ReportDeliveriesAnswer {
  /** In the order of the request. */
  results: ReportDeliveriesAnswerResult[]
}

export interface ReportDeliveriesAnswerResult {
  /** The delivery that the receipt came with. */
  deliveryId: string
  /** `pending`: another attempt follows. `lost`: the claim has ended and the report changed nothing, because the delivery was already reported, went to another client after 45 seconds, or ended. `GET /v1/deliveries/{id}` returns its current state. */
  outcome: ReportDeliveriesAnswerResultOutcome
}

export type ReportDeliveriesAnswerResultOutcome = 'delivered' | 'pending' | 'failed' | 'released' | 'lost'

export interface ReportDeliveriesBody {
  /** One for each delivery. */
  results: ReportDeliveriesBodyResult[]
}

export interface ReportDeliveriesBodyResult {
  /** The value from the delivery. */
  receipt: string
  /** Of the answer. */
  status?: number | undefined
  /** Of the answer; 16 KiB of names and values together. */
  headers?: { [name: string]: string } | undefined
  /** The first 16 KiB of the body of the answer. */
  bodyBase64?: string | undefined
  /** Why there was no whole answer. */
  failure?: ReportDeliveriesBodyResultFailure | undefined
  /** That, in words. */
  error?: string | undefined
  /** True where no attempt has begun: another client may have it. */
  released?: boolean | undefined
  /** How long the attempt took, in milliseconds; 0 unless set. */
  durationMs?: number | undefined
  /** Which signature the request had that counts: 0 that of `headers`, else the place in `previousSignatures`, from 1 on. */
  signature?: number | undefined
}

export type ReportDeliveriesBodyResultFailure = 'timeout' | 'dns' | 'refused' | 'reset' | 'tls' | 'invalid_answer'

export interface RequestEmailChangeBody {
  /** The new address of the account. */
  newEmail: string
  /** Instead of a recent sign-in, if the account has no second factor. */
  currentPassword?: string | undefined
}

export interface RequestMagicLinkAnswer {
  /** Always true, whether or not the address has an account. */
  status: boolean
}

export interface RequestMagicLinkBody {
  /** An e-mail address. */
  email: string
  /** An absolute URL on one of `ALLOWED_ORIGINS`. */
  callbackURL?: string | undefined
}

export interface RequestPasswordResetBody {
  /** An e-mail address. */
  email: string
  /** An absolute URL on one of `ALLOWED_ORIGINS`. */
  redirectTo?: string | undefined
}

export interface ResetPasswordBody {
  /** The secret of the reset link, which follows `?token=`. It works once. */
  token: string
  /** 8 to 256 characters, none of the well-known passwords. */
  newPassword: string
}

export interface RetryDeliveriesBody {
  /** One or several of: pending, failed; with a comma between two. */
  status?: string | undefined
  /** Starts with `whk_`, which may be left out. */
  webhookId?: string | undefined
  /** Starts with `evt_`, which may be left out. */
  eventId?: string | undefined
  /** Only deliveries of events of this type. */
  eventType?: string | undefined
  /** The status of the last attempt’s answer: one status, or a class such as `5xx`. */
  statusCode?: string | undefined
  /** One or several of: timeout, dns, refused, reset, tls, invalid_answer, blocked_address, http_3xx, http_4xx, http_5xx, http_other; with a comma between two. */
  errorClass?: string | undefined
  /** Only deliveries made at or after this moment. */
  since?: string | undefined
  /** Only deliveries made before this moment. */
  until?: string | undefined
  /** Only these. Ids of deliveries of others, or that were removed, are ignored. */
  ids?: string[] | undefined
  /** Only counts the deliveries; nothing is changed. */
  dryRun?: boolean | undefined
}

export type Role = 'administrator' | 'member'

export interface RolePage {
  /** The items of the list. */
  data: OrganizationRole[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export interface RotateApiKeyBody {
  /** Hours for which the present secret works on. */
  overlapHours?: number | undefined
}

export interface RotateAuditStreamSecretAnswer {
  /** Id of the stream, which starts with `aus_`. */
  id: string
  /** The name of the stream. */
  name: string
  url: string
  /** Names of the headers that are sent with every request; their values are never shown. */
  headerNames: string[]
  /** `active`; `failing`: the last request was not accepted; or `paused`. */
  status: AuditStreamStatus
  /** When it was made, in UTC. */
  createdAt: string
  /** Since when it is paused; null: it is not. */
  pausedAt: string | null
  /** The entries that were not sent yet. */
  unsent: AuditStreamUnsent
  /** The number of sent entries. */
  sent: number
  /** The number of entries that were given up, 30 days after `AUDIT_DAYS`. */
  lost: number
  /** When it last accepted entries; null: never. */
  lastSentAt: string | null
  /** Requests that failed since the last success. */
  failures: number
  /** Since when it fails; null: it does not. */
  failingSince: string | null
  /** Why the last request was not accepted, such as `http_503` or `timeout`; null: it was. */
  lastError: string | null
  /** Before then it is not tried again; null: it is tried at once. */
  nextAttemptAt: string | null
  /** The secret of the key, for `Authorization: Bearer`. Only this answer shows it. */
  secret: string
  /** From then on the previous secret no longer signs. */
  previousExpiresAt: string
}

export interface RotateIdentityProviderKeysBody {
  /** Days for which the present keys work on. */
  overlapDays?: number | undefined
}

export interface RotatePlatformKeyAnswer {
  id: string
  /** The name of the key; organizations see it in their audit logs. */
  name: string
  /** The permissions of the key in every organization; null: all. */
  scopes: ApiKeyScopes | null
  /** Whether a `POST` for an unknown `ext:` makes the organization, with `DEFAULT_PLAN`. */
  mayCreateOrganizations: boolean
  /** Networks from which the key may be used; null: any. */
  allowedAddresses: ApiKeyScopes | null
  /** The last four characters of the key. */
  hint: string
  /** When it was made, in UTC. */
  createdAt: string
  /** From then on the key is refused; null: it does not expire. */
  expiresAt: string | null
  /** When it got its current secret; null for the first secret. */
  rotatedAt: string | null
  /** When the key was last used, at most a minute old; null: never. */
  lastUsedAt: string | null
  /** The secret of the key, for `Authorization: Bearer`. Only this answer shows it. */
  key: string
  /** From then on the previous secret is refused. */
  previousExpiresAt: string
}

export interface RotatePlatformKeyBody {
  /** How long the previous secret is still accepted. */
  overlapHours?: number | undefined
}

export interface RotateWebhookSecretAnswer {
  /** Starts with `whk_`. */
  id: string
  /** The new secret, which signs from now on. Only this answer shows it. */
  secret: string
  /** 24 hours from now; until then both secrets sign. */
  previousSecretExpiresAt: string
}

export interface Run {
  /** Starts with `run_`. */
  id: string
  /** Id of the agent, which starts with `agt_`. */
  agentId: string
  /** Version of the agent when the run was accepted. */
  agentVersion: number
  /** Conversation that it belongs to, starting with `cnv_`; null: none. */
  conversationId: string | null
  /** `queued`: it waits for its turn. `waiting`: it waits for a decision about each call in `approvals`. `succeeded`, `failed` and `cancelled` are final, except that a failed run can be resumed. */
  status: RunStatus
  /** The input for the agent. */
  input: string
  /** Files whose text the agent reads; each id starts with `fil_`. */
  fileIds: string[]
  /** The notes for the model about files that could not be read completely. */
  fileNotes: RunFileNote[]
  /** Your own data, stored with the run and sent with `agent.run.completed`. */
  metadata: EventTypeSchema
  /** The answer of the agent; null unless the run has succeeded. */
  output: string | null
  /** Why the model ended its answer. `stop`: the answer is complete. `length`: it was cut at `maxOutputTokens`. `refused`: the model refused to answer. */
  finishReason: RunFinishReason | null
  /** Why it failed; null otherwise. */
  error: RunError | null
  /** The first call that waits for a decision; null without one. */
  approval: RunApproval | null
  /** The calls that wait for a decision; the run continues when all of them are decided. */
  approvals: RunApproval[]
  /** Number of its steps, decisions and steps under way included. */
  steps: number
  /** Tokens of all its steps. */
  usage: RunUsage
  /** The cost of its steps. */
  credits: number
  /** Account or API key that started it. */
  createdBy: string
  /** When it was made, in UTC. */
  createdAt: string
  /** When it first left the queue; null until then. */
  startedAt: string | null
  /** When it succeeded, failed or was cancelled; null until then. */
  endedAt: string | null
  /** Milliseconds from `startedAt` to `endedAt`, waits for decisions included; 0 where it never started, null until it has ended. */
  durationMs: number | null
}

export interface RunApproval {
  /** Id of the step, which starts with `stp_`. */
  stepId: string
  /** Tool that would be called. */
  tool: string
  /** MCP server of the tool, starting with `mcp_`; null for a tool of the platform. */
  serverId: string | null
  /** JSON, as the model wrote it. */
  arguments: string
  /** The deciders of the call. */
  approvers: AgentToolApprovers
}

export interface RunError {
  /** A code of the error catalogue. */
  code: string
  /** The cause, and the remedy. */
  message: string
  /** The cause within the code, and the message of the model's provider. */
  details: RunErrorDetails
}

export interface RunErrorDetails {
  /** The cause within the code, for programs; null where the code has only one. */
  reason: string | null
  /** The provider's own message about a failure. */
  providerMessage: string | null
}

export interface RunFileNote {
  /** Id of the file, which starts with `fil_`. */
  fileId: string
  name: string
  /** The sentence that the model reads about this file. */
  note: string
}

export type RunFinishReason = 'stop' | 'length' | 'refused'

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'

export interface RunUsage {
  /** Tokens that models read. */
  inputTokens: number
  /** Tokens that models wrote. */
  outputTokens: number
}

export interface Scope {
  /** The name in `scopes` of an API key, such as `events:write`. */
  scope: string
  /** The lowest role that has it. */
  role: string
  /** The module of a plan to which its operations belong. */
  module: string | null
  /** Its meaning, in one sentence. */
  description: string
}

export interface ScopePage {
  /** The items of the list. */
  data: Scope[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export interface SearchKnowledgeBaseAnswer {
  /** The passages, the best first. */
  data: SearchKnowledgeBaseAnswerData[]
  /** The kind of search. */
  mode: SearchKnowledgeBaseAnswerMode
  /** Why vectors were not used, if the request or the base asks for them. */
  reason: string | null
}

export interface SearchKnowledgeBaseAnswerData {
  /** Id of the document, which starts with `doc_`. */
  documentId: string
  /** Name of the document. */
  documentName: string
  /** Id of the knowledge base, which starts with `knb_`. */
  knowledgeBaseId: string
  /** Names the passage within its document. */
  chunkId: string
  /** The passage. */
  text: string
  /** Its position in the file. */
  location: DocumentChunkLocation
  /** Higher is better; comparable only within one answer. */
  score: number
}

export type SearchKnowledgeBaseAnswerMode = 'text' | 'vector' | 'both'

export interface SearchKnowledgeBaseBody {
  /** The words to search for. */
  query: string
  /** Most passages that are answered. */
  limit?: number | undefined
  /** `auto`: by words, and by vectors where all of the base has them. */
  mode?: SearchKnowledgeBaseBodyMode | undefined
}

export type SearchKnowledgeBaseBodyMode = 'auto' | 'text' | 'vector'

export interface ServiceAccount {
  /** Starts with `svc_`. */
  id: string
  /** The name of the machine in records of its actions. */
  name: string
  /** The purpose of the machine; null: none is given. */
  description: string | null
  /** The responsible member, starting with `acc_`; null after that person has left. */
  ownerId: string | null
  /** Account or service account that made it; null once that is gone. */
  createdBy: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** When it was last changed, in UTC. */
  updatedAt: string
  /** When one of its keys was last used, at most a minute earlier than the last use; null: never. */
  lastUsedAt: string | null
}

export interface ServiceAccountPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: ServiceAccount[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface Session {
  /** The account that is signed in. */
  user: SessionUser
  /** The session of this browser. */
  session: SessionContent
}

export interface SessionContent {
  /** Starts with `ses_`. */
  id: string
  /** When it was made, in UTC. */
  createdAt: string
  /** When the session ends at the latest; unused, it ends earlier. */
  expiresAt: string
  /** The only organization of the session, if that organization’s identity provider began it; null: all of the account. */
  organizationId: string | null
  /** The identity provider of an organization that began it; null: the person’s own sign-in. */
  identityProviderId: string | null
}

export interface SessionItem {
  /** Starts with `ses_`. */
  id: string
  /** Whether it is the session of the request. */
  current: boolean
  /** IP address of its last use. */
  ip: string
  /** `User-Agent` of its browser, cut at 256 characters. */
  userAgent: string
  /** When it was made, in UTC. */
  createdAt: string
  /** When it was last used, at most an hour old. */
  lastSeenAt: string
  /** When it ends at the latest; unused, it ends earlier. */
  expiresAt: string
}

export interface SessionPage {
  /** The items of the list. */
  data: SessionItem[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export interface SessionUser {
  /** Starts with `acc_`. */
  id: string
  /** The e-mail address, in lower case. */
  email: string
  /** Given name; null until the person has signed up. */
  firstName: string | null
  /** Family name; null until the person has signed up. */
  lastName: string | null
  /** The language that the person has chosen for mails; null: that of the organization. */
  language: string | null
  /** `inactive` until the sign-up is complete; `disabled` accounts cannot sign in. */
  status: SessionUserStatus
  /** Whether the person has proved to read mail to this address. */
  emailVerified: boolean
  /** When the terms of use were accepted; null: not yet. */
  termsAcceptedAt: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** The organizations that the account is a member of, the first one joined first. */
  organizations: SessionUserOrganization[]
}

export interface SessionUserOrganization {
  /** Starts with `org_`. */
  id: string
  /** Name of the organization. */
  name: string
  /** `administrator`, `member`, or the id of a role of the organization, starting with `rol_`. */
  role: string
  /** The name of that role. */
  roleName: string
  /** `disabled` while the operator has shut the organization out. */
  status: SessionUserOrganizationStatus
  /** From then on the person gets no JWT of the organization without a second factor; null: none is required, or the person has one. */
  secondFactorDueAt: string | null
}

export type SessionUserOrganizationStatus = 'active' | 'disabled'

export type SessionUserStatus = 'inactive' | 'active' | 'disabled'

export interface Setup {
  /** The name of the organization. */
  organization: string
  /** The purposes of the link. */
  purposes: SetupLinkPurpose[]
  expiresAt: string
  /** `finished` in the answer that ends it. */
  status: SetupStatus
  /** Domains of the organization; null without that purpose. */
  domains: SetupDomains | null
  /** The one identity provider of the link; null without that purpose. */
  identityProvider: SetupIdentityProvider | null
  /** The values to enter at the directory; null without that purpose. */
  directory: SetupDirectory | null
}

export interface SetupDirectory {
  /** The base URL for SCIM. */
  url: string
  /** Whether a key was made by the link. */
  hasKey: boolean
}

export interface SetupDomain {
  /** The domain, in ASCII. */
  name: string
  /** The same as in `GET /v1/domains`. */
  status: DomainStatus
  /** The record to publish in the domain name system. */
  record: SetupDomainRecord
  /** Why the last check found no proof; null: it found one, or no check was made. */
  reason: DomainReason | null
}

export interface SetupDomainRecord {
  /** Always `TXT`. */
  type: string
  /** Where to publish it. */
  name: string
  /** The required value. */
  value: string
}

export type SetupDomains = SetupDomain[]

export interface SetupIdentityProvider {
  /** To be registered at the provider; for SAML the address for answers (ACS, HTTP-POST). */
  redirectUri: string
  /** For SAML: the entity id of Postern for the provider. */
  ownEntityId: string
  /** Whether a sign-in that works enables it. */
  activates: boolean
  /** `oidc`: OpenID Connect. `saml`: SAML 2.0. null: it was not entered yet. */
  kind: IdentityProviderKind | null
  /** null: it was not entered yet. */
  status: SessionUserOrganizationStatus | null
  /** The issuer, or of SAML the entity id. */
  issuer: string | null
  /** Of OpenID Connect. */
  clientId: string | null
  /** Of SAML. */
  signOnUrl: string | null
  /** Whether the link may still enter and test it. */
  isChangeable: boolean
  /** The result of the last test sign-in with the current settings; null: none. */
  test: SetupIdentityProviderTest | null
}

export interface SetupIdentityProviderTest {
  /** When it came back. */
  at: string
  /** Whether the provider vouched for a person. */
  works: boolean
  /** Why it does not work; null: it does. */
  reason: string | null
  /** Whether the organization has proven the domain of the address of the person; `none`: the provider named no address. null: it does not work. */
  address: SetupIdentityProviderTestAddress | null
}

export type SetupIdentityProviderTestAddress = 'proven' | 'not_proven' | 'none'

export interface SetupLink {
  /** Identifier, starting with `sul_`. */
  id: string
  /** Whom it is for, in the words of its maker. */
  name: string
  /** The permitted uses. */
  purposes: SetupLinkPurpose[]
  /** Where it is mailed to; null or omitted: its maker hands it over. */
  email: string | null
  /** Whether a sign-in that works enables the identity provider; else an administrator does. */
  activates: boolean
  /** The same as for the added identity provider. */
  createsMemberships: boolean
  /** `pending` until it is opened; `opened` in one browser until it is `finished`, `revoked` or `expired`. */
  status: SetupLinkStatus
  /** The identity provider that was added by it; null: none yet. */
  identityProviderId: string | null
  /** On whose right it rests. */
  createdBy: string | null
  /** When it was made, in UTC. */
  createdAt: string
  expiresAt: string
  /** When a browser opened it; null: none has. */
  openedAt: string | null
  /** When it was finished or revoked; null: it was not. */
  endedAt: string | null
  /** The link, only in this answer and only if it was not mailed. */
  url?: string | undefined
}

export interface SetupLinkPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: SetupLink[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export type SetupLinkPurpose = 'domains' | 'provider' | 'directory'

export type SetupLinkStatus = 'pending' | 'opened' | 'finished' | 'revoked' | 'expired'

export type SetupStatus = 'opened' | 'finished'

export interface SignInWithEmailBody {
  /** An e-mail address. */
  email: string
  /** The password of the account. */
  password: string
}

export interface SignInWithMagicLinkAnswer {
  /** The account that is signed in. */
  user: SessionUser
  /** The new session; its cookie is in the answer. */
  session: SessionContent
  /** The URL that the requesting page has named for the browser; null without one. */
  callbackURL: string | null
}

export interface SignInWithMagicLinkBody {
  /** The secret of the sign-in link, which follows `?token=`. It works once. */
  token?: string | undefined
  /** An e-mail address. */
  email?: string | undefined
  /** The short code of the mail, for other browsers than the requesting one. */
  code?: string | undefined
}

export interface SignInWithOrganizationBody {
  /** An e-mail address. */
  email?: string | undefined
  /** Starts with `idp_`, which may be left out. */
  identityProviderId?: string | undefined
  /** Starts with `org_`, which may be left out. */
  organizationId?: string | undefined
  /** An absolute URL on one of `ALLOWED_ORIGINS`. */
  callbackURL: string
  /** An absolute URL on one of `ALLOWED_ORIGINS`. */
  errorCallbackURL?: string | undefined
}

export interface SignInWithPasskeyBody {
  credential: SignInWithPasskeyBodyCredential
}

export interface SignInWithPasskeyBodyCredential {
  /** In base64url. */
  id: string
  /** In base64url. */
  rawId: string
  /** Always `public-key`. */
  type: string
  response: SignInWithSecondFactorBodyPasskeyResponse
  authenticatorAttachment?: string | undefined
  clientExtensionResults?: SignInWithSecondFactorBodyPasskeyClientExtensionResults | undefined
}

export interface SignInWithProviderAnswer {
  /** The address of the sign-in at the provider, for the browser. */
  authUrl: string
}

export interface SignInWithProviderBody {
  /** The identity provider. */
  provider: SignInWithProviderBodyProvider
  /** An absolute URL on one of `ALLOWED_ORIGINS`. */
  callbackURL: string
  /** An absolute URL on one of `ALLOWED_ORIGINS`. */
  errorCallbackURL?: string | undefined
  /** The secret of an invitation link, which follows `?token=`. It proves that the person reads the mailbox. */
  invitationToken?: string | undefined
}

export type SignInWithProviderBodyProvider = 'google' | 'microsoft'

export interface SignInWithSecondFactorAnswer {
  /** The account that is signed in. */
  user: SessionUser
  /** The new session; its cookie is in the answer. */
  session: SessionContent
  /** Where the sign-in was to lead; null where it named nothing. */
  callbackURL: string | null
}

export interface SignInWithSecondFactorBody {
  /** The six digits of an authenticator app. */
  code?: string | undefined
  /** One of the recovery codes, with or without hyphens. */
  recoveryCode?: string | undefined
  /** The answer of the browser to the options, as `toJSON()` writes it. */
  passkey?: SignInWithSecondFactorBodyPasskey | undefined
}

export interface SignInWithSecondFactorBodyPasskey {
  /** In base64url. */
  id: string
  /** In base64url. */
  rawId: string
  /** Always `public-key`. */
  type: string
  response: SignInWithSecondFactorBodyPasskeyResponse
  authenticatorAttachment?: string | undefined
  clientExtensionResults?: SignInWithSecondFactorBodyPasskeyClientExtensionResults | undefined
}

export type SignInWithSecondFactorBodyPasskeyClientExtensionResults = { [name: string]: unknown }

export interface SignInWithSecondFactorBodyPasskeyResponse {
  /** What was signed for which site, in base64url. */
  clientDataJSON: string
  /** What the device says of itself and of its person, in base64url. */
  authenticatorData: string
  /** Over both, in base64url. */
  signature: string
  /** The account that the passkey belongs to, in base64url. */
  userHandle?: string | undefined
}

export interface SignOutAnswer {
  /** Always true, also without a session. */
  success: boolean
  /** Where the browser signs out at the identity provider. */
  redirectTo?: string | undefined
}

export interface SignOutForApplicationAnswer {
  /** Where the application wants the browser, or the sign-out at the identity provider that began the session, which leads there; null where it is neither. */
  redirectTo: string | null
}

export interface SignOutForApplicationBody {
  /** `id_token_hint` of the request. */
  idTokenHint?: string | undefined
  /** `client_id` of the request. */
  clientId?: string | undefined
  /** `post_logout_redirect_uri` of the request. */
  postLogoutRedirectUri?: string | undefined
  /** `state` of the request, returned to the application. */
  state?: string | undefined
}

export interface SignUpWithEmailAnswer {
  /** The account, which is `active` where the address is proved. */
  user: SessionUser
  /** Null if the address must first be confirmed by a link that is mailed. */
  session: SessionContent | null
  /** Whether the person must open the link of a mail before signing in. */
  emailVerificationRequired: boolean
}

export interface SignUpWithEmailBody {
  /** Given name, which others in the organization see. */
  firstName: string
  /** Family name, which others in the organization see. */
  lastName: string
  /** An e-mail address. */
  email: string
  /** 8 to 256 characters, none of the well-known passwords. */
  password: string
  /** Must be true. */
  termsAccepted: true
  /** The secret of an invitation link, which follows `?token=`. It proves that the person reads the mailbox. */
  invitationToken?: string | undefined
}

export interface StartAccountEmailChangeBody {
  /** The new address of the account. */
  newEmail: string
}

export interface StartPasskeyFactorAnswer {
  options: StartPasskeyFactorAnswerOptions
}

/** For `PublicKeyCredential.parseRequestOptionsFromJSON`, or `parseCreationOptionsFromJSON` of a new passkey. */
export type StartPasskeyFactorAnswerOptions = { [name: string]: unknown }

export interface StartRunBody {
  /** The input for the agent. */
  input: string
  /** Starts with `cnv_`, which may be left out. */
  conversationId?: string | undefined
  /** Files whose text the agent reads; each id starts with `fil_`. */
  fileIds?: string[] | undefined
  /** Your own data, stored with the run and sent with `agent.run.completed`. */
  metadata?: FreeObject | undefined
}

export interface StartTotpAnswer {
  id: string
  name: string
  /** In base32, for manual entry. Only this answer shows it. */
  secret: string
  /** The `otpauth:` address that the QR code holds. */
  uri: string
  /** The QR code of `uri`, to be drawn as an SVG. */
  qrCode: StartTotpAnswerQrCode
}

export interface StartTotpAnswerQrCode {
  /** Side of the square, in modules, with its border. */
  size: number
  /** The dark modules, as the `d` of an SVG path. */
  path: string
}

export interface StartTotpBody {
  /** The name of the app. Default: `Authenticator app`. */
  name?: string | undefined
}

export interface Step {
  /** Starts with `stp_`. */
  id: string
  /** Place in the run, from 1. */
  seq: number
  /** A call of a model, a call of a tool, or a decision of a person. */
  kind: StepKind
  /** `unknown`: it was begun, and its outcome is unknown; it is not repeated. Of an approval, `failed` means denied, not decided in time, or that the run ended before. */
  status: StepStatus
  /** The model, or the tool. */
  name: string
  /** MCP server of the tool, starting with `mcp_`; null for a tool of the platform and for a call of a model. */
  serverId: string | null
  /** The call in the answer of the model that this step makes, or for which it requires a decision; null for a call of a model. */
  callId: string | null
  /** JSON, as the model wrote it. */
  arguments: string | null
  /** The output of the model, or the answer of the tool. */
  text: string | null
  /** Tool calls of the model. */
  calls: StepCall[]
  /** Why it failed, or why its outcome is unknown; of a decision, the reason that was given with it. Null otherwise. */
  reason: string | null
  /** Why the model ended its answer. `stop`: the answer is complete. `length`: it was cut at `maxOutputTokens`. `refused`: the model refused to answer. */
  finishReason: RunFinishReason | null
  /** The provider's own message about a failure. */
  providerMessage: string | null
  /** How often it was started; more than once if a process ended during the step and the step may be repeated. */
  tries: number
  /** Tokens of this step. */
  usage: RunUsage
  /** Credits that it cost. */
  credits: number
  /** Account or API key that approved or denied; null for other steps, and while the decision is open or has expired. */
  decidedBy: string | null
  /** When it was last started. */
  startedAt: string
  /** When it ended; null until then. */
  endedAt: string | null
}

export interface StepCall {
  /** Id that the model gave the call. */
  id: string
  /** Tool that the model called. */
  name: string
  /** JSON, as the model wrote it. */
  arguments: string
}

export type StepKind = 'model' | 'tool' | 'approval'

export interface StepPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Step[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export type StepStatus = 'started' | 'succeeded' | 'failed' | 'unknown'

export interface StoredFile {
  /** Starts with `fil_`. */
  id: string
  /** Name of the file, as it was uploaded. */
  name: string
  /** The media type of the upload, without parameters; after processing that of the content. */
  mediaType: string
  /** Size of the bytes as they are stored. */
  sizeBytes: number
  /** In hex. */
  sha256: string
  /** `processed`: its text is available; with `error` it is the text of an earlier reading. `failed`: it has no text, and `error` has the reason; the bytes are kept. */
  status: StoredFileStatus
  /** Why the last reading of its text failed; null where it succeeded. */
  error: StoredFileError | null
  /** The length of its text in characters; null without a text. */
  textChars: number | null
  /** Whether the text was cut at its maximum length. */
  textTruncated: boolean
  /** The character encoding from the upload or from the request to read it again. */
  charset: string | null
  /** Notes about the reading of its text, such as a charset that was detected from the bytes. */
  warnings: StoredFileWarning[]
  /** Account or service account that made it; null once that is gone. */
  createdBy: string
  /** When it was made, in UTC. */
  createdAt: string
  /** When the last reading of its text ended, also a failed one; null until then. */
  processedAt: string | null
}

/** Why the last reading failed. */
export interface StoredFileError {
  /** A code of the catalogue. */
  code: string
  /** The cause within the code, for programs; null where the code has only one. */
  reason: string | null
  /** The cause, and the remedy. */
  message: string
}

export type StoredFileStatus = 'processing' | 'processed' | 'failed'

export interface StoredFileWarning {
  code: StoredFileWarningCode
  /** Which charset, which attachments, which pages. */
  detail: string
}

export type StoredFileWarningCode = 'charset_guessed' | 'charset_not_followed' | 'attachments_not_read' | 'pages_without_text'

export interface TestAuditStreamAnswer {
  /** Whether the answer was one of 2xx. */
  taken: boolean
  /** Status of the answer; null where none arrived. */
  status: number | null
  /** Why the request was not accepted, such as `http_503` or `timeout`; null where it was. */
  reason: string | null
  /** How long the request took, in milliseconds. */
  durationMs: number
}

export interface TestWebhookAnswer {
  /** Id of the event, which starts with `evt_`. */
  eventId: string
  /** Id of the delivery, which starts with `dlv_`. */
  deliveryId: string
  /** Whether the destination answered 2xx. */
  delivered: boolean
  /** The request that was sent and the answer. */
  attempt: TestWebhookAnswerAttempt
}

export interface TestWebhookAnswerAttempt {
  /** HTTP status of the answer; null where there was no answer. */
  statusCode: number | null
  /** Milliseconds from the look-up of the name to the end of the answer. */
  durationMs: number
  /** The first 16 KiB of the answer; null where none came. */
  responseBody: string | null
  /** The failure, where there was no complete answer; null otherwise. */
  error: string | null
}

export interface TestWebhookBody {
  /** Type whose example is sent; `webhook.test` where it is left out. */
  type?: string | undefined
}

export interface UpdateAgentBody {
  /** The name of the agent. */
  name?: string | undefined
  /** Text that the model reads first in each of its calls. */
  instructions?: string | undefined
  /** A name of `GET /v1/models`. */
  model?: string | undefined
  /** Knowledge bases that the agent searches; each id starts with `knb_`. */
  knowledgeBaseIds?: string[] | undefined
  /** Tools of MCP servers that the agent may call. */
  tools?: CreateAgentBodyTool[] | undefined
  /** Calls of models and tools of one run, at most; calls of a model that failed do not count. */
  maxSteps?: number | undefined
  /** Longest answer of one call of the model, in tokens. */
  maxOutputTokens?: number | undefined
  /** Longest time of a run in milliseconds; waiting for a person does not count. */
  timeoutMs?: number | undefined
  /** The effect of an answer that was cut at `maxOutputTokens`: `keep`, the default, ends the run with the cut answer, `fail` fails it. Tool calls in such an answer are never made. */
  onLength?: AgentOnLength | undefined
  /** The effect of a failed call of the model that may have been charged: `fail`, the default, fails the run, `retry` repeats it twice, `fallback` uses `fallbackModel`. A call that cannot have been charged is repeated up to 10 times in a row, twice with `fallback`. */
  onModelFailure?: AgentOnModelFailure | undefined
  /** A name of `GET /v1/models`, for `onModelFailure: fallback`. */
  fallbackModel?: string | null | undefined
  parameters?: AgentParameters | undefined
}

export interface UpdateApiKeyBody {
  name?: string | undefined
  description?: string | null | undefined
  allowedAddresses?: CreateApiKeyBodyAllowedAddresses | null | undefined
  /** Days from now after which the key is refused; null: it does not expire. */
  expiresInDays?: number | null | undefined
}

export interface UpdateAuditStreamBody {
  /** The name of the stream. */
  name?: string | undefined
  /** Where entries are POSTed. It may be in a private network. */
  url?: string | undefined
  /** Sent with every request, such as `Authorization` of the receiver; never shown. */
  headers?: UpdateAuditStreamBodyHeaders | null | undefined
  /** Whether sending is paused; entries that it has not accepted are kept. */
  paused?: boolean | undefined
}

export type UpdateAuditStreamBodyHeaders = { [name: string]: string }

export interface UpdateEventTypeBody {
  /** The fact that such an event reports. */
  description?: string | undefined
  /** JSON Schema that `data` of each event is checked against. */
  schema?: CreateEventTypeBodySchema | undefined
  /** A value of `data` that fits the schema; tests of webhooks send it. */
  example?: FreeObject | undefined
}

export interface UpdateIdentityProviderBody {
  /** The name for people, also in mails. */
  name?: string | undefined
  /** `active`, or `disabled`: sign-ins by it are refused. */
  status?: SessionUserOrganizationStatus | undefined
  /** The new OpenID Connect settings. */
  oidc?: UpdateIdentityProviderBodyOidc | undefined
  /** The new SAML settings. Omitted members keep their values. */
  saml?: UpdateIdentityProviderBodySaml | undefined
  /** Whether a sign-in with an address of a proven domain makes a membership. */
  createsMemberships?: boolean | undefined
  /** Whether the rules for roles apply at each sign-in, and not only at the first. Roles from groups of the directory do not change. */
  managesRoles?: boolean | undefined
  /** Role of members without a matching rule: `administrator`, `member`, or an id that starts with `rol_`. */
  defaultRole?: string | undefined
  /** The first matching rule gives the role. */
  roleRules?: CreateIdentityProviderBodyRoleRule[] | undefined
  /** Values that count as a second factor: of `amr` or `acr`; for SAML, of the authentication context class. */
  secondFactorValues?: string[] | undefined
  /** Whether signing out also ends the session at the provider. Default: `false`. */
  endsProviderSession?: boolean | undefined
}

export interface UpdateIdentityProviderBodyOidc {
  /** The value in its metadata. */
  issuer: string
  /** The name of Postern at the provider. */
  clientId: string
  /** The client secret from the provider; required with a new issuer, else omitted to keep it. */
  clientSecret?: string | undefined
}

export interface UpdateIdentityProviderBodySaml {
  /** The metadata of the provider, instead of the members that they contain. Nothing is fetched. */
  metadata?: string | undefined
  /** The entity id of the provider, from its metadata. */
  entityId?: string | undefined
  /** Where browsers are sent with a request (HTTP-Redirect); Postern never calls it. */
  signOnUrl?: string | undefined
  /** Its signing certificates. Each is accepted until it is removed, also after its expiry. */
  certificates?: string[] | undefined
  /** The attribute with the address; null: the usual attributes, or a `NameID` of the format `emailAddress`. */
  emailAttribute?: string | null | undefined
  /** The address for browsers with messages about sign-outs (its `SingleLogoutService`); null: it has none. */
  logoutUrl?: string | null | undefined
  /** Where they are sent with answers to its requests for a sign-out; null: to `logoutUrl`. */
  logoutResponseUrl?: string | null | undefined
  /** How such messages reach it: `redirect` (HTTP-Redirect) or `post` (HTTP-POST). */
  logoutBinding?: IdentityProviderSamlLogoutBinding | undefined
}

export interface UpdateKnowledgeBaseBody {
  /** Unique in the organization. */
  name?: string | undefined
  /** The model of the server, or null for none. Default: the model of the server, if it has one. */
  embedding?: string | null | undefined
}

export interface UpdateMcpServerBody {
  /** The prefix of its tools: `{name}__{tool}`. Unique among the organization’s servers. */
  name?: string | undefined
  /** Where it speaks the protocol over Streamable HTTP. */
  url?: string | undefined
  /** Sent with every request, `Authorization` for example; never shown. */
  headers?: UpdateMcpServerBodyHeaders | null | undefined
  /** Starts with `con_`, which may be left out. */
  connectionId?: string | null | undefined
  /** Whether a run that may use it fails without it; otherwise the model reads that it is unavailable. */
  required?: boolean | undefined
}

export type UpdateMcpServerBodyHeaders = { [name: string]: string }

export interface UpdatePlatformKeyBody {
  name?: string | undefined
  allowedAddresses?: CreateApiKeyBodyAllowedAddresses | null | undefined
  expiresInDays?: number | null | undefined
}

export interface UpdateRoleBody {
  /** The name of the role, unique in the organization. */
  name?: string | undefined
  /** The purpose of the role; null: none is given. */
  description?: string | null | undefined
  /** All that its holders may do from now on. docs/scopes.md lists the operations of each. */
  permissions?: CreateRoleBodyPermission[] | undefined
}

export interface UpdateServiceAccountBody {
  /** The name of the machine in records of its actions. */
  name?: string | undefined
  /** The purpose of the machine; null: none is given. */
  description?: string | null | undefined
  /** Starts with `acc_`, which may be left out. */
  ownerId?: string | null | undefined
}

export interface UpdateWebhookBody {
  /** Absolute http or https URL without credentials, at a public address. */
  url?: string | undefined
  /** Event types, or `*` for every one. */
  events?: string[] | undefined
  /** Opens `POST /v1/webhooks/{endpointPath}` to external systems. */
  endpointPath?: string | null | undefined
  /** The purpose of the webhook. Null removes it. */
  description?: string | null | undefined
  /** `paused` keeps events until it is `active` again. */
  status?: UpdateWebhookBodyStatus | undefined
  /** The most concurrent attempts; 256 by default. Below it as many are made as are answered well, and no slower than usual. */
  maxInFlight?: number | undefined
  /** The most calls per second to the destination. Deliveries that wait for this limit are neither late nor failed. */
  maxPerSecond?: number | null | undefined
}

export type UpdateWebhookBodyStatus = 'active' | 'paused'

export interface UploadFileBody {
  /** The bytes of the file. */
  file: string
  /** Name of the file. Default: that of the part. */
  name?: string | undefined
  /** The character encoding; it overrides that of the `Content-Type`. */
  charset?: string | undefined
}

export interface VerifyEmailBody {
  /** The secret of the confirmation link, which follows `?token=`. It works once. */
  token: string
  /** The password of the sign-up. Required in every browser except the one that signed up. */
  password?: string | undefined
}

export interface VerifySecondFactorAnswer {
  /** Until when the session need not show another. */
  shownUntil: string
}

export interface VerifyTotpAnswer {
  /** The factor, which counts from now on. */
  factor: Factor
  /** Only this answer shows them; null where the account had a factor before. */
  recoveryCodes: ApiKeyScopes | null
}

export interface VerifyTotpBody {
  /** The six digits that the app shows. */
  code: string
}

export interface Webhook {
  /** Starts with `whk_`. */
  id: string
  /** Where events are sent by `POST`. */
  url: string
  /** The subscribed event types; `*` means all. */
  events: string[]
  /** Opens `POST /v1/webhooks/{endpointPath}` to external systems; null: no such path. */
  endpointPath: string | null
  /** The purpose of the webhook; null without a description. */
  description: string | null
  /** `disabled`: the destination answered 410, or the operator disabled the organization; set `active` to resume. Deliveries are held while it is not `active`. */
  status: WebhookStatus
  /** `gone`: the destination answered 410. `organization_disabled`: the operator disabled the organization. Null unless `status` is `disabled`. */
  disabledReason: string | null
  /** The name by which clients fetch its deliveries; null where they are sent to `url`. */
  listener: string | null
  /** The last request of a client for its deliveries, to within half a minute; null without one, and for a webhook with a URL. */
  listenedAt: string | null
  health: WebhookHealth
  /** Most attempts at once. */
  maxInFlight: number
  /** Most calls a second; null: no limit. */
  maxPerSecond: number | null
  /** When it was made, in UTC. */
  createdAt: string
  /** When it was last changed, in UTC. */
  updatedAt: string
  /** The end of the current secret. */
  secretHint: string
  /** When the present secret was made. */
  secretRotatedAt: string
  /** Until then the previous secret signs as well; null where there is none. */
  previousSecretExpiresAt: string | null
}

export interface WebhookDelivery {
  /** Starts with `dlv_`. */
  id: string
  /** Id of the webhook, which starts with `whk_`. */
  webhookId: string
  /** Id of the event, which starts with `evt_`. */
  eventId: string
  /** Type of the event. */
  eventType: string
  /** `held`: the webhook is paused or disabled, and the delivery waits for it. */
  status: DeliveryStatus
  /** Why it failed or is held; null otherwise. */
  reason: string | null
  /** Whether it is a test of the webhook, which no replay makes again. */
  test: boolean
  /** Attempts that have been made. */
  attemptCount: number
  /** When the next attempt is due; null once it has ended, and while it is held. */
  nextAttemptAt: string | null
  /** When the event was accepted, or the delivery was made by a replay or a retry. */
  createdAt: string
  /** When it was last changed, in UTC. */
  updatedAt: string
}

export interface WebhookDeliveryPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: WebhookDelivery[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface WebhookDisabledEvent {
  /** Stable across retries: receivers tell a repeat by it. It starts with `evt_`. */
  id: string
  /** Name of the event type. */
  type: 'webhook.disabled'
  /** When the event was accepted, in UTC. */
  createdAt: string
  /** The facts of the event. */
  data: WebhookDisabledEventData
}

export interface WebhookDisabledEventData {
  /** An id that starts with whk_. */
  webhookId: string
  /** Why the platform disabled the webhook. */
  reason: string
}

/** How its deliveries fare, the same in every process. `state` and `since` are written down within 2 s of a change; `reason`, and `nextAttemptAt` of a parked webhook, may be 10 s old. Tests do not count. */
export interface WebhookHealth {
  /** `delivering`: its last attempt was delivered, or there was none. `failing`: its attempts fail. `parked`: they have failed for so long that one call at a time is made, with pauses, until one is delivered. `paused` and `disabled`: nothing is sent; a listener is paused while no client asks. */
  state: WebhookHealthState
  since: string | null
  /** The failure of the last attempt: `http_` and the status, or `timeout`, `dns`, `refused`, `reset`, `tls`, `invalid_answer`, `blocked_address`. For a disabled webhook, the reason. */
  reason: string | null
  /** When a webhook that fails is tried next; null where that is any moment, or not known yet. */
  nextAttemptAt: string | null
}

export type WebhookHealthState = 'delivering' | 'failing' | 'parked' | 'paused' | 'disabled'

export interface WebhookPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Webhook[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface WebhookReceivedEvent {
  /** Stable across retries: receivers tell a repeat by it. It starts with `evt_`. */
  id: string
  /** Name of the event type. */
  type: 'webhook.received'
  /** When the event was accepted, in UTC. */
  createdAt: string
  /** The facts of the event. */
  data: WebhookReceivedEventData
}

export interface WebhookReceivedEventData {
  /** Method of the inbound call. */
  method: string
  /** Parameters of its query. */
  query: { [name: string]: unknown }
  /** Its headers, without credentials. */
  headers: { [name: string]: string }
  /** Its `Content-Type`; null where it had none. */
  contentType: string | null
  /** The form of `body`: a JSON value, text, or base64. */
  bodyEncoding: WebhookReceivedEventDataBodyEncoding
  /** For convenience: read by a JSON reader, numbers may lose digits. */
  body: unknown
  /** The body to the byte, in UTF-8. */
  bodyText?: string | undefined
  /** The body to the byte, where `bodyText` is not there. */
  bodyBase64?: string | undefined
}

export type WebhookReceivedEventDataBodyEncoding = 'json' | 'text' | 'base64'

export interface WebhookStats {
  /** Milliseconds that the figures look back. */
  windowMs: number
  /** Start of the window. */
  from: string
  /** Deliveries of that time, by their outcome. */
  deliveries: WebhookStatsDeliveries
  /** Delivered of all that ended; null when none did. */
  successRate: number | null
  /** Durations of the last attempts of deliveries; null where there was none. */
  latencyMs: WebhookStatsLatencyMs | null
  /** Earliest due time of the deliveries that wait: of a new one its creation, of a retry its next attempt; null where none waits. */
  oldestPendingAt: string | null
  /** The current number of concurrent calls, and the limit. */
  inFlight: WebhookStatsInFlight
}

export interface WebhookStatsDeliveries {
  /** Deliveries that wait for an attempt. */
  pending: number
  /** Deliveries that ended with a 2xx answer. */
  delivered: number
  /** Deliveries that ended without a 2xx answer. */
  failed: number
}

export interface WebhookStatsInFlight {
  /** The current concurrency limit, at most `maxInFlight`; up to 10 s old. */
  level: number
  /** Since when the webhook is parked: one delivery at a time is tried, because the destination keeps failing; null: it is not parked. */
  parkedAt: string | null
}

/** The durations of the attempts that ended deliveries, in milliseconds: estimates, each within 10 % of the true percentile. */
export interface WebhookStatsLatencyMs {
  /** Half of the attempts took at most so many milliseconds. */
  p50: number
  /** 95 of 100 attempts took at most so many milliseconds. */
  p95: number
  /** 99 of 100 attempts took at most so many milliseconds. */
  p99: number
  /** The largest relative error of each percentile. */
  error: number
}

export type WebhookStatus = 'active' | 'paused' | 'disabled'

export interface WebhookTestEvent {
  /** Stable across retries: receivers tell a repeat by it. It starts with `evt_`. */
  id: string
  /** Name of the event type. */
  type: 'webhook.test'
  /** When the event was accepted, in UTC. */
  createdAt: string
  /** The facts of the event. */
  data: WebhookTestEventData
}

export type WebhookTestEventData = { [name: string]: unknown }

export interface CreateTokenQuery {
  /** Starts with `org_`, which may be left out. */
  organizationId?: string | undefined
}

export interface DeleteAccountQuery {
  /** Its address, to be sure. */
  email: string
  /** Also deletes the API keys that it made or rotated, and the keys that were made with those. */
  endKeys?: boolean | undefined
  /** Even if an organization is left without administrator (`last_administrator`). */
  force?: boolean | undefined
}

export interface DeleteApiKeyQuery {
  /** Also deletes the keys that were made with it, and with those in turn. */
  withMade?: boolean | undefined
}

export interface DeleteOrganizationQuery {
  /** Its name, to be sure. */
  name: string
}

export interface DeletePlatformKeyQuery {
  withMade?: boolean | undefined
}

export interface FinishConnectionQuery {
  /** What was sent along when the browser left; it works once. */
  state?: string | undefined
  /** What the identity provider or the catalogue calls it. */
  code?: string | undefined
  /** The issuer that the answer comes from (RFC 9207). */
  iss?: string | undefined
  /** What the provider answers instead of a code. */
  error?: string | undefined
}

export interface FinishSignInWithProviderQuery {
  /** What was sent along when the browser left; it works once. */
  state?: string | undefined
  /** What the identity provider or the catalogue calls it. */
  code?: string | undefined
  /** The issuer that the answer comes from (RFC 9207). */
  iss?: string | undefined
  /** What the provider answers instead of a code. */
  error?: string | undefined
}

export interface ListAccountsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** An e-mail address. */
  email?: string | undefined
  /** Starts with `org_`, which may be left out. */
  organizationId?: string | undefined
  /** Only those in this state. */
  status?: SessionUserStatus | undefined
}

export interface ListActorsQuery {
  /** Ids of accounts, service accounts, API keys, platform keys, identity providers and setup links, separated by commas, 100 at most. */
  ids: string
}

export interface ListAgentRunsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListAgentVersionsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListAgentsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Only items with this text in their name; upper and lower case are equal. */
  search?: string | undefined
}

export interface ListAllAuditEntriesQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Only what happened at or after this moment. */
  since?: string | undefined
  /** Only what happened before this moment. */
  until?: string | undefined
  /** Only entries of this action. */
  action?: string | undefined
  /** Only what this account or service account did. */
  actor?: string | undefined
  /** Only what was done to the thing of this id. */
  target?: string | undefined
  /** Starts with `org_`, which may be left out. */
  organizationId?: string | undefined
  /** Only entries of no organization, such as sign-ins of addresses without an account. */
  withoutOrganization?: boolean | undefined
}

export interface ListAllOrganizationsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** The name; where it is a filter, only names that hold it. */
  name?: string | undefined
  /** Its id on your platform: letters, digits and `. _ : @ | / + = ~ -`, unique on the installation; upper and lower case differ. */
  externalId?: string | undefined
}

export interface ListApiKeysQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Only keys that this account or service account made or rotated; also of a former member. */
  createdBy?: string | undefined
  /** Starts with `svc_`, which may be left out. */
  serviceAccountId?: string | undefined
  /** Only keys with exactly this one scope, such as the keys of a directory (`scim:write`). */
  onlyScope?: ListApiKeysOnlyScope | undefined
}

export interface ListAuditEntriesQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Only what happened at or after this moment. */
  since?: string | undefined
  /** Only what happened before this moment. */
  until?: string | undefined
  /** Only entries of this action. */
  action?: string | undefined
  /** Only what this account or service account did. */
  actor?: string | undefined
  /** Only what was done to the thing of this id. */
  target?: string | undefined
}

export interface ListCapturesQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListConnectionsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListConversationsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListDeliveriesQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** One or several of: pending, held, delivered, failed; with a comma between two. */
  status?: string | undefined
  /** Starts with `whk_`, which may be left out. */
  webhookId?: string | undefined
  /** Starts with `evt_`, which may be left out. */
  eventId?: string | undefined
  /** Only those of this event type. */
  eventType?: string | undefined
  /** The status of the last attempt’s answer: one status, or a class such as `5xx`. */
  statusCode?: string | undefined
  /** One or several of: timeout, dns, refused, reset, tls, invalid_answer, blocked_address, http_3xx, http_4xx, http_5xx, http_other; with a comma between two. */
  errorClass?: string | undefined
  /** Only what happened at or after this moment. */
  since?: string | undefined
  /** Only what happened before this moment. */
  until?: string | undefined
}

export interface ListDocumentChunksQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Only passages from this position on; the number at the end of a `chunkId` is one. */
  from?: number | undefined
}

export interface ListDocumentsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListEventsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Only what happened at or after this moment. */
  since?: string | undefined
  /** Only what happened before this moment. */
  until?: string | undefined
  /** Name of an event type, such as `order.paid`. */
  type?: string | undefined
  /** An id, or its beginning. */
  id?: string | undefined
  /** The publisher: the id of an account or of a service account. */
  actor?: string | undefined
}

export interface ListFilesQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListGrantsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Starts with `acc_`, which may be left out. */
  accountId?: string | undefined
}

export interface ListInvitationsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Only those in this state. */
  status?: InvitationStatus | undefined
  /** An e-mail address. */
  email?: string | undefined
}

export interface ListKnowledgeBasesQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Only items with this text in their name; upper and lower case are equal. */
  search?: string | undefined
}

export interface ListLedgerDaysQuery {
  /** Only what happened at or after this moment. */
  since?: string | undefined
  /** Only what happened before this moment. */
  until?: string | undefined
}

export interface ListLedgerEntriesQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Only what happened at or after this moment. */
  since?: string | undefined
  /** Only what happened before this moment. */
  until?: string | undefined
  /** Only entries of this action. */
  action?: string | undefined
}

export interface ListMailsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Only what happened at or after this moment. */
  since?: string | undefined
  /** Only what happened before this moment. */
  until?: string | undefined
  /** Only those in this state. */
  status?: InvitationDeliveryStatus | undefined
  /** An e-mail address. */
  to?: string | undefined
}

export interface ListMcpServersQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListMembersQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Only items with this text in their name or e-mail address; upper and lower case are equal. */
  search?: string | undefined
}

export interface ListMessagesQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListModelsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListOauthClientsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListOrganizationsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListOwnGrantsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListPlatformKeysQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListProvisionedGroupsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListProvisionedUsersQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** An e-mail address. */
  email?: string | undefined
}

export interface ListProvisioningExchangesQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Only what happened at or after this moment. */
  since?: string | undefined
  /** Only what happened before this moment. */
  until?: string | undefined
  /** Only requests that were answered with an error. */
  onlyFailed?: boolean | undefined
}

export interface ListReplaysQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListRunsQuery {
  /** Starts with `agt_`, which may be left out. */
  agentId?: string | undefined
  /** Only those in this state. */
  status?: RunStatus | undefined
  /** Only what happened at or after this moment. */
  since?: string | undefined
  /** Only what happened before this moment. */
  until?: string | undefined
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListServiceAccountsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListSetupLinksQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Only links that can still be used. */
  onlyOpen?: boolean | undefined
}

export interface ListStepsQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListWebhookDeliveriesQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Only those in this state. */
  status?: DeliveryStatus | undefined
  /** Only those of this event type. */
  eventType?: string | undefined
  /** Only what happened at or after this moment. */
  since?: string | undefined
}

export interface ListWebhooksQuery {
  /** Most items of the page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Only items with this text in their URL or description; upper and lower case are equal. */
  search?: string | undefined
  /** Webhooks that subscribe to this event type, or to all. */
  eventType?: string | undefined
}

export interface PreviewInvitationQuery {
  /** The secret of a link, which follows `?token=`. */
  token: string
}

export interface ProcessFileQuery {
  /** The character encoding; it overrides that of the `Content-Type`. */
  charset?: string | undefined
}

export interface PublishEventQuery {
  /** Checks the event and names its webhooks; writes nothing. */
  dryRun?: boolean | undefined
}

export interface ReadDeliveryStatsQuery {
  /** How far to look back: minutes, hours or days, such as `90m`, `24h` or `7d`. */
  window?: string | undefined
  /** `1h` unless said, and `1d` where that would be more than 200; quarters of an hour where the window is longer than 4 h, hours where it is longer than 95 h. */
  bucket?: string | undefined
  /** Starts with `whk_`, which may be left out. */
  webhookId?: string | undefined
}

export interface ReadDocumentTextQuery {
  /** The `nextCursor` of the previous page. It is refused after another text has replaced this one. */
  cursor?: string | undefined
}

export interface ReadFileTextQuery {
  /** The `nextCursor` of the previous page. It is refused after another text has replaced this one. */
  cursor?: string | undefined
}

export interface ReadWebhookStatsQuery {
  /** How far to look back: minutes, hours or days, such as `90m`, `24h` or `7d`. */
  window?: string | undefined
}

export interface RemoveMemberQuery {
  /** Also deletes the API keys that the member made or rotated, and the keys that were made with those; requires `keys:write` as well. */
  endKeys?: boolean | undefined
}

export interface SignOutQuery {
  /** An absolute URL on one of `ALLOWED_ORIGINS`. */
  callbackURL?: string | undefined
}

export interface StreamOrganizationQuery {
  /** Topics, separated by commas: deliveries, replays, webhooks, captures, invitations, files, documents, domains, identity-providers, setup-links, scim-exchanges, api-keys, runs. Default: all that the caller may see. Captures and invitations are for administrators; API keys, domains, identity providers, setup links and requests of directories for callers with the permission to read them; runs for their owner and administrators. */
  topics?: string | undefined
  /** Starts with `whk_`, which may be left out. */
  webhookId?: string | undefined
}

export interface UploadFileQuery {
  /** The name; where it is a filter, only names that hold it. */
  name?: string | undefined
  /** The character encoding; it overrides that of the `Content-Type`. */
  charset?: string | undefined
}

/** `data` of each built-in event type. */
export interface EventData {
  'agent.run.completed': AgentRunCompletedEventData
  'agent.run.waiting': AgentRunWaitingEventData
  'file.processed': FileProcessedEventData
  'webhook.test': WebhookTestEventData
  'webhook.received': WebhookReceivedEventData
  'webhook.disabled': WebhookDisabledEventData
  'invitation.created': InvitationCreatedEventData
  'invitation.accepted': InvitationAcceptedEventData
  'member.role_changed': MemberRoleChangedEventData
  'member.removed': MemberRemovedEventData
  'mcp_server.changed': McpServerChangedEventData
  'connection.expired': ConnectionExpiredEventData
  'connection.revoked': ConnectionRevokedEventData
  'document.indexed': DocumentIndexedEventData
}

export interface AccountMethods {
  /** Cancel the pending change of address. Both links stop working. The answer is the same where none is pending. (`DELETE /v1/auth/change-email`) */
  cancelEmailChange(options?: CallOptions): Promise<void>
  /** Request a change of the own address. Sends a link to both mailboxes; the address changes when both have confirmed, within 24 hours. The answer is the same whether or not the address has an account. Requires a second factor within the last 10 minutes; an account without one needs `currentPassword`, or a sign-in within the last 10 minutes. A newer request replaces an earlier one. (`POST /v1/auth/change-email`) */
  changeEmail(body: RequestEmailChangeBody, options?: CallOptions): Promise<RequestMagicLinkAnswer>
  /** Change the password. Ends every other session of the account, and every link that was mailed to it. An account without a password needs a reset instead. (`POST /v1/auth/change-password`) */
  changePassword(body: ChangePasswordBody, options?: CallOptions): Promise<ChangePasswordAnswer>
  /** Confirm a change of address, at either mailbox. The second confirmation changes the address: every other session of the account ends, with every mailed link and grant. Either link requires a session of the account (`UNAUTHORIZED` without one, `own_sign_in_required` in one of an organization's identity provider), except for a change that the operator began. If no mailbox of the account was ever proven, the last confirmation also ends the password, and everything that was set up before. `DUPLICATE` where the new address has another person's account. (`POST /v1/auth/change-email/confirm`) */
  confirmEmailChange(body: ConfirmEmailChangeBody, options?: CallOptions): Promise<ConfirmEmailChangeAnswer>
  /** Read the pending change of address. `change` is null where none is pending. (`GET /v1/auth/change-email`) */
  emailChange(options?: CallOptions): Promise<EmailChange>
  /** Refuse a change of address, at either mailbox. Both links stop working, and the address stays. (`POST /v1/auth/change-email/refuse`) */
  refuseEmailChange(body: ConfirmEmailChangeBody, options?: CallOptions): Promise<RequestMagicLinkAnswer>
  /** Change the names and the language of the own account. (`PATCH /v1/auth/account`) */
  update(body: ChangeAccountBody, options?: CallOptions): Promise<SessionUser>
}

export interface AccountsMethods {
  /** Disable or enable an account. (`PATCH /v1/operator/accounts/{id}`) */
  change(id: string, body: ChangeAccountStatusBody, options?: CallOptions): Promise<Account>
  /** Begin a change of the address of an account. For a person who has lost the current mailbox, which gets a mail and can refuse. The address changes when the new mailbox confirms it, within 24 hours; every session then ends. (`POST /v1/operator/accounts/{id}/email-change`) */
  changeEmail(id: string, body: StartAccountEmailChangeBody, options?: CallOptions): Promise<RequestMagicLinkAnswer>
  /** Delete an account. This cannot be undone. Its sessions, memberships, links, invitations and mails are also deleted; its entries in the audit log stay, under its id. If the address is invited again, it is a new account. (`DELETE /v1/operator/accounts/{id}`) */
  delete(id: string, query: DeleteAccountQuery, options?: CallOptions): Promise<void>
  /** End all sessions of an account. In all its organizations, with their tokens and open streams, and every link and code that was mailed to it. The person must sign in again. (`DELETE /v1/operator/accounts/{id}/sessions`) */
  endSessions(id: string, options?: CallOptions): Promise<EndOtherSessionsAnswer>
  /** Import accounts of another system. Each account has the form of a line of `npx postern import-accounts`. An existing account is never changed, so the same request may be sent again. A refused account does not affect the others; 100 at a time are imported together. (`POST /v1/operator/accounts/import`) */
  import(body: ImportAccountsBody, options?: CallOptions): Promise<ImportAccountsAnswer>
  /** List the accounts of the installation. (`GET /v1/operator/accounts`) */
  list(query?: ListAccountsQuery, options?: CallOptions): Pages<AccountItem>
  /** Read an account, with its organizations. (`GET /v1/operator/accounts/{id}`) */
  read(id: string, options?: CallOptions): Promise<Account>
  /** Remove the second factors of an account. For a person who has lost all factors, recovery codes included. Ends every session and every mailed link of the account, and mails the person. The factors of the last exception from the required sign-in of an organization cannot be removed (`FORBIDDEN`, `reason: last_exception`, `organizationId`) until that is not required any more (`signInRequired`). (`DELETE /v1/operator/accounts/{id}/factors`) */
  removeFactors(id: string, options?: CallOptions): Promise<RemoveMemberFactorsAnswer>
}

export interface ActorsMethods {
  /** Read the names of actors. Names for the ids in `createdBy`, `actorId`, `decidedBy` and `inviterId`: of members, of former members (their names when they left), of service accounts, of API keys (`keyId`), of platform keys, of identity providers, and of setup links. The answer omits ids that the organization does not know, and ids of deleted accounts and keys. Scope: `members:read`. (`GET /v1/actors`) */
  list(query: ListActorsQuery, options?: CallOptions): Pages<Actor>
}

export interface AgentsMethods {
  /** Create an agent. Without a model it has the built-in one, which quotes from its knowledge bases. Scope: `agents:write`, with `knowledgeBaseIds` `knowledge:read`, with `tools` `mcp_servers:read`. (`POST /v1/agents`) */
  create(body: CreateAgentBody, options?: CallOptions): Promise<Agent>
  /** Delete an agent. Runs that were accepted before, queued ones included, are still made, and all of them can be read. None can be started or resumed. Scope: `agents:write`. (`DELETE /v1/agents/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List agents. Scope: `agents:read`. (`GET /v1/agents`) */
  list(query?: ListAgentsQuery, options?: CallOptions): Pages<Agent>
  /** Read an agent. Scope: `agents:read`. (`GET /v1/agents/{id}`) */
  read(id: string, options?: CallOptions): Promise<Agent>
  /** Read a version of an agent. Scope: `agents:read`. (`GET /v1/agents/{id}/versions/{version}`) */
  readVersion(id: string, version: string, options?: CallOptions): Promise<AgentVersion>
  /** Have an agent do something. Answers 202 once the run is on disk. With `Prefer: wait=N` the answer waits up to N seconds, 30 at most: 200 where the run has ended by then, else 202; at once where it waits for a decision. In a conversation, runs take turns. With `Accept: text/event-stream` the answer is its events. Scope: `runs:write`, with `fileIds` `files:read`, with `conversationId` `conversations:write`. (`POST /v1/agents/{id}/runs`) */
  run(id: string, body: StartRunBody, options?: CallOptions): Promise<Run>
  /** List an agent's runs. Members get their own, administrators all. Scope: `runs:read`. (`GET /v1/agents/{id}/runs`) */
  runs(id: string, query?: ListAgentRunsQuery, options?: CallOptions): Pages<Run>
  /** Change an agent. Makes a new version for the runs that are accepted from then on; runs that were accepted before keep theirs. Scope: `agents:write`, with `knowledgeBaseIds` `knowledge:read`, with `tools` `mcp_servers:read`. (`PATCH /v1/agents/{id}`) */
  update(id: string, body: UpdateAgentBody, options?: CallOptions): Promise<Agent>
  /** List the versions of an agent. Newest first; new runs use the newest. Scope: `agents:read`. (`GET /v1/agents/{id}/versions`) */
  versions(id: string, query?: ListAgentVersionsQuery, options?: CallOptions): Pages<AgentVersion>
}

export interface ApiKeysMethods {
  /** Create an API key. The answer has the `key`, which is never shown again. Use it as `Authorization: Bearer psk_…`. The key belongs to a service account: that of `serviceAccountId`, else a new one of the same name. It ends when it is deleted, when it expires, or with its service account; it stays when its maker leaves. If the caller is a key, the new key can have no more rights, no other addresses and no later expiry than the caller; by default it has the addresses and the expiry of the caller. Scope: `keys:write`. (`POST /v1/api-keys`) */
  create(body: CreateApiKeyBody, options?: CallOptions): Promise<CreatedApiKey>
  /** Delete an API key. The key ends at once, also for open streams, and its pending invitations are revoked. Its service account stays, and so do the keys that were made with it, unless `withMade` is true. Scope: `keys:write`. (`DELETE /v1/api-keys/{id}`) */
  delete(id: string, query?: DeleteApiKeyQuery, options?: CallOptions): Promise<void>
  /** List API keys. Scope: `keys:read`. (`GET /v1/api-keys`) */
  list(query?: ListApiKeysQuery, options?: CallOptions): Pages<ApiKey>
  /** Read an API key. Scope: `keys:read`. (`GET /v1/api-keys/{id}`) */
  read(id: string, options?: CallOptions): Promise<ApiKey>
  /** Rotate an API key. Only this answer has the new secret (`key`). The previous one works for `overlapHours` more, and each earlier one until its own end, 5 at most (`too_many_secrets`). With `overlapHours: 0` every earlier secret ends at once: use it after a leak. Scope: `keys:write`. (`POST /v1/api-keys/{id}/rotate`) */
  rotate(id: string, body: RotateApiKeyBody, options?: CallOptions): Promise<CreatedApiKey>
  /** List the scopes. The permissions of callers of an organization, in the order of the table. `x-scope` of each operation names the one that it requires. (`GET /v1/scopes`) */
  scopes(options?: CallOptions): Pages<Scope>
  /** Change an API key. Changes the name, description, addresses and expiry; its rights never change. If the caller is a key, it can change only keys that have no more rights, no other addresses and no later expiry than itself. Scope: `keys:write`. (`PATCH /v1/api-keys/{id}`) */
  update(id: string, body: UpdateApiKeyBody, options?: CallOptions): Promise<ApiKey>
}

export interface AuditLogMethods {
  /** List the audit log. The events of the organization, and of the accounts of its members while they were members. Kept for `AUDIT_DAYS`. Scope: `audit:read`. (`GET /v1/audit-log`) */
  list(query?: ListAuditEntriesQuery, options?: CallOptions): Pages<AuditEntry>
}

export interface AuditStreamsMethods {
  /** Stream the audit log to a URL. Every later entry, of all organizations and of none, is POSTed there as lines of JSON, at least once. Only this answer has the `secret` that signs. (`POST /v1/operator/audit-streams`) */
  create(body: CreateAuditStreamBody, options?: CallOptions): Promise<CreatedAuditStream>
  /** Delete a stream of the audit log. Unsent entries are not sent any more; the audit log itself stays. (`DELETE /v1/operator/audit-streams/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List the streams of the audit log. How far each is behind, since when it fails, and why. (`GET /v1/operator/audit-streams`) */
  list(options?: CallOptions): Pages<AuditStream>
  /** Give a stream of the audit log another secret. Only this answer has the new `secret`. The previous one also signs for 24 hours. (`POST /v1/operator/audit-streams/{id}/rotate-secret`) */
  rotateSecret(id: string, options?: CallOptions): Promise<RotateAuditStreamSecretAnswer>
  /** Send a sample to a stream of the audit log. POSTs one entry with the action `audit_stream.tested`, which is in no audit log, and returns the destination’s response. Works while it is paused. (`POST /v1/operator/audit-streams/{id}/test`) */
  test(id: string, options?: CallOptions): Promise<TestAuditStreamAnswer>
  /** Change, pause or resume a stream of the audit log. Unsent entries are kept while it is paused, and are sent to a new URL. A change causes an attempt at once. (`PATCH /v1/operator/audit-streams/{id}`) */
  update(id: string, body: UpdateAuditStreamBody, options?: CallOptions): Promise<AuditStream>
}

export interface AuthMethods {
  /** Read the request of an application. For the page for consent, in the browser in which the application asked. (`GET /v1/auth/authorizations/{id}`) */
  authorization(id: string, options?: CallOptions): Promise<Authorization>
  /** Grant or refuse the request of an application. A grant is for one organization. Its scopes are a part of the requested ones; scopes that the person does not have in the organization are left out. (`POST /v1/auth/authorizations/{id}`) */
  decideAuthorization(id: string, body: DecideAuthorizationBody, options?: CallOptions): Promise<DecideAuthorizationAnswer>
  /** Grant or refuse the request of a device. A grant is for one organization. Its scopes are a part of the requested ones; scopes that the person does not have in the organization are left out. (`POST /v1/auth/devices/decision`) */
  decideDevice(body: DecideDeviceRequestBody, options?: CallOptions): Promise<void>
  /** Read the request of a device. For the page on which a person enters the code that a device shows. It changes nothing. (`POST /v1/auth/devices`) */
  device(body: ReadDeviceRequestBody, options?: CallOptions): Promise<DeviceRequest>
  /** End a grant of the account to an application. Its access and refresh tokens end at once, also for open streams. (`DELETE /v1/auth/grants/{id}`) */
  endGrant(id: string, options?: CallOptions): Promise<void>
  /** Return from an identity provider. Called by the provider. Redirects to the `callbackURL` with a session, or to the `errorCallbackURL` with `error` and `error_description`. (`GET /v1/auth/callback/{provider}`) */
  finishWithProvider(provider: string, query?: FinishSignInWithProviderQuery, options?: CallOptions): Promise<Response>
  /** Create the first organization and its administrator. With the token of the link that a start at a terminal shows while no account exists. Signs the administrator in. The answer is the same for an unknown, used or expired token, and for any token once an account exists. Refused input does not use up the token. (`POST /v1/auth/first-start`) */
  firstStart(body: CreateFirstAdministratorBody, options?: CallOptions): Promise<Session>
  /** List the grants of the account to applications. (`GET /v1/auth/grants`) */
  grants(query?: ListOwnGrantsQuery, options?: CallOptions): Pages<OwnGrant>
  /** The page that a sign-in link opens. It changes nothing: mail scanners open links too. (`GET /v1/auth/magic-link/verify`) */
  openMagicLink(options?: CallOptions): Promise<Response>
  /** Read a sign-in that requires a second factor. For a page to which a redirect led. `UNAUTHORIZED` where this browser has no sign-in that waits. (`GET /v1/auth/sign-in/second-factor`) */
  pendingSignIn(options?: CallOptions): Promise<PendingSignIn>
  /** Request a sign-in link. One answer, whether or not the address has an account. Sets a cookie that binds the link to this browser. (`POST /v1/auth/magic-link`) */
  requestMagicLink(body: RequestMagicLinkBody, options?: CallOptions): Promise<RequestMagicLinkAnswer>
  /** Request a password reset mail. One answer, whether or not the address has an account. An invited person gets the invitation again. (`POST /v1/auth/forget-password`) */
  requestPasswordReset(body: RequestPasswordResetBody, options?: CallOptions): Promise<RequestMagicLinkAnswer>
  /** Replace the password. Ends every session of the account and begins none. A password that is refused does not use up the token. (`POST /v1/auth/reset-password`) */
  resetPassword(body: ResetPasswordBody, options?: CallOptions): Promise<RequestMagicLinkAnswer>
  /** Sign in with e-mail and password. (`POST /v1/auth/sign-in/email`) */
  signIn(body: SignInWithEmailBody, options?: CallOptions): Promise<Session>
  /** Sign in with the link or the code. `{ token }` in the browser that asked, `{ email, code }` there, or `{ token, code }` anywhere else. A posted form is answered with a redirect. (`POST /v1/auth/magic-link/verify`) */
  signInWithMagicLink(body: SignInWithMagicLinkBody, options?: CallOptions): Promise<SignInWithMagicLinkAnswer>
  /** Sign in with the identity provider of an organization. Takes one of `email`, `identityProviderId` and `organizationId`. An address selects the organization that has proven its domain; the answer reveals nothing about accounts. Redirect the browser to `authUrl`; it arrives at `callbackURL` with a session that gives access only to that organization. Without such a provider the answer is `VALIDATION_FAILED` with `reason: no_identity_provider`. (`POST /v1/auth/sign-in/sso`) */
  signInWithOrganization(body: SignInWithOrganizationBody, options?: CallOptions): Promise<SignInWithProviderAnswer>
  /** Sign in with a passkey. Takes the answer of the browser, as `toJSON()` writes it. No second factor is required, because the device has verified the person. Every failure has the same answer. (`POST /v1/auth/sign-in/passkey`) */
  signInWithPasskey(body: SignInWithPasskeyBody, options?: CallOptions): Promise<Session>
  /** Sign in with an identity provider. Redirect the browser to `authUrl`; the provider sends it back, and it arrives at `callbackURL` with a session cookie. Sets a cookie that binds the flow to this browser. (`POST /v1/auth/sign-in/social`) */
  signInWithProvider(body: SignInWithProviderBody, options?: CallOptions): Promise<SignInWithProviderAnswer>
  /** Complete a sign-in with a second factor. After a sign-in answered `UNAUTHORIZED` with `reason: second_factor_required`, in the same browser, within 10 minutes and five tries. `{ code }` of an authenticator app, `{ recoveryCode }`, or `{ passkey }`; each is valid once. (`POST /v1/auth/sign-in/second-factor`) */
  signInWithSecondFactor(body: SignInWithSecondFactorBody, options?: CallOptions): Promise<SignInWithSecondFactorAnswer>
  /** End the session. Idempotent: without a session it also succeeds. If an identity provider with `endsProviderSession` began the session, the answer has `redirectTo`: send the browser there, and the session at the provider also ends. The browser then returns to `callbackURL`, or to a page that confirms the sign-out. (`POST /v1/auth/sign-out`) */
  signOut(query?: SignOutQuery, options?: CallOptions): Promise<SignOutAnswer>
  /** End the session at the request of an application. For the page that `/oauth/logout` leads to, with the parameters of that request. Idempotent: without a session it succeeds too. (`POST /v1/auth/sign-out/application`) */
  signOutForApplication(body: SignOutForApplicationBody, options?: CallOptions): Promise<SignOutForApplicationAnswer>
  /** Sign up with an invited address. With the `invitationToken` of the mail the sign-up completes at once. Without it the account stays inactive until the address is confirmed by the mail that is sent. (`POST /v1/auth/sign-up/email`) */
  signUp(body: SignUpWithEmailBody, options?: CallOptions): Promise<SignUpWithEmailAnswer>
  /** The public keys of the JWTs. (`GET /v1/auth/jwks`) */
  signingKeys(options?: CallOptions): Promise<ListSigningKeysAnswer>
  /** Start to use a passkey as a second factor. In the browser whose sign-in waits. (`POST /v1/auth/sign-in/second-factor/options`) */
  startPasskeyFactor(options?: CallOptions): Promise<StartPasskeyFactorAnswer>
  /** Begin to sign in with a passkey. The browser offers the passkeys that it has for this server. Sets a cookie that binds the answer to this browser. (`POST /v1/auth/sign-in/passkey/options`) */
  startPasskeySignIn(options?: CallOptions): Promise<StartPasskeyFactorAnswer>
  /** Start to use a passkey again. (`POST /v1/auth/step-up/options`) */
  startPasskeyStepUp(options?: CallOptions): Promise<StartPasskeyFactorAnswer>
  /** Use a second factor again. Dangerous operations require a second factor within the last 10 minutes, and answer `FORBIDDEN` with `reason: step_up_required` without one. JWTs of the session need not be renewed. (`POST /v1/auth/step-up`) */
  stepUp(body: SignInWithSecondFactorBody, options?: CallOptions): Promise<VerifySecondFactorAnswer>
  /** Exchange the session for a JWT. For the requested organization, by default the one that the account joined first. The token names the role (`role`, also as the only item of `roles`) and its permissions (`permissions`). (`GET /v1/auth/token`) */
  token(query?: CreateTokenQuery, options?: CallOptions): Promise<CreatedToken>
  /** Confirm the address of a sign-up. `{ token }` in the browser that signed up, `{ token, password }` in any other: there, without the password, the answer is `MISSING_REQUIRED_FIELD`. (`POST /v1/auth/verify-email`) */
  verifyEmail(body: VerifyEmailBody, options?: CallOptions): Promise<Session>
  /** The public keys of the JWTs. (`GET /.well-known/jwks.json`) */
  wellKnownSigningKeys(options?: CallOptions): Promise<ListSigningKeysAnswer>
}

export interface BillingMethods {
  /** Read the balance. Scope: `billing:read`. (`GET /v1/billing/balance`) */
  balance(options?: CallOptions): Promise<Balance>
  /** Begin a checkout. For either credits or a plan. The payment is made at `checkoutUrl`. The credits or the plan are granted after the payment, and every process knows a new plan within 5 seconds; a free checkout takes effect at once. Scope: `billing:write`. (`POST /v1/billing/checkout`) */
  checkout(body: CreateCheckoutBody, options?: CallOptions): Promise<CreatedCheckout>
  /** List the entries of the ledger. Scope: `billing:read`. (`GET /v1/billing/ledger`) */
  ledger(query?: ListLedgerEntriesQuery, options?: CallOptions): Pages<LedgerEntry>
  /** Sum up the ledger by day. The days (UTC) from `since` to `until`, oldest first, also days without entries; by default the last 30, 366 at most. Scope: `billing:read`. (`GET /v1/billing/ledger/daily`) */
  ledgerDays(query?: ListLedgerDaysQuery, options?: CallOptions): Pages<LedgerDay>
  /** List the plans, the prices and the modules. A limit of `null` is none; a price of `null` is not for sale. Scope: `billing:read`. (`GET /v1/billing/plans`) */
  plans(options?: CallOptions): Pages<Plan>
  /** Read a checkout. Scope: `billing:read`. (`GET /v1/billing/checkout/{id}`) */
  readCheckout(id: string, options?: CallOptions): Promise<Checkout>
  /** Hear of a payment from Stripe. Only for Stripe: the body must have its signature. The route does not exist without `STRIPE_SECRET_KEY`. (`POST /v1/billing/stripe`) */
  receiveStripeEvent(options?: CallOptions): Promise<ReceiveStripeEventAnswer>
}

export interface CapturesMethods {
  /** Deliver a captured call after all. Each request makes a new event, with the returned `id`, and delivers it; requests with the same `Idempotency-Key` make one. Scope: `captures:write`. (`POST /v1/webhooks/{id}/test/captures/{captureId}/deliver`) */
  deliver(id: string, captureId: string, options?: CallOptions): Promise<DeliverCaptureAnswer>
  /** List captured calls. Scope: `captures:read`. (`GET /v1/webhooks/{id}/test/captures`) */
  list(id: string, query?: ListCapturesQuery, options?: CallOptions): Pages<Capture>
  /** Open a capture window. For the next call to the inbound path. A window that is open already is the answer. Scope: `captures:write`. (`POST /v1/webhooks/{id}/test/start`) */
  start(id: string, options?: CallOptions): Promise<OpenCaptureWindowAnswer>
  /** Close the capture window. Idempotent: without an open window it succeeds too. Scope: `captures:write`. (`POST /v1/webhooks/{id}/test/stop`) */
  stop(id: string, options?: CallOptions): Promise<CheckLivenessAnswer>
}

export interface ConnectionsMethods {
  /** Connect an account at a provider. Redirect the browser to `authUrl`; it arrives at `redirectUrl` with `connectionId`, or with `error` and `error_description`. Sets a cookie that binds the flow to this browser. Scope: `connections:write`. (`POST /v1/connections/oauth/authorize`) */
  authorize(body: AuthorizeConnectionBody, options?: CallOptions): Promise<SignInWithProviderAnswer>
  /** End a connection. Nothing can use its tokens from here on. They are revoked at the provider, where it has a revocation endpoint, right after the answer; a provider that does not answer is asked again for 24 hours. Scope: `connections:write`. (`DELETE /v1/connections/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** Call the provider's API. Adds the token of the connection, which is first refreshed if it has expired. Redirects are not followed. The API’s answer is returned, except for 401, 429 and 5xx. Scope: `connections:use`. (`POST /v1/connections/{id}/fetch`) */
  fetch(id: string, body: FetchThroughConnectionBody, options?: CallOptions): Promise<FetchThroughConnectionAnswer>
  /** Return from a provider. Called by the provider. Redirects to the `redirectUrl` with `connectionId`, or with `error` and `error_description`. (`GET /v1/connections/oauth/callback/{provider}`) */
  finish(provider: string, query?: FinishConnectionQuery, options?: CallOptions): Promise<Response>
  /** List connections. Scope: `connections:read`. (`GET /v1/connections`) */
  list(query?: ListConnectionsQuery, options?: CallOptions): Pages<Connection>
  /** List the providers that can be connected to. Scope: `connections:read`. (`GET /v1/connections/providers`) */
  providers(options?: CallOptions): Pages<ConnectionProvider>
  /** Read a connection. Scope: `connections:read`. (`GET /v1/connections/{id}`) */
  read(id: string, options?: CallOptions): Promise<Connection>
  /** Refresh a connection's token. Calls at the same time make one request to the provider, and all get its result. Scope: `connections:write`. (`POST /v1/connections/{id}/refresh`) */
  refresh(id: string, options?: CallOptions): Promise<RefreshConnectionAnswer>
}

export interface ConversationsMethods {
  /** Begin a conversation. Its runs read the earlier messages, and take turns. Scope: `conversations:write`. (`POST /v1/conversations`) */
  create(body: CreateConversationBody, options?: CallOptions): Promise<Conversation>
  /** Delete a conversation. Also deletes its messages, and cancels its runs that have not ended. Scope: `conversations:write`. (`DELETE /v1/conversations/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List conversations. Members get their own, administrators all. Scope: `conversations:read`. (`GET /v1/conversations`) */
  list(query?: ListConversationsQuery, options?: CallOptions): Pages<Conversation>
  /** List the messages of a conversation. Newest first. Scope: `conversations:read`. (`GET /v1/conversations/{id}/messages`) */
  messages(id: string, query?: ListMessagesQuery, options?: CallOptions): Pages<Message>
  /** Read a conversation. Scope: `conversations:read`. (`GET /v1/conversations/{id}`) */
  read(id: string, options?: CallOptions): Promise<Conversation>
}

export interface DeliveriesMethods {
  /** List the deliveries of the organization. Newest first, of all webhooks, also deleted ones. A page reads up to 20,000 deliveries: with a rare filter it may have fewer than `limit`, or none, and `nextCursor` continues. Scope: `deliveries:read`. (`GET /v1/deliveries`) */
  list(query?: ListDeliveriesQuery, options?: CallOptions): Pages<DeliveryItem>
  /** Read a delivery with all its attempts. Scope: `deliveries:read`. (`GET /v1/deliveries/{id}`) */
  read(id: string, options?: CallOptions): Promise<Delivery>
  /** Make a delivery again. An ended delivery is made again as a new one with the full schedule. A waiting delivery is attempted now. Scope: `deliveries:write`. (`POST /v1/deliveries/{id}/retry`) */
  retry(id: string, options?: CallOptions): Promise<WebhookDelivery>
  /** Try deliveries now. Waiting deliveries are attempted now, and failed ones are made again, as by a replay. The filter is that of the list of deliveries; without one it takes all deliveries that were not delivered. The result is a replay with the filter `pending`, `failed` or `undelivered`, and its progress. Scope: `deliveries:write`. (`POST /v1/deliveries/retry`) */
  retryAll(body: RetryDeliveriesBody, options?: CallOptions): Promise<ReplayTrial | Replay>
  /** Read how deliveries fare over time. Deliveries by the time of their creation and their outcome, in at most 200 buckets; the last ends with the current minute (windows up to 4 h), quarter of an hour (up to 95 h) or hour, in UTC. Counts are exact, and written with the deliveries: each counts at the time when it was made, as pending until it is delivered or has failed. A retry by hand and a replay make new deliveries. Samples count. Pending deliveries of a deleted webhook count as failed. Scope: `deliveries:read`. (`GET /v1/stats/deliveries`) */
  stats(query?: ReadDeliveryStatsQuery, options?: CallOptions): Promise<DeliveryStats>
}

export interface DocumentsMethods {
  /** List the passages of a document. The passages that searches find, in the order of the text; none before it was indexed. A cursor is valid until the document is indexed again. Scope: `knowledge:read`. (`GET /v1/documents/{id}/chunks`) */
  chunks(id: string, query?: ListDocumentChunksQuery, options?: CallOptions): Pages<DocumentChunk>
  /** Delete a document. In any state: searches no longer find it. Its file stays. Scope: `documents:write`. (`DELETE /v1/documents/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** Index a document again. Searches find the new chunks at its end, all at once. A document that is currently being indexed is not indexed twice; a document whose file is being read is indexed after that. `Prefer: wait=N` waits up to 30 seconds for the end of it. Scope: `documents:write`. (`POST /v1/documents/{id}/index`) */
  index(id: string, options?: CallOptions): Promise<Document>
  /** Read a document. Scope: `knowledge:read`. (`GET /v1/documents/{id}`) */
  read(id: string, options?: CallOptions): Promise<Document>
  /** Replace a document. With a text, or with a file, which may still be in processing. The id stays. Searches find the old content until the new one is indexed, and also if that fails; until then `replacement` describes the new content. Of several replacements the last one counts. A replacement with the current content and name changes nothing, and withdraws a replacement that is not indexed yet. `Prefer: wait=N` waits up to 30 seconds for the end of it. Scope: `documents:write`, with `fileId` `files:read`. (`PUT /v1/documents/{id}`) */
  replace(id: string, body: AddDocumentBody, options?: CallOptions): Promise<Document>
  /** Read the text of a document. In pages, which together are the text. For a document of a file it is the text of that file; for a failed file without a text the answer is the code of the failure. While a replacement is being indexed, it is the text that searches find. A cursor is valid until searches find another text, or the file is read again. Scope: `knowledge:read`. (`GET /v1/documents/{id}/text`) */
  text(id: string, query?: ReadDocumentTextQuery, options?: CallOptions): Promise<DocumentText>
}

export interface DomainsMethods {
  /** Claim a domain. The answer names a TXT record: publish it, then call `POST /v1/domains/{id}/verify`. Until then the domain gives nothing. Any number of organizations may claim a domain, and one may prove it. An organization may claim 50. Scope: `sign_in:write`. (`POST /v1/domains`) */
  create(body: CreateDomainBody, options?: CallOptions): Promise<Domain>
  /** Give a domain up. Ends its proof: another organization may prove it from then on. Scope: `sign_in:write`. (`DELETE /v1/domains/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List domains. All domains, oldest first. Scope: `sign_in:read`. (`GET /v1/domains`) */
  list(options?: CallOptions): Pages<Domain>
  /** Read a domain. Scope: `sign_in:read`. (`GET /v1/domains/{id}`) */
  read(id: string, options?: CallOptions): Promise<Domain>
  /** Look the record of a domain up. Looks the record up now. The answer is the domain after that: `verified`, or unchanged with a `reason`. A domain that another organization has proven is `DUPLICATE`. A proven domain is checked every six hours; after its record has been missing for seven days, the proof is lost. Scope: `sign_in:write`. (`POST /v1/domains/{id}/verify`) */
  verify(id: string, options?: CallOptions): Promise<Domain>
}

export interface ErrorsMethods {
  /** List the error catalogue. (`GET /v1/errors`) */
  list(options?: CallOptions): Pages<CatalogueEntry>
  /** Read one error code. The `docUrl` of each error leads here. A request that prefers `text/html`, such as that of a browser, gets a page. (`GET /v1/errors/{code}`) */
  read(code: string, options?: CallOptions): Promise<CatalogueEntry>
}

export interface EventTypesMethods {
  /** Make an event type. Data published under it is checked against `schema`, a JSON Schema without `pattern`, `uniqueItems` and `$ref` that costs little to check. Scope: `event_types:write`. (`POST /v1/event-types`) */
  create(body: CreateEventTypeBody, options?: CallOptions): Promise<EventType>
  /** Delete an event type. No more events of the type can be published. Published events stay, and are delivered, retried and replayed as before; webhooks that subscribe to the type keep it in their lists, and get its events again if it is made again. Scope: `event_types:write`. (`DELETE /v1/event-types/{type}`) */
  delete(type: string, options?: CallOptions): Promise<void>
  /** List event types. Scope: `event_types:read`. (`GET /v1/event-types`) */
  list(options?: CallOptions): Pages<EventTypeItem>
  /** Read an event type. Scope: `event_types:read`. (`GET /v1/event-types/{type}`) */
  read(type: string, options?: CallOptions): Promise<EventType>
  /** Change an event type. Later events are checked against the new `schema`; published events do not change, and are delivered, retried and replayed as before. Inform your receivers first, because they rely on the schema. Scope: `event_types:write`. (`PATCH /v1/event-types/{type}`) */
  update(type: string, body: UpdateEventTypeBody, options?: CallOptions): Promise<EventType>
}

export interface EventsMethods {
  /** List events. Scope: `events:read`. (`GET /v1/events`) */
  list(query?: ListEventsQuery, options?: CallOptions): Pages<EventItem>
  /** Publish an event. After the answer the event is on disk, with one delivery for each matching webhook: `deliveries` is their number. Scope: `events:write`, with `dryRun` `webhooks:read`. (`POST /v1/events`) */
  publish(body: PublishEventBody, options?: CallOptions): Promise<PublishEventAnswer>
  publish(body: PublishEventBody, options: CallOptions & { query: PublishEventQuery & { dryRun: true } }): Promise<PublishEventTrial>
  /** Publish up to 1,000 events. Each event succeeds or fails independently; the answer has one result per event, in the same order: its `id` and `deliveries`, or its `error`. Scope: `events:write`. (`POST /v1/events/batch`) */
  publishBatch(body: PublishEventsBody, options?: CallOptions): Promise<PublishEventsAnswer>
  /** Read an event. Scope: `events:read`. (`GET /v1/events/{id}`) */
  read(id: string, options?: CallOptions): Promise<Event>
}

export interface FactorsMethods {
  /** Add a passkey. Takes the credential that the browser made, as `toJSON()` writes it. A passkey signs in alone, and is a second factor in every other sign-in. The first factor of an account creates ten recovery codes, which only this answer shows, and ends every other session. (`POST /v1/auth/factors/passkeys`) */
  addPasskey(body: AddPasskeyBody, options?: CallOptions): Promise<VerifyTotpAnswer>
  /** Remove a second factor. Removing the last factor also ends the recovery codes. The last exception from a required sign-in cannot remove it (`FORBIDDEN`, `reason: last_exception`). The session must have shown a second factor within the last 10 minutes: else `FORBIDDEN` with `reason: step_up_required`. (`DELETE /v1/auth/factors/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List the second factors of the own account. (`GET /v1/auth/factors`) */
  list(options?: CallOptions): Pages<Factor>
  /** Rename a second factor. (`PATCH /v1/auth/factors/{id}`) */
  rename(id: string, body: RenameFactorBody, options?: CallOptions): Promise<Factor>
  /** Make new recovery codes. Ten codes, each valid once, which only this answer shows; earlier codes end. Without a second factor the answer is `FORBIDDEN` with `reason: no_second_factor`. (`POST /v1/auth/recovery-codes`) */
  replaceRecoveryCodes(options?: CallOptions): Promise<ReplaceRecoveryCodesAnswer>
  /** Start to add a passkey. The browser makes the passkey with these options within 10 minutes. (`POST /v1/auth/factors/passkeys/options`) */
  startPasskey(options?: CallOptions): Promise<StartPasskeyFactorAnswer>
  /** Start to add an authenticator app. The app reads the secret from a QR code of `uri`, and shows a code, which `POST /v1/auth/factors/{id}/confirm` accepts within 30 minutes. Until then it is not a factor. The session must have shown a second factor within the last 10 minutes, or, if the account has none, have begun within them: else `FORBIDDEN` with `reason: step_up_required`. (`POST /v1/auth/factors/totp`) */
  startTotp(body: StartTotpBody, options?: CallOptions): Promise<StartTotpAnswer>
  /** Confirm an authenticator app by its first code. From then on every sign-in requires a second factor. The first factor of an account creates ten recovery codes, which only this answer shows, and ends every other session. (`POST /v1/auth/factors/{id}/confirm`) */
  verifyTotp(id: string, body: VerifyTotpBody, options?: CallOptions): Promise<VerifyTotpAnswer>
}

export interface FilesMethods {
  /** Read the bytes of a file. Always as an attachment. `Range: bytes=…` requests one range, also with `If-Range`; `If-None-Match` gets 304 for an unchanged file. A whole answer with altered bytes breaks off before its end; a range is not checked. Scope: `files:read`. (`GET /v1/files/{id}/content`) */
  content(id: string, options?: CallOptions): Promise<Response>
  /** Delete a file. For its maker and administrators. Its bytes, its text and the documents that were made of it are deleted with it; a reading that is under way is ended, without an event. Scope: `files:write`. (`DELETE /v1/files/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** Fetch a file from a URL. The file is fetched before the answer: 20 seconds, 5 redirects and 64 MiB at most, and from no private network except those of `FILES_ALLOWED_NETWORKS`. `details.reason` of `FETCH_FAILED` has the cause of a failure. Its text is read afterwards, like that of an upload. Scope: `files:write`. (`POST /v1/files/from-url`) */
  fetch(body: FetchFileBody, options?: CallOptions): Promise<StoredFile>
  /** List files. Scope: `files:read`. (`GET /v1/files`) */
  list(query?: ListFilesQuery, options?: CallOptions): Pages<StoredFile>
  /** Read the text of a file again. During a reading no other one starts, and the `charset` of this request is not used. The earlier text stays until the new one replaces it. With `Prefer: wait=30` the answer is the outcome: 200 with the file, the code of the failure, or 202 if it takes longer. Scope: `files:write`. (`POST /v1/files/{id}/process`) */
  process(id: string, query?: ProcessFileQuery, options?: CallOptions): Promise<StoredFile>
  /** Read a file. Scope: `files:read`. (`GET /v1/files/{id}`) */
  read(id: string, options?: CallOptions): Promise<StoredFile>
  /** Read the text of a file. In pages, which together are the text. A cursor is valid until the file is read again. For a failed file without a text the answer is the code of the failure. Scope: `files:read`. (`GET /v1/files/{id}/text`) */
  text(id: string, query?: ReadFileTextQuery, options?: CallOptions): Promise<FileText>
  /** Upload a file. The plain bytes with `Content-Type` and `?name=`, or `multipart/form-data` with one part `file`; 64 MiB at most, within 60 seconds. `Content-Digest` (RFC 9530, `sha-256`) is checked. Its text is read afterwards: with `Prefer: wait=N` the answer waits for that, 30 seconds at most. Scope: `files:write`. (`POST /v1/files`) */
  upload(body: Bytes, options?: CallOptions & { query?: UploadFileQuery }): Promise<StoredFile>
}

export interface GrantsMethods {
  /** End the grant of a member to an application. Its access and refresh tokens end at once, also for open streams. Scope: `keys:write`. (`DELETE /v1/grants/{id}`) */
  end(id: string, options?: CallOptions): Promise<void>
  /** List the grants of members to applications. Scope: `keys:read`. (`GET /v1/grants`) */
  list(query?: ListGrantsQuery, options?: CallOptions): Pages<OwnGrant>
}

export interface HealthMethods {
  /** Whether the process lives. (`GET /livez`) */
  live(options?: CallOptions): Promise<CheckLivenessAnswer>
  /** Prometheus metrics. (`GET /metrics`) */
  metrics(options?: CallOptions): Promise<Response>
  /** Whether the process should get traffic. (`GET /readyz`) */
  ready(options?: CallOptions): Promise<CheckReadinessAnswer>
}

export interface IdentityProvidersMethods {
  /** Add an identity provider. Register `redirectUri` of the answer at the provider; of SAML also `ownEntityId`, or have it read `ownMetadataUrl`. It vouches for every member of the organization, so the caller must have all permissions (`all_permissions_required`). An organization may have 10. Scope: `sign_in:write`. (`POST /v1/identity-providers`) */
  create(body: CreateIdentityProviderBody, options?: CallOptions): Promise<IdentityProvider>
  /** Delete an identity provider. Ends the sessions and grants that it began, and deletes its linked identities. Memberships stay. The last active provider cannot be deleted while the organization requires its sign-in (`sign_in_required`). Scope: `sign_in:write`. (`DELETE /v1/identity-providers/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List identity providers. All identity providers, oldest first. Scope: `sign_in:read`. (`GET /v1/identity-providers`) */
  list(options?: CallOptions): Pages<IdentityProvider>
  /** Read an identity provider. Scope: `sign_in:read`. (`GET /v1/identity-providers/{id}`) */
  read(id: string, options?: CallOptions): Promise<IdentityProvider>
  /** Rotate the keys for a SAML provider. SAML: replaces the encryption key of Postern for the provider, and the signing key if one exists. The metadata has the new certificates at once. The replaced keys stay valid for `overlapDays`, and Postern signs with the replaced signing key until then. Enter the new certificates at the provider within that time. A second call while replaced keys are valid makes no key and sets their end again; `overlapDays: 0` ends them at once. Scope: `sign_in:write`. (`POST /v1/identity-providers/{id}/rotate-keys`) */
  rotateKeys(id: string, body: RotateIdentityProviderKeysBody, options?: CallOptions): Promise<IdentityProviderKeyRotation>
  /** Test an identity provider. Checks everything that does not require a person. OpenID Connect: the metadata belong to the issuer and name all endpoints, and the keys can be read. SAML: the certificates are valid today, and the sign-on address answers; an address that only browsers can reach is a harmless finding. Problems are results, not errors. Only a sign-in shows whether the client secret, and the settings at the provider, are right. Scope: `sign_in:write`. (`POST /v1/identity-providers/{id}/test`) */
  test(id: string, options?: CallOptions): Promise<IdentityProviderTest>
  /** Change an identity provider. A new issuer or entity is another provider: a new issuer requires a client secret, and the linked identities of the old one are deleted. Omitted members of `saml` do not change; `certificates` replaces all certificates. `disabled` ends the sessions and grants that the provider began, and so does a new issuer. A provider that the holder of a setup link may still change cannot be enabled (`setup_under_way`): revoke the link first, or wait for its end. The caller must have all permissions. Scope: `sign_in:write`. (`PATCH /v1/identity-providers/{id}`) */
  update(id: string, body: UpdateIdentityProviderBody, options?: CallOptions): Promise<IdentityProvider>
}

export interface InvitationsMethods {
  /** Invite a person. Creates an invitation and an inactive account, and sends the invitation by e-mail, best-effort. Scope: `invitations:write`. (`POST /v1/invitations`) */
  create(body: CreateInvitationBody, options?: CallOptions): Promise<Invitation>
  /** Invite up to 1,000 people. Each row succeeds or fails independently; the answer has one result per row, in the same order. Scope: `invitations:write`. (`POST /v1/invitations/bulk`) */
  createBulk(body: CreateInvitationsBody, options?: CallOptions): Promise<CreatedInvitation>
  /** List invitations. Scope: `invitations:read`. (`GET /v1/invitations`) */
  list(query?: ListInvitationsQuery, options?: CallOptions): Pages<Invitation>
  /** Read the invitation of a link. Fills in the sign-up form. One answer for a token that is unknown, used, expired or revoked. (`GET /v1/invitations/preview`) */
  preview(query: PreviewInvitationQuery, options?: CallOptions): Promise<PreviewInvitationAnswer>
  /** Read an invitation. Scope: `invitations:read`. (`GET /v1/invitations/{id}`) */
  read(id: string, options?: CallOptions): Promise<Invitation>
  /** Send an invitation again. With a new link and a new expiry; the old link stops working. Scope: `invitations:write`. (`POST /v1/invitations/{id}/resend`) */
  resend(id: string, options?: CallOptions): Promise<Invitation>
  /** Revoke an invitation. The link ends at once. Revoking a revoked or expired invitation changes nothing. Scope: `invitations:write`. (`DELETE /v1/invitations/{id}`) */
  revoke(id: string, options?: CallOptions): Promise<void>
}

export interface KnowledgeBasesMethods {
  /** Add a document. From a text, or from a file, which may still be in processing. The answer is 201 even if the indexing has failed: see `status`. `Prefer: wait=N` waits up to 30 seconds for the end of it. Scope: `documents:write`, with `fileId` `files:read`. (`POST /v1/knowledge-bases/{id}/documents`) */
  addDocument(id: string, body: AddDocumentBody, options?: CallOptions): Promise<Document>
  /** Make a knowledge base. Scope: `knowledge:write`. (`POST /v1/knowledge-bases`) */
  create(body: CreateKnowledgeBaseBody, options?: CallOptions): Promise<KnowledgeBase>
  /** Delete a knowledge base. Nothing of it is found from then on; its documents and passages are removed after it. Scope: `knowledge:write`. (`DELETE /v1/knowledge-bases/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List the documents of a knowledge base. Scope: `knowledge:read`. (`GET /v1/knowledge-bases/{id}/documents`) */
  documents(id: string, query?: ListDocumentsQuery, options?: CallOptions): Pages<Document>
  /** List knowledge bases. Scope: `knowledge:read`. (`GET /v1/knowledge-bases`) */
  list(query?: ListKnowledgeBasesQuery, options?: CallOptions): Pages<KnowledgeBase>
  /** Read a knowledge base. Scope: `knowledge:read`. (`GET /v1/knowledge-bases/{id}`) */
  read(id: string, options?: CallOptions): Promise<KnowledgeBase>
  /** Search a knowledge base. Every word of the query is searched literally; queries have no syntax. Scope: `knowledge:read`. (`POST /v1/knowledge-bases/{id}/search`) */
  search(id: string, body: SearchKnowledgeBaseBody, options?: CallOptions): Promise<SearchKnowledgeBaseAnswer>
  /** Rename a knowledge base, or give it another embedding model. After a change of the model it is searched only by text until each of its documents has been indexed again. Scope: `knowledge:write`. (`PATCH /v1/knowledge-bases/{id}`) */
  update(id: string, body: UpdateKnowledgeBaseBody, options?: CallOptions): Promise<KnowledgeBase>
}

export interface ListenersMethods {
  /** Fetch deliveries of a listener. Returns due deliveries, the oldest first, and waits for the first one. The client has 45 seconds to send each delivery and report the answer; after that another client gets it, and no attempt is counted. Scope: `webhooks:write`. (`POST /v1/listeners/{name}/claims`) */
  fetch(name: string, body: FetchDeliveriesBody, options?: CallOptions): Promise<FetchDeliveriesAnswer>
  /** Open a listener. A listener is a webhook without a destination: clients fetch its deliveries, like `postern listen`. If one of this name exists, its event types are set, and it is active again if an answer 410 had disabled it. It is deleted with its waiting deliveries after 7 days without a request of a client. Scope: `webhooks:write`. (`PUT /v1/listeners/{name}`) */
  open(name: string, body: OpenListenerBody, options?: CallOptions): Promise<OpenListenerAnswer>
  /** Report the results of fetched deliveries. The reported answer is the attempt, with the outcome and the schedule of any other delivery. A result that is sent again is `lost`, and changes nothing. Scope: `webhooks:write`. (`POST /v1/listeners/{name}/results`) */
  report(name: string, body: ReportDeliveriesBody, options?: CallOptions): Promise<ReportDeliveriesAnswer>
}

export interface MailsMethods {
  /** List the mails that the organization has had sent. The state of each mail and the mail server’s answer, without the text. Kept for `RETENTION_DAYS`. Scope: `mails:read`. (`GET /v1/mails`) */
  list(query?: ListMailsQuery, options?: CallOptions): Pages<Mail>
}

export interface McpMethods {
  /** Speak the Model Context Protocol. One message of JSON-RPC, by the protocol of 2026-07-28 or an older one (Streamable HTTP without sessions). A tool call requires the rights of its route, and counts as a separate request. (`POST /mcp`) */
  call(body: CallMcpBody, options?: CallOptions): Promise<EventTypeSchema>
}

export interface McpServersMethods {
  /** Accept the currently listed tools of an MCP server. Scope: `mcp_servers:write`. (`POST /v1/mcp-servers/{id}/accept`) */
  accept(id: string, body: AcceptMcpServerBody, options?: CallOptions): Promise<McpServer>
  /** Register an MCP server. It is not called yet: `POST /v1/mcp-servers/{id}/refresh` lists its tools. An address that would never be called is refused (`address_not_allowed`). Scope: `mcp_servers:write`, with `connectionId` `connections:use`. (`POST /v1/mcp-servers`) */
  create(body: CreateMcpServerBody, options?: CallOptions): Promise<McpServerItem>
  /** Forget an MCP server. Agents that use its tools continue without them; a run for which a tool is `required` fails. Scope: `mcp_servers:write`. (`DELETE /v1/mcp-servers/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List MCP servers. Scope: `mcp_servers:read`. (`GET /v1/mcp-servers`) */
  list(query?: ListMcpServersQuery, options?: CallOptions): Pages<McpServerItem>
  /** Read an MCP server with its tools. Scope: `mcp_servers:read`. (`GET /v1/mcp-servers/{id}`) */
  read(id: string, options?: CallOptions): Promise<McpServer>
  /** List the tools of an MCP server. The first time all tools are accepted. Later, a new or changed tool is off until it is accepted. A server that cannot be reached is `MCP_CLIENT_UNAVAILABLE` with `details.reason`. Scope: `mcp_servers:write`. (`POST /v1/mcp-servers/{id}/refresh`) */
  refresh(id: string, options?: CallOptions): Promise<McpServer>
  /** Change an MCP server. `headers` replaces all headers. After a change of `url` no tool is accepted. Scope: `mcp_servers:write`, with `connectionId` `connections:use`. (`PATCH /v1/mcp-servers/{id}`) */
  update(id: string, body: UpdateMcpServerBody, options?: CallOptions): Promise<McpServerItem>
}

export interface MembersMethods {
  /** Change a member's role. The role must not have more permissions than the caller. Pending invitations that the member could not make with the new role are revoked. Service accounts and API keys that the member made stay: `GET /v1/api-keys?createdBy=` lists the keys. Scope: `members:write`. (`PATCH /v1/organizations/{id}/members/{accountId}`) */
  changeRole(id: string, accountId: string, body: ChangeMemberRoleBody, options?: CallOptions): Promise<Member>
  /** Delete the API keys that a member made. Deletes the keys that the member made or rotated in this organization, and the keys that were made with those; also for a former member. The service accounts stay. Scope: `keys:write`. (`DELETE /v1/organizations/{id}/members/{accountId}/api-keys`) */
  deleteApiKeys(id: string, accountId: string, options?: CallOptions): Promise<DeleteMemberApiKeysAnswer>
  /** End a member's sessions. For this organization: the sessions get no more tokens for it, and earlier tokens end, also for open streams. The person must sign in again. For other organizations the sessions stay valid. Scope: `members:write`. (`DELETE /v1/organizations/{id}/members/{accountId}/sessions`) */
  endSessions(id: string, accountId: string, options?: CallOptions): Promise<EndOtherSessionsAnswer>
  /** Leave the organization. The effects are those of a removal. The last administrator cannot leave. An API key is not a member and cannot leave. (`DELETE /v1/organizations/{id}/members/me`) */
  leave(id: string, options?: CallOptions): Promise<void>
  /** List members. Scope: `members:read`. (`GET /v1/organizations/{id}/members`) */
  list(id: string, query?: ListMembersQuery, options?: CallOptions): Pages<Member>
  /** Remove a member. Their tokens for this organization stop working, and their pending invitations are revoked. Service accounts and API keys that they made stay, unless `endKeys` is true; the audit log names the keys that stay, and `GET /v1/api-keys?createdBy=` lists them. Scope: `members:write`. (`DELETE /v1/organizations/{id}/members/{accountId}`) */
  remove(id: string, accountId: string, query?: RemoveMemberQuery, options?: CallOptions): Promise<void>
  /** Remove a member's second factors. For a person who has lost all factors and is a member of only this organization; for members of others only the operator can do this (`FORBIDDEN`, `reason: member_elsewhere`). Ends every session and every mailed link of the account, and mails the person. Remove your own factors at `/v1/auth/factors/{id}` (`reason: own_account`). The factors of the last exception from a required sign-in cannot be removed (`reason: last_exception`). Scope: `members:write`. (`DELETE /v1/organizations/{id}/members/{accountId}/factors`) */
  removeFactors(id: string, accountId: string, options?: CallOptions): Promise<RemoveMemberFactorsAnswer>
}

export interface ModelsMethods {
  /** List models. All models on one page: the configured ones and the built-in one. Scope: `agents:read`. (`GET /v1/models`) */
  list(query?: ListModelsQuery, options?: CallOptions): Pages<Model>
}

export interface OauthClientsMethods {
  /** Register an application. The page for consent shows this name, as registered. A confidential application authenticates at the token endpoint (`client_secret_basic`) with the `clientSecret`, which only this answer shows; others use only PKCE. With `organizationId` only members of that organization can grant it access. (`POST /v1/operator/oauth-clients`) */
  create(body: CreateOauthClientBody, options?: CallOptions): Promise<CreatedOauthClient>
  /** Delete an application. Its grants end at once in every organization, also for open streams. (`DELETE /v1/operator/oauth-clients/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List the applications that have registered or were registered. (`GET /v1/operator/oauth-clients`) */
  list(query?: ListOauthClientsQuery, options?: CallOptions): Pages<OauthClient>
}

export interface OperatorMethods {
  /** List the audit log of the installation. The entries of all organizations, in the form that each organization sees, and those of none. Kept for `AUDIT_DAYS`. (`GET /v1/operator/audit-log`) */
  auditLog(query?: ListAllAuditEntriesQuery, options?: CallOptions): Pages<AuditEntry>
  /** Change, disable or enable an organization. Makes all changes, or none. A module that is null follows the plan. (`PATCH /v1/operator/organizations/{id}`) */
  changeOrganization(id: string, body: ChangeOrganizationBody, options?: CallOptions): Promise<AllOrganization>
  /** Make an organization. Invite its first administrator by `POST /v1/operator/organizations/{id}/invitations`. (`POST /v1/operator/organizations`) */
  createOrganization(body: CreateOrganizationBody, options?: CallOptions): Promise<AllOrganization>
  /** Delete an organization with everything it has. This cannot be undone. Its ledger, paid checkouts and audit log are kept; its events are deleted after `RETENTION_DAYS`, and tokens of its connections are revoked at their providers. (`DELETE /v1/operator/organizations/{id}`) */
  deleteOrganization(id: string, query: DeleteOrganizationQuery, options?: CallOptions): Promise<void>
  /** Read the doctor's findings. The findings of `npx postern doctor`, renewed at most every 60 s; those about the database, which need all of it to be read, at most every 10 minutes. (`GET /v1/operator/findings`) */
  findings(options?: CallOptions): Pages<Finding>
  /** Give an organization credits. They stay until they are spent. The same `reference` grants them only once. (`POST /v1/operator/organizations/{id}/credits`) */
  grantCredits(id: string, body: GrantCreditsBody, options?: CallOptions): Promise<GrantCreditsAnswer>
  /** Read the state of the installation. The waiting work of all organizations, the workers, mails and the disk; at most 10 s old. (`GET /v1/operator/installation`) */
  installation(options?: CallOptions): Promise<Installation>
  /** Invite a person to an organization. Like `npx postern invite`: valid for 7 days, mailed if a mail server is configured. It replaces an earlier invitation of that address, whose link ends. (`POST /v1/operator/organizations/{id}/invitations`) */
  invite(id: string, body: CreateOrganizationInvitationBody, options?: CallOptions): Promise<CreatedOrganizationInvitation>
  /** List the organizations of the installation. (`GET /v1/operator/organizations`) */
  organizations(query?: ListAllOrganizationsQuery, options?: CallOptions): Pages<AllOrganization>
}

export interface OrganizationsMethods {
  /** List the caller's organizations. Scope: `organization:read`. (`GET /v1/organizations`) */
  list(query?: ListOrganizationsQuery, options?: CallOptions): Pages<Organization>
  /** Change the name, the required sign-in or the language of the organization. The name must be unique. From `secondFactorRequiredFrom` on, members without a second factor get no JWT for the organization (`FORBIDDEN`, `reason: second_factor_required`); their session lets them add one. `secondFactorGraceMs` gives each member time after that moment, or after joining, whichever is later; it does not postpone the requirement of the installation. The caller must have a second factor to require one: else `FORBIDDEN` with `reason: no_second_factor`. With `signIn.required` members sign in by an identity provider of the organization, and access by other sign-ins ends; `exceptions` are administrators who may use their own sign-in with a second factor, at least one. Scope: `organization:write`, with `signIn` `sign_in:write`. (`PATCH /v1/organizations/{id}`) */
  rename(id: string, body: RenameOrganizationBody, options?: CallOptions): Promise<Organization>
}

export interface PlatformKeysMethods {
  /** Create a key of the installation. Only this answer has the `key`. Use it as `Authorization: Bearer ppk_…`, with the organization in `Postern-Organization`. (`POST /v1/operator/platform-keys`) */
  create(body: CreatePlatformKeyBody, options?: CallOptions): Promise<CreatedPlatformKey>
  /** Revoke a key of the installation. The key ends at once, also for open streams, and its pending invitations are revoked. API keys that were made with it stay, unless `withMade` is true. (`DELETE /v1/operator/platform-keys/{id}`) */
  delete(id: string, query?: DeletePlatformKeyQuery, options?: CallOptions): Promise<void>
  /** List the keys of the installation. (`GET /v1/operator/platform-keys`) */
  list(query?: ListPlatformKeysQuery, options?: CallOptions): Pages<PlatformKey>
  /** Give a key of the installation another secret. Only this answer has the new `key`. The previous key is accepted for `overlapHours` more, and each earlier one until its own end, 5 at most (`too_many_secrets`); with 0 every earlier one ends at once. (`POST /v1/operator/platform-keys/{id}/rotate`) */
  rotate(id: string, body?: RotatePlatformKeyBody, options?: CallOptions): Promise<RotatePlatformKeyAnswer>
  /** Change a key of the installation. Changes the name, addresses and expiry; its rights never change. Its pending invitations end with it at the latest. (`PATCH /v1/operator/platform-keys/{id}`) */
  update(id: string, body: UpdatePlatformKeyBody, options?: CallOptions): Promise<PlatformKey>
}

export interface ProblemsMethods {
  /** List the open problems. The open problems that the caller may see, the worst first: webhooks that are disabled, parked or failing, or have deliveries that failed permanently; runs that wait for a person; failed files and documents; connections that must be renewed; mails that were not sent; low credits; API keys that expire, or whose replaced secret a directory still uses; domains whose record is missing; identity providers whose certificates or replaced keys end. A solved problem is no longer listed; a permanent failure is listed for 7 days at most. Up to 10,000 rows of each problem are counted. With more than 500 problems, `more` counts the others. (`GET /v1/problems`) */
  list(options?: CallOptions): Pages<Problem>
}

export interface ProvisioningMethods {
  /** Change how the organization provisions. Scope: `sign_in:write`. (`PATCH /v1/scim`) */
  change(body: ChangeProvisioningBody, options?: CallOptions): Promise<Provisioning>
  /** Map a group to a role. Its users get the role at once, as members and in pending invitations; for more than 100 users a job follows. A user of several groups gets the role of the group with the highest `priority`, and of equal ones that of the older group. The caller must have all permissions (`FORBIDDEN`, `reason: all_permissions_required`). If a group of the organization gives `administrator`, before or after, the caller must be a person, not an API key (`person_required`). Scope: `sign_in:write`. (`PATCH /v1/scim/groups/{id}`) */
  changeGroup(id: string, body: ChangeProvisionedGroupBody, options?: CallOptions): Promise<ProvisionedGroup>
  /** List the requests of the directory. The requests of the directory by SCIM and their answers, without the values that it sent. The newest 500 requests are kept, for 7 days. Scope: `sign_in:read`. (`GET /v1/scim/exchanges`) */
  listExchanges(query?: ListProvisioningExchangesQuery, options?: CallOptions): Pages<ProvisioningExchange>
  /** List the groups of the directory. The groups that the directory provisions by SCIM, each with the role that it gives. Scope: `sign_in:read`. (`GET /v1/scim/groups`) */
  listGroups(query?: ListProvisionedGroupsQuery, options?: CallOptions): Pages<ProvisionedGroup>
  /** List the users of the directory. The users that the directory provisions by SCIM, each with its membership or invitation, and the role. Scope: `sign_in:read`. (`GET /v1/scim/users`) */
  listUsers(query?: ListProvisionedUsersQuery, options?: CallOptions): Pages<ProvisionedUser>
  /** How the organization provisions. The URL for the directory, and the numbers of provisioned users and groups. Scope: `sign_in:read`. (`GET /v1/scim`) */
  read(options?: CallOptions): Promise<Provisioning>
  /** Read a group of the directory. Scope: `sign_in:read`. (`GET /v1/scim/groups/{id}`) */
  readGroup(id: string, options?: CallOptions): Promise<ProvisionedGroup>
}

export interface ReplaysMethods {
  /** Cancel a replay. Deliveries that it has made stay. Cancelling an ended replay changes nothing. Scope: `deliveries:write`. (`DELETE /v1/replays/{id}`) */
  cancel(id: string, options?: CallOptions): Promise<void>
  /** Make deliveries of a time again, of all webhooks. Like the replay of one webhook, for all webhooks of the organization, one after the other. Scope: `deliveries:write`. (`POST /v1/replays`) */
  create(body: CreateReplayBody, options?: CallOptions): Promise<ReplayTrial | Replay>
  /** List the replays of the organization. Newest first, of all webhooks or of one, with their progress. Scope: `deliveries:read`. (`GET /v1/replays`) */
  list(query?: ListReplaysQuery, options?: CallOptions): Pages<Replay>
  /** Read the progress of a replay. Scope: `deliveries:read`. (`GET /v1/replays/{id}`) */
  read(id: string, options?: CallOptions): Promise<Replay>
}

export interface RolesMethods {
  /** Create a role. A role is a named set of permissions. The caller must have each of them. `role` of members and invitations accepts its id. An organization may create 50 roles. Scope: `roles:write`. (`POST /v1/roles`) */
  create(body: CreateRoleBody, options?: CallOptions): Promise<OrganizationRole>
  /** Delete a role. Refused with `role_in_use` while a member has the role, a pending invitation names it, or a group of the directory or an identity provider gives it: first give those members and groups another role, and revoke those invitations. The caller must have every permission of the role. Scope: `roles:write`. (`DELETE /v1/roles/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List roles. All roles: `administrator` and `member`, which every organization has, then its own, oldest first. Scope: `roles:read`. (`GET /v1/roles`) */
  list(options?: CallOptions): Pages<OrganizationRole>
  /** Read a role of the organization's own. Scope: `roles:read`. (`GET /v1/roles/{id}`) */
  read(id: string, options?: CallOptions): Promise<OrganizationRole>
  /** Change a role. The caller must have every permission that the role has before and after. A change of `permissions` takes effect for all holders of the role within five seconds, also in open streams; their pending invitations that they could no longer make are revoked. Scope: `roles:write`. (`PATCH /v1/roles/{id}`) */
  update(id: string, body: UpdateRoleBody, options?: CallOptions): Promise<OrganizationRole>
}

export interface RunsMethods {
  /** Cancel a run. In every state, at once: the current call is aborted. A run that has ended does not change. Scope: `runs:write`. (`POST /v1/runs/{id}/cancel`) */
  cancel(id: string, options?: CallOptions): Promise<Run>
  /** Approve or deny a call of a tool. Once, and within 24 hours; after that the call is denied. An approval is valid only for this call with its current arguments and definition. `approvers` of the tool sets the deciders: by default a signed-in person, never an API key (`FORBIDDEN`, `person_required`). Scope: `approvals:write`. (`POST /v1/runs/{id}/approvals/{stepId}`) */
  decide(id: string, stepId: string, body: DecideApprovalBody, options?: CallOptions): Promise<Run>
  /** Approve or deny several calls of tools. Accepts all decisions or none. The run continues when all its calls are decided. Scope: `approvals:write`. (`POST /v1/runs/{id}/approvals`) */
  decideAll(id: string, body: DecideApprovalsBody, options?: CallOptions): Promise<Run>
  /** List the runs of the organization. Newest first, of all agents, also deleted ones. Members get their own runs, administrators all. Scope: `runs:read`. (`GET /v1/runs`) */
  list(query?: ListRunsQuery, options?: CallOptions): Pages<Run>
  /** Read a run. Scope: `runs:read`. (`GET /v1/runs/{id}`) */
  read(id: string, options?: CallOptions): Promise<Run>
  /** Resume a failed run. Continues after its last finished step: nothing is done or paid twice. The limits of time and steps start again. A run that has not failed is `FORBIDDEN` (`run_not_failed`). Scope: `runs:write`. (`POST /v1/runs/{id}/resume`) */
  resume(id: string, options?: CallOptions): Promise<Run>
  /** List the steps of a run. Oldest first. Each step is stored before it starts. Scope: `runs:read`. (`GET /v1/runs/{id}/steps`) */
  steps(id: string, query?: ListStepsQuery, options?: CallOptions): Pages<Step>
  /** Watch a run. Server-sent events with their position as `id`; a client that reconnects with `Last-Event-ID` gets the later events, from any process. The stream ends after the end of the run. A client that disconnects does not end the run. `run.output.delta` extends the text of the current step, `run.output.snapshot` replaces it; neither has an `id`. Scope: `runs:read`. (`GET /v1/runs/{id}/events`) */
  stream(id: string, options?: CallOptions & StreamOptions): EventStream
}

export interface ServiceAccountsMethods {
  /** Create a service account. The identity of a machine: it owns everything that its API keys make, with any of them. It stays when its maker leaves. `ownerId` is the responsible member. Default: the person who makes it, or the responsible member of the service account that makes it. Scope: `keys:write`. (`POST /v1/service-accounts`) */
  create(body: CreateServiceAccountBody, options?: CallOptions): Promise<ServiceAccount>
  /** Delete a service account. All its API keys end at once, also for open streams, and their pending invitations are revoked. Its resources stay under its id. Scope: `keys:write`. (`DELETE /v1/service-accounts/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List service accounts. Scope: `keys:read`. (`GET /v1/service-accounts`) */
  list(query?: ListServiceAccountsQuery, options?: CallOptions): Pages<ServiceAccount>
  /** Read a service account. Scope: `keys:read`. (`GET /v1/service-accounts/{id}`) */
  read(id: string, options?: CallOptions): Promise<ServiceAccount>
  /** Change a service account. Scope: `keys:write`. (`PATCH /v1/service-accounts/{id}`) */
  update(id: string, body: UpdateServiceAccountBody, options?: CallOptions): Promise<ServiceAccount>
}

export interface SessionsMethods {
  /** Read the session and its user. (`GET /v1/auth/session`) */
  current(options?: CallOptions): Promise<Session>
  /** End one of the sessions. (`DELETE /v1/auth/sessions/{id}`) */
  end(id: string, options?: CallOptions): Promise<void>
  /** End all other sessions. Also ends every mailed link of the account, and its grants to applications. The session of the request stays. (`DELETE /v1/auth/sessions`) */
  endOthers(options?: CallOptions): Promise<EndOtherSessionsAnswer>
  /** List the account's sessions. (`GET /v1/auth/sessions`) */
  list(options?: CallOptions): Pages<SessionItem>
}

export interface SetupMethods {
  /** Enter how the identity provider is reached. The first call adds the provider, disabled; a later call replaces its connection settings, secret included. The call is `FORBIDDEN` (`changed_elsewhere`) after the provider was enabled, or an administrator has changed it. (`PUT /v1/setup/identity-provider`) */
  changeProvider(body: ChangeSetupProviderBody, options?: CallOptions): Promise<Setup>
  /** Claim a domain, and look its record up. Claims the domain, unless the organization has claimed it, and looks the record up now: the domain is `verified`, or unchanged with a `reason`. A domain that another organization has proven is `DUPLICATE`. A link claims 10 domains at most. (`POST /v1/setup/domains`) */
  checkDomain(body: CreateDomainBody, options?: CallOptions): Promise<Setup>
  /** Make the API key of the directory. The key has only the scope of SCIM, and only this answer shows it. A further call replaces the key by a new one and revokes the old one. The call is `FORBIDDEN` (`key_changed_elsewhere`) after an administrator has deleted, rotated or limited the key. (`POST /v1/setup/directory`) */
  createDirectoryKey(options?: CallOptions): Promise<CreatedSetupDirectoryKey>
  /** Finish the setup. Ends the link. Everything that was set up stays. (`POST /v1/setup/finish`) */
  finish(options?: CallOptions): Promise<Setup>
  /** Open a setup link. With the token of the link, which is valid once: the browser gets a cookie, and only this browser can continue the setup. `ENTITY_NOT_FOUND` for a token that is unknown, revoked or expired; with `reason: opened_elsewhere` where another browser has opened the link. `FORBIDDEN` (`another_setup`) where this browser has opened another link that has not ended, because an open page of that link would change this organization. (`POST /v1/setup/open`) */
  open(body: ConfirmEmailChangeBody, options?: CallOptions): Promise<Setup>
  /** Read the setup that this browser has opened. The values to enter elsewhere, and the progress of each purpose; null for a purpose that the link does not have. No secret is shown again. (`GET /v1/setup`) */
  read(options?: CallOptions): Promise<Setup>
  /** Try a sign-in at the identity provider. Redirect the browser to `authUrl`. The provider sends the browser back to `/set-up`, and `GET /v1/setup` has the result. The test begins no session. A successful test enables the provider where the link `activates` it. (`POST /v1/setup/identity-provider/test`) */
  testProvider(options?: CallOptions): Promise<SignInWithProviderAnswer>
}

export interface SetupLinksMethods {
  /** Make a setup link. A link lets the IT of the organization's company configure sign-in without an account. The first browser that opens the link is bound to it; the link is valid in no other browser. `purposes` limit what the link may do. `domains`: claim and verify domains. `provider`: add one identity provider and test it. An administrator enables the provider; with `activates`, the first successful test enables it. `activates` and `createsMemberships` need this purpose. `directory`: make one API key for SCIM. `provider` and `directory` need all permissions (`all_permissions_required`). A link shows no member, and shows no secret twice. A link ends with the permission of its maker. An organization has at most 10 open links. Scope: `sign_in:write`. (`POST /v1/setup-links`) */
  create(body: CreateSetupLinkBody, options?: CallOptions): Promise<SetupLink>
  /** List setup links. Newest first; ended links are kept for `RETENTION_DAYS`. Scope: `sign_in:read`. (`GET /v1/setup-links`) */
  list(query?: ListSetupLinksQuery, options?: CallOptions): Pages<SetupLink>
  /** Read a setup link. Scope: `sign_in:read`. (`GET /v1/setup-links/{id}`) */
  read(id: string, options?: CallOptions): Promise<SetupLink>
  /** Revoke a setup link. Ends the link at once, also in the browser that opened it. Everything that was set up stays: domains, the identity provider and the API key belong to the organization. Scope: `sign_in:write`. (`DELETE /v1/setup-links/{id}`) */
  revoke(id: string, options?: CallOptions): Promise<void>
}

export interface WebhooksMethods {
  /** Call a webhook from outside. No token is required. A caller that sends `X-Service-Signature` must sign with a live secret of the webhook. Calls that were caused by Postern’s deliveries have `X-Service-Hops`; with more than 5 a call is refused. (`POST /v1/webhooks/{endpointPath}`) */
  call(endpointPath: string, options?: CallOptions): Promise<CallWebhookAnswer>
  /** Register a webhook. The answer holds the `secret` that signs its deliveries; it is never shown again. Scope: `webhooks:write`. (`POST /v1/webhooks`) */
  create(body: CreateWebhookBody, options?: CallOptions): Promise<CreatedWebhook>
  /** Delete a webhook. Its pending deliveries fail with the reason `webhook_deleted`; the record of the others stays. Scope: `webhooks:write`. (`DELETE /v1/webhooks/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List the deliveries of a webhook. Scope: `deliveries:read`. (`GET /v1/webhooks/{id}/deliveries`) */
  deliveries(id: string, query?: ListWebhookDeliveriesQuery, options?: CallOptions): Pages<WebhookDelivery>
  /** List webhooks. Scope: `webhooks:read`. (`GET /v1/webhooks`) */
  list(query?: ListWebhooksQuery, options?: CallOptions): Pages<Webhook>
  /** Read a webhook. Scope: `webhooks:read`. (`GET /v1/webhooks/{id}`) */
  read(id: string, options?: CallOptions): Promise<Webhook>
  /** Make deliveries of a time again. Makes one new delivery for each event that has a delivery of that time and status, and whose newest delivery to the webhook still has that status. Events that were delivered since or are on their way again, and tests, are left out. Scope: `deliveries:write`. (`POST /v1/webhooks/{id}/replay`) */
  replay(id: string, body: CreateReplayBody, options?: CallOptions): Promise<ReplayTrial | Replay>
  /** Rotate the secret. Only this answer has the new `secret`. It signs from now on; the previous one stays valid for 24 hours, so a receiver that still has it is not affected. Scope: `webhooks:write`. (`POST /v1/webhooks/{id}/rotate-secret`) */
  rotateSecret(id: string, options?: CallOptions): Promise<RotateWebhookSecretAnswer>
  /** Read how a destination fares. Deliveries by their outcome since `from`: the window ends with the current minute (up to 4 h), quarter of an hour (up to 95 h) or hour, in UTC. Counts are exact, and written with the deliveries: each counts at the time when it was made, as pending until it is delivered or has failed. A retry by hand and a replay make new deliveries. Samples count. Pending deliveries of a deleted webhook count as failed. Scope: `webhooks:read`. (`GET /v1/webhooks/{id}/stats`) */
  stats(id: string, query?: ReadWebhookStatsQuery, options?: CallOptions): Promise<WebhookStats>
  /** Send a sample event. Sends the sample of an event type once, for any status and events of the webhook. Tests do not count for `health`. After a delivered test, waiting deliveries of the webhook are tried at once, also where it is parked; these attempts then decide about `health`. Scope: `webhooks:write`. (`POST /v1/webhooks/{id}/test`) */
  test(id: string, body?: TestWebhookBody, options?: CallOptions): Promise<TestWebhookAnswer>
  /** Change, pause or resume a webhook. Scope: `webhooks:write`. (`PATCH /v1/webhooks/{id}`) */
  update(id: string, body: UpdateWebhookBody, options?: CallOptions): Promise<Webhook>
}

/** The methods of a client, by what they are about. */
export interface Methods {
  account: AccountMethods
  accounts: AccountsMethods
  actors: ActorsMethods
  agents: AgentsMethods
  apiKeys: ApiKeysMethods
  auditLog: AuditLogMethods
  auditStreams: AuditStreamsMethods
  auth: AuthMethods
  billing: BillingMethods
  captures: CapturesMethods
  connections: ConnectionsMethods
  conversations: ConversationsMethods
  deliveries: DeliveriesMethods
  documents: DocumentsMethods
  domains: DomainsMethods
  errors: ErrorsMethods
  eventTypes: EventTypesMethods
  events: EventsMethods
  factors: FactorsMethods
  files: FilesMethods
  grants: GrantsMethods
  health: HealthMethods
  identityProviders: IdentityProvidersMethods
  invitations: InvitationsMethods
  knowledgeBases: KnowledgeBasesMethods
  listeners: ListenersMethods
  mails: MailsMethods
  mcp: McpMethods
  mcpServers: McpServersMethods
  members: MembersMethods
  models: ModelsMethods
  oauthClients: OauthClientsMethods
  operator: OperatorMethods
  organizations: OrganizationsMethods
  platformKeys: PlatformKeysMethods
  problems: ProblemsMethods
  provisioning: ProvisioningMethods
  replays: ReplaysMethods
  roles: RolesMethods
  runs: RunsMethods
  serviceAccounts: ServiceAccountsMethods
  sessions: SessionsMethods
  setup: SetupMethods
  setupLinks: SetupLinksMethods
  webhooks: WebhooksMethods
  /** Watch an organization. Server-sent events: `open` first, then the current state of a `delivery`, `replay`, `webhook`, `capture`, `invitation`, `file`, `document`, `domain`, `identityProvider`, `setupLink`, `apiKey` or `run` after each change. Of several changes at once the last is shown. A client that reconnects with `Last-Event-ID` within five minutes gets the missed events, from any process; `gap` means that events are missing: read the lists again. `end` has the reason for the end of the stream: `token_expired`, `revoked` or `stopping`. (`GET /v1/stream`) */
  stream(query?: StreamOrganizationQuery, options?: CallOptions & StreamOptions): EventStream
}
