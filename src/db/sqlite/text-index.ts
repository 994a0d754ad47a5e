import { sql } from 'kysely'
import type { TextIndex, Wanted } from '../engine/text-index.ts'

/** Rows of one statement. */
const ROWS = 50

/**
 * FTS5. It keeps no texts, and takes what is not ASCII as parts of words as it is: the terms are what we have made of them.
 * Each begins with its group, so that a group has lists of its own: FTS5 goes through all of a term's list to weigh it, and
 * that of a frequent one would be as long as what everybody has.
 */
export function textIndexStatements(table: string): string[] {
  return [
    `create virtual table ${table} using fts5 (
      terms, content = '', contentless_delete = 1, tokenize = 'ascii', columnsize = 1
    )`,
  ]
}

export const textIndex: TextIndex = {
  async add(tx, rows) {
    for (let start = 0; start < rows.length; start += ROWS) {
      const values = rows
        .slice(start, start + ROWS)
        .map(({ id, group, terms }) => sql`(${id}, ${termsIn(group, terms).join(' ')})`)
      await sql`insert into chunk_terms (rowid, terms) values ${sql.join(values)}`.execute(tx)
    }
  },

  async remove(tx, ids) {
    if (ids.length > 0) await sql`delete from chunk_terms where rowid in (${sql.join(ids)})`.execute(tx)
  },

  matching: (wanted) => sql`
      select rowid as id, bm25(chunk_terms) as weight from chunk_terms where chunk_terms match ${matchOf(wanted)}
      order by weight, rowid limit ${wanted.limit}`,
}

/** So many signs of a group that it has no other one's; whoever finds rows by them still looks whose they are. */
const MARK = 16

function termsIn(group: string, terms: string[]): string[] {
  const mark = group.slice(-MARK)
  return terms.map((term) => mark + term)
}

/** Each in quotes, inside which FTS5 knows nothing but the quote itself. */
function matchOf({ groups, terms }: Wanted): string {
  return groups
    .flatMap((group) => termsIn(group, terms))
    .map((text) => `"${text.replaceAll('"', '')}"`)
    .join(' OR ')
}
