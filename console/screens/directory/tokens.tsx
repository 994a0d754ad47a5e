import { useState } from 'preact/hooks'
import type { ApiKey, CreatedApiKey } from '#sdk/postern.ts'
import { useActions } from '../../app/actions.ts'
import { useData } from '../../app/data/cache.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { IdText } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Empty, Loading } from '../../parts/notice.tsx'
import { Facts, Panel } from '../../parts/page.tsx'
import { SecretOnce } from '../../parts/secret.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { DeleteKey, keysChanged, RotateKey } from '../keys/key-forms.tsx'

/** As many tokens as are shown. */
const MOST_TOKENS = 1_000
const SCOPE = 'scim:write'

type Asked = { what: 'new' } | { what: 'rotate' | 'end'; key: ApiKey }

/** The API keys that permit SCIM and nothing else: the tokens of directories. */
export function Tokens({ url, reason }: { url: string | undefined; reason: string | undefined }) {
  const {
    data: tokens,
    failure,
    refresh,
  } = useData('api-keys of directories', (how) =>
    postern.apiKeys.list({ limit: 100, onlyScope: SCOPE }, how).take(MOST_TOKENS),
  )
  useLive(['apiKey'], keysChanged)
  const [asked, ask] = useState<Asked | undefined>()
  const [made, setMade] = useState<CreatedApiKey | undefined>()
  const close = () => ask(undefined)
  useActions([{ label: 'New token for a directory', run: () => ask({ what: 'new' }), reason }])
  const show = (key: CreatedApiKey) => {
    ask(undefined)
    setMade(key)
  }
  return (
    <>
      <Panel
        title="Tokens"
        note={
          <>
            API keys with <code>{SCOPE}</code> alone. Each can give every role that a group gives.
          </>
        }
        flush
        actions={
          <Button small icon="plus" reason={reason} onPress={() => ask({ what: 'new' })}>
            New token
          </Button>
        }
      >
        {tokens === undefined ? (
          <Loading failure={failure} retry={refresh} lines={3} />
        ) : (
          <Table
            label="Tokens"
            rows={tokens}
            keyOf={({ id }) => String(id)}
            empty={
              <Empty icon="key" title="No token yet">
                <p>Create one, and enter it at the directory with the address above.</p>
              </Empty>
            }
            columns={[
              {
                title: 'Name',
                cell: ({ name, hint }) => (
                  <div class="person">
                    <span class="person-name">{textOf(name)}</span>
                    <span class="small quiet">
                      <code>psk_…{textOf(hint)}</code>
                    </span>
                  </div>
                ),
              },
              {
                title: 'Last seen',
                tight: true,
                cell: ({ lastUsedAt }) => <Time at={lastUsedAt} none="never" />,
              },
              { title: 'Created', tight: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                title: 'Actions',
                tight: true,
                end: true,
                cell: (key) => (
                  <Menu
                    small
                    label={`More for ${textOf(key.name)}`}
                    items={[
                      {
                        ...{ label: 'Rotate', icon: 'retry' as const, reason },
                        run: () => ask({ what: 'rotate', key }),
                      },
                      {
                        ...{ label: 'Delete', icon: 'trash' as const, danger: true, reason },
                        run: () => ask({ what: 'end', key }),
                      },
                    ]}
                  />
                ),
              },
            ]}
          />
        )}
      </Panel>
      {asked?.what === 'new' && <NewToken onMade={show} onClose={close} />}
      {asked?.what === 'rotate' && <RotateKey of={asked.key} onRotated={show} onClose={close} />}
      {asked?.what === 'end' && <DeleteKey of={asked.key} onClose={close} />}
      {made && (
        <SecretOnce
          title={`The token ${textOf(made.name)}`}
          secret={made.key}
          what="token"
          advice="Enter it at the directory, as its bearer or secret token."
          onClose={() => setMade(undefined)}
        >
          {url !== undefined && <Facts rows={[['Address', <IdText key="url" id={url} what="address" />]]} />}
        </SecretOnce>
      )}
    </>
  )
}

function NewToken({ onMade, onClose }: { onMade: (key: CreatedApiKey) => void; onClose: () => void }) {
  const form = useForm({ name: '' }, async ({ name }) => {
    const made = await postern.apiKeys.create({
      name: name.trim(),
      role: 'administrator',
      scopes: [SCOPE],
    })
    keysChanged()
    onMade(made)
  })
  return (
    <Dialog title="New token for a directory" onClose={onClose}>
      <Form of={form} action="Create token" onCancel={onClose}>
        <TextField of={form} name="name" label="Name" placeholder="Entra ID" />
      </Form>
    </Dialog>
  )
}
