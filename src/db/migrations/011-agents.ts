import type { Dialect } from '../engine/engine.ts'

export const name = 'agents, runs and conversations'

export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table agent (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      name text not null,
      version ${integer} not null,
      status text not null check (status in ('active', 'deleted')),
      created_by text not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    `create index agent_organization on agent (organization_id, id)`,
    `create table agent_version (
      agent_id text not null references agent (id) on delete cascade,
      version ${integer} not null,
      definition text not null,
      created_by text not null,
      created_at ${integer} not null,
      primary key (agent_id, version)
    )${table}`,
    `create table conversation (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      owner_id text not null,
      title text,
      turns ${integer} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    `create index conversation_organization on conversation (organization_id, id)`,
    `create table run (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      agent_id text not null references agent (id) on delete cascade,
      agent_version ${integer} not null,
      conversation_id text,
      turn ${integer},
      owner_id text not null,
      status text not null check (status in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')),
      input text not null,
      file_ids text not null,
      metadata text not null,
      output text,
      error_code text,
      error_reason text,
      claim_id text,
      job_id text,
      deadline_at ${integer},
      left_ms ${integer} not null,
      created_at ${integer} not null,
      started_at ${integer},
      ended_at ${integer},
      updated_at ${integer} not null
    )${table}`,
    `create index run_organization on run (organization_id, id)`,
    `create index run_agent on run (agent_id, id)`,
    `create index run_conversation on run (conversation_id, turn) where conversation_id is not null`,
    `create index run_deadline on run (deadline_at) where status in ('queued', 'running', 'waiting')`,
    `create table step (
      id text primary key,
      run_id text not null references run (id) on delete cascade,
      seq ${integer} not null,
      kind text not null check (kind in ('model', 'tool', 'approval')),
      status text not null check (status in ('started', 'succeeded', 'failed', 'unknown')),
      name text not null,
      server_id text,
      call_id text,
      input text,
      input_digest text,
      definition_digest text,
      output text,
      reason text,
      tries ${integer} not null,
      reservation text,
      input_tokens ${integer} not null,
      output_tokens ${integer} not null,
      credits ${integer} not null,
      decided_by text,
      started_at ${integer} not null,
      ended_at ${integer},
      unique (run_id, seq)
    )${table}`,
    `create table message (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      conversation_id text not null references conversation (id) on delete cascade,
      run_id text not null,
      turn ${integer} not null,
      role text not null check (role in ('user', 'assistant')),
      content text not null,
      created_at ${integer} not null
    )${table}`,
    `create index message_conversation on message (conversation_id, id)`,
  ]
}
