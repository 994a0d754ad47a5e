import type { DeliveryItem, Webhook } from '#sdk/postern.ts'
import { now } from '../../app/clock.ts'
import { errorWords, millisOf } from '../../app/words.ts'
import { Due } from '../../parts/time.tsx'

/** The last answer of the receiver: a status, or why there was none. */
export function LastResponse({ item: { lastStatusCode, lastErrorClass } }: { item: DeliveryItem }) {
  if (lastStatusCode !== null) return <span class="number">{lastStatusCode}</span>
  if (lastErrorClass === null) return <span class="quiet">–</span>
  return <span>{errorWords(lastErrorClass)}</span>
}

/** When a delivery is attempted next, or what it waits for. A planned time in the past is not shown, because it does not tell the next attempt. */
export function NextAttempt({
  item: { status, nextAttemptAt },
  webhook,
}: {
  item: DeliveryItem
  /** Its webhook, where that is known. */
  webhook: Webhook | undefined
}) {
  if (status === 'held') return <span class="quiet">when resumed</span>
  if (status !== 'pending') return <span class="quiet">–</span>
  const isDue = (millisOf(nextAttemptAt) ?? 0) <= now()
  if (!isDue) return <Due at={nextAttemptAt} />
  if (webhook?.health.state !== 'parked') return <>{webhook === undefined ? 'queued' : 'at any moment'}</>
  return (
    <span title="The webhook does not respond: one delivery at a time is tried, the others wait">
      once the webhook responds, next try <Due at={webhook.health.nextAttemptAt} />
    </span>
  )
}
