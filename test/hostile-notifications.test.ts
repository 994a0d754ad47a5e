import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newId } from '#src/core/id.ts'
import { administrator, apiKey } from './support/people.ts'
import { clockWithoutPolls, useProcesses } from './support/processes.ts'
import { startReceiver } from './support/receiver.ts'
import { callsOf } from './support/webhook-calls.ts'
import { RUN } from './support/webhooks.ts'

const NAMES = ['', 'boom', '\u0000', 'whk_', "'; drop table delivery; --", newId('webhook', 0)]

/** What anybody who may connect to the database can say on the channel. */
const PAYLOADS: string[] = [
  'boom',
  '',
  '{',
  '\u{1F4A3}',
  'x'.repeat(7_999),
  '['.repeat(7_999),
  ...[null, 1, true, 'text', [], {}, [[]], { from: 1 }, { from: 'x' }, { topics: {} }].map((value) =>
    JSON.stringify(value),
  ),
  ...[null, 1, 'deliveries', [], ['deliveries']].map((topics) => JSON.stringify({ from: 'x', topics })),
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'strangers'].flatMap((topic) => [
    `{"from":"x","topics":{"${topic}":null}}`,
    `{"from":"x","topics":{"${topic}":["a"]}}`,
  ]),
  ...['deliveries', 'expedited', 'mails', 'credentials', 'watchedRuns', 'said', 'runs'].flatMap((topic) =>
    [null, 5, 'text', {}, [null], [1], [{}], [['a']], NAMES, NAMES.map((name) => `${name} ${name}`)].map(
      (names) => JSON.stringify({ from: 'x', topics: { [topic]: names } }),
    ),
  ),
]

describe('a stranger on the channel of the processes', () => {
  const start = useProcesses({ env: { ROLE: 'api' } })

  it('ends nothing and breaks nothing, whatever it says', async () => {
    const { one, processes } = await start()
    // It hears of work or does not know of it.
    const worker = await processes.start({ env: { ROLE: 'worker' }, clock: clockWithoutPolls() })
    const destination = await startReceiver()
    try {
      const calls = callsOf(one, await apiKey(one, await administrator(one)))
      await calls.post('/v1/webhooks', { url: destination.url, events: ['agent.run.completed'] })
      for (const payload of PAYLOADS) await processes.asks('select pg_notify($1, $2)', ['postern', payload])
      // The channel keeps its order: when this is heard, all of that has been.
      assert.equal((await calls.post('/v1/events', { type: 'agent.run.completed', data: RUN })).status, 202)
      await destination.count(1)
      for (const { log } of [one, worker]) assert.doesNotMatch(log(), /"level":[56]0/)
    } finally {
      await destination.stop()
    }
  })
})
