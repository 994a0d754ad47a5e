import { createRequire } from 'node:module'
import { type Millis, plausible } from './clock.ts'

/**
 * Keeps the result of `load` for `lifetime`, in milliseconds. All calls in that time share it, also those made while `load` runs. A
 * failure rejects the calls that wait for it, and the next call loads again.
 */
export function memoizeFor<T>(
  lifetime: Millis,
  load: (now: Millis) => Promise<T>,
): (now: Millis) => Promise<T> {
  let known: { until: Millis; value: Promise<T> } | undefined
  return (now) => {
    if (known !== undefined && now < plausible(known.until, now, lifetime)) return known.value
    const loading = { until: now + lifetime, value: load(now) }
    known = loading
    loading.value.catch(() => {
      if (known === loading) known = undefined
    })
    return loading.value
  }
}

/** Makes something when it is first asked for. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * Makes one value for all equal inputs and keeps it as long as the process lives: for inputs of the program, not of its callers.
 * @param make makes the value; it is called once for each distinct JSON text of an input
 */
export function memoizeByJson<In, Out>(make: (input: In) => Out): (input: In) => Out {
  const made = new Map<string, () => Out>()
  return (input) => {
    const text = JSON.stringify(input)
    const value = made.get(text) ?? lazily(() => make(input))
    made.set(text, value)
    return value()
  }
}

const require = createRequire(import.meta.url)

/**
 * A package that is loaded when it is first used: for what a start does not need, in functions that are not asynchronous.
 * @template T `typeof import(name)`
 */
export function lazyPackage<T>(name: string): () => T {
  return lazily(() => require(name) as T)
}
