import type { Id } from '../../core/id.ts'
import { selectListed } from '../../delivery/lists/newest-first.ts'
import type { LiveView } from '../../live/live-kinds.ts'
import { toListed } from './delivery-wire.ts'

/** Deliveries in the live stream, in the form of `GET /v1/deliveries`. */
export const deliveryView: LiveView = {
  kind: 'delivery',
  async show(db, ids) {
    const rows = await selectListed(db)
      .select('delivery.organization_id')
      .where('delivery.id', 'in', ids as Id<'delivery'>[])
      .execute()
    return rows.map((row) => ({
      ...{ id: row.id, organization_id: row.organization_id, about: row.webhook_id },
      data: toListed(row),
    }))
  },
}
