import type { Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import { LIFETIME } from '../core/limits.ts'
import { hashToken, type Vault } from '../core/secret.ts'
import type { Tx } from '../db/database.ts'
import { sealContext } from '../db/sealed.ts'

/** What a connection that is being made will need when its browser comes back from the provider. */
export interface Flow {
  nonce: string
  codeVerifier: string
  redirectUrl: string
}

/** The three that must come back together. */
export interface StateKey {
  state: string
  provider: string
  /** The cookie of the browser that asked. */
  binding: string
}

/** For whom the connection is made, and by whom. */
export interface Owner {
  organizationId: Id<'organization'>
  actorId: string
}

/** Remembers a flow until its provider sends the browser back. */
export async function keepState(
  tx: Tx,
  vault: Vault,
  key: StateKey,
  { organizationId, actorId }: Owner,
  flow: Flow,
  now: Millis,
): Promise<void> {
  const stateHash = hashToken(key.state)
  await tx
    .insertInto('connection_state')
    .values({
      state_hash: stateHash,
      provider: key.provider,
      organization_id: organizationId,
      actor_id: actorId,
      binding_hash: hashToken(key.binding),
      payload: vault.seal(JSON.stringify(flow), sealContext('connection_state', stateHash)),
      created_at: now,
      expires_at: now + LIFETIME.connectionState,
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
): Promise<{ flow: Flow; owner: Owner } | undefined> {
  const row = await tx
    .deleteFrom('connection_state')
    .where('state_hash', '=', hashToken(key.state))
    .where('provider', '=', key.provider)
    .where('binding_hash', '=', hashToken(key.binding))
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) return undefined
  return {
    flow: JSON.parse(vault.open(row.payload, sealContext('connection_state', row.state_hash))) as Flow,
    owner: { organizationId: row.organization_id, actorId: row.actor_id },
  }
}
