import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'

/**
 * Who decides about a call: `person`, a signed-in person who may use the run; `administrator`, an administrator who is
 * signed in; `key`, an API key as well, the one that started the run included.
 */
export const APPROVERS = ['person', 'administrator', 'key'] as const
export type Approvers = (typeof APPROVERS)[number]

/** That an agent may use a tool of an MCP server, as its administrator has set it. */
export interface ToolChoice {
  serverId: Id<'mcpServer'>
  /** As the server calls it. */
  name: string
  /** `always`: a person decides about each call. */
  approval: 'always' | 'never'
  approvers: Approvers
  /** The administrator agrees that a call whose outcome is unknown is made once more, where the tool says that it may be. */
  repeatable: boolean
  /** The administrator declares it harmless: its calls may be made side by side with others of their answer. */
  parallel: boolean
  /** Without the server the run fails; otherwise the model reads that it is unavailable. */
  required: boolean
}

/** The run that tools are opened for. */
export interface ToolRun {
  organizationId: Id<'organization'>
  runId: Id<'run'>
  agentId: Id<'agent'>
  knowledgeBaseIds: Id<'knowledgeBase'>[]
  tools: ToolChoice[]
}

/** What a call is made with. */
export interface ToolCall {
  /** The same when a call is repeated: a server that honours an idempotency key gets this one. */
  stepId: Id<'step'>
  /** Aborts when the run is cancelled, or over. */
  signal: AbortSignal
  /** The deadline of the run. */
  deadline: Millis
}

/** What came of a call. A failure is a value: the model reads its text. */
export type ToolOutcome =
  | { status: 'succeeded'; text: string }
  /** It is known that it failed. `reason` is for programs, in snake_case. */
  | { status: 'failed'; text: string; reason: string }
  /** The call was sent, and its outcome is unknown. */
  | { status: 'unknown'; reason: string }

/** Something that a model may call. */
export interface Tool {
  /** As the model calls it: at most 64 letters, digits, `_` and `-`; unique in a run. */
  name: string
  /** The server of the tool; null for built-in tools. */
  serverId: Id<'mcpServer'> | null
  description: string
  /** JSON Schema of its arguments. */
  inputSchema: Record<string, unknown>
  isReadOnly: boolean
  /** Whether a person decides about each call. */
  needsApproval: boolean
  approvers: Approvers
  /** Whether a call whose outcome is unknown may be made once more. */
  isRepeatable: boolean
  /** Whether calls may be made side by side with others of their answer, where no person decides about them. */
  isParallel: boolean
  /** SHA-256, in hexadecimal, of what the administrator accepted: server, name, description and schema. */
  definitionDigest: string
  /**
   * Reads what the call needs, once for each call, while its step is being written. Checks whether the call may still be made.
   */
  prepare(): Promise<MakeCall>
}

/** Makes a call, once. Never throws for what the outside does. */
export type MakeCall = (args: Record<string, unknown>, call: ToolCall) => Promise<ToolOutcome>

/** The tools of a run, open until they are closed. */
export interface OpenTools {
  tools: Tool[]
  close(): Promise<void>
}

/** Where tools come from. */
export interface ToolSource {
  /**
   * Whether an organization may set these: each names a server of its own.
   * @throws ApiError ENTITY_NOT_FOUND, VALIDATION_FAILED with `field` below `tools`
   */
  check(db: Db | Tx, organizationId: Id<'organization'>, tools: ToolChoice[]): Promise<void>
  /**
   * Opens the tools of a run, once in each process that takes it up; ids are checked against the organization again. Calls of a
   * tool that is unavailable fail.
   * @throws ApiError MCP_CLIENT_UNAVAILABLE where a required server is unavailable: the run fails with it
   */
  open(run: ToolRun): Promise<OpenTools>
}
