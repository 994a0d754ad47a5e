import { spawn } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { MINUTE, SECOND, systemClock } from '#src/core/clock.ts'
import { Client } from '../support/browser.ts'
import { startPostgres } from '../support/postgres.ts'
import { generate } from './generators.ts'
import { findSchemathesis } from './python.ts'
import { CALLERS, type Caller, startStand } from './stand.ts'

/**
 * Lets a fuzzer that we did not write read `/openapi.json` and hold the server to it: as anonymous, by session, by
 * key and as the operator, on both engines, after two generators of clients have read it. What is excluded stands in hooks.py. Not a part of `npm test`: it needs Python.
 *
 * `npm run fuzz:openapi -- --examples 100 --engine sqlite --caller key --seed 7`
 */
const HOOKS = fileURLToPath(new URL('./hooks.py', import.meta.url))
const ENGINES = ['sqlite', 'postgres']
const GRACE = 30 * SECOND

const { values } = parseArgs({
  options: {
    examples: { type: 'string', default: '20' },
    engine: { type: 'string', multiple: true, default: ENGINES },
    caller: { type: 'string', multiple: true, default: CALLERS },
    phases: { type: 'string', default: 'examples,coverage,fuzzing,stateful' },
    path: { type: 'string' },
    seed: { type: 'string', default: '1' },
    generators: { type: 'boolean', default: true },
    minutes: { type: 'string', default: '240' },
  },
  allowNegative: true,
})

/** What ends a run before its time. A terminal sends its signal to npm as well, which passes it on: it may come twice. */
const stopping = new AbortController()
const stopped = stopping.signal
let codeIfStopped = 0
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    codeIfStopped ||= 128 + constants.signals[name]
    stopping.abort(new Error(`Stopped by ${name}; nothing is left running.`))
  })
}

/** Requests without a complete answer, with their start times. A run reports them at its deadline. */
const underWay = new Map<IncomingMessage, number>()
subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
  underWay.set(request, systemClock.now())
  response.once('close', () => underWay.delete(request))
})
systemClock.after(Number(values.minutes) * MINUTE, () => {
  codeIfStopped ||= 1
  const waits = [...underWay].map(([{ method, url }, since]) => {
    return `${method} ${url} for ${((systemClock.now() - since) / SECOND).toFixed(0)} s`
  })
  const open = waits.length === 0 ? 'No request is open.' : `Open: ${waits.join(', ')}.`
  console.error(`The run is not at its end after ${values.minutes} minutes. ${open}`)
  stopping.abort(new Error('Stopped by its deadline; nothing is left running.'))
})

const code = await main().catch((error: Error) => {
  console.error(error.message)
  return 2
})
process.exit(codeIfStopped || code)

/** @returns the code to exit with: 1 when there was a finding */
async function main(): Promise<number> {
  const command = findSchemathesis(process.env)
  const found = values.generators ? await generators(command) : []
  for (const engine of values.engine) {
    for (const caller of values.caller as Caller[]) {
      const name = `${caller} on ${engine}`
      stopped.throwIfAborted()
      console.log(`\n== ${name}`)
      if ((await withStore(engine, (database) => fuzz(command, database, caller))) !== 0) found.push(name)
    }
  }
  stopped.throwIfAborted()
  console.log(found.length === 0 ? '\nNo finding.' : `\nFindings: ${found.join(', ')}.`)
  return found.length === 0 ? 0 : 1
}

/** @returns a line for each generator of clients that does not take the document */
async function generators(command: string): Promise<string[]> {
  const stand = await startStand({}, 'anonymous')
  const folder = mkdtempSync(join(tmpdir(), 'postern-fuzz-'))
  try {
    const { text } = await new Client(stand.url).get('/openapi.json')
    const refused = await generate(text, folder, command, stopped)
    stopped.throwIfAborted()
    for (const said of refused) console.log(said)
    return refused.map((said) => `a client by ${said.split(':', 1)[0]}`)
  } finally {
    await stand.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function withStore<T>(
  engine: string,
  work: (database: Record<string, string>) => Promise<T>,
): Promise<T> {
  if (engine === 'sqlite') return work({})
  const postgres = await startPostgres()
  try {
    stopped.throwIfAborted()
    const client = new pg.Client({ connectionString: `${postgres.url}/postgres` })
    await client.connect()
    await client.query('create database postern')
    await client.end()
    return await work({ DATABASE_URL: `${postgres.url}/postern` })
  } finally {
    await postgres.stop()
  }
}

async function fuzz(command: string, database: Record<string, string>, caller: Caller): Promise<number> {
  const stand = await startStand(database, caller)
  const folder = mkdtempSync(join(tmpdir(), 'postern-fuzz-'))
  // A stream of events does not end by itself: the first one shows that it works.
  writeFileSync(join(folder, 'schemathesis.toml'), 'max-stream-events = 1\n')
  try {
    const words = ['run', `${stand.url}/openapi.json`, '--url', stand.url, '--checks', 'all']
    words.push('--phases', values.phases, '--max-examples', values.examples, '--seed', values.seed)
    // A redirect leads to a front end that there is not.
    words.push('--max-redirects', '0', '--generation-database', 'none', '--warnings', 'off', '--no-color')
    // An answer that comes late says how busy this machine is; one that never comes is a finding.
    words.push('--continue-on-failure', '--request-timeout', '60')
    // What they warn of is not the server: how busy this machine is, and schemas that hold schemas.
    words.push('--suppress-health-check', 'too_slow,large_base_example,data_too_large')
    if (values.path !== undefined) words.push('--include-path-regex', `^${values.path}`)
    const env = {
      ...process.env,
      SCHEMATHESIS_HOOKS: HOOKS,
      POSTERN_FUZZ_CALLER: caller,
      POSTERN_FUZZ_CREDENTIALS: stand.credentialsUrl,
      POSTERN_FUZZ_COMMON: stand.commonPasswords,
    }
    stopped.throwIfAborted()
    const child = spawn(command, words, { cwd: folder, env, stdio: 'inherit' })
    // SIGINT makes it report its findings so far. It is killed where that takes longer than `GRACE`.
    const end = () => {
      child.kill('SIGINT')
      systemClock.after(GRACE, () => child.kill('SIGKILL'))
    }
    stopped.addEventListener('abort', end)
    const status = await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code) => resolve(code ?? 1))
    })
    stopped.removeEventListener('abort', end)
    return status
  } finally {
    await stand.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
