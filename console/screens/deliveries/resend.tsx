import { useState } from 'preact/hooks'
import type { DeliveryItem } from '#sdk/postern.ts'
import { outdate, useData } from '../../app/data/cache.ts'
import { toFailure } from '../../app/data/failure.ts'
import { postern } from '../../app/data/postern.ts'
import { count, explain } from '../../app/words.ts'
import { Progress } from '../../parts/bar.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { toast } from '../../parts/toast.tsx'

/** As many as the API takes at once. */
const MOST_IDS = 1_000

/** Retries deliveries after saying how many. A pending one is attempted at once; for one that has ended a new delivery is created. */
export function Resend({
  items,
  onClose,
}: {
  items: readonly Pick<DeliveryItem, 'id' | 'status'>[]
  onClose: () => void
}) {
  const [done, setDone] = useState(0)
  const ended = items.filter(({ status }) => status === 'delivered' || status === 'failed').length
  const delivered = items.filter(({ status }) => status === 'delivered').length
  // Undelivered ones are retried by one job of the server, delivered ones by a call each.
  const undelivered = items.flatMap(({ id, status }) =>
    status === 'failed' || status === 'pending' ? id : [],
  )
  const together = undelivered.length > 1 ? undelivered.slice(0, MOST_IDS) : []
  const matched = useData(
    together.length === 0 ? undefined : `resend-count ${together.join(' ')}`,
    async (how) => {
      const answer = await postern.deliveries.retryAll({ ids: together, dryRun: true }, how)
      return 'matched' in answer ? answer.matched : together.length
    },
  ).data
  const work = async () => {
    let refused: unknown
    let made = 0
    if (together.length > 0) {
      const job = await postern.deliveries.retryAll({ ids: together }, { maxRetries: 3 })
      made = 'total' in job ? job.total : 0
      setDone(together.length)
    }
    const sent = new Set(together)
    const others = items.filter(({ id }) => !sent.has(id))
    for (const [at, { id }] of others.entries()) {
      try {
        await postern.deliveries.retry(id, { maxRetries: 3 })
        made += 1
      } catch (thrown) {
        refused ??= thrown
      }
      setDone(together.length + at + 1)
    }
    outdate('deliveries')
    if (refused !== undefined && made === 0) throw refused
    toast(
      refused === undefined
        ? `${count(made, 'delivery is', 'deliveries are')} on the way`
        : `${made} of ${items.length} are on the way. ${explain(toFailure(refused)).title}`,
    )
  }
  return (
    <Confirm
      title={
        items.length === 1
          ? 'Retry this delivery?'
          : `Retry ${count(items.length, 'delivery', 'deliveries')}?`
      }
      action={items.length === 1 ? 'Retry' : `Retry all ${items.length}`}
      work={work}
      onClose={onClose}
    >
      {items.length > ended && (
        <p>
          {items.length === 1
            ? 'It is attempted immediately.'
            : `${items.length - ended} pending are attempted immediately.`}
        </p>
      )}
      {ended > 0 && (
        <p>
          {items.length === 1 ? 'It has ended: ' : `${ended} have ended: `}
          {ended === 1
            ? 'a new delivery of the same event is created.'
            : 'new deliveries of the same events are created.'}
          {delivered > 0 && ' Your receiver got this event before and can recognize it by the event ID.'}
        </p>
      )}
      {matched !== undefined && matched < together.length && (
        <p role="status">
          {`Only ${matched} of the ${together.length} are still undelivered. The others have recovered or are tests.`}
        </p>
      )}
      {done > 0 && <Progress label="Retried" done={done} total={items.length} />}
    </Confirm>
  )
}
