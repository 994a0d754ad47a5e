import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import type { Tx } from '../../db/database.ts'
import { keepFlow, type StateKey, takeFlow } from '../../oauth/flow-state.ts'
import type { SamlClaims } from '../saml/read-response.ts'

/** The data of a sign-in through a provider, kept until its callback. */
export interface Flow {
  nonce: string
  codeVerifier: string
  callbackURL: string
  errorCallbackURL: string
  invitationToken: string | null
  /** The setup link that tests an identity provider with this flow. */
  setupLinkId?: Id<'setupLink'>
  /** For SAML: the id of the request, which the answer names. */
  requestId?: string
  /** For SAML: the verified answer, which arrived without the cookie of the browser. */
  answer?: { judged: SamlClaims | { refused: string }; codeHash: string }
}

/** Stores a flow until its provider returns the browser. */
export function storeFlow(tx: Tx, vault: Vault, key: StateKey, flow: Flow, now: Millis): Promise<void> {
  return keepFlow(tx, vault, 'social_state', key, { flow, beside: {}, now })
}

/**
 * Consumes a state, once.
 * @returns the flow, and when it began
 * @throws ApiError VALIDATION_FAILED for a state that is unknown, or belongs to another browser or provider
 */
export async function consumeState(
  tx: Tx,
  vault: Vault,
  key: StateKey,
  now: Millis,
): Promise<{ flow: Flow; beganAt: Millis }> {
  const { flow, row } = await takeFlow<Flow, 'social_state'>(tx, vault, 'social_state', key, now)
  return { flow, beganAt: row.created_at }
}
