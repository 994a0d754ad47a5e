/** A least-recently-used cache: beyond its size, the entry that was not set or read for the longest time is dropped. */
export interface BoundedMap<Key, Value> {
  readonly size: number
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  /** @returns whether the key existed */
  delete(key: Key): boolean
  clear(): void
  /** A copy of all entries, the most recently used last. */
  entries(): [Key, Value][]
}

/** @param most the largest number of entries */
export function createBoundedMap<Key, Value extends {}>(most: number): BoundedMap<Key, Value> {
  /** A Map keeps insertion order, so a used entry is inserted again. */
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
