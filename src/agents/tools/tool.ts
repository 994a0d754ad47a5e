import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'

/**
 * The deciders about a call: `person`, a signed-in person who may use the run; `administrator`, a signed-in
 * administrator; `key`, also an API key, including the one that started the run.
 */
export const APPROVERS = ['person', 'administrator', 'key'] as const
export type Approvers = (typeof APPROVERS)[number]

/** An administrator's settings for a tool of an MCP server. */
export interface ToolChoice {
  serverId: Id<'mcpServer'>
  /** The server's name of the tool. */
  name: string
  /** `always`: a person decides about each call. */
  approval: 'always' | 'never'
  approvers: Approvers
  /**
   * The administrator allows a second try of a call with an unknown outcome, where the tool declares that it is safe.
   */
  repeatable: boolean
  /** The administrator declares the tool harmless: its calls may run side by side with others of their answer. */
  parallel: boolean
  /** Without the server the run fails; otherwise the model reads that it is unavailable. */
  required: boolean
}

/** The run whose tools are opened. */
export interface ToolRun {
  organizationId: Id<'organization'>
  runId: Id<'run'>
  agentId: Id<'agent'>
  knowledgeBaseIds: Id<'knowledgeBase'>[]
  tools: ToolChoice[]
}

/** The context of a call. */
export interface ToolCall {
  /** The same for a repeated call: servers that honour an idempotency key get this one. */
  stepId: Id<'step'>
  /** Aborts when the run is cancelled or ends. */
  signal: AbortSignal
  /** The deadline of the run. */
  deadline: Millis
}

/** The outcome of a call. A failure is a value: the model reads its text. */
export type ToolOutcome =
  | { status: 'succeeded'; text: string }
  /** A known failure. `reason` is for programs, in snake_case. */
  | { status: 'failed'; text: string; reason: string }
  /** The call was sent, and its outcome is unknown. */
  | { status: 'unknown'; reason: string }

/** A tool that a model may call. */
export interface Tool {
  /** The name for models: at most 64 letters, digits, `_` and `-`; unique in a run. */
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
  /** Whether a call with an unknown outcome may be made once more. */
  isRepeatable: boolean
  /** Whether calls may run side by side with others of their answer, where no person decides about them. */
  isParallel: boolean
  /** SHA-256, in hexadecimal, of what the administrator accepted: server, name, description and schema. */
  definitionDigest: string
  /**
   * Reads what the call needs, once per call, while its step is being written. Checks whether the call is still
   * allowed.
   */
  prepare(): Promise<MakeCall>
}

/** Makes a call, once. Never throws for failures outside of the process. */
export type MakeCall = (args: Record<string, unknown>, call: ToolCall) => Promise<ToolOutcome>

/** The tools of a run, until they are closed. */
export interface OpenTools {
  tools: Tool[]
  close(): Promise<void>
}

/** A source of tools. */
export interface ToolSource {
  /**
   * Checks tools that an organization sets: each must name a server of its own.
   * @throws ApiError ENTITY_NOT_FOUND, VALIDATION_FAILED with `field` below `tools`
   */
  check(db: Db | Tx, organizationId: Id<'organization'>, tools: ToolChoice[]): Promise<void>
  /**
   * Opens the tools of a run, once in each process that claims it; ids are checked against the organization again.
   * Calls of an unavailable tool fail.
   * @throws ApiError MCP_CLIENT_UNAVAILABLE where a required server is unavailable, with which the run fails
   */
  open(run: ToolRun): Promise<OpenTools>
}
