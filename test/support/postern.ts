import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { FastifyReply } from 'fastify'
import { pino } from 'pino'
import { HASH_COST, type HashCost } from '#src/access/passwords.ts'
import { type App, startApp } from '#src/app.ts'
import { runCommand } from '#src/cli/command.ts'
import { readConfig } from '#src/config/config.ts'
import { messageOf } from '#src/core/error-messages.ts'
import { CATALOGUE } from '#src/core/errors.ts'
import { RATES } from '#src/core/limits.ts'
import type { Server } from '#src/http/server.ts'
import type { Resolve } from '#src/net/destination.ts'
import type { LookUpTexts } from '#src/net/text-resolver.ts'
import { Client } from './browser.ts'
import { type TestClock, testClock } from './clock.ts'
import { freePort } from './free-port.ts'
import { type Mailbox, startMailbox } from './mailbox.ts'
import {
  ENGINES,
  type EngineName,
  freshStore,
  onBothEngines,
  onOneEngineByDay,
  readyStore,
  testOnOneEngineByDay,
} from './store.ts'

export {
  ENGINES,
  type EngineName,
  freshStore,
  onBothEngines,
  onOneEngineByDay,
  readyStore,
  testOnOneEngineByDay,
}

/** Postern, running for a test, with a real mail server beside it. */
export interface Postern {
  app: App
  url: string
  clock: TestClock
  mailbox: Mailbox
  /** Everything it logged, as one text: what must not be in it is looked for here. */
  log: () => string
  /** A client with no cookies. */
  client(): Client
  /** What its hashes of passwords cost. */
  hashCost: HashCost
  /** The environment it runs with; the command line is given the same. */
  env: Record<string, string>
  stop(): Promise<void>
}

export interface Options {
  env?: Record<string, string>
  clock?: TestClock
  /** Resolves the names of webhooks' destinations. */
  resolve?: Resolve
  /** Looks up the records of domains; unless given, there are none. */
  lookUpTexts?: LookUpTexts
  /** Extends the server before it starts. */
  extend?: (server: Server) => void
  /** Continues on the data of an earlier one. */
  env0?: Record<string, string>
  /** `production` where a test measures the hashes of passwords, or looks at them. */
  hashes?: 'quick' | 'production'
  /** Set where a test makes PostgreSQL find a deadlock; any other one is a defect, also where its request or job was repeated. */
  deadlocks?: 'expected'
}

/** A hash of production takes 15 ms of a processor, and tests make thousands. */
const QUICK_HASH: HashCost = { memoryCost: 8, timeCost: 1 }

/** By which tests call `/v1/operator/…`. */
export const OPERATOR_TOKEN = 'a token of the operator, for tests only'.replaceAll(/[ ,]+/g, '-')

/** Rates that no test meets unless it sets its own. */
const GENEROUS = JSON.stringify(
  Object.fromEntries(Object.keys(RATES).map((name) => [name, { max: 1_000_000 }])),
)

/** Starts the real server on a free port, on a database of the given engine with nothing in it. */
export async function startPostern(engine: EngineName, options: Options = {}): Promise<Postern> {
  const mailbox = await startMailbox()
  // What does not start leaves nothing running behind it.
  return startBeside(mailbox, engine, options).catch(async (error: unknown) => {
    await mailbox.stop()
    throw error
  })
}

async function startBeside(mailbox: Mailbox, engine: EngineName, options: Options): Promise<Postern> {
  const clock = options.clock ?? testClock()
  const fresh = options.env0 ?? (await readyStore(engine))
  const port = await freePort()
  const env: Record<string, string> = {
    PORT: String(port),
    SMTP_URL: mailbox.url,
    LIMITS: GENEROUS,
    DEFAULT_PLAN: 'unlimited',
    OPERATOR_TOKEN,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...fresh,
    ...options.env,
  }
  const hashCost = options.hashes === 'production' ? HASH_COST : QUICK_HASH
  const lines: string[] = []
  const app = await startApp({
    config: readConfig(env),
    clock,
    log: pino({ level: 'debug', base: null }, { write: (line: string) => void lines.push(line) }),
    extend: (server) => {
      proveCatalogue(server)
      options.extend?.(server)
    },
    lookUpTexts: options.lookUpTexts ?? (async () => []),
    // Production is given none.
    ...(options.hashes === 'production' ? {} : { hashCost }),
    ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
  })
  const url = app.address ?? ''
  const postern: Postern = {
    app,
    url,
    clock,
    mailbox,
    log: () => lines.join(''),
    client: () => new Client(url),
    hashCost,
    env,
    async stop() {
      const undone = await app.stop()
      await mailbox.stop()
      assert.deepEqual(undone, [], 'parts that could not be ended')
      if (options.deadlocks !== 'expected')
        assert.deepEqual(
          lines.filter((line) => line.includes('deadlock detected')),
          [],
        )
    },
  }
  return postern
}

