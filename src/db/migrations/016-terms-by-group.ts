import { sql } from 'kysely'
import { termsOf } from '../../core/text/terms.ts'
import type { Dialect, Engine, Tx } from '../engine/engine.ts'

export const name = 'terms of each knowledge base by themselves'

/** Chunks of one statement, so that memory holds few of them. */
const PAGE = 500

export function statements(_: Dialect): string[] {
  return []
}

/** The embedded engine kept the terms of all bases in common; what it has is written anew from the texts. */
export async function work(tx: Tx, { name, dialect, textIndex }: Engine): Promise<void> {
  if (name !== 'sqlite') return
  await sql`drop table chunk_terms`.execute(tx)
  for (const statement of dialect.textIndex('chunk_terms')) await sql.raw(statement).execute(tx)
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number; base: string; text: string; heading: string | null }>`
      select id, knowledge_base_id as base, text, heading from chunk where id > ${after} order by id limit ${PAGE}`.execute(
      tx,
    )
    const indexed = rows.map(({ id, base, text, heading }) => ({
      ...{ id, group: base.replace(/[^a-z0-9]/g, '') },
      terms: termsOf(`${heading ?? ''}\n${text}`),
    }))
    await textIndex.add(tx, indexed)
    if (rows.length < PAGE) return
    after = rows.at(-1)?.id ?? after
  }
}
