import { randomUUID } from 'node:crypto'
import { audit } from '../audit/audit.ts'
import { type Millis, SECOND, sleep } from '../core/clock.ts'
import { afterCommit } from '../db/database.ts'
import { notFound } from '../db/owned-row.ts'
import { isDue } from '../db/plausible-time.ts'
import { PROVIDER_DEADLINE } from '../oauth/protocol.ts'
import { ProviderRefusal } from '../oauth/provider-refusal.ts'
import { expire, notBefore, recordEnd } from './connection-status.ts'
import { freshColumns, openTokens } from './connection-store.ts'
import { blockedUntil, type Connection, isExpired, LONGEST_BACKOFF } from './connection-wire.ts'
import type { ConnectionDeps, Refresh, RefreshCause } from './deps.ts'
import { revokeOrphanedTokens } from './end-connections.ts'
import { type IntegrationCode, integrationError } from './failures.ts'
import type { Provider, TokenGrant, Tokens } from './provider.ts'

type RefreshDeps = Pick<
  ConnectionDeps,
  'clock' | 'database' | 'vault' | 'log' | 'publish' | 'providers' | 'addRevocation'
>

/** Age after which a claim without a result belongs to a dead process: the request takes half of it at most. */
export const CLAIM_LIFETIME: Millis = 2 * PROVIDER_DEADLINE
/** The interval at which a caller polls the row during a refresh in another process. */
const POLL_EVERY: Millis = SECOND / 20
/** How long a caller waits for another process. */
const PATIENCE: Millis = CLAIM_LIFETIME + PROVIDER_DEADLINE

