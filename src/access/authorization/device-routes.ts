import type { FastifyRequest } from 'fastify'
import { trailOf } from '../../audit/audit.ts'
import { SECOND } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { parseId } from '../../core/id.ts'
import { notFound } from '../../db/owned-row.ts'
import { sessionOf } from '../../http/principal.ts'
import { networkOf } from '../../http/rate-limit.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import {
  type ConsentRequest,
  ConsentRequestFields,
  readConsentRequest,
  toConsentRequestWire,
} from './consent-request.ts'
import { Decision } from './consent-routes.ts'
import type { AuthorizationDeps } from './deps.ts'
import { type DeviceRequest, decideDeviceRequest, findDeviceRequest } from './device-codes.ts'
import { makeGrant } from './make-grant.ts'

const UserCode = Type.String({ minLength: 1, maxLength: 32 })

/**
 * The two routes of the page on which a person decides the request of a device by its user code (RFC 8628 3.3). Each try of a code counts
 * against the account and the network, so that codes are not guessed.
 */
export function deviceRoutes(
  server: Server,
  deps: AuthorizationDeps,
  authorization: AuthorizationServer,
): void {
  const { database, vault, limiter } = deps
  const config = {
    access: 'session' as const,
    ofOrganization: true as const,
    rates: ['deviceCodePerIp'] as const,
  }

  server.post(
    '/v1/auth/devices',
    {
      config,
      schema: {
        tags: ['OAuth'],
        operationId: 'readDeviceRequest',
        summary: 'Read the request of a device',
        description:
          'For the page on which a person enters the code that a device shows. It changes nothing.',
        body: strict({ userCode: UserCode }),
        response: {
          200: Type.Object({
            client: Type.Object({ name: Type.String(), isRegistered: Type.Boolean() }),
            device: Type.Object({
              address: Type.String(),
              program: Type.String(),
              isSameNetwork: Type.Boolean(),
              ageSeconds: Type.Integer(),
            }),
            ...ConsentRequestFields,
          }),
        },
      },
    },
    async (request) => {
      const { payload, asked } = await mustWait(request, request.body.userCode)
      const { address, program } = payload.deviceInfo
      const { name, isKnown } = asked.client
      return {
        client: { name, isRegistered: isKnown },
        device: {
          ...{ address, program, isSameNetwork: networkOf(address) === networkOf(request.ip) },
          ageSeconds: Math.max(0, Math.floor(request.now / SECOND) - payload.iat),
        },
        ...(await toConsentRequestWire(database.db, asked, sessionOf(request))),
      }
    },
  )

  server.post(
    '/v1/auth/devices/decision',
    {
      config,
      schema: {
        tags: ['OAuth'],
        operationId: 'decideDeviceRequest',
        summary: 'Grant or refuse the request of a device',
        description:
          'A grant is for one organization. Its scopes are a part of the requested ones; scopes that the person does not have in the organization are left out.',
        body: strict({ userCode: UserCode, ...Decision }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { userCode, allow, organizationId: named, scopes } = request.body
      const { asked } = await mustWait(request, userCode)
      if (!allow) {
        const refused = { error: 'access_denied', errorDescription: 'the person did not consent' } as const
        const isDone = await database.tx((tx) =>
          decideDeviceRequest(tx, vault, userCode, refused, request.now),
        )
        if (!isDone) throw notFound('userCode', userCode)
        return reply.code(204).send(null)
      }
      if (named === undefined) throw new ApiError('MISSING_REQUIRED_FIELD', { field: 'organizationId' })
      const organizationId = parseId('organization', named, 'organizationId')
      const { accountId } = sessionOf(request)
      await makeGrant(deps, trailOf(request), {
        ...{ session: sessionOf(request), organizationId, asked, scopes },
        async use(tx, { id, signedInAt, granted }) {
          const decision = {
            ...{ grantId: id, accountId, authTime: Math.floor(signedInAt / 1_000) },
            ...{ scope: granted.join(' '), resource: asked.resource },
          }
          if (!(await decideDeviceRequest(tx, vault, userCode, decision, request.now)))
            throw notFound('userCode', userCode)
        },
      })
      return reply.code(204).send(null)
    },
  )

  /** @throws ApiError RATE_LIMITED, ENTITY_NOT_FOUND for a code without a pending request */
  async function mustWait(
    request: FastifyRequest,
    userCode: string,
  ): Promise<{ payload: DeviceRequest['payload']; asked: ConsentRequest }> {
    const { now } = request
    await limiter.take(sessionOf(request).accountId, 'deviceCodePerAccount', now)
    const waiting = await findDeviceRequest(database.db, vault, userCode, now)
    const client = waiting && (await authorization.findClient(waiting.payload.clientId))
    if (waiting === undefined || client === undefined) throw notFound('userCode', userCode)
    const { params, deviceInfo, iat } = waiting.payload
    const asked = await readConsentRequest(
      deps,
      { client, params, host: deviceInfo.address, askedAt: iat * SECOND },
      now,
    )
    return { payload: waiting.payload, asked }
  }
}
