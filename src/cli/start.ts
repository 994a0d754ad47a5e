import { killWorkers } from '../cluster/kill-workers.ts'
import { findSiblings } from '../cluster/siblings.ts'
import { type Config, readConfig, withPort } from '../config/config.ts'
import { MINUTE } from '../core/clock.ts'
import { BEAT } from '../core/heartbeats.ts'
import { stopSignal } from './stop-signal.ts'
import type { Command, Terminal } from './terminal/terminal.ts'

/** `postern start`: serves in this process or in workers, until a signal ends it. */
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

/** How long workers may take to end after `DRAIN_SECONDS`; docs/operations.md names it for supervisors. */
const LONGEST_END = 2 * MINUTE

/** Runs the server as several processes; this one only starts and replaces them. */
async function runWorkers(terminal: Terminal, config: Config, stopping: Promise<void>): Promise<number> {
  const { supervise } = await import('../cluster/supervise.ts')
  const { createLog } = await import('../telemetry/create-log.ts')
  const { toConsole } = await import('./terminal/console-log.ts')
  const { stopMessage, printReady } = await import('./terminal/server-messages.ts')
  const { findFreePort } = await import('../net/free-port.ts')
  // Workers share the port by separate sockets, so a server of another installation on it would receive some connections.
  await findFreePort(config.http.host, config.http.port)
  const { logLevel, drain } = config.operations
  void stopping.then(() => terminal.complain(stopMessage(drain)))
  return supervise({
    count: config.workers,
    // With `PORT=0` the port is chosen once for all workers.
    env: { PORT: String(config.http.port) },
    log: createLog(logLevel, undefined, terminal.isInteractive ? toConsole(terminal.print) : undefined),
    onReady: (ready) => printReady(terminal, ready),
    stopping,
    patience: drain + LONGEST_END,
    beat: BEAT,
  })
}

/** Chooses the port of `PORT=0` before any link is built, so that links have the port of the server. */
async function withTruePort(config: Config): Promise<Config> {
  const { host, port } = config.http
  if (port !== 0) return config
  const { findFreePort } = await import('../net/free-port.ts')
  return withPort(config, await findFreePort(host))
}
