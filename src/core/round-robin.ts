/**
 * Owners take turns, and so do the members of each. An owner has one turn in a round. A new owner has its turn in the present round, an
 * owner that was served in the next one.
 */
interface RoundRobin<Owner, Member> {
  /** The members of all owners. */
  readonly size: number
  /** Adds a member behind those of its owner. A member that is there keeps its position. */
  add(owner: Owner, member: Member): void
  /** Takes out the member whose turn it is; undefined when there is none. */
  take(): Member | undefined
}

/** Owners without members whose queues are kept, because they have members again soon. */
const MOST_IDLE = 100

/** All operations take constant time. */
export function createRoundRobin<Owner, Member>(): RoundRobin<Owner, Member> {
  const queues = new Map<Owner, UniqueQueue<Member>>()
  /** Owners that have a turn in this round, and in the next. */
  let round = new UniqueQueue<Owner>()
  let next = new UniqueQueue<Owner>()
  /** Owners that were served in this round. */
  const served = new Set<Owner>()
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
      if (before > 0) return
      if (served.has(owner)) next.add(owner)
      else round.add(owner)
    },
    take() {
      if (size === 0) return undefined
      if (round.size === 0) {
        served.clear()
        ;[round, next] = [next, round]
      }
      const owner = round.take() as Owner
      const queue = queueOf(owner)
      served.add(owner)
      size -= 1
      const member = queue.take()
      if (queue.size > 0) next.add(owner)
      else if (queues.size > MOST_IDLE) queues.delete(owner)
      return member
    },
  }
}

/** Members in the order in which they were added, each once. */
export class UniqueQueue<Member> {
  readonly #members = new Set<Member>()
  /** Stands before the first member. A new iterator would pass the gaps that taken members leave in the set. */
  readonly #first = this.#members.values()

  get size(): number {
    return this.#members.size
  }

  /** Adds a member behind all others. A member that is there keeps its position. */
  add(member: Member): void {
    this.#members.add(member)
  }

  /** Takes out the first member; undefined when there is none. */
  take(): Member | undefined {
    if (this.size === 0) return undefined
    // A member stands behind it, so it never reaches the end of the set, where an iterator would stay.
    const first = this.#first.next()
    this.#members.delete(first.value as Member)
    return first.value
  }
}
