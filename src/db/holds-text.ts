import { type RawBuilder, sql } from 'kysely'

/**
 * A condition: one of the texts of a row holds what is sought, in capitals or not. It has no index; a list of more than some
 * thousand rows asks for it in windows (`windows.ts`).
 * @param texts columns, or expressions; a null holds nothing
 */
export function holdsText(texts: readonly RawBuilder<string | null>[], sought: string): RawBuilder<boolean> {
  const either = texts.flatMap((text) =>
    writingsOf(sought.trim()).map((one) => sql`replace(lower(${text}), ${one}, '') <> lower(${text})`),
  )
  return sql<boolean>`(${sql.join(either, sql` or `)})`
}

/**
 * How what is sought may be written in a text in which `lower` has been: SQLite, and PostgreSQL with the locale C, know small
 * letters of ASCII alone. So "über" is sought as "über", as "Über" and as "ÜBER".
 */
function writingsOf(sought: string): string[] {
  const small = sought.toLowerCase()
  const all = [small, sought, small.replace(/(?<!\p{L})\p{L}/gu, capital), small.toUpperCase()]
  return [...new Set(all.map((one) => one.replace(/[A-Z]/g, (letter) => letter.toLowerCase())))]
}

const capital = (letter: string) => letter.toUpperCase()
