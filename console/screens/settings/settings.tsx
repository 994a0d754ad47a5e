import { useAccess } from '../../app/access.ts'
import { useData } from '../../app/data/cache.ts'
import { baseUrl, postern } from '../../app/data/postern.ts'
import { type Organization, personChanged } from '../../app/data/session.ts'
import { to } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { Command, IdText } from '../../parts/copy.tsx'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { Waiting } from '../../parts/notice.tsx'
import { Facts, Page, Panel } from '../../parts/page.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { usePlans } from '../credits/data.ts'
import { RequireFactor } from './require-factor.tsx'

const MODULES: Record<string, [title: string, text: string]> = {
  webhooks: ['Webhooks', 'signed events sent to your URLs'],
  connections: ['Connections', 'accounts at other providers'],
  files: ['Files', 'stored files and their text'],
  knowledge: ['Knowledge bases', 'documents that can be searched'],
  agents: ['Agents', 'models that use your tools'],
}

/** The organization: its name and its modules. */
export function Screen() {
  const { organization, reason, may } = useAccess()
  const plans = usePlans().data
  const { data: known } = useData(may('organization:read') ? 'organization' : undefined, (how) =>
    postern.organizations.list({}, how).page(),
  )
  if (organization === undefined) return null
  const own = known?.data.find(({ id }) => id === organization.id)
  const present = plans?.data.find(({ current }) => current)
  return (
    <Page title="Settings" lead={`Settings for everybody in ${textOf(organization.name)}.`}>
      <div class="columns">
        <Panel title="Name">
          <Rename
            key={organization.id}
            of={organization}
            reason={reason({ permission: 'organization:write' })}
          />
        </Panel>
        <Panel title="Details">
          <Facts
            rows={[
              ['ID', <IdText key="id" id={organization.id} />],
              ['Your role', textOf(organization.roleName)],
              own !== undefined && ['Created', <ExactTime key="made" at={own.createdAt} />],
              ['Plan', textOf(present?.name ?? own?.plan ?? '–')],
            ]}
          />
        </Panel>
      </div>
      {own !== undefined && (
        <RequireFactor
          key={`${own.id} ${own.secondFactorRequiredFrom} ${own.secondFactorGraceMs}`}
          of={own}
          reason={reason({ permission: 'organization:write' })}
        />
      )}
      <Panel
        title="Modules"
        note="The plan decides what this organization can use. The operator can switch each module on or off."
        actions={
          <LinkButton small icon="credits" href={to('/credits')}>
            Plans and credits
          </LinkButton>
        }
      >
        {!may('billing:read') ? (
          <p class="quiet">{reason({ permission: 'billing:read' })}.</p>
        ) : plans === undefined ? (
          <Waiting lines={3} />
        ) : (
          <Facts
            rows={plans.modules.map(({ module, enabled, byFlag }) => [
              MODULES[module]?.[0] ?? textOf(module),
              <span key={module} class="row">
                <Badge tone={enabled ? 'good' : 'held'}>{enabled ? 'on' : 'off'}</Badge>
                <span class="quiet">
                  {MODULES[module]?.[1]}
                  {byFlag && ', set by the operator'}
                </span>
              </span>,
            ])}
          />
        )}
      </Panel>
      <Panel title="API" note="Programs read the same with an API key of this organization.">
        <Command text={`curl -H "authorization: Bearer $POSTERN_API_KEY" ${baseUrl}/v1/billing/plans`} />
      </Panel>
      <p class="small quiet">
        Are you the operator of this server? <a href={to('/installation')}>Open Installation</a>.
      </p>
    </Page>
  )
}

function Rename({ of: { id, name }, reason }: { of: Organization; reason: string | undefined }) {
  const form = useForm({ name }, async (values) => {
    const renamed = await postern.organizations.rename(id, { name: values.name.trim() })
    await personChanged()
    form.reset({ name: renamed.name })
    toast(`Renamed to ${textOf(renamed.name)}`)
  })
  return (
    <Form of={form} action="Rename" reason={reason} onlyChanged>
      <TextField
        of={form}
        name="name"
        label="Name of the organization"
        hint="Names of organizations are unique on this server."
      />
    </Form>
  )
}
