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
  unreachable: 'no connection',
  cut_short: 'the response broke off',
  timeout: 'timeout',
  blocked_address: 'its address is not public; MCP_ALLOWED_NETWORKS allows private networks',
  redirected: 'it redirects, which is not followed',
  unauthorized: 'the credentials were refused',
  forbidden: 'not permitted',
  not_found: 'nothing at this URL',
  bad_protocol: 'unknown protocol',
}

/** Why a server could not be asked, as part of a sentence. */
export function reasonOf(reason: unknown): string {
  return REASONS[String(reason)] ?? String(reason).replaceAll('_', ' ')
}

export const STATES: Record<string, string> = { new: 'never checked', changed: 'changed', ready: 'ready' }
