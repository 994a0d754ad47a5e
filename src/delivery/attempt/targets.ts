import { sql } from 'kysely'
import { createBatchedLookup } from '../../core/batched-lookup.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import type { Database } from '../../db/database.ts'
import { preparedForRows } from '../../db/engine/prepared.ts'
import { literal } from '../../db/literal.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { openSecrets } from './secrets.ts'
import type { Target } from './send.ts'

/** Where an active webhook's deliveries go, and how. */
export interface ActiveTarget extends Target {
  maxInFlight: number
  maxPerSecond: number | null
  /** When it was last active again; null: never. */
  resumedAt: Millis | null
}

/** Where the deliveries of each webhook go. */
export interface Targets {
  /** Where a webhook's deliveries go now; undefined when it is gone or not active. */
  find(webhookId: Id<'webhook'>, now: Millis): Promise<ActiveTarget | undefined>
  /** Must follow the commit of every change to a webhook or its secrets. */
  forget(webhookId: Id<'webhook'>): void
}

type Row = Pick<
  Tables['webhook'],
  'id' | 'url' | 'url_version' | 'max_in_flight' | 'max_per_second' | 'resumed_at'
> &
  Pick<Tables['webhook_secret'], 'secret' | 'expires_at'>

/** One row for each live secret of each active webhook of a list. */
const selectTargets = preparedForRows<Row>((db, size) =>
  db
    .selectFrom('webhook')
    .innerJoin('webhook_secret', 'webhook_secret.webhook_id', 'webhook.id')
    .select([
      'webhook.id',
      'webhook.url',
      'webhook.url_version',
      'webhook.max_in_flight',
      'webhook.max_per_second',
      'webhook.resumed_at',
      'webhook_secret.secret',
      'webhook_secret.expires_at',
    ])
    .where((where) =>
      where.or([
        where('webhook_secret.expires_at', 'is', null),
        where('webhook_secret.expires_at', '>', 0 as Millis),
      ]),
    )
    // An expression keeps PostgreSQL from the index of active webhooks, which it would read whole.
    .where(sql`webhook.status || ''`, '=', literal('active'))
    .where(
      'webhook.id',
      'in',
      Array.from({ length: size }, () => '' as Id<'webhook'>),
    ),
)

/** Cached targets are read again after this time, because a retired secret expires without a write. */
const FRESH: Millis = 5_000
const MOST_ENTRIES = 10_000

export function createTargets({ database, vault }: { database: Database; vault: Vault }): Targets {
  const known = createBoundedMap<Id<'webhook'>, { target: ActiveTarget; readAt: Millis }>(MOST_ENTRIES)
  /** With other processes the rows are read for each attempt; what was sealed in them is opened once. */
  const opened = createBoundedMap<Id<'webhook'>, { sealed: string; secrets: string[] }>(MOST_ENTRIES)
  let generation = 0

  function secretsIn(webhookId: Id<'webhook'>, rows: Row[]): string[] {
    const sealed = rows.map(({ secret, expires_at }) => `${secret} ${expires_at}`).join()
    const before = opened.get(webhookId)
    if (before?.sealed === sealed) return before.secrets
    const secrets = openSecrets(vault, webhookId, rows)
    opened.set(webhookId, { sealed, secrets })
    return secrets
  }

  /** When the last look-up was requested. A secret that expires during the query still signs the attempt that waits for it. */
  let moment: Millis = 0
  const rowsOf = createBatchedLookup<Id<'webhook'>, Row[]>(async (webhooks) => {
    const ids = webhooks.map((id) => [id])
    return Map.groupBy(await selectTargets(database.lookups, ids, [moment]), ({ id }) => id)
  })

  async function read(webhookId: Id<'webhook'>, now: Millis): Promise<ActiveTarget | undefined> {
    const begun = generation
    moment = now
    const rows = await rowsOf(webhookId)
    // A webhook without a live secret has no row, so that nothing is sent without a signature.
    const [webhook] = rows ?? []
    if (rows === undefined || webhook === undefined) return undefined
    const target = {
      url: webhook.url,
      urlVersion: webhook.url_version,
      maxInFlight: webhook.max_in_flight,
      maxPerSecond: webhook.max_per_second,
      secrets: secretsIn(webhookId, rows),
      resumedAt: webhook.resumed_at,
    }
    // With other processes nothing is cached, because any of them may change the webhook.
    if (!database.shared && begun === generation) known.set(webhookId, { target, readAt: now })
    return target
  }

  return {
    async find(webhookId, now) {
      const remembered = known.get(webhookId)
      if (remembered !== undefined && now - remembered.readAt < FRESH && now >= remembered.readAt)
        return remembered.target
      return read(webhookId, now)
    },
    forget(webhookId) {
      generation += 1
      known.delete(webhookId)
      opened.delete(webhookId)
    },
  }
}
