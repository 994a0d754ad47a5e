import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { stopwatch } from '#src/core/clock.ts'
import { inherited } from '../support/inherited.ts'

export const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** What the first process of several workers logs. */
export const REPLACED = 'a worker ended and is replaced'
export const STANDS_STILL = 'a worker stands still and is killed'

const running = new Set<ChildProcess>()
process.on('exit', killAll)

/** Ends all servers, also after a failed scenario. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** What a run wants to know of a server that it kills and starts again on the same data. */
export interface Server {
  url: string
  /** Of its process; undefined before its first start. */
  pid(): number | undefined
  /** Resolves when it is ready. @returns milliseconds since its start */
  start(): Promise<number>
  /** As `start`, without waiting. */
  launch(): void
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>
  /** Asks it to end; resolves with its exit code. */
  end(): Promise<number | null>
  /** Resolves with its exit code when it has ended by itself. */
  gone(): Promise<number | null>
  /** Whether it has ended without being asked to. */
  hasCrashed(): boolean
  /** The lines that it logged as errors, over all its lives, by their message. */
  errors(): Map<string, number>
  /** The numbers of its workers that answer requests, where it has several and logs at `info`. */
  answering(): Set<string>
  /** The last that it wrote. */
  lastWords(): string
}

/** @param under a program that runs it, with its arguments; it must leave the process to the server */
export function createServer(env: Record<string, string>, port: number, under: string[] = []): Server {
  let child: ChildProcess | undefined
  let gone: Promise<number | null> = Promise.resolve(0)
  let isAsked = false
  let said = ''
  let hasCrashed = false
  const errors = new Map<string, number>()
  const answering = new Set<string>()

  function read(output: Readable): void {
    let rest = ''
    output.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-20_000)
      const lines = `${rest}${text}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) note(line)
    })
  }

  function note(line: string): void {
    const [, message] = /"level":50.*"msg":"([^"]*)"/.exec(line) ?? []
    if (message !== undefined) errors.set(message, (errors.get(message) ?? 0) + 1)
    const [, worker = ''] = /"worker":(\d+)/.exec(line) ?? []
    if (message === REPLACED) answering.delete(worker)
    else if (line.includes('"msg":"a worker answers requests"')) answering.add(worker)
  }

  function launch(): void {
    said = ''
    answering.clear()
    isAsked = false
    const [program = '', ...args] = [...under, process.execPath, MAIN, 'start']
    const started = spawn(program, args, {
      env: { ...inherited(), LOG_LEVEL: 'error', ...env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    running.add(started)
    for (const output of [started.stdout, started.stderr]) read(output)
    gone = new Promise((resolve) => {
      started.once('close', (code) => {
        running.delete(started)
        if (!isAsked) hasCrashed = true
        resolve(code)
      })
    })
  }

  const signal = (name: NodeJS.Signals) => {
    isAsked = true
    child?.kill(name)
    return gone
  }

  return {
    url: `http://127.0.0.1:${port}`,
    pid: () => child?.pid,
    launch,
    async start() {
      const elapsed = stopwatch()
      launch()
      await new Promise<void>((resolve, reject) => {
        child?.stdout?.on('data', () => {
          if (said.includes('is ready')) resolve()
        })
        void gone.then((code) => reject(new Error(`the server ended with ${code}: ${said}`)))
      })
      return elapsed()
    },
    kill: async () => void (await signal('SIGKILL')),
    end: () => signal('SIGTERM'),
    gone: () => gone,
    hasCrashed: () => hasCrashed,
    errors: () => errors,
    answering: () => answering,
    lastWords: () => said,
  }
}
