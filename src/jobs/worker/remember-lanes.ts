import type { Clock, Millis } from '../../core/clock.ts'
import type { Job } from '../job.ts'
import type { UsedShare } from '../job-store.ts'
import type { LaneMemory, LaneState } from '../turns/lane-memory.ts'
import type { LaneStore } from './job-kind.ts'

interface RememberDeps<J extends Job> {
  clock: Clock
  store: LaneStore<J> | undefined
  memory: LaneMemory<J>
  /** Whether a lane is this process's: of any other it would remember what is over. */
  owns: (laneId: J['laneId']) => boolean
  /** Organizations that wait for their share now. */
  used: () => UsedShare[]
  saveShares: (used: UsedShare[], now: Millis) => Promise<void> | undefined
  log: { error(data: object, message: string): void }
}

/**
 * Keeps what is known of lanes over a restart and for the next owner, and says whose share is used up where every process can
 * read it. What fails here makes nobody wait: lanes then begin as all do.
 */
export interface RememberLanes {
  load(): Promise<void>
  save(): Promise<void>
}

export function createRememberLanes<J extends Job>(deps: RememberDeps<J>): RememberLanes {
  const { clock, store, memory, owns, used, saveShares, log } = deps
  const failed = (error: unknown) => log.error({ err: error }, 'what is remembered of lanes')
  /** Whether what was written last is to be taken back when it is over. */
  let isWritten = false

  async function tellShares(): Promise<void> {
    const now = used()
    if (now.length === 0 && !isWritten) return
    isWritten = true
    await saveShares(now, clock.now())
    isWritten = now.length > 0
  }

  return {
    async load() {
      const learn = (states: LaneState<J>[]) => memory.learn(states.filter(({ laneId }) => owns(laneId)))
      await store?.load().then(learn, failed)
    },
    async save() {
      const changed = memory.takeChanged()
      if (changed.length > 0) await store?.save(changed, clock.now()).catch(failed)
      await tellShares().catch(failed)
    },
  }
}
