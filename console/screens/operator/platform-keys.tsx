import { useState } from 'preact/hooks'
import type { CreatedPlatformKey, PlatformKey, RotatePlatformKeyAnswer } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { baseUrl } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { SecretOnce } from '../../parts/secret.tsx'
import { ListTable } from '../../parts/table.tsx'
import { type KeyAction, keyColumns } from '../keys/key-columns.tsx'
import { RemoveKey, RotateSecret } from '../keys/key-fields.tsx'
import { operator } from './operator.ts'
import { ChangePlatformKey, NewPlatformKey } from './platform-key-forms.tsx'

type Asked = { what: 'create' } | KeyAction<PlatformKey>
type Secret = CreatedPlatformKey | RotatePlatformKeyAnswer

/** The operator's list of platform keys is read again. */
const changed = () => outdate('operator/platform-keys')

/** Keys with which a platform acts for any organization of the installation. */
export function PlatformKeys() {
  const list = useList<PlatformKey>('operator/platform-keys', (how) =>
    operator.platformKeys.list({ limit: 50 }, how),
  )
  const [asked, ask] = useState<Asked | undefined>()
  const [secret, setSecret] = useState<Secret | undefined>()
  const close = () => ask(undefined)
  const show = (key: Secret) => {
    changed()
    close()
    setSecret(key)
  }
  return (
    <Panel
      title="Platform keys"
      note="A key acts for the organization that a request names."
      flush
      actions={
        <Button small icon="plus" onPress={() => ask({ what: 'create' })}>
          New platform key
        </Button>
      }
    >
      <ListTable
        label="Platform keys"
        noun={['platform key', 'platform keys']}
        list={list}
        keyOf={({ id }) => id}
        empty={
          <Empty icon="key" title="No platform keys yet">
            <p>With one, your platform needs no key of each organization.</p>
          </Empty>
        }
        columns={[
          { title: 'Name', cell: (key) => <Name of={key} /> },
          { title: 'Scopes', cell: ({ scopes }) => <Scopes of={scopes} /> },
          ...keyColumns<PlatformKey>(ask),
        ]}
      />
      {asked?.what === 'create' && <NewPlatformKey onClose={close} onMade={show} />}
      {asked?.what === 'change' && <ChangePlatformKey of={asked.key} onClose={close} onChanged={changed} />}
      {asked?.what === 'rotate' && (
        <RotateSecret
          name={textOf(asked.key.name)}
          rotate={async (overlapHours) =>
            show(await operator.platformKeys.rotate(asked.key.id, { overlapHours }))
          }
          onClose={close}
        />
      )}
      {asked?.what === 'delete' && (
        <RemoveKey
          name={textOf(asked.key.name)}
          text="It stops working immediately, in every organization, and its open invitations are revoked."
          remove={async (withMade) => {
            await operator.platformKeys.delete(asked.key.id, { withMade })
            changed()
          }}
          onClose={close}
        />
      )}
      {secret && (
        <SecretOnce
          title={`The key ${textOf(secret.name)}`}
          secret={secret.key}
          what="platform key"
          onClose={() => setSecret(undefined)}
        >
          <p class="quiet">Each call names its organization, by its ID or by the one that you gave it:</p>
          <Command text={curl(secret.key)} />
        </SecretOnce>
      )}
    </Panel>
  )
}

const curl = (key: string) =>
  `curl -H "authorization: Bearer ${key}" -H "postern-organization: ext:customer-1" ${baseUrl}/v1/problems`

function Name({ of: { name, hint, mayCreateOrganizations, allowedAddresses } }: { of: PlatformKey }) {
  return (
    <div class="person">
      <span class="person-name">
        {textOf(name)} {mayCreateOrganizations && <Badge tone="plain">creates organizations</Badge>}
      </span>
      <code class="small quiet">ppk_…{textOf(hint)}</code>
      {allowedAddresses && (
        <span class="small quiet">
          from <code>{allowedAddresses.map(textOf).join(', ')}</code>
        </span>
      )}
    </div>
  )
}

function Scopes({ of: scopes }: { of: PlatformKey['scopes'] }) {
  if (scopes === null) return <>all</>
  const first = scopes.slice(0, 3).map(textOf).join(', ')
  return (
    <span title={scopes.map(textOf).join(', ')}>
      {first}
      {scopes.length > 3 ? ` and ${scopes.length - 3} more` : ''}
    </span>
  )
}
