import type { Cause, Diagnosis } from '#sdk/doctor.ts'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'

/** What the cause is called, in a few words. */
const TITLES: Record<Cause, string> = {
  missing_header: 'There is no signature',
  malformed: 'The signature is malformed',
  too_old: 'It was signed too long ago',
  too_new: 'It was signed in the future',
  previous_secret: 'It matches the previous secret',
  secret_has_guest: 'The secret has extra characters',
  body_was_parsed: 'The body was parsed and serialized again',
  body_changed: 'The body was changed on the way',
  wrong_key_form: 'The key has the wrong format',
  wrong_content: 'The wrong text is signed',
  wrong_encoding: 'The signature has the wrong format',
  wrong_secret: 'No secret matches',
}

/** The verdict: a valid signature, or the findings, the gravest first. */
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
      : 'The signature is valid'
    : isGenuine
      ? 'The signature matches, but there is a problem'
      : 'The signature does not match'
  return (
    <div class="stack">
      <Notice
        tone={isWell ? 'good' : isGenuine ? 'wait' : 'bad'}
        icon={isWell ? 'check' : 'alert'}
        title={title}
      >
        {isWell && 'Respond with 2xx and remember the ID: the same event may arrive twice.'}
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
