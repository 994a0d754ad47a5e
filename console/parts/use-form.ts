import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { type Failure, issuesOf } from '../app/data/failure.ts'
import '../app/refusals.ts'
import { useAction } from '../app/data/use-action.ts'
import { issueWords } from '../app/words.ts'

export type Values = object

/** The state of a form: its values, and the refusal of the server. */
export interface FormState<V extends Values> {
  values: V
  set: <Name extends keyof V>(name: Name, value: V[Name]) => void
  /** Takes new saved values as the unchanged state. Fields that were edited since keep what was typed. */
  reset: (values: V) => void
  isChanged: boolean
  isBusy: boolean
  failure: Failure | undefined
  /** The error of a field, in words. */
  errorOf: (name: string) => string | undefined
  submit: () => Promise<void>
  fields: Set<string>
}

/** What every field of a form is given. */
export interface FieldProps<V extends Values> {
  of: FormState<V>
  /** As the API names it. */
  name: keyof V & string
  label: string
  hint?: ComponentChildren
  /** Whether it may stay empty. */
  optional?: boolean
}

/**
 * The state of a form. The server checks the values, and its answer names the wrong fields.
 * @param work sends the values; it throws what the server refused
 */
export function useForm<V extends Values>(initial: V, work: (values: V) => Promise<unknown>): FormState<V> {
  const [{ start, values }, setState] = useState({ start: initial, values: initial })
  const sent = useRef<V | undefined>(undefined)
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const fields = useRef(new Set<string>())
  const sending = useAction(async (given: V) => {
    sent.current = given
    try {
      await work(given)
    } catch (thrown) {
      sent.current = undefined
      throw thrown
    }
  })
  const issues = sending.failure === undefined ? [] : issuesOf(sending.failure)
  return {
    values,
    set(name, value) {
      setState((now) => ({ ...now, values: { ...now.values, [name]: value } }))
      setTouched((before) => new Set([...before, String(name)]))
    },
    reset(next) {
      const answered = sent.current
      sent.current = undefined
      setState((now) => ({ start: next, values: { ...next, ...typed(now.values, [now.start, answered]) } }))
    },
    isChanged: !isSame(values, start),
    isBusy: sending.isBusy,
    failure: sending.failure,
    errorOf(name) {
      if (touched.has(name)) return undefined
      const issue = issues.find(({ field }) => field === name || field.startsWith(`${name}.`))
      if (issue === undefined) return undefined
      const words = issueWords(issue)
      return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
    },
    async submit() {
      setTouched(new Set())
      await sending.run(values)
    },
    fields: fields.current,
  }
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** The fields whose value is in none of `known`. */
function typed<V extends Values>(values: V, known: readonly (V | undefined)[]): Partial<V> {
  const own = Object.entries(values).filter(
    ([name, value]) => !known.some((one) => one !== undefined && isSame(value, one[name as keyof V])),
  )
  return Object.fromEntries(own) as Partial<V>
}
