import { type Millis, SECOND } from '../../core/clock.ts'
import { type Id, idFloor, newId } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { DeliveryRow } from '../../db/tables/webhooks.ts'
import { isUnclaimed } from '../../jobs/queue/queue-rows.ts'
import { DEADLINE } from '../attempt/send.ts'
import { selectBodies } from '../queue/delivery-row.ts'

/** A claim is void after this time: an attempt takes 30 s at most, and its report some more. */
const LEASE: Millis = DEADLINE + 15 * SECOND
/** The most bytes of bodies in one claim; a larger first delivery is claimed alone. */
const MOST_BYTES = 1024 * 1024

/** A delivery that a client has claimed, with its event. */
export interface HeldDelivery
  extends Pick<DeliveryRow, 'id' | 'event_id' | 'event_type' | 'attempts' | 'due_at' | 'horizon_at'>,
    Pick<Tables['event'], 'hops' | 'body'> {
  bytes: number
}

/** Records that a client fetches deliveries of a locked webhook. @returns the updated webhook */
export type NoteListening = (tx: Tx, webhook: Tables['webhook'], now: Millis) => Promise<Tables['webhook']>

interface Claimed {
  claimId: Id<'listenerClaim'>
  webhook: Tables['webhook']
  deliveries: HeldDelivery[]
}

/**
 * Claims due deliveries of a listener, the longest due first. The row of the webhook is locked, so that two clients never get the same one,
 * and none of a deleted listener is claimed.
 * @returns undefined where it is no listener any more, or is disabled
 */
export async function claimHeld(
  tx: Tx,
  webhookId: Id<'webhook'>,
  limit: number,
  note: NoteListening,
  now: Millis,
): Promise<Claimed | undefined> {
  const webhook = await lock(
    tx,
    tx
      .selectFrom('webhook')
      .selectAll()
      .where('id', '=', webhookId)
      .where('listener', 'is not', null)
      .where('status', '=', 'paused'),
  ).executeTakeFirst()
  if (webhook === undefined) return undefined
  await freeExpired(tx, webhookId, now)
  const claimId = newId('listenerClaim', now)
  const chosen = withinBytes(await findDue(tx, webhookId, limit, now))
  const listening = { claimId, webhook: await note(tx, webhook, now) }
  if (chosen.length === 0) return { ...listening, deliveries: [] }
  const updated = await tx
    .updateTable('delivery')
    .set({ claim_id: claimId })
    .where(
      'id',
      'in',
      chosen.map(({ id }) => id),
    )
    .where(isUnclaimed({ table: 'delivery' }))
    .returning('id')
    .execute()
  const ours = new Set(updated.map(({ id }) => id))
  const claimed = chosen.filter(({ id }) => ours.has(id))
  const events = await selectBodies(
    tx,
    claimed.map(({ event_id }) => event_id),
  )
  const deliveries = claimed.map((row) => ({
    ...row,
    body: events.get(row.event_id)?.body ?? new Uint8Array(),
  }))
  return { ...listening, deliveries }
}

/** Releases a claimed delivery without an attempt. @returns false where the claim no longer held */
export async function releaseHeld(
  tx: Tx,
  id: Id<'delivery'>,
  claimId: Id<'listenerClaim'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('delivery')
    .set({ claim_id: null })
    .where('id', '=', id)
    .where('claim_id', '=', claimId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Frees deliveries that a client claimed and neither reported nor released in time. The id of a claim has its moment. */
async function freeExpired(tx: Tx, webhookId: Id<'webhook'>, now: Millis): Promise<void> {
  const claimed = (from: Millis, before: Millis) =>
    tx
      .updateTable('delivery')
      .set({ claim_id: null })
      .where('webhook_id', '=', webhookId)
      .where('claim_id', '>=', idFloor('listenerClaim', from))
      .where('claim_id', '<', idFloor('listenerClaim', before))
      .execute()
  await claimed(0, now - LEASE)
  // A claim in the future was made with a wrong clock.
  await claimed(now + LEASE, Number.MAX_SAFE_INTEGER)
}

type Due = Omit<HeldDelivery, 'body'>

/** Unclaimed due deliveries of a listener, the longest due first. */
export function findDue(db: Db | Tx, webhookId: Id<'webhook'>, limit: number, now: Millis): Promise<Due[]> {
  return db
    .selectFrom('delivery')
    .innerJoin('event', 'event.id', 'delivery.event_id')
    .select(['delivery.id', 'event_id', 'event_type', 'attempts', 'due_at', 'horizon_at', 'event.hops'])
    .select(({ fn }) => fn<number>('length', ['event.body']).as('bytes'))
    .where('webhook_id', '=', webhookId)
    .where(isUnclaimed({ table: 'delivery' }))
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('delivery.id')
    .limit(limit)
    .execute()
}

/** As many as fit into one answer, one at least. */
function withinBytes(due: Due[]): Due[] {
  let sum = 0
  const end = due.findIndex(({ bytes }, index) => {
    sum += bytes
    return index > 0 && sum > MOST_BYTES
  })
  return end === -1 ? due : due.slice(0, end)
}
