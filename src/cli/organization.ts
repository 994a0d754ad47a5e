import { nearestName } from '../core/text/nearest-names.ts'
import type { Db } from '../db/database.ts'
import type { Tables } from '../db/tables/tables.ts'
import { type Options, type Terminal, UsageError } from './terminal/terminal.ts'

/** The name that `--organization` gives. @throws UsageError */
export function readOrganization(options: Options): string {
  const name = String(options.organization ?? '').trim()
  if (name === '') throw new UsageError('--organization must be the name of an organization.')
  return name
}

/** The organization of that name; undefined after the error that it does not exist was printed. */
export async function findOrganization(
  db: Db,
  terminal: Terminal,
  name: string,
): Promise<Tables['organization'] | undefined> {
  const found = await db
    .selectFrom('organization')
    .selectAll()
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (found !== undefined) return found
  const meant = await findNearest(db, name)
  terminal.complain(
    `There is no organization "${name}".${meant === undefined ? '' : ` Did you mean "${meant}"?`}`,
  )
  return undefined
}

/** The organization with the most similar name, if any is similar. */
export async function findNearest(db: Db, name: string): Promise<string | undefined> {
  const rows = await db
    .selectFrom('organization')
    .select('name')
    .where('name', '!=', name)
    .where('deleted_at', 'is', null)
    .execute()
  return nearestName(
    name,
    rows.map((row) => row.name),
  )
}
