import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { after } from 'node:test'
import { freePort } from './free-port.ts'
import { inherited } from './inherited.ts'
import { within } from './waits.ts'

/** Postern as a process of its own, which can be stopped and killed. */
export interface ServerProcess {
  url: string
  child: ChildProcess
  /** Its output so far. */
  out(): string
  err(): string
  /** Resolves when its output contains `text`. */
  says(text: string): Promise<void>
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>
  /** Asks it to end; resolves with its exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>
  /** Its exit code, when it has ended; a second signal would end it at once. */
  gone: Promise<number | null>
}

const children = new Set<ChildProcess>()
after(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** The program by its source, and as a person starts it. */
const MAIN = 'src/main.ts'
export const BIN = 'bin/postern.js'

function run(program: string, args: string[], env: Record<string, string>, by: string[] = []): Watched {
  const [command = '', ...rest] = [...by, process.execPath, program, ...args]
  const child = spawn(command, rest, {
    env: { ...inherited(), WORKERS: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  return watch(child)
}

/** A process and its output. */
export interface Watched {
  child: ChildProcess
  out: string[]
  err: string[]
  said(): string
  /** Resolves when its output contains `text`. */
  says(text: string): Promise<void>
  gone: Promise<number | null>
}

/** Reads the output of a process with pipes; one that a test leaves running is killed after the file. */
export function watch(child: ChildProcess): Watched {
  children.add(child)
  const [out, err]: [string[], string[]] = [[], []]
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => out.push(chunk))
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => err.push(chunk))
  const gone = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  void gone.then(() => children.delete(child))
  const said = () => `${out.join('')}${err.join('')}`
  const says = (text: string) => {
    const hasSaid = new Promise<void>((resolve, reject) => {
      const look = () => {
        if (said().includes(text)) resolve()
      }
      child.stdout?.on('data', look)
      child.stderr?.on('data', look)
      void gone.then(() => reject(new Error(`it ended without saying "${text}": ${said()}`)))
      look()
    })
    return within(`the server to say "${text}"`, hasSaid, { now: said })
  }
  return { child, out, err, said, says, gone }
}

/**
 * Starts the real program on a free port and waits until it says that it is ready.
 * @param env with `PORT: '0'` the program chooses the port itself
 * @param by the command that starts it, with its arguments
 */
export async function startProcess(
  env: Record<string, string>,
  program: string = MAIN,
  by: string[] = [],
): Promise<ServerProcess> {
  const port = env.PORT === '0' ? 0 : await freePort()
  const settings = { LOG_LEVEL: 'error', ...env, PORT: String(port) }
  const { child, out, err, said, says, gone } = run(program, ['start'], settings, by)
  await says('is ready')
  return {
    url: /Listening (http:\S+)/.exec(said())?.[1] ?? `http://127.0.0.1:${port}`,
    child,
    out: () => out.join(''),
    err: () => err.join(''),
    says,
    gone,
    async kill() {
      child.kill('SIGKILL')
      await within('a killed server to be gone', gone, { now: said })
    },
    end(signal = 'SIGTERM') {
      child.kill(signal)
      return within(`a server that was sent ${signal} to end`, gone, { now: said })
    },
  }
}

/** Runs the program, for a test that ends it. */
export function beginProcess(
  args: string[],
  env: Record<string, string>,
): { child: ChildProcess; gone: Promise<number | null> } {
  return run(MAIN, args, env)
}

/** The command that runs the program as a user without more rights on files than their modes give; undefined where that is not possible. */
export function asNoRoot(): string[] | undefined {
  if (process.getuid?.() !== 0) return process.platform === 'win32' ? undefined : []
  return existsSync(SETPRIV) ? [SETPRIV, '--bounding-set=-dac_override'] : undefined
}

/** By what the program is run so that the rights of new files are those that it asks for itself. */
export const WITHOUT_UMASK = ['/bin/sh', '-c', 'umask 0; exec "$@"', 'sh']

const SETPRIV = '/usr/bin/setpriv'

/**
 * Runs the program to its end.
 * @param by the command that starts it, with its arguments
 */
export async function runProcess(
  args: string[],
  env: Record<string, string>,
  program: string = MAIN,
  by: string[] = [],
): Promise<{ code: number | null; out: string; err: string }> {
  const { out, err, gone } = run(program, args, env, by)
  const code = await within(`postern ${args.join(' ')} to end`, gone, {
    now: () => [...out, ...err].join(''),
  })
  return { code, out: out.join(''), err: err.join('') }
}
