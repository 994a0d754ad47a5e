import { createRequire } from 'node:module'
import { credible, type Millis } from './clock.ts'

/**
 * Remembers the result of `load` for `lifetime`: calls within that time, also while it is under way, share it. A failure
 * rejects the calls that wait for it, and is not remembered.
 */
export function remember<T>(
  lifetime: Millis,
  load: (now: Millis) => Promise<T>,
): (now: Millis) => Promise<T> {
  let known: { until: Millis; value: Promise<T> } | undefined
  return (now) => {
    if (known !== undefined && now < credible(known.until, now, lifetime)) return known.value
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

const require = createRequire(import.meta.url)

/**
 * A package that is loaded when it is first used: for what a start does not need, in functions that are not asynchronous.
 * @template T `typeof import(name)`
 */
export function packageLater<T>(name: string): () => T {
  return lazily(() => require(name) as T)
}

/** What is known of objects of one kind. */
interface Notes<Owner extends object, Value> {
  of(owner: Owner): Value | undefined
  set(owner: Owner, value: Value): void
}

/**
 * Notes something of objects, each for as long as it lives, in the object itself. The values of a `WeakMap` outlive their
 * keys: what collects the young alone takes all that such a map holds for used, and what it finds used twice moves
 * among what is old. So it is for what many short-lived objects have, as requests and transactions.
 */
export function createNotes<Owner extends object, Value>(): Notes<Owner, Value> {
  const place = Symbol('note')
  return {
    of: (owner) => (owner as { [place]?: Value })[place],
    set(owner, value) {
      ;(owner as { [place]?: Value })[place] = value
    },
  }
}
