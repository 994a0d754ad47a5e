import assert from 'node:assert/strict'
import { it } from 'node:test'
import { nearestName, nearestNames } from './nearest-names.ts'

const NAMES = ['order.paid', 'order.placed', 'order.created', 'invoice.paid', 'a.b']

it('finds what was meant by letters changed, added, left out or swapped, whatever the capitals', () => {
  for (const [typed, meant] of [
    ['order.piad', 'order.paid'],
    ['order_paid', 'order.paid'],
    ['ordre.crated', 'order.created'],
    ['orders.created', 'order.created'],
    ['Order.Paid', 'order.paid'],
    ['nvoice.paid', 'invoice.paid'],
    ['order.paid', 'order.paid'],
  ] as const)
    assert.equal(nearestName(typed, NAMES), meant, typed)
})

it('finds nothing where nothing is near, and for a short name only what is nearly the same', () => {
  for (const typed of ['customer.deleted', '', 'x.y', 'x'.repeat(128), 'order'])
    assert.equal(nearestName(typed, NAMES), undefined, typed)
})

it('names several, the nearest first, and so many at most', () => {
  assert.deepEqual(nearestNames('order.plaid', NAMES, 3), ['order.paid', 'order.placed'])
  const names = Array.from({ length: 10 }, (_, index) => `order.paid${index}`)
  assert.deepEqual(nearestNames('order.paid', names, 3), ['order.paid0', 'order.paid1', 'order.paid2'])
})
