import { type Millis, toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, newId, parseId } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import { type Permissions, type RoleName, rightsOf } from '../../http/permissions.ts'
import { type Principal, type SessionMembership, sessionOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { isFactorDue } from '../accounts/required-factor.ts'
import type { AccessDeps } from '../deps.ts'
import { loadJose } from '../jose.ts'
import type { Signer } from '../signing-keys.ts'
import { lacksSignIn, signInRefusal } from './required-sign-in.ts'

/** Verifiers whose clock is a little slow accept a token at once. */
const SKEW_SECONDS = 5

/** `GET /v1/auth/token`: exchanges the session for a JWT of one organization (specification 5.5). */
export function tokenRoutes(server: Server, { config, keys }: Pick<AccessDeps, 'config' | 'keys'>): void {
  server.get(
    '/v1/auth/token',
    {
      config: { access: 'session', ofOrganization: true },
      schema: {
        tags: ['Sign-in'],
        operationId: 'createToken',
        summary: 'Exchange the session for a JWT',
        description:
          'For the requested organization, by default the one that the account joined first. The token names the role (`role`, also as the only item of `roles`) and its permissions (`permissions`).',
        querystring: strict({ organizationId: Type.Optional(IdSchema('organization')) }),
        response: { 200: Type.Object({ token: Type.String(), expiresAt: Moment }) },
      },
    },
    async (request) => {
      const { now, query } = request
      const session = sessionOf(request)
      const asked =
        query.organizationId === undefined ? undefined : parseId('organization', query.organizationId)
      const membership = chooseMembership(
        session,
        asked,
        (member) =>
          session.secondFactors === 0 &&
          !(session.identityProviderId !== null && session.hasShownFactor) &&
          isFactorDue(member, config.access.secondFactorFrom, now),
      )
      const token = await signToken(await keys.signer(now), config.web.baseUrl, {
        ...session,
        ...rightsOf(membership),
        organizationId: membership.organization_id,
        now,
      })
      return { token, expiresAt: toIso(Math.floor(now / 1_000) * 1_000 + LIFETIME.jwt) }
    },
  )

  const jwks = { listSigningKeys: '/v1/auth/jwks', listWellKnownSigningKeys: '/.well-known/jwks.json' }
  for (const [operationId, path] of Object.entries(jwks)) {
    server.get(
      path,
      {
        config: { access: 'public', anyOrigin: true },
        schema: {
          tags: ['Sign-in'],
          operationId,
          summary: 'The public keys of the JWTs',
          response: { 200: Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.String())) }) },
        },
      },
      async (request, reply) => {
        void reply.header('cache-control', 'public, max-age=300')
        return { keys: (await keys.published(request.now)) as Record<string, string>[] }
      },
    )
  }
}

/**
 * @throws ApiError FORBIDDEN when the account is not a member of the organization, or of any, or the operator has disabled it, or it
 * requires a sign-in by its identity provider, or a second factor that the account lacks; UNAUTHORIZED when an administrator has ended the
 * session for the organization
 */
function chooseMembership(
  session: Extract<Principal, { kind: 'session' }>,
  asked: Id<'organization'> | undefined,
  lacksFactor: (member: SessionMembership) => boolean,
): SessionMembership {
  const { memberships } = session
  const refusalOf = (member: SessionMembership): ApiError | undefined => {
    if (member.disabled_at !== null) return new ApiError('FORBIDDEN', { reason: 'organization_disabled' })
    if (lacksSignIn(session, member)) return signInRefusal(member)
    if (member.ended_at !== null) return new ApiError('UNAUTHORIZED', {})
    return lacksFactor(member) ? new ApiError('FORBIDDEN', { reason: 'second_factor_required' }) : undefined
  }
  if (asked !== undefined) {
    const member = memberships.find(({ organization_id }) => organization_id === asked)
    if (member === undefined) throw new ApiError('FORBIDDEN', { reason: 'not_a_member' })
    const refusal = refusalOf(member)
    if (refusal !== undefined) throw refusal
    return member
  }
  // The default is not the organization of the last request, because a page of another site could make a browser send that request.
  const refused = memberships.map((member) => ({ member, refusal: refusalOf(member) }))
  const first = refused.find(({ refusal }) => refusal === undefined)
  if (first !== undefined) return first.member
  // The refusal that the person can resolve most easily.
  const reasons = ['second_factor_required', 'organization_sign_in_required', undefined]
  for (const reason of reasons) {
    const found = refused.find(({ refusal }) => reasonOf(refusal) === reason)
    if (found?.refusal !== undefined) throw found.refusal
  }
  const reason = memberships.length === 0 ? 'no_organization' : 'organization_disabled'
  throw new ApiError('FORBIDDEN', { reason })
}

const reasonOf = (refusal: ApiError | undefined) =>
  (refusal?.details as { reason?: string } | undefined)?.reason

interface TokenFacts {
  accountId: Id<'account'>
  sessionId: Id<'session'>
  organizationId: Id<'organization'>
  role: RoleName
  permissions: Permissions
  now: Millis
}

/** An RFC 9068 access token: ES256, 60 minutes, without personal data. */
async function signToken({ kid, key }: Signer, issuer: string, facts: TokenFacts): Promise<string> {
  const { CompactSign } = await loadJose()
  const issuedAt = Math.floor(facts.now / 1_000)
  const claims = {
    sid: facts.sessionId,
    org_id: facts.organizationId,
    role: facts.role,
    // Claim names that gateways expect.
    roles: [facts.role],
    permissions: [...facts.permissions],
    ...{ iss: issuer, aud: issuer, sub: facts.accountId, jti: newId('request', facts.now) },
    ...{ iat: issuedAt, nbf: issuedAt - SKEW_SECONDS, exp: issuedAt + LIFETIME.jwt / 1_000 },
  }
  // `SignJWT` copies every claim of every token, and a token of an administrator has more than fifty.
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256', kid, typ: 'at+jwt' })
    .sign(key)
}
