// Written by `npm run docs` from /openapi.json and sdk/methods.ts; a test compares them.

import type { ErrorCode } from './codes.gen.ts'
import type { Pages } from './page.ts'
import type { Bytes, CallOptions } from './request.ts'
import type { EventStream, StreamOptions } from './stream.ts'

export interface AcceptMcpServerBody {
  /** As it was read with the tools: what has changed since is not accepted unseen. */
  toolsDigest: string
}

export interface Account {
  id: string
  email: string
  /** Given name; null before the sign-up. */
  firstName: string | null
  /** Family name; null before the sign-up. */
  lastName: string | null
  /** What the person has chosen for mails; null: that of the organization. */
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
  /** How many second factors it has; without one it signs in with a password alone. */
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
  /** What the person has chosen for mails; null: that of the organization. */
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
  /** How many second factors it has; without one it signs in with a password alone. */
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
  /** Its headings of Markdown are told with what is found below them. */
  text?: string | undefined
  /** Starts with `fil_`, which may be left out. */
  fileId?: string | undefined
  /** What it is called; the name of the file where it is left out. */
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
  /** What people call the agent. */
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
  /** What happens when an answer reaches `maxOutputTokens`. */
  onLength: AgentOnLength
  /** What happens when a call of the model fails that may have been charged. */
  onModelFailure: AgentOnModelFailure
  /** Model that is asked where the first one fails; null: none. */
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

/** What is asked of the model beside its messages; it goes before what the operator set for the model. */
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
  /** What the agent answered, cut at 65,536 characters; empty unless the run has succeeded. */
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
  /** What went wrong, for people. */
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
  /** Whether its calls are made side by side with others of the same answer. */
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
  /** What happens when an answer reaches `maxOutputTokens`. */
  onLength: AgentOnLength
  /** What happens when a call of the model fails that may have been charged. */
  onModelFailure: AgentOnModelFailure
  /** Model that is asked where the first one fails; null: none. */
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
  /** What your platform calls it; null where it has no such id. */
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
  /** What the key is for. */
  name: string
  /** The use of the key; null: none is given. */
  description: string | null
  /** The most that the key may do. A key never has more rights than its maker. */
  role: string
  /** What the key may do of what its role may; null: all of it. docs/scopes.md lists the operations of each scope. */
  scopes: ApiKeyScopes | null
  /** Networks from which the key may come; null: from anywhere. */
  allowedAddresses: ApiKeyScopes | null
  /** The last four characters of the key. */
  hint: string
  /** Account or service account that made the key. */
  createdBy: string | null
  /** API key with which it was made, starting with `key_`; null where a person made it. */
  createdWith: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** Account or service account that made the present secret; null while that is the first one. */
  rotatedBy: string | null
  /** When the present secret was made; null while that is the first one. */
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
  /** When it was last used after it was replaced, at most a minute earlier than the last use; null: not since. */
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
  /** Organization of the action, starting with `org_`; null for actions on an account alone. */
  organizationId: string | null
  /** Account that it concerns, starting with `acc_`; null where it concerns none. */
  accountId: string | null
  /** Account or service account that did it; null for the server itself or its command line. */
  actorId: string | null
  /** API key of the service account, starting with `key_`; null where a person or the server acted. */
  keyId: string | null
  /** Id of what was changed; null where that has none. */
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
  /** What you call it. */
  name: string
  url: string
  /** Names of the headers that are sent with every request; their values are never shown. */
  headerNames: string[]
  /** `active`; `failing` since its last request was not taken; or `paused`. */
  status: AuditStreamStatus
  /** When it was made, in UTC. */
  createdAt: string
  /** Since when it is paused; null: it is not. */
  pausedAt: string | null
  /** What it has not taken. */
  unsent: AuditStreamUnsent
  /** How many entries it has taken. */
  sent: number
  /** How many entries were given up, 30 days after `AUDIT_DAYS`. */
  lost: number
  /** When it took entries last; null: never. */
  lastSentAt: string | null
  /** Requests that failed since the last success. */
  failures: number
  /** Since when it fails; null: it does not. */
  failingSince: string | null
  /** Why the last request was not taken, such as `http_503` or `timeout`; null: it was. */
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
  /** Entries that it has not taken, up to 10,000. */
  count: number
  /** No more were counted: there may be more. */
  atLeast: boolean
  /** When the oldest of them was written; null: there is none. */
  oldestAt: string | null
}

export interface Authorization {
  /** The application that asks. */
  client: AuthorizationClient
  /** Whether the application asks for a newer sign-in, or for one of another account. */
  needsNewSignIn: boolean
  /** The part of this server that its tokens would be for. */
  resource: string
  /** Whether it goes on after the session has ended. */
  lasts: boolean
  /** What it asks to learn of the person. */
  identity: string[]
  /** What it asks to do. */
  scopes: AuthorizationScope[]
  /** Those for which the person can grant it. */
  organizations: AuthorizationOrganization[]
}

export interface AuthorizationClient {
  /** What the application calls itself. */
  name: string
  /** Where the person is sent back to. */
  host: string
  /** Whether the operator registered it, or it is of Postern; else its name is its own word. */
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
  /** The same for people. */
  about: string
}

export interface AuthorizeConnectionBody {
  /** A provider that the operator configured. */
  provider: string
  /** An absolute URL on one of `ALLOWED_ORIGINS`. */
  redirectUrl: string
}

export interface Balance {
  /** What can be spent now. */
  balance: number
  /** Set aside for work under way. */
  reserved: number
  /** Of both together: what ends with the cycle, and is spent first. */
  cycleCredits: number
  /** Of both together: what stays. */
  purchasedCredits: number
  /** The plan has no limit: work takes nothing of the balance. */
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
  /** `captured`: a capture window was open, and the call is kept for you to look at. */
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
  /** The HTTP status that this code always comes with. */
  status: number
  /** The chapter of the catalogue. */
  group: string
  /** What `error.message` usually says; it may change, and is another one for some reasons. */
  message: string
  /** What the code stands for, in one sentence. */
  meaning: string
  /** What to do, in one sentence. */
  remedy: string
  /** What makes the server answer so, the commonest first. */
  causes: string[]
  /** What to do, in this order. */
  steps: string[]
  /** A whole answer with this code. */
  example: CatalogueEntryExample
}

/** A whole answer with this code. */
export type CatalogueEntryExample = { [name: string]: unknown }

export interface ChangeAccountBody {
  /** Given name, as others in the organization see it. */
  firstName?: string | undefined
  /** Family name, as others in the organization see it. */
  lastName?: string | undefined
  /** Of mails to the account; null: that of the organization. */
  language?: CreateInvitationBodyLanguage | null | undefined
}

export interface ChangeAccountStatusBody {
  /** `disabled`: its sessions, links and pending invitations end, and its sign-ins are refused. `active`: it can sign in again, with the memberships and the password that it had. */
  status: SessionUserOrganizationStatus
  /** Also deletes the API keys that it made or rotated, and those that were made with them. */
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
  /** What your platform calls it: letters, digits and `. _ : @ | / + = ~ -`, unique on the installation; upper and lower case differ. */
  externalId?: string | null | undefined
  /** The new plan, which holds at once. */
  plan?: CreateOrganizationBodyPlan | undefined
  /** Switches that go before the plan. */
  modules?: ChangeOrganizationBodyModules | undefined
  /** `disabled`: no session, token or key is accepted and deliveries wait until it is `active` again; its runs are cancelled. */
  status?: SessionUserOrganizationStatus | undefined
  /** `false` lets members use their own sign-ins where their identity provider fails. */
  signInRequired?: false | undefined
}

export interface ChangeOrganizationBodyModules {
  /** Webhooks, events and deliveries. Null: as its plan says. */
  webhooks?: boolean | null | undefined
  /** Accounts at other services. Null: as its plan says. */
  connections?: boolean | null | undefined
  /** Uploading and reading files. Null: as its plan says. */
  files?: boolean | null | undefined
  /** Knowledge bases and search. Null: as its plan says. */
  knowledge?: boolean | null | undefined
  /** Agents, runs, conversations and MCP servers. Null: as its plan says. */
  agents?: boolean | null | undefined
}

export interface ChangePasswordAnswer {
  /** The others, that have ended. */
  endedSessions: number
}

export interface ChangePasswordBody {
  /** The present password, so that an open browser alone cannot change it. */
  currentPassword: string
  /** 8 to 256 characters, none of the well-known passwords. */
  newPassword: string
}

export interface ChangeProvisionedGroupBody {
  /** `administrator`, `member`, or the id of a role of the organization; null: it gives none. */
  role?: string | null | undefined
  /** Of several groups of a user the one with the highest gives the role. */
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
  /** How it is known, where it is `saml`: `metadata`, or the members that they say. */
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
  /** `expired`: its page takes no payment any more; one that was made before, or that the operator settles, still makes it `paid`. */
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
  /** From then on its page takes no payment. */
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
  /** The provider's own key of the account, where it tells one. */
  subject: string | null
  /** Whether there is a refresh token, so that the access token is renewed without a person. */
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
  /** When the access token ends; null: the provider did not say. */
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
  /** What `POST /v1/connections/oauth/authorize` asks for. */
  name: string
  /** Scopes that each new connection asks for. */
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
  /** What the provider answered. */
  reason: string
}

export type ConnectionStatus = 'active' | 'expired' | 'revoked' | 'error'

export interface Conversation {
  /** Starts with `cnv_`. */
  id: string
  /** What the conversation is about; null without a title. */
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
  /** What people call the agent. */
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
  /** How long a run takes at most, beside the time for which it waits for a person. */
  timeoutMs?: number | undefined
  /** What an answer that was cut at `maxOutputTokens` does: `keep`, the default, ends the run with what was said, `fail` fails it. Calls of tools in such an answer are not made in either case. */
  onLength?: AgentOnLength | undefined
  /** What a call of the model does that failed and may have been paid: `fail`, the default, fails the run, `retry` asks twice more, `fallback` asks `fallbackModel`. One that cannot have been paid is tried again up to 10 times in a row, twice where `fallback` follows. */
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
  /** Who decides about a call: `person`, a signed-in person who may use the run; `administrator`, an administrator who is signed in; `key`, an API key that may use the run as well, the one that started it included. */
  approvers?: AgentToolApprovers | undefined
  /** Whether a call whose outcome is unknown may be made once more, where the tool says of itself that it may. */
  repeatable?: boolean | undefined
  /** Whether calls of the tool may be made side by side with others of the same answer. Set it only for a tool that is harmless, whichever of its calls comes first. Calls that a person decides about (`approval`) are made one after the other all the same. */
  parallel?: boolean | undefined
  /** Whether a run fails when the server is unavailable. */
  required?: boolean | undefined
}

export interface CreateApiKeyBody {
  /** What the key is for. */
  name: string
  /** The use of the key; null: none is given. */
  description?: string | undefined
  /** The most that the key may do. Without it: member, or administrator where a scope needs that. */
  role?: Role | undefined
  /** Narrows the key to these; without them it may do all that its role may. A key that is narrowed gives no scope that it lacks. */
  scopes?: CreateApiKeyBodyScopes | null | undefined
  /** Days after which the key is refused; it does not expire where this is left out. */
  expiresInDays?: number | undefined
  /** Starts with `svc_`, which may be left out. */
  serviceAccountId?: string | undefined
  allowedAddresses?: CreateApiKeyBodyAllowedAddresses | null | undefined
}

export type CreateApiKeyBodyAllowedAddresses = string[]

export type CreateApiKeyBodyScopes = CreateRoleBodyPermission[]

export interface CreateAuditStreamBody {
  /** What you call it. */
  name: string
  /** Where entries are POSTed. It may be in a private network. */
  url: string
  /** Sent with every request, such as `Authorization` of the receiver; never shown. */
  headers?: { [name: string]: string } | undefined
}

export interface CreateCheckoutBody {
  /** How many credits to buy, in whole packs; not beside `plan`. */
  credits?: number | undefined
  /** Plan to change to; not beside `credits`. */
  plan?: CreateCheckoutBodyPlan | undefined
  /** An absolute URL on one of `ALLOWED_ORIGINS`. */
  returnUrl?: string | undefined
}

export type CreateCheckoutBodyPlan = 'free' | 'team' | 'scale'

export interface CreateConversationBody {
  /** What it is about. */
  title?: string | undefined
}

export interface CreateDomainBody {
  /** The part of addresses after the `@`, in any script. */
  name: string
}

export interface CreateEventTypeBody {
  /** The name that events are published and subscribed under, such as `order.paid`. */
  name: string
  /** The fact that such an event reports. */
  description?: string | undefined
  /** JSON Schema for `data`; anything is taken where it is left out. */
  schema?: CreateEventTypeBodySchema | undefined
  /** Must fit the schema; `{}` where it is left out. */
  example?: FreeObject | undefined
}

export interface CreateEventTypeBodySchema {
  /** Taken, and without effect: the dialect is always draft 2020-12. */
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
  /** The values that are taken, and no other. */
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
  /** Smallest number that is taken. */
  minimum?: number | undefined
  /** Largest number that is taken. */
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
  /** What people call it, in mails, too. */
  name: string
  /** `active`, or `disabled`: sign-ins by it are refused. */
  status?: SessionUserOrganizationStatus | undefined
  /** How it is reached, where it is `oidc`. */
  oidc?: CreateIdentityProviderBodyOidc | undefined
  /** How it is known, where it is `saml`: `metadata`, or the members that they say. */
  saml?: CreateIdentityProviderBodySaml | undefined
  /** Whether a sign-in with an address of a proven domain makes a membership. */
  createsMemberships?: boolean | undefined
  /** Whether the rules for roles are applied at each sign-in, and not only at the first. Who has a role from a group of the directory keeps it. */
  managesRoles?: boolean | undefined
  /** Role of members without a matching rule: `administrator`, `member`, or an id that starts with `rol_`. */
  defaultRole?: string | undefined
  /** The first one that matches names the role. */
  roleRules?: CreateIdentityProviderBodyRoleRule[] | undefined
  /** Values that count as a second factor: of `amr` or `acr`; by SAML of the class of the authentication. */
  secondFactorValues?: string[] | undefined
  /** Whether signing out also ends the session at the provider. Default: `false`. */
  endsProviderSession?: boolean | undefined
}

export interface CreateIdentityProviderBodyOidc {
  /** As its metadata have it. */
  issuer: string
  /** What Postern is called there. */
  clientId: string
  /** What the provider has given for the client id. */
  clientSecret?: string | undefined
}

export interface CreateIdentityProviderBodyRoleRule {
  /** A claim of the ID token or the name of an attribute, such as `groups`. */
  claim: string
  /** A value that the claim has, alone or in a list. */
  value: string
  /** The role then: `administrator`, `member`, or an id that starts with `rol_`. */
  role: string
}

export interface CreateIdentityProviderBodySaml {
  /** The metadata of the provider, instead of the members that they say. Nothing is fetched. */
  metadata?: string | undefined
  /** What the provider calls itself, as its metadata have it. */
  entityId?: string | undefined
  /** Where browsers are sent with a request (HTTP-Redirect); Postern never calls it. */
  signOnUrl?: string | undefined
  /** Its signing certificates. Each is accepted until it is removed, also after its expiry. */
  certificates?: string[] | undefined
  /** The attribute with the address; null: the usual attributes, or a `NameID` of the format `emailAddress`. */
  emailAttribute?: string | null | undefined
  /** Where browsers are sent with messages about sign-outs (its `SingleLogoutService`); null: it takes none. */
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
  /** `false` answers with the `acceptUrl`, once, instead of mailing it. */
  sendEmail?: boolean | undefined
}

export type CreateInvitationBodyLanguage = 'en' | 'de' | 'fr' | 'es' | 'ja'

export interface CreateInvitationsBody {
  /** Each succeeds or fails by itself. */
  invitations: CreateInvitationsBodyInvitation[]
  /** Days after which the link of the invitation no longer works. */
  expiresInDays?: number | undefined
  /** Of the mail, unless the person has chosen one. Default: that of the organization. */
  language?: CreateInvitationBodyLanguage | undefined
}

export interface CreateInvitationsBodyInvitation {
  /** Checked row by row: a bad address fails its own row only. */
  email: string
  /** Role that the person gets on joining: `administrator`, `member`, or the id of a role of the organization. `member` where it is left out. */
  role?: string | undefined
}

export interface CreateKnowledgeBaseBody {
  /** Unique in the organization. */
  name: string
  /** The model that the server has, or null for none. Unless given, the model where there is one. */
  embedding?: string | null | undefined
}

export interface CreateMcpServerBody {
  /** What its tools are called by: `{name}__{tool}`. Of the organization’s servers none has the same. */
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
  /** What people are shown. */
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
  /** What your platform calls it: letters, digits and `. _ : @ | / + = ~ -`, unique on the installation; upper and lower case differ. */
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
  /** `false` leaves it to you to hand over the link. Unless said: whether there is a mail server. */
  sendEmail?: boolean | undefined
}

