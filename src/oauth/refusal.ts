import type { Millis } from '../core/clock.ts'

/**
 * What a provider's refusal means to the caller.
 *
 * denied: the person said no
 * refused: it does not take the code or refresh token, or its answer could not be verified
 * rate_limited: it was asked too often
 * failed: anything else; the fault is the provider's, its configuration's or the network's
 */
type RefusalKind = 'denied' | 'refused' | 'rate_limited' | 'failed'

/** A failed request to a provider. It holds no text of the provider's but a code. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal'
  readonly kind: RefusalKind
  readonly reason: string
  /** When the provider may be asked again, where it says so. */
  readonly notBefore: Millis | undefined

  constructor(kind: RefusalKind, reason: string, notBefore?: Millis) {
    super(`the provider ${kind}: ${reason}`)
    this.kind = kind
    this.reason = /^[\w.-]{1,64}$/.test(reason) ? reason : 'unexpected_answer'
    this.notBefore = notBefore
  }
}
