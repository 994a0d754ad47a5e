import type { Millis } from '../core/clock.ts'

/**
 * The kind of a failed request to a provider:
 *
 * denied: the person refused
 * refused: the provider does not accept the code or refresh token, or its answer could not be verified
 * rate_limited: too many requests
 * failed: anything else; the fault of the provider, its configuration or the network
 */
type RefusalKind = 'denied' | 'refused' | 'rate_limited' | 'failed'

/** A failed request to a provider. Of the provider's texts it holds only a code. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal'
  readonly kind: RefusalKind
  readonly reason: string
  /** When the provider accepts requests again, where it states that. */
  readonly notBefore: Millis | undefined

  constructor(kind: RefusalKind, reason: string, notBefore?: Millis) {
    super(`the provider ${kind}: ${reason}`)
    this.kind = kind
    this.reason = /^[\w.-]{1,64}$/.test(reason) ? reason : 'unexpected_answer'
    this.notBefore = notBefore
  }
}
