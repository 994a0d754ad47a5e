import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Millis } from '../core/clock.ts'
import { type Id, newId } from '../core/id.ts'
import type { Tx } from '../db/database.ts'
import { prepared, preparedForRows } from '../db/engine/prepared.ts'
import { marksForNewEntry } from './unsent.ts'

/** The actions of the audit log, and the kind of each action's `target`. */
type AuditAction =
  | 'organization.created'
  | 'organization.renamed'
  | 'organization.external_id_changed'
  | 'organization.second_factor_changed'
  | 'organization.sign_in_changed'
  | 'organization.language_changed'
  | 'organization.deleted'
  | 'organization.disabled'
  | 'organization.enabled'
  | 'invitation.created'
  | 'invitation.resent'
  | 'invitation.revoked'
  | 'invitation.accepted'
  | 'account.sign_up_started'
  | 'account.imported'
  | 'account.activated'
  | 'account.updated'
  | 'account.email_change_requested'
  | 'account.email_change_refused'
  | 'account.email_changed'
  | 'account.disabled'
  | 'account.enabled'
  | 'account.deleted'
  | 'account.mailbox_proven'
  | 'identity.linked'
  | 'sign_in.succeeded'
  | 'sign_in.factor_asked'
  | 'sign_in.failed'
  | 'sign_out'
  | 'sign_out.failed'
  | 'session.ended'
  | 'password.reset_requested'
  | 'password.changed'
  | 'magic_link.requested'
  | 'factor.added'
  | 'factor.renamed'
  | 'factor.removed'
  | 'factor.all_removed'
  | 'factor.cloned'
  | 'recovery_code.renewed'
  | 'recovery_code.used'
  | 'session.stepped_up'
  | 'member.role_changed'
  | 'member.removed'
  | 'role.created'
  | 'role.updated'
  | 'role.deleted'
  | 'domain.created'
  | 'domain.verified'
  | 'domain.failing'
  | 'domain.lost'
  | 'domain.deleted'
  | 'scim_user.created'
  | 'scim_user.updated'
  | 'scim_user.deleted'
  | 'scim_user.role_kept'
  | 'scim_group.created'
  | 'scim_group.updated'
  | 'scim_group.mapped'
  | 'scim_group.deleted'
  | 'scim.updated'
  | 'identity_provider.created'
  | 'identity_provider.updated'
  | 'identity_provider.keys_rotated'
  | 'identity_provider.deleted'
  | 'identity_provider.tested'
  | 'setup_link.created'
  | 'setup_link.opened'
  | 'setup_link.finished'
  | 'setup_link.revoked'
  | 'identity_provider.role_kept'
  | 'api_key.created'
  | 'api_key.updated'
  | 'api_key.rotated'
  | 'api_key.deleted'
  | 'service_account.created'
  | 'service_account.updated'
  | 'service_account.deleted'
  | 'audit_stream.created'
  | 'audit_stream.updated'
  | 'audit_stream.rotated'
  | 'audit_stream.deleted'
  | 'platform_key.created'
  | 'oauth_client.created'
  | 'oauth_client.deleted'
  | 'platform_key.updated'
  | 'platform_key.rotated'
  | 'platform_key.deleted'
  | 'grant.created'
  | 'grant.ended'
  | 'oauth_client.created'
  | 'oauth_client.deleted'
  | 'plan.changed'
  | 'flag.changed'
  | 'connection.created'
  | 'connection.renewed'
  | 'connection.refused'
  | 'connection.refreshed'
  | 'connection.expired'
  | 'connection.revoked'
  | 'connection.deleted'
  | 'credits.granted'
  | 'credits.reversed'
  | 'checkout.created'
  | 'checkout.paid'
  | 'checkout.refused'
  | 'subscription.ended'
  | 'webhook.created'
  | 'webhook.updated'
  | 'webhook.deleted'
  | 'webhook.secret_rotated'
  | 'event_type.created'
  | 'event_type.updated'
  | 'event_type.deleted'
  | 'mcp_server.created'
  | 'mcp_server.updated'
  | 'mcp_server.accepted'
  | 'mcp_server.deleted'
  | 'knowledge_base.created'
  | 'knowledge_base.updated'
  | 'knowledge_base.deleted'
  | 'file.deleted'
  | 'agent.created'
  | 'agent.updated'
  | 'agent.deleted'
  | 'approval.decided'

