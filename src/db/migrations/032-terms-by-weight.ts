import { sql } from 'kysely'
import { passageTerms } from '../../core/text/terms.ts'
import type { Dialect, Engine } from '../engine/engine.ts'
import type { Tx } from '../engine/handles.ts'

export const name = 'terms of passages with their lengths and places'

/** Chunks of one statement, so that memory holds few of them. */
const PAGE = 500

export function statements(_: Dialect): string[] {
  return []
}

interface Row {
  id: number
  base: string
  text: string
  heading: string | null
  sheet: string | null
  name: string | null
}

/** What passages are found by is written anew from their texts. What is being removed is found by nothing. */
export async function work(tx: Tx, { dialect, textIndex }: Engine): Promise<void> {
  await sql`drop table if exists chunk_terms`.execute(tx)
  for (const statement of dialect.textIndex('chunk_terms')) await sql.raw(statement).execute(tx)
  for (let after = 0; ; ) {
    const { rows } = await sql<Row>`
      select chunk.id, chunk.knowledge_base_id as base, chunk.text, chunk.heading, chunk.sheet, document.name
      from chunk left join document on document.id = chunk.document_id
      where chunk.id > ${after} order by chunk.id limit ${PAGE}`.execute(tx)
    const indexed = rows.flatMap(({ id, base, name, ...placed }) =>
      name === null
        ? []
        : [{ id: Number(id), group: base.replace(/[^a-z0-9]/g, ''), ...passageTerms({ ...placed, name }) }],
    )
    await textIndex.add(tx, indexed)
    if (rows.length < PAGE) return
    after = Number(rows.at(-1)?.id ?? after)
  }
}
