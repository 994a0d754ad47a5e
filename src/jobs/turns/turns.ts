import type { Id } from '../../core/id.ts'
import { createRing, type Ring } from './ring.ts'

/** What takes its turn among others of its organization. */
interface Member {
  readonly organizationId: Id<'organization'>
}

/** Lanes of one organization that have work and may do it. */
interface Organization<Lane extends Member> {
  readonly id: Id<'organization'>
  /** Those that ended well last, in the order of their turns … */
  readonly proven: Ring<Lane>
  /** … and all others, which have turns of their own. */
  readonly trial: Ring<Lane>
  /** Attempts under way of lanes that were on trial when they began. */
  onTrial: number
  isTrialsTurn: boolean
}

/**
 * Whose turn it is: organizations take turns, and within each of them its lanes. No organization gets more places than its
 * share, and of these its lanes on trial no more than half: what hangs holds up neither other organizations nor the
 * other lanes of its own.
 */
export interface Turns<Lane extends Member> {
  /** A lane has work; it stands behind the others of its organization, unless it stands there already. */
  list(lane: Lane, isProven: boolean): void
  /** A lane that waited among those on trial waits among the proven. */
  promote(lane: Lane): void
  /** The lane whose turn it is and that has a place, though it may have lost its work since; it stands in no ring any more. */
  next(): Lane | undefined
  /** Whether an attempt would have to wait now for what its organization may have, however few others wait. */
  mustWait(organizationId: Id<'organization'>, isProven: boolean): boolean
  /** An attempt on trial has begun, or ended. */
  beginTrial(organizationId: Id<'organization'>): void
  endTrial(organizationId: Id<'organization'>): void
}

/** What there is to take turns for. */
interface Places {
  /** How many more attempts of an organization may begin now. */
  room(organizationId: Id<'organization'>): number
  /** Of its places, how many may be given to lanes on trial. */
  trials(organizationId: Id<'organization'>): number
  /** Whether nobody's may: of ten thousand that wait nobody is asked then. */
  areUsedUp(): boolean
}

/** Organizations that are remembered though they have nothing to do: they will soon again. */
const MOST_IDLE = 100

export function createTurns<Lane extends Member>(places: Places, mostIdle = MOST_IDLE): Turns<Lane> {
  const organizations = new Map<Id<'organization'>, Organization<Lane>>()
  /** Those that have lanes in their rings. */
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

  /** Not many are remembered for nothing: one without lanes stands in no ring, and may come anew. */
  function tidy(organization: Organization<Lane>): void {
    if (organizations.size > mostIdle && !hasLanes(organization) && organization.onTrial === 0)
      organizations.delete(organization.id)
  }

  /** One that is proven and one that is on trial in turn, as long as there is room for trials. */
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
      // Whoever is passed over holds as many places as are free, so that there are few of them.
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
