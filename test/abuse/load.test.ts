import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError, signIn, tally } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import { administrator, newEmail, PASSWORD } from '../support/people.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'
import { median } from '../support/statistics.ts'

/** More than one running hash and its longest queue. */
const FLOOD = 450
const WAVE = 25
/** The queue before a request is refused. */
const WAITING = 250

onOneEngineByDay('a flood of hashes', (engine) => {
  const server = usePostern(engine, {
    env: { HASH_CONCURRENCY: '1', TRUST_PROXY: '127.0.0.1/32' },
    hashes: 'production',
  })

  it('38: it waits in a bounded queue, further requests are refused at once, and tokens are still issued', async () => {
    const postern = await server()
    const { client, email } = await administrator(postern)
    const answered: { answer: Answer; at: number }[] = []
    // Each from a different address, so that they share the hashes and no row of the database.
    const attempt = async (_: unknown, index: number) => {
      const headers = { 'x-forwarded-for': `203.0.${index}.${flood.length / WAVE}` }
      const body = { email: newEmail('nobody'), password: PASSWORD }
      const answer = await postern.client().post('/v1/auth/sign-in/email', body, { headers })
      answered.push({ answer, at: performance.now() })
    }
    const flood: Promise<void>[] = []
    // The waves fit the connections to the database; between them a session gets tokens.
    while (flood.length < FLOOD) {
      flood.push(...Array.from({ length: WAVE }, attempt))
      assert.equal((await client.get('/v1/auth/token')).status, 200)
    }
    assert.ok(answered.length < FLOOD, 'tokens waited for the whole flood')
    await Promise.all(flood)
    const counts = tally(answered.map(({ answer }) => answer))
    assert.deepEqual(Object.keys(counts), ['401', '429'])
    assert.ok((counts[401] ?? 0) > WAITING, `${counts[401]} were heard`)
    const momentsOf = (status: number) =>
      answered.filter(({ answer }) => answer.status === status).map(({ at }) => at)
    assert.ok(median(momentsOf(429)) < median(momentsOf(401)), 'refusals do not wait')
    const refused = answered.find(({ answer }) => answer.status === 429)?.answer
    if (refused !== undefined) assertError(refused, 'RATE_LIMITED')
    assert.match(refused?.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    // The queue is empty afterwards, and the turns continue.
    assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
  })
})
