import { sql } from 'kysely'
import type { TextIndex } from '../engine/text-index.ts'

/** Rows of one statement. */
const ROWS = 50
/** PostgreSQL counts no further, and keeps no more places of one term. */
const LAST_PLACE = 16_383
const MOST_PLACES = 255
/**
 * Different terms of a text of usual length: a longer one has a term more easily. By what stands in the row, for the server's
 * own way counts the places of all terms of every row, which takes as long as ranking it.
 */
const USUAL_LENGTH = 100
/** Stands before a group, and in no term. */
const MARK = '='

/**
 * A tsvector and a GIN index. The group is a term like the others, so that what others have is passed over in the index; no
 * dictionary or parser of the server has a say. Rows stay uncompressed and in one piece, because ranking reads many.
 */
export function textIndexStatements(table: string): string[] {
  return [
    `create table ${table} (id bigint primary key, terms tsvector not null) with (toast_tuple_target = 8160)`,
    `alter table ${table} alter column terms set storage main`,
    // Without it what is new waits in a list that each search would have to read.
    `create index ${table}_terms on ${table} using gin (terms) with (fastupdate = off)`,
  ]
}

export const textIndex: TextIndex = {
  async add(tx, rows) {
    for (let start = 0; start < rows.length; start += ROWS) {
      const values = rows
        .slice(start, start + ROWS)
        .map(({ id, group, terms }) => sql`(${id}::bigint, ${vectorOf(group, terms)}::tsvector)`)
      await sql`insert into chunk_terms (id, terms) values ${sql.join(values)}`.execute(tx)
    }
  },

  async remove(tx, ids) {
    if (ids.length > 0) await sql`delete from chunk_terms where id in (${sql.join(ids)})`.execute(tx)
  },

  matching({ groups, terms, limit }) {
    const any = (texts: string[]) => texts.map(quoted).join(' | ')
    const wanted = any(terms)
    return sql`
      select id, -ts_rank(terms, ${wanted}::tsquery) / (${USUAL_LENGTH}::float8 + length(terms)) as weight from chunk_terms
      where terms @@ ${`(${any(groups.map((group) => MARK + group))}) & (${wanted})`}::tsquery
      order by weight, id limit ${limit}`
  },
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", '').replaceAll('\\', '')}'`
}

/** A tsvector as text: each term with its places. */
function vectorOf(group: string, terms: string[]): string {
  const places = new Map<string, number[]>()
  for (const [index, term] of terms.entries()) {
    const known = places.get(term)
    if (known === undefined) places.set(term, [Math.min(index + 1, LAST_PLACE)])
    else if (known.length < MOST_PLACES && index < LAST_PLACE) known.push(index + 1)
  }
  const placed = [...places].map(([term, at]) => `${quoted(term)}:${at.join(',')}`)
  return [quoted(MARK + group), ...placed].join(' ')
}
