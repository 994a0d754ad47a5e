import { useState } from 'preact/hooks'
import type { IdentityProvider } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { to } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { Badge, Status } from '../../parts/badge.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Empty, Failed, Loading } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { isProven, useDomains } from '../domains/data.ts'
import { SetupLinkButton } from '../setup-links/button.tsx'
import { SetupLinks } from '../setup-links/panel.tsx'
import { useOwnOrganization, useProviders } from './data.ts'
import { EndProvider } from './end-provider.tsx'
import { KINDS } from './kinds.tsx'
import { RequireSignIn } from './require-sign-in.tsx'
import { RotateKeys } from './rotate-keys.tsx'
import { SetUp } from './set-up.tsx'

const EditProvider = lazy(() => import('./edit-provider.tsx').then((module) => module.EditProvider))

type Asked =
  | { what: 'add' }
  | { what: 'set up' | 'edit' | 'rotate' | 'disable' | 'remove'; provider: IdentityProvider }

/** The identity providers by which members sign in, and whether they must. */
export function Screen() {
  const { reason: reasonOf } = useAccess()
  const reason = reasonOf({ permission: 'sign_in:write' })
  const { data, failure, refresh } = useProviders()
  const domains = useDomains().data?.filter(isProven) ?? []
  const own = useOwnOrganization()
  const [asked, ask] = useState<Asked | undefined>()
  const close = () => ask(undefined)
  const enabling = useAction(async ({ id }: IdentityProvider) => {
    await postern.identityProviders.update(String(id), { status: 'active' })
    outdate('identity-providers')
  })
  useActions([{ label: 'Add identity provider', run: () => ask({ what: 'add' }), reason }])
  // Addresses of a domain are led to the oldest one.
  const leading = data?.find(({ status }) => status === 'active')
  const isRequired = own?.signIn.required === true
  return (
    <Page
      title="Identity providers"
      lead="Sign-in by the accounts of the organization: Entra ID, Okta and others."
      actions={
        <>
          <LinkButton icon="domain" href={to('/domains')}>
            Domains
          </LinkButton>
          <SetupLinkButton purposes={['domains', 'provider']} />
          <Button kind="primary" icon="plus" reason={reason} onPress={() => ask({ what: 'add' })}>
            Add provider
          </Button>
        </>
      }
    >
      <Failed failure={enabling.failure} />
      {data === undefined ? (
        <Loading failure={failure} retry={refresh} lines={6} />
      ) : (
        <Panel flush>
          <Table
            label="Identity providers"
            rows={data}
            keyOf={({ id }) => String(id)}
            empty={
              <Empty icon="lock" title="No identity provider yet">
                <p>Prove a domain, then add the provider at which its people have their accounts.</p>
              </Empty>
            }
            rowKeys={[
              {
                keys: 'Enter',
                label: 'Show the set-up',
                run: (provider) => ask({ what: 'set up', provider }),
              },
            ]}
            columns={[
              {
                title: 'Name',
                cell: (provider) => (
                  <div class="person">
                    <span class="person-name">{textOf(provider.name)}</span>
                    <span class="small quiet">
                      {KINDS[provider.kind].label} · {KINDS[provider.kind].noteOf(provider)}
                    </span>
                  </div>
                ),
              },
              {
                title: 'Status',
                tight: true,
                phone: 'corner',
                cell: ({ status }) => (
                  <span class="row">
                    <Status of={status} words={status === 'active' ? 'enabled' : 'disabled'} />
                    {isRequired && status === 'active' && <Badge>required</Badge>}
                  </span>
                ),
              },
              {
                title: 'Domains',
                cell: ({ id }) =>
                  id === leading?.id && domains.length > 0 ? (
                    domains.map(({ name }) => textOf(name)).join(', ')
                  ) : (
                    <span class="quiet">none</span>
                  ),
              },
              {
                title: 'Last sign-in',
                tight: true,
                cell: ({ lastSignInAt }) => <Time at={lastSignInAt} none="never" />,
              },
              {
                title: 'Actions',
                tight: true,
                end: true,
                cell: (provider) => (
                  <Menu
                    small
                    label={`More for ${textOf(provider.name)}`}
                    items={[
                      {
                        ...{ label: 'Set-up', icon: 'link' as const },
                        run: () => ask({ what: 'set up', provider }),
                      },
                      {
                        ...{ label: 'Edit', icon: 'settings' as const, reason },
                        run: () => ask({ what: 'edit', provider }),
                      },
                      provider.saml !== null && {
                        ...{ label: 'Rotate keys', icon: 'key' as const, reason },
                        run: () => ask({ what: 'rotate', provider }),
                      },
                      provider.status === 'active'
                        ? {
                            ...{ label: 'Disable', icon: 'pause' as const, reason },
                            run: () => ask({ what: 'disable', provider }),
                          }
                        : {
                            ...{ label: 'Enable', icon: 'run' as const, reason },
                            run: () => void enabling.run(provider),
                          },
                      {
                        ...{ label: 'Remove', icon: 'trash' as const, danger: true, reason },
                        run: () => ask({ what: 'remove', provider }),
                      },
                    ]}
                  />
                ),
              },
            ]}
          />
        </Panel>
      )}
      <SetupLinks reason={reason} />
      {own !== undefined && data !== undefined && (data.length > 0 || isRequired) && (
        <RequireSignIn
          key={JSON.stringify(own.signIn)}
          of={own}
          providers={data}
          reason={reason ?? reasonOf({ permission: 'organization:write' })}
        />
      )}
      {asked?.what === 'add' && (
        <EditProvider onSaved={(provider) => ask({ what: 'set up', provider })} onClose={close} />
      )}
      {asked?.what === 'edit' && <EditProvider provider={asked.provider} onSaved={close} onClose={close} />}
      {asked?.what === 'set up' && (
        <SetUp provider={asked.provider} hasDomain={domains.length > 0} onClose={close} />
      )}
      {asked?.what === 'rotate' && <RotateKeys provider={asked.provider} onClose={close} />}
      {(asked?.what === 'disable' || asked?.what === 'remove') && (
        <EndProvider provider={asked.provider} isRemoved={asked.what === 'remove'} onClose={close} />
      )}
    </Page>
  )
}
