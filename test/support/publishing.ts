import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Millis, pause } from '#src/core/clock.ts'
import { administrator, apiKey } from './people.ts'
import { type Postern, startPostern } from './postern.ts'
import type { ServerProcess } from './process.ts'
import type { Receiver } from './receiver.ts'
import { PATIENCE, until } from './waits.ts'
import { callsOf } from './webhook-calls.ts'
import { RUN } from './webhooks.ts'

/** Two webhooks of an organization, on a database that no process has open any more. */
export async function sendingInstallation(receiver: () => Promise<Receiver>) {
  const first = await startPostern('postgres')
  try {
    return await populate(first, receiver)
  } finally {
    await first.stop()
  }
}

async function populate(first: Postern, receiver: () => Promise<Receiver>) {
  const person = await administrator(first)
  const key = await apiKey(first, person)
  const [one, inOrder] = [await receiver(), await receiver()]
  for (const [{ url }, more] of [
    [one, {}],
    [inOrder, { maxInFlight: 1 }],
  ] as const) {
    const made = await callsOf(first, key).post('/v1/webhooks', {
      url,
      events: ['agent.run.completed'],
      ...more,
    })
    assert.equal(made.status, 201, made.text)
  }
  const env: Record<string, string> = { ...first.env, DRAIN_SECONDS: '1', SMTP_URL: 'smtp://127.0.0.1:1' }
  return { env, key, email: person.email, receivers: [one, inOrder] }
}

/** Publishers at once, and the pause of each after an event: a load goes on during restarts, and what it sends beyond its need costs. */
const PUBLISHERS = 4
const PAUSE: Millis = 40

/** Publishes to the servers in turns, as clients behind a load balancer; each fact until it is acknowledged. */
export function publishTo(balanced: Pick<ServerProcess, 'url'>[], key: string) {
  const ledger = {
    acknowledged: new Map<string, Pick<ServerProcess, 'url'>>(),
    retried: [] as string[],
    refused: [] as string[],
  }
  let isOver = false
  let turn = 0

  async function publish(): Promise<void> {
    const headers = {
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      'idempotency-key': randomUUID(),
    }
    const late = AbortSignal.timeout(PATIENCE)
    while (!late.aborted) {
      turn += 1
      const server = balanced[turn % balanced.length]
      assert.ok(server)
      const body = JSON.stringify({ type: 'agent.run.completed', data: RUN })
      const response = await fetch(`${server.url}/v1/events`, { method: 'POST', headers, body }).catch(
        () => undefined,
      )
      const text = (await response?.text().catch(() => undefined)) ?? ''
      if (response?.status === 202 && text !== '') {
        ledger.acknowledged.set(JSON.parse(text).id, server)
        return
      }
      const isRetryable = response === undefined || response.headers.has('retry-after')
      ledger[isRetryable ? 'retried' : 'refused'].push(`${response?.status} ${text}`)
      if (!isRetryable) return
    }
    assert.fail(`an event is not acknowledged after ${PATIENCE} ms: ${ledger.retried.at(-1)}`)
  }

  const done = Promise.all(
    Array.from({ length: PUBLISHERS }, async () => {
      while (!isOver) {
        await publish()
        await pause(PAUSE)
      }
    }),
  )
  return {
    ledger,
    /** Resolves when a server has acknowledged so many more. */
    async more(server: Pick<ServerProcess, 'url'>, count: number) {
      const by = () => [...ledger.acknowledged.values()].filter((one) => one === server).length
      const before = by()
      await until(by, (now) => now >= before + count, {
        what: `${count} more events acknowledged by one process`,
      })
    },
    async stop() {
      isOver = true
      await done
    },
  }
}
