import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newId } from '../../core/id.ts'
import { keepHeaders, readHeaders } from './kept-headers.ts'

const NOW = 1_795_000_000_000
const owner = { deliveryId: newId('delivery', NOW), eventId: newId('event', NOW), number: 3 }
const USUAL = {
  'content-type': 'application/json',
  'user-agent': 'Postern/0.1.0',
  'x-service-signature': `sha256=${'0f'.repeat(32)}`,
  'x-service-delivery': owner.deliveryId,
  'x-service-attempt': '3',
  'x-service-hops': '1',
  'webhook-id': owner.eventId,
  'webhook-timestamp': '1795000000',
  'webhook-signature': `v1,${'b'.repeat(43)}= v1,${'c'.repeat(43)}=`,
}

describe('the headers of a request', () => {
  it('are kept in a quarter of their length or so, and read as they were, in their order', () => {
    const kept = keepHeaders(USUAL, owner)
    assert.ok(kept.length < JSON.stringify(USUAL).length / 2, kept)
    assert.equal(JSON.stringify(readHeaders(kept, owner)), JSON.stringify(USUAL))
  })

  it('are kept whole where they are not the usual ones', () => {
    const { 'x-service-hops': hops, ...others } = USUAL
    for (const unusual of [
      {},
      { ...USUAL, 'content-type': 'text/plain' },
      { ...USUAL, 'user-agent': 'two words' },
      { ...USUAL, 'user-agent': '{' },
      { ...USUAL, 'x-service-delivery': newId('delivery', NOW) },
      { ...USUAL, 'x-service-attempt': '2' },
      { ...USUAL, 'webhook-id': newId('event', NOW) },
      { ...USUAL, 'x-service-signature': 'sha256=' },
      { ...USUAL, more: '' },
      others,
      { ...others, 'x-service-hops': hops },
    ])
      assert.equal(JSON.stringify(readHeaders(keepHeaders(unusual, owner), owner)), JSON.stringify(unusual))
  })

  it('of a record from before are read as they were', () => {
    assert.deepEqual(readHeaders('{"user-agent":"Postern/0.1.0"}', owner), { 'user-agent': 'Postern/0.1.0' })
  })
})
