import { audit, type Trail } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import type { Tx } from '../../db/database.ts'
import { sealContext } from '../../db/sealed.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import { recoveryCodeUsedMail } from '../../mail/mail-templates.ts'
import type { Account } from '../accounts/accounts.ts'
import type { AccessDeps } from '../deps.ts'
import type { FactorMethod } from '../sessions/pending-sign-in.ts'
import { type Factor, listFactors } from './factor-store.ts'
import type { ChallengeKey } from './passkey-challenge.ts'
import { Assertion } from './passkeys.ts'
import { type Proof, provePasskey } from './prove-passkey.ts'
import { countRecoveryCodes, useRecoveryCode } from './recovery-codes.ts'
import { stepOfCode } from './totp.ts'
import { findPasskey, usePasskey } from './use-passkey.ts'

/** A shown factor: one member is given. */
export const Shown = strict(
  {
    code: Type.Optional(Type.String({ minLength: 1, maxLength: 32, writeOnly: true })),
    recoveryCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64, writeOnly: true })),
    passkey: Type.Optional({ ...Assertion, writeOnly: true }),
  },
  { minProperties: 1 },
)

/** A typed code or a verified passkey; `proof` is undefined for an invalid passkey. */
export type Given = { code: string } | { recoveryCode: string } | { proof: Proof | undefined }

/**
 * Reads the shown factor of a request, and verifies a passkey before the transaction that uses it.
 * @param key the binding of the passkey's challenge
 * @throws ApiError VALIDATION_FAILED where several members were given
 */
export async function readShown(
  deps: Pick<AccessDeps, 'config' | 'database'>,
  trail: Trail,
  { code, recoveryCode, passkey }: Static<typeof Shown>,
  key: ChallengeKey & { accountId: Id<'account'> },
): Promise<Given> {
  const [field, more] = Object.entries({ code, recoveryCode, passkey }).flatMap(([name, given]) =>
    given === undefined ? [] : [name],
  )
  if (more !== undefined)
    throw new ApiError('VALIDATION_FAILED', { field: more, value: '[redacted]', reason: 'one_factor_only' })
  if (passkey !== undefined) return { proof: await provePasskey(deps, trail, key.accountId, passkey, key) }
  return field === 'code' ? { code: code ?? '' } : { recoveryCode: recoveryCode ?? '' }
}

/**
 * Compares a shown factor with those of an account, which must be locked by `tx`, and consumes it: a code is valid once.
 * @returns the kind of factor; undefined where it is wrong
 */
export async function showFactor(
  tx: Tx,
  { vault, outbox }: Pick<AccessDeps, 'vault' | 'outbox'>,
  trail: Trail,
  { id, email }: Pick<Account, 'id' | 'email'>,
  given: Given,
): Promise<FactorMethod | undefined> {
  if ('proof' in given) {
    const { proof } = given
    const factor = proof && (await findPasskey(tx, id, proof.credentialId))
    if (proof === undefined || factor === undefined) return undefined
    return (await usePasskey(tx, trail, factor, proof.counter)) ? 'passkey' : undefined
  }
  if ('code' in given) {
    const factors = await listFactors(tx, id)
    for (const factor of factors) if (await useCode(tx, vault, trail, factor, given.code)) return 'totp'
    return undefined
  }
  if (!(await useRecoveryCode(tx, vault, id, given.recoveryCode))) return undefined
  const left = await countRecoveryCodes(tx, id)
  await audit(tx, trail, {
    action: 'recovery_code.used',
    accountId: id,
    actorId: id,
    details: { left },
  })
  await outbox.queue(tx, trail.now, { to: email, template: recoveryCodeUsedMail({ ip: trail.ip, left }) })
  return 'recovery_code'
}

/** Consumes a TOTP code: of any number of requests at once, one gets true. */
export async function useCode(
  tx: Tx,
  vault: Vault,
  { now }: Pick<Trail, 'now'>,
  factor: Factor,
  code: string,
): Promise<boolean> {
  if (factor.kind !== 'totp' || factor.secret === null) return false
  const secret = vault.open(factor.secret, sealContext('second_factor', factor.id))
  const step = stepOfCode(secret, code.replace(/\s/g, ''), now, factor.last_step)
  if (step === undefined) return false
  const used = await tx
    .updateTable('second_factor')
    .set({ last_step: step, last_used_at: now })
    .where('id', '=', factor.id)
    .where(({ or, eb }) => or([eb('last_step', 'is', null), eb('last_step', '<', step)]))
    .returning('id')
    .executeTakeFirst()
  return used !== undefined
}
