import { ownTrail, type Trail } from '../../audit/audit.ts'
import { DAY, MINUTE, SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import type { Handler, Outcome } from '../../jobs/rows/row-kind.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import type { AccessDeps } from '../deps.ts'
import type { ScimDeps } from './deps.ts'
import { applyGroupRoles } from './group-roles.ts'

/** The kind of job that gives the roles of groups to all users of an organization. */
const SCIM_ROLES = 'scim_roles'
/** Jobs that one process runs at once. */
export const SCIM_ROLES_AT_ONCE = 4

/** Most users whose roles change in the transaction of a request; for more, a job changes them. */
const MOST_IN_REQUEST = 100
/** Users per transaction of the job. */
const OF_A_STEP = 50

interface Payload {
  actorId: string
}

/**
 * Gives users the roles of their groups: at once, or for many users by a job over all users of the organization. `tx` has locked the
 * organization.
 */
export async function applyRoles(
  tx: Tx,
  deps: ScimDeps,
  trail: Trail,
  {
    organizationId,
    actorId,
    users,
  }: { organizationId: Id<'organization'>; actorId: string; users: Id<'scimUser'>[] },
): Promise<void> {
  if (users.length <= MOST_IN_REQUEST)
    return applyGroupRoles(tx, deps, trail, { organizationId, actorId }, users)
  const { now } = trail
  const whose = { organizationId, laneId: organizationId }
  const payload: Payload = { actorId }
  await deps.jobs.add(tx, { kind: SCIM_ROLES, ...whose, payload, dueAt: now, horizon: now + DAY }, now)
}

/** Gives all users of an organization the roles of their groups; a repetition changes nothing. */
export function scimRolesHandler(
  deps: Pick<AccessDeps, 'database' | 'clock' | 'publish' | 'credentials'>,
): Handler {
  const { database, clock } = deps
  return {
    kind: SCIM_ROLES,
    longest: 10 * MINUTE,
    waits: [5 * SECOND, MINUTE, 10 * MINUTE],
    isRepeatable: true,
    async work({ organizationId, payload }, { signal, advanced }): Promise<Outcome> {
      const { actorId } = payload as Payload
      let after = '' as Id<'scimUser'>
      for (;;) {
        signal.throwIfAborted()
        const last = await database.background.tx((tx) => giveStep(tx, { organizationId, actorId, after }))
        if (last === undefined) return { done: null }
        after = last
        advanced()
      }
    },
  }

  async function giveStep(
    tx: Tx,
    {
      organizationId,
      actorId,
      after,
    }: { organizationId: Id<'organization'>; actorId: string; after: Id<'scimUser'> },
  ): Promise<Id<'scimUser'> | undefined> {
    if ((await lockOrganization(tx, organizationId)) === undefined) return undefined
    const rows = await tx
      .selectFrom('scim_user')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(OF_A_STEP)
      .execute()
    const users = rows.map(({ id }) => id)
    if (users.length > 0)
      await applyGroupRoles(tx, deps, ownTrail(clock.now()), { organizationId, actorId }, users)
    return users.at(-1)
  }
}
