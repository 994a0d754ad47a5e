import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Id } from '../../core/id.ts'
import type { Database, Db, Tx } from '../../db/database.ts'
import { prepared } from '../../db/engine/prepared.ts'

/** A publisher: an account or a service account, in an organization. */
interface Actor {
  organizationId: Id<'organization'>
  actorId: string
}

/** Publishers by number: an id would make each event's row, and its entry in the index by publisher, much longer. */
export interface Publishers {
  /** The number of a publisher, which never changes. It is read or given before an event is accepted, and remembered. */
  numberOf: (actor: Actor) => Promise<number>
}

const selectNumber = prepared<Actor>()((db, value) =>
  db
    .selectFrom('publisher')
    .select('number')
    .where('organization_id', '=', value('organizationId'))
    .where('actor_id', '=', value('actorId')),
)

/** The number of a publisher in an organization; undefined where it has published nothing. */
export async function findPublisher(db: Db | Tx, actor: Actor): Promise<number | undefined> {
  const [row] = await selectNumber(db, actor)
  return row?.number
}

/** Publishers kept in memory at most. */
const MOST_ENTRIES = 10_000

export function createPublishers(database: Database): Publishers {
  const known = createBoundedMap<string, number>(MOST_ENTRIES)
  let knownSince = database.host()?.since

  async function give(actor: Actor): Promise<number> {
    const { organizationId: organization_id, actorId: actor_id } = actor
    return database.tx(async (tx) => {
      const row = { organization_id, actor_id }
      await tx
        .insertInto('publisher')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      // Another transaction has committed the row first.
      return (await findPublisher(tx, actor)) as number
    })
  }

  return {
    async numberOf(actor) {
      const since = database.host()?.since
      // A standby that takes over may lack the last numbers that were given, and gives them to others.
      if (since !== knownSince) known.clear()
      knownSince = since
      const key = `${actor.organizationId} ${actor.actorId}`
      const number = known.get(key) ?? (await findPublisher(database.lookups, actor)) ?? (await give(actor))
      if (since === knownSince) known.set(key, number)
      return number
    },
  }
}
