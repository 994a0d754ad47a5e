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

interface Entry<Key, Value> {
  key: Key
  value: Value
  /** Used before it, and after it. */
  older: Entry<Key, Value> | undefined
  newer: Entry<Key, Value> | undefined
}

/**
 * A used entry moves within a list, and not within the map: deleting and adding entries makes a map rebuild its table again and
 * again, in the old generation of the heap.
 * @param most entries that it keeps
 */
export function createBoundedMap<Key, Value>(most: number): BoundedMap<Key, Value> {
  const entries = new Map<Key, Entry<Key, Value>>()
  let oldest: Entry<Key, Value> | undefined
  let newest: Entry<Key, Value> | undefined

  function append(entry: Entry<Key, Value>): void {
    entry.older = newest
    if (newest === undefined) oldest = entry
    else newest.newer = entry
    newest = entry
  }

  function unlink(entry: Entry<Key, Value>): void {
    const { older, newer } = entry
    if (older === undefined) oldest = newer
    else older.newer = newer
    if (newer === undefined) newest = older
    else newer.older = older
    // What is forgotten and old already would keep alive what is young.
    entry.older = undefined
    entry.newer = undefined
  }

  function use(entry: Entry<Key, Value>): void {
    if (entry === newest) return
    unlink(entry)
    append(entry)
  }

  function forget(entry: Entry<Key, Value>): void {
    unlink(entry)
    entries.delete(entry.key)
  }

  return {
    get size() {
      return entries.size
    },
    get(key) {
      const entry = entries.get(key)
      if (entry !== undefined) use(entry)
      return entry?.value
    },
    set(key, value) {
      const known = entries.get(key)
      if (known !== undefined) {
        known.value = value
        return use(known)
      }
      const entry = { key, value, older: undefined, newer: undefined }
      entries.set(key, entry)
      append(entry)
      if (entries.size > most && oldest !== undefined) forget(oldest)
    },
    delete(key) {
      const entry = entries.get(key)
      if (entry !== undefined) forget(entry)
      return entry !== undefined
    },
    clear() {
      entries.clear()
      oldest = undefined
      newest = undefined
    },
    entries() {
      const all: [Key, Value][] = []
      for (let entry = oldest; entry !== undefined; entry = entry.newer) all.push([entry.key, entry.value])
      return all
    },
  }
}
