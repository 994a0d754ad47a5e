import { randomInt } from 'node:crypto'
import { createSymbolProperty } from '../core/symbol-property.ts'
import { afterCommit } from './engine/guard.ts'
import type { Tx } from './engine/handles.ts'
import { hasOneWriter } from './locking.ts'

/** Numbers of one process. The number of a transaction that was rolled back is used again after all others. */
const MOST = 1_024
/** Tells this process from others. */
const own = randomInt(2 ** 31)

const slots = createSymbolProperty<Tx, number>()
const free: number[] = []
let next = 0

/**
 * A number below 2^41 that no other transaction uses while `tx` lasts, in this process or another. A counter with this number in its
 * key has one row for each concurrent transaction, so that none waits for another; readers add the rows up. Numbers are used again
 * after the commit, so that rows stay few. With one writer the number is always 0.
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
