import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newId } from '../../core/id.ts'
import { attemptContext } from './attempt-context.ts'
import { keepHeaders, readHeaders } from './kept-headers.ts'

const NOW = 1_795_000_000_000
const owner = {
  deliveryId: newId('delivery', NOW),
  eventId: newId('event', NOW),
  number: 3,
  startedAt: NOW + 1_999,
}
const USUAL = {
  'content-type': 'application/json',
  'user-agent': 'Postern/0.1.0',
  'x-service-signature': `sha256=${'0f'.repeat(32)}`,
  'x-service-delivery': owner.deliveryId,
  'x-service-attempt': '3',
  'x-service-hops': '1',
  'webhook-id': owner.eventId,
  'webhook-timestamp': '1795000002',
  'webhook-signature': `v1,${'b'.repeat(43)}= v1,${'c'.repeat(43)}=`,
}

describe('the headers of a request', () => {
  it('are kept in a third of their length, and read as they were, in their order', () => {
    const kept = keepHeaders(USUAL, owner)
    assert.ok(kept.length < JSON.stringify(USUAL).length / 3, kept)
    assert.equal(JSON.stringify(readHeaders(kept, owner)), JSON.stringify(USUAL))
  })

  it('are kept with two letters more where the attempt is traced, whose header follows from its owner', () => {
    const traceId = owner.eventId.slice(4).replaceAll('-', '')
    const spanId = attemptContext(owner.eventId, owner.deliveryId, owner.number).spanId
    for (const flag of ['00', '01']) {
      const traced = { ...USUAL, traceparent: `00-${traceId}-${spanId}-${flag}` }
      const kept = keepHeaders(traced, owner)
      assert.equal(kept.length, keepHeaders(USUAL, owner).length + 2)
      assert.equal(JSON.stringify(readHeaders(kept, owner)), JSON.stringify(traced))
    }
    for (const unusual of [
      { ...USUAL, traceparent: `00-${traceId}-${'1'.repeat(16)}-01` },
      { traceparent: `00-${traceId}-${spanId}-01`, ...USUAL },
      { ...USUAL, 'user-agent': 'two words', traceparent: `00-${traceId}-${spanId}-01` },
    ])
      assert.equal(JSON.stringify(readHeaders(keepHeaders(unusual, owner), owner)), JSON.stringify(unusual))
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
      { ...USUAL, 'user-agent': 'Postern' },
      { ...USUAL, 'user-agent': 'Postern/' },
      { ...USUAL, 'x-service-signature': 'sha256=' },
      { ...USUAL, 'x-service-signature': `sha256=${'0F'.repeat(32)}` },
      { ...USUAL, 'x-service-signature': `sha512=${'0f'.repeat(32)}` },
      { ...USUAL, 'webhook-timestamp': '01795000002' },
      { ...USUAL, 'webhook-timestamp': '' },
      { ...USUAL, 'webhook-signature': '' },
      { ...USUAL, 'webhook-signature': `v2,${'b'.repeat(43)}=` },
      { ...USUAL, 'webhook-signature': `v1,${'b'.repeat(43)}` },
      { ...USUAL, more: '' },
      others,
      { ...others, 'x-service-hops': hops },
    ])
      assert.equal(JSON.stringify(readHeaders(keepHeaders(unusual, owner), owner)), JSON.stringify(unusual))
  })
})
