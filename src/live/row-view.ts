import type { Millis } from '../core/clock.ts'
import type { Db, Tx } from '../db/database.ts'
import { OWNED_KIND } from '../db/owned-row.ts'
import type { Tables } from '../db/tables/tables.ts'
import type { LiveKind, View } from './kinds.ts'

/** Tables whose rows belong to an organization and are shown in live streams. */
type LiveTable = {
  [Table in keyof typeof OWNED_KIND]: (typeof OWNED_KIND)[Table] extends LiveKind ? Table : never
}[keyof typeof OWNED_KIND]

/**
 * How rows of one table are shown to readers of the live stream.
 * @param toWires what is shown of each row, in the order of the rows
 * @param aboutOf what a reader may narrow the stream to, or whose the row is; '' unless given
 */
export function rowView<Table extends LiveTable>(
  table: Table,
  toWires: (rows: Tables[Table][], now: Millis, db: Db | Tx) => object[] | Promise<object[]>,
  aboutOf: (row: Tables[Table]) => string = () => '',
): View {
  return {
    kind: OWNED_KIND[table],
    async show(db, ids, now) {
      // The types of a query over any of the tables would know nothing of their columns.
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
