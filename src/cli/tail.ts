import { openClient, readCount, URL_OPTION } from './open-client.ts'
import type { Command } from './terminal/terminal.ts'

/** The printed fields of a delivery. */
interface Shown {
  id: string
  webhookId: string
  eventType: string
  status: string
  attemptCount: number
  lastStatusCode: number | null
  lastErrorClass: string | null
  url: string
  updatedAt: string
}

/** `postern tail`: prints the deliveries of an organization as they change. */
export const tail: Command = {
  about: 'Shows the deliveries of an organization as they happen, by its API key or your login.',
  usage: 'postern tail [--url URL] [--webhook ID] [--count N]',
  options: {
    ...URL_OPTION,
    webhook: { type: 'string', about: 'Shows only deliveries of this webhook.' },
    count: { type: 'string', about: 'Ends after this number of deliveries. Default: ends by Ctrl-C.' },
  },
  async run(terminal, options) {
    const client = openClient(terminal, options)
    const count = readCount(options)
    const webhookId = options.webhook as string | undefined
    const unopened = new AbortController()
    let wasOpen = false
    const stream = client.stream(
      { topics: 'deliveries', webhookId },
      {
        signal: unopened.signal,
        onState(state, error) {
          if (state === 'open') wasOpen = true
          else if (wasOpen) terminal.complain('The connection is gone; it is opened again.')
          else unopened.abort(error)
        },
      },
    )
    let shown = 0
    for await (const { event, data } of stream) {
      if (event === 'open') terminal.complain('Waiting for deliveries; Ctrl-C ends it.')
      if (event === 'gap') terminal.complain('Some were missed: GET /v1/deliveries lists them.')
      if (event === 'end') terminal.complain(`The stream ended: ${data.reason}.`)
      if (event !== 'delivery') continue
      terminal.print(lineOf(data))
      terminal.answer(data)
      shown += 1
      if (shown === count) break
    }
    return shown === count || count === undefined ? 0 : 1
  },
}

function lineOf({
  id,
  eventType,
  status,
  attemptCount,
  lastStatusCode,
  lastErrorClass,
  url,
  updatedAt,
}: Shown): string {
  const answer = lastStatusCode ?? lastErrorClass ?? '-'
  return `${updatedAt}  ${status.padEnd(9)} ${String(answer).padEnd(8)} ${eventType}  ${url}  attempt ${attemptCount}  ${id}`
}
