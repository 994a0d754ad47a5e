import type { Id } from '../../core/id.ts'
import { createRing, type Ring } from './ring.ts'

/** A lane that takes turns with the other lanes of its organization. */
interface Member {
  readonly organizationId: Id<'organization'>
}

/** The lanes of one organization that may begin a job. */
interface Organization<Lane extends Member> {
  readonly id: Id<'organization'>
  /** Lanes whose last attempt succeeded, in the order of their turns … */
  readonly proven: Ring<Lane>
  /** … and all other lanes, which take turns of their own. */
  readonly trial: Ring<Lane>
  /** Attempts under way that began while their lane was on trial. */
  onTrial: number
  isTrialsTurn: boolean
}

/**
 * The order of attempts: organizations take turns, and the lanes of each. No organization gets more places than its share, and
 * its lanes on trial get at most half of them, so that hanging destinations delay neither other organizations nor proven lanes.
 */
export interface Turns<Lane extends Member> {
  /** Adds a lane behind the others of its organization. A lane that is there keeps its place. */
  list(lane: Lane, isProven: boolean): void
  /** Moves a lane from those on trial to the proven ones. */
  promote(lane: Lane): void
  /** Takes out the next lane that has a place; its job may be gone by now. Undefined where none has a place. */
  next(): Lane | undefined
  /** Whether an attempt would have to wait for the share of its organization. */
  mustWait(organizationId: Id<'organization'>, isProven: boolean): boolean
  /** An attempt on trial has begun, or ended. */
  beginTrial(organizationId: Id<'organization'>): void
  endTrial(organizationId: Id<'organization'>): void
}

/** The places that lanes take turns for. */
interface Places {
  /** How many more attempts of an organization may begin. */
  room(organizationId: Id<'organization'>): number
  /** How many of its places lanes on trial may hold. */
  trials(organizationId: Id<'organization'>): number
  /** Whether no attempt may begin, so that no organization needs to be asked. */
  areUsedUp(): boolean
}

/** Idle organizations that are kept, because they have work again soon. */
const MOST_IDLE = 100

export function createTurns<Lane extends Member>(places: Places, mostIdle = MOST_IDLE): Turns<Lane> {
  const organizations = new Map<Id<'organization'>, Organization<Lane>>()
  /** Organizations that have lanes in their rings. */
  const ring = createRing<Organization<Lane>>()

  function organizationOf(id: Id<'organization'>): Organization<Lane> {
    const known = organizations.get(id)
    if (known !== undefined) return known
    const organization = {
      id,
      proven: createRing<Lane>(),
      trial: createRing<Lane>(),
      onTrial: 0,
      isTrialsTurn: false,
    }
    organizations.set(id, organization)
    return organization
  }

  const hasLanes = ({ proven, trial }: Organization<Lane>) => proven.size + trial.size > 0

  /** Removes an idle organization where many are kept. */
  function tidy(organization: Organization<Lane>): void {
    if (organizations.size > mostIdle && !hasLanes(organization) && organization.onTrial === 0)
      organizations.delete(organization.id)
  }

  /** Alternates between proven lanes and lanes on trial while there is room for trials. */
  function nextOf(organization: Organization<Lane>): Lane | undefined {
    const { id, proven, trial } = organization
    const mayTry = trial.size > 0 && organization.onTrial < places.trials(id)
    organization.isTrialsTurn = !organization.isTrialsTurn
    if (mayTry && (organization.isTrialsTurn || proven.size === 0)) return trial.take()
    return proven.take()
  }

  return {
    list(lane, isProven) {
      const organization = organizationOf(lane.organizationId)
      const { proven, trial } = organization
      if (proven.has(lane) || trial.has(lane)) return
      if (isProven) proven.add(lane)
      else trial.add(lane)
      ring.add(organization)
    },
    promote(lane) {
      const organization = organizations.get(lane.organizationId)
      if (!organization?.trial.has(lane)) return
      organization.trial.remove(lane)
      organization.proven.add(lane)
    },
    next() {
      if (places.areUsedUp()) return undefined
      // An organization without room holds at least as many places as are free, so few are passed over.
      for (let left = ring.size; left > 0; left -= 1) {
        const organization = ring.take() as Organization<Lane>
        const lane = places.room(organization.id) > 0 ? nextOf(organization) : undefined
        if (hasLanes(organization)) ring.add(organization)
        tidy(organization)
        if (lane !== undefined) return lane
      }
      return undefined
    },
    mustWait(organizationId, isProven) {
      if (places.areUsedUp() || places.room(organizationId) <= 0) return true
      const onTrial = organizations.get(organizationId)?.onTrial ?? 0
      return !isProven && onTrial >= places.trials(organizationId)
    },
    beginTrial(organizationId) {
      organizationOf(organizationId).onTrial += 1
    },
    endTrial(organizationId) {
      const organization = organizationOf(organizationId)
      organization.onTrial -= 1
      tidy(organization)
    },
  }
}
