import { type Id, readId } from '../core/id.ts'
import { type Handlers, idsOf, type Notifier } from '../db/notifier.ts'
import type { DeliveryWorker } from './delivery-worker.ts'
import type { DeliveryHandover } from './publish/new-delivery.ts'

interface Listeners {
  wake(webhookId?: Id<'webhook'>): void
}

const NO_LISTENERS: Listeners = { wake: () => {} }

/**
 * Connects routes that make deliveries due with the workers that send them: the worker of this process after it has subscribed, and
 * workers of other processes, which are notified of deliveries that this process does not send.
 */
export interface Dispatch extends DeliveryHandover {
  subscribe(worker: DeliveryWorker): void
  /** Requests attempts of a webhook's deliveries now, for a person, and of one of them before all others. */
  expedite(webhookId: Id<'webhook'>, first?: Id<'delivery'>): void
  /** Requests a poll, because the table has due deliveries that no worker knows. */
  poll(): void
}

/** @param listeners requests of clients that wait in this process for deliveries of a webhook */
export function createDispatch(notifier: Notifier, listeners: Listeners = NO_LISTENERS): Dispatch {
  let worker: DeliveryWorker | undefined
  function wakeListeners(webhookId: Id<'webhook'>): void {
    listeners.wake(webhookId)
    notifier.notify('fetched', webhookId)
  }
  return {
    subscribe(one) {
      worker = one
    },
    claimFor: (webhook) => worker?.claimFor(webhook),
    accept(fresh, unclaimed) {
      if (worker !== undefined) worker.accept(fresh, unclaimed)
      else for (const webhookId of unclaimed) notifier.notify('deliveries', webhookId)
    },
    wakeListeners,
    expedite(webhookId, first) {
      // The caller does not know whether a client fetches the deliveries of this webhook.
      listeners.wake(webhookId)
      worker?.tryNow(webhookId, first)
      // All processes are notified, and the owner of the webhook acts.
      if (!worker?.isOwner(webhookId))
        notifier.notify('expedited', first === undefined ? webhookId : `${webhookId} ${first}`)
    },
    poll() {
      worker?.poll()
      notifier.notify('deliveries')
    },
  }
}

/** Wakes requests of clients when another process has written deliveries for them. */
export function listenerHandlers(listeners: Listeners): Handlers {
  return {
    fetched(webhooks) {
      if (webhooks === undefined) listeners.wake()
      for (const webhookId of idsOf('webhook', webhooks)) listeners.wake(webhookId)
    },
  }
}

/** Handlers of notices about due deliveries. Any client of the database may send notices, so only valid ids are used. */
export function dispatchHandlers(worker: DeliveryWorker): Handlers {
  return {
    workers: () => worker.agree(),
    deliveries(webhooks) {
      if (webhooks === undefined) worker.poll()
      for (const webhookId of idsOf('webhook', webhooks)) worker.arrived(webhookId)
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
