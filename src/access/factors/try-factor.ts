import type { FastifyRequest } from 'fastify'
import { audit, trailOf } from '../../audit/audit.ts'
import type { Tx } from '../../db/database.ts'
import { cookiesFor } from '../../http/cookies.ts'
import type { Account } from '../accounts/accounts.ts'
import type { AccessDeps } from '../deps.ts'
import type { FactorMethod } from '../sessions/pending-sign-in.ts'
import { knownDevice } from '../sign-in/device.ts'
import { forgiveTries, takeTry, throttleKey } from '../sign-in/sign-in-throttle.ts'
import { type Given, showFactor } from './show-factor.ts'

/**
 * Shows a factor of an account, which must be locked by `tx`. Wrong ones are throttled by account and known device, those of a
 * sign-in and of a step-up together. A wrong one is returned and not thrown, so that `tx` commits the count.
 * @returns what was shown; undefined where it is wrong or came too soon, which the audit log says
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
  const mayTry = await takeTry(tx, throttle, request.now)
  const shown = mayTry ? await showFactor(tx, deps, trail, account, given) : undefined
  if (shown !== undefined) {
    await forgiveTries(tx, throttle)
    return shown
  }
  await audit(tx, trail, {
    action: 'sign_in.failed',
    accountId: account.id,
    // In a session the person is known to act.
    ...(how === 'step_up' ? { actorId: account.id } : {}),
    details: { how, throttled: !mayTry },
  })
  return undefined
}
