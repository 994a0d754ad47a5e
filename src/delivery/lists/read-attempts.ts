import { derivedId, type Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { AttemptRecord } from '../../db/tables/webhooks.ts'
import { readAnswer } from '../attempt/kept-answer.ts'
import { readHeaders } from '../attempt/kept-headers.ts'

type Delivery = Tables['delivery']

/** An attempt as it can be looked at. */
export interface RecordedAttempt extends Omit<AttemptRecord, 'request_headers' | 'response_headers'> {
  id: Id<'attempt'>
  number: number
  requestHeaders: Record<string, string>
  responseHeaders: Record<string, string> | null
}

/** Every attempt of a delivery, first to last. The one that ended it may be stored in the delivery's own row. */
export async function attemptsOf(db: Db, delivery: Delivery): Promise<RecordedAttempt[]> {
  const { id: deliveryId, event_id: eventId, attempts: count } = delivery
  const rows: (AttemptRecord & Pick<RecordedAttempt, 'number'>)[] = await db
    .selectFrom('attempt')
    .selectAll()
    .where('delivery_id', '=', deliveryId)
    .orderBy('number')
    .execute()
  if (delivery.started_at != null) rows.push({ ...(delivery as Delivery & AttemptRecord), number: count })
  return rows.map((row) => ({
    ...row,
    id: derivedId('attempt', deliveryId, row.started_at, row.number),
    requestHeaders: readHeaders(row.request_headers, {
      ...{ deliveryId, eventId, number: row.number },
      startedAt: row.started_at,
    }),
    responseHeaders: row.response_headers === null ? null : readAnswer(row.response_headers),
  }))
}
