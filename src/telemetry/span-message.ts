import type { Collecting } from './export-queue.ts'
import { createProtobufWriter, type ProtobufWriter } from './protobuf.ts'
import { SCOPE } from './scope.ts'
import { type Attributes, SAMPLED, SPAN_KIND, type Span, type Value } from './span.ts'

/** Fields by their numbers in the protocol (opentelemetry/proto/trace/v1, common/v1). */
const SPAN = { trace: 1, id: 2, parent: 4, name: 5, kind: 6, start: 7, end: 8, attributes: 9, links: 13 }
const [SPAN_STATUS, SPAN_FLAGS] = [15, 16]
const LINK = { trace: 1, id: 2, flags: 6 }
const STATUS = { message: 2, code: 3 }
const VALUE = { text: 1, boolean: 2, integer: 3, double: 4, list: 5 }
const PAIR = { key: 1, value: 2 }
/** Of a scope. */
const [NAME, VERSION] = [1, 2]
/** A request has resources, these scopes, and these spans. */
const [RESOURCES, RESOURCE, SCOPES, SCOPE_FIELD, SPANS, ITEMS] = [1, 1, 2, 1, 2, 1]

/** Of a status. */
const ERROR = 2
/** The kinds are numbered from 1 in the protocol. */
const FIRST_KIND = 1
/** Characters of a value; more are cut. */
const LONGEST_VALUE = 4_096

/** Collects spans as fields of a request, so that no object is kept until its export. */
export function collectSpans(): Collecting<Span, Uint8Array<ArrayBuffer>> {
  const writer = createProtobufWriter()
  return { add: (span) => writeSpan(writer, span), take: writer.take }
}

function writeSpan(writer: ProtobufWriter, span: Span): void {
  const { traceId, spanId, parentSpanId, name, kind, startedAt, attributes, links, error } = span
  const place = writer.begin(SPANS)
  writer.hex(SPAN.trace, traceId)
  writer.hex(SPAN.id, spanId)
  if (parentSpanId !== undefined) writer.hex(SPAN.parent, parentSpanId)
  writer.text(SPAN.name, name.slice(0, LONGEST_VALUE))
  writer.integer(SPAN.kind, SPAN_KIND[kind] + FIRST_KIND)
  writer.nanos(SPAN.start, startedAt)
  // Of two clocks the one that wrote the beginning may be ahead.
  writer.nanos(SPAN.end, Math.max(startedAt, span.endedAt))
  writeAttributes(writer, SPAN.attributes, attributes)
  if (error !== undefined) writePair(writer, SPAN.attributes, 'error.type', error)
  if (links !== undefined)
    for (const link of links) {
      const begun = writer.begin(SPAN.links)
      writer.hex(LINK.trace, link.traceId)
      writer.hex(LINK.id, link.spanId)
      writer.fixed32(LINK.flags, SAMPLED)
      writer.end(begun)
    }
  if (error !== undefined) {
    const begun = writer.begin(SPAN_STATUS)
    writer.text(STATUS.message, error.slice(0, LONGEST_VALUE))
    writer.integer(STATUS.code, ERROR)
    writer.end(begun)
  }
  writer.fixed32(SPAN_FLAGS, SAMPLED)
  writer.end(place)
}

/** Makes requests to a collector, of spans that were collected. */
export function requestsOf(resource: Attributes): (spans: Uint8Array) => Uint8Array {
  const writer = createProtobufWriter()
  const head = (field: number, length: number) => {
    writer.head(field, length)
    return writer.take()
  }
  const begun = writer.begin(RESOURCE)
  writeAttributes(writer, ITEMS, resource)
  writer.end(begun)
  const ofResource = writer.take()
  const place = writer.begin(SCOPE_FIELD)
  writer.text(NAME, SCOPE.name)
  writer.text(VERSION, SCOPE.version)
  writer.end(place)
  const ofScope = writer.take()
  // Each part begins with its length, so that the spans are copied once.
  return (spans) => {
    const inScopes = head(SCOPES, ofScope.length + spans.length)
    const length = ofResource.length + inScopes.length + ofScope.length + spans.length
    return Buffer.concat([head(RESOURCES, length), ofResource, inScopes, ofScope, spans])
  }
}

function writeAttributes(writer: ProtobufWriter, field: number, attributes: Attributes): void {
  for (const name in attributes) {
    const value = attributes[name]
    if (value !== undefined) writePair(writer, field, name, value)
  }
}

/** Names of attributes as fields: all of them are in the code or in the settings. */
const names = new Map<string, Uint8Array>()

function nameOf(name: string): Uint8Array {
  const known = names.get(name)
  if (known !== undefined) return known
  const writer = createProtobufWriter()
  writer.text(PAIR.key, name)
  const made = writer.take()
  names.set(name, made)
  return made
}

function writePair(writer: ProtobufWriter, field: number, name: string, value: Value): void {
  const pair = writer.begin(field)
  writer.append(nameOf(name))
  const begun = writer.begin(PAIR.value)
  writeValue(writer, value)
  writer.end(begun)
  writer.end(pair)
}

function writeValue(writer: ProtobufWriter, value: Value): void {
  if (typeof value === 'string') writer.text(VALUE.text, value.slice(0, LONGEST_VALUE))
  else if (typeof value === 'boolean') writer.integer(VALUE.boolean, value ? 1 : 0)
  else if (typeof value === 'number') writeNumber(writer, value)
  else {
    const list = writer.begin(VALUE.list)
    for (const one of value) {
      const begun = writer.begin(ITEMS)
      writeValue(writer, one)
      writer.end(begun)
    }
    writer.end(list)
  }
}

function writeNumber(writer: ProtobufWriter, value: number): void {
  if (value >= 0 && Number.isSafeInteger(value)) writer.integer(VALUE.integer, value)
  else writer.double(VALUE.double, value)
}
