import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { lock } from '../../db/locking.ts'
import { getOwned, notFound } from '../../db/owned-row.ts'
import { refuseBeyond } from '../../organizations/count-limit.ts'
import type { Agent, Definition } from './definition.ts'

/** Most agents of an organization, deleted ones excluded. */
const MOST_AGENTS = 1_000

/**
 * An agent of the organization that is not deleted.
 * @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND
 */
export async function getAgent(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  text: string,
  how?: typeof lock,
): Promise<Agent> {
  const row = await getOwned(db, 'agent', text, organizationId, how)
  if (row.status === 'deleted') throw notFound('id', row.id)
  return row
}

/** Writes the current version of an agent. */
export async function addVersion(
  tx: Tx,
  agent: Pick<Agent, 'id' | 'version'>,
  definition: Definition,
  { actorId, now }: { actorId: string; now: number },
): Promise<void> {
  await tx
    .insertInto('agent_version')
    .values({
      agent_id: agent.id,
      version: agent.version,
      definition: JSON.stringify(definition),
      created_by: actorId,
      created_at: now,
    })
    .execute()
}

/** @throws ApiError FORBIDDEN `too_many_agents`; UNAUTHORIZED where the organization is gone */
export async function refuseTooMany(tx: Tx, organizationId: Id<'organization'>): Promise<void> {
  const active = tx
    .selectFrom('agent')
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'active')
  await refuseBeyond(tx, organizationId, { rows: active, most: MOST_AGENTS, reason: 'too_many_agents' })
}
