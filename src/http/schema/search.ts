import { turn } from '../../core/clock.ts'
import type { Id, Kind } from '../../core/id.ts'
import { holding } from '../../core/text/holds-text.ts'
import type { PageRequest } from './list.ts'
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

/**
 * A page of a list, newest first, of the rows that hold what is sought. It has no index and is compared by the program, in steps
 * between which others have their turn.
 * @param search what `?search=` says; undefined: all rows
 * @param read the ids and texts of a part of the whole list, newest first
 * @param load the rows of the page; of these ids alone, where some are given
 */
export async function findPage<K extends Kind, Row>(
  page: PageRequest<K>,
  search: string | undefined,
  read: (part: PageRequest<K>) => Promise<{ id: Id<K>; texts: (string | null)[] }[]>,
  load: (ids?: Id<K>[]) => Promise<Row[]>,
): Promise<Row[]> {
  if (search === undefined) return load()
  const holds = holding(search)
  const found: Row[] = []
  for (let { before } = page; ; ) {
    const wanted = page.take - found.length
    const step = await read({ ...page, before, take: STEP })
    const held = step.filter(({ texts }) => texts.some(holds)).slice(0, wanted)
    if (held.length > 0) found.push(...(await load(held.map(({ id }) => id))))
    // Where a row was deleted between the two statements, the next step begins after the last that was asked for.
    const last = held.length === wanted ? held.at(-1) : step.at(-1)
    if (found.length >= page.take || last === undefined) return found
    if (step.length < STEP && last === step.at(-1)) return found
    before = last.id
    await turn()
  }
}
