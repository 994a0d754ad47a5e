import { type Millis, SECOND, systemClock } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import { afterCommit, noteMany, type Tx } from '../db/database.ts'
import type { Handlers } from '../db/notifier.ts'
import type { Tables } from '../db/tables/tables.ts'
import { createJobShares, type JobShares } from '../jobs/lanes/job-shares.ts'
import type { Load } from '../jobs/lanes/lanes.ts'
import type { Lease } from '../jobs/lease/lease.ts'
import { type AddressRule, addressRule } from '../net/address.ts'
import type { Metrics } from '../shared/metrics.ts'
import type { Shared } from '../shared/shared.ts'
import type { DeliveryJob } from './attempt/delivery-job.ts'
import { DEADLINE, type Send } from './attempt/send.ts'
import { createSender } from './attempt/sender.ts'
import { createTargets } from './attempt/targets.ts'
import { createThreadSender } from './attempt/thread-sender.ts'
import { createFoldCounts } from './counts/fold-counts.ts'
import { createDeliveryStore } from './delivery-store.ts'
import { createDeliveryTrace, type DeliveryTrace, tracedPublishing, tracedSending } from './delivery-trace.ts'
import { createDeliveryWorker } from './delivery-worker.ts'
import { createDispatch, type Dispatch, dispatchHandlers, listenerHandlers } from './dispatch.ts'
import { createListening, type Listening } from './listening/create-listening.ts'
import { createFanOut } from './publish/fan-out.ts'
import { createFanOutStore, SHORT_STEP, STEP } from './publish/fan-out-store.ts'
import {
  createPublish,
  createPublishAll,
  createPublishGrouped,
  type Fact,
  type Publish,
  type PublishAll,
  type PublishGrouped,
} from './publish/publish.ts'
import { createPublishers, type Publishers } from './publish/publishers.ts'
import { createSubscriptions } from './publish/subscriptions.ts'

/** Publishes events and sends their deliveries. */
export interface Delivery {
  publish: Publish
  publishAll: PublishAll
  /** Publishes a fact in a transaction that it shares with other facts only. */
  publishGrouped: PublishGrouped
  publishers: Publishers
  dispatch: Pick<Dispatch, 'expedite' | 'poll'>
  /** Removes a webhook from the caches after the commit of its change. */
  forgetWebhook: (tx: Tx, webhook: Pick<Tables['webhook'], 'id' | 'organization_id'>) => void
  /** Makes one attempt, now. */
  send: Send
  /** What organizations share of the attempts in flight; the test call of a webhook is one as well. */
  shares: JobShares
  /** The rule by which destinations are checked, when they are registered and when they are called. */
  isAllowed: AddressRule
  /** Deliveries that clients fetch. */
  listening: Pick<Listening, 'take' | 'report'>
  /** undefined: events and deliveries are not traced. */
  trace: DeliveryTrace | undefined
  /** Handlers of notices from other processes. */
  handlers: Handlers
  /** How late the oldest due delivery of this process is. */
  lag: (now: Millis) => Millis
  /** How many attempts are under way in this process, and which organizations wait for a place. */
  load: () => Load
  /** How long the thread that sends was busy since the last question; 0 where none runs. */
  sendingBusy: () => Millis
  /** Workers that share the deliveries, this process's included. */
  workers: () => number
  /** Merges old counts (`fold-counts.ts`); called at intervals. */
  foldCounts: () => Promise<void>
  start: () => Promise<void>
  /** Ends the fan-out and the waits of listeners. Later deliveries wait in the table for the next start or another process. */
  stopFanOut: () => Promise<void>
  /** Ends when the attempts under way have. */
  stop: () => Promise<void>
  close: () => Promise<void>
}

/**
 * Ties publishing and sending together; nothing runs yet.
 * @param disable ends a webhook whose destination is gone; false where it had ended
 */
