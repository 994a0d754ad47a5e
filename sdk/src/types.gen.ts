// Written by `npm run docs` from /openapi.json and sdk/methods.ts; a test compares them.

import type { Pages } from './page.ts'
import type { Bytes, CallOptions } from './request.ts'
import type { EventStream, StreamOptions } from './stream.ts'

export interface AcceptMcpServerBody {
  /** As it was read with the tools: what has changed since is not accepted unseen. */
  toolsDigest: string
}

export interface AddDocumentBody {
  /** Its headings of Markdown are told with what is found below them. */
  text?: string | undefined
  fileId?: string | undefined
  name?: string | undefined
}

export interface Agent {
  id: string
  name: string
  /** Grows with each change; a run keeps the version that it began with. */
  version: number
  instructions: string
  model: string
  knowledgeBaseIds: string[]
  tools: AgentTool[]
  maxSteps: number
  maxOutputTokens: number
  timeoutMs: number
  onLength: AgentOnLength
  onModelFailure: AgentOnModelFailure
  fallbackModel: string | null
  parameters: AgentParameters
  createdBy: string
  createdAt: string
  updatedAt: string
}

export type AgentOnLength = 'keep' | 'fail'

export type AgentOnModelFailure = 'fail' | 'retry' | 'fallback'

export interface AgentPage {
  data: Agent[]
  nextCursor: string | null
}

/** What is asked of the model beside its messages; it goes before what the operator set for the model. */
export interface AgentParameters {
  temperature?: number | undefined
  topP?: number | undefined
  frequencyPenalty?: number | undefined
  presencePenalty?: number | undefined
  seed?: number | undefined
  reasoningEffort?: AgentParametersReasoningEffort | undefined
  verbosity?: AgentParametersVerbosity | undefined
}

export type AgentParametersReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

export type AgentParametersVerbosity = 'low' | 'medium' | 'high'

export interface AgentRunCompletedEvent {
  id: string
  type: 'agent.run.completed'
  createdAt: string
  data: AgentRunCompletedEventData
}

export interface AgentRunCompletedEventData {
  agentId: string
  runId: string
  status: string
  durationMs: number
  output: string
  /** `length`: the answer was cut at `maxOutputTokens`. */
  finishReason?: RunFinishReason | null | undefined
  conversationId?: string | null | undefined
  metadata?: EventTypeSchema | undefined
  error?: AgentRunCompletedEventDataError | null | undefined
}

export interface AgentRunCompletedEventDataError {
  code: string
  message: string
  details: AgentRunCompletedEventDataErrorDetails
}

export interface AgentRunCompletedEventDataErrorDetails {
  reason: string | null
}

export interface AgentRunPage {
  data: Run[]
  nextCursor: string | null
}

export interface AgentRunWaitingEvent {
  id: string
  type: 'agent.run.waiting'
  createdAt: string
  data: AgentRunWaitingEventData
}

export interface AgentRunWaitingEventData {
  agentId: string
  runId: string
  stepId: string
  tool: string
}

export interface AgentTool {
  serverId: string
  name: string
  approval: AgentToolApproval
  repeatable: boolean
  required: boolean
}

export type AgentToolApproval = 'always' | 'never'

export interface AgentVersion {
  agentId: string
  version: number
  instructions: string
  model: string
  knowledgeBaseIds: string[]
  tools: AgentTool[]
  maxSteps: number
  maxOutputTokens: number
  timeoutMs: number
  onLength: AgentOnLength
  onModelFailure: AgentOnModelFailure
  fallbackModel: string | null
  parameters: AgentParameters
  /** The account or API key that changed it to this. */
  createdBy: string
  createdAt: string
}

export interface AgentVersionPage {
  data: AgentVersion[]
  nextCursor: string | null
}

export interface AllOrganization {
  id: string
  name: string
  status: SessionUserOrganizationStatus
  plan: string
  modules: AllOrganizationModules
  /** Modules that are on or off whatever its plan says. */
  flags: { [name: string]: boolean }
  members: number
  webhooks: number
  createdAt: string
}

/** Which it has, by its plan or by its flags. */
export interface AllOrganizationModules {
  webhooks: boolean
  connections: boolean
  files: boolean
  knowledge: boolean
  agents: boolean
}

export interface AllOrganizationPage {
  data: AllOrganization[]
  nextCursor: string | null
}

export interface ApiKey {
  id: string
  name: string
  role: string
  /** The last four characters of the key. */
  hint: string
  createdBy: string | null
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
}

export interface ApiKeyPage {
  data: ApiKey[]
  nextCursor: string | null
}

export interface AuditEntry {
  id: string
  action: string
  organizationId: string | null
  accountId: string | null
  actorId: string | null
  targetId: string | null
  details: { [name: string]: unknown }
  ip: string
  userAgent: string
  requestId: string
  createdAt: string
}

export interface AuditEntryPage {
  data: AuditEntry[]
  nextCursor: string | null
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
  plan: string
  creditsPerCycle: number | null
  cycle: BalanceCycle
}

export interface BalanceCycle {
  startedAt: string
  renewsAt: string
}

export interface CallMcpBody {
  jsonrpc: '2.0'
  id?: CallMcpBodyId | undefined
  method: string
  params?: EventTypeSchema | undefined
}

export type CallMcpBodyId = string | number

export interface CallWebhookAnswer {
  id: string
  status: CallWebhookAnswerStatus
}

export type CallWebhookAnswerStatus = 'queued' | 'captured'

export interface Capture {
  id: string
  status: CaptureStatus
  createdAt: string
  expiresAt: string
  capturedAt: string | null
  method: string | null
  query: CaptureQuery | null
  headers: DeliveryAttemptResponseHeaders | null
  contentType: string | null
  body: string | null
  bodyBase64: string | null
}

export interface CapturePage {
  data: Capture[]
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
  example: CatalogueEntryExample
}

/** A whole answer with this code. */
export type CatalogueEntryExample = { [name: string]: unknown }

export interface ChangeAccountBody {
  firstName?: string | undefined
  lastName?: string | undefined
}

export interface ChangeMemberRoleBody {
  role: Role
}

export interface ChangeOrganizationBody {
  name?: string | undefined
  plan?: CreateOrganizationBodyPlan | undefined
  modules?: ChangeOrganizationBodyModules | undefined
  /** `disabled`: nobody comes in, what is to be sent waits, and what agents do is cancelled, until it is `active` again. */
  status?: SessionUserOrganizationStatus | undefined
}

export interface ChangeOrganizationBodyModules {
  webhooks?: boolean | null | undefined
  connections?: boolean | null | undefined
  files?: boolean | null | undefined
  knowledge?: boolean | null | undefined
  agents?: boolean | null | undefined
}

export interface ChangePasswordAnswer {
  /** The others, that have ended. */
  endedSessions: number
}

export interface ChangePasswordBody {
  currentPassword: string
  /** 8 to 256 characters, none of the well-known passwords. */
  newPassword: string
}

export interface CheckLivenessAnswer {
  status: string
}

export interface CheckReadinessAnswer {
  status: string
  checks: CheckReadinessAnswerChecks
}

export interface CheckReadinessAnswerChecks {
  database: string
  deliveries: string
}

export interface Checkout {
  id: string
  status: CheckoutStatus
  credits: number | null
  plan: string | null
  price: CheckoutPrice
  checkoutUrl: string
  createdAt: string
  expiresAt: string
  paidAt: string | null
}

export interface CheckoutPrice {
  /** In the currency's smallest unit. */
  amount: number
  currency: string
}

export type CheckoutStatus = 'open' | 'paid' | 'expired' | 'refunded'

export interface Connection {
  id: string
  provider: string
  /** `active`: it can be used. `expired`: its token has ended and cannot be refreshed. `revoked`: the provider takes it no more. `error`: the last refresh failed, the next may not. The middle two need a new authorization. */
  status: ConnectionStatus
  scopes: string[]
  subject: string | null
  refreshable: boolean
  lastError: ConnectionLastError | null
  retryNotBefore: string | null
  createdBy: string | null
  createdAt: string
  updatedAt: string
  expiresAt: string | null
  refreshedAt: string | null
}

export interface ConnectionExpiredEvent {
  id: string
  type: 'connection.expired'
  createdAt: string
  data: ConnectionExpiredEventData
}

export interface ConnectionExpiredEventData {
  /** An id that starts with con_. */
  connectionId: string
  provider: string
  reason: string
}

/** How the last refresh failed. */
export interface ConnectionLastError {
  code: string
  reason: string | null
}

export interface ConnectionPage {
  data: Connection[]
  nextCursor: string | null
}

export interface ConnectionProvider {
  /** What `POST /v1/connections/oauth/authorize` asks for. */
  name: string
  scopes: string[]
  apiHosts: string[]
}

