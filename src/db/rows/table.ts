/** What a column holds, whatever its engine calls that. */
export type ColumnType = 'text' | 'integer' | 'real' | 'bytes'

export interface Column {
  name: string
  type: ColumnType
}

/** A table as it is found in a database. */
export interface Table {
  name: string
  columns: Column[]
  /** Tables that its rows refer to. */
  parents: string[]
}

/** Made anew from the rows of others: an index that each engine keeps in its own way. */
const DERIVED = /^chunk_terms(_|$)/
/** What a database says of itself, and of the processes on it at this moment. */
const OWN = new Set(['migration', 'schema_floor', 'meta', 'presence'])

/** Whether the rows of a table are carried from one database to another as they are. */
export function isCopied(name: string): boolean {
  return !DERIVED.test(name) && !OWN.has(name)
}

/**
 * Sorts tables so that each comes after those that its rows refer to.
 * @throws Error where tables refer to each other in a circle
 */
function parentsFirst(tables: readonly Table[]): Table[] {
  const left = new Map(tables.map((table) => [table.name, table]))
  const sorted: Table[] = []
  while (left.size > 0) {
    const next = [...left.values()].filter(
      ({ name, parents }) => !parents.some((parent) => parent !== name && left.has(parent)),
    )
    if (next.length === 0) throw new Error(`tables refer to each other: ${[...left.keys()].join(', ')}`)
    for (const table of next) {
      left.delete(table.name)
      sorted.push(table)
    }
  }
  return sorted
}

/** @returns `some` with all tables whose rows refer to theirs, over any number of steps; in the order of `tables` */
export function withChildren(some: readonly Table[], tables: readonly Table[]): Table[] {
  const names = new Set(some.map(({ name }) => name))
  // Parents come first, so one pass finds all.
  for (const { name, parents } of parentsFirst(tables))
    if (parents.some((parent) => names.has(parent))) names.add(name)
  return tables.filter(({ name }) => names.has(name))
}

/**
 * Pairs the carried tables of two databases.
 * @returns the tables of `to`, each with its columns in the order in which `from` has them
 * @throws Error where one has a table, a column or a type that the other has not
 */
export function matchTables(from: readonly Table[], to: readonly Table[]): Table[] {
  const known = new Map(from.map((table) => [table.name, table]))
  const missing = from.filter(({ name }) => !to.some((table) => table.name === name))
  if (missing.length > 0) throw new Error(`there is no table ${missing.map(({ name }) => name).join(', ')}`)
  return parentsFirst(to).map((table) => {
    const source = known.get(table.name)
    const describe = ({ columns }: Table) =>
      columns
        .map(({ name, type }) => `${name} ${type}`)
        .sort()
        .join(', ')
    if (source === undefined || describe(source) !== describe(table))
      throw new Error(
        `the table ${table.name} has ${describe(table)}, and not ${source === undefined ? 'nothing' : describe(source)}`,
      )
    return { ...table, columns: source.columns }
  })
}
