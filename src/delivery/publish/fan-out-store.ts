import { type Id, newId, packIds } from '../../core/id.ts'
import type { Tables } from '../../db/tables/tables.ts'

type Event = Tables['event']

/** Webhooks of one row at most: each step writes the row again. */
const MOST_WEBHOOKS = 1_000

/** An event and the webhooks that it still has to reach. */
interface Left {
  event: Event
  /** One list for all events that reach the same ones. */
  subscribers: { id: Id<'webhook'> }[]
}

/** Rows, written with these events, that name the subscribers without a delivery so far. */
export function toFanOuts(left: Left[]): Tables['fan_out'][] {
  const groups = new Map<Left['subscribers'], Event[]>()
  for (const { event, subscribers } of left) {
    const group = groups.get(subscribers)
    if (group === undefined) groups.set(subscribers, [event])
    else group.push(event)
  }
  const rows: Tables['fan_out'][] = []
  for (const [subscribers, events] of groups) {
    const [first] = events as [Event]
    for (let start = 0; start < subscribers.length; start += MOST_WEBHOOKS)
      rows.push({
        id: newId('fanOut', first.created_at),
        organization_id: first.organization_id,
        events: packIds(events.map(({ id }) => id)),
        webhooks: packIds(subscribers.slice(start, start + MOST_WEBHOOKS).map(({ id }) => id)),
        position: 0,
      })
  }
  return rows
}
