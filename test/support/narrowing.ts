/** Names of the tables that statements make. */
function madeBy(statements: readonly string[]): Set<string> {
  return new Set(statements.flatMap((one) => /^\s*create (?:\w+ )?table (\w+)/.exec(one)?.[1] ?? []))
}

/** The columns that statements add to tables, as `table.column`. */
function addedBy(statements: readonly string[]): string[][] {
  return statements.flatMap((one) => {
    const found = /^\s*alter table (\w+) add column (\w+)/.exec(one)
    return found === null ? [] : [found.slice(1)]
  })
}

/**
 * Finds the statement of a migration after which a program that was made before it may fail: it takes away or renames what the program
 * names, or asks for what it does not give.
 * @returns the statement; undefined where the migration only adds
 */
export function findNarrowing(statements: readonly string[]): string | undefined {
  const [made, added] = [madeBy(statements), addedBy(statements)]
  return statements.find((raw) => {
    const statement = raw.replaceAll(/\s+/g, ' ').trim().toLowerCase()
    if (/^create (virtual |unlogged )?table|^create (or replace )?function/.test(statement)) return false
    if (/\b(drop|rename|truncate)\b/.test(statement) && !statement.startsWith('insert')) return true
    const [, table = '', rest = ''] = /^alter table (\w+) (.*)$/.exec(statement) ?? []
    if (table !== '' && !made.has(table)) {
      const isFree = rest.startsWith('add column') && (!/ not null/.test(rest) || / default /.test(rest))
      return !(isFree || (rest.startsWith('alter column') && / set storage /.test(rest)))
    }
    const [, of = '', columns = ''] = /^create unique index \w+ on (\w+) ?\(([^)]*)\)/.exec(statement) ?? []
    if (of !== '' && !made.has(of))
      return !added.some(([one, column = '']) => one === of && columns.split(/, ?/).includes(column))
    const [, watched = ''] =
      /^create trigger \w+ (?:before|instead of|after insert|after update) .*?\bon (\w+)/.exec(statement) ??
      []
    return watched !== '' && !made.has(watched)
  })
}
