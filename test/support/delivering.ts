import { DEADLINE } from '#src/delivery/attempt/send.ts'
import type { Handover } from '#src/delivery/publish/publish.ts'
import { paceFor } from '#src/jobs/worker/worker.ts'

/** How often the delivery engine does what nobody asks for. */
export const PACE = paceFor(DEADLINE)

/** For whoever publishes and sends nothing: its deliveries wait in the table. */
export const NO_HANDOVER: Handover = { claimFor: () => undefined, accept: () => {} }