export function createRefresh(deps: RefreshDeps): Refresh {
  const { clock, database, vault, log, providers } = deps
  /** Refreshes in progress in this process, by connection and version. */
  const running = new Map<string, Promise<Connection>>()

  async function run(seen: Connection, cause: RefreshCause): Promise<Connection> {
    const giveUpAt = clock.now() + PATIENCE
    const provider = providers.get(seen.provider)
    for (;;) {
      const row = await find(seen.id)
      const now = clock.now()
      if (row.version !== seen.version) return resultOf(row, now)
      if (isExpired(row, now)) await expire(deps, row, cause.trail, 'lifetime')
      mayRefresh(row, provider, now)
      // Before the claim, so that the claim lasts no longer than one request.
      await prepare(row, provider as Provider, now)
      const claimed = await claim(row, now)
      if (claimed !== undefined) {
        const settled = await work(claimed, provider as Provider, cause)
        if (settled !== undefined) return settled
        // The row now shows the other change of the connection.
        continue
      }
      if (now >= giveUpAt) throw integrationError('INTEGRATION_PROVIDER_ERROR', row, 'refresh_under_way', now)
      await sleep(clock, POLL_EVERY)
    }
  }

  async function find(id: Connection['id']): Promise<Connection> {
    const row = await database.db.selectFrom('connection').selectAll().where('id', '=', id).executeTakeFirst()
    if (row === undefined) throw notFound('id', id)
    return row
  }

  async function prepare(row: Connection, provider: Provider, now: Millis): Promise<void> {
    await provider.prepare(now).catch((error: unknown) => {
      if (error instanceof ProviderRefusal)
        throw integrationError('INTEGRATION_PROVIDER_ERROR', row, error.reason, now)
      throw error
    })
  }

  /** Claims the refresh of a version for one of several callers. @returns the claimed row; undefined for all others */
  function claim({ id, version }: Connection, now: Millis): Promise<Connection | undefined> {
    return database.tx((tx) =>
      tx
        .updateTable('connection')
        .set({ claim_id: randomUUID(), claim_until: now + CLAIM_LIFETIME })
        .where('id', '=', id)
        .where('version', '=', version)
        .where((where) =>
          where.or([where('claim_id', 'is', null), isDue('claim_until', now, CLAIM_LIFETIME)]),
        )
        .where((where) =>
          where.or([where('not_before', 'is', null), isDue('not_before', now, LONGEST_BACKOFF)]),
        )
        .returningAll()
        .executeTakeFirst(),
    )
  }

  /**
   * Sends the request and settles its answer. @returns undefined where the refresh failed, which the row records, or as
   * `settle`
   */
  async function work(
    claimed: Connection,
    provider: Provider,
    cause: RefreshCause,
  ): Promise<Connection | undefined> {
    const tokens = openTokens(vault, claimed) as Tokens
    let granted: TokenGrant
    try {
      granted = await provider.refresh(tokens.refreshToken ?? '', clock.now(), claimed.organization_id)
    } catch (error) {
      const refusal = error instanceof ProviderRefusal ? error : new ProviderRefusal('failed', 'unexpected')
      await settleRefusal(claimed, provider, cause, refusal)
      if (refusal !== error) throw error
      return undefined
    }
    // Most providers issue a new refresh token only when they rotate it.
    const refreshToken = granted.tokens.refreshToken ?? tokens.refreshToken
    return settle(claimed, cause, { ...granted, tokens: { ...granted.tokens, refreshToken } })
  }

  /**
   * Stores new tokens. @returns undefined where another process has taken the claim, or the connection was deleted; its
   * new tokens are then revoked
   */
  async function settle(
    claimed: Connection,
    { trail, actorId }: RefreshCause,
    granted: TokenGrant,
  ): Promise<Connection | undefined> {
    const now = clock.now()
    const { id, organization_id: organizationId, provider: name } = claimed
    return database.tx(async (tx) => {
      const row = await tx
        .updateTable('connection')
        .set({
          ...freshColumns(vault, id, granted, now),
          scopes: granted.scopes ?? claimed.scopes,
          version: claimed.version + 1,
          refreshed_at: now,
        })
        .where('id', '=', id)
        .where('claim_id', '=', claimed.claim_id)
        .returningAll()
        .executeTakeFirst()
      if (row === undefined) {
        const known = await tx.selectFrom('connection').select('id').where('id', '=', id).executeTakeFirst()
        if (known !== undefined) return undefined
        // It was deleted during the request.
        const owner = { organizationId, provider: name }
        const keptAs = await revokeOrphanedTokens(tx, deps, { ...owner, tokens: granted.tokens }, now)
        afterCommit(tx, () => log.info({ ...owner, connectionId: id, keptAs }, 'tokens given up'))
        return undefined
      }
      await audit(
        tx,
        { ...trail, now },
        {
          action: 'connection.refreshed',
          organizationId,
          actorId,
          targetId: id,
          details: { provider: name },
        },
      )
      return row
    })
  }

  async function settleRefusal(
    claimed: Connection,
    { settings }: Provider,
    { trail }: RefreshCause,
    { kind, reason, notBefore: requested }: ProviderRefusal,
  ): Promise<void> {
    const now = clock.now()
    const claimId = claimed.claim_id as string
    if (kind === 'refused' && reason === 'invalid_grant') {
      const ending = { code: 'INTEGRATION_REVOKED', reason, claim: claimId } as const
      await database.tx((tx) => recordEnd(tx, deps, { ...trail, now }, claimed, ending))
      return
    }
    const wait = notBefore(settings, { requested, refusals: claimed.refusals, now })
    const isLimit = kind === 'rate_limited'
    await database.tx((tx) =>
      tx
        .updateTable('connection')
        .set({
          ...(isLimit ? { not_before: wait, refusals: claimed.refusals + 1 } : { status: 'error' }),
          outcome: isLimit ? 'INTEGRATION_RATE_LIMIT' : 'INTEGRATION_PROVIDER_ERROR',
          outcome_reason: reason,
          version: claimed.version + 1,
          claim_id: null,
          claim_until: null,
          updated_at: now,
        })
        .where('id', '=', claimed.id)
        .where('claim_id', '=', claimId)
        .execute(),
    )
  }

  return async (seen, cause) => {
    // It was renewed between the start of the request and this call, and that renewal counts.
    if (seen.updated_at > cause.trail.now) return resultOf(seen, clock.now())
    const key = `${seen.id} ${seen.version}`
    const begun = running.get(key) ?? run(seen, cause).finally(() => running.delete(key))
    running.set(key, begun)
    return begun
  }
}

/** Ends all claims at the start of an embedded database: no other process exists that could hold one. */
export async function freeClaims({ database }: Pick<ConnectionDeps, 'database'>): Promise<void> {
  if (database.shared) return
  await database.tx((tx) =>
    tx
      .updateTable('connection')
      .set({ claim_id: null, claim_until: null })
      .where('claim_id', 'is not', null)
      .execute(),
  )
}

/** The row of a successful renewal. @throws ApiError with the code of a failed one */
function resultOf(row: Connection, now: Millis): Connection {
  if (row.outcome === null) return row
  throw integrationError(row.outcome as IntegrationCode, row, row.outcome_reason, now)
}

/** @throws ApiError where a refresh cannot succeed, or the provider accepts no requests yet */
function mayRefresh(row: Connection, provider: Provider | undefined, now: Millis): void {
  if (row.status === 'revoked') throw integrationError('INTEGRATION_REVOKED', row, row.outcome_reason, now)
  if (blockedUntil(row, now) !== null)
    throw integrationError('INTEGRATION_RATE_LIMIT', row, row.outcome_reason, now)
  if (row.refreshable === 0) throw integrationError('INTEGRATION_EXPIRED', row, 'no_refresh_token', now)
  if (provider === undefined) throw integrationError('INTEGRATION_PROVIDER_ERROR', row, 'not_configured', now)
}
