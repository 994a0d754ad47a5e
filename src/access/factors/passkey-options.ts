import type { Config } from '../../config/config.ts'
import type { Id } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import type { Db, Tx } from '../../db/database.ts'
import { Type } from '../../http/schema/type.ts'
import { siteOf } from './passkeys.ts'

/** Options for `PublicKeyCredential.parseRequestOptionsFromJSON` and `parseCreationOptionsFromJSON`. */
export const OptionsSchema = Type.Object({
  options: Type.Object(
    {},
    {
      additionalProperties: true,
      description:
        'For `PublicKeyCredential.parseRequestOptionsFromJSON`, or `parseCreationOptionsFromJSON` of a new passkey.',
    },
  ),
})

/** EdDSA, ES256 and RS256 (RFC 9053, RFC 8812). */
const ALGORITHMS = [-8, -7, -257]

/** The passkeys of an account, so that a browser offers them, or refuses a second one on the same device. */
async function listDescriptors(db: Db | Tx, accountId: Id<'account'>) {
  const rows = await db
    .selectFrom('second_factor')
    .select(['credential_id', 'transports'])
    .where('account_id', '=', accountId)
    .where('kind', '=', 'passkey')
    .where('confirmed_at', 'is not', null)
    .execute()
  return rows.map(({ credential_id, transports }) => ({
    type: 'public-key',
    id: credential_id,
    transports: JSON.parse(transports ?? '[]') as string[],
  }))
}

/** @param accountId whose passkeys are offered; undefined: the browser offers all for this site */
export async function requestOptions(
  db: Db | Tx,
  config: Pick<Config, 'web'>,
  challenge: string,
  accountId?: Id<'account'>,
): Promise<object> {
  return {
    challenge,
    rpId: siteOf(config).rpId,
    timeout: LIFETIME.passkeyChallenge,
    userVerification: 'required',
    allowCredentials: accountId === undefined ? [] : await listDescriptors(db, accountId),
  }
}

export async function creationOptions(
  db: Db | Tx,
  config: Pick<Config, 'web'>,
  challenge: string,
  { id, email, name }: { id: Id<'account'>; email: string; name: string },
): Promise<object> {
  return {
    challenge,
    rp: { id: siteOf(config).rpId, name: config.web.product.name },
    user: { id: Buffer.from(id).toString('base64url'), name: email, displayName: name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: LIFETIME.passkeyChallenge,
    attestation: 'none',
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    excludeCredentials: await listDescriptors(db, id),
  }
}
