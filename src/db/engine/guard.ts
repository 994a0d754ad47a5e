import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely, KyselyPlugin } from 'kysely'
import type { Tables } from '../tables/tables.ts'
import type { Db, Tx } from './engine.ts'

const transaction = new AsyncLocalStorage<true>()

/** Marks everything that `work` does, however deep, as done inside a transaction. */
export function insideTransaction<T>(work: () => Promise<T>): Promise<T> {
  return transaction.run(true, work)
}

/** @throws Error when the caller is inside a transaction: a second one would wait for the first for ever */
export function refuseNesting(): void {
  if (transaction.getStore()) throw new Error('a transaction is open already: pass its `tx` on')
}

/** A plugin that runs `check` before each query. */
function before(check: () => void): KyselyPlugin {
  return {
    transformQuery({ node }) {
      check()
      return node
    },
    transformResult: async ({ result }) => result,
  }
}

/** Executes a compiled query without waiting, where the engine has its connection at hand. */
export type Execute = (sql: string, parameters: readonly unknown[]) => object[]

interface Use {
  /** Throws when the guards below do not allow a query now. */
  check: () => void
  execute: Execute | undefined
}

const uses = new WeakMap<Kysely<Tables>, Use>()

/**
 * For queries that were compiled beforehand: checks what the guards below check before each query.
 * @returns how to execute one at once; undefined where only the way through Kysely leads to a connection
 */
export function useAtOnce(db: Kysely<Tables>): Execute | undefined {
  const use = uses.get(db)
  use?.check()
  return use?.execute
}

/** `db` inside a transaction would read past it (SQLite) or wait for a second connection (PostgreSQL). */
export function guardDb(db: Kysely<Tables>, execute?: Execute): Db {
  const check = () => {
    if (transaction.getStore()) throw new Error('a transaction is open: use its `tx`, not `db`')
  }
  const guarded = db.withPlugin(before(check))
  uses.set(guarded, { check, execute })
  return guarded
}

const callbacks = new WeakMap<Tx, (() => void)[]>()

/** Runs `callback` once `tx` has committed, and never when it rolls back. It must not throw. */
export function afterCommit(tx: Tx, callback: () => void): void {
  callbacks.get(tx)?.push(callback)
}

/** A `tx` that refuses every query after `end`: work that was not awaited would write into somebody else's. */
export function guardTx(
  connection: Kysely<Tables>,
  execute?: Execute,
): { tx: Tx; end: () => void; committed: () => void } {
  let open = true
  const waiting: (() => void)[] = []
  const check = () => {
    if (!open) throw new Error('this transaction has ended; was a promise not awaited?')
  }
  const tx = connection.withPlugin(before(check)) as Tx
  uses.set(tx, { check, execute })
  callbacks.set(tx, waiting)
  return {
    tx,
    end: () => {
      open = false
    },
    committed: () => {
      for (const callback of waiting) callback()
    },
  }
}
