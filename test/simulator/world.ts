import type { Clock, Millis } from '#src/core/clock.ts'

/** Randomness that a seed repeats exactly (mulberry32). */
export interface Dice {
  /** From 0 to below 1. */
  roll(): number
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
}

export function createDice(seed: number): Dice {
  let state = seed >>> 0
  const dice: Dice = {
    roll() {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    },
    between: (min, max) => min + Math.floor(dice.roll() * (max - min + 1)),
    chance: (probability) => dice.roll() < probability,
    pick: (items) => items[Math.floor(dice.roll() * items.length)] as never,
  }
  return dice
}

interface Timer {
  at: Millis
  order: number
  fire: () => void
}

/** Virtual time: it passes only from one timer to the next, as fast as the machine can. */
export interface World {
  /** What the clocks say. */
  now(): Millis
  /** Time that has passed since the start; setting the clocks does not change it. */
  elapsed(): Millis
  /** Calls `fire` once; the answer cancels it. */
  after(delay: Millis, fire: () => void): () => void
  /** Lets time pass until so much has, or until no timer is left; `inspect` runs after each step. */
  run(end: Millis, inspect: () => void): Promise<void>
  /** Time passes at once, as while a machine sleeps: timers come late. */
  jump(delay: Millis): void
  /** All clocks are set, forward or back; timers do not notice. */
  setClocks(by: Millis): void
  /** How long the clocks have not been set. */
  steady(): Millis
  /** The latest moment that the clocks have ever shown. */
  latest(): Millis
  /** What happened, in its order; printed when a seed fails. */
  note(line: string): void
  notes(): string[]
}

const START: Millis = 1_795_000_000_000
const MOST_NOTES = 400

export function createWorld(): World {
  let now = 0
  let offset = START
  let setAt = Number.NEGATIVE_INFINITY
  let latest = START
  let order = 0
  const heap: Timer[] = []
  let notes: string[] = []

  const isBefore = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order)

  function push(timer: Timer): void {
    let index = heap.push(timer) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!isBefore(timer, heap[parent] as Timer)) break
      heap[index] = heap[parent] as Timer
      index = parent
    }
    heap[index] = timer
  }

  function pop(): Timer | undefined {
    const [first] = heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return first
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Timer, heap[child] as Timer)) child += 1
      if (!isBefore(heap[child] as Timer, last)) break
      heap[index] = heap[child] as Timer
      index = child
    }
    heap[index] = last
    return first
  }

  return {
    now: () => offset + now,
    elapsed: () => now,
    after(delay, fire) {
      order += 1
      const timer = { at: now + Math.max(0, delay), order, fire }
      push(timer)
      return () => {
        timer.fire = () => {}
      }
    },
    async run(end, inspect) {
      await settled()
      for (;;) {
        const [next] = heap
        if (next === undefined || next.at > end) break
        pop()
        now = Math.max(now, next.at)
        next.fire()
        await settled()
        inspect()
      }
      now = Math.max(now, end)
    },
    jump(delay) {
      now += delay
    },
    setClocks(by) {
      latest = Math.max(latest, offset + now)
      offset += by
      setAt = now
    },
    steady: () => now - setAt,
    latest: () => Math.max(latest, offset + now),
    note(line) {
      notes.push(`${(now / 1_000).toFixed(3).padStart(12)}s ${line}`)
      if (notes.length > MOST_NOTES * 2) notes = notes.slice(-MOST_NOTES)
    },
    notes: () => notes.slice(-MOST_NOTES),
  }
}

/** Resolves when all promises that can resolve have: none of them waits for real time or input. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** The world's time as one process sees it; it ends with the process. */
export function clockOf(world: World, isAlive: () => boolean): Clock {
  return {
    now: () => world.now(),
    after: (delay, fire) =>
      world.after(delay, () => {
        if (isAlive()) fire()
      }),
  }
}
