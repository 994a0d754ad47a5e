import { useState } from 'preact/hooks'
import type { OwnGrant } from '#sdk/postern.ts'
import type { Listed } from '../../app/data/list.ts'
import { count, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Empty } from '../../parts/notice.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'

/** What was granted to applications, and how to end it. */
export function GrantTable({
  list,
  withWhom,
  reason,
  end,
}: {
  list: Listed<OwnGrant>
  /** The other side of a grant: its title, and what stands there. */
  withWhom: { title: string; nameOf: (grant: OwnGrant) => string }
  /** Why the person may not end one. */
  reason?: string | undefined
  /** Ends a grant, and has the list read again. */
  end: (id: string) => Promise<void>
}) {
  const [asked, ask] = useState<OwnGrant | undefined>()
  return (
    <>
      <ListTable
        label="Applications"
        noun={['grant', 'grants']}
        list={list}
        keyOf={({ id }) => id}
        empty={
          <Empty icon="plug" title="No applications have access">
            <p>An application that signs in by this server asks for access first, and is listed here then.</p>
          </Empty>
        }
        columns={[
          { title: 'Application', cell: (grant) => <Application of={grant} /> },
          { title: withWhom.title, cell: (grant) => withWhom.nameOf(grant) },
          {
            title: 'Last used',
            tight: true,
            cell: ({ lastUsedAt }) => <Time at={lastUsedAt} none="never" />,
          },
          {
            title: 'Ends',
            tight: true,
            minor: true,
            cell: ({ expiresAt, endsWithSession }) =>
              endsWithSession ? 'at sign-out' : <Time at={expiresAt} />,
          },
          {
            title: 'Actions',
            tight: true,
            end: true,
            cell: (grant) => (
              <Button small reason={reason} onPress={() => ask(grant)}>
                End access
              </Button>
            ),
          },
        ]}
      />
      {asked && (
        <Confirm
          title={`End the access of ${textOf(asked.clientName)}?`}
          action="End access"
          danger
          work={async () => {
            await end(String(asked.id))
            toast(`${textOf(asked.clientName)} has no access any more`)
          }}
          onClose={() => ask(undefined)}
        >
          <p>Its tokens stop working immediately. It can ask for access again.</p>
          <p class="small quiet">
            For {withWhom.nameOf(asked)}, at {textOf(asked.resource)}
          </p>
        </Confirm>
      )}
    </>
  )
}

/** Its name is its own choice; where the person was sent back to is not. */
function Application({ of: { clientName, clientHost, scopes, identityScopes } }: { of: OwnGrant }) {
  const all = [...scopes, ...identityScopes].map(textOf)
  return (
    <div class="person">
      <span class="person-name">{textOf(clientName)}</span>
      <span class="small quiet">
        {textOf(clientHost)} ·{' '}
        <span title={all.join(', ')}>
          {scopes.length === 0 ? 'sign-in only' : count(scopes.length, 'permission')}
        </span>
      </span>
    </div>
  )
}
