import { renewedToken } from '../../sdk/src/login.ts'
import { Postern } from '../../sdk/src/postern.ts'
import { CLI_CLIENT } from '../access/authorization/built-in-clients.ts'
import { readConfig, readVariable } from '../config/config.ts'
import { serverOf } from './login.ts'
import { loginStore } from './logins.ts'
import { type Command, type Options, type Terminal, UsageError } from './terminal/terminal.ts'

/** What is shown of a delivery; the stream carries it as the list does. */
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

/** `postern tail`: the deliveries of an organization as they happen, from this machine or another. */
export const tail: Command = {
  about: 'Shows the deliveries of an organization as they happen, by its API key or your login.',
  usage: 'postern tail [--url URL] [--webhook ID] [--count N]',
  options: {
    url: {
      type: 'string',
      about: 'Where Postern is. Default: `POSTERN_URL`, or the server of these settings.',
    },
    webhook: { type: 'string', about: 'Of this webhook alone.' },
    count: { type: 'string', about: 'Ends after so many; without it, by Ctrl-C.' },
  },
  async run(terminal, options) {
    const client = openClient(terminal, options)
    const count = readCount(options)
    const webhookId = options.webhook as string | undefined
    const stream = client.stream(
      { topics: 'deliveries', webhookId },
      {
        onState: (state) =>
          state === 'waiting' && terminal.complain('The connection is gone; it is opened again.'),
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

/** @throws UsageError */
function openClient(terminal: Terminal, options: Options): Postern {
  const { env } = terminal
  const apiKey = readVariable('POSTERN_API_KEY', env)
  if (apiKey === undefined) return byLogin(terminal, options)
  const baseUrl = options.url ?? readVariable('POSTERN_URL', env) ?? readConfig(env).web.baseUrl
  if (!URL.canParse(String(baseUrl)))
    throw new UsageError('--url must be an address such as https://id.example.com.')
  return new Postern({ baseUrl: String(baseUrl), apiKey })
}

/** @throws UsageError where this user has not logged in there */
function byLogin(terminal: Terminal, options: Options): Postern {
  const baseUrl = serverOf(terminal, options)
  const store = loginStore(terminal.env, baseUrl)
  if (store.read() === undefined)
    throw new UsageError(
      'POSTERN_API_KEY must hold an API key of the organization, or "postern login" comes first.',
    )
  return new Postern({ baseUrl, token: renewedToken({ baseUrl, clientId: CLI_CLIENT, store }) })
}

/** @throws UsageError */
function readCount({ count }: Options): number | undefined {
  if (count === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(String(count))) throw new UsageError('--count must be a whole number from 1 on.')
  return Number(count)
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
