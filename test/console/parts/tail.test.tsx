import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DeliveryItem } from '#sdk/postern.ts'
import { merge } from '../../../console/screens/deliveries/use-tail.ts'

const item = (number: number) =>
  ({ id: `dlv_${String(number).padStart(6, '0')}`, status: 'pending' }) as DeliveryItem
const newest = (from: number, many: number) =>
  Array.from({ length: many }, (_, at) => item(from + many - 1 - at))
const always = () => true

describe('the list of deliveries that goes on by itself', () => {
  it('has what has come above, newest first, and what has changed where it stands', () => {
    const changed = { ...item(2), status: 'delivered' } as DeliveryItem
    const { rows, nextCursor } = merge(
      { rows: newest(1, 3), nextCursor: 'c' },
      [item(4), changed, item(5)],
      always,
    )
    assert.deepEqual(
      rows.map(({ id, status }) => `${id.slice(-1)} ${status}`),
      ['5 pending', '4 pending', '3 pending', '2 delivered', '1 pending'],
    )
    assert.equal(nextCursor, 'c')
  })

  it('grows while few come, keeps what is seen where they rush, and says that more are there', () => {
    let list = merge({ rows: newest(1, 150), nextCursor: 'c' }, newest(151, 5), always)
    assert.equal(list.rows.length, 155)
    assert.equal(list.nextCursor, 'c')
    list = merge(list, newest(156, 125), always)
    assert.equal(list.rows.length, 25)
    assert.deepEqual(list.rows, newest(256, 25))
    assert.deepEqual([list.nextCursor, list.isCut], [null, true])
    for (let from = 281; from < 600; from += 5) list = merge(list, newest(from, 5), always)
    assert.equal(list.rows.length, 200)
  })

  it('leaves rows further down where they are', () => {
    const before = { rows: newest(1, 3), nextCursor: 'c', before: [{ cursor: undefined, count: 50 }] }
    const changed = { ...item(2), status: 'delivered' } as DeliveryItem
    const { rows } = merge(before, [item(99), changed], always)
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['pending', 'delivered', 'pending'],
    )
  })
})
