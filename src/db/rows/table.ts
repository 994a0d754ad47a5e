/** The type of a column, independent of the engine. */
export type ColumnType = 'text' | 'integer' | 'real' | 'bytes'

export interface Column {
  name: string
  type: ColumnType
}

/** A table of a database. */
export interface Table {
  name: string
  columns: Column[]
  /** The tables that it refers to. */
  parents: string[]
}

/** Tables of the text index, which differs by engine and is rebuilt from other rows. */
const DERIVED = /^chunk_terms(_|$)/
/** Tables with data about the database itself and its current processes. */
const OF_DATABASE = new Set(['migration', 'schema_floor', 'meta', 'presence'])

/** Whether the rows of a table are copied from one database to another. */
export function isCopied(name: string): boolean {
  return !DERIVED.test(name) && !OF_DATABASE.has(name)
}

/**
 * Sorts tables topologically: each comes after the tables that it refers to.
 * @throws Error for circular references
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

/** @returns `some` with all tables that refer to them, directly or indirectly, in the order of `tables` */
export function withChildren(some: readonly Table[], tables: readonly Table[]): Table[] {
  const names = new Set(some.map(({ name }) => name))
  // Parents come first, so one pass finds all.
  for (const { name, parents } of parentsFirst(tables))
    if (parents.some((parent) => names.has(parent))) names.add(name)
  return tables.filter(({ name }) => names.has(name))
}

/**
 * Matches the copied tables of two databases.
 * @returns the tables of `to`, with their columns in the order of `from`
 * @throws Error where one has a table, a column or a type that the other lacks
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
