import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { type Failure, issuesOf } from '../app/data/failure.ts'
import { useAction } from '../app/data/use-action.ts'
import { reasonWords } from '../app/words.ts'
import { Button } from './button.tsx'
import { Failed } from './notice.tsx'

type Values = object

/** A form on its way: what stands in it, and what the server says to it. */
export interface FormState<V extends Values> {
  values: V
  set: <Name extends keyof V>(name: Name, value: V[Name]) => void
  /** Puts down other values, as if they had been there from the beginning. */
  reset: (values: V) => void
  isChanged: boolean
  isBusy: boolean
  failure: Failure | undefined
  /** What is wrong with a field, in words. */
  errorOf: (name: string) => string | undefined
  submit: () => Promise<void>
  fields: Set<string>
}

/**
 * The state of a form. Whether what is typed is right is the server's to say: its answer names the fields.
 * @param work sends the values; it throws what the server refused
 */
export function useForm<V extends Values>(initial: V, work: (values: V) => Promise<unknown>): FormState<V> {
  const [start, setStart] = useState(initial)
  const [values, setValues] = useState(initial)
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const fields = useRef(new Set<string>())
  const sending = useAction(work)
  const issues = sending.failure === undefined ? [] : issuesOf(sending.failure)
  return {
    values,
    set(name, value) {
      setValues((before) => ({ ...before, [name]: value }))
      setTouched((before) => new Set([...before, String(name)]))
    },
    reset(next) {
      setStart(next)
      setValues(next)
      sending.clear()
    },
    isChanged: JSON.stringify(values) !== JSON.stringify(start),
    isBusy: sending.isBusy,
    failure: sending.failure,
    errorOf(name) {
      if (touched.has(name)) return undefined
      const issue = issues.find(({ field }) => field === name || field.startsWith(`${name}.`))
      if (issue === undefined) return undefined
      const words = reasonWords(issue.reason ?? issue.code)
      return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
    },
    async submit() {
      setTouched(new Set())
      await sending.run(values)
    },
    fields: fields.current,
  }
}

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
  /** What the button says: the verb. */
  action: string
  onCancel?: () => void
  reason?: string | undefined
  /** Whether there is nothing to send until something was changed. */
  onlyChanged?: boolean
  children: ComponentChildren
}) {
  const form = useRef<HTMLFormElement>(null)
  const { failure } = of
  // What is said beside a field is not said twice.
  const isSaidThere =
    failure !== undefined &&
    issuesOf(failure).length > 0 &&
    issuesOf(failure).every(({ field }) => of.fields.has(field.split('.')[0] ?? ''))
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
          reason={reason ?? (onlyChanged && !of.isChanged ? 'Nothing was changed' : undefined)}
        >
          {action}
        </Button>
        {onCancel && <Button onPress={onCancel}>Cancel</Button>}
      </div>
    </form>
  )
}

interface FieldProps<V extends Values> {
  of: FormState<V>
  /** As the API names it. */
  name: keyof V & string
  label: string
  hint?: ComponentChildren
  /** Whether it may stay empty. */
  optional?: boolean
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

/** Any number of several; the value is the list of those that are chosen. */
export function ChoicesField<V extends Values>({
  of,
  name,
  label,
  hint,
  options,
}: FieldProps<V> & { options: readonly { value: string; label: string; note?: string | undefined }[] }) {
  of.fields.add(name)
  const id = useId()
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
