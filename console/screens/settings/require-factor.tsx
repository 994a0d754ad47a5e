import type { Organization } from '#sdk/postern.ts'
import { DAY, now, toIso } from '../../app/clock.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { millisOf } from '../../app/words.ts'
import { Form, SelectField, useForm } from '../../parts/form.tsx'
import { Panel } from '../../parts/page.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'

const NEVER = 'never'
const KEPT = 'kept'

/** Whether members need a second factor, and from when. */
export function RequireFactor({
  of: { id, secondFactorRequiredFrom: from },
  reason,
}: {
  of: Organization
  reason: string | undefined
}) {
  const start = from === null ? NEVER : KEPT
  const form = useForm({ from: start }, async ({ from: days }) => {
    const secondFactorRequiredFrom = days === NEVER ? null : toIso(now() + Number(days) * DAY)
    await postern.organizations.rename(id, { secondFactorRequiredFrom })
    outdate('organization')
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
              {isRequired ? 'Required since' : 'Required from'} <ExactTime at={from} />.
            </>
          )}
        </p>
        <SelectField
          of={form}
          name="from"
          label="Required of every member"
          hint="Members without one can add one until then, and afterwards too, but do nothing else here."
          options={[
            [NEVER, 'no'],
            ...(from === null ? [] : [[KEPT, 'as it is'] as const]),
            ['0', 'from now on'],
            ['7', 'in 7 days'],
            ['14', 'in 14 days'],
            ['30', 'in 30 days'],
          ]}
        />
      </Form>
    </Panel>
  )
}
