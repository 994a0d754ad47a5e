import type { Kysely, KyselyPlugin } from 'kysely'
import { isInsideTransaction, noteWritten } from '../../core/context.ts'
import { createSymbolProperty } from '../../core/symbol-property.ts'
import type { Tables } from '../tables/tables.ts'
import type { Db, Tx } from './handles.ts'

/** @throws Error inside a transaction, because a second transaction would wait for the first for ever */
export function refuseNesting(): void {
  if (isInsideTransaction()) throw new Error('a transaction is open already: pass its `tx` on')
}

/** Throws where a query is not allowed. @param isRead whether the query only reads */
type Check = (isRead: () => boolean) => void

/** A plugin that runs `check` before each query. */
function before(check: Check): KyselyPlugin {
  return {
    transformQuery({ node }) {
      check(() => node.kind === 'SelectQueryNode')
      return node
    },
    transformResult: async ({ result }) => result,
  }
}

/** Executes a compiled query synchronously, where the engine has a connection in this process. */
export type Execute = (sql: string, parameters: readonly unknown[]) => object[]

interface Use {
  check: Check
  execute: Execute | undefined
}

const uses = createSymbolProperty<Kysely<Tables>, Use>()

/**
 * Runs the checks of the guards for a prepared query, which does not pass through the plugin.
 * @returns executes the query synchronously; undefined where it must be executed by Kysely
 */
export function checkedExecute(db: Kysely<Tables>, isRead: () => boolean): Execute | undefined {
  const use = uses.of(db)
  use?.check(isRead)
  return use?.execute
}

/**
 * Makes a `db` that refuses queries inside a transaction: they would miss its writes (SQLite), or wait for a second connection
 * (PostgreSQL).
 */
export function guardDb(db: Kysely<Tables>, execute?: Execute): Db {
  const check = () => {
    if (isInsideTransaction()) throw new Error('a transaction is open: use its `tx`, not `db`')
  }
  const guarded = db.withPlugin(before(check))
  uses.set(guarded, { check, execute })
  return guarded
}

const callbacks = createSymbolProperty<Tx, (() => void)[]>()

/** Runs `callback` after the commit of `tx`, but not after a rollback. It must not throw. */
export function afterCommit(tx: Tx, callback: () => void): void {
  callbacks.of(tx)?.push(callback)
}

const unwritten = createSymbolProperty<Tx, () => void>()

/** Reports that the last statement of `tx` wrote nothing, so that brief work may run another statement that writes. */
export function noteNothingWritten(tx: Tx): void {
  unwritten.of(tx)?.()
}

/** A guarded transaction. */
interface Guarded {
  tx: Tx
  /** Whether a statement may have written. */
  hasWritten: () => boolean
  end: () => void
  committed: () => void
}

/**
 * Makes a `tx` that refuses queries after `end`, because work that was not awaited would write into the next transaction.
 * @param isBrief whether each statement is a separate transaction, so that only the last one may write
 */
export function guardTx(connection: Kysely<Tables>, execute?: Execute, isBrief = false): Guarded {
  let open = true
  let hasWritten = false
  const waiting: (() => void)[] = []
  const check: Check = (isRead) => {
    if (!open) throw new Error('this transaction has ended; was a promise not awaited?')
    if (!isBrief) return
    if (hasWritten) throw new Error('work that is brief asks nothing after the statement that writes')
    hasWritten = !isRead()
  }
  const tx = connection.withPlugin(before(check)) as Tx
  uses.set(tx, { check, execute })
  callbacks.set(tx, waiting)
  unwritten.set(tx, () => {
    hasWritten = false
  })
  return {
    tx,
    hasWritten: () => hasWritten,
    end: () => {
      open = false
    },
    committed: () => {
      if (!isBrief || hasWritten) noteWritten()
      // Emptied, because the callbacks reference rows and bodies, and the transaction is only freed by a major garbage collection.
      for (const callback of waiting.splice(0)) callback()
    },
  }
}
