import { startApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { stopwatch, systemClock } from '../core/clock.ts'
import { VERSION } from '../version.ts'
import type { Command } from './command.ts'

/** `postern start`: serves until a signal ends it. */
export const start: Command = {
  about: 'Starts the server.',
  usage: 'postern start',
  options: {},
  async run(terminal) {
    const elapsed = stopwatch()
    const config = readConfig(terminal.env)
    const stopping = signalled()
    const app = await startApp({ config, clock: systemClock })
    const store = config.databaseUrl === undefined ? config.dataDir : 'PostgreSQL (DATABASE_URL)'
    terminal.print(
      [
        '',
        `  Postern ${VERSION} is ready (${Math.round(elapsed())} ms).`,
        '',
        ...(app.address === undefined
          ? ['  Role      worker']
          : [
              `  Listening ${app.address}`,
              `  Base URL  ${config.baseUrl}`,
              `  API docs  ${config.baseUrl}/api/docs`,
            ]),
        `  Data      ${store}`,
        '',
        '  Invite the first administrator, from this folder:',
        '    npx postern invite --organization "Acme" --email you@example.com --role administrator',
        '',
      ].join('\n'),
    )
    await stopping
    terminal.complain('Stopping; work under way may take up to 30 s.')
    await app.stop()
    return 0
  },
}

/** Resolves at the first signal to end; a second one ends the process at once. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}
