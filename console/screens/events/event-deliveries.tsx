import type { DeliveryItem } from '#sdk/postern.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { to } from '../../app/router.ts'
import { errorWords, shortUrl } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Empty } from '../../parts/notice.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useTail } from '../deliveries/use-tail.ts'

/** To whom an event goes, and how it stands with each, as it happens. */
export function EventDeliveries({ eventId }: { eventId: string }) {
  const key = `deliveries event ${eventId}`
  const list = useList(key, (how) => postern.deliveries.list({ eventId, limit: 50 }, how))
  useTail(key, (item) => item.eventId === eventId)
  return (
    <ListTable
      label="Deliveries of this event"
      noun={['delivery', 'deliveries']}
      list={list}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => to(`/deliveries/${id}`)}
      empty={
        <Empty icon="webhook" title="No webhook asked for it">
          <p>An event goes to the webhooks that want its type at the moment it is published.</p>
          <a href={to('/webhooks')}>See the webhooks</a>
        </Empty>
      }
      columns={[
        { title: 'To', cell: ({ url }) => shortUrl(url) },
        { title: 'Status', tight: true, cell: ({ status }) => <Status of={status} /> },
        { title: 'Answer', tight: true, cell: (item) => <Answer item={item} /> },
        { title: 'Attempts', tight: true, end: true, minor: true, cell: ({ attemptCount }) => attemptCount },
        { title: 'Next', tight: true, cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} /> },
      ]}
    />
  )
}

function Answer({ item: { lastStatusCode, lastErrorClass } }: { item: DeliveryItem }) {
  if (lastStatusCode !== null) return <span class="number">{lastStatusCode}</span>
  if (lastErrorClass === null) return <span class="quiet">–</span>
  return <span>{errorWords(lastErrorClass)}</span>
}
