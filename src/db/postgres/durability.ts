import { createHosts } from './hosts.ts'

/** What decides what a commit survives. */
export interface Durability {
  /** Settings of the server by name; those that the user may not read are missing. */
  settings: Map<string, string>
  standbys: Standby[]
}

/** A standby that follows. */
export interface Standby {
  name: string
  /** `sync`, `quorum`, `potential` or `async`; undefined where the user may not see it. */
  state: string | undefined
  /** Bytes of the log that it has not flushed yet. */
  behind: number | undefined
}

const SETTINGS = ['fsync', 'full_page_writes', 'synchronous_standby_names']

/** @throws the driver's own error when PostgreSQL cannot be reached */
export async function inspectDurability(databaseUrl: string): Promise<Durability> {
  const { client } = await createHosts(databaseUrl).connect({ query_timeout: 5_000 })
  try {
    const settings = await client.query<{ name: string; setting: string }>(
      'select name, setting from pg_settings where name = any($1)',
      [SETTINGS],
    )
    // A standby has no log of its own to compare with, and tells of none that follow.
    const standbys = await client.query<{ name: string; state: string | null; behind: string | null }>(`
      select application_name as name, sync_state as state,
        case when not pg_is_in_recovery() then pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn) end as behind
      from pg_stat_replication where state is null or state <> 'backup' order by application_name`)
    return {
      settings: new Map(settings.rows.map(({ name, setting }) => [name, setting])),
      standbys: standbys.rows.map(({ name, state, behind }) => ({
        name,
        state: state ?? undefined,
        behind: behind === null ? undefined : Number(behind),
      })),
    }
  } finally {
    await client.end().catch(() => {})
  }
}
