import type { Descriptions } from './descriptions.ts'

const COUNTS = {
  pending: 'Deliveries that wait for an attempt.',
  delivered: 'Deliveries that ended with a 2xx answer.',
  failed: 'Deliveries that ended without a 2xx answer.',
}
const LATENCY = 'Durations of the last attempts of deliveries; null where there was none.'
const TYPE = {
  name: 'The name for publications and subscriptions, such as `order.paid`.',
  description: 'The fact that such an event reports.',
  schema: 'JSON Schema that `data` of each event is checked against.',
  example: 'A value of `data` that fits the schema; tests of webhooks send it.',
  builtIn: 'Whether the platform defines it; those cannot be changed or deleted.',
  createdAt: 'When it was registered; null for built-in types.',
}
const DELIVERY = {
  eventType: 'Type of the event.',
  status: '`held`: the webhook is paused or disabled, and the delivery waits for it.',
  reason: 'Why it failed or is held; null otherwise.',
  attemptCount: 'Attempts that have been made.',
  nextAttemptAt: 'When the next attempt is due; null once it has ended, and while it is held.',
  createdAt: 'When the event was accepted, or the delivery was made by a replay or a retry.',
}
const EVENT = {
  type: 'Name of its event type.',
  createdAt: 'When the event was accepted; the same in every delivery of it.',
  data: 'The data as the publisher sent them, byte for byte.',
}
const ITEM_ERROR = {
  code: 'Code of the catalogue.',
  message: 'The problem, for people.',
  details: '`field`, `value`, `reason` and the other details of the code.',
}
const FILTER = {
  eventType: 'Only deliveries of events of this type.',
  since: 'Only deliveries made at or after this moment.',
  until: 'Only deliveries made before this moment.',
}
const OLDEST =
  'Earliest due time of the deliveries that wait: of a new one its creation, of a retry its next attempt; null where none waits.'
const WEBHOOK_URL = 'Absolute http or https URL without credentials, at a public address.'
const DESCRIPTION = 'The purpose of the webhook.'

/** The keywords of JSON Schema that an event type may use. */
const KEYWORDS = {
  $schema: 'Accepted without effect: the dialect is always draft 2020-12.',
  title: 'For readers; without effect on the check.',
  description: 'For readers; without effect on the check.',
  examples: 'Values that would pass; not checked.',
  deprecated: 'For readers; without effect on the check.',
  type: 'Type, or types, that a value may have.',
  enum: 'The allowed values.',
  properties: 'Schemas of the members of an object, by name.',
  required: 'Names of the members that an object must have.',
  minProperties: 'Fewest members of an object.',
  maxProperties: 'Most members of an object.',
  minItems: 'Fewest items of an array.',
  maxItems: 'Most items of an array.',
  minimum: 'The smallest allowed number.',
  maximum: 'The largest allowed number.',
  exclusiveMinimum: 'A number must be larger than this.',
  exclusiveMaximum: 'A number must be smaller than this.',
  multipleOf: 'A number must be a multiple of this.',
  minLength: 'Fewest characters of a text.',
  maxLength: 'Most characters of a text.',
  format: 'For readers, such as `date-time`; not checked.',
  anyOf: 'A value must pass at least one of these.',
  oneOf: 'A value must pass exactly one of these.',
  allOf: 'A value must pass all of these.',
}

