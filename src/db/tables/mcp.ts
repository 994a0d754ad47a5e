import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** Servers whose tools agents use. */
export interface McpTables {
  mcp_server: {
    id: Id<'mcpServer'>
    organization_id: Id<'organization'>
    /** Of one organization none has another's. */
    name: string
    url: string
    /** Sealed JSON. */
    headers: string | null
    /** JSON of their names. */
    header_names: string
    connection_id: Id<'connection'> | null
    /** 1: a run that may use it fails without it. */
    required: number
    /** JSON of its tools as it listed them last; null: never. */
    listed: string | null
    /** JSON of those that may be called, as an administrator has seen them. */
    accepted: string | null
    /** Counts changes of the address, the headers or the accepted tools: a listing that began before one is not stored. */
    version: number
    /** Why it could not be listed the last time. */
    failure: string | null
    checked_at: Millis | null
    created_by: string
    created_at: Millis
    updated_at: Millis
  }
}
