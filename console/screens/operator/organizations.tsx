import { useState } from 'preact/hooks'
import type { AllOrganization } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { number, textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, SelectField, TextField, useForm } from '../../parts/form.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { usePlans } from '../credits/data.ts'
import { operator } from './operator.ts'
import { Delete, Invite, Status } from './organization-dialogs.tsx'

interface Pressed {
  what: keyof typeof DIALOGS
  organization: AllOrganization
}
type Changed =
  | { what: 'create' }
  | { what: 'plan' | 'name' | 'credits' | 'modules'; organization: AllOrganization }
type Asked = Changed | Pressed

const DIALOGS = { invite: Invite, status: Status, delete: Delete }

/** All organizations, and what the operator changes of them. */
export function Organizations() {
  const list = useList<AllOrganization>('operator/organizations', (how) =>
    operator.operator.organizations({ limit: 50 }, how),
  )
  const [asked, ask] = useState<Asked | undefined>()
  return (
    <Panel
      title="Organizations"
      flush
      actions={
        <Button small icon="plus" onPress={() => ask({ what: 'create' })}>
          New organization
        </Button>
      }
    >
      <ListTable
        label="Organizations"
        noun={['organization', 'organizations']}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Name',
            cell: ({ name, id, status }) => (
              <div class="person">
                <span class="person-name">
                  {textOf(name)} {status === 'disabled' && <Badge tone="wait">disabled</Badge>}
                </span>
                <code class="small quiet">{textOf(id)}</code>
              </div>
            ),
          },
          { title: 'Plan', tight: true, cell: ({ plan }) => textOf(plan) },
          {
            title: 'Modules',
            minor: true,
            cell: ({ modules }) =>
              Object.entries(modules)
                .filter(([, isOn]) => isOn)
                .map(([name]) => textOf(name))
                .join(', ') || '–',
          },
          { title: 'Members', tight: true, end: true, cell: ({ members }) => number(members) },
          {
            title: 'Webhooks',
            tight: true,
            end: true,
            minor: true,
            cell: ({ webhooks }) => number(webhooks),
          },
          { title: 'Created', tight: true, minor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Actions',
            tight: true,
            end: true,
            cell: (organization) => (
              <Menu
                small
                label={`More for ${textOf(organization.name)}`}
                items={[
                  { label: 'Invite', icon: 'invitation', run: () => ask({ what: 'invite', organization }) },
                  {
                    label: 'Change the plan',
                    icon: 'credits',
                    run: () => ask({ what: 'plan', organization }),
                  },
                  { label: 'Grant credits', icon: 'plus', run: () => ask({ what: 'credits', organization }) },
                  {
                    label: 'Modules',
                    icon: 'settings',
                    run: () => ask({ what: 'modules', organization }),
                  },
                  { label: 'Rename', icon: 'compose', run: () => ask({ what: 'name', organization }) },
                  {
                    label: organization.status === 'active' ? 'Disable' : 'Enable',
                    icon: organization.status === 'active' ? 'pause' : 'run',
                    run: () => ask({ what: 'status', organization }),
                  },
                  {
                    label: 'Delete',
                    icon: 'trash',
                    danger: true,
                    run: () => ask({ what: 'delete', organization }),
                  },
                ]}
              />
            ),
          },
        ]}
      />
      {asked && <Ask asked={asked} onClose={() => ask(undefined)} />}
    </Panel>
  )
}

/** The dialog that is open, for one organization or for a new one. */
function Ask({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  if (!isPressed(asked)) return <Change asked={asked} onClose={onClose} />
  const Pressed = DIALOGS[asked.what]
  return <Pressed organization={asked.organization} onClose={onClose} />
}

const isPressed = (asked: Asked): asked is Pressed => Object.hasOwn(DIALOGS, asked.what)

const MODULES = ['webhooks', 'connections', 'files', 'knowledge', 'agents'] as const
const BY_PLAN = [
  ['', 'as in the plan'],
  ['true', 'on'],
  ['false', 'off'],
] as const

/** One change of one organization. */
function Change({ asked, onClose }: { asked: Changed; onClose: () => void }) {
  const own = asked.what === 'create' ? undefined : asked.organization
  const plans = usePlans().data?.data ?? []
  const start = {
    name: own?.name ?? '',
    plan: own?.plan ?? '',
    credits: '',
    reason: '',
    ...Object.fromEntries(MODULES.map((module) => [module, String(own?.flags[module] ?? '')])),
  } as Record<string, string>
  const form = useForm(start, async (values) => {
    const { name = '', plan = '', credits = '', reason = '' } = values
    if (own === undefined) await operator.operator.createOrganization({ name: name.trim() })
    else if (asked.what === 'credits') {
      const { balance } = await operator.operator.grantCredits(own.id, {
        credits: Number(credits),
        reason: reason.trim(),
      })
      toast(`${textOf(own.name)} has ${number(balance)} credits now`)
    } else if (asked.what === 'name')
      await operator.operator.changeOrganization(own.id, { name: name.trim() })
    else if (asked.what === 'plan')
      await operator.operator.changeOrganization(own.id, { plan: plan as 'free' })
    else {
      const modules = MODULES.filter((module) => values[module] !== start[module]).map(
        (module) => [module, values[module] === '' ? null : values[module] === 'true'] as const,
      )
      await operator.operator.changeOrganization(own.id, { modules: Object.fromEntries(modules) })
    }
    outdate('operator')
    onClose()
  })
  const titles = {
    create: ['New organization', 'Create'],
    plan: ['Plan', 'Change the plan'],
    credits: ['Credits', 'Grant'],
    modules: ['Modules', 'Switch'],
    name: ['Name', 'Rename'],
  } as const
  const [title, action] = titles[asked.what]
  return (
    <Dialog title={own === undefined ? title : `${title} of ${textOf(own.name)}`} onClose={onClose}>
      <Form of={form} action={action} onCancel={onClose}>
        {(asked.what === 'create' || asked.what === 'name') && (
          <TextField
            of={form}
            name="name"
            label="Name"
            hint={own === undefined && 'Then invite the first administrator from its menu.'}
          />
        )}
        {asked.what === 'plan' && (
          <SelectField
            of={form}
            name="plan"
            label="Plan"
            options={plans.map(({ name }) => [name, textOf(name)] as const)}
          />
        )}
        {asked.what === 'credits' && (
          <>
            <TextField of={form} name="credits" label="Credits" type="number" hint="They do not expire." />
            <TextField of={form} name="reason" label="Reason" hint="Shown in the ledger." />
          </>
        )}
        {asked.what === 'modules' &&
          MODULES.map((module) => (
            <SelectField key={module} of={form} name={module} label={module} options={BY_PLAN} />
          ))}
      </Form>
    </Dialog>
  )
}
