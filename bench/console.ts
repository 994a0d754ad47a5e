import { type BrowserContext, chromium } from 'playwright-core'
import { administrator, PASSWORD } from '../test/support/people.ts'
import { type Postern, startPostern } from '../test/support/postern.ts'
import { median, ms } from './figures.ts'
import { moment } from './moment.ts'
import type { Options } from './options.ts'
import type { Row } from './table.ts'

/** A network and a machine for Chromium to emulate: latency, throughput, and the factor by which the processor is slower. */
const LINES = [
  {
    name: 'phone (150 ms, 1.6 Mb/s, processor ÷ 4)',
    latency: 150,
    throughput: 200_000,
    slower: 4,
    goal: 1_300,
  },
  { name: 'office line (10 ms, 50 Mb/s)', latency: 10, throughput: 6_250_000, slower: 1, goal: 500 },
] as const
const MOST_PREPARING = 300

/** How soon the console shows its first row, beside a bare page of the same server. */
export async function benchConsole({ rounds, progress }: Options): Promise<Row[]> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  const [postern, browser] = [
    await startPostern('sqlite'),
    await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] }),
  ]
  try {
    const admin = await administrator(postern)
    const webhook = { url: 'https://example.com/hooks', events: ['webhook.test'] }
    await admin.client.post('/v1/webhooks', webhook, { token: admin.token })
    const begin = moment()
    await (await fetch(`${postern.url}/console`)).text()
    const preparing = moment() - begin
    const rows: Row[] = [
      {
        name: 'first request after a start, which prepares the console',
        measured: ms(preparing),
        raw: '',
        goal: `< ${MOST_PREPARING} ms`,
        isMet: preparing < MOST_PREPARING,
      },
    ]
    for (const line of LINES) {
      progress(line.name)
      const shown: number[] = []
      const bare: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        const context = await browser.newContext()
        const data = { email: admin.email, password: PASSWORD }
        await context.request.post(`${addressOf(postern)}/v1/auth/sign-in/email`, { data })
        const path = `/console/${admin.organizationId}/webhooks`
        shown.push(await timeTo(context, `${addressOf(postern)}${path}`, 'tbody tr', line))
        await context.close()
        const other = await browser.newContext()
        bare.push(await timeTo(other, `${addressOf(postern)}/`, 'h1', line))
        await other.close()
      }
      const took = median(shown)
      rows.push({
        name: `first row of the webhooks, empty cache, ${line.name}`,
        measured: ms(took),
        raw: `${ms(median(bare))} (start page)`,
        goal: `≤ ${line.goal} ms`,
        isMet: took <= line.goal,
      })
    }
    return rows
  } finally {
    await browser.close()
    await postern.stop()
  }
}

const addressOf = ({ env }: Postern) => `http://localhost:${env.PORT}`

/** Milliseconds from the request of an address until an element is there, in a browser with empty caches. */
async function timeTo(
  context: BrowserContext,
  url: string,
  selector: string,
  { latency, throughput, slower }: (typeof LINES)[number],
): Promise<number> {
  const page = await context.newPage()
  const control = await context.newCDPSession(page)
  await control.send('Network.enable')
  const conditions = { offline: false, latency, downloadThroughput: throughput, uploadThroughput: throughput }
  await control.send('Network.emulateNetworkConditions', conditions)
  await control.send('Emulation.setCPUThrottlingRate', { rate: slower })
  const begin = moment()
  await page.goto(url, { waitUntil: 'commit' })
  await page.locator(selector).first().waitFor()
  return moment() - begin
}
