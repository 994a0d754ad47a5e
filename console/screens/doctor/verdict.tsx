import type { Cause, Diagnosis } from '#sdk/doctor.ts'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'

/** What the cause is called, in a few words. */
const TITLES: Record<Cause, string> = {
  missing_header: 'No signature is there',
  malformed: 'The signature is malformed',
  too_old: 'It was signed too long ago',
  too_new: 'It was signed in the future',
  previous_secret: 'It fits the secret before',
  secret_has_guest: 'Something clings to the secret',
  body_was_parsed: 'The body was parsed and written again',
  body_changed: 'The body was changed on the way',
  wrong_key_form: 'The key has the wrong form',
  wrong_content: 'The wrong text is signed',
  wrong_encoding: 'The signature is written in the wrong way',
  wrong_secret: 'No secret fits',
}

/** A fitting signature, or what is wrong, the gravest first. */
export function Verdict({
  diagnosis: { isGenuine, findings },
  isComputed,
}: {
  diagnosis: Diagnosis
  isComputed: boolean
}) {
  const isWell = findings.length === 0
  const title = isWell
    ? isComputed
      ? 'Your code computes the right signature'
      : 'It is genuine: the signature fits'
    : isGenuine
      ? 'The signature fits, but for this'
      : 'The signature does not fit'
  return (
    <div class="stack">
      <Notice
        tone={isWell ? 'good' : isGenuine ? 'wait' : 'bad'}
        icon={isWell ? 'check' : 'alert'}
        title={title}
      >
        {isWell && 'Answer 2xx, and remember the id: the same call may come twice.'}
      </Notice>
      {findings.map(({ cause, text }) => (
        <Panel key={cause} title={TITLES[cause]}>
          <p>{text}</p>
          <p class="small quiet">
            <code>{cause}</code>
          </p>
        </Panel>
      ))}
    </div>
  )
}
