import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { issuesOf } from '../app/data/failure.ts'
import { Button } from './button.tsx'
import { Failed } from './notice.tsx'
import type { FieldProps, FormState, Values } from './use-form.ts'

export { CheckField, ChoicesField } from './choice-fields.tsx'
export { type FormState, useForm } from './use-form.ts'

/** A form: its fields, what went wrong with it, and its button. */
export function Form<V extends Values>({
  of,
  action,
  onCancel,
  reason,
  onlyChanged = false,
  children,
}: {
  of: FormState<V>
  /** Label of the button: a verb. */
  action: string
  onCancel?: () => void
  reason?: string | undefined
  /** Whether the button needs a changed field. */
  onlyChanged?: boolean
  children: ComponentChildren
}) {
  const form = useRef<HTMLFormElement>(null)
  const { failure } = of
  // A failure that is shown beside its fields is not shown a second time.
  const isSaidThere =
    failure !== undefined &&
    issuesOf(failure).length > 0 &&
    issuesOf(failure).every(({ field }) => of.fields.has(field) || of.fields.has(field.split('.')[0] ?? ''))
  useEffect(() => {
    if (failure !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [failure])
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (reason === undefined) void of.submit()
      }}
    >
      {children}
      {!isSaidThere && <Failed failure={failure} />}
      <div class="row form-foot">
        <Button
          kind="primary"
          type="submit"
          busy={of.isBusy}
          reason={reason ?? (onlyChanged && !of.isChanged ? 'Nothing changed' : undefined)}
        >
          {action}
        </Button>
        {onCancel && <Button onPress={onCancel}>Cancel</Button>}
      </div>
    </form>
  )
}

interface Wiring {
  id: string
  name: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

/** A label, a hint and an error around an input of any kind. */
function Field<V extends Values>({
  of,
  name,
  label,
  hint,
  optional,
  children,
}: FieldProps<V> & { children: (wiring: Wiring) => ComponentChildren }) {
  const id = useId()
  const error = of.errorOf(name)
  of.fields.add(name)
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>
        {label}
        {optional && <span class="quiet small"> optional</span>}
      </label>
      {hint && (
        <p class="hint small quiet" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        name,
        'aria-describedby': described || undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {error && (
        <p class="field-error small" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

/** One line of text, or a number, kept as text. */
export function TextField<V extends Values>({
  type = 'text',
  inputMode,
  placeholder,
  mono = false,
  autocomplete = 'off',
  ...field
}: FieldProps<V> & {
  type?: 'text' | 'email' | 'number' | 'password'
  inputMode?: 'url' | 'numeric' | 'decimal'
  placeholder?: string
  mono?: boolean
  autocomplete?: string
}) {
  const { of, name } = field
  return (
    <Field {...field}>
      {(wiring) => (
        <input
          {...wiring}
          type={type as 'text'}
          inputMode={inputMode}
          class={mono ? 'mono' : undefined}
          placeholder={placeholder}
          autocomplete={autocomplete}
          spellcheck={false}
          value={String(of.values[name] ?? '')}
          onInput={(event) => of.set(name, event.currentTarget.value as V[typeof name])}
        />
      )}
    </Field>
  )
}

/** Text of several lines. */
export function AreaField<V extends Values>({
  rows = 4,
  mono = false,
  placeholder,
  ...field
}: FieldProps<V> & { rows?: number; mono?: boolean; placeholder?: string }) {
  const { of, name } = field
  return (
    <Field {...field}>
      {(wiring) => (
        <textarea
          {...wiring}
          rows={rows}
          class={mono ? 'mono' : undefined}
          placeholder={placeholder}
          spellcheck={!mono}
          value={String(of.values[name] ?? '')}
          onInput={(event) => of.set(name, event.currentTarget.value as V[typeof name])}
        />
      )}
    </Field>
  )
}

/** One of several. */
export function SelectField<V extends Values>({
  options,
  ...field
}: FieldProps<V> & { options: readonly (readonly [value: string, label: string])[] }) {
  const { of, name } = field
  return (
    <Field {...field}>
      {(wiring) => (
        <select
          {...wiring}
          value={String(of.values[name] ?? '')}
          onChange={(event) => of.set(name, event.currentTarget.value as V[typeof name])}
        >
          {options.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** The lines of a text area that are not blank, without the spaces around them. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
