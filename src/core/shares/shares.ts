/**
 * Divides something of which there is so much, so that nobody can use it up: who is alone may hold half, two a third
 * each, and whoever comes new finds some free, however many there are. Nothing is set aside for anybody, and nobody is
 * asked to give back what it holds.
 */
export interface Shares<Name> {
  /** What nobody holds. */
  readonly free: number
  /** Whether nobody may take any, not even who holds none. */
  readonly isUsedUp: boolean
  heldBy(name: Name): number
  /** What a name may hold while all others hold what they do now. */
  shareOf(name: Name): number
  /** How much more it may take. */
  room(name: Name): number
  take(name: Name, amount?: number): void
  give(name: Name, amount?: number): void
}

/**
 * The rule: nobody holds more than is then left free. How much may be taken where so much is free and so much is held;
 * the simulator plants a fault in it.
 */
export type Rule = (free: number, held: number) => number

export const FAIR: Rule = (free, held) => Math.max(0, Math.ceil((free - held) / 2))

/** Another rule, for what costs too much to leave so much of it free: each may hold so many, and all together what there is. */
export const atMost =
  (each: number): Rule =>
  (free, held) =>
    Math.max(0, Math.min(free, each - held))

/** Names that are kept though they hold nothing. */
const FEW = 8

/** @param most how much there is of it */
export function createShares<Name>(most: number, rule: Rule = FAIR): Shares<Name> {
  const held = new Map<Name, number>()
  let free = most
  const heldBy = (name: Name) => held.get(name) ?? 0
  const room = (name: Name) => rule(free, heldBy(name))

  function change(name: Name, amount: number): void {
    free -= amount
    const after = heldBy(name) + amount
    // A few may stay who hold nothing: they will soon again.
    if (after === 0 && held.size > FEW) held.delete(name)
    else held.set(name, after)
  }

  return {
    get free() {
      return free
    },
    get isUsedUp() {
      return rule(free, 0) <= 0
    },
    heldBy,
    shareOf: (name) => heldBy(name) + room(name),
    room,
    take: (name, amount = 1) => change(name, amount),
    give: (name, amount = 1) => change(name, -amount),
  }
}
