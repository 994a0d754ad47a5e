import { type Millis, SECOND } from '../../core/clock.ts'
import { writeTraceparent } from '../../telemetry/span.ts'
import { attemptContext, TRACE_HEADER } from './attempt-context.ts'
import { HOPS_HEADER } from './hops.ts'

/** The attempt that the headers belong to. */
export interface Owner {
  deliveryId: string
  eventId: string
  /** 1 for the first attempt. */
  number: number
  startedAt: Millis
}

/** The headers of every request in their order, before that of a trace; a record keeps the parts of them that differ. */
const NAMES = [
  'content-type',
  'user-agent',
  'x-service-signature',
  'x-service-delivery',
  'x-service-attempt',
  HOPS_HEADER,
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
]
const ALL_NAMES = NAMES.join()
const TRACED_NAMES = [...NAMES, TRACE_HEADER].join()
const [TYPE, AGENT, DIGEST, SIGNED] = ['application/json', 'Postern', 'sha256=', 'v1,']

/** Agent, moment, hops and signatures, as they usually are. */
const USUAL = /^Postern\/\S+ [1-9]\d* (0|[1-9]\d*) v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$/

/** What the record of a traced attempt begins with, by whether the trace is sampled: the header follows from the owner. */
const [SAMPLED, UNSAMPLED] = ['t1', 't0']
const TRACED = /^t[01]/

/** The headers of a request as its record keeps them: in a few words; or as JSON, where they are not the usual ones. */
export function keepHeaders(headers: Record<string, string>, owner: Owner): string {
  const trace = headers[TRACE_HEADER]
  if (trace === undefined) return keepUsual(headers, ALL_NAMES, owner) ?? JSON.stringify(headers)
  const mark = markOf(trace, owner)
  const kept = mark && keepUsual(headers, TRACED_NAMES, owner)
  return kept === undefined ? JSON.stringify(headers) : mark + kept
}

/** @returns undefined where the trace is not that of the owner */
function markOf(trace: string, owner: Owner): string | undefined {
  const context = attemptContext(owner.eventId, owner.deliveryId, owner.number)
  if (trace === writeTraceparent(context, true)) return SAMPLED
  return trace === writeTraceparent(context, false) ? UNSAMPLED : undefined
}

/** @returns undefined where they are not the usual ones, with these names in this order */
function keepUsual(headers: Record<string, string>, names: string, owner: Owner): string | undefined {
  const [type, agent = '', digest = '', delivery, attempt, hops, id, timestamp, signatures = ''] =
    Object.values(headers)
  const isUsual =
    Object.keys(headers).join() === names &&
    type === TYPE &&
    delivery === owner.deliveryId &&
    attempt === String(owner.number) &&
    id === owner.eventId &&
    /^sha256=[0-9a-f]{64}$/.test(digest) &&
    USUAL.test(`${agent} ${timestamp} ${hops} ${signatures}`)
  if (!isUsual) return undefined
  const short = Buffer.from(digest.slice(DIGEST.length), 'hex').toString('base64url')
  const digests = signatures.slice(SIGNED.length, -1).replaceAll(`= ${SIGNED}`, ' ')
  return `${agent.slice(AGENT.length)} ${hops} ${Number(timestamp) - secondOf(owner)} ${short} ${digests}`
}

/** Decodes what `keepHeaders` encoded. */
export function readHeaders(kept: string, owner: Owner): Record<string, string> {
  if (kept.startsWith('{')) return JSON.parse(kept) as Record<string, string>
  const [mark] = TRACED.exec(kept) ?? []
  const values = readKept(kept.slice(mark?.length ?? 0), owner)
  const headers = Object.fromEntries(NAMES.map((name, index) => [name, values[index] ?? '']))
  return mark === undefined ? headers : { ...headers, [TRACE_HEADER]: traceOf(owner, mark) }
}

function traceOf({ eventId, deliveryId, number }: Owner, mark: string): string {
  return writeTraceparent(attemptContext(eventId, deliveryId, number), mark === SAMPLED)
}

/** The values, in the order of their names. */
function readKept(kept: string, owner: Owner): string[] {
  const [agent = '', hops = '', moment = '', short = '', ...signatures] = kept.split(' ')
  return [
    TYPE,
    AGENT + agent,
    DIGEST + Buffer.from(short, 'base64url').toString('hex'),
    owner.deliveryId,
    String(owner.number),
    hops,
    owner.eventId,
    String(Number(moment) + secondOf(owner)),
    signatures.map((each) => `${SIGNED}${each}=`).join(' '),
  ]
}

const secondOf = ({ startedAt }: Owner) => Math.floor(startedAt / SECOND)
