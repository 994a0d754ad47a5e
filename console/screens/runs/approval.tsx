import { useState } from 'preact/hooks'
import type { Run } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { answered } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Body } from '../../parts/json.tsx'
import { Failed, Notice } from '../../parts/notice.tsx'

/** Calls of tools that wait for a decision: what each would do, and buttons to decide about one or all. */
export function Approval({ run }: { run: Run }) {
  const [reason, setReason] = useState('')
  const deciding = useAction(async (decision: 'approve' | 'deny', stepIds: string[]) => {
    const why = reason.trim()
    const said = decision === 'deny' && why !== '' ? { reason: why } : {}
    const decisions = stepIds.map((stepId) => ({ stepId, decision, ...said }))
    answered(`run ${run.id}`, await postern.runs.decideAll(run.id, { decisions }))
  })
  const mayNot = useAccess().reason({ permission: 'approvals:write' })
  const approvals = run.approvals ?? []
  const [first] = approvals
  if (run.status !== 'waiting' || first === undefined) return null
  const isOne = approvals.length === 1
  const all = approvals.map(({ stepId }) => stepId)
  const title = isOne ? `Approve a call of ${textOf(first.tool)}?` : `Approve ${approvals.length} calls?`
  return (
    <Notice tone="wait" icon="pause" title={title}>
      <div class="stack runs-approval">
        <p>
          Look at what it would be called with. What you approve is this call alone, as it is; after 24 hours
          it is refused.
        </p>
        {approvals.map(({ stepId, tool, arguments: given }) => (
          <div key={stepId} class="stack">
            {given !== undefined && <Body text={textOf(given)} label={`arguments of ${textOf(tool)}`} />}
            {!isOne && (
              <div class="row">
                <span>{textOf(tool)}</span>
                <Button
                  icon="check"
                  reason={mayNot}
                  busy={deciding.isBusy}
                  onPress={() => void deciding.run('approve', [stepId])}
                >
                  Approve
                </Button>
                <Button
                  icon="cross"
                  reason={mayNot}
                  busy={deciding.isBusy}
                  onPress={() => void deciding.run('deny', [stepId])}
                >
                  Refuse
                </Button>
              </div>
            )}
          </div>
        ))}
        <div class="field">
          <input
            aria-label="Reason for refusing (the model reads it)"
            placeholder="Reason for refusing (the model reads it)"
            maxLength={1000}
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </div>
        <Failed failure={deciding.failure} />
        <div class="row">
          <Button
            kind="primary"
            icon="check"
            reason={mayNot}
            busy={deciding.isBusy}
            onPress={() => void deciding.run('approve', all)}
          >
            {isOne ? 'Approve' : 'Approve all'}
          </Button>
          <Button
            kind="danger"
            icon="cross"
            reason={mayNot}
            busy={deciding.isBusy}
            onPress={() => void deciding.run('deny', all)}
          >
            {isOne ? 'Refuse' : 'Refuse all'}
          </Button>
        </div>
      </div>
    </Notice>
  )
}
