import type { Reference } from '../engine/engine.ts'

/** See `Dialect`. */
export function appendOnly(table: string): string[] {
  return [
    `create function ${table}_append_only() returns trigger language plpgsql
      as $$ begin raise exception '${table} is append-only'; end $$`,
    `create trigger ${table}_append_only before update or delete on ${table}
      for each row execute function ${table}_append_only()`,
  ]
}

/** See `Dialect`. A partial index, even with a condition that always holds, cannot be the target of a foreign key. */
export function uniqueIndex(table: string, column: string): string {
  return `create unique index ${table}_${column}_key on ${table} (${column}) where ${column} is not null`
}

/** See `Dialect`. */
export function follows({ table, column, parent }: Reference): string[] {
  const name = `${table}_follows_${parent}`
  return [
    `create function ${name}() returns trigger language plpgsql
      as $$ begin delete from ${table} where ${column} in (select id from removed); return null; end $$`,
    `create trigger ${name} after delete on ${parent} referencing old table as removed
      for each statement execute function ${name}()`,
  ]
}
