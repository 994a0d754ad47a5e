import { type RawBuilder, sql } from 'kysely'
import { lengthNorm, type TextIndex } from '../engine/text-index.ts'

/** Rows of one statement. */
const ROWS = 50
/** The limits of a tsvector: the highest position, and the positions of one term. */
const LAST_PLACE = 16_383
const MOST_PLACES = 255
/** The prefix of a group; no term contains it. */
const MARK = '='

/**
 * A tsvector with a GIN index, without the server's parsers and dictionaries. The group is a term like the others, so that the index
 * skips rows of other groups. Rows are uncompressed and not toasted, because ranking reads many.
 */
export function textIndexStatements(table: string): string[] {
  return [
    `create table ${table} (id bigint primary key, terms tsvector not null, length integer not null) with (toast_tuple_target = 8160)`,
    `alter table ${table} alter column terms set storage main`,
    // With `fastupdate` each search would have to read the list of pending entries.
    `create index ${table}_terms on ${table} using gin (terms) with (fastupdate = off)`,
  ]
}

export const textIndex: TextIndex = {
  async add(tx, rows) {
    for (let start = 0; start < rows.length; start += ROWS) {
      const values = rows
        .slice(start, start + ROWS)
        .map(
          ({ id, group, terms, length }) =>
            sql`(${id}::bigint, ${vectorOf(group, terms)}::tsvector, ${length}::int)`,
        )
      await sql`insert into chunk_terms (id, terms, length) values ${sql.join(values)}`.execute(tx)
    }
  },

  async remove(tx, ids) {
    if (ids.length > 0) await sql`delete from chunk_terms where id in (${sql.join(ids)})`.execute(tx)
  },

  async clear(tx) {
    await sql`truncate chunk_terms`.execute(tx)
  },

  countRows(groups, terms) {
    const counts = terms.map(
      (term, place) => sql`
        select ${place}::int as place, count(*)::int as rows from chunk_terms
        where terms @@ ${inGroups(groups, [term])}::tsquery`,
    )
    return sql`${sql.join(counts, sql` union all `)}`
  },

  // One pass over the rows, because counting takes the server as long as reading.
  countAndFind({ groups, terms, all, limit }) {
    const counts = terms.map(
      (_, place) => sql`count(*) filter (where ${timesAt(place)} > 0) as ${countAt(place)}`,
    )
    const weights = terms.map((_, place) => {
      const having = countAt(place)
      const rest = sql`greatest(${all}::float8, ${having}) - ${having}`
      return sql`ln(1 + (${rest} + 0.5) / (${having} + 0.5)) as ${weightAt(place)}`
    })
    const list = terms.map((_, place) => countAt(place))
    return sql`
      (with found as materialized (${rowsOf(groups, terms)}),
      counted as materialized (
        select ${sql.join(weights)}, concat_ws(',', ${sql.join(list)}) as counts
        from (select ${sql.join(counts)} from found) as each)
      select best.id, best.weight, counted.counts from counted, (
        select id, -(${sharesOf(terms.map((_, place) => weightAt(place)))}) as weight from found, counted
        order by 2, 1 limit ${limit}) as best
      order by 2, 1)`
  },

  findRows({ groups, terms, limit }) {
    const names = terms.map(({ term }) => term)
    const weights = terms.map(({ weight }) => sql`${weight}::float8`)
    return sql`
      select id, -(${sharesOf(weights)}) as weight from (${rowsOf(groups, names)} offset 0) as found
      order by 2, 1 limit ${limit}`
  },
}

/** Selects the rows that have one of the terms, with the occurrences of each term and the length norm. */
function rowsOf(groups: string[], terms: string[]) {
  const times = terms.map((term, place) => sql`${timesOf(term)} as ${timesAt(place)}`)
  return sql`
    select id, ${lengthNorm(sql.ref('length'))} as norm, ${sql.join(times)} from chunk_terms
    where terms @@ ${inGroups(groups, terms)}::tsquery`
}

function sharesOf(weights: RawBuilder<unknown>[]) {
  const shares = weights.map(
    (weight, place) => sql`${weight} * ${timesAt(place)} / (${timesAt(place)} + norm)`,
  )
  return sql.join(shares, sql` + `)
}

const countAt = (place: number) => sql.ref(`count${place}`)
const weightAt = (place: number) => sql.ref(`weight${place}`)
const timesAt = (place: number) => sql.ref(`times${place}`)

/**
 * The occurrences of a term in a row, derived from the server's rank: `ts_rank` of one term is a tenth of the sum of 1/n² over its n
 * occurrences, divided by the limit π²/6. The difference to π²/6 is about 1 / (times + 0.5). For a missing term the result is 0.
 */
function timesOf(term: string) {
  const sum = sql`10 * ${sql.lit(Math.PI ** 2 / 6)} * ts_rank(terms, ${quoted(term)}::tsquery)`
  return sql`round(1 / (${sql.lit(Math.PI ** 2 / 6)} - ${sum}) - 0.5)`
}

/** A tsquery for rows that are in one of the groups and have one of the terms. */
function inGroups(groups: string[], terms: string[]): string {
  const any = (texts: string[]) => texts.map(quoted).join(' | ')
  return `(${any(groups.map((group) => MARK + group))}) & (${any(terms)})`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", '').replaceAll('\\', '')}'`
}

/** A tsvector as text: each term with its positions. */
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
