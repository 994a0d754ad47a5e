import { createRing, type Ring } from './ring.ts'

/** Rings above rings: owners take turns, and at each turn one member of the owner has its own. */
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
  const owners = createRing<Owner>()
  let size = 0
  return {
    get size() {
      return size
    },
    add(owner, member) {
      const ring = rings.get(owner) ?? createRing<Member>()
      rings.set(owner, ring)
      size -= ring.size
      ring.add(member)
      size += ring.size
      owners.add(owner)
    },
    take() {
      const owner = owners.take()
      if (owner === undefined) return undefined
      const ring = rings.get(owner)
      const member = ring?.take()
      if (member !== undefined) size -= 1
      if (ring === undefined || ring.size === 0) rings.delete(owner)
      else owners.add(owner)
      return member
    },
  }
}
