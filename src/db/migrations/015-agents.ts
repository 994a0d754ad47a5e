import type { Dialect } from '../engine/engine.ts'

/** The tables of `agents/`. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    // Agents of organizations. A deleted agent stays until its runs are removed.
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
    // The definitions of agents, as JSON. A version is never changed, because runs refer to it.
    `create table agent_version (
      agent_id text not null references agent (id) on delete cascade,
      version ${integer} not null,
      definition text not null,
      created_by text not null,
      created_at ${integer} not null,
      primary key (agent_id, version)
    )${table}`,
    // Conversations with agents. `turns` counts the runs that were accepted.
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
    // Runs of agents. `file_ids` and `file_notes` are JSON. Each claim writes a new `claim_id`; writes with an earlier one fail.
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
      updated_at ${integer} not null,
      finish_reason text,
      resumed_seq ${integer} not null default 0,
      file_notes text
    )${table}`,
    `create index run_organization on run (organization_id, id)`,
    `create index run_agent on run (agent_id, id)`,
    `create index run_conversation on run (conversation_id, turn) where conversation_id is not null`,
    `create index run_deadline on run (deadline_at) where status in ('queued', 'running', 'waiting')`,
    // Each accepted run counts the open runs of its organization.
    `create index run_open on run (organization_id) where status in ('queued', 'running', 'waiting')`,
    `create index run_waiting on run (organization_id, id) where status = 'waiting'`,
    // Runs that wait until a file is processed.
    `create table run_wait (
      run_id text primary key references run (id) on delete cascade,
      file_id text not null
    )${table}`,
    `create index run_wait_file on run_wait (file_id)`,
    // Steps of runs in their order, each written before it is carried out. `first_seq` is the place of the first step of those
    // that began together.
    `create table step (
      id text primary key,
      organization_id text not null,
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
      finish_reason text,
      retry text,
      retry_at ${integer},
      provider_message text,
      approvers text,
      first_seq ${integer},
      unique (run_id, seq)
    )${table}`,
    // Messages of conversations: the input and the output of each run.
    `create table message (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      conversation_id text not null references conversation (id) on delete cascade,
      run_id text not null,
      turn ${integer} not null,
      role text not null check (role in ('user', 'assistant')),
      content text not null,
      created_at ${integer} not null,
      finish_reason text
    )${table}`,
    `create index message_conversation on message (conversation_id, id)`,
    // MCP servers whose tools agents call. `headers` is sealed JSON; `listed` and `accepted` are JSON of tools.
    `create table mcp_server (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      name text not null,
      url text not null,
      headers text,
      header_names text not null,
      connection_id text,
      required ${integer} not null,
      listed text,
      accepted text,
      version ${integer} not null,
      failure text,
      checked_at ${integer},
      created_by text not null,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      unique (organization_id, name)
    )${table}`,
  ]
}
