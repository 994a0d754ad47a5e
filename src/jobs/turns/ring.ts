/** Members that take turns in the order in which they were added. */
export interface Ring<Member> {
  readonly size: number
  has(member: Member): boolean
  /** Adds a member behind all others. A member of the ring keeps its place. */
  add(member: Member): void
  /** Takes out the first member; undefined when the ring is empty. */
  take(): Member | undefined
  /** Takes a member out, wherever it stands. */
  remove(member: Member): void
}

interface Place<Member> {
  member: Member
  before: Place<Member> | undefined
  after: Place<Member> | undefined
}

/** A ring whose operations take constant time. */
export function createRing<Member>(): Ring<Member> {
  return new LinkedRing()
}

/** Up to this many members are searched one by one: a map whose only member comes and goes allocates each time. */
const FEW = 8

/** A class and not closures, which cost memory: ten thousand organizations have a ring each. */
class LinkedRing<Member> implements Ring<Member> {
  /** The place of each member; undefined while there are few. */
  #places: Map<Member, Place<Member>> | undefined
  #first: Place<Member> | undefined
  #last: Place<Member> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  has(member: Member): boolean {
    return this.#placeOf(member) !== undefined
  }

  add(member: Member): void {
    if (this.has(member)) return
    const place = { member, before: this.#last, after: undefined }
    if (this.#last === undefined) this.#first = place
    else this.#last.after = place
    this.#last = place
    this.#size += 1
    if (this.#places !== undefined) this.#places.set(member, place)
    else if (this.#size > FEW) this.#places = this.#mapped()
  }

  take(): Member | undefined {
    if (this.#first === undefined) return undefined
    const { member } = this.#first
    this.#unlink(this.#first)
    return member
  }

  remove(member: Member): void {
    const place = this.#placeOf(member)
    if (place !== undefined) this.#unlink(place)
  }

  #placeOf(member: Member): Place<Member> | undefined {
    if (this.#places !== undefined) return this.#places.get(member)
    let place = this.#first
    while (place !== undefined && place.member !== member) place = place.after
    return place
  }

  #mapped(): Map<Member, Place<Member>> {
    const places = new Map<Member, Place<Member>>()
    for (let place = this.#first; place !== undefined; place = place.after) places.set(place.member, place)
    return places
  }

  #unlink(place: Place<Member>): void {
    const { member, before, after } = place
    if (before === undefined) this.#first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
    // An unlinked place that still points to its neighbours would keep them from being collected.
    place.before = undefined
    place.after = undefined
    this.#size -= 1
    if (this.#size === 0) this.#places = undefined
    else this.#places?.delete(member)
  }
}
