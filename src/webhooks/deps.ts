import type { Delivery } from '../delivery/create-delivery.ts'
import type { Shared } from '../shared/shared.ts'

/** What the operations of the webhooks slice are made of; each names the members that it uses. */
export type WebhookDeps = Pick<Shared, 'config' | 'database' | 'vault' | 'once' | 'limiter' | 'resolve'> &
  Pick<
    Delivery,
    'publish' | 'publishAll' | 'accept' | 'dispatch' | 'forgetWebhook' | 'send' | 'places' | 'isAllowed'
  >
