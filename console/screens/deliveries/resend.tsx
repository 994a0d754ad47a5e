import { useState } from 'preact/hooks'
import type { DeliveryItem } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { toFailure } from '../../app/data/failure.ts'
import { postern } from '../../app/data/postern.ts'
import { count, explain } from '../../app/words.ts'
import { Progress } from '../../parts/bar.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { toast } from '../../parts/toast.tsx'

/** Sends deliveries again, after saying how many: one that waits is tried at once, one that has ended is made anew. */
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
  const work = async () => {
    let refused: unknown
    let made = 0
    for (const [at, { id }] of items.entries()) {
      try {
        await postern.deliveries.retry(id, { maxRetries: 3 })
        made += 1
      } catch (thrown) {
        refused ??= thrown
      }
      setDone(at + 1)
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
        items.length === 1 ? 'Send it again?' : `Send ${count(items.length, 'delivery', 'deliveries')} again?`
      }
      action={items.length === 1 ? 'Send again' : `Send all ${items.length} again`}
      work={work}
      onClose={onClose}
    >
      {items.length > ended && (
        <p>
          {items.length === 1
            ? 'It is tried at once.'
            : `${items.length - ended} that wait are tried at once.`}
        </p>
      )}
      {ended > 0 && (
        <p>
          {items.length === 1 ? 'It has ended; ' : `${ended} have ended; `}
          {ended === 1
            ? 'another delivery is made of the same event.'
            : 'other deliveries are made of the same events.'}
          {delivered > 0 && ' Your receiver has had it before: it knows it by the same event id.'}
        </p>
      )}
      {done > 0 && <Progress label="Sent again" done={done} total={items.length} />}
    </Confirm>
  )
}
