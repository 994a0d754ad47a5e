import { randomFillSync } from 'node:crypto'
import type { Millis } from '../core/clock.ts'
import type { SpanContext } from '../core/span-context.ts'

/** By their numbers in OpenTelemetry. */
export const SPAN_KIND = { internal: 0, server: 1, client: 2, producer: 3 } as const

/** `TraceFlags` of a trace that is kept. */
export const SAMPLED = 1

export type Value = string | number | boolean | string[]
/** Undefined values are not exported. */
export type Attributes = Record<string, Value | undefined>

/** A span that has ended, before it is written in the protocol. Attributes hold no secret, body, query or mail address. */
export interface Span extends SpanContext {
  name: string
  kind: keyof typeof SPAN_KIND
  /** Of the same trace; undefined: the span begins it. */
  parentSpanId?: string | undefined
  startedAt: Millis
  endedAt: Millis
  attributes: Attributes
  links?: SpanContext[]
  /** What failed, in a word; undefined where nothing did. */
  error?: string | undefined
}

/** Bytes of the id of a trace, and of that of a span. */
const [TRACE_BYTES, SPAN_BYTES] = [16, 8]
/** Randomness is drawn for many ids at a time, as that of identifiers is (`core/id.ts`). */
const pool = Buffer.allocUnsafe(256 * (TRACE_BYTES + SPAN_BYTES))
let drawn = pool.length

function draw(bytes: number): string {
  if (drawn + bytes > pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  drawn += bytes
  return pool.toString('hex', drawn - bytes, drawn)
}

/** A context of a new trace. */
export function newContext(): SpanContext {
  return { traceId: draw(TRACE_BYTES), spanId: draw(SPAN_BYTES) }
}

export function newSpanId(): string {
  return draw(SPAN_BYTES)
}

/** A context as it comes from another program. */
export interface ForeignContext extends SpanContext {
  isSampled: boolean
}

const LONGEST_TRACEPARENT = 200
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Reads a `traceparent` (W3C Trace Context, 3.2). @returns undefined where it is none */
export function readTraceparent(text: unknown): ForeignContext | undefined {
  if (typeof text !== 'string' || text.length > LONGEST_TRACEPARENT) return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(text) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function writeTraceparent({ traceId, spanId }: SpanContext, isSampled: boolean): string {
  return `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}`
}