/** The origin of an action: address, browser, request id, API key and time. */
export interface Trail {
  now: Millis
  ip: string
  userAgent: string
  requestId: string
  /** The API key of the request; absent for a person or the server itself. */
  keyId?: Id<'apiKey'> | undefined
  /** The grant by which a client acts for a person. */
  grantId?: Id<'grant'> | undefined
}

/** Removed, because a caller could forge lines with them where the log is displayed. */
const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

export function trailOf(request: FastifyRequest): Trail {
  const userAgent = (request.headers['user-agent'] ?? '').replace(CONTROL, '?').slice(0, 256)
  // A proxy may pass any text as an address; only an IP address is recorded or mailed.
  const ip = isIP(request.ip) === 0 ? 'unknown' : request.ip
  const { principal } = request
  const keyId = principal?.kind === 'apiKey' ? principal.keyId : undefined
  const grantId = principal?.kind === 'grant' ? principal.grantId : undefined
  return { now: request.now, ip, userAgent, requestId: request.id, keyId, grantId }
}

/** The trail of actions on the command line. */
export function localTrail(now: Millis): Trail {
  return { now, ip: '', userAgent: 'command line', requestId: newId('request', now) }
}

/** The trail of the server's own actions. */
export function ownTrail(now: Millis): Trail {
  return { now, ip: '', userAgent: 'server', requestId: newId('request', now) }
}

interface AuditEntry {
  action: AuditAction
  organizationId?: Id<'organization'> | null
  /**
   * The account of the entry. Without an organization, the entry is shown to every organization that has the account as
   * a member.
   */
  accountId?: Id<'account'> | null
  actorId?: string | null
  targetId?: string | null
  details?: Record<string, string | number | boolean | null>
}

const COLUMNS = [
  'id',
  'organization_id',
  'account_id',
  'actor_id',
  'key_id',
  'action',
  'target_id',
  'details',
  'ip',
  'user_agent',
  'request_id',
  'created_at',
] as const

const VALUES = Object.fromEntries(COLUMNS.map((name) => [name, null]))

const insertAudit = preparedForRows((db, size) =>
  db
    .insertInto('audit')
    .values(Array.from({ length: size }, () => ({ ...VALUES, unsent: marksForNewEntry })) as never),
)

const selectOrganizations = prepared<{ accountId: Id<'account'> }>()((db, value) =>
  db.selectFrom('membership').select('organization_id').where('account_id', '=', value('accountId')),
)

/**
 * Writes an entry in the transaction of its action: one row per organization that may see it, so that each finds its
 * own by an index, and sees of a member only actions during the membership.
 */
export async function audit(tx: Tx, trail: Trail, entry: AuditEntry): Promise<void> {
  const common = {
    account_id: entry.accountId ?? null,
    actor_id: entry.actorId ?? null,
    key_id: trail.keyId ?? null,
    action: entry.action,
    target_id: entry.targetId ?? null,
    details: JSON.stringify({
      ...entry.details,
      ...(trail.grantId === undefined ? {} : { grantId: trail.grantId }),
    }),
    ip: trail.ip,
    user_agent: trail.userAgent,
    request_id: trail.requestId,
    created_at: trail.now,
  }
  const readers = await readersOf(tx, entry)
  const rows = readers.map((reader) => ({
    id: newId('audit', trail.now),
    organization_id: reader,
    ...common,
  }))
  await insertAudit(
    tx,
    rows.map((row) => COLUMNS.map((name) => row[name])),
  )
}

/** The organizations that see an entry. @returns null alone where only the operator does */
async function readersOf(
  tx: Tx,
  { organizationId, accountId }: AuditEntry,
): Promise<(Id<'organization'> | null)[]> {
  if (organizationId) return [organizationId]
  const memberships = accountId ? await selectOrganizations(tx, { accountId }) : []
  return memberships.length === 0 ? [null] : memberships.map(({ organization_id }) => organization_id)
}
