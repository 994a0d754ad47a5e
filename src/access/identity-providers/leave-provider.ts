import type { FastifyRequest } from 'fastify'
import { audit, trailOf } from '../../audit/audit.ts'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { readId } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import { newToken } from '../../core/secret.ts'
import type { Tx } from '../../db/database.ts'
import { sealContext } from '../../db/sealed.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { bindingOf, cookiesFor } from '../../http/cookies.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { CallbackQuery, keepFlow, type StateKey, takeFlow } from '../../oauth/flow-state.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import type { AccessDeps } from '../deps.ts'
import type { SamlHint } from '../saml/logout-messages.ts'
import type { LogoutMessage } from '../saml/read-logout.ts'
import type { EndedSession, LeaveProvider } from '../sessions/sign-out.ts'
import { sendForm } from './form-page.ts'
import type { OpenProviders } from './open-providers.ts'
import { postLogoutUriOf } from './provider-wire.ts'
import type { SamlLogout } from './saml-logout.ts'
import { ownNamesOf } from './saml-settings.ts'

type Provider = Tables['identity_provider']
type LeaveDeps = Pick<AccessDeps, 'config' | 'database' | 'vault'> & {
  openProviders: OpenProviders
  samlLogout: SamlLogout
}

/** The state of a browser during a sign-out at a provider. */
export interface Leaving {
  returnTo: string
  /** Of SAML. */
  asked?: {
    requestId: string
    organizationId: Provider['organization_id']
    accountId: EndedSession['account_id']
    /** The form to send to the provider; removed when the page with it was served. */
    form?: { destination: string; xml: string }
  }
  /** The answer of the provider, or the reason why it was refused. */
  answer?: LogoutMessage | { refused: string }
}

/** An ended session that an identity provider began. */
type OfProvider = EndedSession & { identity_provider_id: Provider['id'] }

/** The name keeps sign-outs apart from sign-ins in their common table. */
export const flowName = (id: Provider['id']) => `sign-out:${id}`

/**
 * Redirects a browser to the logout endpoint of the identity provider that began its session, where the provider is set so. Postern's own
 * session ends first, so that a failure at the provider leaves no session here.
 */
export function createLeaveProvider(deps: LeaveDeps): LeaveProvider {
  const { config, database, vault, openProviders, samlLogout } = deps
  const { baseUrl } = config.web
  const cookies = cookiesFor(baseUrl)

  return async (request, reply, ended, returnTo) => {
    const { now, log } = request
    const { identity_provider_id: id } = ended
    if (id === null) return undefined
    const binding = bindingOf(request, cookies.social) ?? newToken()
    try {
      const url = await begin({ ...ended, identity_provider_id: id }, { binding, returnTo, now })
      if (url === undefined) return undefined
      const options = { ...cookies.options, maxAge: LIFETIME.socialState / 1_000 }
      void reply.setCookie(cookies.social, binding, options)
      return url
    } catch (error) {
      // The session has ended already, so the sign-out succeeds.
      if (error instanceof ApiError)
        log.info({ provider: id, details: error.details }, 'no sign-out at the identity provider')
      else log.error({ provider: id, err: error }, 'no sign-out at the identity provider')
      return undefined
    }
  }

  /** @returns the URL for the browser; undefined if the provider has no sign-out */
  async function begin(
    ended: OfProvider,
    { binding, returnTo, now }: { binding: string; returnTo: string; now: Millis },
  ): Promise<string | undefined> {
    const provider = await findProvider(ended)
    if (provider === undefined) return undefined
    const state = newToken()
    const leave = provider.kind === 'saml' ? leaveSaml : leaveOpenId
    const way = await leave(provider, ended, state, now)
    if (way === undefined) return undefined
    const { url, ...more } = way
    const key = { state, provider: flowName(provider.id), binding }
    const flow: Leaving = { returnTo, ...more }
    await database.tx((tx) => keepFlow(tx, vault, 'social_state', key, { flow, beside: {}, now }))
    return url
  }

  /** The address for the browser, and the data to store; undefined if the provider has no logout address. */
  type Way = Promise<({ url: string } & Pick<Leaving, 'asked'>) | undefined>

  async function leaveOpenId(provider: Provider, ended: OfProvider, state: string, now: Millis): Way {
    const signOut = { state, hint: hintOf(ended), returnTo: postLogoutUriOf(baseUrl, provider.id) }
    const url = await openProviders(provider).signOutUrl(signOut, now)
    return url === undefined ? undefined : { url }
  }

  async function leaveSaml(provider: Provider, ended: OfProvider, state: string, now: Millis): Way {
    const hint = hintOf(ended)
    // A `LogoutRequest` needs the name that the provider gave the person.
    if (hint === undefined) return undefined
    const asked = await samlLogout.request(provider, JSON.parse(hint) as SamlHint, state, now)
    if (asked === undefined) return undefined
    const { requestId, signed } = asked
    const kept = { requestId, organizationId: provider.organization_id, accountId: ended.account_id }
    if ('url' in signed) return { url: signed.url, asked: kept }
    const { leaveUrl } = ownNamesOf(baseUrl, provider.id)
    return { url: `${leaveUrl}?${new URLSearchParams({ state })}`, asked: { ...kept, form: signed } }
  }

  function findProvider({ identity_provider_id: id }: OfProvider): Promise<Provider | undefined> {
    return database.db
      .selectFrom('identity_provider')
      .selectAll()
      .where('id', '=', id)
      .where('status', '=', 'active')
      .where('ends_provider_session', '=', 1)
      .executeTakeFirst()
  }

  function hintOf({ identity_provider_id: id, account_id, provider_hint }: OfProvider): string | undefined {
    if (provider_hint === null) return undefined
    try {
      return vault.open(provider_hint, sealContext('session', id, account_id))
    } catch {
      // Without the key the sign-out continues without a hint, so that the session at the provider still ends.
      return undefined
    }
  }
}

