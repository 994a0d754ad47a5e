import { hostname } from 'node:os'
import { isCode, type Postern, PosternError } from '../../sdk/src/postern.ts'
import { type Millis, pause, SECOND, systemClock, toIso } from '../core/clock.ts'
import { createForwarder, type Fetched, type ForwardResult } from './forward.ts'
import { openClient, readCount, URL_OPTION } from './open-client.ts'
import { type Command, type Options, type Terminal, UsageError } from './terminal/terminal.ts'

/** How long a request waits at the server for deliveries. */
const WAIT: Millis = 25 * SECOND
/** How long a failed report is repeated; later another client may have claimed the delivery. */
const REPORT_PATIENCE: Millis = 60 * SECOND
const [FIRST_PAUSE, LONGEST_PAUSE]: [Millis, Millis] = [SECOND / 4, 15 * SECOND]

/** `postern listen`: forwards deliveries of an organization to a local server. Its answers are the attempts' results. */
export const listen: Command = {
  about:
    'Fetches the deliveries of an organization and sends them to a server of this machine, whose answers are the attempts.',
  usage:
    'postern listen --forward-to URL [--events TYPES] [--name NAME] [--at-once N] [--count N] [--new-secret] [--url URL]',
  options: {
    'forward-to': {
      type: 'string',
      about: 'URL to which they are sent, such as http://localhost:3000/hook.',
    },
    events: { type: 'string', about: 'Event types, separated by commas. Default: all.' },
    name: {
      type: 'string',
      about:
        'Name of the listener, under which missed deliveries are held. Default: the name of this machine.',
    },
    'at-once': { type: 'string', about: 'Calls at once, 1 to 32. Default: 4; with 1 they arrive in order.' },
    count: { type: 'string', about: 'Ends after this number of attempts. Default: ends by Ctrl-C.' },
    'new-secret': {
      type: 'boolean',
      default: false,
      about: 'Makes and shows a new secret; the previous one stays valid for 24 hours.',
    },
    ...URL_OPTION,
  },
  async run(terminal, options) {
    const target = readTarget(options)
    const name = readName(options)
    const atOnce = readAtOnce(options)
    const count = readCount(options)
    const client = openClient(terminal, options)
    const opened = await client.listeners.open(name, { events: readEvents(options) })
    const secret = options['new-secret']
      ? (await client.webhooks.rotateSecret(opened.id)).secret
      : opened.secret
    terminal.complain(`Listener ${name} (${opened.id}) sends to ${target.href}. Ctrl-C ends it.`)
    if (opened.resumed)
      terminal.complain('It was disabled, because its server had answered 410 (Gone). It is active again.')
    if (secret !== null) terminal.complain(`Its secret, shown this once: ${secret}`)
    const stop = new AbortController()
    const onSignal = () => stop.abort()
    process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
    const forwarder = createForwarder(target, systemClock)
    try {
      const listening = { client, name, atOnce, count, terminal, signal: stop.signal }
      await forwardAll(listening, forwarder.send, () => stop.abort())
    } finally {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
      await forwarder.close()
    }
    return 0
  },
}

interface Listening {
  client: Postern
  name: string
  atOnce: number
  count: number | undefined
  terminal: Terminal
  signal: AbortSignal
}

/** Forwards deliveries, `atOnce` at a time, until the signal or the last attempt. Attempts under way end first. */
async function forwardAll(
  { client, name, atOnce, count, terminal, signal }: Listening,
  send: (delivery: Fetched) => Promise<ForwardResult>,
  stop: () => void,
): Promise<void> {
  const underWay = new Set<Promise<void>>()
  let failed: unknown
  let begun = 0
  const left = () => (count === undefined ? atOnce : count - begun)
  while (!signal.aborted && left() > 0) {
    // Deliveries are fetched in batches: each request costs a commit.
    while (underWay.size > atOnce / 2) await Promise.race(underWay)
    const limit = Math.min(atOnce - underWay.size, left())
    if (limit < 1) continue
    for (const delivery of await fetchSome({ client, name, terminal, signal }, limit)) {
      begun += 1
      const one = forward(delivery)
        .catch((error: unknown) => {
          failed ??= error
          stop()
        })
        .finally(() => underWay.delete(one))
      underWay.add(one)
    }
  }
  await Promise.all(underWay)
  if (failed !== undefined) throw failed

  async function forward(delivery: Fetched): Promise<void> {
    const result = await send(delivery)
    const outcome = await report({ client, name, signal }, result)
    const { deliveryId, eventType, attempt } = delivery
    const answer = String(result.status ?? result.failure)
    terminal.print(
      `${toIso(systemClock.now())}  ${outcome.padEnd(9)} ${answer.padEnd(8)} ${eventType}  ${result.durationMs} ms  attempt ${attempt}  ${deliveryId}`,
    )
    const said = saidOf(outcome, result)
    if (said !== undefined) terminal.complain(`${deliveryId}: ${said}`)
    const { durationMs, status = null, failure = null, error = null } = result
    terminal.answer({ deliveryId, eventType, attempt, outcome, status, failure, error, durationMs })
  }
}

