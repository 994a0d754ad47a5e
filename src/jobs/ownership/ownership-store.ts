import type { Database } from '../../db/database.ts'
import type { OwnershipStore } from '../job-store.ts'

/**
 * Divides lanes by the rows of the processes (`lease/lease-store.ts`). It uses the reserved connections, because a lane without an owner stands still.
 * @param claimedLanes reads the lanes in which a worker holds claims
 */
export function createOwnershipStore(
  { reserved }: Pick<Database, 'reserved'>,
  claimedLanes: OwnershipStore['claimedLanes'],
): OwnershipStore {
  return {
    async readWorkers() {
      const rows = await reserved.db
        .selectFrom('worker')
        .select(['id', 'retired', 'seen', 'divides', 'draining'])
        .orderBy('id')
        .execute()
      return rows.map(({ id, retired, seen, divides, draining }) => ({
        ...{ id, isRetired: retired === 1, seen, view: divides },
        draining: draining === null ? [] : (JSON.parse(draining) as string[]),
      }))
    },

    async save(workerId, { isRetired, seen, view, draining }) {
      const changes = {
        retired: isRetired === undefined ? undefined : Number(isRetired),
        seen,
        divides: view,
        draining: draining?.length === 0 ? null : draining && JSON.stringify(draining),
      }
      await reserved.tx((tx) => tx.updateTable('worker').set(changes).where('id', '=', workerId).execute())
    },

    claimedLanes,
  }
}
