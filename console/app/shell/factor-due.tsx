import { LinkButton } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { now } from '../clock.ts'
import { to } from '../router.ts'
import { millisOf } from '../words.ts'

/** Until when the person has time to add the second factor that the organization requires. */
export function FactorDue({ at }: { at: string }) {
  return (
    <div class="factor-due">
      <Notice
        tone="wait"
        icon="role"
        title="This organization requires a second factor"
        actions={
          <LinkButton small href={to('/me')}>
            Add one
          </LinkButton>
        }
      >
        {(millisOf(at) ?? 0) > now() ? (
          <>
            Without one you can work here until <ExactTime at={at} />.
          </>
        ) : (
          'Add one to continue here.'
        )}
      </Notice>
    </div>
  )
}
