import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { after } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { SECOND, toDate } from '#src/core/clock.ts'
import { close } from './http-server.ts'
import { until } from './waits.ts'

/** An entry of the audit log, as it is streamed. */
export interface StreamedEntry {
  id: string
  action: string
  organizationId: string | null
  targetId: string | null
}

/** One request to the receiver. */
interface Page {
  headers: IncomingHttpHeaders
  body: string
  entries: StreamedEntry[]
}

/** A real receiver of an audit stream. */
export interface Siem {
  url: string
  /** Requests of the path `/`, refused ones too. */
  pages: Page[]
  /** Requests whose connection is open and whose answer has not ended. */
  open: number
  /** The status of an answer; undefined: none comes. */
  answer: (page: Page) => number | undefined | Promise<number | undefined>
  /** Entries of answers with 200, in the order of arrival. */
  taken: StreamedEntry[]
  /** Resolves when all of these have been taken. */
  has(ids: string[], nudge?: () => Promise<void>): Promise<void>
}

/** Starts a receiver, which ends with the suite. */
export async function startSiem(): Promise<Siem> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const body = Buffer.concat(chunks).toString()
      const lines = body.trimEnd().split('\n')
      const page = { headers: request.headers, body, entries: lines.map((line) => JSON.parse(line)) }
      siem.pages.push(page)
      siem.open += 1
      response.once('close', () => {
        siem.open -= 1
      })
      const status = await siem.answer(page)
      if (status === undefined) return
      if (status === 200) siem.taken.push(...page.entries)
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => close(server))
  const address = server.address()
  const siem: Siem = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`,
    pages: [],
    open: 0,
    answer: () => 200,
    taken: [],
    async has(ids, nudge = async () => {}) {
      const missing = async () => {
        await nudge()
        const taken = new Set(siem.taken.map(({ id }) => id))
        return ids.filter((id) => !taken.has(id))
      }
      await until(missing, (left) => left.length === 0, { what: 'every entry to be taken' })
    },
  }
  return siem
}

/** Whether a page has this secret's signatures: that of the official library, and our own. */
export function isSigned({ headers, body }: Page, secret: string): boolean {
  const at = toDate(Number(headers['webhook-timestamp']) * SECOND)
  const standard = new Webhook(secret).sign(String(headers['webhook-id']), at, body)
  const own = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const among = String(headers['webhook-signature']).split(' ')
  return among.includes(standard) && headers['x-service-signature'] === own
}
