import { hasAccount } from '../access/sign-in/first-start.ts'
import { startApp } from '../app.ts'
import type { Siblings } from '../cluster/siblings.ts'
import type { Config } from '../config/config.ts'
import { stopwatch, systemClock } from '../core/clock.ts'
import { VERSION } from '../core/version.ts'
import { type Database, remedyOf } from '../db/database.ts'
import { timeOf } from '../store/clock-ahead.ts'
import { keepFact, SERVED_AT } from '../store/facts.ts'
import { endFirstStartLink, issueFirstStartLink } from '../store/first-start-link.ts'
import { createLog } from '../telemetry/create-log.ts'
import { createTelemetry } from '../telemetry/telemetry.ts'
import { settleAfterStart } from './settle-after-start.ts'
import { toConsole } from './terminal/console-log.ts'
import { printReady, stopMessage } from './terminal/server-messages.ts'
import type { Terminal } from './terminal/terminal.ts'

/**
 * Serves until `stopping` resolves.
 * @param siblings the workers on the same port; undefined where this process serves alone
 * @returns the exit code
 */
export async function serve(
  terminal: Terminal,
  config: Config,
  { siblings, stopping }: { siblings: Siblings | undefined; stopping: Promise<void> },
): Promise<number> {
  const elapsed = stopwatch()
  const telemetry = config.telemetry && createTelemetry(config.telemetry, systemClock)
  const { logLevel } = config.operations
  const app = await startApp({
    config,
    clock: systemClock,
    telemetry,
    siblings,
    onBroken: (error) => endAtOnce(terminal, error),
    ...(terminal.isInteractive ? { log: createLog(logLevel, telemetry, toConsole(terminal.print)) } : {}),
  })
  const begins = siblings?.begins ?? true
  if (config.role !== 'worker' && begins) await keepFact(app.database, SERVED_AT, config.web.appUrl)
  const wayIn = begins ? await findWayIn(terminal, config, app.database) : []
  const durationMs = Math.round(elapsed())
  const { role, web, workers } = config
  const { address } = app
  const words = welcome(config, app.address, durationMs, wayIn)
  const json = { ready: true, version: VERSION, role, address, baseUrl: web.baseUrl, durationMs, workers }
  if (siblings === undefined) printReady(terminal, { words, json })
  else siblings.announce({ words, json })
  settleAfterStart(systemClock)
  await stopping
  if (siblings === undefined) terminal.complain(stopMessage(config.operations.drain))
  const undone = await app.stop()
  if (undone.length > 0) endUndone(terminal, undone)
  return 0
}

/** Prints the parts that did not end in time, and ends the process despite them. The next start continues their work. */
function endUndone(terminal: Terminal, undone: string[]): never {
  terminal.complain(
    `Stopped, but these parts could not be ended in time: ${undone.join(', ')}. The next start continues their work.`,
  )
  exitBy(terminal)
}

/**
 * Ends the process as a kill does: it writes nothing more. Acknowledged data is on the disk for the next start.
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
 * Tells how the first administrator signs in: at a terminal by a new one-time link, else by `postern invite`, as neither a log
 * nor a server in production may show a link. A link of an earlier start becomes invalid.
 * @returns the lines to print; none where an administrator exists
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

/** Whether any administrator exists. */
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
    ...(config.workers > 1 ? [`  Workers   ${config.workers}`] : []),
    `  Data      ${store}`,
    '',
    ...wayIn,
  ].join('\n')
}
