import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** A handler of the guide as a process of its own. */
export interface Handler {
  out(): string
  /** Resolves when it has written a text a number of times. */
  says(text: string, times?: number): Promise<void>
  stop(): Promise<void>
}

export const count = (text: string, part: string) => text.split(part).length - 1

export async function startHandler(
  program: string,
  file: string,
  code: string,
  env: Record<string, string>,
): Promise<Handler> {
  const dir = mkdtempSync(join(tmpdir(), 'postern-guide-'))
  symlinkSync(resolve('node_modules'), join(dir, 'node_modules'))
  writeFileSync(join(dir, file), code)
  const child = spawn(program, [file], { cwd: dir, env: { PATH: process.env.PATH ?? '', ...env } })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const gone = new Promise<void>((done) => child.once('close', () => done()))
  const handler: Handler = {
    out: () => out,
    says: (text, times = 1) =>
      new Promise((done, fail) => {
        const look = () => count(out, text) >= times && done()
        child.stdout.on('data', look)
        void gone.then(() => fail(new Error(`it ended without saying "${text}": ${out}${err}`)))
        look()
      }),
    async stop() {
      child.kill('SIGKILL')
      await gone
      rmSync(dir, { recursive: true, force: true })
    },
  }
  await handler.says('ready').catch(async (error) => {
    await handler.stop()
    throw error
  })
  return handler
}
