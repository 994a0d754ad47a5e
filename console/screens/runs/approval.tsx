import { useState } from 'preact/hooks'
import type { Run } from '#sdk/postern.ts'
import { answered } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Body } from '../../parts/json.tsx'
import { Failed, Notice } from '../../parts/notice.tsx'

/** A call of a tool that waits for somebody: what it would do, and the decision. */
export function Approval({ run }: { run: Run }) {
  const [reason, setReason] = useState('')
  const deciding = useAction(async (decision: 'approve' | 'deny') => {
    const { approval } = run
    if (approval === null) return
    const why = reason.trim()
    const body = { decision, ...(decision === 'deny' && why !== '' ? { reason: why } : {}) }
    answered(`run ${run.id}`, await postern.runs.decide(run.id, approval.stepId, body))
  })
  if (run.status !== 'waiting' || run.approval === null) return null
  const { tool, arguments: given } = run.approval
  return (
    <Notice tone="wait" icon="pause" title={`It asks to call ${textOf(tool)}`}>
      <div class="stack runs-approval">
        <p>
          Look at what it would be called with. What you approve is this call alone, as it is; after 24 hours
          it is refused.
        </p>
        {given !== undefined && <Body text={textOf(given)} label="arguments" />}
        <div class="field">
          <input
            aria-label="Why not, kept with the run"
            placeholder="Why not, kept with the run"
            maxLength={100}
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </div>
        <Failed failure={deciding.failure} />
        <div class="row">
          <Button
            kind="primary"
            icon="check"
            busy={deciding.isBusy}
            onPress={() => void deciding.run('approve')}
          >
            Approve
          </Button>
          <Button kind="danger" icon="cross" busy={deciding.isBusy} onPress={() => void deciding.run('deny')}>
            Refuse
          </Button>
        </div>
      </div>
    </Notice>
  )
}
