import { hasAccount } from '../access/sign-in/first-start.ts'
import { startApp } from '../app.ts'
import { type Config, readConfig, withPort } from '../config/config.ts'
import { type Millis, SECOND, stopwatch, systemClock } from '../core/clock.ts'
import { VERSION } from '../core/version.ts'
import { type Database, remedyOf } from '../db/database.ts'
import { timeOf } from '../store/clock-ahead.ts'
import { keepFact, SERVED_AT } from '../store/facts.ts'
import { endFirstStartLink, issueFirstStartLink } from '../store/first-start-link.ts'
import { createLog } from '../telemetry/create-log.ts'
import { createTelemetry } from '../telemetry/telemetry.ts'
import { settleDown } from './after-start.ts'
import { toConsole } from './terminal/console-log.ts'
import type { Command, Terminal } from './terminal/terminal.ts'

/** `postern start`: serves until a signal ends it. */
export const start: Command = {
  about: 'Starts the server.',
  usage: 'postern start',
  options: {},
  async run(terminal) {
    const elapsed = stopwatch()
    const config = await withTruePort(readConfig(terminal.env))
    const stopping = signalled()
    const telemetry = config.telemetry && createTelemetry(config.telemetry, systemClock)
    const { logLevel } = config.operations
    const app = await startApp({
      config,
      clock: systemClock,
      telemetry,
      onBroken: (error) => endAtOnce(terminal, error),
      ...(terminal.isInteractive ? { log: createLog(logLevel, telemetry, toConsole(terminal.print)) } : {}),
    })
    if (config.role !== 'worker') await keepFact(app.database, SERVED_AT, config.web.appUrl)
    const wayIn = await findWayIn(terminal, config, app.database)
    const durationMs = Math.round(elapsed())
    terminal.print(welcome(config, app.address, durationMs, wayIn))
    const { role, web } = config
    const { address } = app
    terminal.answer({ ready: true, version: VERSION, role, address, baseUrl: web.baseUrl, durationMs })
    settleDown(systemClock)
    await stopping
    terminal.complain(farewell(config.operations.drain))
    const undone = await app.stop()
    if (undone.length > 0) endUndone(terminal, undone)
    return 0
  },
}

/** What a person reads after the first signal to end. */
function farewell(drain: Millis): string {
  const drained = drain > 0 ? `for ${drain / SECOND} s it still answers (DRAIN_SECONDS), then ` : ''
  return `Stopping: ${drained}attempts and requests under way end, which may take 30 s, two minutes at most. Once more ends it at once.`
}

/** With `PORT=0` every link has the port that the server listens on: the port is chosen before anything builds a link. */
async function withTruePort(config: Config): Promise<Config> {
  const { host, port } = config.http
  if (port !== 0) return config
  const { findFreePort } = await import('../net/free-port.ts')
  return withPort(config, await findFreePort(host))
}

/** Says what was left; the next start makes up for it. What still waits for something would keep the process alive. */
function endUndone(terminal: Terminal, undone: string[]): never {
  terminal.complain(
    `Stopped, but these parts could not be ended in time: ${undone.join(', ')}. The next start continues their work.`,
  )
  exitBy(terminal)
}

/**
 * Ends the process as if it had been killed. Nothing that it would still write reaches the disk, and what it has promised
 * is there for the next start.
 */
function endAtOnce(terminal: Terminal, error: Error): never {
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  terminal.complain(`Postern ends: ${error.message}${cause}. ${remedyOf(error)}`)
  exitBy(terminal)
}

function exitBy({ exit = process.exit }: Terminal): never {
  return exit(1)
}

/**
 * How the first administrator gets in. At a terminal it is a link; the link of an earlier start is dead. A log keeps no
 * link, and in production a server has none.
 * @returns the lines that say so; none where there is an administrator
 */
async function findWayIn(
  { isInteractive }: Terminal,
  { role, production, web, devClock }: Config,
  database: Database,
): Promise<string[]> {
  if (role === 'worker') return (await hasAdministrator(database)) ? [] : BY_COMMAND
  if (isInteractive && !production && !(await hasAccount(database.db))) {
    const token = await issueFirstStartLink(database, await timeOf(database.db, devClock))
    return [
      '  Begin here. The link works once, within an hour:',
      `    ${web.baseUrl}/first-start?token=${token}`,
      '',
    ]
  }
  await endFirstStartLink(database)
  return (await hasAdministrator(database)) ? [] : BY_COMMAND
}

const BY_COMMAND = [
  '  Invite the first administrator, from this folder:',
  '    npx postern invite --organization "Acme" --email you@example.com --role administrator',
  '',
]

/** Whether an administrator exists, so that others can be invited. */
async function hasAdministrator({ db }: Database): Promise<boolean> {
  const found = db.selectFrom('membership').select('role').where('role', '=', 'administrator').limit(1)
  return (await found.executeTakeFirst()) !== undefined
}

function welcome(config: Config, address: string, durationMs: number, wayIn: string[]): string {
  const store = config.store.databaseUrl === undefined ? config.store.dataDir : 'PostgreSQL (DATABASE_URL)'
  return [
    '',
    `  Postern ${VERSION} is ready (${durationMs} ms).`,
    '',
    ...(config.role === 'worker'
      ? ['  Role      worker', `  Health    ${address}/readyz`]
      : [
          `  Listening ${address}`,
          `  Base URL  ${config.web.baseUrl}`,
          ...(config.web.console ? [`  Console   ${config.web.baseUrl}/console`] : []),
          `  API docs  ${config.web.baseUrl}/api/docs`,
        ]),
    `  Data      ${store}`,
    '',
    ...wayIn,
  ].join('\n')
}

/** The terminal, npm and bin/postern.js may each pass on the same signal: within this time it is one. */
const ECHO = SECOND

/** Resolves at the first signal to end; a second one, meant, ends the process at once. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    let sinceFirst: (() => number) | undefined
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (sinceFirst !== undefined && sinceFirst() > ECHO) {
          process.removeAllListeners(signal)
          process.kill(process.pid, signal)
        }
        sinceFirst ??= stopwatch()
        resolve()
      })
    }
  })
}
