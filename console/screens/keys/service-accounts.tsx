import { useState } from 'preact/hooks'
import type { Member, ServiceAccount } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { useData } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { go, to } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { Form, SelectField, TextField, useForm } from '../../parts/form.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { useNames } from '../people/actors.ts'
import { nameOf as nameOfMember } from '../people/invitations-data.ts'
import { keysChanged } from './key-forms.tsx'

type Asked = { what: 'change' | 'delete'; account: ServiceAccount }

const keysOf = ({ id }: ServiceAccount) => to('/api-keys', { serviceAccountId: String(id) })

/** What machines act as: each has API keys, and owns what these create. */
export function Screen() {
  const reason = useAccess().reason({ permission: 'keys:write' })
  const list = useList<ServiceAccount>('service-accounts', (how) =>
    postern.serviceAccounts.list({ limit: 50 }, how),
  )
  const nameOf = useNames(list.rows.map(({ ownerId }) => ownerId))
  const [isMaking, setMaking] = useState(false)
  const [asked, ask] = useState<Asked | undefined>()
  useActions([{ label: 'New service account', run: () => setMaking(true), reason }])
  return (
    <Page
      title="Service accounts"
      lead="What machines act as. One owns what its API keys create, and stays when a person leaves."
      actions={
        <>
          <LinkButton icon="key" href={to('/api-keys')}>
            API keys
          </LinkButton>
          <Button kind="primary" icon="plus" reason={reason} onPress={() => setMaking(true)}>
            New service account
          </Button>
        </>
      }
    >
      <Panel flush>
        <ListTable
          label="Service accounts"
          noun={['service account', 'service accounts']}
          list={list}
          keyOf={({ id }) => id}
          empty={
            <Empty icon="people" title="No service accounts yet">
              <p>A new API key creates one with its name, unless it is for another one.</p>
            </Empty>
          }
          columns={[
            {
              title: 'Name',
              cell: (account) => (
                <div class="person">
                  <a class="person-name" href={keysOf(account)}>
                    {textOf(account.name)}
                  </a>
                  {account.description && <span class="small quiet">{textOf(account.description)}</span>}
                </div>
              ),
            },
            {
              title: 'Ask',
              tight: true,
              cell: ({ ownerId }) =>
                ownerId === null ? <span class="quiet">nobody named</span> : nameOf(ownerId),
            },
            {
              title: 'Last used',
              tight: true,
              cell: ({ lastUsedAt }) => <Time at={lastUsedAt} none="never" />,
            },
            {
              title: 'Created',
              tight: true,
              minor: true,
              cell: ({ createdAt }) => <Time at={createdAt} />,
            },
            {
              title: 'Actions',
              tight: true,
              end: true,
              cell: (account) => (
                <Menu
                  small
                  label={`More for ${textOf(account.name)}`}
                  items={[
                    { label: 'API keys', icon: 'key', run: () => go(keysOf(account)) },
                    {
                      label: 'Change',
                      icon: 'settings',
                      reason,
                      run: () => ask({ what: 'change', account }),
                    },
                    {
                      ...{ label: 'Delete', icon: 'trash', danger: true, reason },
                      run: () => ask({ what: 'delete', account }),
                    },
                  ]}
                />
              ),
            },
          ]}
        />
      </Panel>
      {isMaking && <Edit onClose={() => setMaking(false)} />}
      {asked?.what === 'change' && <Edit of={asked.account} onClose={() => ask(undefined)} />}
      {asked?.what === 'delete' && (
        <Confirm
          title={`Delete the service account ${textOf(asked.account.name)}?`}
          action="Delete"
          danger
          name={textOf(asked.account.name)}
          work={async () => {
            await postern.serviceAccounts.delete(asked.account.id)
            keysChanged()
            toast(`The service account ${textOf(asked.account.name)} is deleted`)
          }}
          onClose={() => ask(undefined)}
        >
          <p>All its API keys stop working immediately. What it owns stays.</p>
        </Confirm>
      )}
    </Page>
  )
}

/** Members that the field offers by name. */
const MOST_MEMBERS = 1_000

function Edit({ of: account, onClose }: { of?: ServiceAccount; onClose: () => void }) {
  const { organization } = useAccess()
  const members =
    useData<Member[]>(organization && 'members by name', (how) =>
      postern.members.list(organization?.id ?? '', { limit: 100 }, how).take(MOST_MEMBERS),
    ).data ?? []
  const start = {
    name: textOf(account?.name),
    description: textOf(account?.description),
    ownerId: textOf(account?.ownerId),
  }
  const form = useForm(start, async ({ name, description, ownerId }) => {
    const body = {
      name: name.trim(),
      description: description.trim() === '' ? null : description.trim(),
      ownerId: ownerId === '' ? null : ownerId,
    }
    if (account === undefined) await postern.serviceAccounts.create(body)
    else await postern.serviceAccounts.update(String(account.id), body)
    keysChanged()
    onClose()
  })
  return (
    <Dialog
      title={account === undefined ? 'New service account' : `Change ${textOf(account.name)}`}
      onClose={onClose}
    >
      <Form of={form} action={account === undefined ? 'Create' : 'Save'} onCancel={onClose}>
        <TextField
          of={form}
          name="name"
          label="Name"
          hint="What the machine is called."
          placeholder="Deploys"
        />
        <TextField of={form} name="description" label="Description" optional />
        <SelectField
          of={form}
          name="ownerId"
          label="Whom to ask"
          hint="A member who knows what it does."
          options={[
            ['', 'nobody named'],
            ...members.map((member) => [String(member.accountId), nameOfMember(member)] as const),
          ]}
        />
      </Form>
    </Dialog>
  )
}
