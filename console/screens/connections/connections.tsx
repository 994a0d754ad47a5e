import { useEffect, useState } from 'preact/hooks'
import type { Connection } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { outdate } from '../../app/data/cache.ts'
import { useAction } from '../../app/data/use-action.ts'
import { to, useFilters } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Empty, Failed, Notice, Waiting } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { type Asked, ConnectionDialogs, ConnectionMenu } from './connection-actions.tsx'
import { connect, useConnections, useProviders } from './data.ts'

/** Accounts of the organization at other providers. */
export function Screen() {
  const reason = useAccess().reason({ permission: 'connections:write' })
  const list = useConnections()
  const [isChoosing, setChoosing] = useState(false)
  const [asked, ask] = useState<Asked | undefined>()
  return (
    <Page
      title="Connections"
      lead="Accounts at other providers. Call their APIs without handling their tokens."
      actions={
        <Button kind="primary" icon="plus" reason={reason} onPress={() => setChoosing(true)}>
          Connect
        </Button>
      }
    >
      <Return />
      <Panel flush>
        <ListTable
          label="Connections"
          noun={['connection', 'connections']}
          list={list}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => to(`/connections/${id}`)}
          empty={
            <Empty icon="connection" title="No connection yet">
              <p>
                Connect an account to call the API of its provider through Postern, without handling its
                token.
              </p>
            </Empty>
          }
          columns={[
            {
              title: 'Provider',
              cell: ({ provider, subject }) => (
                <>
                  <span class="person-name">{textOf(provider)}</span>
                  <span class="small quiet person-note">{textOf(subject ?? 'account without a name')}</span>
                </>
              ),
            },
            { title: 'Status', tight: true, cell: (row) => <ConnectionStatus of={row} /> },
            {
              title: 'Scopes',
              minor: true,
              cell: ({ scopes }) => <code class="small">{scopes.map(textOf).join(' ')}</code>,
            },
            {
              title: 'Refreshed',
              tight: true,
              cell: ({ refreshedAt }) => <Time at={refreshedAt} none="not yet" />,
            },
            {
              title: 'Actions',
              tight: true,
              end: true,
              cell: (row) => <ConnectionMenu connection={row} reason={reason} ask={ask} />,
            },
          ]}
        />
      </Panel>
      {isChoosing && <Choose onClose={() => setChoosing(false)} />}
      <ConnectionDialogs asked={asked} onClose={() => ask(undefined)} />
    </Page>
  )
}

function ConnectionStatus({ of: { status, lastError } }: { of: Connection }) {
  return (
    <span class="mail-truth">
      <Status of={status} />
      {lastError && (
        <span class="small quiet">{textOf(lastError.reason ?? lastError.code).replaceAll('_', ' ')}</span>
      )}
    </span>
  )
}

/** The result of an authorization, shown after the return from the provider. */
function Return() {
  const [came, change] = useFilters(['connectionId', 'error', 'error_description'])
  useEffect(() => outdate('connections'), [came.connectionId])
  if (came.connectionId === '' && came.error === '') return null
  const isGood = came.error === ''
  const clear = () => change({ connectionId: '', error: '', error_description: '' })
  return (
    <Notice
      tone={isGood ? 'good' : 'bad'}
      icon={isGood ? 'check' : 'alert'}
      title={isGood ? 'Account connected' : 'The account could not be connected'}
      actions={<Button kind="quiet" small icon="cross" label="Close" onPress={clear} />}
    >
      {!isGood && textOf(came.error_description || came.error)}
    </Notice>
  )
}

function Choose({ onClose }: { onClose: () => void }) {
  const { data, failure, refresh } = useProviders(true)
  const going = useAction(connect)
  return (
    <Dialog title="Connect an account" onClose={onClose}>
      <div class="stack">
        <p>You sign in at the provider and come back here.</p>
        {data === undefined && failure === undefined && <Waiting lines={2} />}
        <Failed failure={failure} retry={refresh} />
        {data?.length === 0 && (
          <Notice icon="connection" title="No provider is configured">
            The operator configures providers in the file named by <code>CONNECTIONS_FILE</code>.
          </Notice>
        )}
        {data?.map(({ name, scopes }) => (
          <div key={name}>
            <Button icon="link" busy={going.isBusy} onPress={() => void going.run(name)}>
              {textOf(name)}
            </Button>
            <span class="small quiet person-note">
              {scopes.length === 0 ? 'No scopes.' : `It asks for ${scopes.map(textOf).join(', ')}.`}
            </span>
          </div>
        ))}
        <Failed failure={going.failure} />
      </div>
    </Dialog>
  )
}
