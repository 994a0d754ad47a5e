import type { Clock, Millis } from './clock.ts'

/** Timers for many names with one timer of Node: a binary heap of moments. */
export interface Alarm<Name> {
  /** Sets the alarm of `name` for `moment`, unless an earlier one is set. */
  set(name: Name, moment: Millis): void
  /** The earliest moment that is set. */
  next(): Millis | undefined
  /** Sets the only listener, which gets the names whose moment has passed. */
  listen(onTime: (names: Name[]) => void): void
  stop(): void
}

export function createAlarm<Name>(clock: Clock): Alarm<Name> {
  let listener: (names: Name[]) => void = () => {}
  /** A binary heap by moment. An entry that differs from `moments` is stale: an earlier one replaced it. */
  const heap: { name: Name; moment: Millis }[] = []
  const moments = new Map<Name, Millis>()
  let armedFor = Number.POSITIVE_INFINITY
  let cancel = () => {}

  function push(entry: { name: Name; moment: Millis }): void {
    let index = heap.push(entry) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (at(parent).moment <= entry.moment) break
      heap[index] = at(parent)
      index = parent
    }
    heap[index] = entry
  }

  function pop(): void {
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && at(child + 1).moment < at(child).moment) child += 1
      if (at(child).moment >= last.moment) break
      heap[index] = at(child)
      index = child
    }
    heap[index] = last
  }

  /** @param index within the heap */
  function at(index: number): { name: Name; moment: Millis } {
    return heap[index] as { name: Name; moment: Millis }
  }

  function arm(): void {
    const first = heap[0]?.moment ?? Number.POSITIVE_INFINITY
    if (first === armedFor) return
    cancel()
    armedFor = first
    cancel = first === Number.POSITIVE_INFINITY ? () => {} : clock.after(first - clock.now(), onTime)
  }

  function onTime(): void {
    armedFor = Number.POSITIVE_INFINITY
    const now = clock.now()
    const names: Name[] = []
    for (let first = heap[0]; first !== undefined && first.moment <= now; first = heap[0]) {
      pop()
      if (moments.get(first.name) !== first.moment) continue
      moments.delete(first.name)
      names.push(first.name)
    }
    arm()
    if (names.length > 0) listener(names)
  }

  return {
    set(name, moment) {
      if ((moments.get(name) ?? Number.POSITIVE_INFINITY) <= moment) return
      moments.set(name, moment)
      push({ name, moment })
      arm()
    },
    next: () => heap[0]?.moment,
    listen(onTime) {
      listener = onTime
    },
    stop() {
      cancel()
      heap.length = 0
      moments.clear()
    },
  }
}
