import type { Millis } from '../core/clock.ts'
import type { Id, Kind } from '../core/id.ts'
import type { Db, Tx } from '../db/database.ts'
import type { Permission } from '../http/permissions.ts'

/** A row as its list shows it. */
export interface Shown {
  id: Id<Kind>
  organization_id: Id<'organization'>
  /** What a reader may narrow the stream to, or whose it is; '' where there is neither. */
  about: string
  data: object
}

/** How rows of one kind are shown to readers; each slice has its own. */
export interface View {
  kind: LiveKind
  /** Those that there still are of some rows. */
  show(db: Db | Tx, ids: Id<Kind>[], now: Millis): Promise<Shown[]>
}

/** What a stream shows of one kind of rows; the kind is the name of its event. */
interface Rule {
  topic: string
  /** The permission of those who see it. */
  permission: Permission
  /** The permission to see those of others; without it readers see all. */
  all?: Permission
  /** Whether `about` is a webhook. */
  isOfWebhook?: true
}

const RULES = {
  delivery: { topic: 'deliveries', permission: 'deliveries:read', isOfWebhook: true },
  replay: { topic: 'replays', permission: 'deliveries:read', isOfWebhook: true },
  webhook: { topic: 'webhooks', permission: 'webhooks:read', isOfWebhook: true },
  capture: { topic: 'captures', permission: 'captures:read', isOfWebhook: true },
  invitation: { topic: 'invitations', permission: 'invitations:read' },
  file: { topic: 'files', permission: 'files:read' },
  document: { topic: 'documents', permission: 'knowledge:read' },
  domain: { topic: 'domains', permission: 'sign_in:read' },
  identityProvider: { topic: 'identity-providers', permission: 'sign_in:read' },
  setupLink: { topic: 'setup-links', permission: 'sign_in:read' },
  apiKey: { topic: 'api-keys', permission: 'keys:read' },
  run: { topic: 'runs', permission: 'runs:read', all: 'runs:all' },
} as const satisfies Partial<Record<Kind, Rule>>

export type LiveKind = keyof typeof RULES
export const LIVE_KINDS = Object.keys(RULES) as LiveKind[]
export const ruleOf = (kind: LiveKind): Rule => RULES[kind]

export type Topic = (typeof RULES)[LiveKind]['topic']
export const TOPICS = LIVE_KINDS.map((kind): Topic => RULES[kind].topic)

export function isLive(kind: string): kind is LiveKind {
  return Object.hasOwn(RULES, kind)
}
