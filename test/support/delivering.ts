import { DEADLINE } from '#src/delivery/attempt/send.ts'
import type { DeliveryHandover } from '#src/delivery/publish/new-delivery.ts'
import { paceFor } from '#src/jobs/worker/worker.ts'

/** Intervals of the periodic work of the delivery engine. */
export const PACE = paceFor(DEADLINE)

/** A worker for publishing without sending: deliveries wait in the table. */
export const NO_HANDOVER: DeliveryHandover = { claimFor: () => undefined, accept: () => {} }
