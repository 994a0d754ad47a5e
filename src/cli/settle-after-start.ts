import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Clock, loadMeter, SECOND } from '../core/clock.ts'

/**
 * A second that took less than this share of a processor is a quiet one. A collection blocks the process for 0.1 to 0.2 seconds; 70
 * calls a second take more than this share, and a process without calls takes half of it.
 */
const QUIET = 0.02
/** Seconds that are checked for quiet; a server that starts under load has no quiet one. */
const LOOKS = 10

interface SettleOptions {
  looks?: number
  meter?: typeof loadMeter
  collect?: () => void
}

/**
 * Does the work that a start defers: in the first quiet second it writes the compile cache, so that a start after a kill has it too, and
 * collects the garbage of the start. A server that is never quiet writes the cache after the last check, and its work collects garbage.
 */
export function settleAfterStart(
  clock: Clock,
  { looks = LOOKS, meter = loadMeter, collect = collectGarbage }: SettleOptions = {},
): void {
  const load = meter()
  clock.after(SECOND, () => {
    const isQuiet = load() < QUIET
    if (!isQuiet && looks > 1) return settleAfterStart(clock, { looks: looks - 1, meter, collect })
    flushCompileCache()
    if (isQuiet) collect()
  })
}

/**
 * Collects the garbage of the start, a fifth of an idle server's memory, and shrinks the young generation. `--expose-gc` on the command
 * line would invalidate the compiled modules that Node carries, which costs 30 ms of a start. So the flag is set only while a context
 * with the function is made.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as NonNullable<typeof globalThis.gc>
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
