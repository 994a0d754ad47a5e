import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** The tables of MCP servers, whose tools agents use. */
export interface McpTables {
  mcp_server: {
    id: Id<'mcpServer'>
    organization_id: Id<'organization'>
    /** Unique in the organization. */
    name: string
    url: string
    /** Sealed JSON. */
    headers: string | null
    /** JSON of their names. */
    header_names: string
    connection_id: Id<'connection'> | null
    /** 1: a run that may use it fails without it. */
    required: number
    /** JSON of its last list of tools; null: never listed. */
    listed: string | null
    /** JSON of the accepted tools, in the form that an administrator has accepted. */
    accepted: string | null
    /** Counts changes of the address, the headers or the accepted tools; a listing that began before a change is not stored. */
    version: number
    /** The error of the last listing. */
    failure: string | null
    checked_at: Millis | null
    created_by: string
    created_at: Millis
    updated_at: Millis
  }
}
