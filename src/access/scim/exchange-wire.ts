import { toIso } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import type { LiveView } from '../../live/live-kinds.ts'

export const ExchangeSchema = Type.Object(
  {
    id: Type.String(),
    method: Type.String(),
    path: Type.String({ examples: ['/scim/v2/Users?filter=userName eq …', '/scim/v2/Users/{id}'] }),
    status: Type.Integer(),
    code: Nullable(Type.String()),
    scimType: Nullable(Type.String()),
    detail: Nullable(Type.String()),
    resourceId: Nullable(Type.String()),
    externalId: Nullable(Type.String()),
    durationMs: Type.Integer(),
    createdAt: Moment,
  },
  { title: 'ProvisioningExchange' },
)

/** A row with the external ids that its resource has at present. */
type Row = Tables['scim_exchange'] & { userKnownAs: string | null; groupKnownAs: string | null }

export const selectExchanges = (db: Db | Tx) =>
  db
    .selectFrom('scim_exchange')
    .leftJoin('scim_user', (join) =>
      join
        .onRef('scim_user.id', '=', 'scim_exchange.resource_id')
        .onRef('scim_user.organization_id', '=', 'scim_exchange.organization_id'),
    )
    .leftJoin('scim_group', (join) =>
      join
        .onRef('scim_group.id', '=', 'scim_exchange.resource_id')
        .onRef('scim_group.organization_id', '=', 'scim_exchange.organization_id'),
    )
    .selectAll('scim_exchange')
    .select(['scim_user.external_id as userKnownAs', 'scim_group.external_id as groupKnownAs'])

export const toExchange = (row: Row): Static<typeof ExchangeSchema> => ({
  id: row.id,
  method: row.method,
  path: row.path,
  status: Number(row.status),
  code: row.code,
  scimType: row.scim_type,
  detail: row.detail,
  resourceId: row.resource_id,
  externalId: row.userKnownAs ?? row.groupKnownAs,
  durationMs: Number(row.duration),
  createdAt: toIso(row.created_at),
})

/** Requests of directories in the live stream. */
export const exchangeView: LiveView = {
  kind: 'scimExchange',
  async show(db, ids) {
    const rows = await selectExchanges(db)
      .where('scim_exchange.id', 'in', ids as Id<'scimExchange'>[])
      .execute()
    return rows.map((row) => ({
      ...{ id: row.id, organization_id: row.organization_id, about: '' },
      data: toExchange(row),
    }))
  },
}
