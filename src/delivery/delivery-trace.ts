import type { Clock, Millis } from '../core/clock.ts'
import { causeOf } from '../core/context.ts'
import { type Id, momentOf } from '../core/id.ts'
import { contextOf, noteEffect, type SpanContext, spanIdOf } from '../core/span-context.ts'
import { afterCommit } from '../db/database.ts'
import { type Attributes, writeTraceparent } from '../telemetry/span.ts'
import type { Spans } from '../telemetry/telemetry.ts'
import { attemptContext } from './attempt/attempt-context.ts'
import type { DeliveryJob, DeliverySettlement } from './attempt/delivery-job.ts'
import type { Sent, WriteTrace } from './attempt/send.ts'
import type { Fact, PublishAll, Published } from './publish/publish.ts'

/** An attempt that was made, and what became of its delivery. */
interface TracedAttempt {
  organizationId: Id<'organization'>
  eventId: Id<'event'>
  deliveryId: Id<'delivery'>
  webhookId: Id<'webhook'>
  number: number
  startedAt: Millis
  /** undefined: a client has made it. */
  url: string | undefined
  sent: Sent
  /** `pending`: it is tried again. */
  status: 'delivered' | 'pending' | 'failed'
  reason: string | null
}

/** The spans of events and deliveries (docs/telemetry.md). */
export interface DeliveryTrace {
  writeTrace: WriteTrace
  /** Ends the spans of events that were committed. */
  published(facts: { fact: Fact; now: Millis }[], published: Published[], endedAt: Millis): void
  /** Ends the span of an attempt, and that of its delivery where that has ended. @returns what its line of the log says of the span */
  attempted(attempt: TracedAttempt): { trace_id: string; span_id: string }
}

/** The spans follow from what is known after a commit or an attempt: nothing is kept for them before. */
export function createDeliveryTrace({ isSampled, add }: Spans): DeliveryTrace {
  const whose = (organizationId: string): Attributes => ({ 'postern.organization.id': organizationId })

  function publishedOne(fact: Fact, { id, deliveries }: Published, startedAt: Millis, endedAt: Millis): void {
    const context = contextOf(id)
    const { cause } = fact
    if (!isSampled(context.traceId)) return
    noteEffect(cause, context)
    add({
      ...{ ...context, name: `publish ${fact.type}`, kind: 'producer', startedAt, endedAt },
      links: cause === undefined ? [] : [contextOnly(cause)],
      attributes: {
        ...whose(fact.organizationId),
        ...{
          'postern.event.id': id,
          'postern.event.type': fact.type,
          'postern.event.deliveries': deliveries,
        },
      },
    })
  }

  return {
    writeTrace({ eventId, deliveryId, attempt }) {
      const context = attemptContext(eventId, deliveryId, attempt)
      return writeTraceparent(context, isSampled(context.traceId))
    },
    published(facts, published, endedAt) {
      for (const [index, { fact, now }] of facts.entries()) {
        const one = published[index]
        if (one !== undefined) publishedOne(fact, one, now, endedAt)
      }
    },
    attempted({ organizationId, eventId, deliveryId, webhookId, ...made }) {
      const context = attemptContext(eventId, deliveryId, made.number)
      const fields = { trace_id: context.traceId, span_id: context.spanId }
      if (!isSampled(context.traceId)) return fields
      const { startedAt, sent, status, reason } = made
      const endedAt = startedAt + sent.durationMs
      const names = {
        ...whose(organizationId),
        ...{
          'postern.event.id': eventId,
          'postern.delivery.id': deliveryId,
          'postern.webhook.id': webhookId,
        },
      }
      const delivery = { traceId: context.traceId, spanId: spanIdOf(deliveryId) }
      add({
        ...{ ...context, parentSpanId: delivery.spanId, name: 'POST', kind: 'client', startedAt, endedAt },
        attributes: { ...names, ...callOf(made.url, made.number, sent) },
        error: status === 'delivered' ? undefined : (reason ?? status),
      })
      if (status === 'pending') return fields
      add({
        ...{ ...delivery, parentSpanId: spanIdOf(eventId), name: 'delivery', kind: 'internal', endedAt },
        startedAt: Math.min(momentOf(deliveryId), startedAt),
        attributes: { ...names, 'postern.delivery.attempts': made.number, 'postern.delivery.status': status },
        error: status === 'failed' ? (reason ?? status) : undefined,
      })
      return fields
    },
  }
}

/** The server that a URL names, by the conventions of HTTP. */
function serverOf(url: string): Attributes {
  const { hostname, port, protocol } = new URL(url)
  const standard = protocol === 'http:' ? 80 : 443
  return {
    ...{ 'server.address': hostname, 'server.port': port === '' ? standard : Number(port) },
    'url.scheme': protocol.slice(0, -1),
  }
}

/** Ends the spans of an attempt. @returns its line of the log, with its place in the trace */
export function traceAttempt(
  trace: DeliveryTrace | undefined,
  { job, url, settlement, line }: Attempted,
): object {
  const { attempt, status, reason } = settlement
  if (trace === undefined || attempt === null) return line
  const { id: deliveryId, laneId: webhookId, organizationId, eventId, attempts } = job
  const ids = { organizationId, eventId, deliveryId, webhookId, number: attempts + 1 }
  const { startedAt, sent } = attempt
  return { ...line, ...trace.attempted({ ...ids, startedAt, url, sent, status, reason }) }
}

interface Attempted {
  job: DeliveryJob
  /** undefined: a client has made it. */
  url: string | undefined
  settlement: DeliverySettlement
  line: object
}

/** Publishing, with the spans of what was committed of it. */
export function tracedPublishing(
  publishAll: PublishAll,
  { published }: DeliveryTrace,
  clock: Clock,
): PublishAll {
  return async (tx, requests) => {
    const all = await publishAll(tx, requests)
    const cause = causeOf()
    afterCommit(tx, () =>
      published(
        requests.map(({ now, fact }) => ({ now, fact: { cause, ...fact } })),
        all,
        clock.now(),
      ),
    )
    return all
  }
}

const contextOnly = ({ traceId, spanId }: SpanContext): SpanContext => ({ traceId, spanId })

/** A call by the conventions of HTTP. The path of a destination may be its secret, so that no part of it is told. */
function callOf(url: string | undefined, number: number, { result }: Sent): Attributes {
  return {
    ...{ 'http.request.method': 'POST', 'http.request.resend_count': number - 1 },
    ...(url === undefined ? {} : serverOf(url)),
    ...('status' in result ? { 'http.response.status_code': result.status } : {}),
  }
}
