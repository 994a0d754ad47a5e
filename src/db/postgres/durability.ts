import { createHosts } from './hosts.ts'

/** The settings and standbys that decide the durability of a commit. */
export interface Durability {
  /** Settings of the server by name, without settings that the user may not read. */
  settings: Map<string, string>
  standbys: Standby[]
}

/** A connected standby. */
export interface Standby {
  name: string
  /** `sync`, `quorum`, `potential` or `async`; undefined where the user may not see it. */
  state: string | undefined
  /** Bytes of the log that the standby has not flushed yet. */
  behind: number | undefined
}

const SETTINGS = ['fsync', 'full_page_writes', 'synchronous_standby_names']

/** @throws the driver's error when PostgreSQL cannot be reached */
export async function inspectDurability(databaseUrl: string): Promise<Durability> {
  const { client } = await createHosts(databaseUrl).connect({ query_timeout: 5_000 })
  try {
    const settings = await client.query<{ name: string; setting: string }>(
      'select name, setting from pg_settings where name = any($1)',
      [SETTINGS],
    )
    // On a standby `pg_current_wal_lsn` fails, so no difference is computed.
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
