import type { Job } from '../job.ts'
import type { Places } from './places.ts'
import type { Proven } from './proven.ts'
import type { Room } from './room.ts'
import type { Turns } from './turns.ts'

/** Counts attempts in flight against the limits that organizations share. */
interface Flights<J extends Job> {
  /** A waiting job begins its attempt. */
  begin(job: J): void
  /** The attempt has ended, or could not begin. */
  end(job: J): void
}

interface FlightsDeps {
  places: Places
  room: Room
  proven: Proven
  turns: Pick<Turns<never>, 'beginTrial' | 'endTrial'>
}

export function createFlights<J extends Job>({ places, room, proven, turns }: FlightsDeps): Flights<J> {
  /** Jobs of lanes that were on trial when they began. */
  const trials = new Set<J>()
  return {
    begin(job) {
      room.leave(job)
      room.fly(job)
      places.take(job.organizationId)
      if (proven.has(job.laneId)) return
      trials.add(job)
      turns.beginTrial(job.organizationId)
    },
    end(job) {
      room.land(job)
      places.give(job.organizationId)
      if (trials.delete(job)) turns.endTrial(job.organizationId)
    },
  }
}