type Asking = Pick<Listening, 'client' | 'name' | 'terminal' | 'signal'>

/** Waits for deliveries, and retries while the server is unreachable. @returns none after the signal */
async function fetchSome(asking: Asking, limit: number): Promise<Fetched[]> {
  const { client, name, terminal, signal } = asking
  for (let wait = FIRST_PAUSE; !signal.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE)) {
    try {
      const question = { limit, waitMs: WAIT }
      const options = { signal, timeoutMs: WAIT + 15 * SECOND }
      return (await client.listeners.fetch(name, question, options)).deliveries
    } catch (error) {
      if (signal.aborted) break
      if (!isPassing(error)) throw error
      if (wait === FIRST_PAUSE) terminal.complain('The server does not answer; it is asked again.')
      await pause(error.retryAfter === undefined ? wait : error.retryAfter * SECOND, signal)
    }
  }
  return []
}

/** The sentence below the line of an attempt, where its outcome needs one. */
function saidOf(outcome: string, { status }: ForwardResult): string | undefined {
  if (outcome === 'lost')
    return 'this report has changed nothing: an earlier one of it has arrived, the delivery was given to another client after 45 seconds, or it has ended meanwhile.'
  if (outcome === 'unreported')
    return 'the server could not be told of this attempt: the delivery is made once more.'
  if (status === 410 && outcome === 'failed')
    return 'your server answered 410 (Gone), which disables the listener. What comes is held; run `postern listen` again to make it active.'
  return undefined
}

/** Reports a result until the server has it. @returns the outcome; `unreported` where the server could not be reached in time */
async function report(
  { client, name, signal }: Pick<Listening, 'client' | 'name' | 'signal'>,
  result: ForwardResult,
): Promise<string> {
  const latest = systemClock.now() + REPORT_PATIENCE
  for (let wait = FIRST_PAUSE; ; wait = Math.min(wait * 2, LONGEST_PAUSE)) {
    // After Ctrl-C one more try is made.
    const isLast = signal.aborted
    try {
      const [settled] = (await client.listeners.report(name, { results: [result] })).results
      return settled?.outcome ?? 'lost'
    } catch (error) {
      if (!isPassing(error)) throw error
      if (systemClock.now() > latest || isLast) return 'unreported'
      await pause(wait, signal)
    }
  }
}

/** Whether the same call may succeed later, so that it is retried. */
function isPassing(error: unknown): error is PosternError {
  if (!(error instanceof PosternError)) return false
  return isCode(error, 'NETWORK') || isCode(error, 'TIMEOUT') || error.status === 429 || error.status >= 500
}

/** @throws UsageError */
function readTarget({ 'forward-to': text }: Options): URL {
  const url = URL.parse(String(text ?? ''))
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError('--forward-to must be an address such as http://localhost:3000/hook.')
  return url
}

/** @throws UsageError */
function readName({ name }: Options): string {
  if (name === undefined)
    return (
      hostname()
        .toLowerCase()
        .replaceAll(/[^a-z0-9-]/g, '-')
        .replace(/^-+/, '')
        .slice(0, 63) || 'listener'
    )
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(String(name)))
    throw new UsageError('--name must be small letters, digits and dashes, 63 at most.')
  return String(name)
}

/** @throws UsageError */
function readAtOnce({ 'at-once': text = '4' }: Options): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1 || number > 32)
    throw new UsageError('--at-once must be a whole number from 1 to 32.')
  return number
}

function readEvents({ events = '*' }: Options): string[] {
  return String(events)
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '')
}
