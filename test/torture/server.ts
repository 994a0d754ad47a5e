import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { stopwatch } from '#src/core/clock.ts'
import { inherited } from '../support/inherited.ts'

export const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

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

  function receive(text: string): void {
    said = `${said}${text}`.slice(-20_000)
    for (const [, message = ''] of text.matchAll(/"level":50.*"msg":"([^"]*)"/g))
      errors.set(message, (errors.get(message) ?? 0) + 1)
  }

  function launch(): void {
    said = ''
    isAsked = false
    const [program = '', ...args] = [...under, process.execPath, MAIN, 'start']
    const started = spawn(program, args, {
      env: { ...inherited(), LOG_LEVEL: 'error', ...env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    running.add(started)
    for (const output of [started.stdout, started.stderr]) output.setEncoding('utf8').on('data', receive)
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
    lastWords: () => said,
  }
}
