import { audit, trailOf } from '../../audit/audit.ts'
import { type Millis, toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { LIFETIME } from '../../core/limits.ts'
import { sessionOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { Moment } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import type { AccessDeps } from '../deps.ts'
import { markShown } from './factor-store.ts'
import { issueChallenge } from './passkey-challenge.ts'
import { OptionsSchema, requestOptions } from './passkey-options.ts'
import { readShown, Shown } from './show-factor.ts'
import { tryFactor } from './try-factor.ts'

type StepUpDeps = Pick<AccessDeps, 'config' | 'database' | 'vault' | 'outbox'>

/** `POST /v1/auth/step-up`: shows a second factor again in a session. Tries count together with those of sign-ins. */
export function stepUpRoutes(server: Server, deps: StepUpDeps): void {
  const { config, database } = deps

  server.post(
    '/v1/auth/step-up/options',
    {
      config: { access: 'session', ofOrganization: true, rates: ['secretPerIp'] },
      schema: {
        tags: ['Second factors'],
        operationId: 'startPasskeyStepUp',
        summary: 'Start to use a passkey again',
        response: { 200: OptionsSchema },
      },
    },
    async (request) => {
      const { sessionId, accountId } = sessionOf(request)
      const key = { purpose: 'step_up', binding: sessionId, accountId } as const
      const challenge = await database.tx((tx) => issueChallenge(tx, key, request.now))
      return { options: await requestOptions(database.db, config, challenge, accountId) }
    },
  )

  server.post(
    '/v1/auth/step-up',
    {
      config: { access: 'session', ofOrganization: true, rates: ['secretPerIp'] },
      schema: {
        tags: ['Second factors'],
        operationId: 'verifySecondFactor',
        summary: 'Use a second factor again',
        description:
          'Dangerous operations require a second factor within the last 10 minutes, and answer `FORBIDDEN` with `reason: step_up_required` without one. JWTs of the session need not be renewed.',
        body: Shown,
        response: { 200: Type.Object({ shownUntil: Moment }) },
      },
    },
    async (request) => {
      const { sessionId, accountId } = sessionOf(request)
      const { now } = request
      const trail = trailOf(request)
      const key = { purpose: 'step_up', binding: sessionId, accountId } as const
      const given = await readShown(deps, trail, request.body, key)
      const isShown = await database.tx(async (tx) => {
        const account = await lockAccount(tx, accountId)
        if (account?.status !== 'active') throw new ApiError('UNAUTHORIZED', {})
        const shown = await tryFactor(tx, deps, request, account, { given, how: 'step_up' })
        if (shown === undefined) return false
        await markShown(tx, sessionId, now)
        await audit(tx, trail, {
          action: 'session.stepped_up',
          accountId,
          actorId: accountId,
          targetId: sessionId,
          details: { factor: shown },
        })
        return true
      })
      if (!isShown) throw new ApiError('FORBIDDEN', { reason: 'wrong_factor' })
      return { shownUntil: shownUntil(now) }
    },
  )
}

const shownUntil = (now: Millis) => toIso(now + LIFETIME.stepUp)
