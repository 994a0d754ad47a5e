import type { Organization } from '#sdk/postern.ts'
import { DAY, now, toIso } from '../../app/clock.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { personChanged } from '../../app/data/session.ts'
import { count, millisOf } from '../../app/words.ts'
import { Form, SelectField, useForm } from '../../parts/form.tsx'
import { Panel } from '../../parts/page.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'

const NEVER = 'never'
const KEPT = 'kept'
/** Days that members can be given, beside those that the organization has. */
const GRACES = [0, 1, 7, 14, 30, 90]

/** Whether members need a second factor, from when, and how long each has to add one. */
export function RequireFactor({
  of: { id, secondFactorRequiredFrom: from, secondFactorGraceMs: graceMs },
  reason,
}: {
  of: Organization
  reason: string | undefined
}) {
  const grace = graceMs / DAY
  const start = { from: from === null ? NEVER : KEPT, grace: String(grace) }
  const form = useForm(start, async ({ from: days, grace }) => {
    await postern.organizations.rename(id, {
      ...(days === KEPT
        ? {}
        : { secondFactorRequiredFrom: days === NEVER ? null : toIso(now() + Number(days) * DAY) }),
      secondFactorGraceMs: Math.round(Number(grace) * DAY),
    })
    outdate('organization')
    void personChanged()
    toast(days === NEVER ? 'No second factor is required' : 'The requirement is saved')
  })
  const isRequired = from !== null && (millisOf(from) ?? 0) <= now()
  return (
    <Panel title="Second factor">
      <Form of={form} action="Save" reason={reason} onlyChanged>
        <p>
          {from === null ? (
            'Members may sign in with their password alone.'
          ) : (
            <>
              {isRequired ? 'Required since' : 'Required from'} <ExactTime at={from} />
              {grace > 0 && `, with ${count(grace, 'day')} to add one`}.
            </>
          )}
        </p>
        <SelectField
          of={form}
          name="from"
          label="Required of every member"
          hint="From then on a member without one can add one and do nothing else here."
          options={[
            [NEVER, 'no'],
            ...(from === null ? [] : [[KEPT, 'as it is'] as const]),
            ['0', 'from now on'],
            ['7', 'in 7 days'],
            ['14', 'in 14 days'],
            ['30', 'in 30 days'],
          ]}
        />
        {form.values.from !== NEVER && (
          <SelectField
            of={form}
            name="grace"
            label="Time to add one"
            hint="For each member, after that day or after joining, whichever is later."
            options={[...new Set([...GRACES, grace])]
              .toSorted((a, b) => a - b)
              .map((days) => [String(days), days === 0 ? 'none' : count(days, 'day')] as const)}
          />
        )}
      </Form>
    </Panel>
  )
}
