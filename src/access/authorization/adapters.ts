import type { FastifyRequest } from 'fastify'
import { ownTrail, trailOf } from '../../audit/audit.ts'
import { type Id, readId } from '../../core/id.ts'
import { afterCommit } from '../../db/database.ts'
import { endGrants } from '../accounts/end-grants.ts'
import { byGrant, hasRequiredFactor } from '../accounts/required-factor.ts'
import { GRANTABLE, IDENTITY_SCOPES } from '../resources.ts'
import { grantOpens } from '../sessions/required-sign-in.ts'
import { findBuiltIn } from './built-in-clients.ts'
import { type ClientMetadata, clientProblem } from './client-rules.ts'
import { findClient, insertClient, noteClientUse } from './client-store.ts'
import type { AuthorizationDeps } from './deps.ts'
import { type Adapter, type OnReuse, recordAdapter } from './records.ts'

interface Outside {
  errors: typeof import('oidc-provider')['errors']
  /** The present request. */
  requestNow: () => FastifyRequest | undefined
}

/** The stores of `oidc-provider`, by the kind of record. */
export function createAdapters(
  deps: AuthorizationDeps,
  { errors, requestNow }: Outside,
): (kind: string) => Adapter {
  const { database, clock, vault, credentials } = deps

  async function endGrant(id: Id<'grant'>, because: string): Promise<void> {
    const request = requestNow()
    const trail = request === undefined ? ownTrail(clock.now()) : trailOf(request)
    await database.tx(async (tx) => {
      const ended = await endGrants(tx, trail, { id }, { actorId: null, because })
      if (ended > 0) afterCommit(tx, credentials.clear)
    })
  }

  /** Writes the last use, which lists show; a power cut may lose it. */
  async function onUse(id: Id<'grant'>): Promise<void> {
    const now = clock.now()
    await database.relaxed(async (tx) => {
      const used = await tx
        .updateTable('oauth_grant')
        .set({ last_used_at: now })
        .where('id', '=', id)
        .returning('client_id')
        .executeTakeFirst()
      if (used !== undefined) await noteClientUse(tx, used.client_id, now)
    })
  }

  const onReuse: OnReuse = async (grantId) => {
    await endGrant(grantId, 'reuse')
    throw new errors.InvalidGrant('it was used before')
  }

  const byKind: Record<string, Partial<Adapter>> = {
    // No session is stored: the session cookie of Postern is the login, and every authorization request asks for consent.
    Session: { find: async () => undefined, upsert: async () => {}, destroy: async () => {} },
    Grant: {
      find: async (id) => findGrant(deps, id),
      // The consent route makes grants.
      upsert: async () => {},
      destroy: async (id) => endGrant(id as Id<'grant'>, 'client'),
    },
    Client: {
      async find(id) {
        const builtIn = findBuiltIn(id)
        if (builtIn !== undefined) return builtIn
        const found = await findClient(database.db, vault, id, clock.now())
        return found?.metadata
      },
      async upsert(_id, payload) {
        const metadata = payload as ClientMetadata
        const problem = clientProblem({
          clientName: metadata.client_name as string | undefined,
          redirectUris: (metadata.redirect_uris ?? []) as string[],
        })
        if (problem?.field === 'redirect_uris')
          throw new errors.InvalidRedirectUri(`redirect_uris ${problem.reason}`)
        if (problem !== undefined)
          throw new errors.InvalidClientMetadata(`${problem.field} ${problem.reason}`)
        const client = { metadata, origin: 'dynamic', organizationId: null, createdBy: null } as const
        await database.tx((tx) => insertClient(tx, vault, client, clock.now()))
      },
    },
  }
  return (kind) => {
    const own = byKind[kind]
    return { ...recordAdapter(kind, deps, { onUse, onReuse }), ...own }
  }
}

/**
 * The row of a usable grant.
 * @param text an unchecked id
 * @returns undefined where no such grant is usable
 */
export async function readUsableGrant({ config, database, clock }: AuthorizationDeps, text: string) {
  const id = readId('grant', text)
  if (id === undefined) return undefined
  return database.db
    .selectFrom('oauth_grant')
    .innerJoin('account', 'account.id', 'oauth_grant.account_id')
    .innerJoin('membership', (join) =>
      join
        .onRef('membership.account_id', '=', 'oauth_grant.account_id')
        .onRef('membership.organization_id', '=', 'oauth_grant.organization_id'),
    )
    .innerJoin('organization', 'organization.id', 'oauth_grant.organization_id')
    .selectAll('oauth_grant')
    .where('oauth_grant.id', '=', id)
    .where('oauth_grant.expires_at', '>', clock.now())
    .where('account.status', '=', 'active')
    .where('organization.disabled_at', 'is', null)
    .where(hasRequiredFactor(config.access.secondFactorFrom, clock.now(), byGrant))
    .where(grantOpens)
    .executeTakeFirst()
}

/**
 * A grant in the form of `oidc-provider`. Requested scopes that were not granted count as refused, so that it does not request consent a
 * second time.
 */
async function findGrant(deps: AuthorizationDeps, text: string) {
  const row = await readUsableGrant(deps, text)
  if (row === undefined) return undefined
  const granted = new Set(JSON.parse(row.scopes) as string[])
  const identity = new Set(row.identity_scopes.split(' '))
  const { resource } = row
  return {
    kind: 'Grant',
    jti: row.id,
    accountId: row.account_id,
    clientId: row.client_id,
    iat: Math.floor(row.created_at / 1_000),
    exp: Math.floor(row.expires_at / 1_000),
    resources: { [resource]: [...granted].join(' ') },
    openid: { scope: [...identity].join(' ') },
    rejected: {
      resources: { [resource]: GRANTABLE.filter((name) => !granted.has(name)).join(' ') },
      openid: { scope: IDENTITY_SCOPES.filter((name) => !identity.has(name)).join(' ') },
    },
  }
}
