import { DAY, HOUR, MINUTE, type Millis, SECOND, systemClock, toIso } from '../core/clock.ts'
import { FURTHEST, moveClock, readAhead } from '../store/clock-ahead.ts'
import { type Command, UsageError } from './terminal/terminal.ts'
import { withStore } from './with-store.ts'

const UNITS: Record<string, Millis> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY }

/** `postern clock`: moves the clock of a development installation (`DEV_CLOCK`). */
export const clock: Command = {
  about: 'Shows the clock of an installation with DEV_CLOCK=on, and moves it ahead.',
  usage: 'postern clock [--advance DURATION]',
  options: {
    advance: { type: 'string', about: 'Duration by which the clock moves, such as 30s, 10m, 24h or 31d.' },
  },
  async run(terminal, options) {
    const by = options.advance === undefined ? 0 : readDuration(String(options.advance))
    return withStore(terminal, async ({ config, database }) => {
      if (!config.devClock) {
        terminal.complain(
          'The clock can be moved where DEV_CLOCK=on is set, for the server and for this command.',
        )
        return 1
      }
      const ahead = by === 0 ? await readAhead(database.db) : await moveClock(database, by)
      const now = toIso(systemClock.now() + ahead)
      terminal.print(`${now}, ${ahead / SECOND} s ahead of this machine.`)
      terminal.answer({ now, aheadMs: ahead })
      return 0
    })
  },
}

/** @throws UsageError */
function readDuration(text: string): Millis {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const by = Number(count) * (UNITS[unit] ?? 0)
  if (by <= 0 || by > FURTHEST)
    throw new UsageError('--advance must be a duration of up to 4000d, such as 30s, 10m, 24h or 31d.')
  return by
}
