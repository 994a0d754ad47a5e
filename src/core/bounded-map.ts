/** A map of bounded size: beyond it, what has not been set or read for longest is forgotten. */
export interface BoundedMap<Key, Value> {
  readonly size: number
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  /** @returns whether it was there */
  delete(key: Key): boolean
  clear(): void
  /** A copy of all entries, the one used last at the end; entries may be deleted while it is read. */
  entries(): [Key, Value][]
}

/** @param most entries that it keeps */
export function createBoundedMap<Key, Value extends {}>(most: number): BoundedMap<Key, Value> {
  /** A map keeps its entries in the order in which they were added, so a used one is added anew. */
  const entries = new Map<Key, Value>()

  function set(key: Key, value: Value): void {
    entries.delete(key)
    entries.set(key, value)
  }

  return {
    get size() {
      return entries.size
    },
    get(key) {
      const value = entries.get(key)
      if (value !== undefined) set(key, value)
      return value
    },
    set(key, value) {
      set(key, value)
      const [oldest] = entries.size > most ? entries.keys() : []
      if (oldest !== undefined) entries.delete(oldest)
    },
    delete: (key) => entries.delete(key),
    clear: () => entries.clear(),
    entries: () => [...entries],
  }
}
