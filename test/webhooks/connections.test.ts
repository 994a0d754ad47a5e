import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SECOND } from '#src/core/clock.ts'
import { inGroups } from '../support/attacks.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'
import { useSender } from '../support/webhooks.ts'

/** Webhooks of one organization at one origin: more than its connections to it. */
const MANY = 300
const CONNECTIONS = 256

onOneEngineByDay('connections to one origin', (engine) => {
  const server = usePostern(engine)
  const slow = useSender(server)
  const healthy = useSender(server)

  it('are shared only by deliveries of one organization, and the 30 seconds of an attempt begin when it has a connection', async () => {
    const [one, other] = [await slow(), await healthy()]
    const { postern } = one
    const receiver = await one.receiver()
    const held: (() => void)[] = []
    let isSlow = false
    receiver.answer = ({ path }, response) => {
      if (isSlow && path.startsWith('/slow')) held.push(() => response.writeHead(204).end())
      else response.writeHead(204).end()
    }
    await inGroups(MANY, (index) => one.register(`${receiver.url}/slow/${index}`))
    // New destinations get fewer concurrent calls than there are connections.
    assert.equal((await one.publish()).deliveries, MANY)
    await receiver.count(MANY)
    isSlow = true
    using _still = postern.clock.stop()
    await one.publish()
    await until(
      () => held.length,
      (calls) => calls === CONNECTIONS,
    )

    await other.register(`${receiver.url}/quick`)
    await other.publish()
    await until(
      () => receiver.received.filter(({ path }) => path === '/quick').length,
      (calls) => calls === 1,
      { what: 'the delivery of another organization to the same origin' },
    )
    assert.equal(held.length, CONNECTIONS)

    // Attempts wait 29 seconds for a connection, and get their answers another 29 seconds later.
    postern.clock.advance(29 * SECOND)
    for (const answer of held.splice(0)) answer()
    await until(
      () => held.length,
      (calls) => calls === MANY - CONNECTIONS,
    )
    postern.clock.advance(29 * SECOND)
    for (const answer of held.splice(0)) answer()
    const attempts = () =>
      postern.app.database.db
        .selectFrom('delivery')
        .select(['outcome', 'duration_ms'])
        .where('outcome', 'is not', null)
        .execute()
    const all = await until(attempts, (rows) => rows.length >= 2 * MANY + 1)
    assert.deepEqual([...new Set(all.map(({ outcome }) => outcome))], ['delivered'])
    assert.equal(receiver.received.length, 2 * MANY + 1)
  })
})
