import { useRef, useState } from 'preact/hooks'
import { type Failure, issuesOf } from '../app/data/failure.ts'
import { useAction } from '../app/data/use-action.ts'
import { issueWords } from '../app/words.ts'

export type Values = object

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
