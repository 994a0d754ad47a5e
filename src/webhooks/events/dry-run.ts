import type { Id } from '../../core/id.ts'
import type { Database } from '../../db/database.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { findSubscribers } from './subscribers.ts'

/** Most webhooks that the answer names; beyond that it has only their number. */
const MOST_NAMED = 100

/** The result of a dry run. */
export const DryRunSchema = Type.Object(
  {
    dryRun: Type.Boolean(),
    type: Type.String(),
    deliveries: Type.Integer({ description: 'Webhooks that it would be sent to, or held for.' }),
    webhooks: Type.Array(
      Type.Object({
        id: Type.String(),
        url: Type.String(),
        status: Type.String({ description: '`active`, or why it would be held.' }),
      }),
      { description: `The first ${MOST_NAMED} webhooks.` },
    ),
  },
  { title: 'PublishEventTrial' },
)

/** The webhooks that an event of a type would reach. */
export async function dryRun(
  database: Database,
  organizationId: Id<'organization'>,
  type: string,
): Promise<Static<typeof DryRunSchema>> {
  const found = await findSubscribers(database, organizationId, type)
  const webhooks = found.slice(0, MOST_NAMED).map(({ id, url, status }) => ({ id, url, status }))
  return { dryRun: true, type, deliveries: found.length, webhooks }
}
