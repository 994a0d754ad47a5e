import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { renderToString } from 'preact-render-to-string'
import type { DeliveryItem, Webhook } from '#sdk/postern.ts'
import { MINUTE, now, toIso } from '../../../console/app/clock.ts'
import { lineOfUrl } from '../../../console/app/words.ts'
import { NextAttempt } from '../../../console/screens/deliveries/cells.tsx'

const webhook = (state: string, nextAttemptAt: string | null) =>
  ({ health: { state, since: null, reason: null, nextAttemptAt } }) as Webhook
const wordsOf = (item: object, of: Webhook | undefined) =>
  renderToString(<NextAttempt item={item as DeliveryItem} webhook={of} />).replaceAll(/<[^>]*>/g, '')

describe('what lists say of a delivery', () => {
  it('is when it is attempted next, or what it waits for, and never a moment that is past', () => {
    const past = toIso(now() - 33 * MINUTE)
    const ahead = toIso(now() + 2 * MINUTE + 30_000)
    const pending = { status: 'pending', nextAttemptAt: past }
    assert.equal(
      wordsOf(pending, webhook('parked', ahead)),
      'once the webhook responds, next try in 2 minutes',
    )
    assert.equal(
      wordsOf(pending, webhook('parked', past)),
      'once the webhook responds, next try at any moment',
    )
    assert.equal(wordsOf(pending, webhook('delivering', null)), 'at any moment')
    assert.equal(wordsOf(pending, undefined), 'queued')
    assert.equal(
      wordsOf({ status: 'pending', nextAttemptAt: ahead }, webhook('failing', ahead)),
      'in 2 minutes',
    )
    assert.equal(wordsOf({ status: 'held', nextAttemptAt: null }, webhook('paused', null)), 'when resumed')
    assert.equal(wordsOf({ status: 'failed', nextAttemptAt: null }, undefined), '–')
  })

  it('has the end of a long URL, by which webhooks differ', () => {
    const url = `https://hooks.example.com/services/${'x'.repeat(100)}/T0001`
    const line = lineOfUrl(url, 26)
    assert.equal(line.length, 26)
    assert.match(line, /^hooks\.examp.*…x+\/T0001$/)
    assert.equal(lineOfUrl('https://a.example/orders'), 'a.example/orders')
  })
})
