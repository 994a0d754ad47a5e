import type { Millis } from '../../core/clock.ts'
import { LIFETIME } from '../../core/limits.ts'
import type { Vault } from '../../core/secret.ts'
import type { Tx } from '../../db/database.ts'
import { type StateKey, stateColumns, takeFlow } from '../../oauth/flow-state.ts'

/** What a sign-in that is on its way through a provider will need when it comes back. */
export interface Flow {
  nonce: string
  codeVerifier: string
  callbackURL: string
  errorCallbackURL: string
  invitationToken: string | null
}

/** Remembers a flow until its provider sends the browser back. */
export async function keepState(tx: Tx, vault: Vault, key: StateKey, flow: Flow, now: Millis): Promise<void> {
  await tx.deleteFrom('social_state').where('expires_at', '<=', now).execute()
  await tx
    .insertInto('social_state')
    .values({
      ...stateColumns(vault, 'social_state', key, flow),
      created_at: now,
      expires_at: now + LIFETIME.socialState,
    })
    .execute()
}

/** Consumes a state, once; undefined where it is none, or another browser's or provider's. */
export async function consumeState(
  tx: Tx,
  vault: Vault,
  key: StateKey,
  now: Millis,
): Promise<Flow | undefined> {
  return (await takeFlow<Flow, 'social_state'>(tx, vault, 'social_state', key, now))?.flow
}
