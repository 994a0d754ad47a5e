import { randomInt } from 'node:crypto'
import { createSymbolProperty } from '../core/symbol-property.ts'
import { afterCommit } from './engine/guard.ts'
import type { Tx } from './engine/handles.ts'
import { hasOneWriter } from './locking.ts'

/** Slots of one process. The slot of a rolled-back transaction is reused after all others. */
const MOST = 1_024
/** A random number that identifies this process. */
const own = randomInt(2 ** 31)

const slots = createSymbolProperty<Tx, number>()
const free: number[] = []
let next = 0

/**
 * The slot of a sharded counter: a number below 2^41 that no other current transaction uses, in any process. A counter with the slot in
 * its key has one row per concurrent transaction, so that none waits for another; readers sum the rows. Slots are reused after the
 * commit, so that rows stay few. With one writer the slot is always 0.
 */
export function slotOf(tx: Tx): number {
  if (hasOneWriter(tx)) return 0
  const known = slots.of(tx)
  if (known !== undefined) return known
  const place = free.pop() ?? next++ % MOST
  const slot = own * MOST + place
  slots.set(tx, slot)
  afterCommit(tx, () => free.push(place))
  return slot
}
