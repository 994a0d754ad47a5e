import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { refuseBeyond } from '../../organizations/count-limit.ts'
import { type Connection, sealed } from './provider-connection.ts'
import { holdRoles } from './provider-settings.ts'
import { speakerOf } from './provider-wire.ts'
import { rolesOf } from './role-rules.ts'

type Row = Tables['identity_provider']

/** Identity providers that an organization may have. */
export const MOST_PROVIDERS = 10

/** Locks the organization. @throws ApiError FORBIDDEN `too_many_identity_providers` */
export async function refuseMoreProviders(tx: Tx, organizationId: Id<'organization'>): Promise<void> {
  const rows = tx.selectFrom('identity_provider').where('organization_id', '=', organizationId)
  await refuseBeyond(tx, organizationId, {
    ...{ rows, most: MOST_PROVIDERS, reason: 'too_many_identity_providers' },
  })
}

interface NewProvider {
  id: Row['id']
  organizationId: Id<'organization'>
  actorId: string
  name: string
  connection: Connection
  /** Columns that are not as usual. */
  more: Partial<Row>
}

/** Adds an identity provider; the organization is locked by `tx`. @throws ApiError ENTITY_NOT_FOUND where a role is unknown */
export async function addProvider(
  tx: Tx,
  trail: Trail,
  vault: Vault,
  { id, organizationId, actorId, name, connection, more }: NewProvider,
): Promise<Row> {
  const { now } = trail
  const row: Row = {
    ...{ id, organization_id: organizationId, kind: connection.kind, name, status: 'active' },
    ...sealed(vault, id, connection),
    ...{ creates_memberships: 0, manages_roles: 0, default_role: 'member', role_rules: '[]' },
    ...{ factor_values: '[]', created_by: actorId, created_at: now, updated_at: now },
    ...{ ends_provider_session: 0, last_sign_in_at: null },
    ...more,
  }
  await holdRoles(tx, organizationId, rolesOf(row))
  await tx.insertInto('identity_provider').values(row).execute()
  noteChanges(tx, 'identityProvider', [row])
  await audit(tx, trail, {
    action: 'identity_provider.created',
    ...{ organizationId, actorId, targetId: id },
    details: { name: row.name, kind: row.kind, issuer: speakerOf(row), status: row.status },
  })
  return row
}