const endings = new WeakMap<Postern, (() => Promise<unknown>)[]>()

/**
 * Ends something after the suite and before its server, which would wait 30 s for an answer that never comes.
 */
export function endBefore(postern: Postern, end: () => Promise<unknown>): void {
  endings.set(postern, [...(endings.get(postern) ?? []), end])
}

/** As `startPostern`, ended and cleaned up after the suite that asked for it. */
export function usePostern(engine: EngineName, options: Options = {}): () => Promise<Postern> {
  let started: Promise<Postern> | undefined
  after(async () => {
    // A server that did not start has failed its test already.
    const postern = await started?.catch(() => undefined)
    if (postern === undefined) return
    for (const end of endings.get(postern) ?? []) await end()
    await postern.stop()
  })
  return () => {
    started ??= startPostern(engine, options)
    return started
  }
}

/** No answer of any test leaves the catalogue: code, status and shape (decisions: conventions). */
function proveCatalogue(server: Server): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode < 400 || request.url === '/readyz') return payload
    const type = String(reply.getHeader('content-type'))
    // A browser gets a page where there is nothing; programs never do.
    if (
      type.startsWith('text/html') &&
      reply.statusCode === 404 &&
      request.headers.accept?.includes('text/html')
    )
      return payload
    if (request.url.startsWith('/scim/v2')) return proveScim(reply, payload)
    const body = JSON.parse(String(payload)) as { error: Record<string, unknown>; jsonrpc?: string }
    // What a protocol has codes of its own for.
    if (request.url === '/mcp' && body.jsonrpc === '2.0') return payload
    if (request.url.startsWith('/oauth/') && typeof body.error === 'string') return payload
    const { code, message, details, requestId, docUrl } = body.error
    const row = CATALOGUE[code as keyof typeof CATALOGUE]
    assert.ok(row, `${request.method} ${request.url} answered with the unknown code ${String(code)}`)
    assert.equal(reply.statusCode, row.status, `${String(code)} travelled with ${reply.statusCode}`)
    assert.equal(typeof details, 'object')
    assert.equal(message, messageOf(String(code), details as object, row.message))
    assert.equal(requestId, reply.getHeader('x-request-id'))
    assert.match(String(docUrl), new RegExp(`/v1/errors/${String(code)}$`))
    assert.match(type, /^application\/(problem\+)?json/)
    return payload
  })
}

/** Runs the command line as an operator beside the server would. */
export async function postern(
  { env }: Pick<Postern, 'env'>,
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = []
  const err: string[] = []
  const code = await runCommand(args, {
    env,
    print: (line) => out.push(line),
    complain: (line) => err.push(line),
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

/**
 * Clients of SCIM get the form of RFC 7644, with the code in a header. ENTITY_NOT_FOUND also has the statuses
 * of an unknown method (405) and of an unknown operation (501).
 */
function proveScim(reply: FastifyReply, payload: unknown): unknown {
  const body = JSON.parse(String(payload)) as { status: string; schemas: string[] }
  const code = String(reply.getHeader('postern-error-code'))
  const row = CATALOGUE[code as keyof typeof CATALOGUE]
  assert.ok(row, `the unknown code ${code}`)
  const statuses: number[] = code === 'ENTITY_NOT_FOUND' ? [row.status, 405, 501] : [row.status]
  assert.ok(statuses.includes(reply.statusCode), `${code} travelled with ${reply.statusCode}`)
  assert.equal(body.status, String(reply.statusCode))
  assert.deepEqual(body.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error'])
  assert.match(String(reply.getHeader('content-type')), /^application\/scim\+json/)
  return payload
}
