import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'

/** The settings of an organization's provisioning. */
interface Setting {
  /** Whether a deprovisioned person's API keys end too. */
  endKeys: boolean
}

export async function readSetting(db: Db | Tx, organizationId: Id<'organization'>): Promise<Setting> {
  const row = await db
    .selectFrom('scim_setting')
    .select('end_keys')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return { endKeys: row?.end_keys === 1 }
}
