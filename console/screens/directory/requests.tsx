import { useEffect, useRef, useState } from 'preact/hooks'
import type { ProvisioningExchange } from '#sdk/postern.ts'
import { later, SECOND } from '../../app/clock.ts'
import { outdate } from '../../app/data/cache.ts'
import { amendRow, useList } from '../../app/data/list.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'
import { number, textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'

/** Answers from this status on are refusals. */
const FAILED = 400
/** Groups and figures are read this often at most while the directory works: reads count against the plan of the organization. */
const PACE = 10 * SECOND

/** Shows new requests of the directory, and reads the groups and figures again that they change. */
function useLiveRequests(): void {
  const planned = useRef<(() => void) | undefined>(undefined)
  useEffect(() => () => planned.current?.(), [])
  const readLater = () => {
    planned.current ??= later(PACE, () => {
      planned.current = undefined
      outdate('scim-groups')
      outdate('provisioning')
    })
  }
  useLive(['scimExchange'], ({ event, data }) => {
    if (event === 'gap') {
      outdate('scim-exchanges')
      return readLater()
    }
    const exchange = data as ProvisioningExchange & { id: string }
    const hasFailed = Number(exchange.status) >= FAILED
    amendRow('scim-exchanges false', exchange)
    if (hasFailed) amendRow('scim-exchanges true', exchange)
    else if (exchange.method !== 'GET') readLater()
  })
}

/** What the directory asked, and how it was answered, as it asks. */
export function Requests() {
  useLiveRequests()
  const [onlyFailed, setOnlyFailed] = useState(false)
  const list = useList<ProvisioningExchange>(`scim-exchanges ${onlyFailed}`, (how) =>
    postern.provisioning.listExchanges({ onlyFailed, limit: 20 }, how),
  )
  return (
    <Panel
      title="Recent requests"
      note="What the directory asked, without the values that it sent, and the answers. The newest 500 of 7 days."
      flush
      actions={
        <label class="check small">
          <input
            type="checkbox"
            checked={onlyFailed}
            onChange={(event) => setOnlyFailed(event.currentTarget.checked)}
          />
          Only failed
        </label>
      }
    >
      <ListTable
        label="Recent requests"
        noun={['request', 'requests']}
        list={list}
        keyOf={({ id }) => id}
        empty={
          onlyFailed ? (
            <Empty icon="check" title="No failed request">
              <p>No recent request of the directory was answered with an error.</p>
            </Empty>
          ) : (
            <Empty icon="send" title="No request yet">
              <p>
                Requests are listed here once the directory has a token, and sends one to the address above.
              </p>
            </Empty>
          )
        }
        columns={[
          {
            title: 'Request',
            cell: ({ method, path, resourceId, externalId }) => (
              <>
                <code>
                  {textOf(method)} {textOf(path)}
                </code>
                {resourceId !== null && (
                  <div class="small quiet">
                    <code>{textOf(resourceId)}</code>
                    {externalId !== null && ` · ${textOf(externalId)}`}
                  </div>
                )}
              </>
            ),
          },
          {
            title: 'Answer',
            cell: ({ status, detail }) => (
              <>
                <Badge tone={Number(status) < FAILED ? 'good' : 'bad'}>{textOf(status)}</Badge>
                {detail !== null && <div class="small">{textOf(detail)}</div>}
              </>
            ),
          },
          {
            title: 'Took',
            tight: true,
            end: true,
            minor: true,
            cell: ({ durationMs }) => `${number(durationMs)} ms`,
          },
          { title: 'When', tight: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
    </Panel>
  )
}
