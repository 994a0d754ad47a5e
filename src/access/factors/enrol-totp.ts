import { trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { newId, parseId } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import { notFound } from '../../db/owned-row.ts'
import { isPending } from '../../db/plausible-time.ts'
import { sealContext } from '../../db/sealed.ts'
import { sessionOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, NameSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import type { AccessDeps } from '../deps.ts'
import { type AddDeps, AddedSchema, addFactor } from './add-factor.ts'
import { type Factor, getFactor, mustHaveRoom } from './factor-store.ts'
import { qrCodeOf } from './qr-code.ts'
import { mustHaveRecentProof } from './recent-proof.ts'
import { useCode } from './show-factor.ts'
import { newTotpSecret, totpUri } from './totp.ts'

type TotpDeps = AddDeps & Pick<AccessDeps, 'config' | 'database'>

/**
 * `POST /v1/auth/factors/totp` and `POST /v1/auth/factors/{id}/confirm`.
 *
 * (none) --begin--> not confirmed, no factor yet --its first code--> confirmed
 * not confirmed --half an hour, or another begin--> (none)
 */
export function enrolTotpRoutes(server: Server, deps: TotpDeps): void {
  const { config, database, vault } = deps

  server.post(
    '/v1/auth/factors/totp',
    {
      config: { access: 'session', rates: ['secretPerIp'], stepUp: true },
      schema: {
        tags: ['Second factors'],
        operationId: 'startTotp',
        summary: 'Start to add an authenticator app',
        description:
          'The app reads the secret from a QR code of `uri`, and shows a code, which `POST /v1/auth/factors/{id}/confirm` accepts within 30 minutes. Until then it is not a factor. The session must have shown a second factor within the last 10 minutes, or, if the account has none, have begun within them: else `FORBIDDEN` with `reason: step_up_required`.',
        body: strict({ name: Type.Optional(NameSchema) }),
        response: {
          201: Type.Object({
            id: Type.String(),
            name: Type.String(),
            secret: Type.String(),
            uri: Type.String(),
            qrCode: Type.Object({ size: Type.Integer(), path: Type.String() }),
          }),
        },
      },
    },
    async (request, reply) => {
      const session = sessionOf(request)
      const { now } = request
      const name = request.body.name?.trim() ?? 'Authenticator app'
      const secret = newTotpSecret()
      const id = newId('factor', now)
      const email = await database.tx(async (tx) => {
        const account = await lockAccount(tx, session.accountId)
        if (account === undefined) throw new ApiError('UNAUTHORIZED', {})
        await mustHaveRecentProof(tx, session, now)
        await mustHaveRoom(tx, account.id)
        await tx
          .deleteFrom('second_factor')
          .where('account_id', '=', account.id)
          .where('confirmed_at', 'is', null)
          .execute()
        const row: Factor = {
          id,
          account_id: account.id,
          kind: 'totp',
          name,
          secret: vault.seal(secret, sealContext('second_factor', id)),
          last_step: null,
          credential_id: null,
          public_key: null,
          counter: null,
          transports: null,
          confirmed_at: null,
          created_at: now,
          last_used_at: null,
        }
        await tx.insertInto('second_factor').values(row).execute()
        return account.email
      })
      const uri = totpUri(secret, config.web.product.name, email)
      return reply.code(201).send({ id, name, secret, uri, qrCode: await qrCodeOf(uri) })
    },
  )

  server.post(
    '/v1/auth/factors/:id/confirm',
    {
      config: { access: 'session', rates: ['secretPerIp'] },
      schema: {
        tags: ['Second factors'],
        operationId: 'verifyTotp',
        summary: 'Confirm an authenticator app by its first code',
        description:
          'From then on every sign-in requires a second factor. The first factor of an account creates ten recovery codes, which only this answer shows, and ends every other session.',
        params: strict({ id: IdSchema('factor') }),
        body: strict({ code: Type.String({ minLength: 1, maxLength: 32, writeOnly: true }) }),
        response: { 200: AddedSchema },
      },
    },
    async (request) => {
      const session = sessionOf(request)
      const { now, body } = request
      const trail = trailOf(request)
      const id = parseId('factor', request.params.id)
      return database.tx(async (tx) => {
        const account = await lockAccount(tx, session.accountId)
        if (account === undefined) throw new ApiError('UNAUTHORIZED', {})
        const begun = await getFactor(tx, account.id, id)
        const live = await tx
          .selectFrom('second_factor')
          .select('id')
          .where('id', '=', id)
          .where('confirmed_at', 'is', null)
          .where(isPending('created_at', now - LIFETIME.enrolment, LIFETIME.enrolment))
          .executeTakeFirst()
        if (live === undefined) throw notFound('id', id)
        await mustHaveRoom(tx, account.id)
        if (!(await useCode(tx, vault, trail, begun, body.code)))
          throw new ApiError('VALIDATION_FAILED', {
            field: 'code',
            value: '[redacted]',
            reason: 'wrong_code',
          })
        return addFactor(tx, deps, trail, { account, sessionId: session.sessionId, factor: begun })
      })
    },
  )
}
