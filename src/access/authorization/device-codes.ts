import type { Millis } from '../../core/clock.ts'
import { hashToken, type Vault } from '../../core/secret.ts'
import type { Db, Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { sealContext } from '../../db/sealed.ts'

/** The characters and the form of a user code: 34 bits, without words (RFC 8628 6.1). */
export const USER_CODE = { charset: 'base-20', mask: '****-****' } as const

/** The request of a device, as `oidc-provider` stores it. */
export interface DeviceRequest {
  idHash: string
  payload: {
    [member: string]: unknown
    clientId: string
    iat: number
    params: Record<string, string | undefined>
    deviceInfo: { address: string; program: string }
  }
}

type Lockable = Parameters<typeof lock>[1]

/** The decision of a person: a grant or a refusal. */
type DeviceDecision =
  | { grantId: string; accountId: string; authTime: number; scope: string; resource: string }
  | { error: 'access_denied'; errorDescription: string }

/** A user code in its stored form: in capitals, without separators. */
function normalizeUserCode(text: string): string {
  return text.toUpperCase().replace(/[^A-Z]/g, '')
}

export const hashOfUserCode = (code: string): string => hashToken(`user code:${code}`)

/**
 * The request of a device by its user code.
 * @param how `lock` for a write that depends on it
 * @returns undefined for a code that is unknown, expired or decided
 */
export async function findDeviceRequest(
  db: Db | Tx,
  vault: Vault,
  userCode: string,
  now: Millis,
  how: <Query extends Lockable>(db: Db | Tx, query: Query) => Query = (_db, query) => query,
): Promise<DeviceRequest | undefined> {
  const query = db
    .selectFrom('oauth_record')
    .select(['id_hash', 'payload'])
    .where('user_code_hash', '=', hashOfUserCode(normalizeUserCode(userCode)))
    .where('kind', '=', 'DeviceCode')
    .where('expires_at', '>', now)
    .where('consumed_at', 'is', null)
  const row = await how(db, query).executeTakeFirst()
  if (row === undefined) return undefined
  const context = sealContext('oauth_record', row.id_hash)
  const payload = JSON.parse(vault.open(row.payload, context)) as DeviceRequest['payload']
  const isDecided = payload.accountId !== undefined || payload.error !== undefined
  return isDecided ? undefined : { idHash: row.id_hash, payload }
}

/**
 * Stores a decision, which the device gets at its next poll.
 * @returns false after an earlier decision or the expiry; of several at once the first counts
 */
export async function decideDeviceRequest(
  tx: Tx,
  vault: Vault,
  userCode: string,
  decision: DeviceDecision,
  now: Millis,
): Promise<boolean> {
  const waiting = await findDeviceRequest(tx, vault, userCode, now, lock)
  if (waiting === undefined) return false
  const { idHash, payload } = waiting
  const decided = JSON.stringify({ ...payload, ...decision })
  await tx
    .updateTable('oauth_record')
    .set({
      payload: vault.seal(decided, sealContext('oauth_record', idHash)),
      grant_id: 'grantId' in decision ? decision.grantId : null,
    })
    .where('id_hash', '=', idHash)
    .execute()
  return true
}
