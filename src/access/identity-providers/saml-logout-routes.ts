import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { readId } from '../../core/id.ts'
import { SIZE } from '../../core/limits.ts'
import { BusyError } from '../../db/engine/engine.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { networkOf } from '../../http/rate-limit.ts'
import type { Server } from '../../http/server.ts'
import { answerFlow } from '../../oauth/flow-state.ts'
import { takeForms } from '../authorization/forms.ts'
import type { AccessDeps } from '../deps.ts'
import { type ExpectedLogout, LOGOUT_AGE } from '../saml/read-logout.ts'
import { type Received, readForm, readRedirect } from '../saml/redirect-binding.ts'
import { sendForm } from './form-page.ts'
import { flowName, type Leaving } from './leave-provider.ts'
import { postLogoutUriOf } from './provider-wire.ts'
import type { Report } from './reported-sign-out.ts'
import type { SamlLogout } from './saml-logout.ts'
import { findSaml } from './saml-routes.ts'
import { ownNamesOf, readSaml } from './saml-settings.ts'
import type { SignOutReports } from './sign-out-reports.ts'

type Provider = Tables['identity_provider']

type LogoutDeps = Pick<AccessDeps, 'config' | 'database' | 'vault' | 'limiter' | 'saml'> & {
  samlLogout: SamlLogout
  reports: SignOutReports
}

/**
 * `/v1/auth/saml/{id}/logout`, where SAML identity providers have browsers bring messages about sign-outs (SAML 2.0 Profiles 4.4), in a
 * query or by a form. A `LogoutRequest` ends the sessions that it names, or all that the provider began for the person, and gets a
 * `LogoutResponse`. A `LogoutResponse` to a request of Postern is checked and stored with the pending sign-out, which the browser then completes.
 */
export function samlLogoutRoutes(server: Server, deps: LogoutDeps): void {
  const { config, database, vault, limiter, saml, samlLogout, reports } = deps
  const { baseUrl } = config.web
  const open = { access: 'public' as const, ownRate: true as const }
  const path = '/v1/auth/saml/:id/logout'
  type Asked = { Params: { id: string } }

  void server.register(async (scope) => {
    takeForms(scope)
    scope.get<Asked>(
      path,
      { config: open, exposeHeadRoute: false, schema: { hide: true } },
      async (request, reply) => {
        const query = request.url.split('?').slice(1).join('?')
        return take(request, reply, () => readRedirect(query))
      },
    )
    scope.post<Asked & { Body: unknown }>(
      path,
      { bodyLimit: SIZE.body, config: { ...open, crossSite: true as const }, schema: { hide: true } },
      async (request, reply) => {
        const { body } = request
        return take(request, reply, () => readForm(typeof body === 'string' ? body : ''))
      },
    )
  })

  async function take(request: FastifyRequest<Asked>, reply: FastifyReply, read: () => Received) {
    const { id } = request.params
    await reports.admit(request)
    const provider = await findSaml(database.db, id)
    const received = readOrRefuse(read)
    if (readId('identityProvider', id) !== id)
      return reports.refuse(request, new ApiError('ENTITY_NOT_FOUND', {}))
    if (received instanceof ApiError) return reports.refuse(request, received)
    if (received.name === 'SAMLResponse')
      await limiter.take(networkOf(request.ip), 'authorizePerIp', request.now)
    if (provider?.status !== 'active') {
      if (received.name === 'SAMLRequest')
        return reports.refuse(request, new ApiError('ENTITY_NOT_FOUND', {}))
      // The session here has ended already, so the browser completes its sign-out without the answer.
      return toSignedOut(reply, id as Provider['id'], received.relayState)
    }
    const { entityId: issuer, certificates } = readSaml(provider)
    const expected = {
      ...{ issuer, certificates: certificates.map(({ pem }) => pem) },
      ...{ destination: ownNamesOf(baseUrl, provider.id).logoutUrl, now: request.now },
    }
    const follow = received.name === 'SAMLRequest' ? followRequest : noteAnswer
    return follow(request, reply, { provider, received, expected })
  }

  interface Taken {
    provider: Provider
    received: Received
    expected: ExpectedLogout
  }

  async function noteAnswer(
    { now }: FastifyRequest,
    reply: FastifyReply,
    { provider, received, expected }: Taken,
  ) {
    const { relayState: state } = received
    const key = { state, provider: flowName(provider.id) }
    const isKnown = await answerFlow<Leaving>(database, vault, key, now, ({ asked }) =>
      saml.readLogout(provider.organization_id, received, {
        ...expected,
        requestId: asked?.requestId ?? '',
      }),
    )
    return toSignedOut(reply, provider.id, isKnown ? state : '')
  }

  function toSignedOut(reply: FastifyReply, id: Provider['id'], state: string) {
    const query = state === '' ? '' : `?${new URLSearchParams({ state })}`
    return reply.redirect(`${postLogoutUriOf(baseUrl, id)}${query}`, 303)
  }

  async function followRequest(
    request: FastifyRequest,
    reply: FastifyReply,
    { provider, received, expected }: Taken,
  ) {
    const { relayState } = received
    const answer = await reports.take(request, provider, {
      verify: () => readReport(provider, received, expected),
      prepare: ({ id }) =>
        samlLogout.answer(provider, { id, relayState }, request.now).catch((error: unknown) => {
          // A request that comes too early can be repeated.
          if (error instanceof ApiError || error instanceof BusyError) throw error
          // The sessions end all the same, and the browser gets the page `/sign-out`.
          const unanswered = 'no answer to the sign-out of an identity provider'
          request.log.error({ provider: provider.id, err: error }, unanswered)
          return undefined
        }),
      refused,
    })
    if (answer === undefined) return toSignedOut(reply, provider.id, '')
    if ('url' in answer) return reply.redirect(answer.url, 303)
    const { destination, xml } = answer
    return sendForm(reply, destination, { name: 'SAMLResponse', xml, relayState })
  }

  async function readReport(
    provider: Provider,
    received: Received,
    expected: ExpectedLogout,
  ): Promise<Report> {
    const message = await saml.readLogout(provider.organization_id, received, expected)
    if ('refused' in message) throw refused(message.refused)
    if (message.kind !== 'request') throw refused('not_a_logout')
    const { id, subject, sessions } = message
    return {
      ...{ id, age: LOGOUT_AGE, how: 'single_logout', subject },
      ...(sessions.length > 0 && { sessions }),
    }
  }
}

/** @returns the error VALIDATION_FAILED where the message cannot be read */
function readOrRefuse(read: () => Received): Received | ApiError {
  try {
    return read()
  } catch (error) {
    if (error instanceof ApiError) return refused((error.details as { reason: string }).reason)
    throw error
  }
}

const refused = (reason: string) =>
  new ApiError('VALIDATION_FAILED', { field: 'SAMLRequest', value: '[redacted]', reason })
