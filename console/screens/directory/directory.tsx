import type { Provisioning } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { outdate, put, useData } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { to } from '../../app/router.ts'
import { number } from '../../app/words.ts'
import { LinkButton } from '../../parts/button.tsx'
import { IdText } from '../../parts/copy.tsx'
import { CheckField, Form, useForm } from '../../parts/form.tsx'
import { Loading } from '../../parts/notice.tsx'
import { Figure, Page, Panel } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'
import { SetupLinkButton } from '../setup-links/button.tsx'
import { Groups } from './groups.tsx'
import { Requests } from './requests.tsx'
import { Tokens } from './tokens.tsx'

/** The directory that provisions members by SCIM: its address, its tokens, and the roles that its groups give. */
export function Screen() {
  const { reason, may } = useAccess()
  const { data, failure, refresh } = useData('provisioning', (how) => postern.provisioning.read(how))
  return (
    <Page
      title="Directory"
      lead="Entra ID, Okta and others add members by SCIM 2.0, change them, and end their access."
      actions={
        <>
          <LinkButton icon="domain" href={to('/domains')}>
            Domains
          </LinkButton>
          <SetupLinkButton purposes={['directory']} />
        </>
      }
    >
      {data === undefined ? (
        <Loading failure={failure} retry={refresh} lines={6} />
      ) : (
        <>
          <div class="figures">
            <Figure name="Active users" value={number(data.activeUsers)} note="provisioned" />
            <Figure
              name="Inactive users"
              value={number(data.users - data.activeUsers)}
              note="deprovisioned"
            />
            <Figure name="Groups" value={number(data.groups)} />
          </div>
          <Panel title="Address" note="The base URL, or tenant URL, of SCIM at the directory.">
            <IdText id={data.url} what="address" />
          </Panel>
        </>
      )}
      {may('keys:read') && <Tokens url={data?.url} reason={reason({ permission: 'keys:write' })} />}
      <Groups reason={reason({ permission: 'sign_in:write' })} />
      <Requests />
      {data !== undefined && (
        <Leaving key={String(data.endKeys)} of={data} reason={reason({ permission: 'sign_in:write' })} />
      )}
    </Page>
  )
}

/** What ends besides the membership when the directory deactivates a user. */
function Leaving({ of: { endKeys }, reason }: { of: Provisioning; reason: string | undefined }) {
  const form = useForm({ endKeys }, async (values) => {
    put('provisioning', await postern.provisioning.change(values))
    outdate('provisioning')
    toast('The change is saved')
  })
  return (
    <Panel
      title="When a user leaves"
      note="The membership ends immediately, with its sessions and applications."
    >
      <Form of={form} action="Save" reason={reason} onlyChanged>
        <CheckField
          of={form}
          name="endKeys"
          label="Delete the API keys that the person created, too"
          hint="They belong to the organization, and stay unless this is on."
        />
      </Form>
    </Panel>
  )
}
