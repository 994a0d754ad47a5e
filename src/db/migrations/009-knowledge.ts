import type { Dialect } from '../engine/engine.ts'

export const name = 'knowledge'

export function statements({ integer, bytes, serial, table, textIndex }: Dialect): string[] {
  return [
    `create table knowledge_base (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      name text not null,
      embedding text,
      created_by text,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      deleted_at ${integer},
      unique (organization_id, name)
    )${table}`,
    `create index knowledge_base_deleted on knowledge_base (deleted_at) where deleted_at is not null`,
    `create table document (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      knowledge_base_id text not null references knowledge_base (id) on delete cascade,
      name text not null,
      file_id text,
      sha256 text not null,
      status text not null check (status in ('queued', 'indexing', 'indexed', 'failed')),
      error_code text,
      error_reason text,
      job_id text,
      version ${integer} not null,
      staging ${integer} not null,
      staged_chunks ${integer} not null,
      chunks ${integer} not null,
      chars ${integer} not null,
      embedding text,
      reservation text,
      queued_at ${integer} not null,
      created_by text,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      indexed_at ${integer},
      unique (knowledge_base_id, sha256)
    )${table}`,
    `create index document_base on document (knowledge_base_id, id)`,
    `create index document_embedding on document (knowledge_base_id, embedding) where version > 0`,
    `create index document_file on document (file_id) where file_id is not null`,
    `create table document_text (
      document_id text primary key references document (id) on delete cascade,
      text text not null
    )${table}`,
    // Chunks, and what they are found by, go in steps after their document: nothing of one commit is as large as a document.
    `create table chunk (
      id ${serial},
      knowledge_base_id text not null,
      document_id text not null,
      version ${integer} not null,
      position ${integer} not null,
      text text not null,
      page ${integer},
      sheet text,
      heading text
    )${table}`,
    `create index chunk_document on chunk (document_id, version, position)`,
    `create table chunk_vector (
      chunk_id ${integer} primary key,
      knowledge_base_id text not null,
      document_id text not null,
      version ${integer} not null,
      vector ${bytes} not null
    )${table}`,
    `create index chunk_vector_base on chunk_vector (knowledge_base_id, chunk_id)`,
    `create table removal (
      id ${serial},
      document_id text not null,
      version ${integer}
    )${table}`,
    ...textIndex('chunk_terms'),
  ]
}
