import { chromium } from 'playwright-core'
import { pause, SECOND } from '#src/core/clock.ts'
import { EMAIL, PASSWORD } from './access.ts'
import { ms, spreadOf } from './figures.ts'
import type { Options } from './options.ts'
import { publisher, startReceiver } from './publisher.ts'
import type { Row } from './table.ts'

const RATE = 500
/** A browser draws 60 times a second; a frame that took one turn and a half was late. */
const [FRAMES, LATE_MS] = [60, 25]

/** Counts in the page: the time between one frame and the next. */
const gapsOf = (durationMs: number) => `new Promise((resolve) => {
  const gaps = []
  let before = performance.now()
  const end = before + ${durationMs}
  const draw = () => {
    const now = performance.now()
    gaps.push(now - before)
    before = now
    if (now < end) requestAnimationFrame(draw)
    else resolve(gaps)
  }
  requestAnimationFrame(draw)
})`

/** Whether the console's list of deliveries stays as smooth as a page at rest while hundreds of them come in. */
export async function benchTail({ engine, steadyMs, progress }: Options): Promise<Row[]> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  const receiver = await startReceiver()
  const ours = await publisher(engine)
  const browser = await chromium.launch({
    executablePath,
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  })
  try {
    await ours.webhook(`${receiver.url}/tail`)
    const page = await (await browser.newContext({ viewport: { width: 1_280, height: 900 } })).newPage()
    const origin = `http://localhost:${new URL(ours.server.url).port}`
    await page.request.post(`${origin}/v1/auth/sign-in/email`, { data: { email: EMAIL, password: PASSWORD } })
    await page.goto(`${origin}/console/${ours.organizationId}/deliveries`)
    await page.locator('.live-live').waitFor()
    await ours.paced(100, SECOND)
    await page.locator('tbody tr').nth(20).waitFor()
    await pause(2 * SECOND)
    progress('the list at rest')
    const rest = spreadOf((await page.evaluate(gapsOf(steadyMs / 2))) as number[])
    progress(`${RATE} deliveries a second`)
    const load = ours.paced(RATE, steadyMs + 2 * SECOND)
    await pause(SECOND)
    const gaps = (await page.evaluate(gapsOf(steadyMs))) as number[]
    const told = await page.locator('.page-actions .number').textContent()
    await load
    const perSecond = (gaps.length * SECOND) / gaps.reduce((sum, gap) => sum + gap, 0)
    const late = gaps.filter((gap) => gap > LATE_MS).length
    const live = spreadOf(gaps)
    return [
      {
        name: `live list of deliveries at ${RATE} a second`,
        measured: `${perSecond.toFixed(1)} frames a second, p99 ${ms(live.p99)}, longest ${ms(live.max)}, ${late} of ${gaps.length} late; the page shows ${told ?? 'nothing'}`,
        raw: `p99 ${ms(rest.p99)} at rest`,
        goal: `≥ ${FRAMES - 1} frames a second`,
        isMet: perSecond >= FRAMES - 1,
      },
    ]
  } finally {
    await browser.close()
    await ours.stop('kill')
    await receiver.stop()
  }
}
