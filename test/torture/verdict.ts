import type { Load, Type } from './publisher.ts'
import type { Stand, Webhook } from './stand.ts'
import type { Taken } from './takings.ts'

/** What a scenario found. Without failures every promise was kept. */
export interface Verdict {
  failures: string[]
  figures: Record<string, number | string>
}

interface Row {
  id: string
  event_id: string
  webhook_id: string
  status: string
  attempts: number
  recorded: number
  claim_id: string | null
  reason: string | null
}

/** Failures of one kind that are listed. */
const MOST_REPORTED = 20

/** What may have happened to a run. */
export interface Circumstances {
  /** Number of interruptions of deliveries in flight, which bounds the duplicates. */
  interruptions: number
  /** Whether several processes sent at once, so that duplicates may arrive in one life. */
  isShared?: boolean
}

/** Compares the acknowledged events, the received deliveries and the table, once nothing is pending. */
export async function judge(
  stand: Stand,
  { interruptions, isShared = false }: Circumstances,
): Promise<Verdict> {
  const { store, load, webhooks, takings } = stand
  const events = await store.query<{ id: string; body: Uint8Array }>('select id, body from event')
  const deliveries = await store.query<Row>(
    `select id, event_id, webhook_id, status, cast(attempts as integer) as attempts, claim_id, reason, (
       select cast(count(*) as integer) from attempt where attempt.delivery_id = delivery.id
     ) + case when started_at is null then 0 else 1 end as recorded from delivery`,
  )
  const rows = new Map(deliveries.map((row) => [`${row.event_id} ${row.webhook_id}`, row]))
  const known = new Set(events.map(({ id }) => id))
  const missing = lost(load, webhooks, takings.of, rows, known)
  const repeated = isShared ? tooMany(webhooks, takings.of, interruptions) : tooOften(webhooks, takings.of)
  const failures = [
    ...reported('acknowledged and not delivered', missing),
    ...reported('delivered twice in one life, or more than was in flight', repeated),
    ...reported('in the table against its own rules', crooked(deliveries, rows)),
    ...reported(
      'taken in and not in the table',
      webhooks.flatMap(({ name }) => strangers(takings.of(name), known)),
    ),
    ...reported('insisted on, and not there exactly once', unequal(load, events)),
    ...reported('counted otherwise than there are', await miscounted(stand)),
    ...reported('answered outside the catalogue', load.strange),
    ...(stand.server.hasCrashed()
      ? [`the server ended by itself: ${stand.server.lastWords().slice(-2_000)}`]
      : []),
  ]
  const bound = interruptions * webhooks.reduce((sum, { maxInFlight }) => sum + maxInFlight, 0)
  return {
    failures,
    figures: {
      'events acknowledged': load.acknowledged.size,
      'events in the table': events.length,
      'requests without an answer': load.unanswered(),
      'requests refused': [...load.refusals].map(([code, count]) => `${count} ${code}`).join(', ') || 0,
      'deliveries taken in': takings.count(),
      'acknowledged deliveries lost': missing.length,
      duplicates: `${webhooks.reduce((sum, { name }) => sum + duplicates(takings.of(name)), 0)} (bound ${bound})`,
      'errors logged': [...stand.server.errors()].map(([text, count]) => `${count} ${text}`).join(', ') || 0,
    },
  }
}

interface Count {
  webhook_id: string
  made: number
  delivered: number
  failed: number
}

/** Webhooks whose counters differ from the rows of the table, from which nothing has been removed. */
async function miscounted({ store }: Stand): Promise<string[]> {
  const figures = (made: string, delivered: string, failed: string) =>
    `webhook_id, ${made} as made, ${delivered} as delivered, ${failed} as failed`
  const whole = (text: string) => `cast(${text} as integer)`
  const of = (status: string) => whole(`sum(case when status = '${status}' then 1 else 0 end)`)
  const rows = await store.query<Count>(
    `select ${figures(whole('count(*)'), of('delivered'), of('failed'))} from delivery group by webhook_id`,
  )
  const counts = await store.query<Count>(
    `select ${figures(whole('sum(made)'), whole('sum(delivered)'), whole('sum(failed)'))}
     from delivery_count group by webhook_id`,
  )
  const told = ({ made, delivered, failed }: Count) =>
    `${made} made, ${delivered} delivered, ${failed} failed`
  const counted = new Map(counts.map((count) => [count.webhook_id, told(count)]))
  return rows
    .filter((row) => counted.get(row.webhook_id) !== told(row))
    .map((row) => `${row.webhook_id}: ${told(row)}, and counted: ${counted.get(row.webhook_id)}`)
}

