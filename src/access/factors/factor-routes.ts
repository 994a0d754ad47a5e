import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { parseId } from '../../core/id.ts'
import { afterCommit } from '../../db/database.ts'
import { sessionOf } from '../../http/principal.ts'
import { NoCursor } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, NameSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { factorRemovedMail, recoveryCodesRenewedMail } from '../../mail/mail-templates.ts'
import { keepLastFactor } from '../accounts/keep-administrator.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import type { AccessDeps } from '../deps.ts'
import { countFactors, FactorSchema, getFactor, listFactors, toFactor } from './factor-store.ts'
import { mustHaveRecentProof } from './recent-proof.ts'
import { countRecoveryCodes, renewRecoveryCodes } from './recovery-codes.ts'

type FactorDeps = Pick<AccessDeps, 'database' | 'vault' | 'outbox' | 'credentials'>

/** Routes that list, rename and remove one's own second factors, and renew the recovery codes. */
export function factorRoutes(server: Server, { database, vault, outbox, credentials }: FactorDeps): void {
  const params = strict({ id: IdSchema('factor') })

  server.get(
    '/v1/auth/factors',
    {
      config: { access: 'session' },
      schema: {
        tags: ['Second factors'],
        operationId: 'listFactors',
        summary: 'List the second factors of the own account',
        response: {
          200: Type.Object({
            data: Type.Array(FactorSchema),
            nextCursor: NoCursor,
            recoveryCodesLeft: Type.Integer({ description: 'Recovery codes that were not used.' }),
          }),
        },
      },
    },
    async (request) => {
      const { accountId } = sessionOf(request)
      const data = (await listFactors(database.db, accountId)).map(toFactor)
      return { data, nextCursor: null, recoveryCodesLeft: await countRecoveryCodes(database.db, accountId) }
    },
  )

  server.patch(
    '/v1/auth/factors/:id',
    {
      config: { access: 'session' },
      schema: {
        tags: ['Second factors'],
        operationId: 'renameFactor',
        summary: 'Rename a second factor',
        params,
        body: strict({
          name: Type.String({ ...NameSchema, description: 'The name that the person gave it.' }),
        }),
        response: { 200: FactorSchema },
      },
    },
    async (request) => {
      const { accountId } = sessionOf(request)
      const id = parseId('factor', request.params.id)
      const name = request.body.name.trim()
      return database.tx(async (tx) => {
        await lockAccount(tx, accountId)
        const factor = await getFactor(tx, accountId, id)
        if (factor.name !== name) {
          await tx.updateTable('second_factor').set({ name }).where('id', '=', id).execute()
          await audit(tx, trailOf(request), {
            action: 'factor.renamed',
            accountId,
            actorId: accountId,
            targetId: id,
            details: { name },
          })
        }
        return toFactor({ ...factor, name })
      })
    },
  )

  server.delete(
    '/v1/auth/factors/:id',
    {
      config: { access: 'session', stepUp: true },
      schema: {
        tags: ['Second factors'],
        operationId: 'deleteFactor',
        summary: 'Remove a second factor',
        description:
          'Removing the last factor also ends the recovery codes. The last exception from a required sign-in cannot remove it (`FORBIDDEN`, `reason: last_exception`). The session must have shown a second factor within the last 10 minutes: else `FORBIDDEN` with `reason: step_up_required`.',
        params,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const session = sessionOf(request)
      const { accountId } = session
      const id = parseId('factor', request.params.id)
      const trail = trailOf(request)
      await database.tx(async (tx) => {
        const account = await lockAccount(tx, accountId)
        if (account === undefined) throw new ApiError('UNAUTHORIZED', {})
        const factor = await getFactor(tx, accountId, id)
        await mustHaveRecentProof(tx, session, request.now)
        if (factor.confirmed_at !== null && account.second_factors === 1) await keepLastFactor(tx, accountId)
        await tx.deleteFrom('second_factor').where('id', '=', id).execute()
        if (factor.confirmed_at === null) return
        const left = await countFactors(tx, accountId)
        if (left === 0) await tx.deleteFrom('recovery_code').where('account_id', '=', accountId).execute()
        await audit(tx, trail, {
          action: 'factor.removed',
          accountId,
          actorId: accountId,
          targetId: id,
          details: { kind: factor.kind, name: factor.name, left },
        })
        const template = factorRemovedMail({
          ...{ kind: factor.kind, name: factor.name, ip: trail.ip, left },
        })
        await outbox.queue(tx, request.now, { to: account.email, template })
        afterCommit(tx, credentials.clear)
      })
      return reply.code(204).send(null)
    },
  )

  server.post(
    '/v1/auth/recovery-codes',
    {
      config: { access: 'session', rates: ['secretPerIp'], stepUp: true },
      schema: {
        tags: ['Second factors'],
        operationId: 'replaceRecoveryCodes',
        summary: 'Make new recovery codes',
        description:
          'Ten codes, each valid once, which only this answer shows; earlier codes end. Without a second factor the answer is `FORBIDDEN` with `reason: no_second_factor`.',
        response: { 200: Type.Object({ recoveryCodes: Type.Array(Type.String()) }) },
      },
    },
    async (request) => {
      const session = sessionOf(request)
      const { accountId } = session
      const trail = trailOf(request)
      return database.tx(async (tx) => {
        const account = await lockAccount(tx, accountId)
        if (account === undefined) throw new ApiError('UNAUTHORIZED', {})
        if (account.second_factors === 0) throw new ApiError('FORBIDDEN', { reason: 'no_second_factor' })
        await mustHaveRecentProof(tx, session, request.now)
        const recoveryCodes = await renewRecoveryCodes(tx, vault, accountId, request.now)
        await audit(tx, trail, { action: 'recovery_code.renewed', accountId, actorId: accountId })
        const template = recoveryCodesRenewedMail({ ip: trail.ip })
        await outbox.queue(tx, request.now, { to: account.email, template })
        return { recoveryCodes }
      })
    },
  )
}
