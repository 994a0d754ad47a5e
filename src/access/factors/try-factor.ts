import type { FastifyRequest } from 'fastify'
import { audit, trailOf } from '../../audit/audit.ts'
import type { Tx } from '../../db/database.ts'
import { cookiesFor } from '../../http/cookies.ts'
import type { Account } from '../accounts/accounts.ts'
import type { AccessDeps } from '../deps.ts'
import type { FactorMethod } from '../sessions/pending-sign-in.ts'
import { knownDevice } from '../sign-in/device.ts'
import { countTry, resetTries, throttleKey } from '../sign-in/sign-in-throttle.ts'
import { type Given, showFactor } from './show-factor.ts'

/**
 * Tries a factor of an account, which must be locked by `tx`. Wrong tries are throttled by account and known device, for sign-ins and
 * step-ups together. A failure is returned, not thrown, so that `tx` commits the count.
 * @returns the kind of factor; undefined for a wrong or throttled try, which the audit log has
 */
export async function tryFactor(
  tx: Tx,
  deps: Pick<AccessDeps, 'config' | 'vault' | 'outbox'>,
  request: FastifyRequest,
  account: Pick<Account, 'id' | 'email'>,
  { given, how }: { given: Given; how: 'second_factor' | 'step_up' },
): Promise<FactorMethod | undefined> {
  const { config, vault } = deps
  const trail = trailOf(request)
  const device = knownDevice(request, vault, cookiesFor(config.web.baseUrl), account.email)
  const throttle = throttleKey(`factor ${account.email}`, device)
  const mayTry = await countTry(tx, throttle, request.now)
  const shown = mayTry ? await showFactor(tx, deps, trail, account, given) : undefined
  if (shown !== undefined) {
    await resetTries(tx, throttle)
    return shown
  }
  await audit(tx, trail, {
    action: 'sign_in.failed',
    accountId: account.id,
    // In a session the actor is known.
    ...(how === 'step_up' ? { actorId: account.id } : {}),
    details: { how, throttled: !mayTry },
  })
  return undefined
}
