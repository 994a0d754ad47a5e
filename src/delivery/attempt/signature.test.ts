import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { systemClock } from '../../core/clock.ts'
import { newSecret, serviceSignature, standardSignature } from './signature.ts'

/** The vectors that docs/webhooks.md publishes. */
const VECTORS = [
  {
    secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
    id: 'evt_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42',
    timestamp: 1_795_000_000,
    body: '{"id":"evt_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42","type":"agent.run.completed","createdAt":"2026-11-18T10:26:40.000Z","data":{"agentId":"agent_1","runId":"run_1","status":"succeeded","durationMs":1234,"output":"Grüße ✓"}}',
    service: 'sha256=229ff095e5d2e7a9ac02dba1e97223f700ae8c6ba6d3a6bef740cb9f3b07b323',
    standard: 'v1,BNlkIer3OPARYpALhOyYbbzs7mAnunXt3P6/LPsem/8=',
  },
]

describe('signatures (specification 4, Standard Webhooks 1.0.0)', () => {
  for (const { secret, id, timestamp, body, service, standard } of VECTORS) {
    it('are those of the published vectors', () => {
      const bytes = Buffer.from(body)
      assert.equal(serviceSignature(secret, bytes), service)
      assert.equal(standardSignature(secret, id, timestamp, bytes), standard)
      const guide = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8')
      for (const text of [secret, id, String(timestamp), body, service, standard])
        assert.ok(guide.includes(text), text)
    })
  }

  it('of any body are accepted by the official library, and of no other body', () => {
    const timestamp = Math.floor(systemClock.now() / 1_000)
    fc.assert(
      fc.property(fc.json(), fc.uuid(), (body, id) => {
        const secret = newSecret()
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': standardSignature(secret, id, timestamp, Buffer.from(body)),
        }
        assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body))
        assert.throws(() => new Webhook(secret).verify(`${body} `, headers))
        assert.throws(() => new Webhook(newSecret()).verify(body, headers))
      }),
      { numRuns: 50 },
    )
  })

  it('use a secret of 32 random bytes behind the prefix whsec_', () => {
    assert.match(newSecret(), /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.notEqual(newSecret(), newSecret())
  })
})
