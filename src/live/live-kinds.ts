import type { Millis } from '../core/clock.ts'
import type { Id, Kind } from '../core/id.ts'
import type { Db, Tx } from '../db/database.ts'
import type { Permission } from '../http/permissions.ts'

/** A row in the form of its list. */
export interface LiveRow {
  id: Id<Kind>
  organization_id: Id<'organization'>
  /** The webhook or the owner by which readers filter; '' where there is neither. */
  about: string
  data: object
}

/** How the live stream shows rows of one kind; each slice has its own. */
export interface LiveView {
  kind: LiveKind
  /** The rows that still exist. */
  show(db: Db | Tx, ids: Id<Kind>[], now: Millis): Promise<LiveRow[]>
}

/** The rules for one kind of rows; the kind is the name of its event. */
interface LiveRule {
  topic: string
  /** The permission to see them. */
  permission: Permission
  /** The permission to see rows of other owners; without it readers see all. */
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
  scimExchange: { topic: 'scim-exchanges', permission: 'sign_in:read' },
  apiKey: { topic: 'api-keys', permission: 'keys:read' },
  run: { topic: 'runs', permission: 'runs:read', all: 'runs:all' },
} as const satisfies Partial<Record<Kind, LiveRule>>

export type LiveKind = keyof typeof RULES
export const LIVE_KINDS = Object.keys(RULES) as LiveKind[]
export const ruleOf = (kind: LiveKind): LiveRule => RULES[kind]

export type Topic = (typeof RULES)[LiveKind]['topic']
export const TOPICS = LIVE_KINDS.map((kind): Topic => RULES[kind].topic)

export function isLive(kind: string): kind is LiveKind {
  return Object.hasOwn(RULES, kind)
}
