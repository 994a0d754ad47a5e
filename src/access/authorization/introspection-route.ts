import type { FastifyReply, FastifyRequest } from 'fastify'
import { SECOND } from '../../core/clock.ts'
import { equalInConstantTime } from '../../core/secret.ts'
import type { Server } from '../../http/server.ts'
import { findGrantCaller } from '../sessions/authenticate-grant.ts'
import { readUsableGrant } from './adapters.ts'
import { findClient } from './client-store.ts'
import type { AuthorizationDeps } from './deps.ts'
import { FORM, takeForms } from './forms.ts'
import { PATHS } from './paths.ts'
import { recordAdapter } from './records.ts'

/** The row of the requesting service. */
type Asker = NonNullable<Awaited<ReturnType<typeof findClient>>>['row']

const INACTIVE = { active: false }

/** Longest introspected token, in characters. */
const LONGEST_TOKEN = 4_096

/**
 * Token introspection (RFC 7662): services with a secret from the operator read whether an access token is valid, and its scopes; an
 * application can also read its own refresh tokens.
 */
export function introspectionRoute(server: Server, deps: AuthorizationDeps): void {
  const { config, database, vault } = deps
  void server.register(async (scope) => {
    takeForms(scope)
    const options = { config: { access: 'public' as const, crossSite: true }, schema: { hide: true } }
    scope.post(PATHS.introspection, options, answer)
  })

  async function answer(request: FastifyRequest, reply: FastifyReply) {
    const isForm = request.headers['content-type']?.startsWith(FORM) === true
    const form = new URLSearchParams(isForm && typeof request.body === 'string' ? request.body : '')
    const asker = await askerOf(request, form)
    if (asker === undefined) {
      void reply.code(401).header('www-authenticate', 'Basic realm="introspection"')
      return { error: 'invalid_client', error_description: 'it takes an application with a secret' }
    }
    const [token = '', more] = form.getAll('token')
    if (token === '' || more !== undefined) {
      void reply.code(400)
      return { error: 'invalid_request', error_description: 'it takes one token' }
    }
    if (token.length > LONGEST_TOKEN) return INACTIVE
    return token.includes('.') ? accessToken(token, asker, request) : refreshToken(token, asker)
  }

  /** Authenticates the service by id and secret in a header or the form; only the operator registers services. */
  async function askerOf(request: FastifyRequest, form: URLSearchParams): Promise<Asker | undefined> {
    const given = readBasic(request.headers.authorization) ?? {
      id: form.get('client_id') ?? '',
      secret: form.get('client_secret') ?? '',
    }
    const found = await findClient(database.db, vault, given.id, request.now)
    const secret = found?.metadata.client_secret
    if (found?.row.origin !== 'registered' || secret === undefined) return undefined
    return equalInConstantTime(given.secret, secret) ? found.row : undefined
  }

  async function accessToken(token: string, asker: Asker, { now }: FastifyRequest) {
    const found = await findGrantCaller(deps, token, now)
    if (found === undefined || !isOpenTo(asker, found.caller.organizationId)) return INACTIVE
    const { claims, caller } = found
    return {
      active: true,
      token_type: 'Bearer',
      iss: config.web.baseUrl,
      aud: claims.audience,
      sub: claims.accountId,
      client_id: claims.clientId,
      // The granted scopes that the person's role permits now.
      scope: [...caller.permissions].join(' '),
      exp: Math.floor(claims.expiresAt / SECOND),
      ...{ org_id: claims.organizationId, grant_id: claims.grantId },
    }
  }

  async function refreshToken(token: string, asker: Asker) {
    // Introspection counts as no use.
    const nothing = async () => undefined as never
    const records = recordAdapter('RefreshToken', deps, { onUse: nothing, onReuse: nothing })
    const found = await records.find(token)
    const isOwn = found !== undefined && found.clientId === asker.id && found.consumed === undefined
    const grant = isOwn ? await readUsableGrant(deps, String(found.grantId ?? '')) : undefined
    if (found === undefined || grant === undefined || !isOpenTo(asker, grant.organization_id)) return INACTIVE
    const { scope, grantId } = found
    const exp = Math.min(Number(found.exp), Math.floor(grant.expires_at / SECOND))
    return {
      ...{ active: true, iss: config.web.baseUrl, sub: grant.account_id, client_id: asker.id, exp, scope },
      ...{ org_id: grant.organization_id, grant_id: grantId },
    }
  }
}

/** A service of one organization gets answers about tokens of that organization only. */
const isOpenTo = ({ organization_id }: Asker, organizationId: string) =>
  organization_id === null || organization_id === organizationId

/** Id and secret of `Authorization: Basic`, each encoded as in a form (RFC 6749 2.3.1). */
function readBasic(header: string | undefined): { id: string; secret: string } | undefined {
  if (header === undefined || !/^basic /i.test(header)) return undefined
  const [id = '', ...rest] = Buffer.from(header.slice('basic '.length), 'base64').toString().split(':')
  return { id: decoded(id), secret: decoded(rest.join(':')) }
}

const decoded = (text: string) =>
  new URLSearchParams(`value=${text.replaceAll('&', '%26')}`).get('value') ?? ''
