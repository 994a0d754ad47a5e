import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'

/** The settings of an organization's provisioning. */
interface Setting {
  /** Whether a deprovisioned person's API keys end too. */
  endKeys: boolean
}

/**
 * Adds to the bound of an organization's memberships in groups. Ended memberships are not subtracted, so the bound may be too high. It
 * may be too low by what processes of an older version have added since it was set, because they do not add to it. `tx` has locked the
 * organization.
 * @returns the bound; null where it is unknown
 */
export async function addPlaces(
  tx: Tx,
  organizationId: Id<'organization'>,
  added: number,
): Promise<number | null> {
  const row = await tx
    .updateTable('scim_setting')
    .set(({ eb }) => ({ most_places: eb('most_places', '+', added) }))
    .where('organization_id', '=', organizationId)
    .returning('most_places')
    .executeTakeFirst()
  return row?.most_places ?? null
}

/** Sets the bound of an organization's memberships in groups to their number. `tx` has locked the organization. */
export async function setPlaces(tx: Tx, organizationId: Id<'organization'>, count: number): Promise<void> {
  await tx
    .insertInto('scim_setting')
    .values({ organization_id: organizationId, end_keys: 0, most_places: count })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet({ most_places: count }))
    .execute()
}

export async function readSetting(db: Db | Tx, organizationId: Id<'organization'>): Promise<Setting> {
  const row = await db
    .selectFrom('scim_setting')
    .select('end_keys')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return { endKeys: row?.end_keys === 1 }
}
