import type { Clock, Millis } from '#src/core/clock.ts'
import type { Loop } from '#src/core/loop.ts'
import type { DeliveryWorker } from '#src/delivery/delivery-worker.ts'
import { createFanOut, type FanOutStore } from '#src/delivery/publish/fan-out.ts'
import { type DeliveryHandover, type Fresh, handOver } from '#src/delivery/publish/new-delivery.ts'
import type { Bug } from './bugs.ts'
import type { ModelFanOuts, Plan } from './fan-outs.ts'
import type { Operate } from './operate.ts'
import type { Wide } from './wide.ts'

interface SteppingDeps {
  clock: Clock
  worker: () => DeliveryWorker
  store: ModelFanOuts
  wide: Wide
  wait: Operate['wait']
  operate: Operate['operate']
  bug: Bug | undefined
}

/** The real loop that writes deliveries in steps, over the model of its store. */
export function createStepping({ clock, worker, store, wide, wait, operate, bug }: SteppingDeps): Loop {
  const handover: DeliveryHandover = {
    wakeListeners: () => {},
    claimFor: (lane) => worker().claimFor(lane),
    accept(fresh, unclaimed) {
      for (const { job } of fresh) wide.takes(job.id)
      worker().accept(fresh, unclaimed)
    },
  }

  function write(planned: Plan, now: Millis): Fresh[] {
    const fresh = store.write(planned, handover, now)
    for (const { delivery } of fresh) wide.writes(delivery.id)
    return fresh
  }

  /** The worker has the deliveries once the process knows of the commit. */
  function written(fresh: Fresh[]): number {
    handOver(handover, fresh)
    return fresh.length
  }

  const step: FanOutStore['step'] = async (organizationId, now) => {
    const fresh = await operate('fanOut.step', async () => {
      const planned = store.plan(organizationId)
      planned?.move()
      return planned && write(planned, now)
    })
    return fresh && written(fresh)
  }

  /** The halves of a step, each a commit of its own. */
  const inHalves =
    (isMovedFirst: boolean): FanOutStore['step'] =>
    async (organizationId, now) => {
      const planned = store.plan(organizationId)
      if (planned === undefined) return undefined
      const move = () => operate('fanOut.move', async () => planned.move())
      if (isMovedFirst) await move()
      const fresh = await operate('fanOut.write', async () => write(planned, now))
      if (!isMovedFirst) await move()
      return written(fresh)
    }

  const planted: Partial<Record<Bug, FanOutStore['step']>> = {
    'fan-out in two commits': inHalves(false),
    'fan-out moved on before it is written': inHalves(true),
  }

  return createFanOut({
    clock,
    log: { error() {} },
    rest: () => wait(1),
    store: {
      next: (after) => operate('fanOut.next', () => store.next(after)),
      step: (bug && planted[bug]) ?? step,
    },
  })
}