export interface CreatePlatformKeyBody {
  /** What the key is for; organizations see it in their audit logs. */
  name: string
  /** What the key may in every organization; null: all. */
  scopes: CreateApiKeyBodyScopes | null
  /** Whether a `POST` for an unknown `ext:` makes the organization, with `DEFAULT_PLAN`. */
  mayCreateOrganizations?: boolean | undefined
  /** Networks from which the key may come; null: any. */
  allowedAddresses?: CreateApiKeyBodyAllowedAddresses | null | undefined
  /** Days after which the key is refused; it does not expire where this is left out. */
  expiresInDays?: number | undefined
}

export interface CreateReplayBody {
  /** Starts with `evt_`, which may be left out. */
  eventId?: string | undefined
  /** Only deliveries of events of this type. */
  eventType?: string | undefined
  /** Of the answer to the last attempt: one, or a hundred of them. */
  statusCode?: string | undefined
  /** One or several of: timeout, dns, refused, reset, tls, invalid_answer, blocked_address, http_3xx, http_4xx, http_5xx, http_other; with a comma between two. */
  errorClass?: string | undefined
  /** Only deliveries made at or after this moment. */
  since: string
  /** Only deliveries made before this moment. */
  until?: string | undefined
  /** Only these. Ids of deliveries of others, or that were removed, are ignored. */
  ids?: string[] | undefined
  /** Only tells how many there are; nothing is changed. */
  dryRun?: boolean | undefined
  /** Which deliveries are made again, by their outcome. */
  status?: CreateReplayBodyStatus | undefined
}

export type CreateReplayBodyStatus = 'failed' | 'delivered' | 'all'

export interface CreateRoleBody {
  /** What people call the role, unique in the organization. */
  name: string
  /** The purpose of the role; null: none is given. */
  description?: string | null | undefined
  /** What its holders may do. docs/scopes.md lists the operations of each. */
  permissions: CreateRoleBodyPermission[]
}

export type CreateRoleBodyPermission = 'organization:read' | 'organization:write' | 'members:read' | 'members:write' | 'invitations:read' | 'invitations:write' | 'roles:read' | 'roles:write' | 'sign_in:read' | 'sign_in:write' | 'scim:write' | 'mails:read' | 'keys:read' | 'keys:write' | 'audit:read' | 'billing:read' | 'billing:write' | 'events:read' | 'events:write' | 'event_types:read' | 'event_types:write' | 'webhooks:read' | 'webhooks:write' | 'deliveries:read' | 'deliveries:write' | 'captures:read' | 'captures:write' | 'connections:read' | 'connections:write' | 'connections:use' | 'files:read' | 'files:write' | 'files:all' | 'knowledge:read' | 'knowledge:write' | 'documents:write' | 'agents:read' | 'agents:write' | 'mcp_servers:read' | 'mcp_servers:write' | 'runs:read' | 'runs:write' | 'runs:all' | 'approvals:write' | 'conversations:read' | 'conversations:write' | 'conversations:all'

export interface CreateServiceAccountBody {
  /** What the machine is called where it has done something. */
  name: string
  /** The purpose of the machine; null: none is given. */
  description?: string | null | undefined
  /** Starts with `acc_`, which may be left out. */
  ownerId?: string | null | undefined
}

export interface CreateSetupLinkBody {
  /** Whom it is for, in the words of its maker. */
  name: string
  /** What it may be used for, and nothing else. */
  purposes: SetupLinkPurpose[]
  /** An e-mail address. */
  email?: string | undefined
  /** The language of the mail. */
  language?: CreateInvitationBodyLanguage | undefined
  /** How long it lasts, unless the key that makes it ends before. */
  expiresInDays?: number | undefined
  /** Whether a sign-in that works enables the identity provider; else an administrator does. */
  activates?: boolean | undefined
  /** As of the identity provider that is added by it. */
  createsMemberships?: boolean | undefined
}

export interface CreateWebhookBody {
  /** Absolute http or https URL without credentials, at a public address. */
  url: string
  /** Event types, or `*` for every one. */
  events: string[]
  /** Opens `POST /v1/webhooks/{endpointPath}` to external systems. */
  endpointPath?: string | undefined
  /** What the webhook is for, in your own words. */
  description?: string | undefined
  /** Attempts at once, at most; 256 unless set. Below it as many are made as are answered well, and no slower than usual. */
  maxInFlight?: number | undefined
  /** Calls a second that the destination takes. What waits for that is neither late nor failed. */
  maxPerSecond?: number | null | undefined
}

export interface CreatedApiKey {
  /** Starts with `key_`. */
  id: string
  /** Service account that the key belongs to, starting with `svc_`. */
  serviceAccountId: string
  /** What the key is for. */
  name: string
  /** The use of the key; null: none is given. */
  description: string | null
  /** The most that the key may do. A key never has more rights than its maker. */
  role: string
  /** What the key may do of what its role may; null: all of it. docs/scopes.md lists the operations of each scope. */
  scopes: ApiKeyScopes | null
  /** Networks from which the key may come; null: from anywhere. */
  allowedAddresses: ApiKeyScopes | null
  /** The last four characters of the key. */
  hint: string
  /** Account or service account that made the key. */
  createdBy: string | null
  /** API key with which it was made, starting with `key_`; null where a person made it. */
  createdWith: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** Account or service account that made the present secret; null while that is the first one. */
  rotatedBy: string | null
  /** When the present secret was made; null while that is the first one. */
  rotatedAt: string | null
  /** Replaced secrets that still work, the newest first. */
  formerSecrets: ApiKeyFormerSecret[]
  /** From then on the key is refused; null: it does not expire. */
  expiresAt: string | null
  /** When the key was last used, at most a minute earlier than the last use; null: never. */
  lastUsedAt: string | null
  /** The secret of the key, for `Authorization: Bearer`. It is shown this once. */
  key: string
}

export interface CreatedAuditStream {
  /** Id of the stream, which starts with `aus_`. */
  id: string
  /** What you call it. */
  name: string
  url: string
  /** Names of the headers that are sent with every request; their values are never shown. */
  headerNames: string[]
  /** `active`; `failing` since its last request was not taken; or `paused`. */
  status: AuditStreamStatus
  /** When it was made, in UTC. */
  createdAt: string
  /** Since when it is paused; null: it is not. */
  pausedAt: string | null
  /** What it has not taken. */
  unsent: AuditStreamUnsent
  /** How many entries it has taken. */
  sent: number
  /** How many entries were given up, 30 days after `AUDIT_DAYS`. */
  lost: number
  /** When it took entries last; null: never. */
  lastSentAt: string | null
  /** Requests that failed since the last success. */
  failures: number
  /** Since when it fails; null: it does not. */
  failingSince: string | null
  /** Why the last request was not taken, such as `http_503` or `timeout`; null: it was. */
  lastError: string | null
  /** Before then it is not tried again; null: it is tried at once. */
  nextAttemptAt: string | null
  /** The secret of the key, for `Authorization: Bearer`. It is shown this once. */
  secret: string
}

export interface CreatedCheckout {
  /** Send the browser of the person who pays there. */
  checkoutUrl: string
  /** Id of the checkout, which starts with `chk_`. */
  checkoutId: string
  /** From then on its page takes no payment. */
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
  /** What is wrong, for people. */
  message: string
  /** `field`, `value`, `reason` and the other details of the code. */
  details: { [name: string]: unknown }
}

export interface CreatedOauthClient {
  id: string
  /** What people are shown; an application that registered itself chose it. */
  name: string
  /** Where a browser may be sent back to, letter by letter. */
  redirectUris: string[]
  /** Where a browser may be sent after a sign-out, letter by letter; the `state` of the request is appended, so that none has one of its own. */
  postLogoutRedirectUris: string[]
  /** The one organization whose members can grant it something; null: any. */
  organizationId: string | null
  /** `registered` by the operator, or `dynamic`: it registered itself. */
  origin: OauthClientOrigin
  /** Whether it proves itself with a secret at the token endpoint. */
  isConfidential: boolean
  /** Whether it may ask by a code that a person enters at `/device`. */
  usesDeviceFlow: boolean
  /** When it was made, in UTC. */
  createdAt: string
  /** When it got a grant or a token last; null: never. */
  lastUsedAt: string | null
  /** When it is removed unless it is used; null: it is not. */
  expiresAt: string | null
  /** For the token endpoint; null of one that has PKCE alone. It is shown this once. */
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
  /** The link, once: for this person alone. */
  acceptUrl: string
}

export interface CreatedPlatformKey {
  id: string
  /** What the key is for; organizations see it in their audit logs. */
  name: string
  /** What the key may in every organization; null: all. */
  scopes: ApiKeyScopes | null
  /** Whether a `POST` for an unknown `ext:` makes the organization, with `DEFAULT_PLAN`. */
  mayCreateOrganizations: boolean
  /** Networks from which the key may come; null: any. */
  allowedAddresses: ApiKeyScopes | null
  /** The last four characters of the key. */
  hint: string
  /** When it was made, in UTC. */
  createdAt: string
  /** From then on the key is refused; null: it does not expire. */
  expiresAt: string | null
  /** When it got its present secret; null while that is the first one. */
  rotatedAt: string | null
  /** When the key was last used, at most a minute out of date; null: never. */
  lastUsedAt: string | null
  /** The secret of the key, for `Authorization: Bearer`. It is shown this once. */
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

/** A JSON Schema without the keywords that could cost others more than their share. */
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
  /** The values that are taken, and no other. */
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
  /** Smallest number that is taken. */
  minimum?: number | undefined
  /** Largest number that is taken. */
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
  /** Those that are granted; all that were asked for where it is left out. */
  scopes?: string[] | undefined
}

export interface DecideDeviceRequestBody {
  /** The code that the device shows. */
  userCode: string
  /** Whether the person grants it. */
  allow: boolean
  /** Starts with `org_`, which may be left out. */
  organizationId?: string | undefined
  /** Those that are granted; all that were asked for where it is left out. */
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
  /** Asked for to try the webhook; no replay makes it again. */
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

/** What each part took; null where there was none, as the first three on a connection that was open already. */
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
  /** Asked for to try the webhook; no replay makes it again. */
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
  /** Of the answer to its last attempt. */
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
  /** The application that asks. */
  client: DeviceRequestClient
  /** Where it asks from, by which a person knows an own device. */
  device: DeviceRequestDevice
  /** The part of this server that its tokens would be for. */
  resource: string
  /** Whether it goes on after the session has ended. */
  lasts: boolean
  /** What it asks to learn of the person. */
  identity: string[]
  /** What it asks to do. */
  scopes: AuthorizationScope[]
  /** Those for which the person can grant it. */
  organizations: AuthorizationOrganization[]
}

export interface DeviceRequestClient {
  /** What the application calls itself. */
  name: string
  /** Whether the operator registered it, or it is of Postern; else its name is its own word. */
  isRegistered: boolean
}

export interface DeviceRequestDevice {
  /** IP address from which it asked. */
  address: string
  /** `User-Agent` of its request, cut at 200 characters. */
  program: string
  /** Whether this request comes from the same network. */
  isSameNetwork: boolean
  /** How many seconds ago it asked. */
  ageSeconds: number
}

export interface Document {
  /** Starts with `doc_`. */
  id: string
  /** Id of the knowledge base, which starts with `knb_`. */
  knowledgeBaseId: string
  /** What it is called in answers and sources. */
  name: string
  /** File that it was made of, starting with `fil_`; null for a text. */
  fileId: string | null
  /** Digest of its text, in hex. */
  sha256: string
  /** How the last indexing stands. What an earlier one has made of the document is found until the next one is done, and after it failed. */
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
  /** As a search names the passage. */
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
  /** Heading that it stands under. */
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
  /** What happened, and what to do about it. */
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
  /** What happened, and what to do about it. */
  message: string
}

export type DocumentIndexedEventDataStatus = 'indexed' | 'failed'

