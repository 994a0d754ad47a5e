import { useAccess } from '../../app/access.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { to } from '../../app/router.ts'
import { Status } from '../../parts/badge.tsx'
import { Empty } from '../../parts/notice.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Url } from '../../parts/url.tsx'
import { LastResponse, NextAttempt } from '../deliveries/cells.tsx'
import { useTail } from '../deliveries/use-tail.ts'
import { useWebhooks } from '../webhooks/data.ts'

/** The deliveries of an event with their states, live. */
export function EventDeliveries({ eventId }: { eventId: string }) {
  const key = `deliveries event ${eventId}`
  const { may, reason } = useAccess()
  const list = useList(may('deliveries:read') ? key : undefined, (how) =>
    postern.deliveries.list({ eventId, limit: 50 }, how),
  )
  const webhooks = useWebhooks().rows
  useTail(key, (item) => item.eventId === eventId)
  if (!may('deliveries:read'))
    return <Empty icon="lock" title={reason({ permission: 'deliveries:read' }) ?? ''} />
  return (
    <ListTable
      label="Deliveries of this event"
      noun={['delivery', 'deliveries']}
      list={list}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => to(`/deliveries/${id}`)}
      empty={
        <Empty icon="webhook" title="No webhook subscribes to it">
          <p>An event goes to the webhooks that subscribe to its type when it is published.</p>
          <a href={to('/webhooks')}>Show webhooks</a>
        </Empty>
      }
      columns={[
        { title: 'To', cell: ({ url }) => <Url of={url} /> },
        { title: 'Status', tight: true, phone: 'corner', cell: ({ status }) => <Status of={status} /> },
        { title: 'Response', tight: true, cell: (item) => <LastResponse item={item} /> },
        { title: 'Attempts', tight: true, end: true, minor: true, cell: ({ attemptCount }) => attemptCount },
        {
          title: 'Next',
          tight: true,
          cell: (item) => (
            <NextAttempt item={item} webhook={webhooks.find(({ id }) => id === item.webhookId)} />
          ),
        },
      ]}
    />
  )
}
