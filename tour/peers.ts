import { spawn } from 'node:child_process'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Millis, SECOND, sleep, stopwatch, systemClock } from '#src/core/clock.ts'
import { type Mailbox, startMailbox } from '../test/support/mailbox.ts'
import { startReceiver as listen, type Received } from '../test/support/receiver.ts'
import { startWildProvider, type WildProvider } from '../test/support/wild-provider.ts'
import { within } from './check.ts'

const ROOT = join(import.meta.dirname, '..')
const PROGRAM = join(ROOT, 'bin', 'postern.js')

/** Of the visitor's own environment only this is passed on: the tour must not find their database. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SystemRoot']

/** Of what it prints, the log is JSON. */
const isComplaint = (line: string): boolean => line.startsWith('{"level"')

const READY = /\S.* is ready .*/

/** Everybody who takes part: the server process, a mail server, a webhook's receiver, a provider with an API. */
export interface Peers {
  /** The settings that Postern is given. */
  settings: Record<string, string>
  baseUrl: string
  mailbox: Mailbox
  receiver: Receiver
  /** Where Ada has an account, and an API that its tokens open. */
  provider: WildProvider
  /** Rejects when a started server ends unasked. */
  crashed: Promise<never>
  /** `postern start`, once it is ready. */
  start(): Promise<Running>
  /** Any other command of `postern`, to its end. */
  run(...args: string[]): Promise<Ended>
  /** What Postern complained about, line by line: for whoever looks for the reason of a failure. */
  complaints(): string[]
  stop(): Promise<void>
}

export interface Ended {
  code: number | null
  out: string
  err: string
}

export interface Running {
  pid: number
  /** The line with which it said that it was ready. */
  greeting: string
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<Ended & { durationMs: Millis }>
}

export async function startPeers(): Promise<Peers> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-tour-'))
  const mailbox = await startMailbox()
  const receiver = await startReceiver()
  const provider = await startWildProvider()
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(port),
    BASE_URL: baseUrl,
    DATA_DIR: dataDir,
    SMTP_URL: mailbox.url,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    CONNECTIONS_ALLOWED_NETWORKS: '127.0.0.0/8',
    CONNECTIONS_FILE: writeProviders(dataDir, provider),
    LOG_LEVEL: 'warn',
  }
  const processes = new Set<Process>()
  const crash = Promise.withResolvers<never>()
  // It may come before anybody waits for it.
  crash.promise.catch(() => {})
  let isOver = false

  function begin(args: string[]): Process {
    if (isOver) throw new Error('the tour is over')
    const process = spawnPostern(args, settings)
    processes.add(process)
    return process
  }

  return {
    settings,
    baseUrl,
    mailbox,
    receiver,
    provider,
    crashed: crash.promise,
    async start() {
      const process = begin(['start'])
      let isAsked = false
      void process.ended.then(({ code, err }) => {
        if (isAsked || isOver) return
        crash.reject(new Error(`The server ended unasked, with exit code ${code}.\n${err}`))
      })
      await within('a server that is ready', process.says(READY))
      return {
        pid: process.pid,
        greeting: READY.exec(process.out)?.[0] ?? '',
        async stop() {
          const elapsed = stopwatch()
          isAsked = true
          process.kill('SIGTERM')
          const ended = await within('the end of the server', process.ended)
          return { ...ended, durationMs: elapsed() }
        },
      }
    },
    run: (...args) => within(`the end of "postern ${args[0]}"`, begin(args).ended),
    complaints: () =>
      [...processes].flatMap(({ out, err }) => `${err}\n${out}`.split('\n').filter(isComplaint)),
    async stop() {
      isOver = true
      await Promise.all([...processes].map(end))
      await Promise.all([mailbox.stop(), receiver.stop(), provider.stop()])
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The file of the providers that organizations may connect to. */
function writeProviders(folder: string, { origin, host }: WildProvider): string {
  const file = join(folder, 'connections.json')
  const acme = {
    authorizationEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/token`,
    clientId: 'postern',
    scopes: ['calendar.read'],
    apiHosts: [host],
  }
  writeFileSync(file, JSON.stringify({ providers: { acme } }))
  return file
}

interface Process {
  readonly pid: number
  readonly out: string
  readonly err: string
  ended: Promise<Ended>
  hasEnded(): boolean
  /** Resolves when it has printed something. */
  says(words: RegExp): Promise<void>
  kill(signal: NodeJS.Signals): void
}

function spawnPostern(args: string[], settings: Record<string, string>): Process {
  const passedOn = PASSED_ON.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: ROOT,
    env: { ...Object.fromEntries(passedOn), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  // 'close', not 'exit': by then everything that it said has been read.
  const ended = once(child, 'close').then(([code]: (number | null)[]) => ({ code: code ?? null, out, err }))
  return {
    pid: child.pid ?? 0,
    get out() {
      return out
    },
    get err() {
      return err
    },
    ended,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    says: (words) =>
      new Promise((resolve) => {
        const look = () => {
          if (words.test(out)) resolve()
        }
        child.stdout.on('data', look)
        look()
      }),
    kill: (signal) => void child.kill(signal),
  }
}

async function end(process: Process): Promise<void> {
  if (process.hasEnded()) return
  process.kill('SIGTERM')
  await Promise.race([process.ended, sleep(systemClock, 5 * SECOND)])
  if (!process.hasEnded()) process.kill('SIGKILL')
  await process.ended
}

/** A call that the receiver got, and what it made of it. */
export interface Call extends Received {
  /** When, on the receiver's own stopwatch. */
  at: Millis
  status: number
}

/** A receiver of webhooks: it believes nobody without a valid signature (specification 4), and can be told to fail. */
export interface Receiver {
  url: string
  /** The webhook's secret, as its registration answered. */
  secret: string
  /** How many of the next calls it answers with 503. */
  failures: number
  calls: Call[]
  /** The call of that number, counted from 1 over the whole tour. */
  call(number: number): Promise<Call>
  stop(): Promise<void>
}

async function startReceiver(): Promise<Receiver> {
  const server = await listen()
  const elapsed = stopwatch()
  const receiver: Receiver = {
    url: `${server.url}/hooks`,
    secret: '',
    failures: 0,
    calls: [],
    async call(number) {
      await within(`call ${number} at the receiver`, server.count(number))
      return receiver.calls[number - 1] as Call
    },
    stop: server.stop,
  }
  server.answer = (received, response) => {
    const signature = String(received.headers['x-service-signature'])
    const isGenuine = verifySignature(received.body, signature, receiver.secret)
    const status = !isGenuine ? 401 : receiver.failures > 0 ? 503 : 204
    receiver.failures = Math.max(0, receiver.failures - 1)
    receiver.calls.push({ ...received, at: elapsed(), status })
    response.writeHead(status).end()
  }
  return receiver
}

/** All that a receiver needs to check `X-Service-Signature`, written from specification 4 alone. */
export function verifySignature(body: Buffer, signature: string, secret: string): boolean {
  const digest = createHmac('sha256', secret).update(body).digest('hex')
  const expected = Buffer.from(`sha256=${digest}`)
  const received = Buffer.from(signature)
  return expected.length === received.length && timingSafeEqual(expected, received)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
