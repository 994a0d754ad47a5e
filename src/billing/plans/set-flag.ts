import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import { type Flags, type Module, readFlags } from '../../core/plans.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { lockOrganization, setFlags } from '../../organizations/organizations.ts'

interface FlagChange {
  organizationId: Id<'organization'>
  module: Module
  /** null: the plan decides. */
  isOn: boolean | null
}

/**
 * Turns a module on or off for one organization, or resets it to the plan's setting.
 * @returns the organization's flags
 * @throws ApiError ENTITY_NOT_FOUND
 */
export async function setFlag(
  tx: Tx,
  forgetCallers: () => void,
  trail: Trail,
  { organizationId, module, isOn }: FlagChange,
): Promise<Flags> {
  // The second of two concurrent changes waits here.
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
