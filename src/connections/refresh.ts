import { randomUUID } from 'node:crypto'
import { audit } from '../audit/audit.ts'
import { type Millis, SECOND, sleep } from '../core/clock.ts'
import { afterCommit } from '../db/database.ts'
import { notFound } from '../db/owned-row.ts'
import { isDue } from '../db/plausible-time.ts'
import { PROVIDER_DEADLINE } from '../oauth/protocol.ts'
import { ProviderRefusal } from '../oauth/refusal.ts'
import { freshColumns, openTokens } from './connection-store.ts'
import { blockedUntil, type Connection, isOver, LONGEST_BACKOFF } from './connection-wire.ts'
import type { Asker, ConnectionDeps, Refresh } from './deps.ts'
import { giveUpTokens } from './end-connections.ts'
import { type IntegrationCode, integrationError } from './failures.ts'
import type { Granted, Provider, Tokens } from './provider.ts'
import { expire, notBefore, recordEnd } from './settle.ts'

type RefreshDeps = Pick<
  ConnectionDeps,
  'clock' | 'database' | 'vault' | 'log' | 'publish' | 'providers' | 'addRevocation'
>

/** A claim without a result after this time is of a process that has died: the request itself takes half of it at most. */
export const CLAIM_LIFETIME: Millis = 2 * PROVIDER_DEADLINE
/** A caller that waits for the refresh of another process reads the row this often. */
const POLL_EVERY: Millis = SECOND / 20
/** A caller gives up waiting for another process after this time. */
const PATIENCE: Millis = CLAIM_LIFETIME + PROVIDER_DEADLINE

export function createRefresh(deps: RefreshDeps): Refresh {
  const { clock, database, vault, log, providers } = deps
  /** Those under way in this process, by connection and version. */
  const running = new Map<string, Promise<Connection>>()

  async function run(seen: Connection, asker: Asker): Promise<Connection> {
    const giveUpAt = clock.now() + PATIENCE
    const provider = providers.get(seen.provider)
    for (;;) {
      const row = await find(seen.id)
      const now = clock.now()
      if (row.version !== seen.version) return resultOf(row, now)
      if (isOver(row, now)) await expire(deps, row, asker.trail, 'lifetime')
      mayRefresh(row, provider, now)
      // Outside of the claim, so that it holds no longer than one request.
      await prepare(row, provider as Provider, now)
      const claimed = await claim(row, now)
      if (claimed !== undefined) {
        const settled = await work(claimed, provider as Provider, asker)
        if (settled !== undefined) return settled
        // The row tells how the connection was changed instead.
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

  /** Claims the refresh of a version, for one of any number of callers. @returns the claimed row; undefined for the others */
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

  /** Sends the request and settles its answer. @returns undefined where the refresh failed, which the row then says, or as `settle` */
  async function work(
    claimed: Connection,
    provider: Provider,
    asker: Asker,
  ): Promise<Connection | undefined> {
    const tokens = openTokens(vault, claimed) as Tokens
    let granted: Granted
    try {
      granted = await provider.refresh(tokens.refreshToken ?? '', clock.now(), claimed.organization_id)
    } catch (error) {
      const refusal = error instanceof ProviderRefusal ? error : new ProviderRefusal('failed', 'unexpected')
      await settleRefusal(claimed, provider, asker, refusal)
      if (refusal !== error) throw error
      return undefined
    }
    // Most providers issue a new refresh token only when they rotate it.
    const refreshToken = granted.tokens.refreshToken ?? tokens.refreshToken
    return settle(claimed, asker, { ...granted, tokens: { ...granted.tokens, refreshToken } })
  }

  /** @returns undefined when another process has taken the claim, or the connection was deleted: its new tokens are then revoked */
  async function settle(
    claimed: Connection,
    { trail, actorId }: Asker,
    granted: Granted,
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
        const keptAs = await giveUpTokens(tx, deps, { ...owner, tokens: granted.tokens }, now)
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
    { trail }: Asker,
    { kind, reason, notBefore: asked }: ProviderRefusal,
  ): Promise<void> {
    const now = clock.now()
    const claimId = claimed.claim_id as string
    if (kind === 'refused' && reason === 'invalid_grant') {
      const ending = { code: 'INTEGRATION_REVOKED', reason, claim: claimId } as const
      await database.tx((tx) => recordEnd(tx, deps, { ...trail, now }, claimed, ending))
      return
    }
    const wait = notBefore(settings, { asked, refusals: claimed.refusals, now })
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

  return async (seen, asker) => {
    // It was renewed between the start of the request and this call: that renewal serves the caller, too.
    if (seen.updated_at > asker.trail.now) return resultOf(seen, clock.now())
    const key = `${seen.id} ${seen.version}`
    const begun = running.get(key) ?? run(seen, asker).finally(() => running.delete(key))
    running.set(key, begun)
    return begun
  }
}

/** Ends all claims at a start on the embedded database: no other process lives that could have one. */
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

/** The row of a renewal that succeeded. @throws ApiError with the code of one that failed */
function resultOf(row: Connection, now: Millis): Connection {
  if (row.outcome === null) return row
  throw integrationError(row.outcome as IntegrationCode, row, row.outcome_reason, now)
}

/** @throws ApiError where a refresh cannot succeed, or the provider asked for no requests */
function mayRefresh(row: Connection, provider: Provider | undefined, now: Millis): void {
  if (row.status === 'revoked') throw integrationError('INTEGRATION_REVOKED', row, row.outcome_reason, now)
  if (blockedUntil(row, now) !== null)
    throw integrationError('INTEGRATION_RATE_LIMIT', row, row.outcome_reason, now)
  if (row.refreshable === 0) throw integrationError('INTEGRATION_EXPIRED', row, 'no_refresh_token', now)
  if (provider === undefined) throw integrationError('INTEGRATION_PROVIDER_ERROR', row, 'not_configured', now)
}
