import { sql } from 'kysely'
import type { Db } from '../engine/engine.ts'
import type { Reader } from '../engine/reader.ts'
import type { TextIndex, Wanted } from '../engine/text-index.ts'

/** Rows of one statement. */
const ROWS = 50

/**
 * FTS5. It keeps no texts, and takes what is not ASCII as parts of words as it is: the terms are what we have made of them.
 * The group is a column of the index, so that what others have is passed over without being read.
 */
export function textIndexStatements(table: string): string[] {
  return [
    `create virtual table ${table} using fts5 (
      owner, terms, content = '', contentless_delete = 1, tokenize = 'ascii', columnsize = 1
    )`,
  ]
}

export function createTextIndex(db: Db, reader: Reader): TextIndex {
  return {
    async add(tx, rows) {
      for (let start = 0; start < rows.length; start += ROWS) {
        const values = rows
          .slice(start, start + ROWS)
          .map(({ id, group, terms }) => sql`(${id}, ${group}, ${terms.join(' ')})`)
        await sql`insert into chunk_terms (rowid, owner, terms) values ${sql.join(values)}`.execute(tx)
      }
    },

    async remove(tx, ids) {
      if (ids.length > 0) await sql`delete from chunk_terms where rowid in (${sql.join(ids)})`.execute(tx)
    },

    async find(wanted) {
      const rows = await reader.rows(
        sql<{ id: number }>`
      select rowid as id from chunk_terms where chunk_terms match ${matchOf(wanted)}
      order by bm25(chunk_terms, 0, 1), rowid limit ${wanted.limit}`.compile(db),
      )
      return rows.map(({ id }) => id)
    },
  }
}

/** Each in quotes, inside which FTS5 knows nothing but the quote itself. */
function matchOf({ groups, terms }: Wanted): string {
  const any = (texts: string[]) => texts.map((text) => `"${text.replaceAll('"', '')}"`).join(' OR ')
  return `owner : (${any(groups)}) AND terms : (${any(terms)})`
}
