import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { insertAttempts, toRecord } from '../attempt/attempt-row.ts'
import type { Outcome } from '../attempt/outcome.ts'
import type { Sent } from '../attempt/send.ts'
import { addCounts, countsOfEnded } from '../counts/delivery-counts.ts'
import { insertDeliveries, newDeliveryRow } from './delivery-row.ts'

/** A sample event that was sent to one webhook, and its result. */
interface Sample {
  organizationId: Id<'organization'>
  webhookId: Id<'webhook'>
  eventId: Id<'event'>
  deliveryId: Id<'delivery'>
  type: string
  body: Buffer
  sent: Sent
  outcome: Outcome
}

/** Records a sample when it is over, with its one attempt, and counts it like any other delivery: nothing more is done for it. */
export async function recordSample(tx: Tx, sample: Sample, now: Millis): Promise<void> {
  const { organizationId, webhookId, eventId, deliveryId, type, body, sent } = sample
  const { verdict, reason } = sample.outcome
  const isDelivered = verdict === 'delivered'
  await tx
    .insertInto('event')
    .values({ id: eventId, organization_id: organizationId, type, body, hops: 0, created_at: now })
    .execute()
  const owner = { organization_id: organizationId, webhook_id: webhookId }
  const status = isDelivered ? 'delivered' : 'failed'
  await insertDeliveries(tx, [
    {
      ...newDeliveryRow({ ...owner, event_id: eventId, event_type: type, sample: 1 }, now, {}),
      ...{ id: deliveryId, status, reason: isDelivered ? null : reason },
      ...{ attempts: 1, due_at: null, horizon_at: now },
    },
  ])
  const record = toRecord({ startedAt: now, sent, outcome: verdict })
  await insertAttempts(tx, [
    { organization_id: organizationId, delivery_id: deliveryId, number: 1, ...record },
  ])
  await addCounts(tx, countsOfEnded(tx, [{ ...owner, id: deliveryId, status, duration: record.duration_ms }]))
}
