import { createRing, type Ring } from './ring.ts'

/**
 * A ring of owners and a ring of members for each of them: owners take turns, and in its turn an owner's next member is taken. Each
 * owner has one turn in a round. A new owner has its turn in the present round, an owner that was served in the next one.
 */
interface Rings<Owner, Member> {
  /** The members of all owners. */
  readonly size: number
  /** Adds a member behind those of its owner. A member that is there keeps its place. */
  add(owner: Owner, member: Member): void
  /** Takes out the member whose turn it is; undefined when there is none. */
  take(): Member | undefined
}

export function createRings<Owner, Member>(): Rings<Owner, Member> {
  const rings = new Map<Owner, Ring<Member>>()
  /** Owners that have a turn in this round, and in the next. */
  let round = createRing<Owner>()
  let next = createRing<Owner>()
  /** Owners that were served in this round. */
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
