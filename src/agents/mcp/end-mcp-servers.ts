import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'

/** Deletes every MCP server of an organization with its credentials. */
export async function endMcpServers(tx: Tx, id: Id<'organization'>): Promise<void> {
  await tx.deleteFrom('mcp_server').where('organization_id', '=', id).execute()
}
