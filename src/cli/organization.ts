import type { Db } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import { type Options, type Terminal, UsageError } from './terminal.ts'

/** The name that `--organization` gives. @throws UsageError */
export function readOrganization(options: Options): string {
  const name = String(options.organization ?? '').trim()
  if (name === '') throw new UsageError('--organization must be the name of an organization.')
  return name
}

/** The organization of that name; undefined after the terminal has been told that there is none. */
export async function findOrganization(
  db: Db,
  terminal: Terminal,
  name: string,
): Promise<Tables['organization'] | undefined> {
  const found = await db.selectFrom('organization').selectAll().where('name', '=', name).executeTakeFirst()
  if (found === undefined) terminal.complain(`There is no organization "${name}".`)
  return found
}