/** Webhooks, events, deliveries and their figures. */
export const WEBHOOK_DESCRIPTIONS: Descriptions = {
  DataSchemaObject: KEYWORDS,
  CreateEventTypeBodySchema: KEYWORDS,
  Webhook: {
    url: 'Where events are sent by `POST`.',
    events: 'The subscribed event types; `*` means all.',
    endpointPath: 'Opens `POST /v1/webhooks/{endpointPath}` to external systems; null: no such path.',
    description: 'The purpose of the webhook; null without a description.',
    status:
      '`disabled`: the destination answered 410, or the operator disabled the organization; set `active` to resume. Deliveries are held while it is not `active`.',
    disabledReason:
      '`gone`: the destination answered 410. `organization_disabled`: the operator disabled the organization. Null unless `status` is `disabled`.',
    listener: 'The name by which clients fetch its deliveries; null where they are sent to `url`.',
    listenedAt:
      'The last request of a client for its deliveries, to within half a minute; null without one, and for a webhook with a URL.',
    maxInFlight: 'Most attempts at once.',
    maxPerSecond: 'Most calls a second; null: no limit.',
    secretRotatedAt: 'When the present secret was made.',
    previousSecretExpiresAt: 'Until then the previous secret signs as well; null where there is none.',
  },
  OpenListenerBody: { description: `${DESCRIPTION} Null removes it.` },
  CreateWebhookBody: { url: WEBHOOK_URL, description: DESCRIPTION },
  UpdateWebhookBody: {
    url: WEBHOOK_URL,
    description: `${DESCRIPTION} Null removes it.`,
    status: '`paused` keeps events until it is `active` again.',
  },
  CreatedWebhook: { secret: 'Signs each delivery. It is shown here and at its rotation only.' },
  RotateWebhookSecretAnswer: {
    secret: 'The new secret, which signs from now on. Only this answer shows it.',
    previousSecretExpiresAt: '24 hours from now; until then both secrets sign.',
  },
  CallWebhookAnswer: {
    id: 'Id of the event (`evt_`), or of the capture (`cap_`).',
    status: '`captured`: a capture window was open, and the call is kept for inspection.',
  },
  TestWebhookBody: { type: 'Type whose example is sent; `webhook.test` where it is left out.' },
  TestWebhookAnswer: {
    delivered: 'Whether the destination answered 2xx.',
    attempt: 'The request that was sent and the answer.',
  },
  TestWebhookAnswerAttempt: {
    statusCode: 'HTTP status of the answer; null where there was no answer.',
    durationMs: 'Milliseconds from the look-up of the name to the end of the answer.',
    responseBody: 'The first 16 KiB of the answer; null where none came.',
    error: 'The failure, where there was no complete answer; null otherwise.',
  },
  OpenCaptureWindowAnswer: {
    captureId: 'Id of the window, which starts with `cap_`.',
    status: '`open`: the next inbound call is captured.',
    expiresAt: 'The window closes 10 minutes after it was opened.',
    inboundUrl: 'URL that external systems call.',
  },
  Capture: {
    status: '`captured`: a call was kept; `closed`: the window ended without one.',
    expiresAt: 'When the window closes, or would have closed.',
    capturedAt: 'When the call came; null where none did.',
    method: 'Method of the captured call; null where there is none.',
    query: 'Parameters of its query; null where there is no call.',
    headers: 'Its headers, without credentials; null where there is no call.',
    contentType: 'Its `Content-Type`; null where it had none.',
  },
  DeliverCaptureAnswer: { id: 'Id of the event that the call became (`evt_`).', status: 'Always `queued`.' },
  EventType: TYPE,
  EventTypeItem: TYPE,
  CreateEventTypeBody: {
    ...TYPE,
    schema: 'JSON Schema for `data`. Default: any data is accepted.',
    example: 'Must fit the schema; `{}` where it is left out.',
  },
  UpdateEventTypeBody: TYPE,
  Event: EVENT,
  EventItem: EVENT,
  PublishEventBody: {
    type: 'A registered event type: a built-in one, or one of `POST /v1/event-types`.',
    data: 'The facts of the event. They are checked against the schema of the type, and delivered byte for byte.',
  },
  PublishEventAnswer: {
    type: 'The type as it was sent.',
    createdAt: 'When the event was accepted.',
  },
  PublishEventTrial: { dryRun: 'Always true: nothing was published.', type: 'The type as it was sent.' },
  PublishEventTrialWebhook: { url: 'Where it would be sent.' },
  PublishEventsBody: { events: 'Each succeeds or fails independently.' },
  PublishEventsAnswer: { results: 'One result for each event, in the order of the request.' },
  PublishEventsAnswerResult: {
    id: 'Id of the event, starting with `evt_`; present where it was accepted.',
    error: 'Present where it was refused.',
  },
  PublishEventsAnswerResultError: ITEM_ERROR,
  CreatedInvitationResultError: ITEM_ERROR,
  Delivery: { ...DELIVERY, attempts: 'All attempts, the first one first.' },
  WebhookDelivery: DELIVERY,
  DeliveryItem: {
    ...DELIVERY,
    lastErrorClass: 'Kind of the failure of the last attempt; null where it did not fail or there was none.',
    endedAt: 'When it was delivered or failed; null until then.',
  },
  DeliveryAttempt: {
    number: '1 for the first attempt of the delivery.',
    startedAt: 'When the attempt began.',
    durationMs: 'Milliseconds until the end of the answer, or until it was given up; 30,000 at most.',
    outcome: 'State of the delivery after the attempt: `delivered`, `retry` or `failed`.',
    statusCode: 'HTTP status of the answer; null where there was no answer.',
    error: 'The failure in words, where there was no complete answer; null otherwise.',
    errorClass: 'Kind of the failure; null where it succeeded.',
    timings: 'Duration of each part of the attempt.',
    requestHeaders: 'Headers that were sent, signatures included.',
    responseHeaders: 'Headers of the answer, each cut at 1,024 characters; null where none came.',
    responseBody: 'The first 16 KiB of the answer; null where none came.',
  },
  DeliveryAttemptTimings: {
    dnsMs: 'Milliseconds for the look-up of the name; null where a connection was reused.',
    connectMs: 'Milliseconds for the TCP connection; null where one was reused.',
    tlsMs: 'Milliseconds for the TLS handshake; null where there was none.',
  },
  Replay: {
    status: '`running` until a new delivery was made for every event that it covers.',
    eventId: 'Only deliveries of this event; null: of all.',
    eventType: 'Only events of this type; null: of all types.',
    statusCode: 'Only deliveries whose last answer had this status; null: any.',
    errorClass: 'Only deliveries whose last attempt failed with this class; null: any.',
    since: 'Deliveries made at or after this moment are covered.',
    until: 'Deliveries made before this moment are covered.',
  },
  CreateReplayBody: { ...FILTER, status: 'Which deliveries are made again, by their outcome.' },
  RetryDeliveriesBody: FILTER,
  ReplayTrial: { matched: 'Deliveries that the replay would make.' },
  WebhookStatsDeliveries: COUNTS,
  WebhookStatsLatencyMs: {
    p50: 'Half of the attempts took at most so many milliseconds.',
    p95: '95 of 100 attempts took at most so many milliseconds.',
    p99: '99 of 100 attempts took at most so many milliseconds.',
  },
  WebhookStatsInFlight: {
    parkedAt:
      'Since when the webhook is parked: one delivery at a time is tried, because the destination keeps failing; null: it is not parked.',
  },
  WebhookStats: {
    windowMs: 'Milliseconds that the figures look back.',
    from: 'Start of the window.',
    deliveries: 'Deliveries of that time, by their outcome.',
    latencyMs: LATENCY,
    oldestPendingAt: OLDEST,
    inFlight: 'The current number of concurrent calls, and the limit.',
  },
  DeliveryStatsBucket: {
    ...COUNTS,
    at: 'Start of the bucket.',
    latencyMs: LATENCY,
  },
  DeliveryStatsTotals: COUNTS,
  DeliveryStatsBacklog: {
    oldestPendingAt: OLDEST,
  },
  DeliveryStats: {
    windowMs: 'Milliseconds that the figures look back.',
    bucketMs: 'Milliseconds of one bucket.',
    buckets: 'The figures over time, the oldest first.',
    totals: 'The sums over all buckets.',
    latencyMs: LATENCY,
    backlog: 'Deliveries that wait at this moment.',
  },
}
