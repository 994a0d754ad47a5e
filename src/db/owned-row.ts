import { ApiError } from '../core/errors.ts'
import { type Id, type Kind, parseId } from '../core/id.ts'
import type { Db, Tx } from './engine/handles.ts'
import type { lock, lockShared } from './locking.ts'
import type { Tables } from './tables/tables.ts'

/** Tables whose rows belong to an organization and have ids in requests, with the kind of the id. */
export const OWNED_KIND = {
  api_key: 'apiKey',
  service_account: 'serviceAccount',
  webhook: 'webhook',
  event: 'event',
  replay: 'replay',
  invitation: 'invitation',
  role: 'role',
  domain: 'domain',
  scim_group: 'scimGroup',
  identity_provider: 'identityProvider',
  setup_link: 'setupLink',
  connection: 'connection',
  checkout: 'checkout',
  knowledge_base: 'knowledgeBase',
  mcp_server: 'mcpServer',
  file: 'file',
  agent: 'agent',
  run: 'run',
} as const satisfies Partial<Record<keyof Tables, Kind>>

type OwnedTable = keyof typeof OWNED_KIND

/** The error for a missing row, and for a row of another organization, so that an answer does not reveal which. */
export function notFound(field: string, value: string): ApiError<'ENTITY_NOT_FOUND'> {
  return new ApiError('ENTITY_NOT_FOUND', { field, value })
}

/**
 * Reads a row of the caller's organization by its id, with or without prefix. `listOwned` of http/schema/list.ts reads pages.
 * @param rowLock `lock` or `lockShared`, where later writes depend on the row
 * @param field the member of the request that holds the id, for the error
 * @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND
 */
export async function getOwned<Table extends OwnedTable>(
  db: Db | Tx,
  table: Table,
  text: string,
  organizationId: Id<'organization'>,
  rowLock?: typeof lock | typeof lockShared,
  field = 'id',
): Promise<Tables[Table]> {
  const id = parseId(OWNED_KIND[table], text, field)
  // Typed as one of the tables, because a query over a union of tables has no typed columns; all have these two.
  const query = db
    .selectFrom(table as 'webhook')
    .selectAll()
    .where('id', '=', id as Id<'webhook'>)
    .where('organization_id', '=', organizationId)
  const row = await (rowLock === undefined ? query : rowLock(db, query)).executeTakeFirst()
  if (row === undefined) throw notFound(field, id)
  return row as Tables[Table]
}
