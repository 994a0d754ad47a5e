import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** The tables of agents, their runs and conversations. */
export interface AgentTables {
  agent: {
    id: Id<'agent'>
    organization_id: Id<'organization'>
    name: string
    /** The one that new runs take. */
    version: number
    /** A deleted one stays as long as runs tell of it. */
    status: 'active' | 'deleted'
    created_by: string
    created_at: Millis
    updated_at: Millis
  }
  /** What an agent was at a time: never changed, since runs go by it. */
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
    /** The account or service account to which it belongs. */
    owner_id: string
    title: string | null
    /** How many runs have been accepted in it: the next one's turn is one higher. */
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
    /** Its place in the conversation. */
    turn: number | null
    owner_id: string
    status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'
    input: string
    /** JSON. */
    file_ids: string
    /** JSON: what the model was told of files beside or instead of their text; null: nothing. */
    file_notes: string | null
    metadata: string
    output: string | null
    /** Why the model ended the answer that the run ends with. */
    finish_reason: 'stop' | 'length' | 'refused' | null
    /** A code of the catalogue, and what it was about. */
    error_code: string | null
    error_reason: string | null
    /** A worker that takes the run over writes a new one, so that every write with an earlier one fails. */
    claim_id: string | null
    /** The job that does it; null while it waits for its turn, or for a person. */
    job_id: Id<'job'> | null
    /** When it is over, in whatever hands it is: while it waits for a person, when that is not waited for any more. */
    deadline_at: Millis | null
    /** How long it may still run, beside the time for which it waits. */
    left_ms: Millis
    /** The place after the last step of a run that failed and was resumed; 0 where it was not. */
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
  /** What a run does, in its order: written before it is done. */
  step: {
    id: Id<'step'>
    organization_id: Id<'organization'>
    run_id: Id<'run'>
    seq: number
    /** The place of the first of the steps that were begun together with it; null: it was begun alone. */
    first_seq: number | null
    kind: 'model' | 'tool' | 'approval'
    /** `unknown`: it was begun, and its outcome is not known. Of an approval: `failed` is denied. */
    status: 'started' | 'succeeded' | 'failed' | 'unknown'
    /** The model, or the tool. */
    name: string
    server_id: Id<'mcpServer'> | null
    /** How the model names the call. */
    call_id: string | null
    /** JSON of the arguments, and what an approval is bound to beside them. */
    input: string | null
    input_digest: string | null
    definition_digest: string | null
    /** Of an approval: the kind of caller that may decide it. */
    approvers: 'person' | 'administrator' | 'key' | null
    /** A tool's text; JSON of what a model answered. */
    output: string | null
    reason: string | null
    /** Why a model ended its answer. */
    finish_reason: 'stop' | 'length' | 'refused' | null
    /** Of a call of a model that failed: whether it is made again, and the moment before which the provider does not want it. */
    retry: 'free' | 'policy' | 'never' | null
    retry_at: Millis | null
    /** What the provider said of a failure. */
    provider_message: string | null
    /** How many times it was begun. */
    tries: number
    /** JSON of the credits that are set aside for it. */
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
    /** Of an answer: why the model ended it. */
    finish_reason: 'stop' | 'length' | 'refused' | null
    created_at: Millis
  }
}
