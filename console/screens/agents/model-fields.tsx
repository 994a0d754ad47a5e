import { type FormState, SelectField, TextField } from '../../parts/form.tsx'
import type { AgentValues } from './values.ts'

const ON_MODEL_FAILURE = [
  ['fail', 'Fail the run'],
  ['retry', 'Ask it twice more'],
  ['fallback', 'Ask another model'],
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
      <summary>How the model is asked</summary>
      <div class="stack webhook-more">
        <TextField
          of={of}
          name="temperature"
          label="Temperature"
          type="number"
          optional
          hint="0 to 2; as the model has it where nothing is written."
        />
        <SelectField
          of={of}
          name="reasoningEffort"
          label="Reasoning effort"
          options={[['', 'As the model has it'], ...EFFORTS]}
        />
        <SelectField
          of={of}
          name="onModelFailure"
          label="When a call fails that may have been paid"
          options={ON_MODEL_FAILURE}
          hint="One that cannot have been paid is always tried again."
        />
        {of.values.onModelFailure === 'fallback' && (
          <SelectField
            of={of}
            name="fallbackModel"
            label="The other model"
            options={[['', 'None yet'], ...options]}
          />
        )}
      </div>
    </details>
  )
}
