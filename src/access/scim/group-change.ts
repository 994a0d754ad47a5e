import { audit } from '../../audit/audit.ts'
import { type Id, newId } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { refuseBeyond } from '../../organizations/count-limit.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import type { ScimContext, ScimDeps } from './deps.ts'
import { addMembers, findMembers, removeMembers } from './group-store.ts'
import { type GroupChange, type MemberChange, valuesAfter } from './group-values.ts'
import { getProvisioned } from './provisioned-rows.ts'
import { applyRoles } from './role-job.ts'

type Group = Tables['scim_group']

/** Makes the answer from the group after the change, in its transaction: afterwards there may be no free connection. */
type Show<Answer> = (tx: Tx, row: Group) => Promise<Answer>

/** Groups that an organization provisions. */
const MOST_GROUPS = 1_000

/**
 * Creates a group. It gives no role until an administrator maps it to one.
 * @returns the answer of `show`
 * @throws ApiError FORBIDDEN `too_many_groups`
 */
export async function createGroup<Answer>(
  deps: ScimDeps,
  act: ScimContext,
  change: GroupChange,
  show: Show<Answer>,
): Promise<Answer> {
  const { caller, trail } = act
  const { organizationId } = caller
  const { now } = trail
  const values = valuesAfter(change)
  return deps.database.tx(async (tx) => {
    const rows = tx.selectFrom('scim_group').where('organization_id', '=', organizationId)
    await refuseBeyond(tx, organizationId, { rows, most: MOST_GROUPS, reason: 'too_many_groups' })
    await mustStillHave(tx, caller, 'scim:write', now)
    const row: Group = {
      id: newId('scimGroup', now),
      organization_id: organizationId,
      ...values,
      ...{ role: null, role_id: null, priority: 0, created_at: now, updated_at: now },
    }
    await tx.insertInto('scim_group').values(row).execute()
    await changeMembers(tx, row, change.members)
    await note(tx, act, 'scim_group.created', row)
    return show(tx, row)
  })
}

/**
 * Changes a group, and the roles of users who join or leave it.
 * @returns the answer of `show`
 * @throws ApiError ENTITY_NOT_FOUND, VALIDATION_FAILED
 */
export async function changeGroup<Answer>(
  deps: ScimDeps,
  act: ScimContext,
  text: string,
  { change, show }: { change: GroupChange; show: Show<Answer> },
): Promise<Answer> {
  const { caller, trail } = act
  const { organizationId, actorId } = caller
  return deps.database.tx(async (tx) => {
    await lockOrganization(tx, organizationId)
    await mustStillHave(tx, caller, 'scim:write', trail.now)
    const before = await getProvisioned(tx, 'scim_group', organizationId, text)
    const values = valuesAfter(change, before)
    const moved = await changeMembers(tx, before, change.members)
    const isRenamed = values.display_name !== before.display_name || values.external_id !== before.external_id
    if (!isRenamed && moved.size === 0) return show(tx, before)
    const after = { ...before, ...values, updated_at: trail.now }
    await tx
      .updateTable('scim_group')
      .set({ ...values, updated_at: trail.now })
      .where('id', '=', before.id)
      .execute()
    await note(tx, act, 'scim_group.updated', after, moved.size)
    if (before.role !== null)
      await applyRoles(tx, deps, trail, { organizationId, actorId, users: [...moved] })
    return show(tx, after)
  })
}

/** Deletes a group; its users stay, and lose the role that it gave. @throws ApiError ENTITY_NOT_FOUND */
export async function deleteGroup(deps: ScimDeps, act: ScimContext, text: string): Promise<void> {
  const { caller, trail } = act
  const { organizationId, actorId } = caller
  await deps.database.tx(async (tx) => {
    await lockOrganization(tx, organizationId)
    await mustStillHave(tx, caller, 'scim:write', trail.now)
    const row = await getProvisioned(tx, 'scim_group', organizationId, text)
    const users = await removeMembers(tx, row.id, 'all')
    await tx.deleteFrom('scim_group').where('id', '=', row.id).execute()
    await note(tx, act, 'scim_group.deleted', row, users.length)
    if (row.role !== null) await applyRoles(tx, deps, trail, { organizationId, actorId, users })
  })
}

/** @returns the users who were added or removed */
async function changeMembers(tx: Tx, group: Group, changes: MemberChange[]): Promise<Set<Id<'scimUser'>>> {
  const moved = new Set<Id<'scimUser'>>()
  const mark = (users: Id<'scimUser'>[]) => {
    for (const id of users) moved.add(id)
  }
  for (const change of changes) {
    if (change.kind === 'removeAll') mark(await removeMembers(tx, group.id, 'all'))
    else if (change.kind === 'remove') mark(await removeMembers(tx, group.id, change.users))
    else if (change.kind === 'add') mark(await addMembers(tx, group, change.users))
    else {
      const wanted = new Set(change.users)
      const present = (await findMembers(tx, [group.id])).get(group.id) ?? []
      mark(
        await removeMembers(
          tx,
          group.id,
          present.filter((id) => !wanted.has(id)),
        ),
      )
      mark(await addMembers(tx, group, change.users))
    }
  }
  return moved
}

async function note(
  tx: Tx,
  { caller: { organizationId, actorId }, trail }: ScimContext,
  action: 'scim_group.created' | 'scim_group.updated' | 'scim_group.deleted',
  { id, display_name: displayName }: Pick<Group, 'id' | 'display_name'>,
  moved = 0,
): Promise<void> {
  const details = { displayName, ...(moved === 0 ? {} : { users: moved }) }
  await audit(tx, trail, { action, ...{ organizationId, actorId, targetId: id }, details })
}
