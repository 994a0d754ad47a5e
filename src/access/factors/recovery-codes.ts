import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { equalInConstantTime, hashToken, newCode, type Vault } from '../../core/secret.ts'
import type { Db, Tx } from '../../db/database.ts'
import { sealContext } from '../../db/sealed.ts'

/** Recovery codes of an account. */
const CODES = 10

/**
 * Replaces the recovery codes of an account, which must be locked by `tx`.
 * @returns the new codes, which are shown once. Their hashes are stored sealed, because 76 bits are too few for plain hashes (ASVS 6.5.2)
 */
export async function renewRecoveryCodes(
  tx: Tx,
  vault: Vault,
  accountId: Id<'account'>,
  now: Millis,
): Promise<string[]> {
  const codes = Array.from({ length: CODES }, () => inFours(newCode() + newCode()))
  await tx.deleteFrom('recovery_code').where('account_id', '=', accountId).execute()
  await tx
    .insertInto('recovery_code')
    .values(
      codes.map((code, index) => ({
        account_id: accountId,
        number: String(index),
        code_hash: vault.seal(
          hashOf(accountId, code),
          sealContext('recovery_code', accountId, String(index)),
        ),
        created_at: now,
      })),
    )
    .execute()
  return codes
}

/** Consumes a recovery code: of any number of requests at once, one gets true. */
export async function useRecoveryCode(
  tx: Tx,
  vault: Vault,
  accountId: Id<'account'>,
  typed: string,
): Promise<boolean> {
  const hash = hashOf(accountId, typed)
  const rows = await tx
    .selectFrom('recovery_code')
    .select(['number', 'code_hash'])
    .where('account_id', '=', accountId)
    .execute()
  // All codes are compared, so that the time does not reveal the match.
  const [right] = rows.filter(({ number, code_hash }) =>
    equalInConstantTime(vault.open(code_hash, sealContext('recovery_code', accountId, number)), hash),
  )
  if (right === undefined) return false
  const used = await tx
    .deleteFrom('recovery_code')
    .where('account_id', '=', accountId)
    .where('number', '=', right.number)
    .where('code_hash', '=', right.code_hash)
    .returning('number')
    .executeTakeFirst()
  return used !== undefined
}

/** The number of unused codes of an account. */
export async function countRecoveryCodes(db: Db | Tx, accountId: Id<'account'>): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_code')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

const inFours = (code: string) => (code.match(/.{4}/g) ?? []).join('-')

/** The hash of a code without separators. */
function hashOf(accountId: Id<'account'>, typed: string): string {
  return hashToken(`${accountId} ${typed.toUpperCase().replace(/[\s-]/g, '')}`)
}
