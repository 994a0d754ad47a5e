import type { Clock } from '../../core/clock.ts'
import type { Job } from '../job.ts'
import type { LaneMemory, LaneState } from '../turns/lane-memory.ts'
import type { LaneStore } from './job-kind.ts'

interface RememberDeps<J extends Job> {
  clock: Clock
  store: LaneStore<J> | undefined
  memory: LaneMemory<J>
  /** Whether a lane is this process's: of any other it would remember what is over. */
  owns: (laneId: J['laneId']) => boolean
  log: { error(data: object, message: string): void }
}

/** Keeps what is known of lanes over a restart, and for the next owner. What fails here makes nobody wait: lanes then begin as all do. */
export interface RememberLanes {
  load(): Promise<void>
  save(): Promise<void>
}

export function createRememberLanes<J extends Job>(deps: RememberDeps<J>): RememberLanes {
  const { clock, store, memory, owns, log } = deps
  const failed = (error: unknown) => log.error({ err: error }, 'what is remembered of lanes')
  return {
    async load() {
      const learn = (states: LaneState<J>[]) => memory.learn(states.filter(({ laneId }) => owns(laneId)))
      await store?.load().then(learn, failed)
    },
    async save() {
      const changed = memory.takeChanged()
      if (changed.length > 0) await store?.save(changed, clock.now()).catch(failed)
    },
  }
}
