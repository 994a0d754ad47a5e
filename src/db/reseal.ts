import { sql } from 'kysely'
import type { Vault } from '../core/secret.ts'
import type { Db, Tx } from './engine/handles.ts'
import { SEALED, type SealedTable, sealContext } from './sealed.ts'

/** Rows per read. */
const STEP = 500

/** A sealed value opens under neither key, so continuing would lose it. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError'
}

/**
 * Encrypts all sealed values with another key, in one transaction.
 * @param report called after each step with a table and the number of its finished values
 * @throws UnreadableError when a value opens under neither key
 */
export async function reseal(
  tx: Tx,
  from: Vault,
  to: Vault,
  report: (table: SealedTable, done: number) => void,
): Promise<void> {
  for (const table of Object.keys(SEALED) as SealedTable[]) {
    let done = 0
    let after: string[] | undefined
    for (;;) {
      const rows = await readSome(tx, table, after)
      for (const row of rows) if (await resealRow(tx, table, row, from, to)) done += 1
      if (rows.length > 0) report(table, done)
      if (rows.length < STEP) break
      after = rows.at(-1)
    }
  }
}

/**
 * Opens the first sealed value of each table, to check the key and the copied values.
 * @returns the number of opened values
 * @throws UnreadableError
 */
export async function proveSealed(db: Db, vault: Vault): Promise<number> {
  let opened = 0
  for (const table of Object.keys(SEALED) as SealedTable[]) {
    const [row] = await readSome(db, table, undefined, 1)
    if (row === undefined) continue
    const names = row.slice(0, -1)
    if (openOrNothing(vault, row.at(-1) ?? '', sealContext(table, ...names)) === undefined)
      throw new UnreadableError(`A value in ${table} (${names.join(', ')}) does not open under the key.`)
    opened += 1
  }
  return opened
}

/** Reads sealed values with their key columns, by keyset pagination over both. */
async function readSome(
  tx: Tx | Db,
  table: SealedTable,
  after: string[] | undefined,
  most = STEP,
): Promise<string[][]> {
  const { column, by } = SEALED[table]
  const names = [...by, column]
  const order = sql.join(names.map((name) => sql.ref(name)))
  const rest = after === undefined ? sql`` : sql`and (${order}) > (${sql.join(after)})`
  const { rows } = await sql<Record<string, string>>`
    select ${order} from ${sql.table(table)}
    where ${sql.ref(column)} is not null and ${sql.ref(column)} <> '' ${rest}
    order by ${order} limit ${most}`.execute(tx)
  return rows.map((row) => names.map((name) => String(row[name])))
}

/** @returns false for a value that has the new key already: its new text may come later in the order */
async function resealRow(
  tx: Tx,
  table: SealedTable,
  row: string[],
  from: Vault,
  to: Vault,
): Promise<boolean> {
  const names = row.slice(0, -1)
  const value = row.at(-1) ?? ''
  const context = sealContext(table, ...names)
  const text = openOrNothing(from, value, context)
  if (text === undefined) {
    if (openOrNothing(to, value, context) !== undefined) return false
    throw new UnreadableError(
      `A value in ${table} (${names.join(', ')}) opens under neither key. Remove that row, or find out which key it needs; nothing was changed.`,
    )
  }
  const { column, by } = SEALED[table]
  const conditions = by.map((name, index) => sql`${sql.ref(name)} = ${names[index]}`)
  await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${to.seal(text, context)}
    where ${sql.join([...conditions, sql`${sql.ref(column)} = ${value}`], sql` and `)}`.execute(tx)
  return true
}

function openOrNothing(
  vault: Vault,
  value: string,
  context: Parameters<Vault['open']>[1],
): string | undefined {
  try {
    return vault.open(value, context)
  } catch {
    return undefined
  }
}
