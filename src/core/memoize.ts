import { createRequire } from 'node:module'
import { createBoundedMap } from './bounded-map.ts'
import { type Millis, plausible } from './clock.ts'

/**
 * Caches the result of `load` for `lifetime`, in milliseconds. Calls within that time share it, also those made while `load` runs. A
 * failure rejects the waiting calls, and the next call loads again.
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

/** Makes a value at the first call, and returns it at every later one. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * Memoizes `make` by the JSON text of its input. Results are kept as long as the process lives, so inputs must not come from callers.
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

/**
 * Memoizes `make` by its input, for the inputs that were used last. It must be a function of the input alone.
 * @param most the most results that are kept
 */
export function memoizeRecent<Out extends {}>(
  most: number,
  make: (input: string) => Out,
): (input: string) => Out {
  const made = createBoundedMap<string, Out>(most)
  return (input) => {
    const known = made.get(input)
    if (known !== undefined) return known
    const out = make(input)
    made.set(input, out)
    return out
  }
}

const require = createRequire(import.meta.url)

/**
 * Loads a package synchronously at its first use, so that a start need not load it.
 * @template T `typeof import(name)`
 */
export function lazyPackage<T>(name: string): () => T {
  return lazily(() => require(name) as T)
}
