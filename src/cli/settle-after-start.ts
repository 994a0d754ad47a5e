import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Clock, loadMeter, SECOND } from '../core/clock.ts'

/**
 * A second that took less than this share of a processor is a quiet one. A collection blocks the process for 0.1 to 0.2 seconds; 70
 * calls a second take more than this share, and a process without calls takes half of it.
 */
const QUIET = 0.02
/** Looks for a quiet second; a server that starts under load has none. */
const LOOKS = 10

interface SettleOptions {
  looks?: number
  meter?: typeof loadMeter
  collect?: () => void
}

/**
 * Does what a start leaves for later, as no client of the server needs it: in the first quiet second, the
 * compiled sources are kept for the next start, also one after a kill, and what starting left behind is collected. A
 * server that is never quiet keeps the sources after its last look; its memory is collected by its work.
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
 * Collects what starting has left behind: a fifth of an idle server's memory, and the room for the short-lived that grew
 * with it. Said when Node is started, `--expose-gc` would have it compile its own modules anew, because what comes compiled with
 * it was compiled without: 30 ms of a start. So it is said for as long as a context is made that has the function.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as NonNullable<typeof globalThis.gc>
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