export interface DocumentPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Document[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

/** What is to take its place once that is indexed; after a failure too, until it is indexed again or replaced by another. */
export interface DocumentReplacement {
  /** What the document is called then. */
  name: string
  /** File that it is made of then; null for a text. */
  fileId: string | null
  /** Digest of its bytes, in hex. */
  sha256: string
}

export type DocumentStatus = 'queued' | 'indexing' | 'indexed' | 'failed'

export interface DocumentText {
  /** null until its file was processed for the first time. */
  text: string | null
  /** Whether passages of this text are found: false before it was indexed for the first time, and where its file was read anew since. */
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
  /** Heading that it stands under. */
  heading?: string | undefined
}

export interface Domain {
  /** Identifier, starting with `dom_`. */
  id: string
  /** The domain, in ASCII. */
  name: string
  /** `pending` until its record was found. `failing`: the record is missing, and the domain still counts as proven. `lost`: it does not any more. */
  status: DomainStatus
  record: DomainRecord
  /** Why the last check found no proof; null: it found one, or there was none. */
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

/** What to publish in the domain name system. */
export interface DomainRecord {
  /** Always `TXT`. */
  type: string
  /** Where to publish it. */
  name: string
  /** What it must say. Other values beside it do no harm. */
  value: string
}

export type DomainStatus = 'pending' | 'verified' | 'failing' | 'lost'

export interface EmailChange {
  /** The change that waits for a mailbox; null where none does. */
  change: EmailChangeContent | null
}

export interface EmailChangeContent {
  /** The address that the account is to get. */
  newEmail: string
  /** Who began it. */
  askedBy: EmailChangeContentAskedBy
  /** By the present mailbox, or by the operator in its place. */
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
  /** Page of the code: causes, what to do, an example. */
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
  /** Who published it: an account or a service account. Null where the platform did, and of what came to an inbound address. */
  actorId: string | null
}

export interface EventPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: EventItem[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface EventType {
  /** The name that events are published and subscribed under, such as `order.paid`. */
  name: string
  /** The fact that such an event reports. */
  description: string
  /** JSON Schema that `data` of each event is checked against. */
  schema: EventTypeSchema
  /** A value of `data` that fits the schema; tests of webhooks send it. */
  example: EventTypeSchema
  /** Whether the platform defines it; those cannot be changed or deleted. */
  builtIn: boolean
  /** Whether `POST /v1/events` takes it; the platform alone publishes the others. */
  publishable: boolean
  /** When it was registered; null for built-in types. */
  createdAt: string | null
}

export interface EventTypeItem {
  /** The name that events are published and subscribed under, such as `order.paid`. */
  name: string
  /** The fact that such an event reports. */
  description: string
  /** JSON Schema that `data` of each event is checked against. */
  schema: EventTypeSchema
  /** A value of `data` that fits the schema; tests of webhooks send it. */
  example: EventTypeSchema
  /** Whether the platform defines it; those cannot be changed or deleted. */
  builtIn: boolean
  /** Whether `POST /v1/events` takes it; the platform alone publishes the others. */
  publishable: boolean
  /** When it was registered; null for built-in types. */
  createdAt: string | null
  /** Webhooks that ask for it, those that are not active included. */
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
  /** What the person calls it. */
  name: string
  /** When it was made, in UTC. */
  createdAt: string
  /** When it was last shown; null: never. */
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
  /** To be sent back with the result. It is good for one attempt. */
  receipt: string
  /** The same for each attempt. */
  deliveryId: string
  /** The event that it is a delivery of, as `webhook-id` says. */
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
  /** Most deliveries to fetch; bodies of more than 1 MiB together are not. */
  limit?: number | undefined
  /** How long to wait where none is due. */
  waitMs?: number | undefined
}

export interface FetchFileBody {
  /** Where it is: http or https, at a public address, without credentials. */
  url: string
  /** Name of the file; the last part of the URL where it is left out. */
  name?: string | undefined
  /** How its letters are written; it comes before what the `Content-Type` says. */
  charset?: string | undefined
}

export interface FetchThroughConnectionAnswer {
  /** The API's own; 2xx, 3xx and 4xx are all handed over. */
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
  /** Method of the call; `GET` and `HEAD` take no body. */
  method: FetchThroughConnectionBodyMethod
  /** An absolute URL on one of the provider's `apiHosts`. */
  url: string
  /** Headers of the call. `Authorization` is set by the server and refused here. */
  headers?: { [name: string]: string } | undefined
  /** A text as it is to be sent; or an object or a list, which is sent as JSON. */
  body?: FetchThroughConnectionBodyContent | undefined
  /** How a text in `body` stands for its bytes. */
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
  /** What happened, and what to do about it. */
  message?: string | undefined
}

export interface FileText {
  /** `processing` beside a text: it is of an earlier reading, and stays until the next is done. */
  status: FileTextStatus
  /** null until the file was processed for the first time. */
  text: string | null
  /** Where in the file the parts of `text` stand. */
  parts: DocumentTextPart[]
  /** Pass as `cursor` for the text that follows; null at the end. */
  nextCursor: string | null
}

export type FileTextStatus = 'processing' | 'processed'

export interface Finding {
  /** `ok`: there is nothing to do. `warning`: it works, but is unsafe or may fail later. `problem`: something does not work. */
  level: FindingLevel
  /** Subject of the check. */
  what: string
  /** The result, and what to do about it. */
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
  /** A name of your own, such as an invoice number: the same one gives credits once only. */
  reference?: string | undefined
}

export interface IdentityProvider {
  /** Identifier, starting with `idp_`. */
  id: string
  /** `oidc`: OpenID Connect. `saml`: SAML 2.0. */
  kind: IdentityProviderKind
  /** What people call it, in mails, too. */
  name: string
  /** `active`, or `disabled`: sign-ins by it are refused. */
  status: SessionUserOrganizationStatus
  /** How it is reached; its client secret is not shown. null of SAML. */
  oidc: IdentityProviderOidc | null
  /** How it is known; null of OpenID Connect. */
  saml: IdentityProviderSaml | null
  /** To be registered at the provider; of SAML the address that takes answers (ACS, HTTP-POST). */
  redirectUri: string
  /** Whether a sign-in with an address of a proven domain makes a membership. */
  createsMemberships: boolean
  /** Whether the rules for roles are applied at each sign-in, and not only at the first. Who has a role from a group of the directory keeps it. */
  managesRoles: boolean
  /** Role of members without a matching rule: `administrator`, `member`, or an id that starts with `rol_`. */
  defaultRole: string
  /** The first one that matches names the role. */
  roleRules: IdentityProviderRoleRule[]
  /** Values that count as a second factor: of `amr` or `acr`; by SAML of the class of the authentication. */
  secondFactorValues: string[]
  /** Whether signing out also ends the session at the provider. Default: `false`. */
  endsProviderSession: boolean
  /** Account or service account that made it. */
  createdBy: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** When it was last changed, in UTC. */
  updatedAt: string
  /** Time of the last sign-in by it; null: none yet. */
  lastSignInAt: string | null
}

export interface IdentityProviderKeyRotation {
  /** When the previous keys end. */
  previousEndsAt: string
}

export type IdentityProviderKind = 'oidc' | 'saml'

export interface IdentityProviderOidc {
  /** As its metadata have it. */
  issuer: string
  /** What Postern is called there. */
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
  /** A value that the claim has, alone or in a list. */
  value: string
  /** The role then: `administrator`, `member`, or an id that starts with `rol_`. */
  role: string
}

export interface IdentityProviderSaml {
  /** What the provider calls itself, as its metadata have it. */
  entityId: string
  /** Where browsers are sent with a request (HTTP-Redirect); Postern never calls it. */
  signOnUrl: string
  /** Its signing certificates. Each is accepted until it is removed, also after its expiry. */
  certificates: IdentityProviderSamlCertificate[]
  /** The attribute with the address; null: the usual attributes, or a `NameID` of the format `emailAddress`. */
  emailAttribute: string | null
  /** Where browsers are sent with messages about sign-outs (its `SingleLogoutService`); null: it takes none. */
  logoutUrl: string | null
  /** Where they are sent with answers to its requests for a sign-out; null: to `logoutUrl`. */
  logoutResponseUrl: string | null
  /** How such messages reach it: `redirect` (HTTP-Redirect) or `post` (HTTP-POST). */
  logoutBinding: IdentityProviderSamlLogoutBinding
  /** What Postern calls itself there; each provider has another one. */
  ownEntityId: string
  /** The same and `redirectUri` as metadata of SAML, without credentials. */
  ownMetadataUrl: string
  /** The certificate to which the provider may encrypt assertions, as PEM; the metadata have it, too. */
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
  /** What is wrong, each in the terms of the catalogue. */
  findings: IdentityProviderTestFinding[]
  /** When the last certificate of SAML ends; null of OpenID Connect. */
  certificatesEndAt: string | null
}

export interface IdentityProviderTestFinding {
  /** The code of the catalogue that a sign-in or a change would meet. */
  code: IdentityProviderTestFindingCode
  /** What it is, such as `foreign_issuer`, `keys_status_404`, `timeout` or `certificate_expired`. */
  reason: string
  /** The member of the identity provider that it is about. */
  field: string
}

export type IdentityProviderTestFindingCode = 'INTEGRATION_PROVIDER_ERROR' | 'VALIDATION_FAILED'

export interface ImportAccountsAnswer {
  /** How many accounts were made. */
  imported: number
  /** How many were there before, as members of what they name. */
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
  /** Says what would be refused, and changes nothing. */
  dryRun?: boolean | undefined
}

export interface Installation {
  /** Version of the program. */
  version: string
  /** Where the data is kept. */
  engine: InstallationEngine
  /** Number of the last migration that the database has had. */
  schemaVersion: number
  /** Of the process that answers. */
  role: string
  /** How many organizations there are. */
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
  /** When these figures were taken. */
  measuredAt: string
}

/** What has not ended. Counted exactly up to a million that are in no worker’s hands, and of 2,000 publications that are not written whole; of more these are the least there are. */
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

/** What has not ended of one kind. Counted exactly up to 10,000 that are in no worker’s hands; of more these are the least there are. */
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
  /** Whether there is a mail server (`SMTP_URL`). */
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
  /** What people call that role; null where it was deleted since. */
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
  /** State of the last mail of this invitation. */
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
  /** In words of ours; why no mail server was reached is for its operator. */
  lastError: string | null
  /** What the mail server said when it took or refused the mail. */
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
  /** The model whose vectors its documents are found by as well; null: none. */
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
  /** What came on this day. */
  credited: number
  /** What went. */
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
  /** Of these: what ends with the cycle. */
  cycleCredits: number
  /** Of these: what stays. */
  purchasedCredits: number
  /** Of a debit: what the work cost, also where less or nothing was taken. */
  price: number | null
  /** Kind of work that a debit paid for; null for other entries. */
  action: string | null
  /** The id of what the entry is about. */
  reference: string | null
  /** What the operator gave as a reason; null where there is none. */
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
  /** Public keys as JSON Web Keys (RFC 7517): the present one and those still in use. */
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
  /** In words of ours; why no mail server was reached is for its operator. */
  lastError: string | null
  /** What the mail server said when it took or refused the mail. */
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
  /** Where it takes MCP by Streamable HTTP. */
  url: string
  /** Whose values are never shown. */
  headerNames: string[]
  /** Connection whose token is sent to it, starting with `con_`; null: none. */
  connectionId: string | null
  /** Whether a run fails where this server cannot be reached. */
  required: boolean
  /** Whether its tools were never listed, are as they were accepted, or have some that were not. */
  status: McpServerStatus
  /** How many tools it listed last. */
  toolCount: number
  /** Names the tools as they are listed now: what `accept` asks for. */
  toolsDigest: string | null
  /** Why the last request for its tools failed; null where it succeeded. */
  lastFailure: McpServerLastFailure | null
  /** When its tools were last listed; null: never. */
  checkedAt: string | null
  /** When it was made, in UTC. */
  createdAt: string
  /** When it was last changed, in UTC. */
  updatedAt: string
  /** Its tools as they were accepted and as they are listed. */
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
  /** Where it takes MCP by Streamable HTTP. */
  url: string
  /** Whose values are never shown. */
  headerNames: string[]
  /** Connection whose token is sent to it, starting with `con_`; null: none. */
  connectionId: string | null
  /** Whether a run fails where this server cannot be reached. */
  required: boolean
  /** Whether its tools were never listed, are as they were accepted, or have some that were not. */
  status: McpServerStatus
  /** How many tools it listed last. */
  toolCount: number
  /** Names the tools as they are listed now: what `accept` asks for. */
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
  /** JSON Schema of its arguments, as the server gave it. */
  inputSchema: EventTypeSchema
  /** Whether the server declares the tool read-only. */
  readOnly: boolean
  /** Whether the server declares the tool idempotent. */
  idempotent: boolean
  /** Only what is `on` can be called. `gone`: it was accepted, and is not listed any more. */
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
  /** What people call that role. */
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
  /** Data: shown as Markdown or HTML, it is what a stranger may have written. */
  content: string
  /** Of an answer: `length` where it was cut at `maxOutputTokens`. null of what was asked. */
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
  /** What an agent names it by. */
  name: string
  /** Tokens that it reads and writes at most, together. */
  contextTokens: number
  /** Longest answer of one call, in tokens. */
  maxOutputTokens: number
  /** What its tokens cost. */
  prices: ModelPrices
}

export interface ModelPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: Model[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

/** Credits for 1,000 tokens, beside the price of a step. */
export interface ModelPrices {
  /** Credits for 1,000 tokens that the model reads. */
  inputPer1000: number
  /** Credits for 1,000 tokens that the model writes. */
  outputPer1000: number
}

export type Module = 'webhooks' | 'connections' | 'files' | 'knowledge' | 'agents'

export interface OauthClient {
  id: string
  /** What people are shown; an application that registered itself chose it. */
  name: string
  /** Where a browser may be sent back to, letter by letter. */
  redirectUris: string[]
  /** Where a browser may be sent after a sign-out, letter by letter; the `state` of the request is appended, so that none has one of its own. */
  postLogoutRedirectUris: string[]
  /** The one organization whose members can grant it something; null: any. */
  organizationId: string | null
  /** `registered` by the operator, or `dynamic`: it registered itself. */
  origin: OauthClientOrigin
  /** Whether it proves itself with a secret at the token endpoint. */
  isConfidential: boolean
  /** Whether it may ask by a code that a person enters at `/device`. */
  usesDeviceFlow: boolean
  /** When it was made, in UTC. */
  createdAt: string
  /** When it got a grant or a token last; null: never. */
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
  /** The window closes by itself 10 minutes after it was opened. */
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
  /** What the webhook is for, in your own words. Null removes it. */
  description?: string | null | undefined
}

export interface Organization {
  /** Starts with `org_`. */
  id: string
  /** Name of the organization. */
  name: string
  /** What the platform that made it calls it; null where it has no such id. */
  externalId: string | null
  /** Name of its plan; `GET /v1/billing/plans` describes each. */
  plan: string
  /** The role of the caller. */
  role: string
  /** What people call that role. */
  roleName: string
  /** From then on members without a second factor get no JWT for it; null: it requires none. */
  secondFactorRequiredFrom: string | null
  /** How long a member has to add one after that moment, or after joining, whichever is later. */
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
  /** What people call the role, unique in the organization. */
  name: string
  /** The purpose of the role; null: none is given. */
  description: string | null
  /** What its holders may do. docs/scopes.md lists the operations of each. */
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
  /** The one organization that it is for. */
  organizationId: string
  /** The application: an id that starts with `ocl_`, or the URL of its document. */
  clientId: string
  /** What the application calls itself. */
  clientName: string
  /** Where the application had the person sent back to; the IP address of a device that asked by a code. */
  clientHost: string
  /** The part of this server that its tokens are for. */
  resource: string
  /** What it may do, as far as the person still may. */
  scopes: string[]
  /** What it may learn of the person. */
  identityScopes: string[]
  /** Whether it ends when the person signs out. */
  endsWithSession: boolean
  /** When it was made, in UTC. */
  createdAt: string
  /** When tokens were last made of it; null: never. */
  lastUsedAt: string | null
  /** When it ends by itself. */
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
  /** What `POST /v1/billing/checkout` takes as `plan`. */
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
  /** Who takes payments. Null: no provider is configured; the operator grants credits, changes plans and settles checkouts by hand. */
  paymentProvider: 'stripe' | null
  /** What each kind of work costs. */
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
  /** What the key is for; organizations see it in their audit logs. */
  name: string
  /** What the key may in every organization; null: all. */
  scopes: ApiKeyScopes | null
  /** Whether a `POST` for an unknown `ext:` makes the organization, with `DEFAULT_PLAN`. */
  mayCreateOrganizations: boolean
  /** Networks from which the key may come; null: any. */
  allowedAddresses: ApiKeyScopes | null
  /** The last four characters of the key. */
  hint: string
  /** When it was made, in UTC. */
  createdAt: string
  /** From then on the key is refused; null: it does not expire. */
  expiresAt: string | null
  /** When it got its present secret; null while that is the first one. */
  rotatedAt: string | null
  /** When the key was last used, at most a minute out of date; null: never. */
  lastUsedAt: string | null
}

export interface PlatformKeyPage {
  /** The items of this page, the newest first unless the operation says otherwise. */
  data: PlatformKey[]
  /** Pass as `cursor` for the page that follows; null on the last page. */
  nextCursor: string | null
}

export interface PreviewInvitationAnswer {
  /** The address that was invited; the sign-up takes no other. */
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
  /** What people call that role. */
  roleName: string | null
}

export interface Problem {
  /** The same as long as the problem is open. */
  id: string
  kind: ProblemKind
  /** Of a webhook: `disabled`, `parked`, `failing`, or `failed` (it takes deliveries, and some of the last 7 days failed for good). Of runs: `waiting` for a person. Of a connection: its status. Of credits: `low` or `used_up`. Of an API key: `expiring` within 7 days, or `expired` in the last 7. Of a domain: `failing` while its record is missing, and `lost` once it counts no longer. Of an identity provider: `expiring` within 30 days of the end of its last certificate, then `expired`; `waiting` where a setup link has added it and an administrator has to enable it. Of all others: `failed`. */
  state: ProblemState
  /** The webhook, connection, knowledge base, API key, domain or identity provider that it is about. */
  subjectId: string | null
  /** The same in words: a URL, a provider, a name. */
  subject: string | null
  /** Why: `http_503` or `timeout` for instance, or what the last failure was about. */
  reason: string | null
  /** Of files and documents: what happened to the one of `exampleId`, and what to do about it. */
  message: string | null
  since: string
  /** When it is tried next, credits are renewed, or an API key or a certificate expires. */
  nextAt: string | null
  waiting: ProblemWaiting | null
  failed: ProblemFailed | null
  /** Of credits: what can be spent. */
  balance: number | null
  /** One of them to look at first: a delivery, a run, a file, a document or a mail. */
  exampleId: string | null
}

/** What failed for good in the last 7 days and was neither made again nor removed; all of it was made from `since` to before `until`, so that a replay of that time makes exactly these deliveries again. */
export interface ProblemFailed {
  count: number
  /** No more were counted: there may be more. */
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
  nextCursor: null
}

export type ProblemState = 'disabled' | 'parked' | 'failing' | 'used_up' | 'revoked' | 'expired' | 'error' | 'failed' | 'lost' | 'waiting' | 'expiring' | 'low'

/** What waits: deliveries of a webhook, or runs for a person. */
export interface ProblemWaiting {
  count: number
  /** No more were counted: there may be more. */
  atLeast: boolean
}

export interface ProvisionedGroup {
  /** Identifier, starting with `scg_`. */
  id: string
  /** What the directory calls it. */
  displayName: string
  /** How the directory knows it; null: it does not say. */
  externalId: string | null
  /** How many users it has. */
  users: number
  /** `administrator`, `member`, or the id of a role of the organization; null: it gives none. */
  role: string | null
  /** What people call that role; null: it gives none. */
  roleName: string | null
  /** Of several groups of a user the one with the highest gives the role. */
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
  /** What the directory calls the person. */
  userName: string
  /** The address of the person, in lower case. */
  email: string
  /** How the directory knows the person; null: it does not say. */
  externalId: string | null
  /** Whether the directory lets the person in. */
  active: boolean
  /** Account that the person was admitted as, starting with `acc_`; null while there is none. */
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
  /** Those of them who may come in. */
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
  /** What RFC 7644 calls the error; null where it has no name for it. */
  scimType: string | null
  /** What went wrong, in a sentence; null: the request succeeded. */
  detail: string | null
  /** User or group that the request named or created, starting with `scu_` or `scg_`; null: it named none by an id of Postern. */
  resourceId: string | null
  /** How the directory knows that user or group; null: it does not say, or it is deleted. */
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
  /** How many webhooks it is on its way to, those that are paused or disabled included. */
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
  /** The first 100 of them. */
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
  /** How many webhooks it is on its way to, those that are paused or disabled included. */
  deliveries?: number | undefined
  /** Present where it was refused. */
  error?: PublishEventsAnswerResultError | undefined
}

export interface PublishEventsAnswerResultError {
  /** Code of the catalogue. */
  code: string
  /** What is wrong, for people. */
  message: string
  /** `field`, `value`, `reason` and the other details of the code. */
  details: EventTypeSchema
}

export interface PublishEventsBody {
  /** Each succeeds or fails by itself. */
  events: PublishEventBody[]
}

export interface ReadDeviceRequestBody {
  /** The code that the device shows, with or without what separates its letters. */
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
  /** When the access token ends; null: the provider did not say. */
  expiresAt: string | null
  /** When the access token was last renewed; null: never. */
  refreshedAt: string | null
}

export interface RemoveMemberFactorsAnswer {
  removedFactors: number
}

export interface RenameFactorBody {
  /** What the person calls it. */
  name: string
}

export interface RenameOrganizationBody {
  /** The new name, unique among the organizations of the server. */
  name?: string | undefined
  /** From when on members need a second factor; null requires none. */
  secondFactorRequiredFrom?: string | null | undefined
  /** How long a member has to add one after that moment, or after joining, whichever is later; 0 at first. */
  secondFactorGraceMs?: number | undefined
  /** Whether its members sign in by its identity provider. It takes `sign_in:write`, too. */
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
  /** Shown in this answer alone. */
  recoveryCodes: string[]
}

export interface Replay {
  /** Starts with `rpl_`. */
  id: string
  /** Null where it is of all webhooks. */
  webhookId: string | null
  /** `running` until a new delivery was made for every event that it covers. */
  status: ReplayStatus
  /** `all` have ended, either way; `undelivered` are pending or have failed. What is pending is made due now instead of again. */
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
  /** How many there were to make when it began, as far as they were counted; more where others have come to have the status since. */
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
  /** Whether there may be more, too many to be counted. */
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
  /** As it came with the delivery. */
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
  /** The address that the account is to get. */
  newEmail: string
  /** In place of a recent sign-in, where the account has no second factor. */
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
  /** Of the answer to the last attempt: one, or a hundred of them. */
  statusCode?: string | undefined
  /** One or several of: timeout, dns, refused, reset, tls, invalid_answer, blocked_address, http_3xx, http_4xx, http_5xx, http_other; with a comma between two. */
  errorClass?: string | undefined
  /** Only deliveries made at or after this moment. */
  since?: string | undefined
  /** Only deliveries made before this moment. */
  until?: string | undefined
  /** Only these. Ids of deliveries of others, or that were removed, are ignored. */
  ids?: string[] | undefined
  /** Only tells how many there are; nothing is changed. */
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
  /** What you call it. */
  name: string
  url: string
  /** Names of the headers that are sent with every request; their values are never shown. */
  headerNames: string[]
  /** `active`; `failing` since its last request was not taken; or `paused`. */
  status: AuditStreamStatus
  /** When it was made, in UTC. */
  createdAt: string
  /** Since when it is paused; null: it is not. */
  pausedAt: string | null
  /** What it has not taken. */
  unsent: AuditStreamUnsent
  /** How many entries it has taken. */
  sent: number
  /** How many entries were given up, 30 days after `AUDIT_DAYS`. */
  lost: number
  /** When it took entries last; null: never. */
  lastSentAt: string | null
  /** Requests that failed since the last success. */
  failures: number
  /** Since when it fails; null: it does not. */
  failingSince: string | null
  /** Why the last request was not taken, such as `http_503` or `timeout`; null: it was. */
  lastError: string | null
  /** Before then it is not tried again; null: it is tried at once. */
  nextAttemptAt: string | null
  /** The secret of the key, for `Authorization: Bearer`. It is shown this once. */
  secret: string
  /** From then on the secret before signs no more. */
  previousExpiresAt: string
}

export interface RotateIdentityProviderKeysBody {
  /** Days for which the present keys work on. */
  overlapDays?: number | undefined
}

export interface RotatePlatformKeyAnswer {
  id: string
  /** What the key is for; organizations see it in their audit logs. */
  name: string
  /** What the key may in every organization; null: all. */
  scopes: ApiKeyScopes | null
  /** Whether a `POST` for an unknown `ext:` makes the organization, with `DEFAULT_PLAN`. */
  mayCreateOrganizations: boolean
  /** Networks from which the key may come; null: any. */
  allowedAddresses: ApiKeyScopes | null
  /** The last four characters of the key. */
  hint: string
  /** When it was made, in UTC. */
  createdAt: string
  /** From then on the key is refused; null: it does not expire. */
  expiresAt: string | null
  /** When it got its present secret; null while that is the first one. */
  rotatedAt: string | null
  /** When the key was last used, at most a minute out of date; null: never. */
  lastUsedAt: string | null
  /** The secret of the key, for `Authorization: Bearer`. It is shown this once. */
  key: string
  /** From then on the secret before is refused. */
  previousExpiresAt: string
}

export interface RotatePlatformKeyBody {
  /** How long the secret before is still accepted. */
  overlapHours?: number | undefined
}

export interface RotateWebhookSecretAnswer {
  /** Starts with `whk_`. */
  id: string
  /** The new secret, which signs from now on. It is shown this once. */
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
  /** `queued`: it waits for its turn. `waiting`: it waits for a decision about each call in `approvals`. `succeeded`, `failed` and `cancelled` are final, but for a failed run that is resumed. */
  status: RunStatus
  /** What the agent was asked. */
  input: string
  /** Files whose text the agent reads; each id starts with `fil_`. */
  fileIds: string[]
  /** What the model reads about files that could not be read, or not as a whole. */
  fileNotes: RunFileNote[]
  /** Facts of your own, stored with the run and sent with `agent.run.completed`. */
  metadata: EventTypeSchema
  /** What the agent answered; null unless the run has succeeded. */
  output: string | null
  /** Why the model ended its answer. `stop`: the answer is complete. `length`: it was cut at `maxOutputTokens`. `refused`: the model refused to answer. */
  finishReason: RunFinishReason | null
  /** Why it failed; null otherwise. */
  error: RunError | null
  /** The first call that waits for a decision; null where none does. */
  approval: RunApproval | null
  /** The calls that wait for a decision; the run continues when all of them are decided. */
  approvals: RunApproval[]
  /** Number of its steps, decisions and steps under way included. */
  steps: number
  /** Tokens of all its steps. */
  usage: RunUsage
  /** What its steps have cost. */
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
  /** Who may decide about it. */
  approvers: AgentToolApprovers
}

export interface RunError {
  /** A code of the error catalogue. */
  code: string
  /** What happened, and what to do about it. */
  message: string
  /** The cause within the code, and the message of the model's provider. */
  details: RunErrorDetails
}

export interface RunErrorDetails {
  /** The cause within the code, for programs; null where the code has only one. */
  reason: string | null
  /** The provider's own words about a failure, as it sent them. */
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
  /** As an API key is made with it, such as `events:write`. */
  scope: string
  /** The lowest role that has it. */
  role: string
  /** The module of a plan to which its operations belong. */
  module: string | null
  /** What it permits, in one sentence. */
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
  /** By what was searched. */
  mode: SearchKnowledgeBaseAnswerMode
  /** Why it was not by vectors, where that was asked for or the base is for it. */
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
  /** Higher is better; of one answer alone. */
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
  /** What the machine is called where it has done something. */
  name: string
  /** The purpose of the machine; null: none is given. */
  description: string | null
  /** The member to ask about it, starting with `acc_`; null once that person has left. */
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
  /** The one organization that it opens, where its identity provider began it; null: all of the account. */
  organizationId: string | null
  /** The identity provider of an organization that began it; null: it is the own sign-in of the person. */
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
  /** When it was last used, at most an hour out of date. */
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
  /** What the person has chosen for mails; null: that of the organization. */
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
  /** What people call that role. */
  roleName: string
  /** `disabled` while the operator has shut the organization out. */
  status: SessionUserOrganizationStatus
  /** From when on the person gets no JWT of the organization without a second factor; null: none is required, or there is one. */
  secondFactorDueAt: string | null
}

export type SessionUserOrganizationStatus = 'active' | 'disabled'

export type SessionUserStatus = 'inactive' | 'active' | 'disabled'

export interface Setup {
  /** The name of the organization. */
  organization: string
  /** What the link is for. */
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
  /** As of `GET /v1/domains`. */
  status: DomainStatus
  /** What to publish in the domain name system. */
  record: SetupDomainRecord
  /** Why the last check found no proof; null: it found one, or there was none. */
  reason: DomainReason | null
}

export interface SetupDomainRecord {
  /** Always `TXT`. */
  type: string
  /** Where to publish it. */
  name: string
  /** What it must say. */
  value: string
}

export type SetupDomains = SetupDomain[]

export interface SetupIdentityProvider {
  /** To be registered at the provider; of SAML the address that takes answers (ACS, HTTP-POST). */
  redirectUri: string
  /** Of SAML: what Postern calls itself there. */
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
  /** What the last sign-in there showed, with the present settings; null: there was none. */
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
  /** What it may be used for, and nothing else. */
  purposes: SetupLinkPurpose[]
  /** Where it is mailed to; null or omitted: its maker hands it over. */
  email: string | null
  /** Whether a sign-in that works enables the identity provider; else an administrator does. */
  activates: boolean
  /** As of the identity provider that is added by it. */
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
  /** The link, once and only where it was not mailed. */
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
  /** The short code of the mail, for another browser than the one that asked. */
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
  /** Where the browser must go to sign in at the provider. */
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
  /** What the browser answered to the options, as `toJSON()` writes it. */
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
  /** Always true: without a session there is nothing to end. */
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
  /** Null where the address must be confirmed first: a mail with a link is on its way. */
  session: SessionContent | null
  /** Whether the person must open the link of a mail before signing in. */
  emailVerificationRequired: boolean
}

export interface SignUpWithEmailBody {
  /** Given name, as others in the organization see it. */
  firstName: string
  /** Family name, as others in the organization see it. */
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
  /** The address that the account is to get. */
  newEmail: string
}

export interface StartPasskeyFactorAnswer {
  options: StartPasskeyFactorAnswerOptions
}

/** For `PublicKeyCredential.parseRequestOptionsFromJSON`, or `parseCreationOptionsFromJSON` of a new passkey. */
export type StartPasskeyFactorAnswerOptions = { [name: string]: unknown }

export interface StartRunBody {
  /** What the agent is asked. */
  input: string
  /** Starts with `cnv_`, which may be left out. */
  conversationId?: string | undefined
  /** Files whose text the agent reads; each id starts with `fil_`. */
  fileIds?: string[] | undefined
  /** Facts of your own, stored with the run and sent with `agent.run.completed`. */
  metadata?: FreeObject | undefined
}

export interface StartTotpAnswer {
  id: string
  name: string
  /** In base32, for apps into which it is typed. Shown in this answer alone. */
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
  /** What the person calls the app; `Authenticator app` where it is left out. */
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
  /** Call in the answer of the model that this step carries out or asks a decision about; null for a call of a model. */
  callId: string | null
  /** JSON, as the model wrote it. */
  arguments: string | null
  /** What the model said, or what the tool answered. */
  text: string | null
  /** Tool calls of the model. */
  calls: StepCall[]
  /** Why it failed, or why its outcome is unknown; of a decision, the reason that was given with it. Null otherwise. */
  reason: string | null
  /** Why the model ended its answer. `stop`: the answer is complete. `length`: it was cut at `maxOutputTokens`. `refused`: the model refused to answer. */
  finishReason: RunFinishReason | null
  /** The provider's own words about a failure, as it sent them. */
  providerMessage: string | null
  /** How often it was begun; more than once where a process ended during the step and the step may be repeated. */
  tries: number
  /** Tokens of this step. */
  usage: RunUsage
  /** Credits that it cost. */
  credits: number
  /** Account or API key that approved or denied; null for other steps, and while the decision is open or has expired. */
  decidedBy: string | null
  /** When it was last begun. */
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
  /** As it was sent with the bytes, without parameters, and once it is processed, as its content says. */
  mediaType: string
  /** Size of the bytes as they are stored. */
  sizeBytes: number
  /** In hex. */
  sha256: string
  /** `processed`: its text can be read; where `error` is beside it, it is that of an earlier reading. `failed`: there is no text, and `error` says why; the bytes are kept. */
  status: StoredFileStatus
  /** Why the last reading of its text failed; null where it succeeded. */
  error: StoredFileError | null
  /** How long its text is, once there is one. */
  textChars: number | null
  /** Whether there was more text than is kept. */
  textTruncated: boolean
  /** How its letters are written, as was said with the bytes or when it was read again. */
  charset: string | null
  /** What is to be known of how its text was read, such as a charset that was found by the bytes alone. */
  warnings: StoredFileWarning[]
  /** Account or service account that made it; null once that is gone. */
  createdBy: string
  /** When it was made, in UTC. */
  createdAt: string
  /** When the last reading of its text ended, well or not; null until then. */
  processedAt: string | null
}

/** Why the last reading failed. */
export interface StoredFileError {
  /** A code of the catalogue. */
  code: string
  /** The cause within the code, for programs; null where the code has only one. */
  reason: string | null
  /** What happened, and what to do about it. */
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
  /** Why it was not taken, such as `http_503` or `timeout`; null where it was. */
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
  /** What people call the agent. */
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
  /** What an answer that was cut at `maxOutputTokens` does: `keep`, the default, ends the run with what was said, `fail` fails it. Calls of tools in such an answer are not made in either case. */
  onLength?: AgentOnLength | undefined
  /** What a call of the model does that failed and may have been paid: `fail`, the default, fails the run, `retry` asks twice more, `fallback` asks `fallbackModel`. One that cannot have been paid is tried again up to 10 times in a row, twice where `fallback` follows. */
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
  /** What you call it. */
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
  /** What people call it, in mails, too. */
  name?: string | undefined
  /** `active`, or `disabled`: sign-ins by it are refused. */
  status?: SessionUserOrganizationStatus | undefined
  /** The new OpenID Connect settings. */
  oidc?: CreateIdentityProviderBodyOidc | undefined
  /** The new SAML settings. Omitted members keep their values. */
  saml?: CreateIdentityProviderBodySaml | undefined
  /** Whether a sign-in with an address of a proven domain makes a membership. */
  createsMemberships?: boolean | undefined
  /** Whether the rules for roles are applied at each sign-in, and not only at the first. Who has a role from a group of the directory keeps it. */
  managesRoles?: boolean | undefined
  /** Role of members without a matching rule: `administrator`, `member`, or an id that starts with `rol_`. */
  defaultRole?: string | undefined
  /** The first one that matches names the role. */
  roleRules?: CreateIdentityProviderBodyRoleRule[] | undefined
  /** Values that count as a second factor: of `amr` or `acr`; by SAML of the class of the authentication. */
  secondFactorValues?: string[] | undefined
  /** Whether signing out also ends the session at the provider. Default: `false`. */
  endsProviderSession?: boolean | undefined
}

export interface UpdateKnowledgeBaseBody {
  /** Unique in the organization. */
  name?: string | undefined
  /** The model that the server has, or null for none. Unless given, the model where there is one. */
  embedding?: string | null | undefined
}

export interface UpdateMcpServerBody {
  /** What its tools are called by: `{name}__{tool}`. Of the organization’s servers none has the same. */
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
  /** What people call the role, unique in the organization. */
  name?: string | undefined
  /** The purpose of the role; null: none is given. */
  description?: string | null | undefined
  /** All that its holders may do from now on. docs/scopes.md lists the operations of each. */
  permissions?: CreateRoleBodyPermission[] | undefined
}

export interface UpdateServiceAccountBody {
  /** What the machine is called where it has done something. */
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
  /** What the webhook is for, in your own words. Null removes it. */
  description?: string | null | undefined
  /** `paused` keeps events until it is `active` again. */
  status?: UpdateWebhookBodyStatus | undefined
  /** Attempts at once, at most; 256 unless set. Below it as many are made as are answered well, and no slower than usual. */
  maxInFlight?: number | undefined
  /** Calls a second that the destination takes. What waits for that is neither late nor failed. */
  maxPerSecond?: number | null | undefined
}

export type UpdateWebhookBodyStatus = 'active' | 'paused'

export interface UploadFileBody {
  /** The bytes of the file. */
  file: string
  /** Name of the file; that of the part where it is left out. */
  name?: string | undefined
  /** How its letters are written; it comes before what the `Content-Type` says. */
  charset?: string | undefined
}

export interface VerifyEmailBody {
  /** The secret of the confirmation link, which follows `?token=`. It works once. */
  token: string
  /** The one of the sign-up. Asked for in every browser but the one that signed up. */
  password?: string | undefined
}

export interface VerifySecondFactorAnswer {
  /** Until when the session need not show another. */
  shownUntil: string
}

export interface VerifyTotpAnswer {
  /** The factor, which counts from now on. */
  factor: Factor
  /** Shown in this answer alone; null where the account had a factor before. */
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
  /** Event types that are sent; `*` stands for all. */
  events: string[]
  /** Opens `POST /v1/webhooks/{endpointPath}` to external systems; null: no such path. */
  endpointPath: string | null
  /** What the webhook is for; null without a description. */
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
  /** Asked for to try the webhook; no replay makes it again. */
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
  /** Of the last attempt: `http_` and the status, or `timeout`, `dns`, `refused`, `reset`, `tls`, `invalid_answer`, `blocked_address`. Of a disabled webhook, why it is. */
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
  /** How `body` is written: as the JSON value that it is, as text, or as base64. */
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
  /** Calls at once: how many there are, and how many there may be. */
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
  /** Attempts at once that it is trusted with at present, within `maxInFlight`; up to 10 s old. */
  level: number
  /** Since when the webhook is parked: one delivery at a time is tried, because the destination keeps failing; null: it is not parked. */
  parkedAt: string | null
}

/** What the attempts took that ended deliveries, in milliseconds: estimates, each within 10 % of the true percentile. */
export interface WebhookStatsLatencyMs {
  /** Half of the attempts took at most so many milliseconds. */
  p50: number
  /** 95 of 100 attempts took at most so many milliseconds. */
  p95: number
  /** 99 of 100 attempts took at most so many milliseconds. */
  p99: number
  /** How far each may be from the true one at most, as a share of that. */
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
  /** Also deletes the API keys that it made or rotated, and those that were made with them. */
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
  /** Only those that hold this text in their name, in capitals or not. */
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
  /** What your platform calls it: letters, digits and `. _ : @ | / + = ~ -`, unique on the installation; upper and lower case differ. */
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
  /** Only keys that have this scope and no other, such as the keys of a directory (`scim:write`). */
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
  /** Of the answer to the last attempt: one, or a hundred of them. */
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
  /** Who published it: the id of an account or of a service account. */
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
  /** Only those that hold this text in their name, in capitals or not. */
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
  /** Only those that hold this text in their name or e-mail address, in capitals or not. */
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
  /** Only those that hold this text in their URL or description, in capitals or not. */
  search?: string | undefined
  /** Those that ask for events of this type, or of every one. */
  eventType?: string | undefined
}

export interface PreviewInvitationQuery {
  /** The secret of a link, which follows `?token=`. */
  token: string
}

export interface ProcessFileQuery {
  /** How its letters are written; it comes before what the `Content-Type` says. */
  charset?: string | undefined
}

export interface PublishEventQuery {
  /** Checks the event and names the webhooks that it would go to; writes nothing. */
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
  /** The `nextCursor` of the page before. It is of one text: once another has taken the place of that, it is refused. */
  cursor?: string | undefined
}

export interface ReadFileTextQuery {
  /** The `nextCursor` of the page before. It is of one text: once another has taken the place of that, it is refused. */
  cursor?: string | undefined
}

export interface ReadWebhookStatsQuery {
  /** How far to look back: minutes, hours or days, such as `90m`, `24h` or `7d`. */
  window?: string | undefined
}

export interface RemoveMemberQuery {
  /** Also deletes the API keys that they made or rotated, and those that were made with them; takes `keys:write` as well. */
  endKeys?: boolean | undefined
}

export interface SignOutQuery {
  /** An absolute URL on one of `ALLOWED_ORIGINS`. */
  callbackURL?: string | undefined
}

export interface StreamOrganizationQuery {
  /** What to watch, separated by commas: deliveries, replays, webhooks, captures, invitations, files, documents, domains, identity-providers, setup-links, api-keys, runs. Without it, all that the caller may see: captures and invitations are for administrators, API keys, domains, identity providers and setup links for those who may read them, runs for their owner and administrators. */
  topics?: string | undefined
  /** Starts with `whk_`, which may be left out. */
  webhookId?: string | undefined
}

export interface UploadFileQuery {
  /** The name; where it is a filter, only names that hold it. */
  name?: string | undefined
  /** How its letters are written; it comes before what the `Content-Type` says. */
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
  /** Take back the change of address that waits. Both links stop working. The answer is the same where none waits. (`DELETE /v1/auth/change-email`) */
  cancelEmailChange(options?: CallOptions): Promise<void>
  /** Ask to change one's own address. Mails both mailboxes, and changes nothing before both have agreed, within 24 hours. One answer, whether or not the address has an account. It asks for a second factor of the last 10 minutes; of who has none, for `currentPassword` or a sign-in of the last 10 minutes. A newer request replaces an earlier one. (`POST /v1/auth/change-email`) */
  changeEmail(body: RequestEmailChangeBody, options?: CallOptions): Promise<RequestMagicLinkAnswer>
  /** Change the password. Ends every other session of the account, and every link that was mailed to it. Who has no password yet asks for a reset. (`POST /v1/auth/change-password`) */
  changePassword(body: ChangePasswordBody, options?: CallOptions): Promise<ChangePasswordAnswer>
  /** Agree to a change of address, at either mailbox. The second of the two changes it: every other session of the account ends, with every mailed link and grant. Either link asks for a session of the account (`UNAUTHORIZED` without one, `own_sign_in_required` in one of an organization's identity provider), but for a change that the operator began. Where no mailbox of the account was ever proven, the last of them ends the password, and all that was set up before. `DUPLICATE` where the new address has another person's account. (`POST /v1/auth/change-email/confirm`) */
  confirmEmailChange(body: ConfirmEmailChangeBody, options?: CallOptions): Promise<ConfirmEmailChangeAnswer>
  /** Read the change of address that waits. `change` is null where none does. (`GET /v1/auth/change-email`) */
  emailChange(options?: CallOptions): Promise<EmailChange>
  /** Refuse a change of address, at either mailbox. Both links stop working, and the address stays. (`POST /v1/auth/change-email/refuse`) */
  refuseEmailChange(body: ConfirmEmailChangeBody, options?: CallOptions): Promise<RequestMagicLinkAnswer>
  /** Change one's own names and language. (`PATCH /v1/auth/account`) */
  update(body: ChangeAccountBody, options?: CallOptions): Promise<SessionUser>
}

export interface AccountsMethods {
  /** Disable or enable an account. (`PATCH /v1/operator/accounts/{id}`) */
  change(id: string, body: ChangeAccountStatusBody, options?: CallOptions): Promise<Account>
  /** Begin a change of the address of an account. For a person who has lost the present mailbox, which is told and may refuse. The address changes when the new mailbox confirms it, within 24 hours; every session then ends. (`POST /v1/operator/accounts/{id}/email-change`) */
  changeEmail(id: string, body: StartAccountEmailChangeBody, options?: CallOptions): Promise<RequestMagicLinkAnswer>
  /** Delete an account. There is no way back. Its sessions, memberships, links, invitations and mails go with it; its entries in the audit log stay, under its id. Invited again, the address is a new account. (`DELETE /v1/operator/accounts/{id}`) */
  delete(id: string, query: DeleteAccountQuery, options?: CallOptions): Promise<void>
  /** End all sessions of an account. In all of its organizations, with their tokens and open streams, and every link and code that was mailed to it. The person signs in once more. (`DELETE /v1/operator/accounts/{id}/sessions`) */
  endSessions(id: string, options?: CallOptions): Promise<EndOtherSessionsAnswer>
  /** Import accounts of another system. Each is what a line of `npx postern import-accounts` is. An account that exists is never changed, so that the same request may be sent again. A refused account does not hold up the others; 100 at a time are imported together. (`POST /v1/operator/accounts/import`) */
  import(body: ImportAccountsBody, options?: CallOptions): Promise<ImportAccountsAnswer>
  /** List the accounts of the installation. (`GET /v1/operator/accounts`) */
  list(query?: ListAccountsQuery, options?: CallOptions): Pages<AccountItem>
  /** Read an account, with its organizations. (`GET /v1/operator/accounts/{id}`) */
  read(id: string, options?: CallOptions): Promise<Account>
  /** Remove the second factors of an account. For a person who has lost all of them, recovery codes too. Ends every session and every mailed link of the account, and mails the person. The last exception from the required sign-in of an organization keeps them (`FORBIDDEN`, `reason: last_exception`, `organizationId`) until that is not required any more (`signInRequired`). (`DELETE /v1/operator/accounts/{id}/factors`) */
  removeFactors(id: string, options?: CallOptions): Promise<RemoveMemberFactorsAnswer>
}

export interface ActorsMethods {
  /** Name who did something. Names for the ids in `createdBy`, `actorId`, `decidedBy` and `inviterId`: of members, of former members as they were called when they left, of service accounts, of API keys (`keyId`), of keys of the platform, of identity providers, and of setup links. An id that the organization does not know, or whose account or key is deleted, is not in the answer. Scope: `members:read`. (`GET /v1/actors`) */
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
  /** List an agent's runs. Of a member the member's own, of an administrator all. Scope: `runs:read`. (`GET /v1/agents/{id}/runs`) */
  runs(id: string, query?: ListAgentRunsQuery, options?: CallOptions): Pages<Run>
  /** Change an agent. Makes a new version for the runs that are accepted from then on; runs that were accepted before keep theirs. Scope: `agents:write`, with `knowledgeBaseIds` `knowledge:read`, with `tools` `mcp_servers:read`. (`PATCH /v1/agents/{id}`) */
  update(id: string, body: UpdateAgentBody, options?: CallOptions): Promise<Agent>
  /** List the versions of an agent. Newest first; new runs use the first one. Scope: `agents:read`. (`GET /v1/agents/{id}/versions`) */
  versions(id: string, query?: ListAgentVersionsQuery, options?: CallOptions): Pages<AgentVersion>
}

export interface ApiKeysMethods {
  /** Create an API key. The answer holds the `key`; it is never shown again. Use it as `Authorization: Bearer psk_…`. The key belongs to a service account: the one of `serviceAccountId`, else a new one of the same name. It ends when it is deleted, when it expires, or with its service account; it stays when its maker leaves. A key as the caller makes no key that may do more, come from elsewhere or last longer than itself: unless said otherwise, the new one has its addresses and its end. Scope: `keys:write`. (`POST /v1/api-keys`) */
  create(body: CreateApiKeyBody, options?: CallOptions): Promise<CreatedApiKey>
  /** Delete an API key. It stops working at once, open streams included, and its pending invitations are revoked. Its service account stays, and so do the keys that were made with it, unless `withMade` is true. Scope: `keys:write`. (`DELETE /v1/api-keys/{id}`) */
  delete(id: string, query?: DeleteApiKeyQuery, options?: CallOptions): Promise<void>
  /** List API keys. Scope: `keys:read`. (`GET /v1/api-keys`) */
  list(query?: ListApiKeysQuery, options?: CallOptions): Pages<ApiKey>
  /** Read an API key. Scope: `keys:read`. (`GET /v1/api-keys/{id}`) */
  read(id: string, options?: CallOptions): Promise<ApiKey>
  /** Rotate an API key. The answer holds the new secret (`key`), once. The one before works for `overlapHours` more, and each earlier one until its own end, 5 at most (`too_many_secrets`). With `overlapHours: 0` every earlier secret ends at once, which is the way to answer a leak. Scope: `keys:write`. (`POST /v1/api-keys/{id}/rotate`) */
  rotate(id: string, body: RotateApiKeyBody, options?: CallOptions): Promise<CreatedApiKey>
  /** List the scopes. What callers of an organization may be permitted, in the order of the table. `x-scope` of each operation names the one that it asks for. (`GET /v1/scopes`) */
  scopes(options?: CallOptions): Pages<Scope>
  /** Change an API key. Its name, description, addresses and expiry; what it may do never changes. A key as the caller changes no key that may do more, come from elsewhere or last longer than itself. Scope: `keys:write`. (`PATCH /v1/api-keys/{id}`) */
  update(id: string, body: UpdateApiKeyBody, options?: CallOptions): Promise<ApiKey>
}

export interface AuditLogMethods {
  /** List the audit log. What happened in the organization, and at the accounts of its members while they were members. Kept for `AUDIT_DAYS`. Scope: `audit:read`. (`GET /v1/audit-log`) */
  list(query?: ListAuditEntriesQuery, options?: CallOptions): Pages<AuditEntry>
}

export interface AuditStreamsMethods {
  /** Stream the audit log to a URL. Every entry that is written from then on, of all organizations and of none, is POSTed there as lines of JSON, at least once. The answer holds the `secret` that signs; it is never shown again. (`POST /v1/operator/audit-streams`) */
  create(body: CreateAuditStreamBody, options?: CallOptions): Promise<CreatedAuditStream>
  /** Delete a stream of the audit log. What it has not taken is not sent any more; the audit log itself stays. (`DELETE /v1/operator/audit-streams/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List the streams of the audit log. How far each is behind, since when it fails, and why. (`GET /v1/operator/audit-streams`) */
  list(options?: CallOptions): Pages<AuditStream>
  /** Give a stream of the audit log another secret. The answer holds the new `secret`, this once. The one before signs beside it for 24 hours. (`POST /v1/operator/audit-streams/{id}/rotate-secret`) */
  rotateSecret(id: string, options?: CallOptions): Promise<RotateAuditStreamSecretAnswer>
  /** Send a sample to a stream of the audit log. POSTs one entry with the action `audit_stream.tested`, which is in no audit log, and answers what the destination did. Works while it is paused. (`POST /v1/operator/audit-streams/{id}/test`) */
  test(id: string, options?: CallOptions): Promise<TestAuditStreamAnswer>
  /** Change, pause or resume a stream of the audit log. What it has not taken is kept while it is paused, and goes to a new URL. It is tried at once. (`PATCH /v1/operator/audit-streams/{id}`) */
  update(id: string, body: UpdateAuditStreamBody, options?: CallOptions): Promise<AuditStream>
}

export interface AuthMethods {
  /** Read what an application asks for. For the page for consent, in the browser in which the application asked. (`GET /v1/auth/authorizations/{id}`) */
  authorization(id: string, options?: CallOptions): Promise<Authorization>
  /** Grant or refuse what an application asks for. A grant is for one organization. The scopes are some of those that were asked for; what the person may not do in the organization is left out. (`POST /v1/auth/authorizations/{id}`) */
  decideAuthorization(id: string, body: DecideAuthorizationBody, options?: CallOptions): Promise<DecideAuthorizationAnswer>
  /** Grant or refuse what a device asks for. A grant is for one organization. The scopes are some of those that were asked for; what the person may not do in the organization is left out. (`POST /v1/auth/devices/decision`) */
  decideDevice(body: DecideDeviceRequestBody, options?: CallOptions): Promise<void>
  /** Read what a device asks for. For the page on which a person enters the code that a device shows. It changes nothing. (`POST /v1/auth/devices`) */
  device(body: ReadDeviceRequestBody, options?: CallOptions): Promise<DeviceRequest>
  /** End what the account has granted to an application. Its access and refresh tokens stop working at once, open streams included. (`DELETE /v1/auth/grants/{id}`) */
  endGrant(id: string, options?: CallOptions): Promise<void>
  /** Come back from an identity provider. Called by the provider. Redirects to the `callbackURL` with a session, or to the `errorCallbackURL` with `error` and `error_description`. (`GET /v1/auth/callback/{provider}`) */
  finishWithProvider(provider: string, query?: FinishSignInWithProviderQuery, options?: CallOptions): Promise<Response>
  /** Make the first organization and its administrator. With the token of the link that a start at a terminal shows while there is no account. Signs the administrator in. One answer for a token that is unknown, used or expired, and for any token once there is an account. Input that is refused does not use up the token. (`POST /v1/auth/first-start`) */
  firstStart(body: CreateFirstAdministratorBody, options?: CallOptions): Promise<Session>
  /** List what the account has granted to applications. (`GET /v1/auth/grants`) */
  grants(query?: ListOwnGrantsQuery, options?: CallOptions): Pages<OwnGrant>
  /** The page that a sign-in link opens. It changes nothing: mail scanners open links too. (`GET /v1/auth/magic-link/verify`) */
  openMagicLink(options?: CallOptions): Promise<Response>
  /** Read what a sign-in waits for. For a page to which a redirect led. `UNAUTHORIZED` where this browser has no sign-in that waits. (`GET /v1/auth/sign-in/second-factor`) */
  pendingSignIn(options?: CallOptions): Promise<PendingSignIn>
  /** Ask for a sign-in link. One answer, whether or not the address has an account. Sets a cookie that binds the link to this browser. (`POST /v1/auth/magic-link`) */
  requestMagicLink(body: RequestMagicLinkBody, options?: CallOptions): Promise<RequestMagicLinkAnswer>
  /** Ask for a password reset mail. One answer, whether or not the address has an account. An invited person gets the invitation again. (`POST /v1/auth/forget-password`) */
  requestPasswordReset(body: RequestPasswordResetBody, options?: CallOptions): Promise<RequestMagicLinkAnswer>
  /** Replace the password. Ends every session of the account and begins none. A password that is refused does not use up the token. (`POST /v1/auth/reset-password`) */
  resetPassword(body: ResetPasswordBody, options?: CallOptions): Promise<RequestMagicLinkAnswer>
  /** Sign in with e-mail and password. (`POST /v1/auth/sign-in/email`) */
  signIn(body: SignInWithEmailBody, options?: CallOptions): Promise<Session>
  /** Sign in with the link or the code. `{ token }` in the browser that asked, `{ email, code }` there, or `{ token, code }` anywhere else. A posted form is answered with a redirect. (`POST /v1/auth/magic-link/verify`) */
  signInWithMagicLink(body: SignInWithMagicLinkBody, options?: CallOptions): Promise<SignInWithMagicLinkAnswer>
  /** Sign in with the identity provider of an organization. Names one of `email`, `identityProviderId` and `organizationId`. An address finds the organization that has proven its domain; the answer tells nothing of accounts. Redirect the browser to `authUrl`; it arrives at `callbackURL` with a session that opens that organization alone. Without such a provider the answer is `VALIDATION_FAILED` with `reason: no_identity_provider`. (`POST /v1/auth/sign-in/sso`) */
  signInWithOrganization(body: SignInWithOrganizationBody, options?: CallOptions): Promise<SignInWithProviderAnswer>
  /** Sign in with a passkey. What the browser answered, as `toJSON()` writes it. No second factor is asked for: the device has verified the person. Every failure is one answer. (`POST /v1/auth/sign-in/passkey`) */
  signInWithPasskey(body: SignInWithPasskeyBody, options?: CallOptions): Promise<Session>
  /** Sign in with an identity provider. Redirect the browser to `authUrl`; the provider sends it back, and it arrives at `callbackURL` with a session cookie. Sets a cookie that binds the flow to this browser. (`POST /v1/auth/sign-in/social`) */
  signInWithProvider(body: SignInWithProviderBody, options?: CallOptions): Promise<SignInWithProviderAnswer>
  /** Complete a sign-in with a second factor. After a door answered `UNAUTHORIZED` with `reason: second_factor_required`, in the same browser, within 10 minutes and five tries. `{ code }` of an authenticator app, `{ recoveryCode }`, or `{ passkey }`; each is good once. (`POST /v1/auth/sign-in/second-factor`) */
  signInWithSecondFactor(body: SignInWithSecondFactorBody, options?: CallOptions): Promise<SignInWithSecondFactorAnswer>
  /** End the session. Idempotent: without a session it succeeds too. Where the session was begun by an identity provider with `endsProviderSession`, the answer has `redirectTo`: send the browser there, and the session at the provider ends as well. From there it comes back to `callbackURL`, or to a page that says that it is signed out. (`POST /v1/auth/sign-out`) */
  signOut(query?: SignOutQuery, options?: CallOptions): Promise<SignOutAnswer>
  /** End the session as an application has asked. For the page that `/oauth/logout` leads to, with the parameters of that request. Idempotent: without a session it succeeds too. (`POST /v1/auth/sign-out/application`) */
  signOutForApplication(body: SignOutForApplicationBody, options?: CallOptions): Promise<SignOutForApplicationAnswer>
  /** Sign up with an invited address. With the `invitationToken` of the mail the sign-up completes at once. Without it the account stays inactive until the address is confirmed by the mail that is sent. (`POST /v1/auth/sign-up/email`) */
  signUp(body: SignUpWithEmailBody, options?: CallOptions): Promise<SignUpWithEmailAnswer>
  /** The public keys of the JWTs. (`GET /v1/auth/jwks`) */
  signingKeys(options?: CallOptions): Promise<ListSigningKeysAnswer>
  /** Begin to show a passkey as a second factor. In the browser whose sign-in waits. (`POST /v1/auth/sign-in/second-factor/options`) */
  startPasskeyFactor(options?: CallOptions): Promise<StartPasskeyFactorAnswer>
  /** Begin to sign in with a passkey. The browser offers the passkeys that it has for this server. Sets a cookie that binds the answer to this browser. (`POST /v1/auth/sign-in/passkey/options`) */
  startPasskeySignIn(options?: CallOptions): Promise<StartPasskeyFactorAnswer>
  /** Begin to show a passkey once more. (`POST /v1/auth/step-up/options`) */
  startPasskeyStepUp(options?: CallOptions): Promise<StartPasskeyFactorAnswer>
  /** Show a second factor once more. What is dangerous asks for a second factor of the last 10 minutes, and answers `FORBIDDEN` with `reason: step_up_required` without one. JWTs of the session need not be renewed. (`POST /v1/auth/step-up`) */
  stepUp(body: SignInWithSecondFactorBody, options?: CallOptions): Promise<VerifySecondFactorAnswer>
  /** Exchange the session for a JWT. The organization is the one asked for, else the first of the account’s that was joined. The token names the role (`role`, and alone in the list `roles`) and what it permits (`permissions`). (`GET /v1/auth/token`) */
  token(query?: CreateTokenQuery, options?: CallOptions): Promise<CreatedToken>
  /** Confirm the address of a sign-up. `{ token }` in the browser that signed up, `{ token, password }` in any other: there, without the password, the answer is `MISSING_REQUIRED_FIELD`. (`POST /v1/auth/verify-email`) */
  verifyEmail(body: VerifyEmailBody, options?: CallOptions): Promise<Session>
  /** The public keys of the JWTs. (`GET /.well-known/jwks.json`) */
  wellKnownSigningKeys(options?: CallOptions): Promise<ListSigningKeysAnswer>
}

export interface BillingMethods {
  /** Read the balance. Scope: `billing:read`. (`GET /v1/billing/balance`) */
  balance(options?: CallOptions): Promise<Balance>
  /** Begin a checkout. For credits or for a plan, one of them. It is paid at `checkoutUrl`. The credits or the plan are given when it is paid, and every process knows a new plan within 5 seconds; what costs nothing is given at once. Scope: `billing:write`. (`POST /v1/billing/checkout`) */
  checkout(body: CreateCheckoutBody, options?: CallOptions): Promise<CreatedCheckout>
  /** List what changed the balance. Scope: `billing:read`. (`GET /v1/billing/ledger`) */
  ledger(query?: ListLedgerEntriesQuery, options?: CallOptions): Pages<LedgerEntry>
  /** Sum up the ledger by day. Days of UTC that `since` and `until` touch, oldest first, those on which nothing changed too; the last 30 unless said, 366 at most. Scope: `billing:read`. (`GET /v1/billing/ledger/daily`) */
  ledgerDays(query?: ListLedgerDaysQuery, options?: CallOptions): Pages<LedgerDay>
  /** List the plans, the prices and the modules. A limit of `null` is none; a price of `null` is not for sale. Scope: `billing:read`. (`GET /v1/billing/plans`) */
  plans(options?: CallOptions): Pages<Plan>
  /** Read a checkout. Scope: `billing:read`. (`GET /v1/billing/checkout/{id}`) */
  readCheckout(id: string, options?: CallOptions): Promise<Checkout>
  /** Hear of a payment from Stripe. For Stripe alone: the body must carry its signature. Not there without `STRIPE_SECRET_KEY`. (`POST /v1/billing/stripe`) */
  receiveStripeEvent(options?: CallOptions): Promise<ReceiveStripeEventAnswer>
}

export interface CapturesMethods {
  /** Deliver a captured call after all. Each call makes an event of its own, which `id` names, and delivers it; with the same `Idempotency-Key` they are one. Scope: `captures:write`. (`POST /v1/webhooks/{id}/test/captures/{captureId}/deliver`) */
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
  /** Call the provider's API. Adds the token of the connection, which is refreshed first where it has ended. Redirects are not followed. What the API answers is passed on, but for 401, 429 and 5xx. Scope: `connections:use`. (`POST /v1/connections/{id}/fetch`) */
  fetch(id: string, body: FetchThroughConnectionBody, options?: CallOptions): Promise<FetchThroughConnectionAnswer>
  /** Come back from a provider. Called by the provider. Redirects to the `redirectUrl` with `connectionId`, or with `error` and `error_description`. (`GET /v1/connections/oauth/callback/{provider}`) */
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
  /** Begin a conversation. Runs in it know what was said before, and take turns. Scope: `conversations:write`. (`POST /v1/conversations`) */
  create(body: CreateConversationBody, options?: CallOptions): Promise<Conversation>
  /** Delete a conversation. Its messages are gone; runs in it that have not ended are cancelled. Scope: `conversations:write`. (`DELETE /v1/conversations/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List conversations. Of a member the member's own, of an administrator all. Scope: `conversations:read`. (`GET /v1/conversations`) */
  list(query?: ListConversationsQuery, options?: CallOptions): Pages<Conversation>
  /** List the messages of a conversation. Newest first. Scope: `conversations:read`. (`GET /v1/conversations/{id}/messages`) */
  messages(id: string, query?: ListMessagesQuery, options?: CallOptions): Pages<Message>
  /** Read a conversation. Scope: `conversations:read`. (`GET /v1/conversations/{id}`) */
  read(id: string, options?: CallOptions): Promise<Conversation>
}

export interface DeliveriesMethods {
  /** List the deliveries of the organization. Newest first, of all webhooks, deleted ones too. For one page up to 20,000 deliveries are gone through: where what the filter asks for is rare, a page may hold fewer than `limit`, or none, and `nextCursor` leads on. Scope: `deliveries:read`. (`GET /v1/deliveries`) */
  list(query?: ListDeliveriesQuery, options?: CallOptions): Pages<DeliveryItem>
  /** Read a delivery with all its attempts. Scope: `deliveries:read`. (`GET /v1/deliveries/{id}`) */
  read(id: string, options?: CallOptions): Promise<Delivery>
  /** Make a delivery again. An ended delivery is made again as a new one with the full schedule. One that still waits for its next attempt makes it now. Scope: `deliveries:write`. (`POST /v1/deliveries/{id}/retry`) */
  retry(id: string, options?: CallOptions): Promise<WebhookDelivery>
  /** Try deliveries now. What waits for its next attempt makes it now, and what has failed is made again, as a replay makes it: by the filter of the list of deliveries, without one all that were not delivered. It is a replay of the filter `pending`, `failed` or `undelivered`, with its progress. Scope: `deliveries:write`. (`POST /v1/deliveries/retry`) */
  retryAll(body: RetryDeliveriesBody, options?: CallOptions): Promise<ReplayTrial | Replay>
  /** Read how deliveries fare over time. Deliveries by when they were made and what became of them, in at most 200 buckets; the last ends with the current minute (windows up to 4 h), quarter of an hour (up to 95 h) or hour, in UTC. Counts are exact, and written with the deliveries: each counts at the time when it was made, as pending until it is delivered or has failed. A retry by hand and a replay make new deliveries. Samples count. Pending deliveries of a deleted webhook count as failed. Scope: `deliveries:read`. (`GET /v1/stats/deliveries`) */
  stats(query?: ReadDeliveryStatsQuery, options?: CallOptions): Promise<DeliveryStats>
}

export interface DocumentsMethods {
  /** List the passages of a document. Those that are found, in the order of its text: none before it was indexed. A cursor is good until the document was indexed once more. Scope: `knowledge:read`. (`GET /v1/documents/{id}/chunks`) */
  chunks(id: string, query?: ListDocumentChunksQuery, options?: CallOptions): Pages<DocumentChunk>
  /** Delete a document. In whatever state it is: nothing of it is found from then on. A file that it was made of stays. Scope: `documents:write`. (`DELETE /v1/documents/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** Index a document again. What is found of it changes when it is done, at once and as a whole. One that is just being indexed is not indexed twice; one whose file is being read is indexed after that. `Prefer: wait=N` waits up to 30 seconds for the end of it. Scope: `documents:write`. (`POST /v1/documents/{id}/index`) */
  index(id: string, options?: CallOptions): Promise<Document>
  /** Read a document. Scope: `knowledge:read`. (`GET /v1/documents/{id}`) */
  read(id: string, options?: CallOptions): Promise<Document>
  /** Replace a document. By a text, or by a file, which may still be in processing. The id stays. The old content is found until the new one is indexed, and stays when that fails; until then `replacement` says what is to come. Of several replacements the last one counts. The content that the document has already, under the same name, changes nothing, and withdraws a replacement that is not indexed yet. `Prefer: wait=N` waits up to 30 seconds for the end of it. Scope: `documents:write`, with `fileId` `files:read`. (`PUT /v1/documents/{id}`) */
  replace(id: string, body: AddDocumentBody, options?: CallOptions): Promise<Document>
  /** Read the text of a document. In pages: all pages put together are the text. Of a document of a file it is the text of that file; where the file has none, and failed, the answer is the code of why it did. While another content is indexed to take its place, it is the one that is found. A cursor is good until another text is found, or the file was read again. Scope: `knowledge:read`. (`GET /v1/documents/{id}/text`) */
  text(id: string, query?: ReadDocumentTextQuery, options?: CallOptions): Promise<DocumentText>
}

export interface DomainsMethods {
  /** Claim a domain. The answer names a TXT record: publish it, then call `POST /v1/domains/{id}/verify`. Until then the domain gives nothing. Any number of organizations may claim a domain, and one may prove it. An organization may claim 50. Scope: `sign_in:write`. (`POST /v1/domains`) */
  create(body: CreateDomainBody, options?: CallOptions): Promise<Domain>
  /** Give a domain up. Ends its proof: another organization may prove it from then on. Scope: `sign_in:write`. (`DELETE /v1/domains/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List domains. All of them, oldest first. Scope: `sign_in:read`. (`GET /v1/domains`) */
  list(options?: CallOptions): Pages<Domain>
  /** Read a domain. Scope: `sign_in:read`. (`GET /v1/domains/{id}`) */
  read(id: string, options?: CallOptions): Promise<Domain>
  /** Look the record of a domain up. Asks the name servers now. The answer is the domain as it is then: `verified`, or as before with a `reason`. A domain that another organization has proven is `DUPLICATE`. A proven domain is checked every six hours; once its record is missing for seven days, the proof is lost. Scope: `sign_in:write`. (`POST /v1/domains/{id}/verify`) */
  verify(id: string, options?: CallOptions): Promise<Domain>
}

export interface ErrorsMethods {
  /** List the error catalogue. (`GET /v1/errors`) */
  list(options?: CallOptions): Pages<CatalogueEntry>
  /** Read one error code. The `docUrl` of each error leads here. A request that prefers `text/html`, as a browser does, gets a page. (`GET /v1/errors/{code}`) */
  read(code: string, options?: CallOptions): Promise<CatalogueEntry>
}

export interface EventTypesMethods {
  /** Make an event type. Data published under it is checked against `schema`, a JSON Schema without `pattern`, `uniqueItems` and `$ref` that costs little to check. Scope: `event_types:write`. (`POST /v1/event-types`) */
  create(body: CreateEventTypeBody, options?: CallOptions): Promise<EventType>
  /** Delete an event type. Nothing of it can be published any more. Events that are published already stay, and are delivered, tried again and replayed as before; webhooks that ask for the type keep it in their list, and get events of it again if it is made again. Scope: `event_types:write`. (`DELETE /v1/event-types/{type}`) */
  delete(type: string, options?: CallOptions): Promise<void>
  /** List event types. Scope: `event_types:read`. (`GET /v1/event-types`) */
  list(options?: CallOptions): Pages<EventTypeItem>
  /** Read an event type. Scope: `event_types:read`. (`GET /v1/event-types/{type}`) */
  read(type: string, options?: CallOptions): Promise<EventType>
  /** Change an event type. What is published from then on is checked against the new `schema`; events that are published already stay as they are, and are delivered, tried again and replayed as before. Tell your receivers first: they rely on it. Scope: `event_types:write`. (`PATCH /v1/event-types/{type}`) */
  update(type: string, body: UpdateEventTypeBody, options?: CallOptions): Promise<EventType>
}

export interface EventsMethods {
  /** List events. Scope: `events:read`. (`GET /v1/events`) */
  list(query?: ListEventsQuery, options?: CallOptions): Pages<EventItem>
  /** Publish an event. Once this is answered the event is on disk, and so is that each matching webhook gets it: `deliveries` of them. Scope: `events:write`, with `dryRun` `webhooks:read`. (`POST /v1/events`) */
  publish(body: PublishEventBody, options?: CallOptions): Promise<PublishEventAnswer>
  publish(body: PublishEventBody, options: CallOptions & { query: PublishEventQuery & { dryRun: true } }): Promise<PublishEventTrial>
  /** Publish up to 1,000 events. Each succeeds or fails by itself; the answer has one result an event, in their order: its `id` and `deliveries`, or its `error`. Scope: `events:write`. (`POST /v1/events/batch`) */
  publishBatch(body: PublishEventsBody, options?: CallOptions): Promise<PublishEventsAnswer>
  /** Read an event. Scope: `events:read`. (`GET /v1/events/{id}`) */
  read(id: string, options?: CallOptions): Promise<Event>
}

export interface FactorsMethods {
  /** Add a passkey. What the browser made, as `toJSON()` writes it. It signs in by itself, and is a second factor at every other door. The first factor of an account brings ten recovery codes, which are shown in this answer alone, and ends every other session. (`POST /v1/auth/factors/passkeys`) */
  addPasskey(body: AddPasskeyBody, options?: CallOptions): Promise<VerifyTotpAnswer>
  /** Remove a second factor. With the last one the recovery codes end too; the last exception from a required sign-in keeps it (`FORBIDDEN`, `reason: last_exception`). The session must have shown a second factor within the last 10 minutes: else `FORBIDDEN` with `reason: step_up_required`. (`DELETE /v1/auth/factors/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List one's own second factors. (`GET /v1/auth/factors`) */
  list(options?: CallOptions): Pages<Factor>
  /** Rename a second factor. (`PATCH /v1/auth/factors/{id}`) */
  rename(id: string, body: RenameFactorBody, options?: CallOptions): Promise<Factor>
  /** Make new recovery codes. Ten, each good once and shown in this answer alone; the earlier ones end. Without a second factor there are none: `FORBIDDEN` with `reason: no_second_factor`. (`POST /v1/auth/recovery-codes`) */
  replaceRecoveryCodes(options?: CallOptions): Promise<ReplaceRecoveryCodesAnswer>
  /** Begin to add a passkey. The browser makes the passkey with these options within 10 minutes. (`POST /v1/auth/factors/passkeys/options`) */
  startPasskey(options?: CallOptions): Promise<StartPasskeyFactorAnswer>
  /** Begin to enrol an authenticator app. The app reads the secret from a QR code of `uri`, and shows a code, which `POST /v1/auth/factors/{id}/confirm` takes within 30 minutes. Until then it is no factor. The session must have shown a second factor within the last 10 minutes, or, where the account has none, have begun within them: else `FORBIDDEN` with `reason: step_up_required`. (`POST /v1/auth/factors/totp`) */
  startTotp(body: StartTotpBody, options?: CallOptions): Promise<StartTotpAnswer>
  /** Confirm an authenticator app by its first code. From then on every sign-in asks for a second factor. The first factor of an account brings ten recovery codes, which are shown in this answer alone, and ends every other session. (`POST /v1/auth/factors/{id}/confirm`) */
  verifyTotp(id: string, body: VerifyTotpBody, options?: CallOptions): Promise<VerifyTotpAnswer>
}

export interface FilesMethods {
  /** Read the bytes of a file. As an attachment, whatever they are. One range of them by `Range: bytes=…`, also with `If-Range`; 304 for who has them, by `If-None-Match`. Whole, bytes that are not those that came are not given to their end; a range is not proven. Scope: `files:read`. (`GET /v1/files/{id}/content`) */
  content(id: string, options?: CallOptions): Promise<Response>
  /** Delete a file. For its maker and administrators. Its bytes, its text and the documents that were made of it are deleted with it; a reading that is under way is ended, without an event. Scope: `files:write`. (`DELETE /v1/files/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** Fetch a file from a URL. Fetched before the answer: 20 seconds, 5 redirects and 64 MiB at most, and from no private network but those of `FILES_ALLOWED_NETWORKS`. `FETCH_FAILED` says in `details.reason` what went wrong. Its text is read afterwards, as that of an upload. Scope: `files:write`. (`POST /v1/files/from-url`) */
  fetch(body: FetchFileBody, options?: CallOptions): Promise<StoredFile>
  /** List files. Scope: `files:read`. (`GET /v1/files`) */
  list(query?: ListFilesQuery, options?: CallOptions): Pages<StoredFile>
  /** Read the text of a file again. Where a reading is under way, no other one begins, and the `charset` of this request is not used. The earlier text stays until the new one is there. With `Prefer: wait=30` the answer is the outcome: 200 with the file, the code of why it failed, or 202 where it takes longer. Scope: `files:write`. (`POST /v1/files/{id}/process`) */
  process(id: string, query?: ProcessFileQuery, options?: CallOptions): Promise<StoredFile>
  /** Read a file. Scope: `files:read`. (`GET /v1/files/{id}`) */
  read(id: string, options?: CallOptions): Promise<StoredFile>
  /** Read the text of a file. In pages: all pages put together are the text. A cursor is good until the file was read again. Of a file that has none, and failed, the answer is the code of why it did. Scope: `files:read`. (`GET /v1/files/{id}/text`) */
  text(id: string, query?: ReadFileTextQuery, options?: CallOptions): Promise<FileText>
  /** Upload a file. The bytes as they are with `Content-Type` and `?name=`, or `multipart/form-data` with one part `file`; 64 MiB at most, within 60 seconds. `Content-Digest` (RFC 9530, `sha-256`) is checked. Its text is read afterwards: with `Prefer: wait=N` the answer waits for that, 30 seconds at most. Scope: `files:write`. (`POST /v1/files`) */
  upload(body: Bytes, options?: CallOptions & { query?: UploadFileQuery }): Promise<StoredFile>
}

export interface GrantsMethods {
  /** End what a member has granted to an application. Its access and refresh tokens stop working at once, open streams included. Scope: `keys:write`. (`DELETE /v1/grants/{id}`) */
  end(id: string, options?: CallOptions): Promise<void>
  /** List what members have granted to applications. Scope: `keys:read`. (`GET /v1/grants`) */
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
  /** Delete an identity provider. Ends the sessions and grants that it began, and forgets which person is which account there. Memberships stay. The last active one cannot go while the organization requires its members to sign in by it (`sign_in_required`). Scope: `sign_in:write`. (`DELETE /v1/identity-providers/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List identity providers. All of them, oldest first. Scope: `sign_in:read`. (`GET /v1/identity-providers`) */
  list(options?: CallOptions): Pages<IdentityProvider>
  /** Read an identity provider. Scope: `sign_in:read`. (`GET /v1/identity-providers/{id}`) */
  read(id: string, options?: CallOptions): Promise<IdentityProvider>
  /** Rotate the keys for a SAML provider. SAML: replaces the encryption key of Postern for the provider, and the signing key if one exists. The metadata has the new certificates at once. The replaced keys stay valid for `overlapDays`, and Postern signs with the replaced signing key until then. Enter the new certificates at the provider within that time. A second call while replaced keys are valid makes no key and sets their end again; `overlapDays: 0` ends them at once. Scope: `sign_in:write`. (`POST /v1/identity-providers/{id}/rotate-keys`) */
  rotateKeys(id: string, body: RotateIdentityProviderKeysBody, options?: CallOptions): Promise<IdentityProviderKeyRotation>
  /** Test an identity provider. Looks at what can be seen without a person. OpenID Connect: the metadata are those of the issuer and name all endpoints, and the keys can be read. SAML: the certificates are valid today, and the sign-on address answers; one that only browsers reach is a finding that does no harm. What is wrong is a result, not an error. Only a sign-in shows whether the client secret, and what is entered at the provider, is right. Scope: `sign_in:write`. (`POST /v1/identity-providers/{id}/test`) */
  test(id: string, options?: CallOptions): Promise<IdentityProviderTest>
  /** Change an identity provider. Another issuer or entity is another provider: an issuer takes a client secret, and the people of the one before are forgotten. Members of `saml` that are left out stay as they are; `certificates` replaces all of them. `disabled` ends the sessions and grants that it began, as another issuer does. One that the holder of a setup link may still change is not enabled (`setup_under_way`): revoke the link first, or wait for its end. The caller must have all permissions. Scope: `sign_in:write`. (`PATCH /v1/identity-providers/{id}`) */
  update(id: string, body: UpdateIdentityProviderBody, options?: CallOptions): Promise<IdentityProvider>
}

export interface InvitationsMethods {
  /** Invite a person. Creates an invitation and an inactive account, and sends the invitation by e-mail, best-effort. Scope: `invitations:write`. (`POST /v1/invitations`) */
  create(body: CreateInvitationBody, options?: CallOptions): Promise<Invitation>
  /** Invite up to 1,000 people. Each row succeeds or fails by itself; the answer has one result a row, in their order. Scope: `invitations:write`. (`POST /v1/invitations/bulk`) */
  createBulk(body: CreateInvitationsBody, options?: CallOptions): Promise<CreatedInvitation>
  /** List invitations. Scope: `invitations:read`. (`GET /v1/invitations`) */
  list(query?: ListInvitationsQuery, options?: CallOptions): Pages<Invitation>
  /** What an invitation link is for. Fills in the sign-up form. One answer for a token that is unknown, used, expired or revoked. (`GET /v1/invitations/preview`) */
  preview(query: PreviewInvitationQuery, options?: CallOptions): Promise<PreviewInvitationAnswer>
  /** Read an invitation. Scope: `invitations:read`. (`GET /v1/invitations/{id}`) */
  read(id: string, options?: CallOptions): Promise<Invitation>
  /** Send an invitation again. With a new link and a new expiry; the old link stops working. Scope: `invitations:write`. (`POST /v1/invitations/{id}/resend`) */
  resend(id: string, options?: CallOptions): Promise<Invitation>
  /** Revoke an invitation. Its link stops working at once. Revoking a revoked or expired invitation changes nothing. Scope: `invitations:write`. (`DELETE /v1/invitations/{id}`) */
  revoke(id: string, options?: CallOptions): Promise<void>
}

export interface KnowledgeBasesMethods {
  /** Add a document. Of a text, or of a file, which may still be in processing. The answer is 201 also where the indexing has failed: `status` says so. `Prefer: wait=N` waits up to 30 seconds for the end of it. Scope: `documents:write`, with `fileId` `files:read`. (`POST /v1/knowledge-bases/{id}/documents`) */
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
  /** Search a knowledge base. Every word of the query is looked for as it is; there is no language of queries. Scope: `knowledge:read`. (`POST /v1/knowledge-bases/{id}/search`) */
  search(id: string, body: SearchKnowledgeBaseBody, options?: CallOptions): Promise<SearchKnowledgeBaseAnswer>
  /** Rename a knowledge base, or give it another embedding model. With another model it is searched by text alone until each of its documents has been indexed again. Scope: `knowledge:write`. (`PATCH /v1/knowledge-bases/{id}`) */
  update(id: string, body: UpdateKnowledgeBaseBody, options?: CallOptions): Promise<KnowledgeBase>
}

export interface ListenersMethods {
  /** Fetch deliveries of a listener. Takes due deliveries, the oldest first, and waits for the first one. Each is the client’s for 45 seconds, in which it sends it and reports the answer; then another client gets it, without an attempt being counted. Scope: `webhooks:write`. (`POST /v1/listeners/{name}/claims`) */
  fetch(name: string, body: FetchDeliveriesBody, options?: CallOptions): Promise<FetchDeliveriesAnswer>
  /** Open a listener. A listener is a webhook without a destination: clients fetch its deliveries, as `postern listen` does. Where there is one of this name, its event types are set, and one that an answer 410 has disabled is active again. It is deleted with what waits for it once no client has asked for 7 days. Scope: `webhooks:write`. (`PUT /v1/listeners/{name}`) */
  open(name: string, body: OpenListenerBody, options?: CallOptions): Promise<OpenListenerAnswer>
  /** Report what became of fetched deliveries. The reported answer is the attempt, with the outcome and the schedule of any other delivery. A result that is sent again is `lost`, and changes nothing. Scope: `webhooks:write`. (`POST /v1/listeners/{name}/results`) */
  report(name: string, body: ReportDeliveriesBody, options?: CallOptions): Promise<ReportDeliveriesAnswer>
}

export interface MailsMethods {
  /** List the mails that the organization has had sent. How each fares, and what the mail server said of it; not what it says. Kept for `RETENTION_DAYS`. Scope: `mails:read`. (`GET /v1/mails`) */
  list(query?: ListMailsQuery, options?: CallOptions): Pages<Mail>
}

export interface McpMethods {
  /** Speak the Model Context Protocol. One message of JSON-RPC, by the protocol of 2026-07-28 or an older one (Streamable HTTP without sessions). A tool call has the rights of the route that it stands for, and counts as a request of its own. (`POST /mcp`) */
  call(body: CallMcpBody, options?: CallOptions): Promise<EventTypeSchema>
}

export interface McpServersMethods {
  /** Accept the tools of an MCP server as they are listed now. Scope: `mcp_servers:write`. (`POST /v1/mcp-servers/{id}/accept`) */
  accept(id: string, body: AcceptMcpServerBody, options?: CallOptions): Promise<McpServer>
  /** Register an MCP server. It is not called yet: `POST /v1/mcp-servers/{id}/refresh` lists its tools. An address that would never be called is refused (`address_not_allowed`). Scope: `mcp_servers:write`, with `connectionId` `connections:use`. (`POST /v1/mcp-servers`) */
  create(body: CreateMcpServerBody, options?: CallOptions): Promise<McpServerItem>
  /** Forget an MCP server. Agents that use its tools continue without them; a run for which a tool is `required` fails. Scope: `mcp_servers:write`. (`DELETE /v1/mcp-servers/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List MCP servers. Scope: `mcp_servers:read`. (`GET /v1/mcp-servers`) */
  list(query?: ListMcpServersQuery, options?: CallOptions): Pages<McpServerItem>
  /** Read an MCP server with its tools. Scope: `mcp_servers:read`. (`GET /v1/mcp-servers/{id}`) */
  read(id: string, options?: CallOptions): Promise<McpServer>
  /** List the tools of an MCP server. The first time all of them are accepted. Later, what is new or described otherwise is off until it is accepted. A server that cannot be asked is `MCP_CLIENT_UNAVAILABLE` with `details.reason`. Scope: `mcp_servers:write`. (`POST /v1/mcp-servers/{id}/refresh`) */
  refresh(id: string, options?: CallOptions): Promise<McpServer>
  /** Change an MCP server. Headers are replaced as a whole. Under another `url` no tool of it is accepted any more. Scope: `mcp_servers:write`, with `connectionId` `connections:use`. (`PATCH /v1/mcp-servers/{id}`) */
  update(id: string, body: UpdateMcpServerBody, options?: CallOptions): Promise<McpServerItem>
}

export interface MembersMethods {
  /** Change a member's role. Takes a role that permits no more than the caller may do. The pending invitations that the member made and could not make with the new role are revoked. Service accounts and API keys that they made stay: `GET /v1/api-keys?createdBy=` lists the keys. Scope: `members:write`. (`PATCH /v1/organizations/{id}/members/{accountId}`) */
  changeRole(id: string, accountId: string, body: ChangeMemberRoleBody, options?: CallOptions): Promise<Member>
  /** Delete the API keys that a member made. Those that the member made or rotated in this organization, and those that were made with them; also of a former member. Their service accounts stay. Scope: `keys:write`. (`DELETE /v1/organizations/{id}/members/{accountId}/api-keys`) */
  deleteApiKeys(id: string, accountId: string, options?: CallOptions): Promise<DeleteMemberApiKeysAnswer>
  /** End a member's sessions. For this organization: the sessions get no more tokens for it, and those that they got stop working, open streams included. The person signs in once more. The sessions stay good for other organizations of the person. Scope: `members:write`. (`DELETE /v1/organizations/{id}/members/{accountId}/sessions`) */
  endSessions(id: string, accountId: string, options?: CallOptions): Promise<EndOtherSessionsAnswer>
  /** Leave the organization. It has the effects of being removed. The last administrator cannot leave. An API key is no member and cannot leave. (`DELETE /v1/organizations/{id}/members/me`) */
  leave(id: string, options?: CallOptions): Promise<void>
  /** List members. Scope: `members:read`. (`GET /v1/organizations/{id}/members`) */
  list(id: string, query?: ListMembersQuery, options?: CallOptions): Pages<Member>
  /** Remove a member. Their tokens for this organization stop working, and their pending invitations are revoked. Service accounts and API keys that they made stay, unless `endKeys` is true; the audit log names the keys that stay, and `GET /v1/api-keys?createdBy=` lists them. Scope: `members:write`. (`DELETE /v1/organizations/{id}/members/{accountId}`) */
  remove(id: string, accountId: string, query?: RemoveMemberQuery, options?: CallOptions): Promise<void>
  /** Remove a member's second factors. For a person who has lost all of them, and is a member of this organization alone: of others it is the act of the operator (`FORBIDDEN`, `reason: member_elsewhere`). Ends every session and every mailed link of the account, and mails the person. One’s own are removed at `/v1/auth/factors/{id}` (`reason: own_account`). The last exception from a required sign-in keeps them (`reason: last_exception`). Scope: `members:write`. (`DELETE /v1/organizations/{id}/members/{accountId}/factors`) */
  removeFactors(id: string, accountId: string, options?: CallOptions): Promise<RemoveMemberFactorsAnswer>
}

export interface ModelsMethods {
  /** List models. All on one page: those that the operator configured, and the built-in one. Scope: `agents:read`. (`GET /v1/models`) */
  list(query?: ListModelsQuery, options?: CallOptions): Pages<Model>
}

export interface OauthClientsMethods {
  /** Register an application. The page for consent shows it by this name, as registered. A confidential one proves itself at the token endpoint (`client_secret_basic`) with the `clientSecret` of this answer, which is never shown again; another one has PKCE alone. With `organizationId` only members of that organization can grant it something. (`POST /v1/operator/oauth-clients`) */
  create(body: CreateOauthClientBody, options?: CallOptions): Promise<CreatedOauthClient>
  /** Delete an application. Its grants end at once in every organization, open streams included. (`DELETE /v1/operator/oauth-clients/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List the applications that have registered or were registered. (`GET /v1/operator/oauth-clients`) */
  list(query?: ListOauthClientsQuery, options?: CallOptions): Pages<OauthClient>
}

export interface OperatorMethods {
  /** List the audit log of the installation. The entries of all organizations, each as that organization is shown it, and those of none. Kept for `AUDIT_DAYS`. (`GET /v1/operator/audit-log`) */
  auditLog(query?: ListAllAuditEntriesQuery, options?: CallOptions): Pages<AuditEntry>
  /** Change, disable or enable an organization. Makes all changes, or none. A module that is null is as the plan has it. (`PATCH /v1/operator/organizations/{id}`) */
  changeOrganization(id: string, body: ChangeOrganizationBody, options?: CallOptions): Promise<AllOrganization>
  /** Make an organization. Its first administrator is let in by `POST /v1/operator/organizations/{id}/invitations`. (`POST /v1/operator/organizations`) */
  createOrganization(body: CreateOrganizationBody, options?: CallOptions): Promise<AllOrganization>
  /** Delete an organization with everything it has. There is no way back. Its ledger, paid checkouts and audit log are kept; what it published is removed after `RETENTION_DAYS`, and tokens of its connections are revoked at their providers. (`DELETE /v1/operator/organizations/{id}`) */
  deleteOrganization(id: string, query: DeleteOrganizationQuery, options?: CallOptions): Promise<void>
  /** Read the doctor's findings. The findings of `npx postern doctor`, renewed at most every 60 s; those about the database, which need all of it to be read, at most every 10 minutes. (`GET /v1/operator/findings`) */
  findings(options?: CallOptions): Pages<Finding>
  /** Give an organization credits. They stay until they are spent. The same `reference` gives them once. (`POST /v1/operator/organizations/{id}/credits`) */
  grantCredits(id: string, body: GrantCreditsBody, options?: CallOptions): Promise<GrantCreditsAnswer>
  /** Read how the installation stands. What waits of all organizations, who works on it, mails, disk. Looked at once in 10 s. (`GET /v1/operator/installation`) */
  installation(options?: CallOptions): Promise<Installation>
  /** Invite a person to an organization. As `npx postern invite`: good for 7 days, mailed where there is a mail server, and in place of an earlier one for that address, whose link is dead. (`POST /v1/operator/organizations/{id}/invitations`) */
  invite(id: string, body: CreateOrganizationInvitationBody, options?: CallOptions): Promise<CreatedOrganizationInvitation>
  /** List the organizations of the installation. (`GET /v1/operator/organizations`) */
  organizations(query?: ListAllOrganizationsQuery, options?: CallOptions): Pages<AllOrganization>
}

export interface OrganizationsMethods {
  /** List the caller's organizations. Scope: `organization:read`. (`GET /v1/organizations`) */
  list(query?: ListOrganizationsQuery, options?: CallOptions): Pages<Organization>
  /** Change the name of the organization, or what it asks of its members. No two organizations have one name. From `secondFactorRequiredFrom` on, members without a second factor get no JWT for it (`FORBIDDEN`, `reason: second_factor_required`); a session lets them add one. `secondFactorGraceMs` gives each member time after that moment, or after joining, whichever is later; it does not put off the requirement of the installation. Who requires it must have one: else `FORBIDDEN` with `reason: no_second_factor`. With `signIn.required` members sign in by an identity provider of the organization, and what they began otherwise ends; `exceptions` are administrators who may use their own sign-in with a second factor, one at least. Scope: `organization:write`, with `signIn` `sign_in:write`. (`PATCH /v1/organizations/{id}`) */
  rename(id: string, body: RenameOrganizationBody, options?: CallOptions): Promise<Organization>
}

export interface PlatformKeysMethods {
  /** Create a key of the installation. The answer holds the `key`; it is never shown again. Use it as `Authorization: Bearer ppk_…`, with the organization for which it acts in `Postern-Organization`. (`POST /v1/operator/platform-keys`) */
  create(body: CreatePlatformKeyBody, options?: CallOptions): Promise<CreatedPlatformKey>
  /** Revoke a key of the installation. It stops working at once, open streams included, and its pending invitations are revoked. API keys that were made with it stay, unless `withMade` is true. (`DELETE /v1/operator/platform-keys/{id}`) */
  delete(id: string, query?: DeletePlatformKeyQuery, options?: CallOptions): Promise<void>
  /** List the keys of the installation. (`GET /v1/operator/platform-keys`) */
  list(query?: ListPlatformKeysQuery, options?: CallOptions): Pages<PlatformKey>
  /** Give a key of the installation another secret. The answer holds the new `key`, this once. The key before it is accepted for `overlapHours` more, and each earlier one until its own end, 5 at most (`too_many_secrets`); with 0 every earlier one ends at once. (`POST /v1/operator/platform-keys/{id}/rotate`) */
  rotate(id: string, body?: RotatePlatformKeyBody, options?: CallOptions): Promise<RotatePlatformKeyAnswer>
  /** Change a key of the installation. Its name, addresses and expiry; what it may do never changes. Its pending invitations end with it at the latest. (`PATCH /v1/operator/platform-keys/{id}`) */
  update(id: string, body: UpdatePlatformKeyBody, options?: CallOptions): Promise<PlatformKey>
}

export interface ProblemsMethods {
  /** List the open problems. The open problems that the caller may see, the worst first: webhooks that are disabled, parked or failing, or have deliveries that failed for good; runs that wait for a person; files and documents that failed; connections that must be renewed; mails that did not go out; credits that run low; API keys that expire. A problem goes when it is solved; a final failure stays in the list for 7 days at most. Up to 10,000 rows of each problem are counted. Where there are more than 500 problems, `more` counts the others. (`GET /v1/problems`) */
  list(options?: CallOptions): Pages<Problem>
}

export interface ProvisioningMethods {
  /** Change how the organization provisions. Scope: `sign_in:write`. (`PATCH /v1/scim`) */
  change(body: ChangeProvisioningBody, options?: CallOptions): Promise<Provisioning>
  /** Say which role a group gives. Its users get the role at once, as members and in pending invitations; of more than 100, by a job right after. A user of several groups gets the role of the one with the highest `priority`, of equal ones that of the older one. The caller must have all permissions (`FORBIDDEN`, `reason: all_permissions_required`). Where a group of the organization gives `administrator`, before or after, it takes a person, and no API key (`person_required`). Scope: `sign_in:write`. (`PATCH /v1/scim/groups/{id}`) */
  changeGroup(id: string, body: ChangeProvisionedGroupBody, options?: CallOptions): Promise<ProvisionedGroup>
  /** List the requests of the directory. What the directory asked by SCIM, and how it was answered, without the values that it sent. The newest 500 requests are kept, for 7 days. Scope: `sign_in:read`. (`GET /v1/scim/exchanges`) */
  listExchanges(query?: ListProvisioningExchangesQuery, options?: CallOptions): Pages<ProvisioningExchange>
  /** List the groups of the directory. Groups come by SCIM; here each has the role that it gives. Scope: `sign_in:read`. (`GET /v1/scim/groups`) */
  listGroups(query?: ListProvisionedGroupsQuery, options?: CallOptions): Pages<ProvisionedGroup>
  /** List the users of the directory. Users come by SCIM; here each has how far the person has come in, and the role. Scope: `sign_in:read`. (`GET /v1/scim/users`) */
  listUsers(query?: ListProvisionedUsersQuery, options?: CallOptions): Pages<ProvisionedUser>
  /** How the organization provisions. The URL for the directory, and what has come from it. Scope: `sign_in:read`. (`GET /v1/scim`) */
  read(options?: CallOptions): Promise<Provisioning>
  /** Read a group of the directory. Scope: `sign_in:read`. (`GET /v1/scim/groups/{id}`) */
  readGroup(id: string, options?: CallOptions): Promise<ProvisionedGroup>
}

export interface ReplaysMethods {
  /** Cancel a replay. What it has made already stays. Cancelling one that has ended changes nothing. Scope: `deliveries:write`. (`DELETE /v1/replays/{id}`) */
  cancel(id: string, options?: CallOptions): Promise<void>
  /** Make deliveries of a time again, of all webhooks. As the replay of one webhook, for each that the organization has, one after the other. Scope: `deliveries:write`. (`POST /v1/replays`) */
  create(body: CreateReplayBody, options?: CallOptions): Promise<ReplayTrial | Replay>
  /** List the replays of the organization. Newest first: what is sent again, of all webhooks or of one, with its progress. Scope: `deliveries:read`. (`GET /v1/replays`) */
  list(query?: ListReplaysQuery, options?: CallOptions): Pages<Replay>
  /** Read the progress of a replay. Scope: `deliveries:read`. (`GET /v1/replays/{id}`) */
  read(id: string, options?: CallOptions): Promise<Replay>
}

export interface RolesMethods {
  /** Create a role. A role is a named set of permissions. The caller must have each of them. `role` of members and invitations takes its id. An organization may create 50 roles. Scope: `roles:write`. (`POST /v1/roles`) */
  create(body: CreateRoleBody, options?: CallOptions): Promise<OrganizationRole>
  /** Delete a role. Refused with `role_in_use` while a member has it, a pending invitation names it a group of the directory or an identity provider gives it: give those members and groups another role and revoke those invitations first. The caller must have every permission of the role. Scope: `roles:write`. (`DELETE /v1/roles/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List roles. All of them: `administrator` and `member`, which every organization has, then its own, oldest first. Scope: `roles:read`. (`GET /v1/roles`) */
  list(options?: CallOptions): Pages<OrganizationRole>
  /** Read a role of the organization's own. Scope: `roles:read`. (`GET /v1/roles/{id}`) */
  read(id: string, options?: CallOptions): Promise<OrganizationRole>
  /** Change a role. The caller must have every permission that the role has before and after. A change of `permissions` takes effect for all who have the role within five seconds, in open streams, too; pending invitations that they made and could make no longer are revoked. Scope: `roles:write`. (`PATCH /v1/roles/{id}`) */
  update(id: string, body: UpdateRoleBody, options?: CallOptions): Promise<OrganizationRole>
}

export interface RunsMethods {
  /** Cancel a run. From every state, and at once: what is under way is broken off. One that has ended stays as it is. Scope: `runs:write`. (`POST /v1/runs/{id}/cancel`) */
  cancel(id: string, options?: CallOptions): Promise<Run>
  /** Approve or deny a call of a tool. Once, and within 24 hours; a call that is not decided about by then is denied. What is approved is this call of the tool as it is now; one that differs is not made. Who may decide is a setting of the tool (`approvers`): unless said otherwise a person who is signed in, never an API key (`FORBIDDEN`, `person_required`). Scope: `approvals:write`. (`POST /v1/runs/{id}/approvals/{stepId}`) */
  decide(id: string, stepId: string, body: DecideApprovalBody, options?: CallOptions): Promise<Run>
  /** Approve or deny several calls of tools. Takes all decisions or none. The run continues when each of its calls is decided about. Scope: `approvals:write`. (`POST /v1/runs/{id}/approvals`) */
  decideAll(id: string, body: DecideApprovalsBody, options?: CallOptions): Promise<Run>
  /** List the runs of the organization. Newest first, of all agents, deleted ones too. Of a member the member's own, of an administrator all. Scope: `runs:read`. (`GET /v1/runs`) */
  list(query?: ListRunsQuery, options?: CallOptions): Pages<Run>
  /** Read a run. Scope: `runs:read`. (`GET /v1/runs/{id}`) */
  read(id: string, options?: CallOptions): Promise<Run>
  /** Resume a failed run. From its last finished step: what it has done is not done again, and what it has paid is not paid again. Its time and its steps are counted anew. A run that has not failed is `FORBIDDEN` (`run_not_failed`). Scope: `runs:write`. (`POST /v1/runs/{id}/resume`) */
  resume(id: string, options?: CallOptions): Promise<Run>
  /** List the steps of a run. Oldest first. Each was written before it was made. Scope: `runs:read`. (`GET /v1/runs/{id}/steps`) */
  steps(id: string, query?: ListStepsQuery, options?: CallOptions): Pages<Step>
  /** Watch a run. Server-sent events, `id` being their place; who comes back with `Last-Event-ID` gets what came after it, from any process. Ends after the end of the run. Who leaves does not end the run. `run.output.delta` adds to the text of the step under way, `run.output.snapshot` takes its place; neither has an `id`. Scope: `runs:read`. (`GET /v1/runs/{id}/events`) */
  stream(id: string, options?: CallOptions & StreamOptions): EventStream
}

export interface ServiceAccountsMethods {
  /** Create a service account. The actor of a machine: what its API keys make belongs to it, whichever of them is used. It stays when its maker leaves. `ownerId` is the member to ask about it: where it is left out, the person who makes it, or whom to ask about the service account that makes it. Scope: `keys:write`. (`POST /v1/service-accounts`) */
  create(body: CreateServiceAccountBody, options?: CallOptions): Promise<ServiceAccount>
  /** Delete a service account. All its API keys stop working at once, open streams included, and their pending invitations are revoked. What it owns stays under its id. Scope: `keys:write`. (`DELETE /v1/service-accounts/{id}`) */
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
  /** End all other sessions. Ends every link that was mailed to the account, and what it has granted to applications, too. The session of the request stays. (`DELETE /v1/auth/sessions`) */
  endOthers(options?: CallOptions): Promise<EndOtherSessionsAnswer>
  /** List the account's sessions. (`GET /v1/auth/sessions`) */
  list(options?: CallOptions): Pages<SessionItem>
}

export interface SetupMethods {
  /** Enter how the identity provider is reached. The first call adds it, disabled; a later one replaces how it is reached, secret included. It is `FORBIDDEN` (`changed_elsewhere`) once the provider is enabled, or an administrator has changed it. (`PUT /v1/setup/identity-provider`) */
  changeProvider(body: ChangeSetupProviderBody, options?: CallOptions): Promise<Setup>
  /** Claim a domain, and look its record up. Claims it where the organization has not, and asks the name servers now: it is `verified`, or as before with a `reason`. A domain that another organization has proven is `DUPLICATE`. A link claims 10 at most. (`POST /v1/setup/domains`) */
  checkDomain(body: CreateDomainBody, options?: CallOptions): Promise<Setup>
  /** Make the API key of the directory. The key has the scope of SCIM alone. The answer is the only one that shows it. A further call replaces the key by a new one and revokes the old one. The call is `FORBIDDEN` (`key_changed_elsewhere`) after an administrator has deleted, rotated or limited the key. (`POST /v1/setup/directory`) */
  createDirectoryKey(options?: CallOptions): Promise<CreatedSetupDirectoryKey>
  /** Finish the setup. Ends the link. What was set up stays. (`POST /v1/setup/finish`) */
  finish(options?: CallOptions): Promise<Setup>
  /** Open a setup link. With the token of the link, which is good once: the browser gets a cookie, and from then on the setup is there alone. `ENTITY_NOT_FOUND` for a token that is unknown, revoked or over; with `reason: opened_elsewhere` where another browser has opened the link. `FORBIDDEN` (`another_setup`) where this browser has opened another link that is not over: a page of that one would act on this one. (`POST /v1/setup/open`) */
  open(body: ConfirmEmailChangeBody, options?: CallOptions): Promise<Setup>
  /** Read the setup that this browser has opened. What is to be entered elsewhere, and how far each purpose is; null for a purpose that the link does not have. No secret is shown again. (`GET /v1/setup`) */
  read(options?: CallOptions): Promise<Setup>
  /** Try a sign-in at the identity provider. Redirect the browser to `authUrl`. The provider sends the browser back to `/set-up`, and `GET /v1/setup` has the result. The test begins no session. A successful test enables the provider where the link `activates` it. (`POST /v1/setup/identity-provider/test`) */
  testProvider(options?: CallOptions): Promise<SignInWithProviderAnswer>
}

export interface SetupLinksMethods {
  /** Make a setup link. A link lets the IT of the organization's company configure sign-in without an account. The first browser that opens the link is bound to it; the link is valid in no other browser. `purposes` limit what the link may do. `domains`: claim and verify domains. `provider`: add one identity provider and test it. An administrator enables the provider; with `activates`, the first successful test enables it. `activates` and `createsMemberships` need this purpose. `directory`: make one API key for SCIM. `provider` and `directory` need all permissions (`all_permissions_required`). A link shows no member, and shows no secret twice. A link ends with the permission of its maker. An organization has at most 10 open links. Scope: `sign_in:write`. (`POST /v1/setup-links`) */
  create(body: CreateSetupLinkBody, options?: CallOptions): Promise<SetupLink>
  /** List setup links. Newest first; those that are over are kept for `RETENTION_DAYS`. Scope: `sign_in:read`. (`GET /v1/setup-links`) */
  list(query?: ListSetupLinksQuery, options?: CallOptions): Pages<SetupLink>
  /** Read a setup link. Scope: `sign_in:read`. (`GET /v1/setup-links/{id}`) */
  read(id: string, options?: CallOptions): Promise<SetupLink>
  /** Revoke a setup link. Ends it at once, in the browser that has opened it, too. What was set up by it stays: domains, the identity provider and the API key belong to the organization. Scope: `sign_in:write`. (`DELETE /v1/setup-links/{id}`) */
  revoke(id: string, options?: CallOptions): Promise<void>
}

export interface WebhooksMethods {
  /** Call a webhook from outside. No token is asked for. A caller that sends `X-Service-Signature` must have signed with a live secret of the webhook. A call that deliveries of ours led to carries `X-Service-Hops`; with more than 5 it is refused. (`POST /v1/webhooks/{endpointPath}`) */
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
  /** Rotate the secret. The answer holds the new `secret`, once. It signs from now on; the one before stays valid for 24 hours, and a receiver that still holds it notices nothing. Scope: `webhooks:write`. (`POST /v1/webhooks/{id}/rotate-secret`) */
  rotateSecret(id: string, options?: CallOptions): Promise<RotateWebhookSecretAnswer>
  /** Read how a destination fares. Deliveries by what became of them since `from`: the window ends with the current minute (up to 4 h), quarter of an hour (up to 95 h) or hour, in UTC. Counts are exact, and written with the deliveries: each counts at the time when it was made, as pending until it is delivered or has failed. A retry by hand and a replay make new deliveries. Samples count. Pending deliveries of a deleted webhook count as failed. Scope: `webhooks:read`. (`GET /v1/webhooks/{id}/stats`) */
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
  /** Watch an organization. Server-sent events: `open` first, then a `delivery`, `replay`, `webhook`, `capture`, `invitation`, `file`, `document`, `domain`, `identityProvider`, `setupLink`, `apiKey` or `run` as it is now, each time that it has changed. Of several changes at once the last is shown. Who comes back with `Last-Event-ID` within five minutes gets what it has missed, from any process; `gap` says that something is missing: read the lists anew. `end` says why the stream ends: `token_expired`, `revoked` or `stopping`. (`GET /v1/stream`) */
  stream(query?: StreamOrganizationQuery, options?: CallOptions & StreamOptions): EventStream
}
