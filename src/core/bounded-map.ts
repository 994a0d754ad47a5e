/** A map of bounded size: beyond it, what has not been set or read for longest is forgotten. */
export interface BoundedMap<Key, Value> {
  readonly size: number
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  /** @returns whether it was there */
  delete(key: Key): boolean
  clear(): void
  /** All that it has now; who goes through them may delete some. */
  entries(): [Key, Value][]
}

/** @param most entries that it keeps */
export function createBoundedMap<Key, Value>(most: number): BoundedMap<Key, Value> {
  /** In the order of their last use. */
  const entries = new Map<Key, Value>()
  /** Goes on where it last forgot: from the beginning it would pass by all that has been forgotten since. */
  let oldest = entries.keys()

  function forgetOldest(): void {
    let { value, done } = oldest.next()
    if (done) {
      oldest = entries.keys()
      value = oldest.next().value
    }
    entries.delete(value as Key)
  }

  return {
    get size() {
      return entries.size
    },
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size > most) forgetOldest()
    },
    delete: (key) => entries.delete(key),
    clear: () => entries.clear(),
    entries: () => [...entries],
  }
}
