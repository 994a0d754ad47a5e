import type { Tx } from '../../db/database.ts'
import { wroteNothing } from '../../db/engine/guard.ts'
import { preparedListInserts } from '../../db/engine/lists.ts'
import { ADD_COUNTS, COUNT_COLUMNS, countsOfMade } from '../counts/delivery-counts.ts'
import { DELIVERY_COLUMNS } from '../store/delivery-row.ts'
import { type Assumed, areAsAssumed } from './subscriptions.ts'

const insert = preparedListInserts(
  {
    event: {
      id: 'text',
      organization_id: 'text',
      type: 'text',
      body: 'bytes',
      hops: 'integer',
      created_at: 'integer',
      publisher: 'integer',
    },
    delivery: DELIVERY_COLUMNS,
    delivery_count: COUNT_COLUMNS,
    fan_out: {
      id: 'text',
      organization_id: 'text',
      events: 'bytes',
      webhooks: 'bytes',
      position: 'integer',
    },
  },
  areAsAssumed,
  { delivery_count: ADD_COUNTS },
)

type Rows = Omit<Parameters<typeof insert>[1], 'delivery_count'>

/**
 * Writes what some publications are: events, deliveries and how many these are, and what is still to be delivered where that is too much for one commit.
 * @returns false where something is assumed of their organizations that is not so: then nothing has been written
 */
export async function insertPublished(tx: Tx, rows: Rows, assumed: Assumed[]): Promise<boolean> {
  const lists = {
    organizations: assumed.map(({ organizationId }) => organizationId),
    digests: assumed.map(({ digest }) => digest),
  }
  const counted = { ...rows, delivery_count: countsOfMade(tx, rows.delivery) }
  const isWritten = await insert(tx, counted, assumed.length === 0 ? undefined : lists)
  if (!isWritten) wroteNothing(tx)
  return isWritten
}