function reported(kind: string, found: string[]): string[] {
  if (found.length === 0) return []
  const more = found.length > MOST_REPORTED ? [`… and ${found.length - MOST_REPORTED} more`] : []
  return [
    `${found.length} ${kind}:`,
    ...[...found.slice(0, MOST_REPORTED), ...more].map((line) => `  ${line}`),
  ]
}

/** Acknowledged events that a matching webhook's destination never took in, and where the table has them. */
function lost(
  load: Load,
  webhooks: Webhook[],
  of: (name: string) => Taken,
  rows: Map<string, Row>,
  known: Set<string>,
): string[] {
  return webhooks.flatMap(({ name, id, types }) =>
    matching(load.acknowledged, types)
      .filter((event) => !of(name).events.has(event))
      .map((event) => `${event} → ${name}: ${whereabouts(rows.get(`${event} ${id}`), known.has(event))}`),
  )
}

function matching(acknowledged: Map<string, Type>, types: Type[]): string[] {
  return [...acknowledged].filter(([, type]) => types.includes(type)).map(([event]) => event)
}

function whereabouts(row: Row | undefined, isKnown: boolean): string {
  if (row === undefined) return isKnown ? 'the event is there without a delivery' : 'no trace of the event'
  const claim = row.claim_id === null ? 'unclaimed' : `claimed by ${row.claim_id}`
  return `delivery ${row.id} is ${row.status} (${row.reason}), ${row.attempts} attempts, ${claim}`
}

/** A delivery may come again after the life in which it was in flight, and no more than were in flight in that. */
function tooOften(webhooks: Webhook[], of: (name: string) => Taken): string[] {
  return webhooks.flatMap(({ name, maxInFlight }) => {
    const found: string[] = []
    const cutOff = new Map<number, number>()
    for (const [delivery, lives] of of(name).deliveries) {
      if (new Set(lives).size < lives.length) found.push(`${delivery} → ${name} in the lives ${lives}`)
      for (const life of lives.slice(0, -1)) cutOff.set(life, (cutOff.get(life) ?? 0) + 1)
    }
    for (const [life, count] of cutOff)
      if (count > maxInFlight) found.push(`${count} of life ${life} → ${name}, which takes ${maxInFlight}`)
    return found
  })
}

/** As `tooOften`, for scenarios in which lives cannot be distinguished. */
function tooMany(webhooks: Webhook[], of: (name: string) => Taken, interruptions: number): string[] {
  return webhooks
    .filter(({ name, maxInFlight }) => duplicates(of(name)) > interruptions * maxInFlight)
    .map(({ name }) => `${duplicates(of(name))} → ${name}`)
}

function duplicates({ deliveries }: Taken): number {
  let count = 0
  for (const lives of deliveries.values()) count += lives.length - 1
  return count
}

/** Rows that break a rule: one delivery for each event and webhook, delivered, without a claim, with every attempt recorded. */
function crooked(deliveries: Row[], rows: Map<string, Row>): string[] {
  return deliveries
    .filter(
      (row) =>
        rows.get(`${row.event_id} ${row.webhook_id}`) !== row ||
        row.status !== 'delivered' ||
        row.claim_id !== null ||
        row.recorded !== row.attempts,
    )
    .map((row) => `${whereabouts(row, true)}, ${row.recorded} recorded`)
}

/** Received events that are not in the table: an event must be committed before it is sent. */
function strangers({ events }: Taken, known: Set<string>): string[] {
  return [...events].filter((event) => !known.has(event))
}

/** Asked for again with the same Idempotency-Key, an event is there once, and is the one that was answered. */
function unequal({ insisted }: Load, events: { id: string; body: Uint8Array }[]): string[] {
  const runs = new Map<string, string[]>()
  for (const { id, body } of events) {
    const run = /"runId":"(run_\d+)"/.exec(Buffer.from(body).toString('latin1'))?.[1] ?? ''
    runs.set(run, [...(runs.get(run) ?? []), id])
  }
  return [...insisted]
    .filter(([run, event]) => runs.get(run)?.length !== 1 || runs.get(run)?.[0] !== event)
    .map(([run, event]) => `${run}: answered ${event}, in the table ${runs.get(run)?.join(' ') ?? 'nothing'}`)
}
