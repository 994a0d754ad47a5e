import { useId } from 'preact/hooks'
import { textOf } from '../../app/words.ts'
import { type Field, meant } from './schema.ts'

/** The members of an event's data as fields. */
export function DataForm({
  fields,
  data,
  errors,
  onChange,
}: {
  fields: readonly Field[]
  data: Record<string, unknown>
  /** The server's message about a member. */
  errors: Record<string, string>
  onChange: (data: Record<string, unknown>) => void
}) {
  const set = (field: Field, typed: string) => {
    const next = { ...data }
    const value = meant(field, typed)
    if (value === undefined) delete next[field.name]
    else next[field.name] = value
    onChange(next)
  }
  const others = Object.keys(data).filter((name) => fields.every((field) => field.name !== name))
  return (
    <div class="stack">
      {fields.map((field) => (
        <One
          key={field.name}
          field={field}
          value={textOf(data[field.name])}
          error={errors[field.name]}
          onChange={(typed) => set(field, typed)}
        />
      ))}
      {others.length > 0 && (
        <p class="small quiet">Also in the JSON and sent with the event: {others.map(textOf).join(', ')}.</p>
      )}
    </div>
  )
}

function One({
  field: { name, kind, options, isRequired, hint },
  value,
  error,
  onChange,
}: {
  field: Field
  value: string
  error: string | undefined
  onChange: (typed: string) => void
}) {
  const id = useId()
  const choices = kind === 'boolean' ? ['true', 'false'] : options
  const wiring = {
    id,
    'aria-invalid': error === undefined ? undefined : (true as const),
    'aria-describedby': [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined,
    value,
  }
  return (
    <div class="field">
      <label for={id}>
        {name}
        {!isRequired && <span class="quiet small"> optional</span>}
      </label>
      {hint && (
        <p class="hint small quiet" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {choices.length > 0 ? (
        <select {...wiring} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{isRequired ? 'choose' : 'not set'}</option>
          {(choices.includes(value) || value === '' ? choices : [value, ...choices]).map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input
          {...wiring}
          inputMode={kind === 'text' ? undefined : 'decimal'}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
      {error && (
        <p class="field-error small" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}
