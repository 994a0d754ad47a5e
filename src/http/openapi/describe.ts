import { ACCESS_WORDS } from './words/access.ts'
import { PLATFORM_WORDS } from './words/platform.ts'
import { SIGN_IN_WORDS } from './words/sign-in.ts'
import { WEBHOOK_WORDS } from './words/webhooks.ts'
import type { Words } from './words/words.ts'
import { WORK_WORDS } from './words/work.ts'

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

/** What members mean; what a route enforces stands with its own schema, and goes before. */
export const WORDS: Words = {
  ...ACCESS_WORDS,
  ...SIGN_IN_WORDS,
  ...WEBHOOK_WORDS,
  ...PLATFORM_WORDS,
  ...WORK_WORDS,
}

const idOf = (thing: string, prefix: string) => `Id of the ${thing}, which starts with \`${prefix}_\`.`

/** Members that mean the same wherever they stand. */
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

/** The prefix of the `id` of a component. */
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

/** Parameters that mean the same wherever they stand. */
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

/** Gives each member of the components that has no description the one of the tables. */
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

/** A parameter says itself what it is, or by its schema. */
function describeParameter(one: Parameter): void {
  const text = (one.schema && descriptionOf(one.schema)) ?? PARAMETERS[one.name]
  if (text !== undefined) one.description = text
}

function describe(schema: Schema, name: string): Schema {
  // What a shape adds to others is a part of it.
  if (schema.allOf !== undefined) return { ...schema, allOf: schema.allOf.map((one) => describe(one, name)) }
  if (schema.properties === undefined) return schema
  const members = Object.entries(schema.properties).map(([member, one]): [string, Schema] => {
    const text = descriptionOf(one) ?? wordsOf(name, member)
    return [member, text === undefined ? one : { description: text, ...describe(one, name + member) }]
  })
  return { ...schema, properties: Object.fromEntries(members) }
}

/** Its own, or that of its only branch beside null. */
function descriptionOf({ description, anyOf = [] }: Schema): string | undefined {
  const [only, ...others] = anyOf.filter(({ type }) => type !== 'null')
  return description ?? (others.length === 0 ? only?.description : undefined)
}

function wordsOf(name: string, member: string): string | undefined {
  const own = WORDS[name]?.[member]
  if (own !== undefined) return own
  if (name.endsWith('Event') && name !== 'Event') return ENVELOPE[member]
  const prefix = member === 'id' ? PREFIXES[name] : undefined
  return prefix === undefined ? EVERYWHERE[member] : `Starts with \`${prefix}_\`.`
}
