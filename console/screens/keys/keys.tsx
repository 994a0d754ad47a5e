import { useState } from 'preact/hooks'
import type { ApiKey, CreateApiKeyBody, CreatedApiKey } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { DAY, now } from '../../app/clock.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { baseUrl, postern } from '../../app/data/postern.ts'
import { millisOf, textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { Form, SelectField, TextField, useForm } from '../../parts/form.tsx'
import { Locked } from '../../parts/locked.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { SecretOnce } from '../../parts/secret.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { useNames } from '../people/actors.ts'
import { isOfRole, type KeyRights, ScopesField, useScopes } from './scopes-field.tsx'

/** A call that shows at once whether a key is good: any key may ask for problems, and a key with scopes for little else. */
const curl = (key: string, scopes: readonly string[] | null = null) => {
  const isWhole = scopes === null || scopes.includes('organization:read')
  return `curl -H "authorization: Bearer ${key}" ${baseUrl}/v1/${isWhole ? 'organizations' : 'problems'}`
}

/** What machines sign in with. */
export function Screen() {
  const reason = useAccess().reason({ role: 'administrator' })
  const list = useList<ApiKey>(reason === undefined ? 'api-keys' : undefined, (how) =>
    postern.apiKeys.list({ limit: 50 }, how),
  )
  const nameOf = useNames(list.rows.map(({ createdBy }) => createdBy))
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<CreatedApiKey | undefined>()
  const [deleted, setDeleted] = useState<ApiKey | undefined>()
  useActions([{ label: 'New API key', run: () => setMaking(true), reason }])
  return (
    <Page
      title="API keys"
      lead="With one of these a machine does what its role and its scopes permit in this organization."
      actions={
        <Button kind="primary" icon="plus" reason={reason} onPress={() => setMaking(true)}>
          New key
        </Button>
      }
    >
      {reason !== undefined ? (
        <Locked reason={reason} />
      ) : (
        <Panel flush>
          <ListTable
            label="API keys"
            noun={['key', 'keys']}
            list={list}
            keyOf={({ id }) => id}
            empty={
              <Empty icon="key" title="No API keys yet">
                <p>Create a key, then call the API with it:</p>
                <Command text={curl('psk_…')} />
              </Empty>
            }
            columns={[
              {
                title: 'Name',
                cell: (key) => (
                  <div class="person">
                    <span class="person-name">{textOf(key.name)}</span>
                    <span class="small quiet">
                      <code>psk_…{textOf(key.hint)}</code> · by{' '}
                      {key.createdBy === null ? 'a deleted account' : nameOf(key.createdBy)}
                    </span>
                  </div>
                ),
              },
              { title: 'Role', tight: true, cell: (key) => <Rights of={key} /> },
              {
                title: 'Last used',
                tight: true,
                cell: ({ lastUsedAt }) => <Time at={lastUsedAt} none="never" />,
              },
              { title: 'Expires', tight: true, cell: (key) => <Expiry of={key} /> },
              {
                title: 'Created',
                tight: true,
                minor: true,
                cell: ({ createdAt }) => <Time at={createdAt} />,
              },
              {
                title: 'Delete',
                tight: true,
                end: true,
                cell: (key) => (
                  <Button small icon="trash" onPress={() => setDeleted(key)}>
                    Delete
                  </Button>
                ),
              },
            ]}
          />
        </Panel>
      )}
      {isMaking && (
        <NewKey
          onClose={() => setMaking(false)}
          onMade={(key) => {
            setMaking(false)
            setMade(key)
          }}
        />
      )}
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
      {deleted && (
        <Confirm
          title={`Delete the key ${textOf(deleted.name)}?`}
          action="Delete"
          danger
          name={textOf(deleted.name)}
          work={async () => {
            await postern.apiKeys.delete(deleted.id)
            outdate('api-keys')
            outdate('service-accounts')
            toast(`The key ${textOf(deleted.name)} is deleted`)
          }}
          onClose={() => setDeleted(undefined)}
        >
          <p>
            It stops working immediately and its open invitations are revoked. Its service account and the
            keys created with it stay.
          </p>
        </Confirm>
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

function Expiry({ of: { expiresAt } }: { of: ApiKey }) {
  const at = millisOf(expiresAt)
  if (at === undefined) return <span class="quiet">never</span>
  const left = at - now()
  if (left <= 0) return <Badge tone="bad">expired</Badge>
  return left < 7 * DAY ? (
    <Badge tone="wait">
      <Time at={expiresAt} />
    </Badge>
  ) : (
    <Time at={expiresAt} />
  )
}

interface NewKeyTexts {
  name: string
  expiresInDays: string
}

function NewKey({ onClose, onMade }: { onClose: () => void; onMade: (key: CreatedApiKey) => void }) {
  const all = useScopes()
  /** A scope that was chosen before the role became a lower one is none of the key's. */
  const chosen = (role: KeyRights['role'], scopes: string[]) =>
    all
      .filter(isOfRole(role))
      .map(({ scope }) => scope)
      .filter((scope) => scopes.includes(scope)) as NonNullable<CreateApiKeyBody['scopes']>
  const form = useForm(
    { name: '', role: 'member', scopes: ['*'], expiresInDays: '' } as KeyRights & NewKeyTexts,
    async ({ name, role, scopes, expiresInDays }) => {
      const days = expiresInDays.trim()
      const body = {
        ...{ name: name.trim(), role },
        ...(scopes.includes('*') ? {} : { scopes: chosen(role, scopes) }),
        ...(days === '' ? {} : { expiresInDays: Number(days) }),
      }
      const made = await postern.apiKeys.create(body)
      outdate('api-keys')
      outdate('service-accounts')
      onMade(made)
    },
  )
  return (
    <Dialog title="New API key" onClose={onClose}>
      <Form of={form} action="Create key" onCancel={onClose}>
        <TextField
          of={form}
          name="name"
          label="Name"
          hint="Who or what uses the key."
          placeholder="Deploys"
        />
        <SelectField
          of={form}
          name="role"
          label="Role"
          hint="An administrator can invite people, change webhooks and create keys."
          options={[
            ['member', 'member'],
            ['administrator', 'administrator'],
          ]}
        />
        <ScopesField of={form} />
        <TextField
          of={form}
          name="expiresInDays"
          label="Expires after (days)"
          type="number"
          optional
          hint="Empty: it does not expire."
        />
      </Form>
    </Dialog>
  )
}
