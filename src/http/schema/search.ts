import { sql } from 'kysely'
import { turn } from '../../core/clock.ts'
import type { Id, Kind } from '../../core/id.ts'
import { containsText } from '../../core/text/contains-text.ts'
import { inPage, type PageRequest } from './list.ts'
import { Type } from './type.ts'
import { NameSchema } from './validation.ts'

/** Rows that are compared before other requests get a turn: a few milliseconds, and a few megabytes at most. */
const STEP = 1_000

/** `?search=` on lists of named things. @param of the searched texts, for the document */
export const searchOf = (of: string) =>
  Type.Optional(
    Type.String({
      ...NameSchema,
      description: `Only items with this text in ${of}; upper and lower case are equal.`,
      examples: ['acme'],
    }),
  )

/** A searched row: its id and its texts. */
type Searched<K extends Kind> = { id: Id<K> } & { [text: string]: string | null }

/**
 * A page of the rows that contain the search text, newest first. No index covers it: the rows are compared in steps,
 * between which other requests get turns.
 * @param search the text of `?search=`; undefined matches every row
 * @param read reads a part of the whole list, newest first: each row with its id, and its texts as the other members
 * @param load reads the rows of the page, by a query that `ofPage` restricts
 * @param id the column of the ids
 */
export async function findPage<K extends Kind, Row>(
  page: PageRequest<K>,
  search: string | undefined,
  read: (part: PageRequest<K>) => Promise<Searched<K>[]>,
  load: (ofPage: ReturnType<typeof inPage>) => Promise<Row[]>,
  id = 'id',
): Promise<Row[]> {
  if (search === undefined) return load(inPage(page, id))
  const holds = containsText(search)
  const found: Row[] = []
  for (let { before } = page; ; ) {
    const wanted = page.take - found.length
    const step = await read({ ...page, before, take: STEP })
    const held = step.filter(({ id: _, ...texts }) => Object.values(texts).some(holds)).slice(0, wanted)
    const ids = held.map((row) => row.id)
    if (ids.length > 0)
      found.push(...(await load((query) => query.where(sql.ref(id), 'in', ids).$call(inPage(page, id)))))
    // Where a row was deleted between the two statements, the next step begins after the last requested one.
    const last = held.length === wanted ? held.at(-1) : step.at(-1)
    if (found.length >= page.take || last === undefined) return found
    if (step.length < STEP && last === step.at(-1)) return found
    before = last.id
    await turn()
  }
}
