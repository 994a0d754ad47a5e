import { type FormState, SelectField, TextField } from '../../parts/form.tsx'
import type { AgentValues } from './values.ts'

const ON_MODEL_FAILURE = [
  ['fail', 'Fail the run'],
  ['retry', 'Retry twice'],
  ['fallback', 'Use another model'],
] as const

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'].map(
  (effort): [string, string] => [effort, effort],
)

interface Props {
  of: FormState<AgentValues>
  /** Models that may be asked where this one fails. */
  options: readonly [name: string, label: string][]
}

/** How an agent asks its model, and what a failure of that does. */
export function ModelFields({ of, options }: Props) {
  return (
    <details>
      <summary>Model parameters</summary>
      <div class="stack webhook-more">
        <TextField
          of={of}
          name="temperature"
          label="Temperature"
          type="number"
          optional
          hint="0 to 2. Empty: the default of the model."
        />
        <SelectField
          of={of}
          name="reasoningEffort"
          label="Reasoning effort"
          options={[['', 'Default of the model'], ...EFFORTS]}
        />
        <SelectField
          of={of}
          name="onModelFailure"
          label="When a call fails that may have been charged"
          options={ON_MODEL_FAILURE}
          hint="A call that cannot have been charged is always retried."
        />
        {of.values.onModelFailure === 'fallback' && (
          <SelectField
            of={of}
            name="fallbackModel"
            label="Fallback model"
            options={[['', 'None'], ...options]}
          />
        )}
      </div>
    </details>
  )
}
