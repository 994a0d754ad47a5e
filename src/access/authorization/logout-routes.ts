import type { FastifyReply, FastifyRequest } from 'fastify'
import { trailOf } from '../../audit/audit.ts'
import { cookiesFor } from '../../http/cookies.ts'
import { Type } from '../../http/schema/type.ts'
import { Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { clearSessionCookie, findSession } from '../sessions/sessions.ts'
import { signOut } from '../sessions/sign-out.ts'
import type { AuthorizationDeps } from './deps.ts'
import { takeForms } from './forms.ts'
import {
  LOGOUT_PARAMETERS,
  type LogoutParameters,
  readLogout,
  readLogoutParameters,
} from './logout-request.ts'
import { PATHS, SIGN_OUT_PAGE } from './paths.ts'

const text = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength }))

/**
 * Sign-out by an application (OpenID Connect RP-Initiated Logout 1.0). A request with an ID token of the signed-in person ends the session
 * at once; any other leads to a page that asks the person.
 */
export function logoutRoutes(server: Server, deps: AuthorizationDeps): void {
  const { config, database, leaveProvider } = deps
  const { baseUrl } = config.web
  const cookies = cookiesFor(baseUrl)
  const open = { access: 'public' as const, rates: ['authorizePerIp'] as const }

  void server.register(async (scope) => {
    takeForms(scope)
    scope.get(PATHS.end_session, { config: open, schema: { hide: true } }, async (request, reply) => {
      const asked = readLogoutParameters(new URLSearchParams(request.url.split('?', 2)[1] ?? ''))
      const { redirectTo, accountId } = await readLogout(deps, asked, request.now)
      const session = await sessionOf(request)
      const isHead = request.method === 'HEAD'
      if (session === undefined) return reply.redirect(redirectTo ?? pageOf({}), 303)
      const isKnown = session.account_id === accountId
      const isGood = redirectTo !== undefined || asked.post_logout_redirect_uri === undefined
      if (isHead || !isKnown || !isGood) return reply.redirect(pageOf(asked), 303)
      const to = redirectTo ?? pageOf({})
      return reply.redirect((await end(request, reply, session, to)) ?? to, 303)
    })
    // A browser sends a form of another site without the cookie, so it repeats the request as a navigation.
    scope.post(
      PATHS.end_session,
      { config: { ...open, crossSite: true as const }, schema: { hide: true } },
      async (request, reply) => {
        const asked = readLogoutParameters(
          new URLSearchParams(typeof request.body === 'string' ? request.body : ''),
        )
        return reply.redirect(`${baseUrl}${PATHS.end_session}?${new URLSearchParams(asked)}`, 303)
      },
    )
  })

  server.post(
    '/v1/auth/sign-out/application',
    {
      config: { access: 'public', rates: ['authorizePerIp'] },
      schema: {
        tags: ['Sessions'],
        operationId: 'signOutForApplication',
        summary: 'End the session at the request of an application',
        description:
          'For the page that `/oauth/logout` leads to, with the parameters of that request. Idempotent: without a session it succeeds too.',
        body: strict({
          idTokenHint: text(LOGOUT_PARAMETERS.id_token_hint),
          clientId: text(LOGOUT_PARAMETERS.client_id),
          postLogoutRedirectUri: text(LOGOUT_PARAMETERS.post_logout_redirect_uri),
          state: text(LOGOUT_PARAMETERS.state),
        }),
        response: {
          200: Type.Object({
            redirectTo: Nullable(
              Type.String({
                description:
                  'Where the application wants the browser, or the sign-out at the identity provider that began the session, which leads there; null where it is neither.',
              }),
            ),
          }),
        },
      },
    },
    async (request, reply) => {
      const { idTokenHint, clientId, postLogoutRedirectUri, state } = request.body
      const given = {
        ...{ id_token_hint: idTokenHint, client_id: clientId, state },
        post_logout_redirect_uri: postLogoutRedirectUri,
      }
      const { redirectTo } = await readLogout(deps, given as LogoutParameters, request.now)
      const session = await sessionOf(request)
      const away = session && (await end(request, reply, session, redirectTo ?? pageOf({})))
      return { redirectTo: away ?? redirectTo ?? null }
    },
  )

  function sessionOf({ cookies: sent, now }: FastifyRequest) {
    return findSession(database.db, sent[cookies.session], now)
  }

  /** @returns the URL for the sign-out at the identity provider, which continues at `to`; undefined without such a sign-out */
  async function end(
    request: FastifyRequest,
    reply: FastifyReply,
    session: NonNullable<Awaited<ReturnType<typeof sessionOf>>>,
    to: string,
  ): Promise<string | undefined> {
    const ended = await database.tx((tx) => signOut(tx, deps, trailOf(request), session))
    clearSessionCookie(reply, cookies)
    return ended && leaveProvider(request, reply, ended, to)
  }

  function pageOf(asked: LogoutParameters): string {
    const query = new URLSearchParams(asked)
    return `${baseUrl}${SIGN_OUT_PAGE}${query.size === 0 ? '' : `?${query}`}`
  }
}
