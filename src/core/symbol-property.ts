/** A property of objects that only its creator can read and write. */
interface SymbolProperty<Owner extends object, Value> {
  of(owner: Owner): Value | undefined
  set(owner: Owner, value: Value): void
}

/**
 * Stores a value in each of many short-lived objects, such as requests and transactions, under a symbol. A `WeakMap` would move these
 * values into the old generation of the heap, because a collection of the young generation treats everything in the map as reachable.
 */
export function createSymbolProperty<Owner extends object, Value>(): SymbolProperty<Owner, Value> {
  const key = Symbol('property')
  return {
    of: (owner) => (owner as { [key]?: Value })[key],
    set(owner, value) {
      ;(owner as { [key]?: Value })[key] = value
    },
  }
}
