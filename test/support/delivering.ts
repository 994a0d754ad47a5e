import type { DeliveryHandover } from '#src/delivery/publish/new-delivery.ts'

/** A worker for publishing without sending: deliveries wait in the table. */
export const NO_HANDOVER: DeliveryHandover = {
  claimFor: () => undefined,
  accept: () => {},
  wakeListeners: () => {},
}
