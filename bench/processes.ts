import { type ChildProcess, fork, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { pause, stopwatch } from '#src/core/clock.ts'
import { freePort } from '../test/support/free-port.ts'
import type { Load, LoadResult } from './load.ts'
import type { Paced, PacedResult } from './paced.ts'

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** A server under measurement, in a process of its own. */
export interface Served {
  url: string
  pid: number
  /** The program, which also runs the commands on its data. */
  program: string
  /** Its environment. A process that is started with it again has the same port and data. */
  env: Record<string, string>
  /** From its start to its first answer on /readyz, in milliseconds. */
  readyMs: number
  stop(): Promise<void>
  /** `kill -9`. */
  kill(): Promise<void>
}

/** Milliseconds between two looks; a start may seem longer by this. */
const BETWEEN_LOOKS = 3

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/**
 * The settings of every Postern of the bench: rates that no load reaches, and a way to this machine.
 * @param program its sources name the rates; a package has no sources, so it takes the names of this checkout
 */
async function posternEnv(env: Record<string, string>, program: string): Promise<Record<string, string>> {
  const sources = [join(dirname(program), '..'), here('..')].map((root) =>
    join(root, 'src', 'core', 'limits.ts'),
  )
  const limits = pathToFileURL(sources.find(existsSync) ?? '').href
  const { RATES } = (await import(limits)) as { RATES: object }
  return {
    PORT: String(await freePort()),
    DEFAULT_PLAN: 'unlimited',
    WORKERS: '1',
    LOG_LEVEL: 'error',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    LIMITS: JSON.stringify(
      Object.fromEntries(Object.keys(RATES).map((name) => [name, { max: 100_000_000 }])),
    ),
    ...env,
  }
}

const PROGRAM = here('../bin/postern.js')

function spawnPostern(
  env: Record<string, string>,
  stdout: 'ignore' | 'pipe',
  program: string = PROGRAM,
): ChildProcess {
  const child = spawn(process.execPath, ['--max-semi-space-size=16', program, 'start'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', stdout, 'pipe'],
  })
  running.add(child)
  child.stderr?.setEncoding('utf8').on('data', (said: string) => {
    if (!said.startsWith('Stopping')) process.stderr.write(said)
  })
  return child
}

/** Starts Postern as its users do, on the data that `env` names or else on an empty folder. */
export async function startPostern(env: Record<string, string> = {}, program = PROGRAM): Promise<Served> {
  const dataDir = env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const full = await posternEnv({ ...env, DATA_DIR: dataDir }, program)
  const elapsed = stopwatch()
  const child = spawnPostern(full, 'ignore', program)
  const url = `http://127.0.0.1:${full.PORT}`
  await untilReady(`${url}/readyz`, child)
  return {
    url,
    pid: child.pid ?? 0,
    program,
    env: full,
    readyMs: elapsed(),
    async stop() {
      await end(child)
      if (env.DATA_DIR === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
    kill: () => end(child, 'SIGKILL'),
  }
}

/** Starts a process that only sends, and waits until it says that it is ready. */
export async function startWorker(env: Record<string, string>): Promise<Served> {
  const full = { ...env, ROLE: 'worker', PORT: String(await freePort()) }
  const elapsed = stopwatch()
  const child = spawnPostern(full, 'pipe')
  await new Promise<void>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('is ready')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`the worker ended with ${code}`)))
  })
  return {
    url: '',
    pid: child.pid ?? 0,
    program: PROGRAM,
    env: full,
    readyMs: elapsed(),
    stop: () => end(child),
    kill: () => end(child, 'SIGKILL'),
  }
}

/** Starts one of the bare servers beside this file. Its first argument is the port. */
export async function startBare(file: string, more: string[] = []): Promise<Served> {
  const port = await freePort()
  return start(file, port, [String(port), ...more])
}

/** Starts what accepts and never answers; tells the port where it does so. */
export async function startBlackHole(): Promise<Served & { port: number }> {
  const [port, readyPort] = [await freePort(), await freePort()]
  return { ...(await start('./black-hole.ts', readyPort, [String(port), String(readyPort)])), port }
}

async function start(file: string, readyPort: number, more: string[]): Promise<Served> {
  const elapsed = stopwatch()
  const child = spawn(process.execPath, [here(file), ...more], { stdio: ['ignore', 'ignore', 'inherit'] })
  running.add(child)
  const url = `http://127.0.0.1:${readyPort}`
  await untilReady(`${url}/readyz`, child)
  return {
    url,
    pid: child.pid ?? 0,
    program: here(file),
    env: {},
    readyMs: elapsed(),
    stop: () => end(child),
    kill: () => end(child, 'SIGKILL'),
  }
}

/** Runs a load in a process of its own. */
export function load(run: Load): Promise<LoadResult> {
  return inProcess<LoadResult>('./load.ts', run)
}

/** Runs a load that keeps to its schedule, in a process of its own. */
export function paced(run: Paced): Promise<PacedResult> {
  return inProcess<PacedResult>('./paced.ts', run)
}

/** Runs a file that answers one message with `{ result }` or `{ error }`. */
export function inProcess<T>(file: string, message: unknown): Promise<T> {
  const child = fork(here(file), { execPath: process.execPath })
  running.add(child)
  return new Promise<T>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)))
    child.once('message', (answer: { result?: T; error?: string }) => {
      child.kill()
      running.delete(child)
      if (answer.error === undefined) resolve(answer.result as T)
      else reject(new Error(answer.error))
    })
    child.send(message as object)
  })
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    // Without a pause between the questions, they would take half of the machine from the start.
    await pause(BETWEEN_LOOKS)
  }
}

function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  running.delete(child)
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill(signal)
  })
}
