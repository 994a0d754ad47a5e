import { runCommand } from '#src/cli/command.ts'
import { type Millis, pause, SECOND, stopwatch } from '#src/core/clock.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/waits.ts'
import { type Load, startLoad, type Type } from './publisher.ts'
import { createServer, type Server } from './server.ts'
import { createStore, type EngineName, type Store } from './store.ts'
import { startTakings, type Takings } from './takings.ts'

/** A webhook of the run; its name is how the receiver treats it. */
export interface Webhook {
  name: string
  id: string
  types: Type[]
  maxInFlight: number
}

/** A server under load, the means of a scenario to disturb it, and the records for the verdict. */
export interface Stand {
  store: Store
  server: Server
  /** What the server runs with; another process on the same data is given the same. */
  env: Record<string, string>
  takings: Takings
  webhooks: Webhook[]
  load: Load
  key: string
  /** The administrator's key, for calls of a scenario's own. */
  call(path: string, body: object): Promise<{ status: number; body: Record<string, unknown> }>
  /** Resolves when more events were acknowledged, or the server has ended. */
  acknowledgesMoreThan(before: number): Promise<void>
  /** Resolves when no delivery in the table is pending, or when none has changed for `patience`. */
  drained(patience?: Millis): Promise<void>
  remove(): Promise<void>
}

export interface StandOptions {
  engine: EngineName
  /** Events a second. */
  rate: number
  seed: number
  /** How often at most the failing destination refuses one delivery. */
  mostRefusals: number
  env?: Record<string, string>
  dataDir?: string
  /** Instead of a new one; removed with the stand. */
  store?: Store
  /** A program that runs the server, with its arguments. */
  under?: string[]
}

const RUN = 'agent.run.completed'
const FILE = 'file.processed'
const WEBHOOKS: { name: string; events: string[]; types: Type[]; maxInFlight: number }[] = [
  { name: 'all', events: ['*'], types: [RUN, FILE], maxInFlight: 64 },
  { name: 'runs', events: [RUN], types: [RUN], maxInFlight: 32 },
  { name: 'slow', events: [FILE], types: [FILE], maxInFlight: 64 },
  { name: 'failing', events: [FILE], types: [FILE], maxInFlight: 16 },
]

const POLL_EVERY: Millis = 100

/** Starts everything, the load last. */
export async function startStand(options: StandOptions): Promise<Stand> {
  const { engine, rate, seed, mostRefusals, env = {}, dataDir, under } = options
  const store = options.store ?? (await createStore(engine, dataDir))
  const port = await freePort()
  const full = {
    DEFAULT_PLAN: 'unlimited',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    DRAIN_SECONDS: '0',
    ...store.env,
    ...env,
  }
  const server = createServer(full, port, under)
  const takings = await startTakings(seed, mostRefusals)
  await server.start()
  const key = await administrate(server.url, full)
  const call: Stand['call'] = (path, body) =>
    post(server.url + path, body, { authorization: `Bearer ${key}` })
  const webhooks: Webhook[] = []
  for (const { name, events, types, maxInFlight } of WEBHOOKS) {
    const made = await call('/v1/webhooks', { url: `${takings.url}/${name}`, events, maxInFlight })
    webhooks.push({ name, id: String(made.body.id), types, maxInFlight })
  }
  const load = startLoad(server.url, key, rate)

  async function drained(patience = 60 * SECOND): Promise<void> {
    let still = stopwatch()
    let before = -1
    // When nothing changes any more, the verdict names the missing deliveries.
    while (still() <= patience) {
      const [row] = await store.query<{ count: number }>(
        `select cast((select count(*) from delivery where status = 'pending') + (select count(*) from fan_out) as integer) as count`,
      )
      const pending = row?.count ?? 0
      if (pending === 0) return
      if (pending !== before) still = stopwatch()
      before = pending
      await pause(POLL_EVERY)
    }
  }

  return {
    store,
    server,
    env: full,
    takings,
    webhooks,
    load,
    key,
    call,
    async acknowledgesMoreThan(before) {
      await until(() => load.acknowledged.size > before || server.hasCrashed(), Boolean, {
        what: `more than ${before} acknowledged events`,
        patience: 2 * 60 * SECOND,
      })
    },
    drained,
    async remove() {
      load.abandon()
      await server.kill()
      await takings.stop()
      await store.remove()
    },
  }
}

/** Lets an administrator in by the public doors; answers an API key. */
async function administrate(url: string, env: Record<string, string>): Promise<string> {
  const email = 'ada@acme.test'
  const invite = ['invite', '--organization', 'Acme', '--email', email, '--role', 'administrator', '--json']
  const said: string[] = []
  const say = (line: string) => void said.push(line)
  const code = await runCommand(invite, { env, print: say, complain: say })
  if (code !== 0) throw new Error(`nobody could be invited: ${said.join('\n')}`)
  const { token: invitationToken } = JSON.parse(said.join('\n')) as { token: string }
  const person = { firstName: 'Ada', lastName: 'L', password: 'correct horse 7 battery', termsAccepted: true }
  const signedUp = await post(`${url}/v1/auth/sign-up/email`, { ...person, email, invitationToken }, {})
  const [cookie = ''] = (signedUp.headers.getSetCookie()[0] ?? '').split(';')
  const answer = await fetch(`${url}/v1/auth/token`, { headers: { cookie } })
  const { token } = (await answer.json()) as { token: string }
  const made = await post(
    `${url}/v1/api-keys`,
    { name: 'torture', role: 'administrator' },
    { authorization: `Bearer ${token}` },
  )
  return String(made.body.key)
}

async function post(
  url: string,
  body: object,
  headers: Record<string, string>,
): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const read = (await answer.json()) as Record<string, unknown>
  return { status: answer.status, body: read, headers: answer.headers }
}
