import { stopwatch } from '#src/core/clock.ts'
import { inSeconds, Mismatch } from './check.ts'
import { type Door, openDoor } from './door.ts'
import { type Peers, startPeers } from './peers.ts'
import { createPrint, type Print } from './print.ts'

/** What a story is told with. */
export interface Stage {
  print: Print
  peers: Peers
  door: Door
}

/** How long the tour takes, as the README and the tour's own title say it: most of it is the wait for two retries. */
export const TOUR_SECONDS = 10

const TIDY = 'Every process of the tour has ended, and its data is gone.'

/**
 * Tells a story to its end, or to the first thing that is not as it should be, and leaves nothing running.
 * @returns the exit code
 */
export async function perform(story: (stage: Stage) => Promise<void>): Promise<number> {
  const elapsed = stopwatch()
  const print = createPrint(process.stdout)
  const interrupted = interruption()
  print.title(
    'A tour of Postern',
    `For about ${TOUR_SECONDS} seconds a real server, a real mail server, a receiver of webhooks and a provider of accounts run on this machine. What you see goes through the public doors alone: the command line and HTTP. → went in, ← came out, ✓ was verified just now. Ids and secrets are cut short.`,
  )
  const peers = await startPeers()
  try {
    await Promise.race([story({ print, peers, door: openDoor(peers, print) }), peers.crashed, interrupted])
  } catch (failure) {
    const complaints = peers.complaints()
    await peers.stop()
    if (failure instanceof Mismatch) print.mismatch(failure)
    const reason = failure instanceof Mismatch ? [] : [...wordsOf(failure as Error), '']
    print.end(`The tour ends here, after ${print.verified} checks.`, false, [
      ...reason,
      TIDY,
      ...(complaints.length === 0 ? [] : ['', 'Postern said:', ...complaints]),
    ])
    return 1
  }
  await peers.stop()
  print.end(`All ${print.verified} checks passed in ${inSeconds(elapsed())}.`, true, [
    TIDY,
    '',
    'npm start     starts Postern for you, on http://localhost:3000 with its data in ./data',
    'README.md     has the first five minutes, and where to read on',
  ])
  return 0
}

function wordsOf({ message, cause }: Error): string[] {
  const because = cause instanceof Error ? `: ${cause.message}` : ''
  return `${message}${because}`.trim().split('\n')
}

/** Rejects when the visitor leaves: by a signal, or by closing what is written to (`npm run tour | head`). */
function interruption(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => reject(new Error(`It was ended by ${signal}.`)))
  }
  process.stdout.on('error', reject)
  // It may come before anybody waits for it.
  promise.catch(() => {})
  return promise
}
