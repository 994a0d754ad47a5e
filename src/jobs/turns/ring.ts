/** Members that take turns: whoever has had one stands behind all others. */
export interface Ring<Member> {
  readonly size: number
  has(member: Member): boolean
  /** Stands last. One that is in the ring already keeps its place. */
  add(member: Member): void
  /** Takes out the member whose turn it is; undefined when there is none. */
  take(): Member | undefined
  /** Takes a member out, wherever it stands. */
  remove(member: Member): void
}

interface Place<Member> {
  member: Member
  before: Place<Member> | undefined
  after: Place<Member> | undefined
}

/** A ring in which each of these costs the same, however many stand in it. */
export function createRing<Member>(): Ring<Member> {
  const places = new Map<Member, Place<Member>>()
  let first: Place<Member> | undefined
  let last: Place<Member> | undefined

  function unlink(place: Place<Member>): void {
    places.delete(place.member)
    if (place.before === undefined) first = place.after
    else place.before.after = place.after
    if (place.after === undefined) last = place.before
    else place.after.before = place.before
  }

  return {
    get size() {
      return places.size
    },
    has: (member) => places.has(member),
    add(member) {
      if (places.has(member)) return
      const place = { member, before: last, after: undefined }
      if (last === undefined) first = place
      else last.after = place
      last = place
      places.set(member, place)
    },
    take() {
      if (first === undefined) return undefined
      const { member } = first
      unlink(first)
      return member
    },
    remove(member) {
      const place = places.get(member)
      if (place !== undefined) unlink(place)
    },
  }
}
