import type { FastifyRequest } from 'fastify'
import { audit, trailOf } from '../../audit/audit.ts'
import { repeatable } from '../../core/context.ts'
import { cookiesFor } from '../../http/cookies.ts'
import type { Account } from '../accounts/accounts.ts'
import type { AccessDeps } from '../deps.ts'
import { knownDevice } from './device.ts'
import { countTry, throttleKey } from './sign-in-throttle.ts'

/**
 * Compares a password that a signed-in person entered again with that of the account. Tries count together with those of the sign-in, so
 * that guessing is not faster here; the audit log has wrong ones.
 * @returns whether it is right, and the key of the tries, which the caller's transaction must reset
 */
export async function checkOwnPassword(
  { config, database, vault, passwords }: Pick<AccessDeps, 'config' | 'database' | 'vault' | 'passwords'>,
  request: FastifyRequest,
  account: Pick<Account, 'id' | 'email' | 'password_hash'>,
  { password, how }: { password: string; how: string },
): Promise<{ isRight: boolean; key: string }> {
  const { now } = request
  const device = knownDevice(request, vault, cookiesFor(config.web.baseUrl), account.email)
  const key = throttleKey(account.email, device)
  const mayTry = await repeatable(() => database.tx((tx) => countTry(tx, key, now)))
  const candidate = mayTry ? account.password_hash : null
  if (await passwords.verify(candidate, password)) return { isRight: true, key }
  await database.tx((tx) =>
    audit(tx, trailOf(request), {
      action: 'sign_in.failed',
      accountId: account.id,
      actorId: account.id,
      details: { how, throttled: !mayTry },
    }),
  )
  return { isRight: false, key }
}
