/**
 * Of an answer of a store what the engine sees: of a job what `seen` shows of it, in its order; of a list that has no order its
 * members in one.
 */
export function visible<J>(answer: unknown, seen: (job: J) => unknown): unknown {
  const isJob = (one: unknown): one is J => typeof one === 'object' && one !== null && 'horizon' in one
  const look = (one: unknown): unknown => {
    if (Array.isArray(one) && one.every(isJob)) return one.map(seen)
    if (Array.isArray(one))
      return one.map(look).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    if (typeof one !== 'object' || one === null) return one
    if (one instanceof Uint8Array) return Buffer.from(one).toString()
    return Object.fromEntries(Object.entries(one).map(([name, value]) => [name, look(value)]))
  }
  return look(answer)
}
