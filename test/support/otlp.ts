/** Reads messages of OTLP as the official `.proto` files of OpenTelemetry (v1) number them; nothing here is the exporter's. */

type Kind = 'text' | 'hex' | 'integer' | 'boolean' | 'double' | 'moment' | 'count' | 'counts' | 'doubles'
/** The fields of a message: a kind, a message, or a list of messages. */
type Shape = { [number: number]: [name: string, kind: Kind | Shape | [Shape] | (() => Shape)] }

type Message = Record<string, unknown>

const ANY: Shape = {
  1: ['text', 'text'],
  2: ['boolean', 'boolean'],
  3: ['integer', 'integer'],
  4: ['double', 'double'],
  5: ['list', () => LIST],
}
const LIST: Shape = { 1: ['values', [ANY]] }
const KEY_VALUE: Shape = { 1: ['key', 'text'], 2: ['value', ANY] }
const RESOURCE: Shape = { 1: ['attributes', [KEY_VALUE]] }
const SCOPE: Shape = { 1: ['name', 'text'], 2: ['version', 'text'] }

const SPAN: Shape = {
  ...{ 1: ['traceId', 'hex'], 2: ['spanId', 'hex'], 4: ['parentSpanId', 'hex'], 5: ['name', 'text'] },
  ...{ 6: ['kind', 'integer'], 7: ['startedAt', 'moment'], 8: ['endedAt', 'moment'] },
  9: ['attributes', [KEY_VALUE]],
  13: ['links', [{ 1: ['traceId', 'hex'], 2: ['spanId', 'hex'] }]],
  15: ['status', { 2: ['message', 'text'], 3: ['code', 'integer'] }],
}
const NUMBER: Shape = {
  ...{ 2: ['startedAt', 'moment'], 3: ['at', 'moment'], 4: ['value', 'double'] },
  7: ['attributes', [KEY_VALUE]],
}
const HISTOGRAM: Shape = {
  ...{ 2: ['startedAt', 'moment'], 3: ['at', 'moment'], 4: ['count', 'count'], 5: ['sum', 'double'] },
  ...{ 6: ['counts', 'counts'], 7: ['limits', 'doubles'] },
  9: ['attributes', [KEY_VALUE]],
}
const METRIC: Shape = {
  ...{ 1: ['name', 'text'], 2: ['description', 'text'], 3: ['unit', 'text'] },
  5: ['gauge', { 1: ['points', [NUMBER]] }],
  7: ['sum', { 1: ['points', [NUMBER]], 2: ['temporality', 'integer'], 3: ['isMonotonic', 'boolean'] }],
  9: ['histogram', { 1: ['points', [HISTOGRAM]], 2: ['temporality', 'integer'] }],
}
const LOG_RECORD: Shape = {
  ...{ 1: ['at', 'moment'], 2: ['severity', 'integer'], 3: ['level', 'text'], 5: ['body', ANY] },
  6: ['attributes', [KEY_VALUE]],
  ...{ 9: ['traceId', 'hex'], 10: ['spanId', 'hex'] },
}

/** A request has its resources, these their scopes, and these their items. */
const requestOf = (item: Shape): Shape => ({
  1: [
    'resources',
    [{ 1: ['resource', RESOURCE], 2: ['scopes', [{ 1: ['scope', SCOPE], 2: ['items', [item]] }]] }],
  ],
})
const REQUESTS = {
  '/v1/traces': requestOf(SPAN),
  '/v1/metrics': requestOf(METRIC),
  '/v1/logs': requestOf(LOG_RECORD),
}
export type SignalPath = keyof typeof REQUESTS

/** What a request carries, each item with the attributes of its resource. @throws Error where it is no such message */
export function readOtlp(path: SignalPath, bytes: Buffer): { resource: Message; item: Message }[] {
  const { resources = [] } = read(bytes, REQUESTS[path]) as {
    resources?: { resource: Message; scopes?: { items?: Message[] }[] }[]
  }
  return resources.flatMap(({ resource, scopes = [] }) =>
    scopes.flatMap(({ items = [] }) =>
      items.map((item) => ({
        resource: named(resource.attributes),
        item: { ...item, attributes: named(item.attributes) },
      })),
    ),
  )
}

/** Attributes by their names. */
function named(attributes: unknown): Message {
  const all = (attributes ?? []) as { key: string; value: Message }[]
  return Object.fromEntries(all.map(({ key, value }) => [key, plain(value)]))
}

function plain(value: Message): unknown {
  const { list } = value as { list?: { values?: Message[] } }
  return list === undefined ? Object.values(value)[0] : (list.values ?? []).map(plain)
}

function read(bytes: Buffer, shape: Shape): Message {
  const message: Message = {}
  let at = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) throw new Error('the message ends within a number')
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
    throw new Error('a number of more than ten bytes')
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const [wire, number] = [tag & 7, tag >> 3]
    let raw: Buffer | bigint
    if (wire === 0) raw = varint()
    else {
      const length = wire === 2 ? Number(varint()) : wire === 1 ? 8 : wire === 5 ? 4 : -1
      if (length < 0 || at + length > bytes.length) throw new Error(`field ${number} does not fit`)
      raw = bytes.subarray(at, at + length)
      at += length
    }
    const [name, kind] = shape[number] ?? []
    if (name === undefined || kind === undefined) continue
    if (Array.isArray(kind))
      message[name] = [...((message[name] ?? []) as unknown[]), read(raw as Buffer, kind[0])]
    else if (typeof kind === 'object') message[name] = read(raw as Buffer, kind)
    else if (typeof kind === 'function') message[name] = read(raw as Buffer, kind())
    else message[name] = READERS[kind](raw as never)
  }
  return message
}

const NANOS = 1_000_000n
const eights = (bytes: Buffer) => Array.from({ length: bytes.length / 8 }, (_, index) => index * 8)

const READERS: Record<Kind, (raw: never) => unknown> = {
  text: (raw: Buffer) => raw.toString('utf8'),
  hex: (raw: Buffer) => raw.toString('hex'),
  integer: Number,
  boolean: (raw: bigint) => raw === 1n,
  double: (raw: Buffer) => raw.readDoubleLE(),
  moment: (raw: Buffer) => Number(raw.readBigUInt64LE() / NANOS),
  count: (raw: Buffer) => Number(raw.readBigUInt64LE()),
  counts: (raw: Buffer) => eights(raw).map((at) => Number(raw.readBigUInt64LE(at))),
  doubles: (raw: Buffer) => eights(raw).map((at) => raw.readDoubleLE(at)),
}
