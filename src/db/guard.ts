import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely, KyselyPlugin } from 'kysely'
import type { Db, Tx } from './engine.ts'
import type { Tables } from './tables.ts'

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

const checks = new WeakMap<Kysely<Tables>, () => void>()

/** What the guards below check before each query, for queries that were compiled beforehand. */
export function checkUse(db: Kysely<Tables>): void {
  checks.get(db)?.()
}

/** `db` inside a transaction would read past it (SQLite) or wait for a second connection (PostgreSQL). */
export function guardDb(db: Kysely<Tables>): Db {
  const check = () => {
    if (transaction.getStore()) throw new Error('a transaction is open: use its `tx`, not `db`')
  }
  const guarded = db.withPlugin(before(check))
  checks.set(guarded, check)
  return guarded
}

const callbacks = new WeakMap<Tx, (() => void)[]>()

/** Runs `callback` once `tx` has committed, and never when it rolls back. It must not throw. */
export function afterCommit(tx: Tx, callback: () => void): void {
  callbacks.get(tx)?.push(callback)
}

/** A `tx` that refuses every query after `end`: work that was not awaited would write into somebody else's. */
export function guardTx(connection: Kysely<Tables>): { tx: Tx; end: () => void; committed: () => void } {
  let open = true
  const waiting: (() => void)[] = []
  const check = () => {
    if (!open) throw new Error('this transaction has ended; was a promise not awaited?')
  }
  const tx = connection.withPlugin(before(check)) as Tx
  checks.set(tx, check)
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
