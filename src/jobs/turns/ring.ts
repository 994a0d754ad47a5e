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
  return new LinkedRing()
}

/** A class, and not a closure for each verb: ten thousand organizations have a ring each. */
class LinkedRing<Member> implements Ring<Member> {
  readonly #places = new Map<Member, Place<Member>>()
  #first: Place<Member> | undefined
  #last: Place<Member> | undefined

  get size(): number {
    return this.#places.size
  }

  has(member: Member): boolean {
    return this.#places.has(member)
  }

  add(member: Member): void {
    if (this.#places.has(member)) return
    const place = { member, before: this.#last, after: undefined }
    if (this.#last === undefined) this.#first = place
    else this.#last.after = place
    this.#last = place
    this.#places.set(member, place)
  }

  take(): Member | undefined {
    if (this.#first === undefined) return undefined
    const { member } = this.#first
    this.#unlink(this.#first)
    return member
  }

  remove(member: Member): void {
    const place = this.#places.get(member)
    if (place !== undefined) this.#unlink(place)
  }

  #unlink({ member, before, after }: Place<Member>): void {
    this.#places.delete(member)
    if (before === undefined) this.#first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
  }
}
