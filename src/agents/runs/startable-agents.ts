import { sql } from 'kysely'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { type Columns, namesOf, preparedForList } from '../../db/engine/lists.ts'
import { hasOneWriter } from '../../db/locking.ts'
import type { Agent } from '../definitions/definition.ts'
import { OPEN } from '../transcript/rows.ts'

type Wanted = Pick<Agent, 'id' | 'organization_id'>
const WANTED: Columns<Wanted> = { id: 'text', organization_id: 'text' }

/** An agent that may start a run. */
export interface StartableAgent extends Pick<Agent, 'id' | 'organization_id' | 'version'> {
  /** JSON; null where another transaction added the version while this one waited for the agent. */
  definition: string | null
  /** The open runs of its organization. */
  open: number
}

/** Locks agents with a shared lock, in the order of their ids, and reads what starting a run needs. @param more of the lock */
const select = (more: string) =>
  preparedForList<Wanted, StartableAgent>(WANTED, (db, list) =>
    sql<StartableAgent>`
      with wanted (${namesOf(WANTED)}) as (${list})
      select agent.id, agent.organization_id, agent.version, agent_version.definition,
        (select count(*) from run
          where run.organization_id = agent.organization_id and run.status in (${sql.join(OPEN.map((one) => sql.lit(one)))})
        ) as open
      from wanted
      join agent on agent.id = wanted.id and agent.organization_id = wanted.organization_id
      left join agent_version on agent_version.agent_id = agent.id and agent_version.version = agent.version
      where agent.status <> 'deleted'
      order by agent.id ${hasOneWriter(db) ? sql`` : sql.raw(`for share of agent${more}`)}`.compile(db),
  )

const selectLocked = select('')
const selectUnlocked = select(' skip locked')

/** Waits for an agent that another transaction changes. @returns undefined where it does not exist or is deleted */
export async function lockStartable(
  tx: Tx,
  organizationId: Id<'organization'>,
  id: Id<'agent'>,
): Promise<StartableAgent | undefined> {
  const [agent] = await selectLocked(tx, [{ id, organization_id: organizationId }])
  return agent
}

/** Locks those agents that no other transaction changes, so that no organization waits for an agent of another one. */
export function lockStartableUnlessBusy(tx: Tx, wanted: Wanted[]): Promise<StartableAgent[]> {
  return selectUnlocked(tx, wanted)
}
