import type { Millis } from '../../core/clock.ts'
import type { ShardStore } from './shard.ts'
import { ALL_SHARDS, createShards, type Shards, type ShardsDeps } from './shards.ts'

/** As much of a job as is asked about here. */
interface Laned {
  id: string
  laneId: string
}

interface OwnShardsDeps<J extends Laned> extends Pick<ShardsDeps, 'clock' | 'lease' | 'isClear'> {
  store: { readonly shards?: ShardStore }
  announce?: (() => void) | undefined
  /** Whether other processes may work on the same lanes. */
  shared: boolean
  lanes: {
    drop(ids: Set<J['id']>): J[]
    inFlight(): J['laneId'][]
    forget(isForgotten: (laneId: J['laneId']) => boolean, now: Millis): void
  }
  inHand: { lanes(): Set<J['laneId']>; idsOf(isOne: (laneId: J['laneId']) => boolean): Set<J['id']> }
  claims: { underWay(): J['laneId'][] }
  giveBack: (jobs: J[], claimer: string) => Promise<void>
  /** Lanes are another's soon: what is expected of them is for that one to do. */
  passOn: (isGiven: (laneId: string) => boolean) => void
  /** The backlog of what was taken is to be looked for. */
  onTaken: () => void
  /** Is told how many shards were taken over from a worker that died. */
  onTakenOver?: ((count: number) => void) | undefined
  track: (work: Promise<void>) => void
}

/** The lanes of this process: all of them, or its part where others work as well. */
export function ownShards<J extends Laned>(deps: OwnShardsDeps<J>): Shards {
  const { shards } = deps.store
  if (!deps.shared || shards === undefined) return ALL_SHARDS
  const { clock, lease, lanes, inHand, claims, giveBack, passOn, onTaken, track } = deps

  /** What waits of lanes that are another's, or about to be; what is in flight ends. */
  function giveWaiting(isGiven: (laneId: string) => boolean): void {
    const jobs = lanes.drop(inHand.idsOf(isGiven))
    if (jobs.length > 0) track(giveBack(jobs, lease.name))
  }

  return createShards({
    clock,
    store: shards,
    lease,
    inHand: () => [...inHand.lanes(), ...lanes.inFlight(), ...claims.underWay()],
    onGiving(isGiven) {
      giveWaiting(isGiven)
      passOn(isGiven)
    },
    onGone(isGone) {
      giveWaiting(isGone)
      lanes.forget(isGone, clock.now())
    },
    onTaken(takenOver) {
      if (takenOver > 0) deps.onTakenOver?.(takenOver)
      onTaken()
    },
    announce: deps.announce ?? (() => {}),
    isClear: deps.isClear,
  })
}
