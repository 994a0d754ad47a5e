import { useState } from 'preact/hooks'
import type { Domain } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Empty, Loading } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { SetupLinkButton } from '../setup-links/button.tsx'
import { CAUSES, isProven, STATES, useDomains } from './data.ts'
import { DnsRecord } from './dns-record.tsx'

type Asked = { what: 'add' } | { what: 'record' | 'check' | 'remove'; domain: Domain }

/** The domains of the organization, and the record that proves each. */
export function Screen() {
  const reason = useAccess().reason({ permission: 'sign_in:write' })
  const { data, failure, refresh } = useDomains()
  const [asked, ask] = useState<Asked | undefined>()
  const close = () => ask(undefined)
  useActions([{ label: 'Add domain', run: () => ask({ what: 'add' }), reason }])
  return (
    <Page
      title="Domains"
      lead="A DNS record proves that the e-mail addresses of a domain belong to this organization."
      actions={
        <>
          <SetupLinkButton purposes={['domains']} />
          <Button kind="primary" icon="plus" reason={reason} onPress={() => ask({ what: 'add' })}>
            Add domain
          </Button>
        </>
      }
    >
      {data === undefined ? (
        <Loading failure={failure} retry={refresh} lines={6} />
      ) : (
        <Panel flush>
          <Table
            label="Domains"
            rows={data}
            keyOf={({ id }) => String(id)}
            empty={
              <Empty icon="domain" title="No domain yet">
                <p>
                  People with addresses of a proven domain can sign in by your identity provider, and come in
                  at once from your directory.
                </p>
              </Empty>
            }
            rowKeys={[
              { keys: 'Enter', label: 'Show the record', run: (domain) => ask({ what: 'record', domain }) },
            ]}
            columns={[
              { title: 'Domain', cell: (domain) => <Named domain={domain} /> },
              {
                title: 'Status',
                tight: true,
                phone: 'corner',
                cell: ({ status }) => <Badge tone={STATES[status].tone}>{STATES[status].words}</Badge>,
              },
              {
                title: 'Checked',
                tight: true,
                cell: ({ checkedAt }) => <Time at={checkedAt} none="not yet" />,
              },
              {
                title: 'Actions',
                tight: true,
                end: true,
                cell: (domain) => (
                  <div class="row domains-actions">
                    {domain.status !== 'verified' && (
                      <Button small reason={reason} onPress={() => ask({ what: 'check', domain })}>
                        Check now
                      </Button>
                    )}
                    <Menu
                      small
                      label={`More for ${textOf(domain.name)}`}
                      items={[
                        {
                          ...{ label: 'Show the record', icon: 'domain' as const },
                          run: () => ask({ what: 'record', domain }),
                        },
                        {
                          ...{ label: 'Check now', icon: 'retry' as const, reason },
                          run: () => ask({ what: 'check', domain }),
                        },
                        {
                          ...{ label: 'Remove', icon: 'trash' as const, danger: true, reason },
                          run: () => ask({ what: 'remove', domain }),
                        },
                      ]}
                    />
                  </div>
                ),
              },
            ]}
          />
        </Panel>
      )}
      {asked?.what === 'add' && (
        <AddDomain onAdded={(domain) => ask({ what: 'record', domain })} onClose={close} />
      )}
      {(asked?.what === 'record' || asked?.what === 'check') && (
        <DnsRecord
          // What was read since counts.
          domain={data?.find(({ id }) => id === asked.domain.id) ?? asked.domain}
          isChecked={asked.what === 'check'}
          reason={reason}
          onClose={close}
        />
      )}
      {asked?.what === 'remove' && <RemoveDomain domain={asked.domain} onClose={close} />}
    </Page>
  )
}

function Named({ domain: { name, status, reason } }: { domain: Domain }) {
  return (
    <div class="person">
      <span class="person-name">{textOf(name)}</span>
      {status !== 'verified' && reason !== null && <span class="small quiet">{CAUSES[reason]}</span>}
    </div>
  )
}

function AddDomain({ onAdded, onClose }: { onAdded: (domain: Domain) => void; onClose: () => void }) {
  const form = useForm({ name: '' }, async ({ name }) => {
    const made = await postern.domains.create({ name: name.trim() })
    outdate('domains')
    onAdded(made)
  })
  return (
    <Dialog title="Add a domain" onClose={onClose}>
      <Form of={form} action="Add domain" onCancel={onClose}>
        <TextField
          of={form}
          name="name"
          label="Domain"
          inputMode="url"
          placeholder="acme.example"
          hint="Exactly what stands after the @. A subdomain is a domain of its own."
        />
      </Form>
    </Dialog>
  )
}

function RemoveDomain({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const { id, name } = domain
  return (
    <Confirm
      title={`Remove ${textOf(name)}?`}
      action="Remove"
      danger
      work={async () => {
        await postern.domains.delete(String(id))
        outdate('domains')
        toast(`${textOf(name)} is removed`)
      }}
      onClose={onClose}
    >
      {isProven(domain) ? (
        <>
          <p>The proof ends: another organization can prove the domain from then on.</p>
          <ul class="ends">
            <li>Your identity provider lets in no new people with its addresses.</li>
            <li>The sign-in page no longer leads its addresses to your identity provider.</li>
            <li>Your directory invites its people by mail instead of adding them at once.</li>
          </ul>
          <p>Members stay, and those who have signed in by the identity provider still can.</p>
        </>
      ) : (
        <p>It is not proven, so nothing ends. Adding it again gives another record.</p>
      )}
    </Confirm>
  )
}
