import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import { createCoalescedRuns } from '../../core/coalesced-runs.ts'
import type { Job } from '../job.ts'
import type { Ownership } from '../ownership/ownership.ts'
import type { LaneMemory, LaneState, LaneStore } from './lane-memory.ts'

interface RememberDeps<J extends Job> {
  clock: Clock
  store: LaneStore<J> | undefined
  memory: LaneMemory<J>
  ownership: Pick<Ownership, 'isOwner' | 'setParked' | 'workers'>
  /** Called when other processes may have parked lanes. */
  onParked: () => void
  log: { error(data: object, message: string): void }
}

/**
 * Keeps the states of lanes over a restart and for their next owner. The owner of a lane writes its state; other workers read
 * which lanes fail, clear a failure after a success, and leave parked lanes to their owners. What fails here
 * holds up nothing: lanes then begin as new ones do.
 */
interface RememberLanes {
  load(): Promise<void>
  save(): Promise<void>
  stop(): void
}

/** Changes within this time are saved together. */
const GATHERED: Millis = SECOND

export function createRememberLanes<J extends Job>(deps: RememberDeps<J>): RememberLanes {
  const { clock, store, memory, ownership, onParked, log } = deps
  const failed = (error: unknown) => log.error({ err: error }, 'what is remembered of lanes')

  let cancel: (() => void) | undefined
  /** One at a time, so that no older state is written after a newer one. */
  const saves = createCoalescedRuns(saveChanged)

  async function saveChanged(): Promise<void> {
    const [all, well] = [memory.takeChanged(clock.now()), memory.takeWell()]
    const changed = all.filter(({ laneId }) => ownership.isOwner(laneId))
    const saved = new Set(changed.map(({ laneId }) => laneId))
    const others = well.filter((laneId) => !saved.has(laneId))
    // A failure that is too young for this save is written with the next one.
    if (memory.hasChanged()) soon()
    if (changed.length > 0) await store?.save(changed, clock.now()).catch(failed)
    if (others.length > 0) await store?.clear(others, clock.now()).catch(failed)
  }

  /** Saves soon, because people watch these states; a failure that is still too young is saved a second later. */
  function soon(): void {
    if (store === undefined || cancel !== undefined) return
    cancel = clock.after(GATHERED, () => {
      cancel = undefined
      void saves.ask()
    })
  }

  /** Reads which lanes fail by the table, where other workers write it too. */
  async function readFailing(): Promise<void> {
    if (store === undefined || ownership.workers < 2) return
    const failing = await store.failing(clock.now())
    memory.setFailing(failing.map(({ laneId }) => laneId))
    ownership.setParked(failing.flatMap(({ laneId, isParked }) => (isParked ? [laneId] : [])))
    onParked()
  }

  memory.listen(soon)

  return {
    async load() {
      const learn = (states: LaneState<J>[]) => memory.learn(states)
      await store?.load().then(learn, failed)
    },
    async save() {
      await saves.ask()
      await readFailing().catch(failed)
    },
    stop() {
      cancel?.()
      cancel = undefined
    },
  }
}
