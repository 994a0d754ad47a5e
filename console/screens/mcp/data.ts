import type { McpServer, McpServerItem } from '#sdk/postern.ts'
import { type Data, useData } from '../../app/data/cache.ts'
import { type Listed, useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'

export function useServers(): Listed<McpServerItem> {
  return useList('mcp-servers', (how) => postern.mcpServers.list({ limit: 100 }, how))
}

export function useServer(id: string): Data<McpServer> {
  return useData(`mcp-server ${id}`, (how) => postern.mcpServers.read(id, how))
}

const REASONS: Record<string, string> = {
  unreachable: 'there is no connection to it',
  cut_short: 'its answer broke off',
  timeout: 'it did not answer in time',
  blocked_address: 'its address is not public; MCP_ALLOWED_NETWORKS allows private networks',
  redirected: 'it named another place, which is not followed',
  unauthorized: 'it does not take the credentials',
  forbidden: 'it does not permit it',
  not_found: 'there is nothing at its URL',
  bad_protocol: 'it speaks another protocol',
}

/** Why a server could not be asked, as part of a sentence. */
export function reasonOf(reason: unknown): string {
  return REASONS[String(reason)] ?? String(reason).replaceAll('_', ' ')
}

export const STATES: Record<string, string> = { new: 'never asked', changed: 'changed', ready: 'ready' }
