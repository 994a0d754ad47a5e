import type { Failure } from '../../app/data/failure.ts'
import { signInPath } from '../../app/data/session.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Failed, Notice } from '../../parts/notice.tsx'

/** Why a factor was not added. Where the session is too old for that, the person signs in again. */
export function Refused({ failure }: { failure: Failure | undefined }) {
  if (failure?.details.reason !== 'step_up_required') return <Failed failure={failure} />
  return (
    <Notice
      tone="wait"
      icon="lock"
      title="Sign in again first"
      actions={
        <LinkButton small href={`${signInPath()}#password`}>
          Sign in
        </LinkButton>
      }
    >
      The first second factor is added within ten minutes after a sign-in.
    </Notice>
  )
}
