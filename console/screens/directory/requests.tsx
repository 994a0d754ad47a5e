import { useState } from 'preact/hooks'
import type { ProvisioningExchange } from '#sdk/postern.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { number, textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'

/** What the directory asked, and how it was answered. */
export function Requests() {
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
        <>
          <label class="check small">
            <input
              type="checkbox"
              checked={onlyFailed}
              onChange={(event) => setOnlyFailed(event.currentTarget.checked)}
            />
            Only failed
          </label>
          <Button small icon="retry" onPress={list.refresh}>
            Refresh
          </Button>
        </>
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
                <Badge tone={Number(status) < 400 ? 'good' : 'bad'}>{textOf(status)}</Badge>
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
