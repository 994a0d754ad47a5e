import type { Millis } from '../core/clock.ts'
import { LIFETIME } from '../core/limits.ts'
import { hashToken, type Vault } from '../core/secret.ts'
import type { Tx } from '../db/database.ts'
import { sealContext } from '../db/sealed.ts'
import type { ProviderName } from './social-identity.ts'

/** What a sign-in that is on its way through a provider will need when it comes back. */
export interface Flow {
  nonce: string
  codeVerifier: string
  callbackURL: string
  errorCallbackURL: string
  invitationToken: string | null
}

/** The three that must come back together. */
export interface StateKey {
  state: string
  provider: ProviderName
  /** The cookie of the browser that asked. */
  binding: string
}

/** Remembers a flow until its provider sends the browser back. */
export async function keepState(tx: Tx, vault: Vault, key: StateKey, flow: Flow, now: Millis): Promise<void> {
  const stateHash = hashToken(key.state)
  await tx.deleteFrom('social_state').where('expires_at', '<=', now).execute()
  await tx
    .insertInto('social_state')
    .values({
      state_hash: stateHash,
      provider: key.provider,
      binding_hash: hashToken(key.binding),
      payload: vault.seal(JSON.stringify(flow), sealContext('social_state', stateHash)),
      created_at: now,
      expires_at: now + LIFETIME.socialState,
    })
    .execute()
}

/**
 * Consumes a state: of any number of callbacks at once, one gets the flow. A state of another browser or
 * provider is left for its owner.
 */
export async function consumeState(
  tx: Tx,
  vault: Vault,
  key: StateKey,
  now: Millis,
): Promise<Flow | undefined> {
  const row = await tx
    .deleteFrom('social_state')
    .where('state_hash', '=', hashToken(key.state))
    .where('provider', '=', key.provider)
    .where('binding_hash', '=', hashToken(key.binding))
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
  return row && (JSON.parse(vault.open(row.payload, sealContext('social_state', row.state_hash))) as Flow)
}
