import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { IS_NIGHTLY } from './nightly.ts'

/**
 * `POSTERN_TEST_SLOW=1` slows the network and the processor of every page, which reveals tests that pass only on a fast
 * machine. The number is the seed of the delays.
 */
const SLOW = Number(process.env.POSTERN_TEST_SLOW ?? 0)
/** `npm run test:nightly` has the slow line alone: a browser slows a page down by keeping the processor busy. */
const SEED = SLOW || (IS_NIGHTLY ? 1 : 0)

/** By what the page's processor is slower. */
const SLOWER = SLOW > 0 ? 6 : 1
/** An answer of the API, or a module, waits as long: each another time, so that two may come in the other order. */
const [SHORTEST, LONGEST] = [100, 700]
const DELAYED = ['*/v1/*', '*/console/assets/*']

/** Slows a page from now on, and each page that it opens. */
export async function slowDown(page: Page): Promise<void> {
  if (SEED === 0) return
  page.on('popup', (other) => void slow(other).catch(() => {}))
  await slow(page)
}

async function slow(page: Page): Promise<void> {
  const control = await page.context().newCDPSession(page)
  const next = delays(SEED)
  control.on('Fetch.requestPaused', ({ requestId }) => {
    // The page may have closed the request.
    sleep(next())
      .then(() => control.send('Fetch.continueRequest', { requestId }))
      .catch(() => {})
  })
  // The delay is on the way back, so that the effect of the request is there before the page knows.
  const patterns = DELAYED.map((urlPattern) => ({ urlPattern, requestStage: 'Response' as const }))
  await control.send('Fetch.enable', { patterns })
  await control.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
}

/** The same ones for the same seed. */
function delays(seed: number): () => number {
  let state = seed
  return () => {
    // Park and Miller's: enough for what need only be uneven.
    state = (state * 48_271) % 2_147_483_647
    return SHORTEST + (state % (LONGEST - SHORTEST + 1))
  }
}
