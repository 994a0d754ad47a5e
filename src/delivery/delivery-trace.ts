import type { Clock, Millis } from '../core/clock.ts'
import { currentSpan } from '../core/context.ts'
import { momentOf } from '../core/id.ts'
import { memoizeRecent } from '../core/memoize.ts'
import { type ActiveSpan, addLink, spanContextOf, spanIdOf } from '../core/span-context.ts'
import { afterCommit } from '../db/database.ts'
import { writeTraceparent } from '../telemetry/span.ts'
import type { Spans } from '../telemetry/telemetry.ts'
import { attemptContext } from './attempt/attempt-context.ts'
import type { DeliveryJob, DeliverySettlement } from './attempt/delivery-job.ts'
import type { Made } from './attempt/judge-attempt.ts'
import type { DeliveryRequest, Send, Sent } from './attempt/send.ts'
import type { Fact, PublishAll, Published } from './publish/publish.ts'

/** The members of a publication in the span of its event. */
interface TracedRequest {
  fact: Pick<Fact, 'organizationId' | 'type' | 'cause'>
  now: Millis
}

/** An attempt, and the resulting state of its delivery. */
interface TracedAttempt extends Pick<DeliverySettlement, 'status' | 'reason'> {
  job: Pick<DeliveryJob, 'id' | 'laneId' | 'organizationId' | 'eventId' | 'attempts'>
  /** undefined: a client has made it. */
  url: string | undefined
  startedAt: Millis
  sent: Sent
}

/** The spans of events and deliveries (docs/telemetry.md). */
export interface DeliveryTrace {
  /** The `traceparent` of an attempt. */
  writeTrace(attempt: Pick<DeliveryRequest, 'eventId' | 'deliveryId' | 'attempt'>): string
  /**
   * Ends the spans of events that were committed.
   * @param cause the cause of those that name none
   */
  published(
    requests: TracedRequest[],
    published: Published[],
    cause: ActiveSpan | undefined,
    endedAt: Millis,
  ): void
  /** Ends the span of an attempt, and that of an ended delivery. @returns the fields of the span for the log */
  attempted(attempt: TracedAttempt): { trace_id: string; span_id: string }
}

/** The most cached destinations. */
const MOST_SERVERS = 1_000

/** Builds spans from the data of a commit or an attempt, without state in between. */
export function createDeliveryTrace({ isSampled, add }: Spans): DeliveryTrace {
  const serverAt = memoizeRecent(MOST_SERVERS, serverOf)

  function publishedOne(
    { fact: { organizationId, type }, now: startedAt }: TracedRequest,
    { id, deliveries }: Published,
    cause: ActiveSpan | undefined,
    endedAt: Millis,
  ): void {
    const context = spanContextOf(id)
    if (!isSampled(context.traceId)) return
    addLink(cause, context)
    add({
      traceId: context.traceId,
      spanId: context.spanId,
      name: `publish ${type}`,
      kind: 'producer',
      startedAt,
      endedAt,
      links: cause === undefined ? [] : [cause],
      attributes: {
        'postern.organization.id': organizationId,
        'postern.event.id': id,
        'postern.event.type': type,
        'postern.event.deliveries': deliveries,
      },
    })
  }

  return {
    writeTrace({ eventId, deliveryId, attempt }) {
      const context = attemptContext(eventId, deliveryId, attempt)
      return writeTraceparent(context, isSampled(context.traceId))
    },
    published(requests, published, cause, endedAt) {
      for (const [index, request] of requests.entries()) {
        const one = published[index]
        if (one !== undefined) publishedOne(request, one, request.fact.cause ?? cause, endedAt)
      }
    },
    attempted({ job, url, startedAt, sent, status, reason }) {
      const { id: deliveryId, eventId } = job
      const number = job.attempts + 1
      const { traceId, spanId } = attemptContext(eventId, deliveryId, number)
      const fields = { trace_id: traceId, span_id: spanId }
      if (!isSampled(traceId)) return fields
      const endedAt = startedAt + sent.durationMs
      const ofDelivery = spanIdOf(deliveryId)
      const { status: code } = sent.result as { status?: number }
      const server = url === undefined ? NO_SERVER : serverAt(url)
      const ids = {
        'postern.organization.id': job.organizationId,
        'postern.event.id': eventId,
        'postern.delivery.id': deliveryId,
        'postern.webhook.id': job.laneId,
      }
      add({
        traceId,
        spanId,
        parentSpanId: ofDelivery,
        name: 'POST',
        kind: 'client',
        startedAt,
        endedAt,
        attributes: {
          ...ids,
          'http.request.method': 'POST',
          'http.request.resend_count': number - 1,
          'server.address': server.address,
          'server.port': server.port,
          'url.scheme': server.scheme,
          'http.response.status_code': code,
        },
        error: status === 'delivered' ? undefined : (reason ?? status),
      })
      if (status === 'pending') return fields
      add({
        traceId,
        spanId: ofDelivery,
        parentSpanId: spanIdOf(eventId),
        name: 'delivery',
        kind: 'internal',
        startedAt: Math.min(momentOf(deliveryId), startedAt),
        endedAt,
        attributes: {
          ...ids,
          'postern.delivery.attempts': number,
          'postern.delivery.status': status,
        },
        error: status === 'failed' ? (reason ?? status) : undefined,
      })
      return fields
    },
  }
}

/** The name of a server in spans. The path of a destination may be a secret, so spans have no part of it. */
interface ServerNames {
  address?: string
  port?: number
  scheme?: string
}

/** Of an attempt that a client has made. */
const NO_SERVER: ServerNames = {}

/** Names the server of a URL by the conventions of HTTP. */
function serverOf(url: string): ServerNames {
  const { hostname, port, protocol } = new URL(url)
  const standard = protocol === 'http:' ? 80 : 443
  return { address: hostname, port: port === '' ? standard : Number(port), scheme: protocol.slice(0, -1) }
}

/**
 * Ends the spans of an attempt.
 * @param url the called URL; undefined where a client made the attempt
 * @returns its log line, with the ids of its trace and span
 */
export function traceAttempt(
  trace: DeliveryTrace | undefined,
  { settlement, line }: Made,
  url: string | undefined,
): object {
  const { job, attempt, status, reason } = settlement
  if (trace === undefined || attempt === null) return line
  const { startedAt, sent } = attempt
  return { ...line, ...trace.attempted({ job, url, startedAt, sent, status, reason }) }
}

/** Publishes with spans of the committed events. */
export function tracedPublishing(
  publishAll: PublishAll,
  { published }: DeliveryTrace,
  clock: Clock,
): PublishAll {
  return async (tx, requests) => {
    const all = await publishAll(tx, requests)
    const cause = currentSpan()
    afterCommit(tx, () => published(requests, all, cause, clock.now()))
    return all
  }
}

/** Sends with the header of the trace. */
export function tracedSending(send: Send, { writeTrace }: DeliveryTrace): Send {
  return (target, request) => send(target, { ...request, traceparent: writeTrace(request) })
}