export function createDelivery(
  shared: Shared,
  lease: Lease,
  disable: (tx: Tx, webhookId: Id<'webhook'>, now: Millis) => Promise<boolean>,
): Delivery {
  const { config, clock, log, database, vault, metrics, resolve, turns } = shared
  const { background, notifier } = database
  const { spans } = shared.telemetry ?? {}
  const onGone = async (
    tx: Tx,
    { laneId: webhookId, organizationId }: DeliveryJob,
    now: Millis,
  ): Promise<void> => {
    if (!(await disable(tx, webhookId, now))) return
    forgetWebhook(tx, { id: webhookId, organization_id: organizationId })
    noteMany(tx, organizationId)
    const data = { webhookId, reason: 'gone' }
    await publish(tx, now, { organizationId, type: 'webhook.disabled', data })
  }
  const trace = spans === undefined ? undefined : createDeliveryTrace(spans)
  const listening = createListening({ database, clock, vault, log, trace, onGone })
  const dispatch = createDispatch(notifier, listening)
  const subscriptions = createSubscriptions(database)
  const targets = createTargets({ database: background, vault })
  const stepOf = (id: Id<'organization'>) => (turns.isAlone(id) ? STEP : SHORT_STEP)
  const fanOut = createFanOut({ store: createFanOutStore(background, stepOf, dispatch), clock, log })
  const untraced = counted(createPublishAll(dispatch, subscriptions, fanOut.wake, turns.isAlone), metrics)
  const publishAll = trace === undefined ? untraced : tracedPublishing(untraced, trace, clock)
  const publish = createPublish(publishAll)
  const isAllowed = addressRule(config.delivery.allowedNetworks, 'WEBHOOK_ALLOWED_NETWORKS')
  const shares = createJobShares(DEADLINE)
  const { allowedNetworks, sendingThread } = config.delivery
  // Deadlines in a thread follow the system's clock.
  const sender =
    sendingThread && clock === systemClock
      ? createThreadSender(allowedNetworks, log)
      : createSender(isAllowed, resolve, clock)
  const send = trace === undefined ? sender.send : tracedSending(sender.send, trace)

  const forgetWebhook: Delivery['forgetWebhook'] = (tx, { id, organization_id }) =>
    afterCommit(tx, () => {
      subscriptions.forget(organization_id)
      targets.forget(id)
    })

  const worker =
    config.role === 'api'
      ? undefined
      : createDeliveryWorker({
          clock,
          store: createDeliveryStore({
            database: background,
            targets,
            onGone,
          }),
          send,
          shares,
          log,
          trace,
          lease,
          shared: database.shared,
          notifyOwner: (webhookId) => notifier.notify('deliveries', webhookId),
          notifyWorkers: () => notifier.notify('workers'),
          onAttempt(outcome, durationMs, lateMs) {
            metrics.attempts.observe({ outcome }, durationMs / SECOND)
            metrics.lateness.observe(lateMs / SECOND)
          },
        })
  if (worker !== undefined) dispatch.subscribe(worker)
  lease.onDied((count) => metrics.workerDeaths.inc(count))
  const foldCounts = createFoldCounts(background, config.operations.retentionDays)

  return {
    publish,
    publishAll,
    publishGrouped: createPublishGrouped(database, publishAll),
    publishers: createPublishers(database),
    dispatch,
    forgetWebhook,
    send,
    shares,
    isAllowed,
    listening,
    trace,
    handlers: { ...listenerHandlers(listening), ...(worker === undefined ? {} : dispatchHandlers(worker)) },
    lag: (now) => worker?.lag(now) ?? 0,
    load: () => worker?.load() ?? { most: shares.most, inFlight: shares.inFlight, waiting: new Map() },
    workers: () => worker?.workers() ?? 0,
    foldCounts: () => foldCounts(clock.now()),
    async start() {
      await worker?.start()
      fanOut.start()
    },
    stopFanOut() {
      listening.stop()
      return fanOut.stop()
    },
    async stop() {
      await worker?.stop()
    },
    sendingBusy: sender.busy,
    close: sender.close,
  }
}

/** Publishes, and counts events after their commit. */
function counted(publishAll: PublishAll, { events }: Metrics): PublishAll {
  // Each series begins at 0, because a rate needs a first value.
  for (const source of ['published', 'received', 'platform']) events.inc({ source }, 0)
  return (tx, facts) => {
    afterCommit(tx, () => {
      for (const { fact } of facts) events.inc({ source: sourceOf(fact) })
    })
    return publishAll(tx, facts)
  }
}

/** Where an event comes from. Only an event that an inbound path has received is for one webhook (`only`). */
function sourceOf({ publisher, only }: Fact): 'published' | 'received' | 'platform' {
  if (publisher !== undefined) return 'published'
  return only === undefined ? 'platform' : 'received'
}
