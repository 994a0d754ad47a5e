import { ACCESS_DESCRIPTIONS } from './descriptions/access.ts'
import type { Descriptions } from './descriptions/descriptions.ts'
import { PLATFORM_DESCRIPTIONS } from './descriptions/platform.ts'
import { SIGN_IN_DESCRIPTIONS } from './descriptions/sign-in.ts'
import { WEBHOOK_DESCRIPTIONS } from './descriptions/webhooks.ts'
import { WORK_DESCRIPTIONS } from './descriptions/work.ts'

interface Schema {
  $ref?: string
  type?: unknown
  description?: string
  properties?: Record<string, Schema>
  anyOf?: Schema[]
  allOf?: Schema[]
}

interface Parameter {
  name: string
  description?: string
  schema?: Schema
}

interface Operation {
  parameters?: Parameter[]
}

/** Descriptions of members. A description in the route's own schema takes precedence. */
export const DESCRIPTIONS: Descriptions = {
  ...ACCESS_DESCRIPTIONS,
  ...SIGN_IN_DESCRIPTIONS,
  ...WEBHOOK_DESCRIPTIONS,
  ...PLATFORM_DESCRIPTIONS,
  ...WORK_DESCRIPTIONS,
}

const idOf = (thing: string, prefix: string) => `Id of the ${thing}, which starts with \`${prefix}_\`.`

/** Members with the same meaning in every component. */
const EVERYWHERE: Record<string, string> = {
  data: 'The items of the list.',
  createdAt: 'When it was made, in UTC.',
  updatedAt: 'When it was last changed, in UTC.',
  createdBy: 'Account or service account that made it; null once that is gone.',
  organizationId: idOf('organization', 'org'),
  accountId: idOf('account', 'acc'),
  invitationId: idOf('invitation', 'inv'),
  webhookId: idOf('webhook', 'whk'),
  eventId: idOf('event', 'evt'),
  deliveryId: idOf('delivery', 'dlv'),
  knowledgeBaseId: idOf('knowledge base', 'knb'),
  documentId: idOf('document', 'doc'),
  fileId: idOf('file', 'fil'),
  agentId: idOf('agent', 'agt'),
  runId: idOf('run', 'run'),
  stepId: idOf('step', 'stp'),
  conversationId: idOf('conversation', 'cnv'),
}

/** The id prefix of each component. */
const PREFIXES: Record<string, string> = {
  Invitation: 'inv',
  SessionUser: 'acc',
  SessionUserOrganization: 'org',
  SessionContent: 'ses',
  SessionItem: 'ses',
  Organization: 'org',
  AllOrganization: 'org',
  ApiKey: 'key',
  CreatedApiKey: 'key',
  ServiceAccount: 'svc',
  PlatformKey: 'pky',
  AuditStream: 'aus',
  CreatedAuditStream: 'aus',
  RotateAuditStreamSecretAnswer: 'aus',
  Mail: 'mal',
  AuditEntry: 'aud',
  Webhook: 'whk',
  RotateWebhookSecretAnswer: 'whk',
  PublishEventTrialWebhook: 'whk',
  Event: 'evt',
  EventItem: 'evt',
  PublishEventAnswer: 'evt',
  Delivery: 'dlv',
  WebhookDelivery: 'dlv',
  DeliveryItem: 'dlv',
  DeliveryAttempt: 'att',
  Capture: 'cap',
  Replay: 'rpl',
  Checkout: 'chk',
  LedgerEntry: 'led',
  Connection: 'con',
  RefreshConnectionAnswer: 'con',
  StoredFile: 'fil',
  KnowledgeBase: 'knb',
  Document: 'doc',
  McpServer: 'mcp',
  McpServerItem: 'mcp',
  Agent: 'agt',
  Run: 'run',
  Step: 'stp',
  Conversation: 'cnv',
  Message: 'msg',
}

/** Parameters with the same meaning on every route. */
const PARAMETERS: Record<string, string> = {
  action: 'Only entries of this action.',
  actor: 'Only what this account or service account did.',
  code: 'What the identity provider or the catalogue calls it.',
  error: 'What the provider answers instead of a code.',
  eventType: 'Only those of this event type.',
  id: 'An id, or the `endpointPath` of a webhook.',
  iss: 'The issuer that the answer comes from (RFC 9207).',
  name: 'The name; where it is a filter, only names that hold it.',
  since: 'Only what happened at or after this moment.',
  state: 'What was sent along when the browser left; it works once.',
  status: 'Only those in this state.',
  target: 'Only what was done to the thing of this id.',
  token: 'The secret of a link, which follows `?token=`.',
  type: 'Name of an event type, such as `order.paid`.',
  until: 'Only what happened before this moment.',
  version: 'Number of the version, from 1.',
  window: 'How far to look back: minutes, hours or days, such as `90m`, `24h` or `7d`.',
}

/** The envelope of each event. */
const ENVELOPE: Record<string, string> = {
  id: 'Stable across retries: receivers tell a repeat by it. It starts with `evt_`.',
  type: 'Name of the event type.',
  createdAt: 'When the event was accepted, in UTC.',
  data: 'The facts of the event.',
}

/** Adds descriptions from the tables to members of components that have none. */
export function describeMembers<T extends { components?: { schemas?: object }; paths?: object }>(
  document: T,
): T {
  const schemas = Object.entries((document.components?.schemas ?? {}) as Record<string, Schema>)
  const described = schemas.map(([name, schema]) => [name, describe(schema, name)])
  for (const operations of Object.values(document.paths ?? {}))
    for (const { parameters = [] } of Object.values(operations) as Operation[])
      for (const one of parameters) if (one.description === undefined) describeParameter(one)
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(described) } }
}

/** A parameter's own description, or that of its schema. */
function describeParameter(one: Parameter): void {
  const text = (one.schema && descriptionOf(one.schema)) ?? PARAMETERS[one.name]
  if (text !== undefined) one.description = text
}

function describe(schema: Schema, name: string): Schema {
  // A schema extends others by `allOf`, whose members belong to it.
  if (schema.allOf !== undefined) return { ...schema, allOf: schema.allOf.map((one) => describe(one, name)) }
  if (schema.properties === undefined) return schema
  const members = Object.entries(schema.properties).map(([member, one]): [string, Schema] => {
    const text = descriptionOf(one) ?? wordsOf(name, member)
    return [member, text === undefined ? one : { description: text, ...describe(one, name + member) }]
  })
  return { ...schema, properties: Object.fromEntries(members) }
}

/** The schema's own description, or that of its only branch beside null. */
function descriptionOf({ description, anyOf = [] }: Schema): string | undefined {
  const [only, ...others] = anyOf.filter(({ type }) => type !== 'null')
  return description ?? (others.length === 0 ? only?.description : undefined)
}

function wordsOf(name: string, member: string): string | undefined {
  const own = DESCRIPTIONS[name]?.[member]
  if (own !== undefined) return own
  if (name.endsWith('Event') && name !== 'Event') return ENVELOPE[member]
  const prefix = member === 'id' ? PREFIXES[name] : undefined
  return prefix === undefined ? EVERYWHERE[member] : `Starts with \`${prefix}_\`.`
}
