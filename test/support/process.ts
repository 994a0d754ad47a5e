import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'

/** Postern as a process of its own, so that it can be killed. */
export interface ServerProcess {
  url: string
  child: ChildProcess
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>
}

/** Starts the real program on a free port and waits until it says that it is ready. */
export async function startProcess(env: Record<string, string>): Promise<ServerProcess> {
  const port = await freePort()
  const child = spawn(process.execPath, ['src/main.ts', 'start'], {
    env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'error', ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said.push(String(chunk))
      if (said.join('').includes('is ready')) resolve()
    })
    child.stderr.on('data', (chunk: Buffer) => said.push(String(chunk)))
    void gone.then(() => reject(new Error(`it ended: ${said.join('')}`)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    kill() {
      child.kill('SIGKILL')
      return gone
    },
  }
}

/** Runs the program to its end. */
export async function runProcess(
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, ['src/main.ts', ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err]: [string[], string[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => out.push(String(chunk)))
  child.stderr.on('data', (chunk: Buffer) => err.push(String(chunk)))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out: out.join(''), err: err.join('') }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
