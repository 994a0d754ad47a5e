import { sql } from 'kysely'
import type { Vault } from '#src/core/secret.ts'
import { SEALED, type SealedTable, sealContext } from '#src/db/sealed.ts'
import type { EngineName, Postern } from './postern.ts'

type Database = Postern['app']['database']

/** Every value that is in a sealed column, with what opens it. */
export async function sealedValues({ db }: Pick<Database, 'db'>) {
  const all = Object.entries(SEALED).map(async ([table, { column, by }]) => {
    const { rows } = await sql<Record<string, string | null>>`select * from ${sql.table(table)}`.execute(db)
    return rows.flatMap((row) => {
      const value = row[column]
      const context = sealContext(table as SealedTable, ...by.map((name) => String(row[name])))
      return value === null || value === undefined || value === '' ? [] : [{ table, value, context }]
    })
  })
  return (await Promise.all(all)).flat()
}

/** How many of some values a vault opens. */
export function opened(vault: Vault, values: Awaited<ReturnType<typeof sealedValues>>): number {
  return values.filter(({ value, context }) => {
    try {
      vault.open(value, context)
      return true
    } catch {
      return false
    }
  }).length
}

/** `table.column` of every text anywhere in the database that looks like a sealed one. */
export async function sealedLooking({ db }: Pick<Database, 'db'>, engine: EngineName): Promise<string[]> {
  const tables = await db.introspection.getTables()
  const found = new Set<string>()
  for (const { name, schema } of tables) {
    if (engine === 'postgres' && schema !== 'public') continue
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db)
    for (const row of rows)
      for (const [column, value] of Object.entries(row))
        if (/v1\.[\w-]{38,}/.test(textOf(value))) found.add(`${name}.${column}`)
  }
  return [...found].sort()
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)
}
