import { useEffect, useState } from 'preact/hooks'

/** A value that components follow. */
export interface Store<T> {
  get(): T
  set(next: T): void
  subscribe(changed: () => void): () => void
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial
  const followers = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      for (const changed of [...followers]) changed()
    },
    subscribe(changed) {
      followers.add(changed)
      return () => void followers.delete(changed)
    },
  }
}

/** The value of a store. The component is drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, draw] = useState({})
  const seen = store.get()
  useEffect(() => {
    // It may have changed between the drawing and now.
    if (!Object.is(store.get(), seen)) draw({})
    return store.subscribe(() => draw({}))
  }, [store])
  return seen
}
