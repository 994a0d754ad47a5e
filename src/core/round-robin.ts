/**
 * A queue in which owners take turns, and so do the members of each owner. An owner has one turn in a round. A new owner joins the
 * current round, a served owner the next one.
 */
interface RoundRobin<Owner, Member> {
  /** The number of members of all owners. */
  readonly size: number
  /** Adds a member behind those of its owner. A present member keeps its position. */
  add(owner: Owner, member: Member): void
  /** Removes and returns the next member; undefined when there is none. */
  take(): Member | undefined
}

/** Empty queues that are kept, because their owners are likely to have members again soon. */
const MOST_IDLE = 100

/** All operations take constant time. */
export function createRoundRobin<Owner, Member>(): RoundRobin<Owner, Member> {
  const queues = new Map<Owner, UniqueQueue<Member>>()
  const owners = createRounds<Owner>()
  let size = 0

  function queueOf(owner: Owner): UniqueQueue<Member> {
    const known = queues.get(owner)
    if (known !== undefined) return known
    const queue = new UniqueQueue<Member>()
    queues.set(owner, queue)
    return queue
  }

  return {
    get size() {
      return size
    },
    add(owner, member) {
      const queue = queueOf(owner)
      const before = queue.size
      queue.add(member)
      size += queue.size - before
      owners.add(owner)
    },
    take() {
      if (size === 0) return undefined
      const owner = owners.take() as Owner
      const queue = queueOf(owner)
      size -= 1
      const member = queue.take()
      if (queue.size > 0) owners.add(owner)
      else if (queues.size > MOST_IDLE) queues.delete(owner)
      return member
    },
  }
}

/** The turns of owners in rounds. */
interface Rounds<Owner> {
  /** The number of owners that wait for a turn. */
  readonly size: number
  /** Gives an owner a turn: behind the others of this round, or of the next where it was served in this one. */
  add(owner: Owner): void
  /** Removes and returns the next owner; undefined when there is none. */
  take(): Owner | undefined
}

/** All operations take constant time. */
export function createRounds<Owner>(): Rounds<Owner> {
  /** Owners with a turn in this round, and in the next. */
  let round = new UniqueQueue<Owner>()
  let next = new UniqueQueue<Owner>()
  /** Owners that were served in this round. */
  const served = new Set<Owner>()

  return {
    get size() {
      return round.size + next.size
    },
    add(owner) {
      if (served.has(owner)) next.add(owner)
      else round.add(owner)
    },
    take() {
      if (round.size + next.size === 0) return undefined
      if (round.size === 0) {
        served.clear()
        ;[round, next] = [next, round]
      }
      const owner = round.take() as Owner
      served.add(owner)
      return owner
    },
  }
}

/** A first-in-first-out queue in which each member occurs once. */
export class UniqueQueue<Member> {
  readonly #members = new Set<Member>()
  /** Stays before the first member. A new iterator would have to skip the gaps that removed members leave in the set. */
  readonly #first = this.#members.values()

  get size(): number {
    return this.#members.size
  }

  /** Adds a member behind all others. A present member keeps its position. */
  add(member: Member): void {
    this.#members.add(member)
  }

  /** Removes and returns the first member; undefined when there is none. */
  take(): Member | undefined {
    if (this.size === 0) return undefined
    // The set is not empty, so the iterator does not reach the end, where it would stay.
    const first = this.#first.next()
    this.#members.delete(first.value as Member)
    return first.value
  }
}
