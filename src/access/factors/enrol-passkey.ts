import { trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/id.ts'
import { sessionOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { NameSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import type { AccessDeps } from '../deps.ts'
import { type AddDeps, AddedSchema, addFactor } from './add-factor.ts'
import { type Factor, mustHaveRoom } from './factor-store.ts'
import { issueChallenge, useChallenge } from './passkey-challenge.ts'
import { creationOptions, OptionsSchema } from './passkey-options.ts'
import { Attestation, challengeOf, siteOf, verifyAttestation } from './passkeys.ts'
import { mustHaveRecentProof } from './recent-proof.ts'

type PasskeyDeps = AddDeps & Pick<AccessDeps, 'config' | 'database'>

/** `POST /v1/auth/factors/passkeys/options` and `POST /v1/auth/factors/passkeys`: a new passkey of one's own (WebAuthn 7.1). */
export function enrolPasskeyRoutes(server: Server, deps: PasskeyDeps): void {
  const { config, database } = deps

  server.post(
    '/v1/auth/factors/passkeys/options',
    {
      config: { access: 'session', rates: ['secretPerIp'], stepUp: true },
      schema: {
        tags: ['Second factors'],
        operationId: 'startPasskey',
        summary: 'Start to add a passkey',
        description: 'The browser makes the passkey with these options within 10 minutes.',
        response: { 200: OptionsSchema },
      },
    },
    async (request) => {
      const session = sessionOf(request)
      const { sessionId, accountId } = session
      return database.tx(async (tx) => {
        const account = await lockAccount(tx, accountId)
        if (account === undefined) throw new ApiError('UNAUTHORIZED', {})
        await mustHaveRecentProof(tx, session, request.now)
        await mustHaveRoom(tx, accountId)
        const key = { purpose: 'enrolment', binding: sessionId, accountId } as const
        const challenge = await issueChallenge(tx, key, request.now)
        const name = `${account.first_name ?? ''} ${account.last_name ?? ''}`.trim() || account.email
        const person = { id: accountId, email: account.email, name }
        return { options: await creationOptions(tx, config, challenge, person) }
      })
    },
  )

  server.post(
    '/v1/auth/factors/passkeys',
    {
      config: { access: 'session', rates: ['secretPerIp'] },
      schema: {
        tags: ['Second factors'],
        operationId: 'addPasskey',
        summary: 'Add a passkey',
        description:
          'Takes the credential that the browser made, as `toJSON()` writes it. A passkey signs in alone, and is a second factor in every other sign-in. The first factor of an account creates ten recovery codes, which only this answer shows, and ends every other session.',
        body: strict({ name: Type.Optional(NameSchema), credential: Attestation }),
        response: { 201: AddedSchema },
      },
    },
    async (request, reply) => {
      const session = sessionOf(request)
      const { sessionId, accountId } = session
      const { body, now } = request
      const trail = trailOf(request)
      const bad = new ApiError('VALIDATION_FAILED', {
        field: 'credential',
        value: '[redacted]',
        reason: 'passkey_not_verified',
      })
      const challenge = challengeOf(body.credential)
      const key = { purpose: 'enrolment', binding: sessionId, accountId } as const
      if (!(await database.tx((tx) => useChallenge(tx, challenge, key, now)))) throw bad
      const made = await verifyAttestation(body.credential, challenge, siteOf(config))
      if (made === undefined) throw bad
      const added = await database.tx(async (tx) => {
        const account = await lockAccount(tx, accountId)
        if (account === undefined) throw new ApiError('UNAUTHORIZED', {})
        await mustHaveRoom(tx, accountId)
        const factor: Factor = {
          id: newId('factor', now),
          account_id: accountId,
          kind: 'passkey',
          name: body.name?.trim() ?? 'Passkey',
          secret: null,
          last_step: null,
          credential_id: made.id,
          public_key: made.publicKey,
          counter: made.counter,
          transports: JSON.stringify(body.credential.response.transports ?? []),
          confirmed_at: null,
          created_at: now,
          last_used_at: null,
        }
        const inserted = await tx
          .insertInto('second_factor')
          .values(factor)
          .onConflict((conflict) => conflict.column('credential_id').doNothing())
          .returning('id')
          .executeTakeFirst()
        if (inserted === undefined) throw new ApiError('DUPLICATE', { field: 'credential' })
        return addFactor(tx, deps, trail, { account, sessionId, factor })
      })
      return reply.code(201).send(added)
    },
  )
}
