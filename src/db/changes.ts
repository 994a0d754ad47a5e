import type { Id, Kind } from '../core/id.ts'
import { createSymbolProperty } from '../core/symbol-property.ts'
import type { Access } from './engine/engine.ts'
import { afterCommit } from './engine/guard.ts'
import type { Tx } from './engine/handles.ts'

/** A row that has changed, and its organization. */
interface Changed {
  id: Id<Kind>
  organization_id: Id<'organization'>
}

/** Called after a commit with what its transaction has changed. */
export interface OnChanges {
  /** Rows of one kind. */
  rows(kind: Kind, rows: readonly Changed[]): void
  /** More rows of an organization than can be named. */
  many(organizationId: Id<'organization'>): void
}

/** What transactions of one open database have changed. */
export interface Changes {
  /** The same access, with a listener for the changes that `noteChanges` notes in its transactions. */
  noted(access: Access): Access
  /** Calls `listener` after each commit that has noted something. */
  listen(listener: OnChanges): void
}

/** The listener for the changes of a transaction. */
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

/** Says that `tx` has changed rows which people may be looking at: after its commit their streams show them. */
export function noteChanges(tx: Tx, kind: Kind, rows: readonly Changed[]): void {
  const own = listeners.of(tx)
  if (own === undefined || rows.length === 0) return
  // The listener is read after the commit: one that was set shortly before it has not seen the change.
  afterCommit(tx, () => own.listener?.rows(kind, rows))
}

/** Notes that `tx` has changed more rows of an organization than can be named: listeners read all of them again. */
export function noteMany(tx: Tx, organizationId: Id<'organization'>): void {
  const own = listeners.of(tx)
  if (own !== undefined) afterCommit(tx, () => own.listener?.many(organizationId))
}
