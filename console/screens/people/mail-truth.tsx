import type { Invitation } from '#sdk/postern.ts'
import { textOf } from '../../app/words.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Time } from '../../parts/time.tsx'

type Fare = Pick<Invitation['delivery'], 'status' | 'attempts' | 'lastAttemptAt' | 'lastError' | 'answer'>

const LOOKS: Record<Fare['status'], [Tone, string]> = {
  queued: ['wait', 'waits'],
  sent: ['good', 'sent'],
  failed: ['bad', 'failed'],
  not_configured: ['held', 'not mailed'],
}

/** The state of a mail, and the answer of the mail server. */
export function MailTruth({ of: { status, attempts, lastAttemptAt, lastError, answer } }: { of: Fare }) {
  const [tone, word] = LOOKS[status] ?? ['plain', textOf(status)]
  const said = status === 'sent' ? answer : lastError
  return (
    <span class="mail-truth">
      <span class="row">
        <Badge tone={tone}>{word}</Badge>
        {lastAttemptAt !== null && (
          <span class="small quiet">
            <Time at={lastAttemptAt} />
            {attempts > 1 && `, attempt ${attempts}`}
          </span>
        )}
      </span>
      {said && <span class="small quiet mail-said">{textOf(said)}</span>}
    </span>
  )
}
