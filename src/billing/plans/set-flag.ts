import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import { type Flags, type Module, readFlags } from '../../core/plans.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { lockOrganization, setFlags } from '../../organizations/organizations.ts'

interface FlagChange {
  organizationId: Id<'organization'>
  module: Module
  /** null: as the plan says. */
  isOn: boolean | null
}

/**
 * Turns a module on or off for one organization, or leaves it to its plan again.
 * @returns the flags it has now
 * @throws ApiError ENTITY_NOT_FOUND
 */
export async function setFlag(
  tx: Tx,
  forgetCallers: () => void,
  trail: Trail,
  { organizationId, module, isOn }: FlagChange,
): Promise<Flags> {
  // Of two changes at once the second waits here for the first.
  const row = await lockOrganization(tx, organizationId)
  if (row === undefined) throw notFound('organizationId', organizationId)
  const { [module]: before = null, ...others } = readFlags(row.flags)
  const flags: Flags = isOn === null ? others : { ...others, [module]: isOn }
  if (before === isOn) return flags
  await setFlags(tx, organizationId, flags)
  await audit(tx, trail, {
    action: 'flag.changed',
    organizationId,
    targetId: organizationId,
    details: { module, from: before, to: isOn },
  })
  afterCommit(tx, forgetCallers)
  return flags
}
