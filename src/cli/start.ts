import { killWorkers } from '../cluster/kill-workers.ts'
import { findSiblings } from '../cluster/siblings.ts'
import { type Config, readConfig, withPort } from '../config/config.ts'
import { MINUTE } from '../core/clock.ts'
import { stopSignal } from './stop-signal.ts'
import type { Command, Terminal } from './terminal/terminal.ts'

/** `postern start`: serves until a signal ends it, by this process or by the workers that it starts. */
export const start: Command = {
  about: 'Starts the server.',
  usage: 'postern start',
  options: {},
  async run(terminal) {
    const config = await withTruePort(readConfig(terminal.env))
    const stopping = stopSignal(killWorkers)
    const siblings = findSiblings(config.workers)
    if (config.workers > 1 && siblings === undefined) return runWorkers(terminal, config, stopping)
    const { serve } = await import('./serve.ts')
    return serve(terminal, config, { siblings, stopping })
  },
}

/** As long as docs/operations.md has a supervisor wait, after `DRAIN_SECONDS`. */
const LONGEST_END = 2 * MINUTE

/** Runs the server as several processes; this one only starts and replaces them. */
async function runWorkers(terminal: Terminal, config: Config, stopping: Promise<void>): Promise<number> {
  const { supervise } = await import('../cluster/supervise.ts')
  const { createLog } = await import('../telemetry/create-log.ts')
  const { toConsole } = await import('./terminal/console-log.ts')
  const { stopMessage, printReady } = await import('./terminal/server-messages.ts')
  const { findFreePort } = await import('../net/free-port.ts')
  // Each worker has a socket of its own on the port: a socket of another server beside them would get a part of the connections.
  await findFreePort(config.http.host, config.http.port)
  const { logLevel, drain } = config.operations
  void stopping.then(() => terminal.complain(stopMessage(drain)))
  return supervise({
    count: config.workers,
    // With `PORT=0` the port is chosen once, for all of them.
    env: { PORT: String(config.http.port) },
    log: createLog(logLevel, undefined, terminal.isInteractive ? toConsole(terminal.print) : undefined),
    onReady: (ready) => printReady(terminal, ready),
    stopping,
    patience: drain + LONGEST_END,
  })
}

/** With `PORT=0` every link has the port that the server listens on: the port is chosen before anything builds a link. */
async function withTruePort(config: Config): Promise<Config> {
  const { host, port } = config.http
  if (port !== 0) return config
  const { findFreePort } = await import('../net/free-port.ts')
  return withPort(config, await findFreePort(host))
}
