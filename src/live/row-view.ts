import type { Millis } from '../core/clock.ts'
import type { Db, Tx } from '../db/database.ts'
import { OWNED_KIND } from '../db/owned-row.ts'
import type { Tables } from '../db/tables/tables.ts'
import type { LiveKind, LiveView } from './live-kinds.ts'

/** Tables whose rows belong to an organization and appear in live streams. */
type LiveTable = {
  [Table in keyof typeof OWNED_KIND]: (typeof OWNED_KIND)[Table] extends LiveKind ? Table : never
}[keyof typeof OWNED_KIND]

/**
 * Makes the live view of a table.
 * @param toWires the shown form of each row, in the order of the rows
 * @param aboutOf the webhook or the owner by which readers filter; '' by default
 */
export function rowView<Table extends LiveTable>(
  table: Table,
  toWires: (rows: Tables[Table][], now: Millis, db: Db | Tx) => object[] | Promise<object[]>,
  aboutOf: (row: Tables[Table]) => string = () => '',
): LiveView {
  return {
    kind: OWNED_KIND[table],
    async show(db, ids, now) {
      // TypeScript knows no columns for a query over a union of tables.
      const rows = (await db
        .selectFrom(table as 'webhook')
        .selectAll()
        .where('id', 'in', ids as never[])
        .execute()) as unknown as Tables[Table][]
      const wires = await toWires(rows, now, db)
      return rows.map((row, at) => ({
        ...{ id: row.id, organization_id: row.organization_id, about: aboutOf(row) },
        data: wires[at] as object,
      }))
    },
  }
}
