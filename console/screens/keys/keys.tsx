import { useState } from 'preact/hooks'
import type { ApiKey, CreatedApiKey } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { useList } from '../../app/data/list.ts'
import { useLive } from '../../app/data/live.ts'
import { baseUrl, postern } from '../../app/data/postern.ts'
import { to, useFilters } from '../../app/router.ts'
import { count, textOf } from '../../app/words.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { SecretOnce } from '../../parts/secret.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useActorChoices, useNames } from '../people/actors.ts'
import { type KeyAction, keyColumns } from './key-columns.tsx'
import { ChangeKey, DeleteKey, keysChanged, NewKey, RotateKey } from './key-forms.tsx'

/** A call that shows at once whether a key is good: any key may ask for problems, and a key with scopes for little else. */
const curl = (key: string, scopes: readonly string[] | null = null) => {
  const isWhole = scopes === null || scopes.includes('organization:read')
  return `curl -H "authorization: Bearer ${key}" ${baseUrl}/v1/${isWhole ? 'organizations' : 'problems'}`
}

/** What machines sign in with. */
export function Screen() {
  const reason = useAccess().reason({ permission: 'keys:write' })
  const [filter, change] = useFilters(['createdBy', 'serviceAccountId'])
  const { createdBy, serviceAccountId } = filter
  const isFiltered = createdBy !== '' || serviceAccountId !== ''
  const query = {
    ...(createdBy === '' ? {} : { createdBy }),
    ...(serviceAccountId === '' ? {} : { serviceAccountId }),
  }
  const name = isFiltered ? `api-keys ${createdBy} ${serviceAccountId}` : 'api-keys'
  const list = useList<ApiKey>(name, (how) => postern.apiKeys.list({ limit: 50, ...query }, how))
  useLive(['apiKey'], keysChanged)
  const nameOf = useNames(list.rows.flatMap((key) => [key.createdBy, key.serviceAccountId]))
  const makers = useActorChoices(createdBy)
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<CreatedApiKey | undefined>()
  const [asked, ask] = useState<KeyAction<ApiKey> | undefined>()
  useActions([{ label: 'New API key', run: () => setMaking(true), reason }])
  const show = (key: CreatedApiKey) => {
    setMaking(false)
    ask(undefined)
    setMade(key)
  }
  return (
    <Page
      title="API keys"
      lead="With one of these a machine does what its role and its scopes permit in this organization."
      actions={
        <>
          <LinkButton icon="people" href={to('/service-accounts')}>
            Service accounts
          </LinkButton>
          <Button kind="primary" icon="plus" reason={reason} onPress={() => setMaking(true)}>
            New key
          </Button>
        </>
      }
    >
      <Filters
        rows={[
          {
            name: 'createdBy',
            label: 'Created or rotated by',
            kind: 'choice',
            options: makers,
            any: 'anyone',
          },
        ]}
        values={filter}
        onChange={(changed) => change({ serviceAccountId: '', ...changed })}
      />
      <Panel flush>
        <ListTable
          label="API keys"
          noun={['key', 'keys']}
          list={list}
          keyOf={({ id }) => id}
          empty={isFiltered ? <Empty icon="filter" title="No such key" /> : <NoKeys />}
          columns={[
            {
              title: 'Name',
              cell: (key) => (
                <div class="person">
                  <span class="person-name">{textOf(key.name)}</span>
                  <span class="small quiet">
                    <code>psk_…{textOf(key.hint)}</code> · {nameOf(key.serviceAccountId)} · by{' '}
                    {key.createdBy === null ? 'a deleted account' : nameOf(key.createdBy)}
                  </span>
                  <Limits of={key} />
                </div>
              ),
            },
            { title: 'Role', tight: true, cell: (key) => <Rights of={key} /> },
            ...keyColumns<ApiKey>(ask, reason),
          ]}
        />
      </Panel>
      {isMaking && (
        <NewKey serviceAccountId={serviceAccountId} onClose={() => setMaking(false)} onMade={show} />
      )}
      {asked?.what === 'change' && <ChangeKey of={asked.key} onClose={() => ask(undefined)} />}
      {asked?.what === 'rotate' && (
        <RotateKey of={asked.key} onClose={() => ask(undefined)} onRotated={show} />
      )}
      {asked?.what === 'delete' && <DeleteKey of={asked.key} onClose={() => ask(undefined)} />}
      {made && (
        <SecretOnce
          title={`The key ${textOf(made.name)}`}
          secret={made.key}
          what="API key"
          onClose={() => setMade(undefined)}
        >
          <p class="quiet">Test the key with this call:</p>
          <Command text={curl(made.key, made.scopes)} />
        </SecretOnce>
      )}
    </Page>
  )
}

/** The role of a key and, of a narrowed one, the first scopes. */
function Rights({ of: { role, scopes } }: { of: ApiKey }) {
  if (scopes === null) return <>{textOf(role)}</>
  const first = scopes.slice(0, 3).map(textOf).join(', ')
  return (
    <div class="person">
      <span>{textOf(role)}</span>
      <span class="small quiet" title={scopes.map(textOf).join(', ')}>
        {first}
        {scopes.length > 3 ? ` and ${scopes.length - 3} more` : ''}
      </span>
    </div>
  )
}

function NoKeys() {
  return (
    <Empty icon="key" title="No API keys yet">
      <p>Create a key, then call the API with it:</p>
      <Command text={curl('psk_…')} />
    </Empty>
  )
}

/** From where a key may come, and which earlier secrets of it still work. */
function Limits({ of: { allowedAddresses, formerSecrets } }: { of: ApiKey }) {
  const [next] = formerSecrets.toSorted((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1))
  return (
    <>
      {allowedAddresses && (
        <span class="small quiet">
          from <code>{allowedAddresses.join(', ')}</code>
        </span>
      )}
      {next && (
        <span class="small quiet">
          {count(formerSecrets.length, 'earlier secret works', 'earlier secrets work')}; the next one ends{' '}
          <Time at={next.expiresAt} />
        </span>
      )}
    </>
  )
}