export interface ConnectionProviderPage {
  data: ConnectionProvider[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export interface ConnectionRevokedEvent {
  id: string
  type: 'connection.revoked'
  createdAt: string
  data: ConnectionRevokedEventData
}

export interface ConnectionRevokedEventData {
  /** An id that starts with con_. */
  connectionId: string
  provider: string
  reason: string
}

export type ConnectionStatus = 'active' | 'expired' | 'revoked' | 'error'

export interface Conversation {
  id: string
  title: string | null
  /** Runs that have been accepted in it. */
  turns: number
  createdBy: string
  createdAt: string
  updatedAt: string
}

export interface ConversationPage {
  data: Conversation[]
  nextCursor: string | null
}

export interface CreateAgentBody {
  name: string
  /** What the model is told before everything else. */
  instructions?: string | undefined
  /** A name of `GET /v1/models`. */
  model?: string | undefined
  knowledgeBaseIds?: string[] | undefined
  tools?: CreateAgentBodyTool[] | undefined
  /** Calls of the model and of tools in a run. */
  maxSteps?: number | undefined
  maxOutputTokens?: number | undefined
  /** How long a run takes at most, beside the time for which it waits for a person. */
  timeoutMs?: number | undefined
  /** What an answer that was cut at `maxOutputTokens` does: `keep`, the default, ends the run with what was said, `fail` fails it. Calls of tools in such an answer are not made in either case. */
  onLength?: AgentOnLength | undefined
  /** What a call of the model does that failed and may have been paid: `fail`, the default, fails the run, `retry` asks twice more, `fallback` asks `fallbackModel`. One that cannot have been paid is always tried again. */
  onModelFailure?: AgentOnModelFailure | undefined
  fallbackModel?: string | null | undefined
  parameters?: AgentParameters | undefined
}

export interface CreateAgentBodyTool {
  serverId: string
  name: string
  approval?: AgentToolApproval | undefined
  /** Whether a call whose outcome is unknown may be made once more, where the tool says of itself that it may. */
  repeatable?: boolean | undefined
  /** Whether a run fails when the server is unavailable. */
  required?: boolean | undefined
}

export interface CreateApiKeyBody {
  name: string
  role?: Role | undefined
  expiresInDays?: number | undefined
}

export interface CreateCheckoutBody {
  credits?: number | undefined
  plan?: CreateCheckoutBodyPlan | undefined
  /** An absolute URL on one of `ALLOWED_ORIGINS`. */
  returnUrl?: string | undefined
}

export type CreateCheckoutBodyPlan = 'free' | 'team' | 'scale'

export interface CreateConversationBody {
  title?: string | undefined
}

export interface CreateEventTypeBody {
  name: string
  description?: string | undefined
  schema?: CreateEventTypeBodySchema | undefined
  example?: FreeObject | undefined
}

export interface CreateEventTypeBodySchema {
  $schema?: string | undefined
  title?: string | undefined
  description?: string | undefined
  examples?: FreeValue[] | undefined
  default?: FreeValue | undefined
  deprecated?: boolean | undefined
  type?: DataSchemaObjectType | undefined
  enum?: FreeValue[] | undefined
  const?: FreeValue | undefined
  properties?: { [name: string]: DataSchema } | undefined
  required?: string[] | undefined
  additionalProperties?: DataSchema | undefined
  minProperties?: number | undefined
  maxProperties?: number | undefined
  items?: DataSchema | undefined
  minItems?: number | undefined
  maxItems?: number | undefined
  minimum?: number | undefined
  maximum?: number | undefined
  exclusiveMinimum?: number | undefined
  exclusiveMaximum?: number | undefined
  multipleOf?: number | undefined
  minLength?: number | undefined
  maxLength?: number | undefined
  format?: string | undefined
  anyOf?: DataSchema[] | undefined
  oneOf?: DataSchema[] | undefined
  allOf?: DataSchema[] | undefined
  not?: DataSchema | undefined
}

export interface CreateInvitationBody {
  /** An e-mail address. */
  email: string
  role?: Role | undefined
  expiresInDays?: number | undefined
  /** `false` answers with the `acceptUrl`, once, instead of mailing it. */
  sendEmail?: boolean | undefined
}

export interface CreateInvitationsBody {
  invitations: CreateInvitationsBodyInvitation[]
  expiresInDays?: number | undefined
}

export interface CreateInvitationsBodyInvitation {
  email: string
  role?: string | undefined
}

export interface CreateKnowledgeBaseBody {
  name: string
  embedding?: string | null | undefined
}

export interface CreateMcpServerBody {
  /** What its tools are called by: `{name}__{tool}`. Of the organization’s servers none has the same. */
  name: string
  /** Where it speaks the protocol over Streamable HTTP. */
  url: string
  /** Sent with every request, `Authorization` for example; never shown. */
  headers?: { [name: string]: string } | undefined
  connectionId?: string | undefined
  /** Whether a run that may use it fails without it; otherwise the model reads that it is unavailable. */
  required?: boolean | undefined
}

export interface CreateOrganizationBody {
  name: string
  plan?: CreateOrganizationBodyPlan | undefined
}

export type CreateOrganizationBodyPlan = 'free' | 'team' | 'scale' | 'unlimited'

export interface CreateOrganizationInvitationBody {
  /** An e-mail address. */
  email: string
  role?: Role | undefined
  /** `false` leaves it to you to hand over the link. Unless said: whether there is a mail server. */
  sendEmail?: boolean | undefined
}

export interface CreateReplayBody {
  eventId?: string | undefined
  eventType?: string | undefined
  /** Of the answer to the last attempt: one, or a hundred of them. */
  statusCode?: string | undefined
  /** One or several of: timeout, dns, refused, reset, tls, invalid_answer, blocked_address, http_3xx, http_4xx, http_5xx, http_other; with a comma between two. */
  errorClass?: string | undefined
  since: string
  until?: string | undefined
  /** Only these; of others, and of what there is no more, nothing is said. */
  ids?: string[] | undefined
  /** Only tells how many there are; nothing is changed. */
  dryRun?: boolean | undefined
  status?: CreateReplayBodyStatus | undefined
}

export type CreateReplayBodyStatus = 'failed' | 'delivered' | 'all'

export interface CreateWebhookBody {
  url: string
  /** Event types, or `*` for every one. */
  events: string[]
  /** Opens `POST /v1/webhooks/{endpointPath}` to external systems. */
  endpointPath?: string | undefined
  description?: string | undefined
  /** Attempts at once, at most; 256 unless set. Below it as many are made as are answered well, and no slower than usual. */
  maxInFlight?: number | undefined
  maxPerSecond?: number | null | undefined
}

export interface CreatedApiKey {
  id: string
  name: string
  role: string
  /** The last four characters of the key. */
  hint: string
  createdBy: string | null
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  key: string
}

export interface CreatedCheckout {
  checkoutUrl: string
  checkoutId: string
  expiresAt: string
}

export interface CreatedInvitation {
  results: CreatedInvitationResult[]
}

export interface CreatedInvitationResult {
  email: string
  invitation?: Invitation | undefined
  error?: CreatedInvitationResultError | undefined
}

export interface CreatedInvitationResultError {
  code: string
  message: string
  details: { [name: string]: unknown }
}

export interface CreatedOrganizationInvitation {
  invitationId: string
  email: string
  role: Role
  isMailed: boolean
  expiresAt: string
  /** The link, once: for this person alone. */
  acceptUrl: string
}

export interface CreatedToken {
  token: string
  expiresAt: string
}

export type CreatedWebhook = Webhook & {
  secret: string
}

/** A JSON Schema without the keywords that could cost others more than their share. */
export type DataSchema = boolean | DataSchemaObject

export interface DataSchemaObject {
  title?: string | undefined
  description?: string | undefined
  examples?: FreeValue[] | undefined
  default?: FreeValue | undefined
  deprecated?: boolean | undefined
  type?: DataSchemaObjectType | undefined
  enum?: FreeValue[] | undefined
  const?: FreeValue | undefined
  properties?: { [name: string]: DataSchema } | undefined
  required?: string[] | undefined
  additionalProperties?: DataSchema | undefined
  minProperties?: number | undefined
  maxProperties?: number | undefined
  items?: DataSchema | undefined
  minItems?: number | undefined
  maxItems?: number | undefined
  minimum?: number | undefined
  maximum?: number | undefined
  exclusiveMinimum?: number | undefined
  exclusiveMaximum?: number | undefined
  multipleOf?: number | undefined
  minLength?: number | undefined
  maxLength?: number | undefined
  format?: string | undefined
  anyOf?: DataSchema[] | undefined
  oneOf?: DataSchema[] | undefined
  allOf?: DataSchema[] | undefined
  not?: DataSchema | undefined
}

export type DataSchemaObjectType = DataSchemaObjectTypeChoice | DataSchemaObjectTypeList

export type DataSchemaObjectTypeChoice = 'array' | 'boolean' | 'integer' | 'null' | 'number' | 'object' | 'string'

export type DataSchemaObjectTypeList = DataSchemaObjectTypeChoice[]

export interface DecideApprovalBody {
  decision: DecideApprovalBodyDecision
  reason?: string | undefined
}

export type DecideApprovalBodyDecision = 'approve' | 'deny'

export interface DeliverCaptureAnswer {
  id: string
  status: string
}

export interface Delivery {
  id: string
  webhookId: string
  eventId: string
  eventType: string
  status: DeliveryStatus
  reason: string | null
  /** Asked for to try the webhook; no replay makes it again. */
  test: boolean
  attemptCount: number
  nextAttemptAt: string | null
  createdAt: string
  updatedAt: string
  waiting: DeliveryWaiting | null
  attempts: DeliveryAttempt[]
}

export interface DeliveryAttempt {
  id: string
  number: number
  startedAt: string
  durationMs: number
  outcome: string
  statusCode: number | null
  error: string | null
  errorClass: DeliveryAttemptErrorClass | null
  url: string | null
  address: string | null
  timings: DeliveryAttemptTimings
  requestHeaders: { [name: string]: string }
  responseHeaders: DeliveryAttemptResponseHeaders | null
  responseBody: string | null
  /** Which secret the counting request was signed with. */
  signedWith: DeliveryAttemptSignedWith
}

export type DeliveryAttemptErrorClass = 'timeout' | 'dns' | 'refused' | 'reset' | 'tls' | 'invalid_answer' | 'blocked_address' | 'http_3xx' | 'http_4xx' | 'http_5xx' | 'http_other'

export type DeliveryAttemptResponseHeaders = { [name: string]: string }

export type DeliveryAttemptSignedWith = 'current' | 'previous'

/** What each part took; null where there was none, as the first three on a connection that was open already. */
export interface DeliveryAttemptTimings {
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
  firstByteMs: number | null
  /** Of the whole attempt. */
  totalMs: number
}

export interface DeliveryItem {
  id: string
  webhookId: string
  eventId: string
  eventType: string
  status: DeliveryStatus
  reason: string | null
  /** Asked for to try the webhook; no replay makes it again. */
  test: boolean
  attemptCount: number
  nextAttemptAt: string | null
  createdAt: string
  updatedAt: string
  /** Where its webhook sends to now. */
  url: string
  lastStatusCode: number | null
  lastErrorClass: DeliveryAttemptErrorClass | null
  endedAt: string | null
}

export interface DeliveryPage {
  data: DeliveryItem[]
  nextCursor: string | null
}

export interface DeliveryStats {
  windowMs: number
  bucketMs: number
  buckets: DeliveryStatsBucket[]
  totals: DeliveryStatsTotals
  latencyMs: WebhookStatsLatencyMs | null
  backlog: DeliveryStatsBacklog
  share: WebhookStatsShare | null
}

export interface DeliveryStatsBacklog {
  /** All of active webhooks that have not ended, whenever they were made. */
  pending: number
  /** The same of webhooks that are paused or disabled. */
  held: number
  oldestPendingAt: string | null
}

export interface DeliveryStatsBucket {
  at: string
  delivered: number
  failed: number
  pending: number
  latencyMs: WebhookStatsLatencyMs | null
}

export interface DeliveryStatsTotals {
  delivered: number
  failed: number
  pending: number
}

export type DeliveryStatus = 'pending' | 'held' | 'delivered' | 'failed'

/** Why a delivery that has not ended waits, up to 10 s old; null once it has ended. */
export interface DeliveryWaiting {
  /** `attempting`: it is being attempted. `retry_scheduled`: for its next attempt. `parked`: its webhook does not answer; one delivery at a time is tried, and all that wait follow once one is taken. `rate`: for `maxPerSecond`. `in_flight`: for those before it, as many at once as the webhook is trusted with. `webhook_paused`, `webhook_disabled`: until the webhook is resumed. */
  reason: DeliveryWaitingReason
  until: string | null
}

export type DeliveryWaitingReason = 'attempting' | 'retry_scheduled' | 'parked' | 'rate' | 'in_flight' | 'webhook_paused' | 'webhook_disabled'

export interface Document {
  id: string
  knowledgeBaseId: string
  name: string
  fileId: string | null
  sha256: string
  /** How the last indexing stands. What an earlier one has made of the document is found until the next one is done, and after it failed. */
  status: DocumentStatus
  error: DocumentError | null
  /** Passages of it that are found. */
  chunks: number
  chars: number
  embedding: string | null
  createdBy: string | null
  createdAt: string
  updatedAt: string
  indexedAt: string | null
}

/** Why the last indexing failed. */
export interface DocumentError {
  code: string
  reason: string | null
}

export interface DocumentIndexedEvent {
  id: string
  type: 'document.indexed'
  createdAt: string
  data: DocumentIndexedEventData
}

export interface DocumentIndexedEventData {
  /** An id that starts with doc_. */
  documentId: string
  /** An id that starts with knb_. */
  knowledgeBaseId: string
  name: string
  status: DocumentIndexedEventDataStatus
  /** Passages of it that are found now. */
  chunks: number
  durationMs: number
  error: FileProcessedEventDataError | null
}

export type DocumentIndexedEventDataStatus = 'indexed' | 'failed'

export interface DocumentPage {
  data: Document[]
  nextCursor: string | null
}

export type DocumentStatus = 'queued' | 'indexing' | 'indexed' | 'failed'

export interface EndOtherSessionsAnswer {
  endedSessions: number
}

export interface ErrorAnswerError {
  code: ErrorCode
  message: string
  details: { [name: string]: unknown }
  requestId: string
  docUrl: string
}

export type ErrorCode = 'UNAUTHORIZED' | 'FORBIDDEN' | 'MODULE_NOT_ENABLED' | 'INTEGRATION_EXPIRED' | 'INTEGRATION_REVOKED' | 'VALIDATION_FAILED' | 'INVALID_EMAIL' | 'INVALID_UUID' | 'TYPE_MISMATCH' | 'MISSING_REQUIRED_FIELD' | 'CONVERSATION_NOT_FOUND' | 'ENTITY_NOT_FOUND' | 'DUPLICATE' | 'RATE_LIMITED' | 'INSUFFICIENT_CREDITS' | 'INTEGRATION_RATE_LIMIT' | 'INDEXING_FAILED' | 'PARSE_FAILED' | 'PROCESSING_FAILED' | 'XLSX_TIMEOUT' | 'XLSX_CORRUPTED' | 'FETCH_FAILED' | 'INTEGRATION_PROVIDER_ERROR' | 'MCP_CLIENT_UNAVAILABLE'

export interface ErrorPage {
  data: CatalogueEntry[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export interface Event {
  id: string
  type: string
  createdAt: string
  data: EventTypeSchema
}

export interface EventItem {
  id: string
  type: string
  createdAt: string
  data: EventTypeSchema
  actorId: string | null
}

export interface EventPage {
  data: EventItem[]
  nextCursor: string | null
}

export interface EventType {
  name: string
  description: string
  schema: EventTypeSchema
  example: EventTypeSchema
  builtIn: boolean
  /** Whether `POST /v1/events` takes it; the platform alone publishes the others. */
  publishable: boolean
  createdAt: string | null
}

export interface EventTypeItem {
  name: string
  description: string
  schema: EventTypeSchema
  example: EventTypeSchema
  builtIn: boolean
  /** Whether `POST /v1/events` takes it; the platform alone publishes the others. */
  publishable: boolean
  createdAt: string | null
  /** Webhooks that ask for it, those that are not active included. */
  subscribers: number
}

export interface EventTypePage {
  data: EventTypeItem[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export type EventTypeSchema = { [name: string]: unknown }

export interface FetchFileBody {
  /** Where it is: http or https, public, without credentials. */
  url: string
  name?: string | undefined
  /** How its letters are written; it comes before what the `Content-Type` says. */
  charset?: string | undefined
}

export interface FetchThroughConnectionAnswer {
  /** The API's own; 2xx, 3xx and 4xx are all handed over. */
  status: number
  /** In lower case. A header that came several times is joined by commas. */
  headers: { [name: string]: string }
  body: string
  /** `text` where the bytes are UTF-8, else `base64`. */
  bodyEncoding: FetchThroughConnectionAnswerBodyEncoding
}

export type FetchThroughConnectionAnswerBodyEncoding = 'text' | 'base64'

export interface FetchThroughConnectionBody {
  method: FetchThroughConnectionBodyMethod
  /** An absolute URL on one of the provider's `apiHosts`. */
  url: string
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
  data: StoredFile[]
  nextCursor: string | null
}

export interface FileProcessedEvent {
  id: string
  type: 'file.processed'
  createdAt: string
  data: FileProcessedEventData
}

export interface FileProcessedEventData {
  fileId?: string | undefined
  name?: string | undefined
  mediaType?: string | undefined
  sizeBytes?: number | undefined
  status?: string | undefined
  durationMs?: number | undefined
  error?: FileProcessedEventDataError | null | undefined
}

export interface FileProcessedEventDataError {
  code: string
  reason: string | null
}

export interface FileText {
  /** `processing` beside a text: it is of an earlier reading, and stays until the next is done. */
  status: FileTextStatus
  text: string | null
  /** Where in the file the parts of `text` stand. */
  parts: FileTextPart[]
  nextCursor: string | null
}

export interface FileTextPart {
  /** Where in `text` it begins, in UTF-16 code units. */
  offset: number
  page?: number | undefined
  sheet?: string | undefined
  heading?: string | undefined
}

export type FileTextStatus = 'processing' | 'processed'

export interface Finding {
  level: FindingLevel
  what: string
  text: string
}

export type FindingLevel = 'ok' | 'warning' | 'problem'

export interface FindingPage {
  data: Finding[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export type FreeObject = { [name: string]: FreeValue }

/** Any JSON without the members that lead programs of JavaScript astray. */
export type FreeValue = unknown

export interface GrantCreditsAnswer {
  granted: boolean
  balance: number
}

export interface GrantCreditsBody {
  credits: number
  reason: string
  reference?: string | undefined
}

export interface Installation {
  version: string
  engine: InstallationEngine
  schemaVersion: number
  /** Of the process that answers. */
  role: string
  organizations: number
  deliveries: InstallationDeliveries
  jobs: InstallationJob[]
  workers: InstallationWorker[]
  mails: InstallationMails
  disk: InstallationDisk
  measuredAt: string
}

/** What has not ended. Counted exactly up to a million that are in no worker’s hands, and of 2,000 publications that are not written whole; of more these are the least there are. */
export interface InstallationDeliveries {
  due: number
  /** Due later: retries. */
  scheduled: number
  /** In the hands of a worker. */
  claimed: number
  oldestDueAt: string | null
  /** Of webhooks that are not active. */
  held: number
  /** Of events that are accepted, and not in the table yet. */
  unwritten: number
}

export interface InstallationDisk {
  /** Where `DATA_DIR` is. */
  freeBytes: number
}

export type InstallationEngine = 'sqlite' | 'postgres'

/** What has not ended of one kind. Counted exactly up to 10,000 that are in no worker’s hands; of more these are the least there are. */
export interface InstallationJob {
  kind: string
  due: number
  /** Due later: retries. */
  scheduled: number
  /** In the hands of a worker. */
  claimed: number
  oldestDueAt: string | null
}

/** Each counted exactly up to 10,000. */
export interface InstallationMails {
  queued: number
  failed: number
  isConfigured: boolean
}

export interface InstallationWorker {
  aliveUntil: string
  /** Parts of the webhooks that are its own. */
  shards: number
}

export interface Invitation {
  id: string
  email: string
  organizationId: string
  role: string
  status: InvitationStatus
  inviterId: string | null
  createdAt: string
  expiresAt: string
  acceptedAt: string | null
  revokedAt: string | null
  delivery: InvitationDelivery
  /** Only in the answer that creates it with `sendEmail: false`. */
  acceptUrl?: string | undefined
}

export interface InvitationAcceptedEvent {
  id: string
  type: 'invitation.accepted'
  createdAt: string
  data: InvitationAcceptedEventData
}

export interface InvitationAcceptedEventData {
  /** An id that starts with inv_. */
  invitationId: string
  /** An id that starts with acc_. */
  accountId: string
  email: string
  role: Role
}

export interface InvitationCreatedEvent {
  id: string
  type: 'invitation.created'
  createdAt: string
  data: InvitationCreatedEventData
}

export interface InvitationCreatedEventData {
  /** An id that starts with inv_. */
  invitationId: string
  email: string
  role: Role
  inviterId: string | null
}

export interface InvitationDelivery {
  status: InvitationDeliveryStatus
  attempts: number
  lastAttemptAt: string | null
  lastError: string | null
  answer: string | null
}

export type InvitationDeliveryStatus = 'queued' | 'sent' | 'failed' | 'not_configured'

export interface InvitationPage {
  data: Invitation[]
  nextCursor: string | null
}

export type InvitationStatus = 'pending' | 'accepted' | 'revoked' | 'expired'

export interface KnowledgeBase {
  id: string
  name: string
  embedding: string | null
  documents: number
  /** Passages that are found. */
  chunks: number
  createdBy: string | null
  createdAt: string
  updatedAt: string
}

export interface KnowledgeBasePage {
  data: KnowledgeBase[]
  nextCursor: string | null
}

export interface LedgerDay {
  date: string
  /** What came on this day. */
  credited: number
  /** What went. */
  debited: number
  entries: number
  /** All credits at its end, those set aside included. */
  balance: number
}

export interface LedgerDayPage {
  data: LedgerDay[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export interface LedgerEntry {
  id: string
  kind: LedgerEntryKind
  /** Credits that came, or with a minus went. */
  amount: number
  /** All credits after this entry, those set aside included. */
  balance: number
  /** Of these: what ends with the cycle. */
  cycleCredits: number
  /** Of these: what stays. */
  purchasedCredits: number
  price: number | null
  action: string | null
  reference: string | null
  reason: string | null
  createdAt: string
}

export type LedgerEntryKind = 'renewal' | 'expiry' | 'upgrade' | 'grant' | 'purchase' | 'debit' | 'reversal'

export interface LedgerEntryPage {
  data: LedgerEntry[]
  nextCursor: string | null
}

export interface ListSigningKeysAnswer {
  keys: { [name: string]: string }[]
}

export interface Mail {
  id: string
  to: string
  subject: string
  invitationId: string | null
  status: InvitationDeliveryStatus
  attempts: number
  lastAttemptAt: string | null
  lastError: string | null
  answer: string | null
  createdAt: string
}

export interface MailPage {
  data: Mail[]
  nextCursor: string | null
}

export interface McpServer {
  id: string
  name: string
  url: string
  /** Whose values are never shown. */
  headerNames: string[]
  connectionId: string | null
  required: boolean
  /** Whether its tools were never listed, are as they were accepted, or have some that were not. */
  status: McpServerStatus
  toolCount: number
  toolsDigest: string | null
  lastFailure: McpServerLastFailure | null
  checkedAt: string | null
  createdAt: string
  updatedAt: string
  tools: McpServerTool[]
}

export interface McpServerChangedEvent {
  id: string
  type: 'mcp_server.changed'
  createdAt: string
  data: McpServerChangedEventData
}

export interface McpServerChangedEventData {
  /** An id that starts with mcp_. */
  serverId: string
  name: string
  tools: string[]
}

export interface McpServerItem {
  id: string
  name: string
  url: string
  /** Whose values are never shown. */
  headerNames: string[]
  connectionId: string | null
  required: boolean
  /** Whether its tools were never listed, are as they were accepted, or have some that were not. */
  status: McpServerStatus
  toolCount: number
  toolsDigest: string | null
  lastFailure: McpServerLastFailure | null
  checkedAt: string | null
  createdAt: string
  updatedAt: string
}

export interface McpServerLastFailure {
  reason: string
}

export interface McpServerPage {
  data: McpServerItem[]
  nextCursor: string | null
}

export type McpServerStatus = 'new' | 'ready' | 'changed'

export interface McpServerTool {
  name: string
  description: string
  inputSchema: EventTypeSchema
  readOnly: boolean
  idempotent: boolean
  /** Only what is `on` can be called. `gone`: it was accepted, and is not listed any more. */
  status: McpServerToolStatus
  digest: string
}

export type McpServerToolStatus = 'on' | 'changed' | 'new' | 'gone'

export interface Member {
  accountId: string
  email: string
  firstName: string | null
  lastName: string | null
  role: string
  joinedAt: string
}

export interface MemberPage {
  data: Member[]
  nextCursor: string | null
}

export interface MemberRemovedEvent {
  id: string
  type: 'member.removed'
  createdAt: string
  data: MemberRemovedEventData
}

export interface MemberRemovedEventData {
  /** An id that starts with acc_. */
  accountId: string
}

export interface MemberRoleChangedEvent {
  id: string
  type: 'member.role_changed'
  createdAt: string
  data: MemberRoleChangedEventData
}

export interface MemberRoleChangedEventData {
  /** An id that starts with acc_. */
  accountId: string
  from: Role
  to: Role
}

export interface Message {
  id: string
  runId: string
  role: MessageRole
  /** Data: shown as Markdown or HTML, it is what a stranger may have written. */
  content: string
  finishReason: MessageFinishReason | null
  createdAt: string
}

export type MessageFinishReason = 'stop' | 'length'

export interface MessagePage {
  data: Message[]
  nextCursor: string | null
}

export type MessageRole = 'user' | 'assistant'

export interface Model {
  /** What an agent names it by. */
  name: string
  /** Tokens that it reads and writes at most, together. */
  contextTokens: number
  maxOutputTokens: number
  prices: ModelPrices
}

export interface ModelPage {
  data: Model[]
  nextCursor: string | null
}

/** Credits for 1,000 tokens, beside the price of a step. */
export interface ModelPrices {
  inputPer1000: number
  outputPer1000: number
}

export type Module = 'webhooks' | 'connections' | 'files' | 'knowledge' | 'agents'

export interface OpenCaptureWindowAnswer {
  captureId: string
  status: OpenCaptureWindowAnswerStatus
  expiresAt: string
  inboundUrl: string
}

export type OpenCaptureWindowAnswerStatus = 'open' | 'closed'

export interface Organization {
  id: string
  name: string
  plan: string
  /** The role of the caller. */
  role: string
  createdAt: string
}

export interface OrganizationPage {
  data: Organization[]
  nextCursor: string | null
}

export interface Plan {
  name: string
  requestsPerMinute: number | null
  modules: Module[]
  /** Webhooks that an organization may have. */
  webhooks: number
  storageGiB: number | null
  creditsPerCycle: number | null
  price: CheckoutPrice | null
  /** Whether it is the plan of the caller’s organization. */
  current: boolean
}

export interface PlanPage {
  data: Plan[]
  /** Always null: the list is whole. */
  nextCursor: string | null
  modules: PlanPageModule[]
  cycle: PlanPageCycle
  creditPack: PlanPageCreditPack | null
  actions: PlanPageAction[]
}

export interface PlanPageAction {
  action: PlanPageActionContent
  credits: number
}

export type PlanPageActionContent = 'connection.fetch' | 'file.process' | 'document.index' | 'run.step'

export interface PlanPageCreditPack {
  credits: number
  price: CheckoutPrice
}

export type PlanPageCycle = 'day' | 'week' | 'month' | 'year'

export interface PlanPageModule {
  module: Module
  /** Whether the caller’s organization may use it. */
  enabled: boolean
  /** Whether a flag says so, whatever the plan has. */
  byFlag: boolean
}

export interface PreviewInvitationAnswer {
  email: string
  organizations: PreviewInvitationAnswerOrganization[]
  expiresAt: string
}

export interface PreviewInvitationAnswerOrganization {
  name: string
  role: string
}

export interface Problem {
  /** The same as long as the problem is open. */
  id: string
  kind: ProblemKind
  /** Of a webhook: `disabled`, `parked`, `failing`, or `failed` (it takes deliveries, and some of the last 7 days failed for good). Of runs: `waiting` for a person. Of a connection: its status. Of credits: `low` or `used_up`. Of all others: `failed`. */
  state: ProblemState
  subjectId: string | null
  subject: string | null
  reason: string | null
  since: string
  nextAt: string | null
  waiting: ProblemWaiting | null
  failed: ProblemFailed | null
  balance: number | null
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

export type ProblemKind = 'webhook' | 'run' | 'file' | 'document' | 'connection' | 'mail' | 'credits'

export interface ProblemPage {
  data: Problem[]
  /** Problems beyond those in `data`. */
  more: number
  nextCursor: null
}

export type ProblemState = 'disabled' | 'parked' | 'failing' | 'used_up' | 'revoked' | 'expired' | 'error' | 'failed' | 'waiting' | 'low'

/** What waits: deliveries of a webhook, or runs for a person. */
export interface ProblemWaiting {
  count: number
  /** No more were counted: there may be more. */
  atLeast: boolean
}

export interface PublishEventAnswer {
  id: string
  type: string
  createdAt: string
  /** How many webhooks it is on its way to, those that are paused or disabled included. */
  deliveries: number
}

export interface PublishEventBody {
  type: string
  data: FreeObject
}

export interface PublishEventTrial {
  dryRun: boolean
  type: string
  /** Webhooks that it would be sent to, or held for. */
  deliveries: number
  /** The first 100 of them. */
  webhooks: PublishEventTrialWebhook[]
}

export interface PublishEventTrialWebhook {
  id: string
  url: string
  /** `active`, or why it would be held. */
  status: string
}

export interface PublishEventsAnswer {
  results: PublishEventsAnswerResult[]
}

export interface PublishEventsAnswerResult {
  id?: string | undefined
  /** How many webhooks it is on its way to, those that are paused or disabled included. */
  deliveries?: number | undefined
  error?: PublishEventsAnswerResultError | undefined
}

export interface PublishEventsAnswerResultError {
  code: string
  message: string
  details: EventTypeSchema
}

export interface PublishEventsBody {
  events: PublishEventBody[]
}

export interface ReceiveStripeEventAnswer {
  received: boolean
}

export interface RefreshConnectionAnswer {
  id: string
  provider: string
  status: string
  scopes: string[]
  expiresAt: string | null
  refreshedAt: string | null
}

export interface RenameOrganizationBody {
  name: string
}

export interface Replay {
  id: string
  webhookId: string | null
  status: ReplayStatus
  /** `all` have ended, either way; `undelivered` are pending or have failed. What is pending is made due now instead of again. */
  filter: ReplayFilter
  eventId: string | null
  eventType: string | null
  statusCode: string | null
  errorClass: string | null
  idCount: number | null
  since: string
  until: string
  /** How many there were to make when it began, as far as they were counted; more where others have come to have the status since. */
  total: number
  /** How many are made: fewer in the end where some have recovered meanwhile. */
  replayed: number
  createdAt: string
  updatedAt: string
}

export type ReplayFilter = 'failed' | 'delivered' | 'all' | 'pending' | 'undelivered'

export interface ReplayPage {
  data: Replay[]
  nextCursor: string | null
}

export type ReplayStatus = 'running' | 'completed' | 'cancelled'

/** Nothing was made. */
export interface ReplayTrial {
  matched: number
  /** Whether there may be more, too many to be counted. */
  atLeast: boolean
}

export interface RequestMagicLinkAnswer {
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
  token: string
  /** 8 to 256 characters, none of the well-known passwords. */
  newPassword: string
}

export interface RetryDeliveriesBody {
  /** One or several of: pending, failed; with a comma between two. */
  status?: string | undefined
  webhookId?: string | undefined
  eventId?: string | undefined
  eventType?: string | undefined
  /** Of the answer to the last attempt: one, or a hundred of them. */
  statusCode?: string | undefined
  /** One or several of: timeout, dns, refused, reset, tls, invalid_answer, blocked_address, http_3xx, http_4xx, http_5xx, http_other; with a comma between two. */
  errorClass?: string | undefined
  since?: string | undefined
  until?: string | undefined
  /** Only these; of others, and of what there is no more, nothing is said. */
  ids?: string[] | undefined
  /** Only tells how many there are; nothing is changed. */
  dryRun?: boolean | undefined
}

export type Role = 'administrator' | 'member'

export interface RotateWebhookSecretAnswer {
  id: string
  secret: string
  previousSecretExpiresAt: string
}

export interface Run {
  id: string
  agentId: string
  agentVersion: number
  conversationId: string | null
  /** `queued`: it waits for its turn. `waiting`: it waits for a person to decide about `approval`. The last three are ends. */
  status: RunStatus
  input: string
  fileIds: string[]
  metadata: EventTypeSchema
  output: string | null
  finishReason: RunFinishReason | null
  error: RunError | null
  approval: RunApproval | null
  steps: number
  usage: RunUsage
  /** What its steps have cost. */
  credits: number
  createdBy: string
  createdAt: string
  startedAt: string | null
  endedAt: string | null
  durationMs: number | null
}

/** The call that it waits for somebody to decide about. */
export interface RunApproval {
  stepId: string
  tool: string
  serverId: string | null
  /** JSON, as the model wrote it. */
  arguments: string
}

export interface RunError {
  /** A code of the error catalogue. */
  code: string
  /** What happened, and what to do about it. */
  message: string
  details: RunErrorDetails
}

export interface RunErrorDetails {
  reason: string | null
  providerMessage: string | null
}

export type RunFinishReason = 'stop' | 'length' | 'refused'

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'

export interface RunUsage {
  inputTokens: number
  outputTokens: number
}

export interface SearchKnowledgeBaseAnswer {
  data: SearchKnowledgeBaseAnswerData[]
  /** By what was searched. */
  mode: SearchKnowledgeBaseAnswerMode
  reason: string | null
}

export interface SearchKnowledgeBaseAnswerData {
  documentId: string
  documentName: string
  knowledgeBaseId: string
  chunkId: string
  text: string
  location: SearchKnowledgeBaseAnswerDataLocation
  /** Higher is better; of one answer alone. */
  score: number
}

export interface SearchKnowledgeBaseAnswerDataLocation {
  page?: number | undefined
  sheet?: string | undefined
  heading?: string | undefined
}

export type SearchKnowledgeBaseAnswerMode = 'text' | 'vector' | 'both'

export interface SearchKnowledgeBaseBody {
  query: string
  limit?: number | undefined
  /** `auto`: by words, and by vectors where all of the base has them. */
  mode?: SearchKnowledgeBaseBodyMode | undefined
}

export type SearchKnowledgeBaseBodyMode = 'auto' | 'text' | 'vector'

export interface Session {
  user: SessionUser
  session: SessionContent
}

export interface SessionContent {
  id: string
  createdAt: string
  expiresAt: string
}

export interface SessionItem {
  id: string
  current: boolean
  ip: string
  userAgent: string
  createdAt: string
  lastSeenAt: string
  expiresAt: string
}

export interface SessionPage {
  data: SessionItem[]
  /** Always null: the list is whole. */
  nextCursor: string | null
}

export interface SessionUser {
  id: string
  email: string
  firstName: string | null
  lastName: string | null
  status: SessionUserStatus
  emailVerified: boolean
  termsAcceptedAt: string | null
  createdAt: string
  organizations: SessionUserOrganization[]
}

export interface SessionUserOrganization {
  id: string
  name: string
  role: string
  /** `disabled` while whoever runs the server lets nobody into it. */
  status: SessionUserOrganizationStatus
}

export type SessionUserOrganizationStatus = 'active' | 'disabled'

export type SessionUserStatus = 'inactive' | 'active' | 'disabled'

export interface SignInWithEmailBody {
  /** An e-mail address. */
  email: string
  password: string
}

export interface SignInWithMagicLinkAnswer {
  user: SessionUser
  session: SessionContent
  callbackURL: string | null
}

export interface SignInWithMagicLinkBody {
  token?: string | undefined
  /** An e-mail address. */
  email?: string | undefined
  code?: string | undefined
}

export interface SignInWithProviderAnswer {
  authUrl: string
}

export interface SignInWithProviderBody {
  /** The identity provider. */
  provider: SignInWithProviderBodyProvider
  /** An absolute URL on one of `ALLOWED_ORIGINS`. */
  callbackURL: string
  /** An absolute URL on one of `ALLOWED_ORIGINS`. */
  errorCallbackURL?: string | undefined
  invitationToken?: string | undefined
}

export type SignInWithProviderBodyProvider = 'google' | 'microsoft'

export interface SignOutAnswer {
  success: boolean
}

export interface SignUpWithEmailAnswer {
  user: SessionUser
  session: SessionContent | null
  emailVerificationRequired: boolean
}

export interface SignUpWithEmailBody {
  firstName: string
  lastName: string
  /** An e-mail address. */
  email: string
  /** 8 to 256 characters, none of the well-known passwords. */
  password: string
  /** Must be true. */
  termsAccepted: true
  invitationToken?: string | undefined
}

export interface StartRunBody {
  input: string
  conversationId?: string | undefined
  fileIds?: string[] | undefined
  metadata?: FreeObject | undefined
}

export interface Step {
  id: string
  seq: number
  kind: StepKind
  /** `unknown`: it was begun, and its outcome is unknown; it is not repeated. Of an approval, `failed` means denied. */
  status: StepStatus
  /** The model, or the tool. */
  name: string
  serverId: string | null
  callId: string | null
  arguments: string | null
  text: string | null
  calls: StepCall[]
  reason: string | null
  finishReason: RunFinishReason | null
  providerMessage: string | null
  tries: number
  usage: RunUsage
  credits: number
  decidedBy: string | null
  startedAt: string
  endedAt: string | null
}

export interface StepCall {
  id: string
  name: string
  arguments: string
}

export type StepKind = 'model' | 'tool' | 'approval'

export interface StepPage {
  data: Step[]
  nextCursor: string | null
}

export type StepStatus = 'started' | 'succeeded' | 'failed' | 'unknown'

export interface StoredFile {
  id: string
  name: string
  /** As it was sent with the bytes, without parameters, and once it is processed, as its content says. */
  mediaType: string
  sizeBytes: number
  /** In hex. */
  sha256: string
  /** `processed`: its text can be read; where `error` is beside it, it is that of an earlier reading. `failed`: there is no text, and `error` says why; the bytes are kept. */
  status: StoredFileStatus
  error: StoredFileError | null
  textChars: number | null
  /** Whether there was more text than is kept. */
  textTruncated: boolean
  charset: string | null
  /** What is to be known of how its text was read, such as a charset that was found by the bytes alone. */
  warnings: StoredFileWarning[]
  createdBy: string
  createdAt: string
  processedAt: string | null
}

/** Why the last reading failed. */
export interface StoredFileError {
  /** A code of the catalogue. */
  code: string
  reason: string | null
}

export type StoredFileStatus = 'processing' | 'processed' | 'failed'

export interface StoredFileWarning {
  code: StoredFileWarningCode
  /** Which charset, which attachments, which pages. */
  detail: string
}

export type StoredFileWarningCode = 'charset_guessed' | 'charset_not_followed' | 'attachments_not_read' | 'pages_without_text'

export interface TestWebhookAnswer {
  eventId: string
  deliveryId: string
  delivered: boolean
  attempt: TestWebhookAnswerAttempt
}

export interface TestWebhookAnswerAttempt {
  statusCode: number | null
  durationMs: number
  responseBody: string | null
  error: string | null
}

export interface TestWebhookBody {
  type?: string | undefined
}

export interface UpdateAgentBody {
  name?: string | undefined
  /** What the model is told before everything else. */
  instructions?: string | undefined
  /** A name of `GET /v1/models`. */
  model?: string | undefined
  knowledgeBaseIds?: string[] | undefined
  tools?: CreateAgentBodyTool[] | undefined
  maxSteps?: number | undefined
  maxOutputTokens?: number | undefined
  timeoutMs?: number | undefined
  /** What an answer that was cut at `maxOutputTokens` does: `keep`, the default, ends the run with what was said, `fail` fails it. Calls of tools in such an answer are not made in either case. */
  onLength?: AgentOnLength | undefined
  /** What a call of the model does that failed and may have been paid: `fail`, the default, fails the run, `retry` asks twice more, `fallback` asks `fallbackModel`. One that cannot have been paid is always tried again. */
  onModelFailure?: AgentOnModelFailure | undefined
  fallbackModel?: string | null | undefined
  parameters?: AgentParameters | undefined
}

export interface UpdateEventTypeBody {
  description?: string | undefined
  schema?: CreateEventTypeBodySchema | undefined
  example?: FreeObject | undefined
}

export interface UpdateKnowledgeBaseBody {
  name?: string | undefined
  embedding?: string | null | undefined
}

export interface UpdateMcpServerBody {
  /** What its tools are called by: `{name}__{tool}`. Of the organization’s servers none has the same. */
  name?: string | undefined
  /** Where it speaks the protocol over Streamable HTTP. */
  url?: string | undefined
  headers?: UpdateMcpServerBodyHeaders | null | undefined
  connectionId?: string | null | undefined
  /** Whether a run that may use it fails without it; otherwise the model reads that it is unavailable. */
  required?: boolean | undefined
}

export type UpdateMcpServerBodyHeaders = { [name: string]: string }

export interface UpdateWebhookBody {
  url?: string | undefined
  /** Event types, or `*` for every one. */
  events?: string[] | undefined
  endpointPath?: string | null | undefined
  description?: string | null | undefined
  status?: UpdateWebhookBodyStatus | undefined
  /** Attempts at once, at most; 256 unless set. Below it as many are made as are answered well, and no slower than usual. */
  maxInFlight?: number | undefined
  maxPerSecond?: number | null | undefined
}

export type UpdateWebhookBodyStatus = 'active' | 'paused'

export interface UploadFileBody {
  file: string
  name?: string | undefined
  /** How its letters are written; it comes before what the `Content-Type` says. */
  charset?: string | undefined
}

export interface VerifyEmailBody {
  token: string
  /** The one of the sign-up. Asked for in every browser but the one that signed up. */
  password?: string | undefined
}

export interface Webhook {
  id: string
  url: string
  events: string[]
  endpointPath: string | null
  description: string | null
  status: WebhookStatus
  disabledReason: string | null
  health: WebhookHealth
  maxInFlight: number
  maxPerSecond: number | null
  createdAt: string
  updatedAt: string
  /** The end of the current secret. */
  secretHint: string
  secretRotatedAt: string
  previousSecretExpiresAt: string | null
}

export interface WebhookDelivery {
  id: string
  webhookId: string
  eventId: string
  eventType: string
  status: DeliveryStatus
  reason: string | null
  /** Asked for to try the webhook; no replay makes it again. */
  test: boolean
  attemptCount: number
  nextAttemptAt: string | null
  createdAt: string
  updatedAt: string
}

export interface WebhookDeliveryPage {
  data: WebhookDelivery[]
  nextCursor: string | null
}

export interface WebhookDisabledEvent {
  id: string
  type: 'webhook.disabled'
  createdAt: string
  data: WebhookDisabledEventData
}

export interface WebhookDisabledEventData {
  /** An id that starts with whk_. */
  webhookId: string
  reason: string
}

/** How it fares, up to 10 s old. */
export interface WebhookHealth {
  /** `delivering`: its last attempt was delivered, or there was none. `failing`: its attempts fail. `parked`: they have failed for so long that one call at a time is made, with pauses, until one is delivered. `paused` and `disabled`: nothing is sent. */
  state: WebhookHealthState
  since: string | null
  reason: string | null
  nextAttemptAt: string | null
}

export type WebhookHealthState = 'delivering' | 'failing' | 'parked' | 'paused' | 'disabled'

export interface WebhookPage {
  data: Webhook[]
  nextCursor: string | null
}

export interface WebhookReceivedEvent {
  id: string
  type: 'webhook.received'
  createdAt: string
  data: WebhookReceivedEventData
}

export interface WebhookReceivedEventData {
  method: string
  query: { [name: string]: unknown }
  headers: { [name: string]: string }
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
  windowMs: number
  from: string
  deliveries: WebhookStatsDeliveries
  successRate: number | null
  latencyMs: WebhookStatsLatencyMs | null
  oldestPendingAt: string | null
  inFlight: WebhookStatsInFlight
  share: WebhookStatsShare | null
}

export interface WebhookStatsDeliveries {
  pending: number
  delivered: number
  failed: number
}

export interface WebhookStatsInFlight {
  /** Attempts at once that it is trusted with at present, within `maxInFlight`; up to 10 s old. */
  level: number
  parkedAt: string | null
}

/** What the attempts took that ended deliveries, in milliseconds: estimates, each within 10 % of the true percentile. */
export interface WebhookStatsLatencyMs {
  p50: number
  p95: number
  p99: number
  /** How far each may be from the true one at most, as a share of that. */
  error: number
}

/** The organization's share of the attempts at once, while deliveries wait for it; null while none does. Up to 10 s old. */
export interface WebhookStatsShare {
  /** Attempts at once that it may have while others have what they do. */
  places: number
  /** Attempts that are under way. Webhooks that are new or failed last may have half of the places together. */
  held: number
  /** Deliveries next in turn that wait for nothing else; more may wait behind them. */
  waiting: number
}

export type WebhookStatus = 'active' | 'paused' | 'disabled'

export interface WebhookTestEvent {
  id: string
  type: 'webhook.test'
  createdAt: string
  data: WebhookTestEventData
}

export type WebhookTestEventData = { [name: string]: unknown }

export interface CreateTokenQuery {
  organizationId?: string | undefined
}

export interface DeleteOrganizationQuery {
  /** Its name, to be sure. */
  name: string
}

export interface FinishConnectionQuery {
  state?: string | undefined
  code?: string | undefined
  iss?: string | undefined
  error?: string | undefined
}

export interface FinishSignInWithProviderQuery {
  state?: string | undefined
  code?: string | undefined
  iss?: string | undefined
  error?: string | undefined
}

export interface ListAgentRunsQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListAgentVersionsQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListAgentsQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListAllOrganizationsQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  name?: string | undefined
}

export interface ListApiKeysQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListAuditEntriesQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  since?: string | undefined
  until?: string | undefined
  action?: string | undefined
  actor?: string | undefined
  target?: string | undefined
}

export interface ListCapturesQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListConnectionsQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListConversationsQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListDeliveriesQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** One or several of: pending, held, delivered, failed; with a comma between two. */
  status?: string | undefined
  webhookId?: string | undefined
  eventId?: string | undefined
  eventType?: string | undefined
  /** Of the answer to the last attempt: one, or a hundred of them. */
  statusCode?: string | undefined
  /** One or several of: timeout, dns, refused, reset, tls, invalid_answer, blocked_address, http_3xx, http_4xx, http_5xx, http_other; with a comma between two. */
  errorClass?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

export interface ListDocumentsQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListEventsQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  since?: string | undefined
  until?: string | undefined
  type?: string | undefined
  /** An id, or its beginning. */
  id?: string | undefined
  /** Who published it: the id of an account or of an API key. */
  actor?: string | undefined
}

export interface ListFilesQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListInvitationsQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  status?: InvitationStatus | undefined
  /** An e-mail address. */
  email?: string | undefined
}

export interface ListKnowledgeBasesQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListLedgerDaysQuery {
  since?: string | undefined
  until?: string | undefined
}

export interface ListLedgerEntriesQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  since?: string | undefined
  until?: string | undefined
  action?: string | undefined
}

export interface ListMailsQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  since?: string | undefined
  until?: string | undefined
  status?: InvitationDeliveryStatus | undefined
  /** An e-mail address. */
  to?: string | undefined
}

export interface ListMcpServersQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListMembersQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListMessagesQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListModelsQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListOrganizationsQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListReplaysQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListRunsQuery {
  agentId?: string | undefined
  status?: RunStatus | undefined
  since?: string | undefined
  until?: string | undefined
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListStepsQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ListWebhookDeliveriesQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  status?: DeliveryStatus | undefined
  eventType?: string | undefined
  since?: string | undefined
}

export interface ListWebhooksQuery {
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** Those that ask for events of this type, or of every one. */
  eventType?: string | undefined
}

export interface PreviewInvitationQuery {
  token: string
}

export interface ProcessFileQuery {
  /** How its letters are written; it comes before what the `Content-Type` says. */
  charset?: string | undefined
}

export interface PublishEventQuery {
  /** Checks the event and says to whom it would go; writes nothing. */
  dryRun?: boolean | undefined
}

export interface ReadDeliveryStatsQuery {
  window?: string | undefined
  /** `1h` unless said, and `1d` where that would be more than 200; quarters of an hour where the window is longer than 4 h, hours where it is longer than 95 h. */
  bucket?: string | undefined
  webhookId?: string | undefined
}

export interface ReadFileTextQuery {
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export interface ReadWebhookStatsQuery {
  window?: string | undefined
}

export interface StreamOrganizationQuery {
  /** What to watch, separated by commas: deliveries, replays, webhooks, captures, invitations, files, documents, runs. Without it, all that the caller may see: captures and invitations are for administrators, runs for their owner and administrators. */
  topics?: string | undefined
  webhookId?: string | undefined
}

export interface UploadFileQuery {
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
  /** Change the password. Ends every other session of the account, and every link that was mailed to it. Who has no password yet asks for a reset. (`POST /v1/auth/change-password`) */
  changePassword(body: ChangePasswordBody, options?: CallOptions): Promise<ChangePasswordAnswer>
  /** Change one's own names. (`PATCH /v1/auth/account`) */
  update(body: ChangeAccountBody, options?: CallOptions): Promise<SessionUser>
}

export interface AgentsMethods {
  /** Create an agent. Without a model it has the built-in one, which quotes from its knowledge bases. (`POST /v1/agents`) */
  create(body: CreateAgentBody, options?: CallOptions): Promise<Agent>
  /** Delete an agent. Runs that have begun end as they would have; the record of all of them stays. (`DELETE /v1/agents/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List agents. (`GET /v1/agents`) */
  list(query?: ListAgentsQuery, options?: CallOptions): Pages<Agent>
  /** Read an agent. (`GET /v1/agents/{id}`) */
  read(id: string, options?: CallOptions): Promise<Agent>
  /** Read a version of an agent. (`GET /v1/agents/{id}/versions/{version}`) */
  readVersion(id: string, version: string, options?: CallOptions): Promise<AgentVersion>
  /** Have an agent do something. Answers 202 once the run is on disk; with `Prefer: wait=N` 200 when it has ended within so many seconds. In a conversation, runs take turns. With `Accept: text/event-stream` the answer is the events of the run. (`POST /v1/agents/{id}/runs`) */
  run(id: string, body: StartRunBody, options?: CallOptions): Promise<Run>
  /** List an agent's runs. Of a member the member's own, of an administrator all. (`GET /v1/agents/{id}/runs`) */
  runs(id: string, query?: ListAgentRunsQuery, options?: CallOptions): Pages<Run>
  /** Change an agent. Makes a new version, which the next run takes; runs that have begun keep theirs. (`PATCH /v1/agents/{id}`) */
  update(id: string, body: UpdateAgentBody, options?: CallOptions): Promise<Agent>
  /** List the versions of an agent. Newest first; the first one is what runs take. (`GET /v1/agents/{id}/versions`) */
  versions(id: string, query?: ListAgentVersionsQuery, options?: CallOptions): Pages<AgentVersion>
}

export interface ApiKeysMethods {
  /** Create an API key. The answer holds the `key`; it is never shown again. Use it as `Authorization: Bearer psk_…`. It ends with the right of whoever made it: when they are no administrator any more, it is deleted. A key made by a key ends with that one at the latest. (`POST /v1/api-keys`) */
  create(body: CreateApiKeyBody, options?: CallOptions): Promise<CreatedApiKey>
  /** Delete an API key. It stops working at once. The invitations it sent and nobody accepted are revoked, and the keys it made are deleted. (`DELETE /v1/api-keys/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List API keys. (`GET /v1/api-keys`) */
  list(query?: ListApiKeysQuery, options?: CallOptions): Pages<ApiKey>
}

export interface AuditLogMethods {
  /** List the audit log. What happened in the organization, and at the accounts of its members while they were members. Kept for `AUDIT_DAYS`. (`GET /v1/audit-log`) */
  list(query?: ListAuditEntriesQuery, options?: CallOptions): Pages<AuditEntry>
}

export interface AuthMethods {
  /** Come back from an identity provider. Called by the provider. Redirects to the `callbackURL` with a session, or to the `errorCallbackURL` with `error` and `error_description`. (`GET /v1/auth/callback/{provider}`) */
  finishWithProvider(provider: string, query?: FinishSignInWithProviderQuery, options?: CallOptions): Promise<Response>
  /** The page that a sign-in link opens. It changes nothing: mail scanners open links too. (`GET /v1/auth/magic-link/verify`) */
  openMagicLink(options?: CallOptions): Promise<Response>
  /** Ask for a sign-in link. One answer, whether or not the address has an account. Sets a cookie that binds the link to this browser. (`POST /v1/auth/magic-link`) */
  requestMagicLink(body: RequestMagicLinkBody, options?: CallOptions): Promise<RequestMagicLinkAnswer>
  /** Ask for a password reset mail. One answer, whether or not the address has an account. An invited person gets the invitation again. (`POST /v1/auth/forget-password`) */
  requestPasswordReset(body: RequestPasswordResetBody, options?: CallOptions): Promise<RequestMagicLinkAnswer>
  /** Replace the password. Ends every session of the account and signs nobody in. A password that is refused does not use up the token. (`POST /v1/auth/reset-password`) */
  resetPassword(body: ResetPasswordBody, options?: CallOptions): Promise<RequestMagicLinkAnswer>
  /** Sign in with e-mail and password. (`POST /v1/auth/sign-in/email`) */
  signIn(body: SignInWithEmailBody, options?: CallOptions): Promise<Session>
  /** Sign in with the link or the code. `{ token }` in the browser that asked, `{ email, code }` there, or `{ token, code }` anywhere else. A posted form is answered with a redirect. (`POST /v1/auth/magic-link/verify`) */
  signInWithMagicLink(body: SignInWithMagicLinkBody, options?: CallOptions): Promise<SignInWithMagicLinkAnswer>
  /** Sign in with an identity provider. Redirect the browser to `authUrl`; the provider sends it back, and it arrives at `callbackURL` with a session cookie. Sets a cookie that binds the flow to this browser. (`POST /v1/auth/sign-in/social`) */
  signInWithProvider(body: SignInWithProviderBody, options?: CallOptions): Promise<SignInWithProviderAnswer>
  /** End the session. Idempotent: without a session it succeeds too. (`POST /v1/auth/sign-out`) */
  signOut(options?: CallOptions): Promise<SignOutAnswer>
  /** Sign up with an invited address. With the `invitationToken` of the mail the sign-up completes at once. Without it the account stays inactive until the address is confirmed by the mail that is sent. (`POST /v1/auth/sign-up/email`) */
  signUp(body: SignUpWithEmailBody, options?: CallOptions): Promise<SignUpWithEmailAnswer>
  /** The public keys of the JWTs. (`GET /v1/auth/jwks`) */
  signingKeys(options?: CallOptions): Promise<ListSigningKeysAnswer>
  /** Exchange the session for a JWT. The organization is the one asked for, else the first of the account’s that was joined. (`GET /v1/auth/token`) */
  token(query?: CreateTokenQuery, options?: CallOptions): Promise<CreatedToken>
  /** Confirm the address of a sign-up. `{ token }` in the browser that signed up, `{ token, password }` in any other: there, without the password, the answer is `MISSING_REQUIRED_FIELD`. (`POST /v1/auth/verify-email`) */
  verifyEmail(body: VerifyEmailBody, options?: CallOptions): Promise<Session>
  /** The public keys of the JWTs. (`GET /.well-known/jwks.json`) */
  wellKnownSigningKeys(options?: CallOptions): Promise<ListSigningKeysAnswer>
}

export interface BillingMethods {
  /** Read the balance. (`GET /v1/billing/balance`) */
  balance(options?: CallOptions): Promise<Balance>
  /** Begin a checkout. For credits or for a plan, one of them. It is paid at `checkoutUrl`; what was bought comes when it is paid, a plan within 5 seconds. What costs nothing comes at once. (`POST /v1/billing/checkout`) */
  checkout(body: CreateCheckoutBody, options?: CallOptions): Promise<CreatedCheckout>
  /** List what changed the balance. (`GET /v1/billing/ledger`) */
  ledger(query?: ListLedgerEntriesQuery, options?: CallOptions): Pages<LedgerEntry>
  /** Sum up the ledger by day. Days of UTC that `since` and `until` touch, oldest first, those on which nothing changed too; the last 30 unless said, 366 at most. (`GET /v1/billing/ledger/daily`) */
  ledgerDays(query?: ListLedgerDaysQuery, options?: CallOptions): Pages<LedgerDay>
  /** List the plans, the prices and the modules. A limit of `null` is none; a price of `null` is not for sale. (`GET /v1/billing/plans`) */
  plans(options?: CallOptions): Pages<Plan>
  /** Read a checkout. (`GET /v1/billing/checkout/{id}`) */
  readCheckout(id: string, options?: CallOptions): Promise<Checkout>
  /** Hear of a payment from Stripe. For Stripe alone: the body must carry its signature. Not there without `STRIPE_SECRET_KEY`. (`POST /v1/billing/stripe`) */
  receiveStripeEvent(options?: CallOptions): Promise<ReceiveStripeEventAnswer>
}

export interface CapturesMethods {
  /** Deliver a captured call after all. Each call makes an event of its own, which `id` names, and delivers it; with the same `Idempotency-Key` they are one. (`POST /v1/webhooks/{id}/test/captures/{captureId}/deliver`) */
  deliver(id: string, captureId: string, options?: CallOptions): Promise<DeliverCaptureAnswer>
  /** List captured calls. (`GET /v1/webhooks/{id}/test/captures`) */
  list(id: string, query?: ListCapturesQuery, options?: CallOptions): Pages<Capture>
  /** Open a capture window. For the next call to the inbound path. A window that is open already is the answer. (`POST /v1/webhooks/{id}/test/start`) */
  start(id: string, options?: CallOptions): Promise<OpenCaptureWindowAnswer>
  /** Close the capture window. Idempotent: without an open window it succeeds too. (`POST /v1/webhooks/{id}/test/stop`) */
  stop(id: string, options?: CallOptions): Promise<CheckLivenessAnswer>
}

export interface ConnectionsMethods {
  /** Connect an account at a provider. Redirect the browser to `authUrl`; it arrives at `redirectUrl` with `connectionId`, or with `error` and `error_description`. Sets a cookie that binds the flow to this browser. (`POST /v1/connections/oauth/authorize`) */
  authorize(body: AuthorizeConnectionBody, options?: CallOptions): Promise<SignInWithProviderAnswer>
  /** End a connection. Its tokens are gone at once, and given back to the provider where it takes them. (`DELETE /v1/connections/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** Call the provider's API. Adds the token of the connection, which is refreshed first where it has ended. Redirects are not followed. What the API answers is passed on, but for 401, 429 and 5xx. (`POST /v1/connections/{id}/fetch`) */
  fetch(id: string, body: FetchThroughConnectionBody, options?: CallOptions): Promise<FetchThroughConnectionAnswer>
  /** Come back from a provider. Called by the provider. Redirects to the `redirectUrl` with `connectionId`, or with `error` and `error_description`. (`GET /v1/connections/oauth/callback/{provider}`) */
  finish(provider: string, query?: FinishConnectionQuery, options?: CallOptions): Promise<Response>
  /** List connections. (`GET /v1/connections`) */
  list(query?: ListConnectionsQuery, options?: CallOptions): Pages<Connection>
  /** List the providers that can be connected to. (`GET /v1/connections/providers`) */
  providers(options?: CallOptions): Pages<ConnectionProvider>
  /** Read a connection. (`GET /v1/connections/{id}`) */
  read(id: string, options?: CallOptions): Promise<Connection>
  /** Refresh a connection's token. Calls at the same time make one request to the provider, and all get its result. (`POST /v1/connections/{id}/refresh`) */
  refresh(id: string, options?: CallOptions): Promise<RefreshConnectionAnswer>
}

export interface ConversationsMethods {
  /** Begin a conversation. Runs in it know what was said before, and take turns. (`POST /v1/conversations`) */
  create(body: CreateConversationBody, options?: CallOptions): Promise<Conversation>
  /** Delete a conversation. Its messages are gone; runs in it that have not ended are cancelled. (`DELETE /v1/conversations/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List conversations. Of a member the member's own, of an administrator all. (`GET /v1/conversations`) */
  list(query?: ListConversationsQuery, options?: CallOptions): Pages<Conversation>
  /** List the messages of a conversation. Newest first. (`GET /v1/conversations/{id}/messages`) */
  messages(id: string, query?: ListMessagesQuery, options?: CallOptions): Pages<Message>
  /** Read a conversation. (`GET /v1/conversations/{id}`) */
  read(id: string, options?: CallOptions): Promise<Conversation>
}

export interface DeliveriesMethods {
  /** List the deliveries of the organization. Newest first, of all webhooks, deleted ones too. For one page up to 20,000 deliveries are gone through: where what the filter asks for is rare, a page may hold fewer than `limit`, or none, and `nextCursor` leads on. (`GET /v1/deliveries`) */
  list(query?: ListDeliveriesQuery, options?: CallOptions): Pages<DeliveryItem>
  /** Read a delivery with all its attempts. (`GET /v1/deliveries/{id}`) */
  read(id: string, options?: CallOptions): Promise<Delivery>
  /** Make a delivery again. An ended delivery is made again as a new one with the full schedule. One that still waits for its next attempt makes it now. (`POST /v1/deliveries/{id}/retry`) */
  retry(id: string, options?: CallOptions): Promise<WebhookDelivery>
  /** Try deliveries now. What waits for its next attempt makes it now, and what has failed is made again, as a replay makes it: by the filter of the list of deliveries, without one all that were not delivered. It is a replay of the filter `pending`, `failed` or `undelivered`, with its progress. (`POST /v1/deliveries/retry`) */
  retryAll(body: RetryDeliveriesBody, options?: CallOptions): Promise<ReplayTrial | Replay>
  /** Read how deliveries fare over time. Deliveries by when they were made and what became of them, in at most 200 buckets; the last ends with the current minute (windows up to 4 h), quarter of an hour (up to 95 h) or hour, in UTC. Counts are exact, and written with what they count: a delivery counts when it was made, as pending until it is delivered or has failed. A retry by hand and a replay make new deliveries; samples count like any other; what a deleted webhook has left has failed. (`GET /v1/stats/deliveries`) */
  stats(query?: ReadDeliveryStatsQuery, options?: CallOptions): Promise<DeliveryStats>
}

export interface DocumentsMethods {
  /** Delete a document. In whatever state it is: nothing of it is found from then on. A file that it was made of stays. (`DELETE /v1/documents/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** Index a document again. What is found of it changes when it is done, at once and as a whole. One that is just being indexed is not indexed twice. `Prefer: wait=N` waits up to 30 seconds for the end of it. (`POST /v1/documents/{id}/index`) */
  index(id: string, options?: CallOptions): Promise<Document>
  /** Read a document. (`GET /v1/documents/{id}`) */
  read(id: string, options?: CallOptions): Promise<Document>
}

export interface ErrorsMethods {
  /** List the error catalogue. (`GET /v1/errors`) */
  list(options?: CallOptions): Pages<CatalogueEntry>
  /** Read one error code. The `docUrl` of each error leads here. A request that prefers `text/html`, as a browser does, gets a page. (`GET /v1/errors/{code}`) */
  read(code: string, options?: CallOptions): Promise<CatalogueEntry>
}

export interface EventTypesMethods {
  /** Make an event type. Data published under it is checked against `schema`, a JSON Schema without `pattern`, `uniqueItems` and `$ref` that costs little to check. (`POST /v1/event-types`) */
  create(body: CreateEventTypeBody, options?: CallOptions): Promise<EventType>
  /** Delete an event type. Nothing of it can be published any more. Events that are published already stay, and are delivered, tried again and replayed as before; webhooks that ask for the type keep it in their list, and get events of it again if it is made again. (`DELETE /v1/event-types/{type}`) */
  delete(type: string, options?: CallOptions): Promise<void>
  /** List event types. (`GET /v1/event-types`) */
  list(options?: CallOptions): Pages<EventTypeItem>
  /** Read an event type. (`GET /v1/event-types/{type}`) */
  read(type: string, options?: CallOptions): Promise<EventType>
  /** Change an event type. What is published from then on is checked against the new `schema`; events that are published already stay as they are, and are delivered, tried again and replayed as before. Tell your receivers first: they rely on it. (`PATCH /v1/event-types/{type}`) */
  update(type: string, body: UpdateEventTypeBody, options?: CallOptions): Promise<EventType>
}

export interface EventsMethods {
  /** List events. (`GET /v1/events`) */
  list(query?: ListEventsQuery, options?: CallOptions): Pages<EventItem>
  /** Publish an event. Once this is answered the event is on disk, and so is that each matching webhook gets it: `deliveries` of them. (`POST /v1/events`) */
  publish(body: PublishEventBody, options?: CallOptions): Promise<PublishEventAnswer>
  publish(body: PublishEventBody, options: CallOptions & { query: PublishEventQuery & { dryRun: true } }): Promise<PublishEventTrial>
  /** Publish up to 1,000 events. Each succeeds or fails by itself; the answer has one result an event, in their order: its `id` and `deliveries`, or its `error`. (`POST /v1/events/batch`) */
  publishBatch(body: PublishEventsBody, options?: CallOptions): Promise<PublishEventsAnswer>
  /** Read an event. (`GET /v1/events/{id}`) */
  read(id: string, options?: CallOptions): Promise<Event>
}

export interface FilesMethods {
  /** Read the bytes of a file. As an attachment, whatever they are. One range of them by `Range: bytes=…`, also with `If-Range`; 304 for who has them, by `If-None-Match`. Whole, bytes that are not those that came are not given to their end; a range is not proven. (`GET /v1/files/{id}/content`) */
  content(id: string, options?: CallOptions): Promise<Response>
  /** Delete a file. By whom it is, or an administrator. Its bytes, its text and whatever was made of it go with it; what reads it just then is ended, without an event. (`DELETE /v1/files/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** Fetch a file from a URL. Fetched before the answer: 20 seconds, 5 redirects and 64 MiB at most, and never from a private network. `FETCH_FAILED` says in `details.reason` what went wrong. (`POST /v1/files/from-url`) */
  fetch(body: FetchFileBody, options?: CallOptions): Promise<StoredFile>
  /** List files. (`GET /v1/files`) */
  list(query?: ListFilesQuery, options?: CallOptions): Pages<StoredFile>
  /** Read the text of a file again. One that is being processed is left to it, without the `charset` of this request, and the text that there is stays until the next one is there. With `Prefer: wait=30` the answer is what came of it: 200 with the file, or the code of why it failed. (`POST /v1/files/{id}/process`) */
  process(id: string, query?: ProcessFileQuery, options?: CallOptions): Promise<StoredFile>
  /** Read a file. (`GET /v1/files/{id}`) */
  read(id: string, options?: CallOptions): Promise<StoredFile>
  /** Read the text of a file. In pages: all pages put together are the text. Of a file that has none, and failed, the answer is the code of why it did. (`GET /v1/files/{id}/text`) */
  text(id: string, query?: ReadFileTextQuery, options?: CallOptions): Promise<FileText>
  /** Upload a file. The bytes as they are with `Content-Type` and `?name=`, or `multipart/form-data` with one part `file`; 64 MiB at most. `Content-Digest` (RFC 9530, `sha-256`) is checked. Its text is read afterwards: `Prefer: wait=30` answers when that has ended. (`POST /v1/files`) */
  upload(body: Bytes, options?: CallOptions & { query?: UploadFileQuery }): Promise<StoredFile>
}

export interface HealthMethods {
  /** Whether the process lives. (`GET /livez`) */
  live(options?: CallOptions): Promise<CheckLivenessAnswer>
  /** Prometheus metrics. (`GET /metrics`) */
  metrics(options?: CallOptions): Promise<Response>
  /** Whether the process should get traffic. (`GET /readyz`) */
  ready(options?: CallOptions): Promise<CheckReadinessAnswer>
}

export interface InvitationsMethods {
  /** Invite a person. Creates an invitation and an inactive account, and sends the invitation by e-mail, best-effort. (`POST /v1/invitations`) */
  create(body: CreateInvitationBody, options?: CallOptions): Promise<Invitation>
  /** Invite up to 1,000 people. Each row succeeds or fails by itself; the answer has one result a row, in their order. (`POST /v1/invitations/bulk`) */
  createBulk(body: CreateInvitationsBody, options?: CallOptions): Promise<CreatedInvitation>
  /** List invitations. (`GET /v1/invitations`) */
  list(query?: ListInvitationsQuery, options?: CallOptions): Pages<Invitation>
  /** What an invitation link is for. Fills in the sign-up form. One answer for a token that is unknown, used, expired or revoked. (`GET /v1/invitations/preview`) */
  preview(query: PreviewInvitationQuery, options?: CallOptions): Promise<PreviewInvitationAnswer>
  /** Read an invitation. (`GET /v1/invitations/{id}`) */
  read(id: string, options?: CallOptions): Promise<Invitation>
  /** Send an invitation again. With a new link and a new expiry; the old link stops working. (`POST /v1/invitations/{id}/resend`) */
  resend(id: string, options?: CallOptions): Promise<Invitation>
  /** Revoke an invitation. Its link stops working at once. Revoking a revoked or expired invitation changes nothing. (`DELETE /v1/invitations/{id}`) */
  revoke(id: string, options?: CallOptions): Promise<void>
}

export interface KnowledgeBasesMethods {
  /** Add a document. Of a text, or of a file, which may still be in processing. `Prefer: wait=N` waits up to 30 seconds for the end of it. (`POST /v1/knowledge-bases/{id}/documents`) */
  addDocument(id: string, body: AddDocumentBody, options?: CallOptions): Promise<Document>
  /** Make a knowledge base. (`POST /v1/knowledge-bases`) */
  create(body: CreateKnowledgeBaseBody, options?: CallOptions): Promise<KnowledgeBase>
  /** Delete a knowledge base. Nothing of it is found from then on; its documents and passages are removed after it. (`DELETE /v1/knowledge-bases/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List the documents of a knowledge base. (`GET /v1/knowledge-bases/{id}/documents`) */
  documents(id: string, query?: ListDocumentsQuery, options?: CallOptions): Pages<Document>
  /** List knowledge bases. (`GET /v1/knowledge-bases`) */
  list(query?: ListKnowledgeBasesQuery, options?: CallOptions): Pages<KnowledgeBase>
  /** Read a knowledge base. (`GET /v1/knowledge-bases/{id}`) */
  read(id: string, options?: CallOptions): Promise<KnowledgeBase>
  /** Search a knowledge base. Every word of the query is looked for as it is; there is no language of queries. (`POST /v1/knowledge-bases/{id}/search`) */
  search(id: string, body: SearchKnowledgeBaseBody, options?: CallOptions): Promise<SearchKnowledgeBaseAnswer>
  /** Rename a knowledge base, or give it another embedding model. With another model it is searched by text alone until each of its documents has been indexed again. (`PATCH /v1/knowledge-bases/{id}`) */
  update(id: string, body: UpdateKnowledgeBaseBody, options?: CallOptions): Promise<KnowledgeBase>
}

export interface MailsMethods {
  /** List the mails that the organization has had sent. How each fares, and what the mail server said of it; not what it says. Kept for `RETENTION_DAYS`. (`GET /v1/mails`) */
  list(query?: ListMailsQuery, options?: CallOptions): Pages<Mail>
}

export interface McpMethods {
  /** Speak the Model Context Protocol. One message of JSON-RPC, by the protocol of 2026-07-28 or an older one (Streamable HTTP without sessions). A tool call has the rights of the route that it stands for, and counts as a request of its own. (`POST /mcp`) */
  call(body: CallMcpBody, options?: CallOptions): Promise<EventTypeSchema>
}

export interface McpServersMethods {
  /** Accept the tools of an MCP server as they are listed now. (`POST /v1/mcp-servers/{id}/accept`) */
  accept(id: string, body: AcceptMcpServerBody, options?: CallOptions): Promise<McpServer>
  /** Register an MCP server. It is not called yet: `POST /v1/mcp-servers/{id}/refresh` lists its tools. An address that would never be called is refused (`address_not_allowed`). (`POST /v1/mcp-servers`) */
  create(body: CreateMcpServerBody, options?: CallOptions): Promise<McpServerItem>
  /** Forget an MCP server. Agents that use its tools go on without them. (`DELETE /v1/mcp-servers/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List MCP servers. (`GET /v1/mcp-servers`) */
  list(query?: ListMcpServersQuery, options?: CallOptions): Pages<McpServerItem>
  /** Read an MCP server with its tools. (`GET /v1/mcp-servers/{id}`) */
  read(id: string, options?: CallOptions): Promise<McpServer>
  /** List the tools of an MCP server. The first time all of them are accepted. Later, what is new or described otherwise is off until it is accepted. A server that cannot be asked is `MCP_CLIENT_UNAVAILABLE` with `details.reason`. (`POST /v1/mcp-servers/{id}/refresh`) */
  refresh(id: string, options?: CallOptions): Promise<McpServer>
  /** Change an MCP server. Headers are replaced as a whole. Under another `url` no tool of it is accepted any more. (`PATCH /v1/mcp-servers/{id}`) */
  update(id: string, body: UpdateMcpServerBody, options?: CallOptions): Promise<McpServerItem>
}

export interface MembersMethods {
  /** Change a member's role. Who is made a member loses what was made as an administrator: invitations that nobody accepted are revoked, API keys are deleted. (`PATCH /v1/organizations/{id}/members/{accountId}`) */
  changeRole(id: string, accountId: string, body: ChangeMemberRoleBody, options?: CallOptions): Promise<Member>
  /** Leave the organization. As being removed. The last administrator cannot leave; an API key is nobody’s membership, and leaves nothing. (`DELETE /v1/organizations/{id}/members/me`) */
  leave(id: string, options?: CallOptions): Promise<void>
  /** List members. (`GET /v1/organizations/{id}/members`) */
  list(id: string, query?: ListMembersQuery, options?: CallOptions): Pages<Member>
  /** Remove a member. Their tokens for this organization stop working. The invitations they sent and nobody accepted are revoked, and the API keys they made are deleted. (`DELETE /v1/organizations/{id}/members/{accountId}`) */
  remove(id: string, accountId: string, options?: CallOptions): Promise<void>
}

export interface ModelsMethods {
  /** List models. All on one page: those that the operator configured, and the built-in one. (`GET /v1/models`) */
  list(query?: ListModelsQuery, options?: CallOptions): Pages<Model>
}

export interface OperatorMethods {
  /** Change, disable or enable an organization. All of it, or nothing. A module that is null is left to the plan. (`PATCH /v1/operator/organizations/{id}`) */
  changeOrganization(id: string, body: ChangeOrganizationBody, options?: CallOptions): Promise<AllOrganization>
  /** Make an organization. Its first administrator is let in by `POST /v1/operator/organizations/{id}/invitations`. (`POST /v1/operator/organizations`) */
  createOrganization(body: CreateOrganizationBody, options?: CallOptions): Promise<AllOrganization>
  /** Delete an organization with everything it has. There is no way back. Its ledger, paid checkouts and audit log are kept; what it published goes with time. (`DELETE /v1/operator/organizations/{id}`) */
  deleteOrganization(id: string, query: DeleteOrganizationQuery, options?: CallOptions): Promise<void>
  /** Read the doctor's findings. What `npx postern doctor` says, asked once in 60 s; of the database, of which it reads all, once in 10 minutes. (`GET /v1/operator/findings`) */
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
  /** List the caller's organizations. (`GET /v1/organizations`) */
  list(query?: ListOrganizationsQuery, options?: CallOptions): Pages<Organization>
  /** Rename the organization. No two organizations have one name. (`PATCH /v1/organizations/{id}`) */
  rename(id: string, body: RenameOrganizationBody, options?: CallOptions): Promise<Organization>
}

export interface ProblemsMethods {
  /** List the open problems. What is wrong now, the worst first, of all that the caller may see: webhooks that are disabled, parked or failing, or have deliveries that failed for good; runs that wait for a person; files and documents that failed; connections that must be renewed; mails that did not go out; credits that run low. A problem goes when it is solved; what failed for good goes 7 days after it was made. Whatever it rests on is counted, up to 10,000 of each problem. Of more than 500 problems `more` says how many follow. (`GET /v1/problems`) */
  list(options?: CallOptions): Pages<Problem>
}

export interface ReplaysMethods {
  /** Cancel a replay. What it has made already stays. Cancelling one that has ended changes nothing. (`DELETE /v1/replays/{id}`) */
  cancel(id: string, options?: CallOptions): Promise<void>
  /** Make deliveries of a time again, of all webhooks. As the replay of one webhook, for each that the organization has, one after the other. (`POST /v1/replays`) */
  create(body: CreateReplayBody, options?: CallOptions): Promise<ReplayTrial | Replay>
  /** List the replays of the organization. Newest first: what is sent again, of all webhooks or of one, with its progress. (`GET /v1/replays`) */
  list(query?: ListReplaysQuery, options?: CallOptions): Pages<Replay>
  /** Read the progress of a replay. (`GET /v1/replays/{id}`) */
  read(id: string, options?: CallOptions): Promise<Replay>
}

export interface RunsMethods {
  /** Cancel a run. From every state, and at once: what is under way is broken off. One that has ended stays as it is. (`POST /v1/runs/{id}/cancel`) */
  cancel(id: string, options?: CallOptions): Promise<Run>
  /** Approve or deny a call of a tool. Once, and within 24 hours: after that the call is denied. What is approved is this call of the tool as it is now; one that differs is not made. (`POST /v1/runs/{id}/approvals/{stepId}`) */
  decide(id: string, stepId: string, body: DecideApprovalBody, options?: CallOptions): Promise<Run>
  /** List the runs of the organization. Newest first, of all agents, deleted ones too. Of a member the member's own, of an administrator all. (`GET /v1/runs`) */
  list(query?: ListRunsQuery, options?: CallOptions): Pages<Run>
  /** Read a run. (`GET /v1/runs/{id}`) */
  read(id: string, options?: CallOptions): Promise<Run>
  /** Have a failed run go on. From its last finished step: what it has done is not done again, and what it has paid is not paid again. Its time and its steps are counted anew. A run that has not failed is `FORBIDDEN` (`run_not_failed`). (`POST /v1/runs/{id}/resume`) */
  resume(id: string, options?: CallOptions): Promise<Run>
  /** List the steps of a run. Oldest first. Each was written before it was made. (`GET /v1/runs/{id}/steps`) */
  steps(id: string, query?: ListStepsQuery, options?: CallOptions): Pages<Step>
  /** Watch a run. Server-sent events, `id` being their place; who comes back with `Last-Event-ID` gets what came after it, from any process. Ends after the end of the run. Who leaves does not end the run. (`GET /v1/runs/{id}/events`) */
  stream(id: string, options?: CallOptions & StreamOptions): EventStream
}

export interface SessionsMethods {
  /** Read the session and its user. (`GET /v1/auth/session`) */
  current(options?: CallOptions): Promise<Session>
  /** End one of the sessions. (`DELETE /v1/auth/sessions/{id}`) */
  end(id: string, options?: CallOptions): Promise<void>
  /** End all other sessions. And every link that was mailed to the account. The session that asks goes on. (`DELETE /v1/auth/sessions`) */
  endOthers(options?: CallOptions): Promise<EndOtherSessionsAnswer>
  /** List the account's sessions. (`GET /v1/auth/sessions`) */
  list(options?: CallOptions): Pages<SessionItem>
}

export interface WebhooksMethods {
  /** Call a webhook from outside. No token is asked for. A caller that sends `X-Service-Signature` must have signed with a live secret of the webhook. A call that deliveries of ours led to carries `X-Service-Hops`; with more than 5 it is refused. (`POST /v1/webhooks/{endpointPath}`) */
  call(endpointPath: string, options?: CallOptions): Promise<CallWebhookAnswer>
  /** Register a webhook. The answer holds the `secret` that signs its deliveries; it is never shown again. (`POST /v1/webhooks`) */
  create(body: CreateWebhookBody, options?: CallOptions): Promise<CreatedWebhook>
  /** Delete a webhook. Its pending deliveries fail with the reason `webhook_deleted`; the record of the others stays. (`DELETE /v1/webhooks/{id}`) */
  delete(id: string, options?: CallOptions): Promise<void>
  /** List the deliveries of a webhook. (`GET /v1/webhooks/{id}/deliveries`) */
  deliveries(id: string, query?: ListWebhookDeliveriesQuery, options?: CallOptions): Pages<WebhookDelivery>
  /** List webhooks. (`GET /v1/webhooks`) */
  list(query?: ListWebhooksQuery, options?: CallOptions): Pages<Webhook>
  /** Read a webhook. (`GET /v1/webhooks/{id}`) */
  read(id: string, options?: CallOptions): Promise<Webhook>
  /** Make deliveries of a time again. Makes one new delivery for each event that has a delivery of that time and status, and whose newest delivery to the webhook has that status still. What has recovered meanwhile, is on its way again or was a test is passed over. (`POST /v1/webhooks/{id}/replay`) */
  replay(id: string, body: CreateReplayBody, options?: CallOptions): Promise<ReplayTrial | Replay>
  /** Rotate the secret. The answer holds the new `secret`, once. It signs from now on; the one before stays valid for 24 hours, and a receiver that still holds it notices nothing. (`POST /v1/webhooks/{id}/rotate-secret`) */
  rotateSecret(id: string, options?: CallOptions): Promise<RotateWebhookSecretAnswer>
  /** Read how a destination fares. Deliveries by what became of them since `from`: the window ends with the current minute (up to 4 h), quarter of an hour (up to 95 h) or hour, in UTC. Counts are exact, and written with what they count: a delivery counts when it was made, as pending until it is delivered or has failed. A retry by hand and a replay make new deliveries; samples count like any other; what a deleted webhook has left has failed. (`GET /v1/webhooks/{id}/stats`) */
  stats(id: string, query?: ReadWebhookStatsQuery, options?: CallOptions): Promise<WebhookStats>
  /** Send a sample event. (`POST /v1/webhooks/{id}/test`) */
  test(id: string, body?: TestWebhookBody, options?: CallOptions): Promise<TestWebhookAnswer>
  /** Change, pause or resume a webhook. (`PATCH /v1/webhooks/{id}`) */
  update(id: string, body: UpdateWebhookBody, options?: CallOptions): Promise<Webhook>
}

/** The methods of a client, by what they are about. */
export interface Methods {
  account: AccountMethods
  agents: AgentsMethods
  apiKeys: ApiKeysMethods
  auditLog: AuditLogMethods
  auth: AuthMethods
  billing: BillingMethods
  captures: CapturesMethods
  connections: ConnectionsMethods
  conversations: ConversationsMethods
  deliveries: DeliveriesMethods
  documents: DocumentsMethods
  errors: ErrorsMethods
  eventTypes: EventTypesMethods
  events: EventsMethods
  files: FilesMethods
  health: HealthMethods
  invitations: InvitationsMethods
  knowledgeBases: KnowledgeBasesMethods
  mails: MailsMethods
  mcp: McpMethods
  mcpServers: McpServersMethods
  members: MembersMethods
  models: ModelsMethods
  operator: OperatorMethods
  organizations: OrganizationsMethods
  problems: ProblemsMethods
  replays: ReplaysMethods
  runs: RunsMethods
  sessions: SessionsMethods
  webhooks: WebhooksMethods
  /** Watch an organization. Server-sent events: `open` first, then a `delivery`, `replay`, `webhook`, `capture`, `invitation`, `file`, `document` or `run` as it is now, each time that it has changed. Of several changes at once the last is shown. Who comes back with `Last-Event-ID` within five minutes gets what it has missed, from any process; `gap` says that something is missing: read the lists anew. `end` says why the stream ends: `token_expired`, `revoked` or `stopping`. (`GET /v1/stream`) */
  stream(query?: StreamOrganizationQuery, options?: CallOptions & StreamOptions): EventStream
}
