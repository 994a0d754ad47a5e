import { useState } from 'preact/hooks'
import type { CreatedOauthClient, OauthClient } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { baseUrl } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { AreaField, CheckField, Form, linesOf, TextField, useForm } from '../../parts/form.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { SecretOnce } from '../../parts/secret.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { operator } from './operator.ts'

type Asked = { what: 'create' } | { what: 'delete'; application: OauthClient }

const changed = () => outdate('operator/applications')

/** Applications to which people grant access, registered by the operator or by themselves. */
export function Applications() {
  const list = useList<OauthClient>('operator/applications', (how) =>
    operator.oauthClients.list({ limit: 50 }, how),
  )
  const [asked, ask] = useState<Asked | undefined>()
  const [made, setMade] = useState<(CreatedOauthClient & { clientSecret: string }) | undefined>()
  const close = () => ask(undefined)
  return (
    <Panel
      title="Applications"
      note="People grant them access with OAuth or OpenID Connect."
      flush
      actions={
        <Button small icon="plus" onPress={() => ask({ what: 'create' })}>
          New application
        </Button>
      }
    >
      <ListTable
        label="Applications"
        noun={['application', 'applications']}
        list={list}
        keyOf={({ id }) => id}
        empty={
          <Empty icon="plug" title="No applications yet">
            <p>Register one, or let MCP clients register themselves.</p>
          </Empty>
        }
        columns={[
          { title: 'Name', cell: (application) => <Name of={application} /> },
          { title: 'Returns to', cell: ({ redirectUris }) => <Returns to={redirectUris} /> },
          { title: 'Created', tight: true, minor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Last grant', tight: true, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
          {
            title: 'Actions',
            tight: true,
            end: true,
            cell: (application) => (
              <Menu
                small
                label={`More for ${textOf(application.name)}`}
                items={[
                  {
                    ...{ label: 'Delete', icon: 'trash', danger: true },
                    run: () => ask({ what: 'delete', application }),
                  },
                ]}
              />
            ),
          },
        ]}
      />
      {asked?.what === 'create' && (
        <NewApplication
          onClose={close}
          onMade={(application) => {
            changed()
            close()
            const { clientSecret } = application
            if (clientSecret === null) toast(`${textOf(application.name)} is registered`)
            else setMade({ ...application, clientSecret })
          }}
        />
      )}
      {asked?.what === 'delete' && <Delete application={asked.application} onClose={close} />}
      {made && (
        <SecretOnce
          title={`The application ${textOf(made.name)}`}
          secret={made.clientSecret}
          what="client secret"
          advice="Save it where the application reads it, then close this."
          onClose={() => setMade(undefined)}
        >
          <p class="quiet">Its client ID, and the issuer from which it discovers everything else:</p>
          <Command text={textOf(made.id)} />
          <Command text={baseUrl} />
        </SecretOnce>
      )}
    </Panel>
  )
}

function Name({
  of: { id, name, origin, isConfidential, usesDeviceFlow, organizationId },
}: {
  of: OauthClient
}) {
  return (
    <div class="person">
      <span class="person-name">
        {textOf(name)} {origin === 'dynamic' && <Badge tone="wait">registered itself</Badge>}{' '}
        {isConfidential && <Badge tone="plain">has a secret</Badge>}{' '}
        {usesDeviceFlow && <Badge tone="plain">device codes</Badge>}
      </span>
      <code class="small quiet">{textOf(id)}</code>
      {organizationId !== null && (
        <span class="small quiet">
          only for <code>{textOf(organizationId)}</code>
        </span>
      )}
    </div>
  )
}

function Returns({ to }: { to: readonly string[] }) {
  const [first, ...others] = to
  if (first === undefined) return <span class="quiet">nowhere</span>
  return (
    <span title={to.map(textOf).join('\n')}>
      {textOf(first)}
      {others.length === 0 ? '' : ` and ${others.length} more`}
    </span>
  )
}

/** Registers an application. */
function NewApplication({
  onClose,
  onMade,
}: {
  onClose: () => void
  onMade: (application: CreatedOauthClient) => void
}) {
  const form = useForm(
    {
      ...{ name: '', redirectUris: '', postLogoutRedirectUris: '', organizationId: '' },
      ...{ isConfidential: true, usesDeviceFlow: false },
    },
    async (values) =>
      onMade(
        await operator.oauthClients.create({
          name: values.name.trim(),
          redirectUris: linesOf(values.redirectUris),
          postLogoutRedirectUris: linesOf(values.postLogoutRedirectUris),
          ...{ isConfidential: values.isConfidential, usesDeviceFlow: values.usesDeviceFlow },
          organizationId: values.organizationId.trim() === '' ? null : values.organizationId.trim(),
        }),
      ),
  )
  return (
    <Dialog title="New application" onClose={onClose}>
      <Form of={form} action="Register" onCancel={onClose}>
        <TextField
          of={form}
          name="name"
          label="Name"
          hint="People see it when they grant access."
          placeholder="Our gateway"
        />
        <AreaField
          of={form}
          name="redirectUris"
          label="Redirect URIs"
          rows={3}
          mono
          optional
          hint="One a line: https, or http of this machine. Needed unless it uses device codes."
        />
        <AreaField
          of={form}
          name="postLogoutRedirectUris"
          label="Addresses after a sign-out"
          rows={2}
          mono
          optional
          hint="One a line, to which it may send a browser after a sign-out."
        />
        <CheckField
          of={form}
          name="isConfidential"
          label="Has a secret"
          hint="A server keeps one. Leave this off for a page or a program on the person's machine."
        />
        <CheckField
          of={form}
          name="usesDeviceFlow"
          label="Uses device codes"
          hint="For machines without a browser: the person enters a code elsewhere."
        />
        <TextField
          of={form}
          name="organizationId"
          label="Only for the organization"
          mono
          optional
          hint="Empty: members of every organization can grant it access."
          placeholder="org_…"
        />
      </Form>
    </Dialog>
  )
}

/** Deletes an application, once its name was typed. */
function Delete({ application, onClose }: { application: OauthClient; onClose: () => void }) {
  const name = textOf(application.name)
  return (
    <Confirm
      title={`Delete ${name}?`}
      action="Delete"
      name={name}
      danger
      work={async () => {
        await operator.oauthClients.delete(application.id)
        changed()
        toast(`${name} is deleted`)
      }}
      onClose={onClose}
    >
      <p>All that people have granted to it ends immediately, in every organization.</p>
    </Confirm>
  )
}
