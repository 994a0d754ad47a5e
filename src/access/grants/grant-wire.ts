import { toIso, toIsoOrNull } from '../../core/clock.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'

export const GrantSchema = Type.Object({
  id: Type.String(),
  accountId: Type.String(),
  organizationId: Type.String(),
  clientId: Type.String(),
  clientName: Type.String(),
  clientHost: Type.String(),
  resource: Type.String(),
  scopes: Type.Array(Type.String()),
  identityScopes: Type.Array(Type.String()),
  endsWithSession: Type.Boolean(),
  createdAt: Moment,
  lastUsedAt: Nullable(Moment),
  expiresAt: Moment,
})

export function toGrant(row: Tables['oauth_grant']): Static<typeof GrantSchema> {
  return {
    id: row.id,
    accountId: row.account_id,
    organizationId: row.organization_id,
    clientId: row.client_id,
    clientName: row.client_name,
    clientHost: row.client_host,
    resource: row.resource,
    scopes: JSON.parse(row.scopes) as string[],
    identityScopes: row.identity_scopes.split(' ').filter(Boolean),
    endsWithSession: row.session_id !== null,
    createdAt: toIso(row.created_at),
    lastUsedAt: toIsoOrNull(row.last_used_at),
    expiresAt: toIso(row.expires_at),
  }
}
