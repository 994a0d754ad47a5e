import { HOPS_HEADER } from './hops.ts'

/** Whose headers they are. */
export interface Owner {
  deliveryId: string
  eventId: string
  /** 1 for the first attempt. */
  number: number
}

/** In their order, what stands in every request, and of which a record keeps the parts that differ. */
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
const [TYPE, DIGEST] = ['application/json', 'sha256=']

/**
 * The headers of a request as its record keeps them: in a few words, of which the last may hold spaces; or as JSON, where they
 * are not the usual ones.
 */
export function keepHeaders(headers: Record<string, string>, { deliveryId, eventId, number }: Owner): string {
  const [type, agent = '', digest = '', delivery, attempt, hops = '', id, timestamp = '', signatures = ''] =
    Object.values(headers)
  const isUsual =
    Object.keys(headers).join() === NAMES.join() &&
    type === TYPE &&
    delivery === deliveryId &&
    attempt === String(number) &&
    id === eventId &&
    /^sha256=[0-9a-f]{64}$/.test(digest) &&
    ![agent, hops, timestamp].some((word) => word === '' || word.includes(' ') || word.startsWith('{'))
  if (!isUsual) return JSON.stringify(headers)
  const short = Buffer.from(digest.slice(DIGEST.length), 'hex').toString('base64url')
  return [agent, hops, timestamp, short, signatures].join(' ')
}

/** What `keepHeaders` was given. */
export function readHeaders(kept: string, { deliveryId, eventId, number }: Owner): Record<string, string> {
  if (kept.startsWith('{')) return JSON.parse(kept) as Record<string, string>
  const [agent = '', hops = '', timestamp = '', short = '', ...signatures] = kept.split(' ')
  const digest = DIGEST + Buffer.from(short, 'base64url').toString('hex')
  const values = [
    TYPE,
    agent,
    digest,
    deliveryId,
    String(number),
    hops,
    eventId,
    timestamp,
    signatures.join(' '),
  ]
  return Object.fromEntries(NAMES.map((name, index) => [name, values[index] ?? '']))
}
