import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { bodyFingerprint } from './body-fingerprint.ts'

/** The same value with the members of all its objects in reverse order. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(reversed)
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  )
}

describe('the print of a body', () => {
  it('is the same whatever the order of members, and another for another body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (one, other) => {
        assert.equal(await bodyFingerprint(reversed(one)), await bodyFingerprint(one))
        const isSame = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
        assert.equal((await bodyFingerprint(one)) === (await bodyFingerprint(other)), isSame)
      }),
    )
  })

  it('tells apart what differs in place only', async () => {
    const bodies = [
      [],
      {},
      [[]],
      { '': [] },
      { a: [1, 2] },
      { a: [2, 1] },
      { a: [[1, 2]] },
      { a: 1 },
      { a: '1' },
      { a: [1] },
    ]
    const prints = await Promise.all([null, 'null', ...bodies].map((body) => bodyFingerprint(body)))
    assert.equal(new Set(prints).size, prints.length)
    const large = {
      events: Array.from({ length: 1_000 }, (_, index) => ({ index, text: 'x'.repeat(1_000) })),
    }
    const print = await bodyFingerprint(large)
    assert.equal(await bodyFingerprint(reversed(large)), print)
    assert.notEqual(await bodyFingerprint({ events: large.events.toReversed() }), print)
  })
})

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [`member ${name}`, sorted(member)])
    .concat([['object', 'object']])
}
