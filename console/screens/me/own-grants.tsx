import type { OwnGrant } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { byCookie, session } from '../../app/data/session.ts'
import { useStore } from '../../app/store.ts'
import { textOf } from '../../app/words.ts'
import { Panel } from '../../parts/page.tsx'
import { GrantTable } from '../grants/grant-table.tsx'

/** The applications that act for the person, in all organizations. */
export function OwnGrants() {
  const list = useList<OwnGrant>('own grants', (how) => byCookie.auth.grants({ limit: 50 }, how))
  const who = useStore(session)
  const organizations = who.state === 'in' ? who.person.organizations : []
  const nameOf = ({ organizationId }: OwnGrant) =>
    textOf(organizations.find(({ id }) => id === organizationId)?.name ?? organizationId)
  return (
    <Panel title="Applications with access" flush>
      <GrantTable
        list={list}
        withWhom={{ title: 'Organization', nameOf }}
        end={async (id) => {
          await byCookie.auth.endGrant(id)
          outdate('own grants')
        }}
      />
    </Panel>
  )
}
