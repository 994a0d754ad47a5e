import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stopwatch } from '../src/core/clock.ts'
import { RATES } from '../src/core/limits.ts'
import type { Load, LoadResult } from './load.ts'

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** A server under measurement, in a process of its own. */
export interface Served {
  url: string
  pid: number
  env: Record<string, string>
  /** From its start to its first answer on /readyz, in milliseconds. */
  readyMs: number
  stop(): Promise<void>
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts Postern as its users do, on an empty folder, with rates that the bench does not meet. */
export async function startPostern(env: Record<string, string> = {}): Promise<Served> {
  const port = await freePort()
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const full = {
    PORT: String(port),
    DATA_DIR: dataDir,
    DEFAULT_PLAN: 'unlimited',
    LOG_LEVEL: 'error',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    LIMITS: JSON.stringify(
      Object.fromEntries(Object.keys(RATES).map((name) => [name, { max: 100_000_000 }])),
    ),
    ...env,
  }
  const elapsed = stopwatch()
  const child = spawn(process.execPath, ['--max-semi-space-size=4', here('../bin/postern.js'), 'start'], {
    env: { ...process.env, ...full },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  running.add(child)
  const url = `http://127.0.0.1:${port}`
  await untilReady(`${url}/readyz`, child)
  return {
    url,
    pid: child.pid ?? 0,
    env: full,
    readyMs: elapsed(),
    async stop() {
      await end(child)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Starts one of the bare servers beside this file; it is told the port as its argument. */
export async function startBare(file: string, more: string[] = []): Promise<Served> {
  const port = await freePort()
  const elapsed = stopwatch()
  const child = spawn(process.execPath, [here(file), String(port), ...more], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  running.add(child)
  const url = `http://127.0.0.1:${port}`
  await untilReady(`${url}/readyz`, child)
  return { url, pid: child.pid ?? 0, env: {}, readyMs: elapsed(), stop: () => end(child) }
}

/** Runs a load in a process of its own. */
export function load(run: Load): Promise<LoadResult> {
  return inProcess<LoadResult>('./load.ts', run)
}

/** Runs a file that answers one message with `{ result }` or `{ error }`. */
export function inProcess<T>(file: string, message: unknown): Promise<T> {
  const child = fork(here(file), { execPath: process.execPath })
  running.add(child)
  return new Promise<T>((resolve, reject) => {
    child.once('message', (answer: { result?: T; error?: string }) => {
      child.kill()
      running.delete(child)
      if (answer.error === undefined) resolve(answer.result as T)
      else reject(new Error(answer.error))
    })
    child.send(message as object)
  })
}

/** Resident memory of a process, in MB. */
export function memoryOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes ?? 0) / 1024
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function end(child: ChildProcess): Promise<void> {
  running.delete(child)
  if (child.exitCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
