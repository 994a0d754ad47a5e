import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { ApiError } from '../../core/errors.ts'
import { type Id, readId } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Comparison, Filter } from './attribute-path.ts'

/** The tables of users and groups that directories provision, with the kinds of their ids. */
const KIND = { scim_user: 'scimUser', scim_group: 'scimGroup' } as const
type Provisioned = keyof typeof KIND

/**
 * A user or a group of an organization.
 * @throws ApiError ENTITY_NOT_FOUND, also where the text is not an id, because to SCIM an id is any text
 */
export async function getProvisioned<Table extends Provisioned>(
  db: Db | Tx,
  table: Table,
  organizationId: Id<'organization'>,
  text: string,
): Promise<Tables[Table]> {
  const id = readId(KIND[table], text)
  const row =
    id &&
    (await rowsOf(db, table, organizationId)
      .selectAll()
      .where('id', '=', id as Id<'scimUser'>)
      .executeTakeFirst())
  if (row === undefined) throw notFound('id', text.slice(0, 256))
  return row as Tables[Table]
}

/** A part of a list, with the filter of its rows. */
export interface Part {
  filter: Filter
  startIndex: number
  count: number
}

/**
 * A part of an organization's users or groups, oldest first, and their total.
 * @param matches whether a row matches a comparison of the filter
 */
export async function listProvisioned<Table extends Provisioned>(
  db: Db,
  table: Table,
  organizationId: Id<'organization'>,
  { filter, startIndex, count }: Part,
  matches: (where: ExpressionBuilder<Tables, Table>, comparison: Comparison) => Expression<SqlBool>,
): Promise<{ rows: Tables[Table][]; total: number }> {
  const found = rowsOf(db, table, organizationId).where((where) =>
    where.and(filter.map((one) => matches(where as never, one))),
  )
  const counted = await found.select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow()
  const total = Number(counted.total)
  if (count === 0 || startIndex > total) return { rows: [], total }
  const page = found
    .selectAll()
    .orderBy('id')
    .offset(startIndex - 1)
    .limit(count)
  return { rows: (await page.execute()) as Tables[Table][], total }
}

/** TypeScript knows no column of a query over either table; these two columns exist in both. */
function rowsOf(db: Db | Tx, table: Provisioned, organizationId: Id<'organization'>) {
  return db.selectFrom(table as 'scim_user').where('organization_id', '=', organizationId)
}

export function unknownFilter(path: string): ApiError {
  return new ApiError('VALIDATION_FAILED', {
    field: 'filter',
    value: path.slice(0, 256),
    reason: 'invalid_filter',
  })
}
