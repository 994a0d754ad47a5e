import { count, duration, millisOf, number, textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Glyph } from '../../parts/icons.tsx'
import { Body } from '../../parts/json.tsx'
import { ActorName } from '../people/actor-name.tsx'
import type { Known } from './follow.ts'

const SIGNS = { model: 'model', tool: 'plug', approval: 'pause' } as const
const WORDS = { model: 'Model call', tool: 'Tool call', approval: 'Approval' } as const

/** What a run has done, step by step; each opens. */
export function StepList({ steps }: { steps: readonly Known[] }) {
  return (
    <ol class="runs-steps">
      {steps.map((step) => (
        <li key={step.seq}>
          <One step={step} />
        </li>
      ))}
    </ol>
  )
}

function One({ step }: { step: Known }) {
  const { kind, name, status, text, calls = [], reason, usage, credits, startedAt, endedAt } = step
  const [from, to] = [millisOf(startedAt), millisOf(endedAt)]
  const state =
    kind === 'approval'
      ? { started: 'waiting', failed: 'refused', succeeded: 'approved' }[String(status)]
      : undefined
  const facts = [
    from !== undefined && to !== undefined && duration(Math.max(0, to - from)),
    usage &&
      usage.inputTokens + usage.outputTokens > 0 &&
      `${number(usage.inputTokens)} + ${number(usage.outputTokens)} tokens`,
    credits !== undefined && credits > 0 && count(credits, 'credit'),
    step.tries !== undefined && step.tries > 1 && `${step.tries} attempts`,
    step.finishReason === 'length' && 'cut at the token limit',
  ].filter(Boolean)
  return (
    <details>
      <summary class="runs-step">
        <Glyph icon={SIGNS[kind]} />
        <span>
          {WORDS[kind]} <strong>{textOf(name)}</strong>
          <span class="small quiet runs-step-note">{facts.join(' · ')}</span>
        </span>
        <Status of={status} words={state} />
      </summary>
      <div class="stack runs-step-inside">
        {step.decidedBy && (
          <p class="small">
            {status === 'failed' ? 'Refused' : 'Approved'} by <ActorName id={step.decidedBy} />
          </p>
        )}
        {reason && <p class="small">Reason: {textOf(reason).replaceAll('_', ' ')}</p>}
        {step.providerMessage && <p class="small">The provider says: “{textOf(step.providerMessage)}”</p>}
        {step.arguments && <Body text={textOf(step.arguments)} label="arguments" />}
        {calls.map((call) => (
          <div key={call.id} class="stack">
            <p class="small quiet">Wants to call {textOf(call.name)}:</p>
            <Body text={textOf(call.arguments)} label={`arguments of ${textOf(call.name)}`} />
          </div>
        ))}
        {text && (
          <Body text={textOf(text)} label={kind === 'model' ? 'text of the model' : 'result of the tool'} />
        )}
        {!step.arguments && !text && calls.length === 0 && <p class="small quiet">No result yet.</p>}
      </div>
    </details>
  )
}
