import { createRing, type Ring } from './ring.ts'

/**
 * Rings above rings: owners take turns, and at each turn one member of the owner has its own. Turns come in rounds, of which
 * each owner has one: who comes new has it before those that have had theirs, and nobody has a second by coming anew.
 */
export interface Rings<Owner, Member> {
  /** How many members stand in all of them. */
  readonly size: number
  /** Stands last among those of its owner. One that stands there already keeps its place. */
  add(owner: Owner, member: Member): void
  /** Takes out whoever's turn it is. */
  take(): Member | undefined
}

export function createRings<Owner, Member>(): Rings<Owner, Member> {
  const rings = new Map<Owner, Ring<Member>>()
  /** Owners that stand in this round, and in the next. */
  let round = createRing<Owner>()
  let next = createRing<Owner>()
  /** Those that have had their turn of this round. */
  const served = new Set<Owner>()
  let size = 0

  function takeOwner(): Owner | undefined {
    if (round.size === 0) {
      served.clear()
      ;[round, next] = [next, round]
    }
    return round.take()
  }

  return {
    get size() {
      return size
    },
    add(owner, member) {
      const ring = rings.get(owner) ?? createRing<Member>()
      size -= ring.size
      ring.add(member)
      size += ring.size
      if (rings.has(owner)) return
      rings.set(owner, ring)
      const at = served.has(owner) ? next : round
      at.add(owner)
    },
    take() {
      const owner = takeOwner()
      if (owner === undefined) return undefined
      served.add(owner)
      const ring = rings.get(owner)
      const member = ring?.take()
      if (member !== undefined) size -= 1
      if (ring === undefined || ring.size === 0) rings.delete(owner)
      else next.add(owner)
      return member
    },
  }
}
