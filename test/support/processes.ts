import { after } from 'node:test'
import pg from 'pg'
import type { Millis } from '#src/core/clock.ts'
import { PACE } from '#src/jobs/lease/lease.ts'
import { isFirstIn, workerSetOf } from '#src/jobs/ownership/worker-set.ts'
import { type TestClock, testClock } from './clock.ts'
import { type Options, type Postern, startPostern } from './postern.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { until } from './waits.ts'

/** Several Posterns over one PostgreSQL database, each with the same settings but for what a test gives it. */
export interface Processes {
  start(options?: Options): Promise<Postern>
  /** Queries PostgreSQL directly; its connection stays open until the end of the test. */
  asks(statement: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /** The texts of all notifications from here on. */
  receives(): Promise<string[]>
  stop(): Promise<void>
}

/** The workers that send and are not about to end, and whether they agree on how webhooks are divided among them. */
async function readWorkers(processes: Processes): Promise<{ ids: string[]; isAgreed: boolean }> {
  const rows = await processes.asks(`select id, divides, draining, retired from worker order by id`)
  const ids = rows.filter(({ retired }) => Number(retired) === 0).map(({ id }) => String(id))
  const { digest } = workerSetOf(ids)
  const isAgreed = rows.every(({ divides, draining }) => divides === digest && draining === null)
  return { ids, isAgreed: isAgreed && rows.length === ids.length }
}

/** Resolves when a number of workers send and agree on the division of webhooks. */
export async function untilDivided(processes: Processes, among: number): Promise<void> {
  await until(
    () => readWorkers(processes),
    ({ ids, isAgreed }) => isAgreed && ids.length === among,
    { what: `${among} workers to divide webhooks among them` },
  )
}

/** The worker that owns a webhook, as soon as all agree on that. */
export async function ownerOf(processes: Processes, webhookId: string): Promise<string | undefined> {
  const { ids } = await readWorkers(processes)
  return ids.find((id) => isFirstIn(workerSetOf(ids), id, webhookId))
}

/** @param first is started at once; the others join its data */
async function startProcesses(first: Options = {}): Promise<{ one: Postern; processes: Processes }> {
  const started: Postern[] = []
  const clients: pg.Client[] = []

  /** A test may stop it before all are stopped. */
  async function begin(options: Options): Promise<Postern> {
    const postern = await startPostern('postgres', options)
    let stopped: Promise<void> | undefined
    const once: Postern = {
      ...postern,
      stop() {
        stopped ??= postern.stop()
        return stopped
      },
    }
    started.push(once)
    return once
  }

  const one = await begin({ ...first, env: { BASE_URL: 'http://localhost:1', ...first.env } })
  const { DATA_DIR = '', DATABASE_URL = '', BASE_URL = '' } = one.env

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: DATABASE_URL, application_name: 'test' })
    client.on('error', () => {})
    await client.connect()
    clients.push(client)
    return client
  }

  let asking: Promise<pg.Client> | undefined
  const processes: Processes = {
    start: (options = {}) =>
      begin({
        clock: one.clock,
        ...options,
        env0: { DATA_DIR, DATABASE_URL },
        env: { BASE_URL, SMTP_URL: one.mailbox.url, ...options.env },
      }),
    async asks(statement, values = []) {
      asking ??= connect()
      return (await (await asking).query(statement, values)).rows
    },
    async receives() {
      const received: string[] = []
      const client = await connect()
      client.on('notification', ({ payload }) => received.push(payload ?? ''))
      await client.query('listen postern')
      return received
    },
    async stop() {
      for (const client of clients) await client.end()
      for (const postern of [...started].reverse()) await postern.stop()
    },
  }
  return { one, processes }
}

/** As `startProcesses`, ended after the suite. */
export function useProcesses(first: Options = {}): () => Promise<{ one: Postern; processes: Processes }> {
  let made: ReturnType<typeof startProcesses> | undefined
  after(async () => (await made)?.processes.stop())
  return () => {
    made ??= startProcesses(first)
    return made
  }
}

/** Makes every process appear to be on another machine, so that only its lease tells whether it lives. */
export const ELSEWHERE = 'update worker set process = null'

/** How often mails are looked for. */
const MAIL_POLL: Millis = 1_000

/** A clock that never reaches a poll, so that work starts by notifications only. */
export function clockWithoutPolls(): TestClock {
  const clock = testClock()
  const looks: Millis[] = [PACE.poll, MAIL_POLL]
  return { ...clock, after: (delay, fire) => (looks.includes(delay) ? () => {} : clock.after(delay, fire)) }
}

/** Starts as many receivers as a file of tests asks for, and stops them after its last test. */
export function useReceivers(): () => Promise<Receiver> {
  const receivers: Receiver[] = []
  after(() => Promise.all(receivers.map((receiver) => receiver.stop())))
  return async () => {
    const started = await startReceiver()
    receivers.push(started)
    return started
  }
}
