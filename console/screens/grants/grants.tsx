import type { OwnGrant } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { useFilters } from '../../app/router.ts'
import { Filters } from '../../parts/filters.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { useMemberChoices, useNames } from '../people/actors.ts'
import { GrantTable } from './grant-table.tsx'

/** What members have granted to applications in this organization. */
export function Screen() {
  const reason = useAccess().reason({ permission: 'keys:write' })
  const [filter, change] = useFilters(['accountId'])
  const query = filter.accountId === '' ? {} : { accountId: filter.accountId }
  const list = useList<OwnGrant>(`grants ${filter.accountId}`, (how) =>
    postern.grants.list({ limit: 50, ...query }, how),
  )
  const nameOf = useNames(list.rows.map(({ accountId }) => accountId))
  const members = useMemberChoices()
  return (
    <Page
      title="Applications"
      lead="Applications that act for members of this organization, because these granted them access."
    >
      <Filters
        rows={[{ name: 'accountId', label: 'Granted by', kind: 'choice', options: members, any: 'anyone' }]}
        values={filter}
        onChange={change}
      />
      <Panel flush>
        <GrantTable
          list={list}
          withWhom={{ title: 'Granted by', nameOf: ({ accountId }) => nameOf(accountId) }}
          reason={reason}
          end={async (id) => {
            await postern.grants.end(id)
            outdate('grants')
          }}
        />
      </Panel>
    </Page>
  )
}
