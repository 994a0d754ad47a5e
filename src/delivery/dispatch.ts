import { type Id, readId } from '../core/id.ts'
import type { Handlers, Notifier } from '../db/notifier.ts'
import type { Handover } from './publish/publish.ts'
import type { DeliveryWorker } from './worker/delivery-worker.ts'

type Sender = Pick<
  DeliveryWorker,
  'claimFor' | 'accept' | 'isOwner' | 'agree' | 'arrived' | 'poll' | 'tryNow'
>

/**
 * Between who makes deliveries due and who sends them: the worker of this process, once it has subscribed, and those of
 * others, which are notified of what this process does not send itself.
 */
export interface Dispatch extends Handover {
  subscribe(worker: Sender): void
  /** A person expects deliveries of a webhook to be attempted now, one of them before all others. */
  expedite(webhookId: Id<'webhook'>, first?: Id<'delivery'>): void
  /** There is work in the table of which no worker knows. */
  poll(): void
}

export function createDispatch(notifier: Notifier): Dispatch {
  let worker: Sender | undefined
  return {
    subscribe(one) {
      worker = one
    },
    claimFor: (webhook) => worker?.claimFor(webhook),
    accept(fresh, unclaimed) {
      if (worker !== undefined) worker.accept(fresh, unclaimed)
      else for (const webhookId of unclaimed) tellOwner(notifier, webhookId)
    },
    expedite(webhookId, first) {
      worker?.tryNow(webhookId, first)
      if (!worker?.isOwner(webhookId)) tellOwner(notifier, webhookId, { first })
    },
    poll() {
      worker?.poll()
      notifier.notify('deliveries')
    },
  }
}

/** All hear it, and the process that owns the webhook acts: who tells it need not know who that is. */
export function tellOwner(
  notifier: Notifier,
  webhookId: string,
  asked?: { first: string | undefined },
): void {
  if (asked === undefined) notifier.notify('deliveries', webhookId)
  else notifier.notify('expedited', asked.first === undefined ? webhookId : `${webhookId} ${asked.first}`)
}

/** What another process has made due. Anybody who can connect may say so: only ids get through. */
export function dispatchHandlers(worker: Sender): Handlers {
  return {
    workers: () => worker.agree(),
    deliveries(webhooks) {
      if (webhooks === undefined) worker.poll()
      for (const name of webhooks ?? []) {
        const webhookId = readId('webhook', name)
        if (webhookId !== undefined) worker.arrived(webhookId)
      }
    },
    expedited(names) {
      if (names === undefined) worker.poll()
      for (const name of names ?? []) {
        const [webhook = '', delivery = ''] = name.split(' ')
        const webhookId = readId('webhook', webhook)
        if (webhookId !== undefined) worker.tryNow(webhookId, readId('delivery', delivery))
      }
    },
  }
}
