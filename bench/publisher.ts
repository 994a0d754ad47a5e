import { pause, SECOND, stopwatch } from '#src/core/clock.ts'
import { signIn } from './access.ts'
import { cpuOf } from './figures.ts'
import type { LoadResult } from './load.ts'
import type { PacedResult } from './paced.ts'
import { load, paced, type Served, startBare, startPostern } from './processes.ts'
import type { Report } from './receiver.ts'
import { createStore, type EngineName, type Store } from './store.ts'

export const TYPE = 'agent.run.completed'

/** A body of 1 KiB. */
const DATA = {
  agentId: 'agent_1',
  runId: 'run_1',
  status: 'succeeded',
  durationMs: 1_234,
  output: 'x'.repeat(900),
}
export const EVENT = JSON.stringify({ type: TYPE, data: DATA })
export const BATCH = JSON.stringify({
  events: Array.from({ length: 100 }, () => ({ type: TYPE, data: DATA })),
})

/** POSTs one body as fast as the connections can: for a time, or until `most` were made. */
type Loader = (
  path: string,
  body: string,
  connections: number,
  durationMs: number,
  most?: number,
) => Promise<LoadResult>

/** An organization that publishes with an API key. */
export interface Organization {
  organizationId: string
  /** Its credentials. */
  authorization: string
  /** Calls as the administrator. @throws Error for an answer without success */
  call(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<Record<string, unknown>>
  /** Makes a webhook; answers its id. */
  webhook(url: string, more?: { events?: string[]; maxInFlight?: number }): Promise<string>
  /** Publishes events one after another on each of the connections. */
  load: Loader
  /** Publishes on schedule. */
  paced(rate: number, durationMs: number, types?: string[]): Promise<PacedResult>
  /** Sends one request. Any answer will do. */
  raw(method: 'GET' | 'POST', path: string, body: string): Promise<number>
  /** Keeps a file, and waits until it has been read. */
  upload(name: string, bytes: Buffer, signal: AbortSignal): Promise<void>
}

/** An organization on a server and a store of its own. */
export interface Publisher extends Organization {
  store: Store
  server: Served
  /** Makes another organization on the same server. */
  neighbour(name: string): Promise<Organization>
  /** Resolves when everything for a webhook has been recorded as delivered or failed. */
  settled(webhookId: string): Promise<void>
  /** Stops the server, runs the given work, and starts the server again on the same data. */
  restart(meanwhile: () => Promise<void>, how?: 'stop' | 'kill'): Promise<void>
  /** @param how `kill` where attempts are under way that will never be answered */
  stop(how?: 'stop' | 'kill'): Promise<void>
}

function loader(url: string, headers: Record<string, string>): Loader {
  return (path, body, connections, durationMs, most) =>
    load({
      ...{ url, method: 'POST', path, headers, bodies: [body], connections, durationMs, expect: 202 },
      ...(most === undefined ? {} : { most }),
    })
}

/** Each poll takes processor time from what is measured. */
const POLL_EVERY_MS = 20

/** Counts claimed deliveries and pending ones, each by its index. */
const unsettled = (
  webhookId: string,
) => `select 1 from delivery where claim_id is not null and webhook_id = '${webhookId}'
  union all select 1 from delivery
  where webhook_id = '${webhookId}' and status = 'pending' and claim_id is null limit 1`

/** @param program another Postern than this one, where it is to be measured beside it */
export async function publisher(
  engine: EngineName,
  env: Record<string, string> = {},
  program?: string,
): Promise<Publisher> {
  const store = await createStore(engine)
  let server = await startPostern({ ...env, ...store.env }, program)
  return {
    ...(await organization(server)),
    store,
    get server() {
      return server
    },
    neighbour: (name) => organization(server, name, `ada@${name}.test`),
    async settled(webhookId) {
      while ((await store.query(unsettled(webhookId))).length > 0) await pause(POLL_EVERY_MS)
    },
    async restart(meanwhile, how = 'stop') {
      await server[how]()
      await meanwhile()
      server = await startPostern(server.env, program)
    },
    async stop(how = 'stop') {
      await server[how]()
      await store.remove()
    },
  }
}

/** Its URL stays valid after a restart, because the server keeps its port. */
async function organization(server: Served, name?: string, email?: string): Promise<Organization> {
  const { bearer } = await signIn(server, name, email)
  const made = await request(server, 'POST', '/v1/api-keys', bearer, { name: 'bench', role: 'administrator' })
  const authorization = `Bearer ${made.key}`
  const headers = { 'content-type': 'application/json', authorization }
  const call: Organization['call'] = (method, path, body) =>
    request(server, method, path, authorization, body)
  const { data } = (await request(server, 'GET', '/v1/organizations', bearer)) as { data: { id: string }[] }
  return {
    organizationId: data[0]?.id ?? '',
    authorization,
    call,
    async webhook(url, more = {}) {
      return String((await call('POST', '/v1/webhooks', { url, events: ['*'], ...more })).id)
    },
    load: loader(server.url, headers),
    paced: (rate, durationMs, types = [TYPE]) =>
      paced({ url: server.url, path: '/v1/events', headers, rate, durationMs, types }),
    async raw(method, path, body) {
      const answer = await fetch(server.url + path, { method, headers, body })
      await answer.arrayBuffer()
      return answer.status
    },
    async upload(name, bytes, signal) {
      const answer = await fetch(`${server.url}/v1/files?name=${name}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/octet-stream', prefer: 'wait=30' },
        body: new Uint8Array(bytes),
        signal,
      })
      if (answer.status !== 201) throw new Error(await answer.text())
      await answer.arrayBuffer()
    },
  }
}

async function request(
  server: Served,
  method: string,
  path: string,
  authorization: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const answer = await fetch(server.url + path, {
    method,
    headers: { 'content-type': 'application/json', authorization },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
  return (await answer.json()) as Record<string, unknown>
}

/** Where deliveries arrive. */
export interface Receiver {
  url: string
  port: number
  pid: number
  reset(): Promise<void>
  count(group: string): Promise<number>
  report(group: string): Promise<Report>
  /** Waits for a number of deliveries; gives up when none has arrived for `patience`. @returns how many have arrived */
  until(group: string, count: number, patience?: number): Promise<number>
  stop(): Promise<void>
}

/** @param secure see `receiver.ts` */
export async function startReceiver(secure: string[] = []): Promise<Receiver> {
  const served = await startBare('./receiver.ts', secure)
  const get = (path: string) => fetch(served.url + path)
  const count = async (group: string) => Number(await (await get(`/count/${group}`)).text())
  return {
    url: served.url,
    port: Number(new URL(served.url).port),
    pid: served.pid,
    reset: async () => void (await get('/reset')),
    count,
    report: async (group) => (await (await get(`/report/${group}`)).json()) as Report,
    async until(group, wanted, patience = 10 * SECOND) {
      let [before, still] = [-1, stopwatch()]
      for (;;) {
        const now = await count(group)
        if (now >= wanted || still() > patience) return now
        if (now !== before) still = stopwatch()
        before = now
        await pause(POLL_EVERY_MS)
      }
    },
    stop: served.stop,
  }
}

/** The rate of a load: deliveries for each second of the load and of the time until the last one arrived. */
export interface Delivered {
  perSecond: number
  /** Of the sending process, microseconds a delivery. */
  cpuMicros: number
}

/**
 * Runs a load, and waits until everything that it published has arrived and has been recorded.
 * @param each deliveries an event
 * @throws Error when some did not arrive
 */
export async function delivered(
  receiver: Receiver,
  { pid, settled }: { pid: number; settled: () => Promise<void> },
  run: () => Promise<number>,
  each = 1,
): Promise<Delivered> {
  await receiver.reset()
  const [elapsed, cpu] = [stopwatch(), cpuOf(pid)]
  const wanted = (await run()) * each
  const arrived = await receiver.until('all', wanted)
  if (arrived < wanted) throw new Error(`${wanted - arrived} of ${wanted} deliveries did not arrive`)
  await settled()
  return { perSecond: wanted / (elapsed() / SECOND), cpuMicros: ((cpuOf(pid) - cpu) * SECOND) / wanted }
}

/** A bare loop that sends to one of the receiver's groups, and its loads. */
export interface Bare {
  store: Store
  server: Served
  load: Loader
  paced(rate: number, durationMs: number): Promise<PacedResult>
  settled(): Promise<void>
  stop(): Promise<void>
}

export async function startRawLoop(engine: EngineName, receiver: Receiver, group: string): Promise<Bare> {
  const store = await createStore(engine)
  const place = store.env.DATABASE_URL ?? store.env.DATA_DIR ?? ''
  const server = await startBare('./raw-loop.ts', [receiver.url, `/${group}`, place])
  const headers = { 'content-type': 'application/json' }
  return {
    store,
    server,
    load: loader(server.url, headers),
    paced: (rate, durationMs) =>
      paced({ url: server.url, path: '/events', headers, rate, durationMs, types: [TYPE] }),
    async settled() {
      while (Number(await (await fetch(`${server.url}/pending`)).text()) > 0) await pause(POLL_EVERY_MS)
    },
    async stop() {
      await server.stop()
      await store.remove()
    },
  }
}
