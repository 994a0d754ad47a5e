import { useId } from 'preact/hooks'
import type { FieldProps, Values } from './use-form.ts'

/** Yes or no. */
export function CheckField<V extends Values>({ of, name, label, hint }: FieldProps<V>) {
  of.fields.add(name)
  const id = useId()
  return (
    <div class="field">
      <label class="check">
        <input
          type="checkbox"
          name={name}
          aria-describedby={hint === undefined ? undefined : id}
          checked={Boolean(of.values[name])}
          onChange={(event) => of.set(name, event.currentTarget.checked as V[typeof name])}
        />
        <span>{label}</span>
      </label>
      {hint && (
        <p class="hint small quiet" id={id}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** Any number of several; the value is the list of those that are chosen. Without options nothing is shown. */
export function ChoicesField<V extends Values>({
  of,
  name,
  label,
  hint,
  options,
}: FieldProps<V> & { options: readonly { value: string; label: string; note?: string | undefined }[] }) {
  const id = useId()
  if (options.length === 0) return null
  of.fields.add(name)
  const chosen = of.values[name] as readonly string[]
  const error = of.errorOf(name)
  return (
    <fieldset
      class="field choices"
      aria-describedby={[hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined}
    >
      <legend>{label}</legend>
      {hint && (
        <p class="hint small quiet" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <div class="choices-list">
        {options.map(({ value, label, note }) => (
          <label key={value} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              aria-invalid={error === undefined ? undefined : true}
              onChange={(event) => {
                const next = event.currentTarget.checked
                  ? [...chosen, value]
                  : chosen.filter((one) => one !== value)
                of.set(name, next as V[typeof name])
              }}
            />
            <span>
              {label}
              {note && <span class="quiet small choices-note">{note}</span>}
            </span>
          </label>
        ))}
      </div>
      {error && (
        <p class="field-error small" id={`${id}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  )
}
