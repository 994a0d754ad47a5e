import type { Id } from '../../core/id.ts'
import { createRounds, UniqueQueue } from '../../core/round-robin.ts'
import type { JobShares } from './job-shares.ts'

/** A lane that takes turns with the other lanes of its organization. */
interface Member {
  readonly organizationId: Id<'organization'>
  /** Whether its last attempt reached the destination; else it is on trial. */
  readonly isProven: boolean
}

/** The lanes of one organization that have turns. */
interface Organization<Lane> {
  readonly id: Id<'organization'>
  readonly proven: UniqueQueue<Lane>
  readonly onTrial: UniqueQueue<Lane>
  isTrialsTurn: boolean
}

/**
 * The order in which lanes begin attempts. Organizations take turns; within one, proven lanes and lanes on trial alternate, and lanes of
 * each kind take turns. An attempt begins only if the shares of the organization allow it (`job-shares.ts`).
 */
export interface Turns<Lane extends Member> {
  /** Adds a lane behind the others of its kind. */
  add(lane: Lane): void
  /** Takes out the next lane that may begin an attempt; it may have no job any more. Undefined where none may begin. */
  next(): Lane | undefined
}

/** Idle organizations that are kept, because they have lanes again soon. */
const MOST_IDLE = 100

export function createTurns<Lane extends Member>(
  shares: Pick<JobShares, 'areUsedUp' | 'mayBegin'>,
): Turns<Lane> {
  const organizations = new Map<Id<'organization'>, Organization<Lane>>()
  const rounds = createRounds<Id<'organization'>>()

  function organizationOf(id: Id<'organization'>): Organization<Lane> {
    const known = organizations.get(id)
    if (known !== undefined) return known
    const [proven, onTrial] = [new UniqueQueue<Lane>(), new UniqueQueue<Lane>()]
    const organization = { id, proven, onTrial, isTrialsTurn: false }
    organizations.set(id, organization)
    return organization
  }

  /** Alternates between lanes on trial and proven lanes, where the shares allow both. */
  function nextOf(organization: Organization<Lane>): Lane | undefined {
    const { id, proven, onTrial } = organization
    const nextTrial = () => (onTrial.size > 0 && shares.mayBegin(id, true) ? onTrial.take() : undefined)
    const nextProven = () => (proven.size > 0 && shares.mayBegin(id, false) ? proven.take() : undefined)
    organization.isTrialsTurn = !organization.isTrialsTurn
    return organization.isTrialsTurn ? (nextTrial() ?? nextProven()) : (nextProven() ?? nextTrial())
  }

  return {
    add(lane) {
      const organization = organizationOf(lane.organizationId)
      if (lane.isProven) organization.proven.add(lane)
      else organization.onTrial.add(lane)
      rounds.add(organization.id)
    },
    next() {
      if (shares.areUsedUp) return undefined
      // Within two rounds each organization has a turn. One without room holds at least as much as is free, so few are passed over.
      for (let left = 2 * rounds.size; left > 0; left -= 1) {
        const organization = organizationOf(rounds.take() as Id<'organization'>)
        const lane = nextOf(organization)
        if (organization.proven.size + organization.onTrial.size > 0) rounds.add(organization.id)
        else if (organizations.size > MOST_IDLE) organizations.delete(organization.id)
        if (lane !== undefined) return lane
      }
      return undefined
    },
  }
}
