import { parseId } from '../../core/id.ts'
import { groupDigits } from '../../core/text/group-digits.ts'
import type { Db } from '../../db/database.ts'
import type { Whose } from '../../delivery/counts/read-counts.ts'
import { type ListedDelivery, newestFirst, newestOfEvent } from '../../delivery/lists/newest-first.ts'
import { jsonOrCsv } from '../../http/csv/list-export.ts'
import { callerOf } from '../../http/principal.ts'
import {
  cursorOf,
  Page,
  PageQuery,
  type PageRequest,
  readPage,
  readSpan,
  restOf,
  toPage,
} from '../../http/schema/list.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { WebhookDeps } from '../deps.ts'
import { type Filter, FilterQuery, readFilter } from './delivery-filter.ts'
import { ListedSchema, toListed } from './delivery-wire.ts'

/** The columns of deliveries in CSV. */
const COLUMNS = Object.keys(ListedSchema.properties)

/** Most deliveries that one page reads, also where few of them match the filter. */
export const MOST_PASSED = 20_000

/** `GET /v1/deliveries`: the deliveries of an organization. */
export function listDeliveryRoutes(
  server: Server,
  { database, sendList }: Pick<WebhookDeps, 'database' | 'sendList'>,
): void {
  server.get(
    '/v1/deliveries',
    {
      config: { access: 'deliveries:read' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'listDeliveries',
        summary: 'List the deliveries of the organization',
        description: `Newest first, of all webhooks, also deleted ones. A page reads up to ${groupDigits(MOST_PASSED)} deliveries: with a rare filter it may have fewer than \`limit\`, or none, and \`nextCursor\` continues.`,
        querystring: strict({ ...PageQuery, ...FilterQuery }),
        response: { 200: jsonOrCsv(Page(ListedSchema)) },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      const page = readPage('delivery', request.query)
      return sendList(request, reply, page, {
        ...{ name: 'deliveries', columns: COLUMNS, toWire: toListed },
        read: (one) => findWhole(database.db, organizationId, request.query, one, () => reply.raw.destroyed),
        async page() {
          const found = await findDeliveries(database.db, organizationId, request.query, page)
          const { data, nextCursor } = toPage(found.rows, page, toListed)
          return { data, nextCursor: nextCursor ?? found.nextCursor }
        },
      })
    },
  )
}

/** The rows of one page; `nextCursor` is set where the page ends because `MOST_PASSED` were read. */
async function findDeliveries(
  db: Db,
  organizationId: Whose['organizationId'],
  filter: Filter,
  page: PageRequest<'delivery'>,
): Promise<{ rows: ListedDelivery[]; nextCursor: string | null }> {
  const span = restOf(page, readSpan('delivery', filter))
  const isWanted = readFilter(filter)
  const webhookId = filter.webhookId === undefined ? undefined : parseId('webhook', filter.webhookId)
  const whose = { organizationId, webhookId }
  const parts =
    filter.eventId === undefined
      ? newestFirst(db, whose, span, isWanted === undefined ? page.take : MOST_PASSED)
      : newestOfEvent(db, whose, parseId('event', filter.eventId), span)
  const rows: ListedDelivery[] = []
  let passed = 0
  for await (const part of parts) {
    for (const row of part) {
      if (isWanted?.(row) ?? true) rows.push(row)
      if (rows.length === page.take) return { rows, nextCursor: null }
    }
    passed += part.length
    const last = part.at(-1)
    if (passed >= MOST_PASSED && last !== undefined) return { rows, nextCursor: cursorOf(last.id) }
  }
  return { rows, nextCursor: null }
}

/** The rows of one full page, without a limit to the deliveries read; it stops when the client disconnects. */
async function findWhole(
  db: Db,
  organizationId: Whose['organizationId'],
  filter: Filter,
  page: PageRequest<'delivery'>,
  isLeft: () => boolean,
): Promise<ListedDelivery[]> {
  const rows: ListedDelivery[] = []
  for (let rest = page; ; ) {
    const found = await findDeliveries(db, organizationId, filter, { ...rest, take: page.take - rows.length })
    rows.push(...found.rows)
    if (found.nextCursor === null || rows.length >= page.take || isLeft()) return rows
    rest = readPage('delivery', { cursor: found.nextCursor })
  }
}
