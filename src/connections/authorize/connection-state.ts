import type { Millis } from '../../core/clock.ts'
import type { Vault } from '../../core/secret.ts'
import type { Tx } from '../../db/database.ts'
import { keepFlow, type StateKey, takeFlow } from '../../oauth/flow-state.ts'
import type { Owner } from '../connection-store.ts'

/** The data of a connection flow, kept until its callback. */
export interface Flow {
  nonce: string
  codeVerifier: string
  redirectUrl: string
}

/** Keeps a flow until its callback. */
export function keepState(
  tx: Tx,
  vault: Vault,
  key: StateKey,
  { organizationId, actorId, keyId }: Owner,
  flow: Flow,
  now: Millis,
): Promise<void> {
  const beside = { organization_id: organizationId, actor_id: actorId, key_id: keyId }
  return keepFlow(tx, vault, 'connection_state', key, { flow, beside, now })
}

/**
 * Consumes a state, once.
 * @throws ApiError VALIDATION_FAILED for an unknown state, or one of another browser or provider
 */
export async function consumeState(
  tx: Tx,
  vault: Vault,
  key: StateKey,
  now: Millis,
): Promise<{ flow: Flow; owner: Owner }> {
  const { flow, row } = await takeFlow<Flow, 'connection_state'>(tx, vault, 'connection_state', key, now)
  const { organization_id: organizationId, actor_id: actorId, key_id: keyId } = row
  return { flow, owner: { organizationId, actorId, keyId } }
}