/**
 * `GET /v1/auth/signed-out/{id}` completes a sign-out at an identity provider: an OpenID provider redirects the browser there, and for SAML
 * the route that reads the answer does. It redirects to the `callbackURL` of the sign-out; a browser without a pending sign-out gets the
 * page `/sign-out`. `GET /v1/auth/saml/{id}/leave` is a page that posts the request to a SAML provider without the redirect binding.
 */
export function signedOutRoutes(
  server: Server,
  { config, database, vault }: Pick<AccessDeps, 'config' | 'database' | 'vault'>,
): void {
  const { baseUrl } = config.web
  const cookies = cookiesFor(baseUrl)
  const options = {
    config: { access: 'public' as const, rates: ['authorizePerIp'] as const },
    schema: {
      hide: true,
      params: strict({ id: Type.String({ maxLength: 64 }) }),
      querystring: CallbackQuery,
    },
  }

  server.get('/v1/auth/signed-out/:id', options, async (request, reply) => {
    const key = keyOf(request)
    const left =
      key &&
      (await database.tx(async (tx) => {
        const flow = await take(tx, key, request.now)
        const reason = flow && failureOf(flow)
        if (flow?.asked !== undefined && reason !== undefined) {
          const { organizationId, accountId: actorId } = flow.asked
          // The account may have been deleted since.
          const accountId = (await lockAccount(tx, actorId))?.id ?? null
          await audit(tx, trailOf(request), {
            action: 'sign_out.failed',
            ...{ organizationId, accountId, actorId, details: { how: 'single_logout', reason } },
          })
        }
        return flow
      }))
    // For SAML only a verified answer leads to the caller's address.
    const isTheirs = left?.asked === undefined || (left.answer !== undefined && !('refused' in left.answer))
    return reply.redirect((isTheirs ? left?.returnTo : undefined) ?? `${baseUrl}/sign-out`, 303)
  })

  // The form is served once. The state stays, because the answer has it as well.
  server.get('/v1/auth/saml/:id/leave', options, async (request, reply) => {
    const key = keyOf(request)
    const form =
      key &&
      (await database.tx(async (tx) => {
        const flow = await take(tx, key, request.now)
        if (flow?.asked?.form === undefined) return undefined
        const { form, ...asked } = flow.asked
        const kept: Leaving = { ...flow, asked }
        await keepFlow(tx, vault, 'social_state', key, { flow: kept, beside: {}, now: request.now })
        return form
      }))
    if (form === undefined) return reply.redirect(`${baseUrl}/sign-out`, 303)
    const { destination, xml } = form
    return sendForm(reply, destination, { name: 'SAMLRequest', xml, relayState: key?.state ?? '' })
  })

  function keyOf(
    request: FastifyRequest<{ Params: { id: string }; Querystring: { state?: string } }>,
  ): StateKey | undefined {
    const id = readId('identityProvider', request.params.id)
    const { state = '' } = request.query
    const binding = bindingOf(request, cookies.social)
    if (id === undefined || binding === undefined) return undefined
    return { state, provider: flowName(id), binding }
  }

  async function take(tx: Tx, key: StateKey, now: Millis): Promise<Leaving | undefined> {
    try {
      return (await takeFlow<Leaving, 'social_state'>(tx, vault, 'social_state', key, now)).flow
    } catch (error) {
      if (error instanceof ApiError) return undefined
      throw error
    }
  }
}

/** Why the sign-out at a SAML provider failed; undefined if it succeeded, and for OpenID, which sends no result. */
function failureOf({ asked, answer }: Leaving): string | undefined {
  if (asked === undefined) return undefined
  if (answer === undefined) return 'no_answer'
  if ('refused' in answer) return answer.refused
  return answer.kind === 'answer' && answer.isDone ? undefined : 'denied'
}
