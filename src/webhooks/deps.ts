import type { Config } from '../config/config.ts'
import type { Delivery } from '../delivery/create-delivery.ts'
import type { Shared } from '../shared/shared.ts'

/** The dependencies of the slice's operations; each names the members that it uses. */
export type WebhookDeps = Pick<Shared, 'database' | 'vault' | 'once' | 'limiter' | 'resolve' | 'sendList'> & {
  config: Pick<Config, 'web' | 'plans'>
} & Pick<
    Delivery,
    | 'publish'
    | 'publishAll'
    | 'publishGrouped'
    | 'publishers'
    | 'dispatch'
    | 'forgetWebhook'
    | 'send'
    | 'shares'
    | 'isAllowed'
    | 'listening'
    | 'trace'
  >
