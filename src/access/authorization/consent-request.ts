import type { OAuthClient } from 'oidc-provider'
import { type Millis, SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { type Permission, permissionRow, rightsOf } from '../../http/permissions.ts'
import type { Principal, SessionMembership } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { GRANTABLE, IDENTITY_SCOPES, readResource } from '../resources.ts'
import { lacksSignIn } from '../sessions/required-sign-in.ts'
import { isBuiltIn } from './built-in-clients.ts'
import { findClient } from './client-store.ts'
import type { AuthorizationDeps } from './deps.ts'

type Session = Extract<Principal, { kind: 'session' }>

/** The request of a client for a person's consent. */
export interface ConsentRequest {
  client: {
    id: string
    name: string
    /** The host of the redirect URI, or the address of the device. */
    host: string
    /** Whether the operator has registered it, so that its name can be trusted. */
    isKnown: boolean
    onlyFor: Id<'organization'> | null
  }
  resource: string
  scopes: Permission[]
  identity: string[]
  /** Whether the grant outlasts the person's session. */
  lasts: boolean
  /** The earliest accepted sign-in; null: any (`max_age`, `prompt=login`). */
  signedInSince: Millis | null
  /** The required account (`id_token_hint`); null: any. */
  accountId: string | null
}

/** The signed-in person. */
interface SignedIn {
  accountId: Id<'account'>
  /** The begin of the session. */
  at: Millis
}

/** Whether a client's request requires another sign-in. */
export function requiresNewSignIn({ signedInSince, accountId }: ConsentRequest, signedIn: SignedIn): boolean {
  return signedIn.at < (signedInSince ?? 0) || (accountId !== null && accountId !== signedIn.accountId)
}

interface Request {
  client: OAuthClient
  params: Record<string, string | undefined>
  /** The name of a client without one. */
  host: string
  askedAt: Millis
}

/**
 * Reads a request for consent.
 */
export async function readConsentRequest(
  { config, database, vault }: Pick<AuthorizationDeps, 'config' | 'database' | 'vault'>,
  { client, params, host, askedAt }: Request,
  now: Millis,
): Promise<ConsentRequest> {
  const { baseUrl } = config.web
  const known = await findClient(database.db, vault, client.clientId, now)
  const asked = new Set((params.scope ?? '').split(' '))
  const resource = params.resource ?? baseUrl
  return {
    client: {
      ...{ id: client.clientId, name: client.clientName ?? host, host },
      isKnown: isBuiltIn(client.clientId) || known?.row.origin === 'registered',
      onlyFor: known?.row.organization_id ?? null,
    },
    resource,
    scopes: readResource(baseUrl, resource) === undefined ? [] : GRANTABLE.filter((name) => asked.has(name)),
    identity: IDENTITY_SCOPES.filter((name) => asked.has(name)),
    lasts: client.grantTypeAllowed('refresh_token') && (asked.has('offline_access') || !asked.has('openid')),
    signedInSince: signedInSince(params, askedAt),
    accountId: subjectOf(params.id_token_hint),
  }
}

function signedInSince({ prompt, max_age }: Request['params'], askedAt: Millis): Millis | null {
  const asks = prompt?.split(' ').includes('login') ? 0 : max_age === undefined ? null : Number(max_age)
  return asks === null ? null : askedAt - asks * SECOND
}

/** The subject of an ID token whose signature `oidc-provider` has verified. */
function subjectOf(token: string | undefined): string | null {
  if (token === undefined) return null
  const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    sub?: string
  }
  return sub ?? null
}

/** The members of a request for the consent page, beside the client. */
export const ConsentRequestFields = {
  resource: Type.String(),
  lasts: Type.Boolean({ description: 'Whether it continues after the session has ended.' }),
  identity: Type.Array(Type.String()),
  scopes: Type.Array(Type.Object({ name: Type.String(), about: Type.String() })),
  organizations: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      role: Type.String(),
      scopes: Type.Array(Type.String(), {
        description: 'Those of the asked scopes that the person may grant there.',
      }),
    }),
  ),
}

/** A request in the form of `ConsentRequestFields`, for the person of a session. */
export async function toConsentRequestWire(db: Db, asked: ConsentRequest, session: Session) {
  const { resource, lasts, identity, scopes } = asked
  const open = openMemberships(session, asked)
  const names = await namesOf(db, open)
  return {
    ...{ resource, lasts, identity },
    scopes: scopes.map((name) => ({ name, about: permissionRow(name).about })),
    organizations: open.map((membership) => {
      const { role, permissions } = rightsOf(membership)
      const id = membership.organization_id
      return { id, name: names.get(id) ?? '', role, scopes: scopes.filter((name) => permissions.has(name)) }
    }),
  }
}

/** The organizations that the consent page offers: `GET /v1/auth/token` issues a token for each of them to this session. */
function openMemberships(session: Session, { client }: ConsentRequest): SessionMembership[] {
  return session.memberships.filter((member) => {
    const { organization_id, disabled_at, ended_at } = member
    if (disabled_at !== null || ended_at !== null || lacksSignIn(session, member)) return false
    return (client.onlyFor ?? organization_id) === organization_id
  })
}

async function namesOf(db: Db, memberships: SessionMembership[]): Promise<Map<string, string>> {
  if (memberships.length === 0) return new Map()
  const ids = memberships.map(({ organization_id }) => organization_id)
  const rows = await db.selectFrom('organization').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
