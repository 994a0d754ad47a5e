import type { Webhook } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { to } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { Failed } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { LastResponse, NextAttempt } from '../deliveries/cells.tsx'
import { useTail } from '../deliveries/use-tail.ts'

const MOST = 10

/** The newest deliveries of a webhook, live, with a link to the list of all. */
export function LastDeliveries({ webhook }: { webhook: Webhook }) {
  const { id } = webhook
  const key = `deliveries of ${id}`
  const { may } = useAccess()
  const list = useList(may('deliveries:read') ? key : undefined, (how) =>
    postern.deliveries.list({ webhookId: id, limit: MOST }, how),
  )
  useTail(key, (item) => item.webhookId === id)
  if (!may('deliveries:read')) return null
  return (
    <Panel
      flush
      title="Last deliveries"
      actions={
        <LinkButton small icon="delivery" href={to('/deliveries', { webhookId: id })}>
          All deliveries
        </LinkButton>
      }
    >
      {list.failure && <Failed failure={list.failure} retry={list.refresh} />}
      <Table
        label="Last deliveries"
        rows={list.rows.slice(0, MOST)}
        isBusy={list.data === undefined && list.isBusy}
        keyOf={(item) => item.id}
        hrefOf={(item) => to(`/deliveries/${item.id}`)}
        empty={<p class="quiet">No deliveries yet. Send a test to see the response.</p>}
        columns={[
          {
            title: 'Event',
            cell: ({ eventType, test }) => (
              <>
                {textOf(eventType)}
                {test && <span class="small quiet"> test</span>}
              </>
            ),
          },
          { title: 'Status', tight: true, phone: 'corner', cell: ({ status }) => <Status of={status} /> },
          { title: 'Response', tight: true, cell: (item) => <LastResponse item={item} /> },
          {
            title: 'Next',
            tight: true,
            minor: true,
            cell: (item) => <NextAttempt item={item} webhook={webhook} />,
          },
          { title: 'Created', tight: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
    </Panel>
  )
}
