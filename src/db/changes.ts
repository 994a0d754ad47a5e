import type { Id, Kind } from '../core/id.ts'
import { createSymbolProperty } from '../core/symbol-property.ts'
import type { Access } from './engine/engine.ts'
import { afterCommit } from './engine/guard.ts'
import type { Tx } from './engine/handles.ts'

/** A changed row and its organization. */
interface Changed {
  id: Id<Kind>
  organization_id: Id<'organization'>
}

/** Called after a commit with the changes of its transaction. */
export interface OnChanges {
  /** Changed rows of one kind. */
  rows(kind: Kind, rows: readonly Changed[]): void
  /** Too many changed rows of an organization to list. */
  many(organizationId: Id<'organization'>): void
}

/** The changes by transactions of one open database. */
export interface Changes {
  /** Returns the same access, with recorded changes (`noteChanges`) in its transactions. */
  noted(access: Access): Access
  /** Calls `listener` after each commit with recorded changes. */
  listen(listener: OnChanges): void
}

/** The listener of each transaction. */
const listeners = createSymbolProperty<Tx, { listener: OnChanges | undefined }>()

export function createChanges(): Changes {
  const own: { listener: OnChanges | undefined } = { listener: undefined }
  const noting =
    <T>(work: (tx: Tx) => Promise<T>) =>
    (tx: Tx) => {
      listeners.set(tx, own)
      return work(tx)
    }
  return {
    noted: ({ db, tx, brief, relaxed }) => ({
      db,
      tx: (work) => tx(noting(work)),
      brief: (work) => brief(noting(work)),
      relaxed: (work) => relaxed(noting(work)),
    }),
    listen(listener) {
      own.listener = listener
    },
  }
}

/** Records changed rows of `tx`, which the live streams show after its commit. */
export function noteChanges(tx: Tx, kind: Kind, rows: readonly Changed[]): void {
  const own = listeners.of(tx)
  if (own === undefined || rows.length === 0) return
  // The listener is read after the commit, because a listener that was set before the commit has not seen the change.
  afterCommit(tx, () => own.listener?.rows(kind, rows))
}

/** Records that `tx` changed too many rows of an organization to list: listeners read all of them again. */
export function noteMany(tx: Tx, organizationId: Id<'organization'>): void {
  const own = listeners.of(tx)
  if (own !== undefined) afterCommit(tx, () => own.listener?.many(organizationId))
}
