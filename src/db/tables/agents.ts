import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** The tables of agents, their runs and conversations. */
export interface AgentTables {
  agent: {
    id: Id<'agent'>
    organization_id: Id<'organization'>
    name: string
    /** The version that new runs use. */
    version: number
    /** A deleted one is kept while runs refer to it. */
    status: 'active' | 'deleted'
    created_by: string
    created_at: Millis
    updated_at: Millis
  }
  /** A version of an agent. It never changes, because runs depend on it. */
  agent_version: {
    agent_id: Id<'agent'>
    version: number
    /** JSON. */
    definition: string
    created_by: string
    created_at: Millis
  }
  conversation: {
    id: Id<'conversation'>
    organization_id: Id<'organization'>
    /** The account or service account that owns it. */
    owner_id: string
    title: string | null
    /** The number of accepted runs; the next run's turn is one higher. */
    turns: number
    created_at: Millis
    updated_at: Millis
  }
  run: {
    id: Id<'run'>
    organization_id: Id<'organization'>
    agent_id: Id<'agent'>
    agent_version: number
    conversation_id: Id<'conversation'> | null
    /** Its position in the conversation. */
    turn: number | null
    owner_id: string
    status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'
    input: string
    /** JSON. */
    file_ids: string
    /** JSON: notes about files for the model, beside or instead of their text; null: none. */
    file_notes: string | null
    metadata: string
    output: string | null
    /** The model's finish reason of the last answer. */
    finish_reason: 'stop' | 'length' | 'refused' | null
    /** A code of the catalogue, and its details. */
    error_code: string | null
    error_reason: string | null
    /** A fencing token: a worker that takes over the run writes a new one, so that writes with an earlier one fail. */
    claim_id: string | null
    /** The job of the run; null while it waits for its turn, or for a person. */
    job_id: Id<'job'> | null
    /** The deadline of the run; while it waits for a person, the end of that wait. */
    deadline_at: Millis | null
    /** The remaining run time, without waits. */
    left_ms: Millis
    /** The position after the last step of a run that failed and was resumed; 0 otherwise. */
    resumed_seq: number
    created_at: Millis
    started_at: Millis | null
    ended_at: Millis | null
    updated_at: Millis
  }
  /** A run that waits for the processing of a file. */
  run_wait: {
    run_id: Id<'run'>
    file_id: Id<'file'>
  }
  /** The steps of a run, in order. Each is written before it begins. */
  step: {
    id: Id<'step'>
    organization_id: Id<'organization'>
    run_id: Id<'run'>
    seq: number
    /** The position of the first step of its batch; null: it was begun alone. */
    first_seq: number | null
    kind: 'model' | 'tool' | 'approval'
    /** `unknown`: it was begun, and its outcome is unknown. An approval that is `failed` was denied. */
    status: 'started' | 'succeeded' | 'failed' | 'unknown'
    /** The name of the model or tool. */
    name: string
    server_id: Id<'mcpServer'> | null
    /** The model's id of the call. */
    call_id: string | null
    /** JSON of the arguments, and the other values that an approval is bound to. */
    input: string | null
    input_digest: string | null
    definition_digest: string | null
    /** The kind of caller that may decide an approval. */
    approvers: 'person' | 'administrator' | 'key' | null
    /** The text of a tool, or JSON of a model's answer. */
    output: string | null
    reason: string | null
    /** The model's finish reason. */
    finish_reason: 'stop' | 'length' | 'refused' | null
    /** For a failed call of a model: whether it is retried, and the provider's earliest moment for that. */
    retry: 'free' | 'policy' | 'never' | null
    retry_at: Millis | null
    /** The provider's message about a failure. */
    provider_message: string | null
    /** The number of attempts. */
    tries: number
    /** JSON of the reserved credits. */
    reservation: string | null
    input_tokens: number
    output_tokens: number
    credits: number
    decided_by: string | null
    started_at: Millis
    ended_at: Millis | null
  }
  message: {
    id: Id<'message'>
    organization_id: Id<'organization'>
    conversation_id: Id<'conversation'>
    run_id: Id<'run'>
    turn: number
    role: 'user' | 'assistant'
    content: string
    /** The model's finish reason of an answer. */
    finish_reason: 'stop' | 'length' | 'refused' | null
    created_at: Millis
  }
}
