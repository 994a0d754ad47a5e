import type { Clock } from '#src/core/clock.ts'
import type { Loop } from '#src/core/loop.ts'
import type { DeliveryWorker } from '#src/delivery/delivery-worker.ts'
import { createFanOut, type FanOutStore } from '#src/delivery/publish/fan-out.ts'
import type { Fresh } from '#src/delivery/publish/publish.ts'
import type { Bug } from './bugs.ts'
import type { ModelFanOuts } from './fan-outs.ts'
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
  const noted = (fresh: Fresh[] | undefined) => {
    for (const { delivery } of fresh ?? []) wide.writes(delivery.id)
    return fresh
  }

  /** The halves of a step, each a commit of its own. */
  const inHalves =
    (isMovedFirst: boolean): FanOutStore['step'] =>
    async (organizationId, claimFor, now) => {
      const planned = store.plan(organizationId)
      if (planned === undefined) return undefined
      const move = () => operate('fanOut.move', async () => planned.move())
      if (isMovedFirst) await move()
      const fresh = await operate('fanOut.write', async () => noted(store.write(planned, claimFor, now)))
      if (!isMovedFirst) await move()
      return fresh
    }

  const planted: Partial<Record<Bug, FanOutStore['step']>> = {
    'fan-out in two commits': inHalves(false),
    'fan-out moved on before it is written': inHalves(true),
  }

  return createFanOut({
    clock,
    log: { error() {} },
    rest: () => wait(1),
    handover: {
      claimFor: (lane) => worker().claimFor(lane),
      accept(fresh, unclaimed) {
        for (const { job } of fresh) wide.takes(job.id)
        worker().accept(fresh, unclaimed)
      },
    },
    store: {
      next: (after) => operate('fanOut.next', () => store.next(after)),
      step:
        (bug && planted[bug]) ??
        ((...asked) => operate('fanOut.step', async () => noted(await store.step(...asked)))),
    },
  })
}
