import { sql } from 'kysely'
import { turn } from '../../core/clock.ts'
import type { Id, Kind } from '../../core/id.ts'
import { containsText } from '../../core/text/contains-text.ts'
import { inPage, type PageRequest } from './list.ts'
import { Type } from './type.ts'
import { NameSchema } from './validation.ts'

/** Rows whose texts are compared in one go: a few milliseconds, and a few megabytes at most. */
const STEP = 1_000

/** `?search=`, on lists of things that people find by name. @param of where the text is looked for, for the document */
export const searchOf = (of: string) =>
  Type.Optional(
    Type.String({
      ...NameSchema,
      description: `Only those that hold this text in ${of}, in capitals or not.`,
      examples: ['acme'],
    }),
  )

/** A row that is searched: its id, and the texts. */
type Searched<K extends Kind> = { id: Id<K> } & { [text: string]: string | null }

/**
 * A page of a list, newest first, of the rows that hold what is sought. It has no index and is compared by the program, in steps
 * between which others have their turn.
 * @param search what `?search=` says; undefined: all rows
 * @param read a part of the whole list, newest first: each row with its id, and with the texts as its other members
 * @param load the rows of the page, by a query that `ofPage` narrows
 * @param id the column that holds the ids
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
    // Where a row was deleted between the two statements, the next step begins after the last that was asked for.
    const last = held.length === wanted ? held.at(-1) : step.at(-1)
    if (found.length >= page.take || last === undefined) return found
    if (step.length < STEP && last === step.at(-1)) return found
    before = last.id
    await turn()
  }
}
