import { preparedListInserts } from '../../db/engine/lists.ts'
import { DELIVERY_COLUMNS } from '../store/delivery-row.ts'

/** Writes what some publications are: events, deliveries, and what is still to be delivered where that is too much for one commit. */
export const insertPublished = preparedListInserts({
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
  fan_out: {
    id: 'text',
    organization_id: 'text',
    events: 'bytes',
    webhooks: 'bytes',
    position: 'integer',
  },
})
