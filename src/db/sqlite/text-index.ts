import { sql } from 'kysely'
import { lengthNorm, type TextIndex } from '../engine/text-index.ts'

/** Rows of one statement. */
const ROWS = 50

/**
 * A contentless FTS5 index with the ASCII tokenizer, which leaves our terms unchanged. Each term begins with its group, because FTS5
 * reads the whole list of a term, and that of a frequent term would contain the rows of all organizations. FTS5's own rank weighs a term
 * by all rows of the table, so the occurrences of a term and the length of a row are read from separate tables.
 */
export function textIndexStatements(table: string): string[] {
  return [
    `create virtual table ${table} using fts5 (
      terms, content = '', contentless_delete = 1, tokenize = 'ascii', columnsize = 1
    )`,
    `create virtual table ${table}_place using fts5vocab (${table}, instance)`,
    `create table ${table}_length (id integer primary key, length integer not null)`,
  ]
}

export const textIndex: TextIndex = {
  async add(tx, rows) {
    for (let start = 0; start < rows.length; start += ROWS) {
      const some = rows.slice(start, start + ROWS)
      const values = some.map(({ id, group, terms }) => sql`(${id}, ${termsIn(group, terms).join(' ')})`)
      await sql`insert into chunk_terms (rowid, terms) values ${sql.join(values)}`.execute(tx)
      const lengths = some.map(({ id, length }) => sql`(${id}, ${length})`)
      await sql`insert into chunk_terms_length (id, length) values ${sql.join(lengths)}`.execute(tx)
    }
  },

  async remove(tx, ids) {
    if (ids.length === 0) return
    await sql`delete from chunk_terms where rowid in (${sql.join(ids)})`.execute(tx)
    await sql`delete from chunk_terms_length where id in (${sql.join(ids)})`.execute(tx)
  },

  async clear(tx) {
    await sql`insert into chunk_terms (chunk_terms) values ('delete-all')`.execute(tx)
    await sql`delete from chunk_terms_length`.execute(tx)
  },

  countRows(groups, terms) {
    const counts = terms.map(
      (term, place) =>
        sql`select ${place} as place, count(*) as rows from chunk_terms where chunk_terms match ${matchOf(groups, term)}`,
    )
    return sql`${sql.join(counts, sql` union all `)}`
  },

  findRows({ groups, terms, limit }) {
    const lists = terms.flatMap(({ term, weight }) =>
      groups.flatMap((group) =>
        termsIn(group, [term]).map(
          (one) => sql`
            select doc as id, ${weight} as weight, count(*) as times from chunk_terms_place where term = ${one} group by doc`,
        ),
      ),
    )
    return sql`
      select found.id, -sum(found.weight * found.times / (found.times + ${lengthNorm(sql.ref('length'))})) as weight
      from (${sql.join(lists, sql` union all `)}) as found join chunk_terms_length as size on size.id = found.id
      group by found.id order by 2, 1 limit ${limit}`
  },
}

/** Characters of a group's name in a term. Groups hardly ever collide; readers still check the group of a row. */
const MARK = 16

function termsIn(group: string, terms: string[]): string[] {
  const mark = group.slice(-MARK)
  return terms.map((term) => mark + term)
}

/** An FTS5 query for a term in each group, as quoted strings, in which only the quote is special. */
function matchOf(groups: string[], term: string): string {
  return groups
    .flatMap((group) => termsIn(group, [term]))
    .map((text) => `"${text.replaceAll('"', '')}"`)
    .join(' OR ')
}
