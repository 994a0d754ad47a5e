import type { Dialect } from '../engine/engine.ts'

/** The tables of `knowledge/`. */
export function statements({ integer, bytes, serial, table, textIndex }: Dialect): string[] {
  return [
    // Knowledge bases of organizations. The documents of a deleted one are removed in steps.
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
    // Documents of knowledge bases. The `next_` columns hold the replacement until it is indexed, so that one lock covers
    // both. `text_id` names the text of the file that was indexed.
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
      next_name text,
      next_file_id text,
      next_sha256 text,
      text_id text,
      unique (knowledge_base_id, sha256)
    )${table}`,
    `create index document_base on document (knowledge_base_id, id)`,
    `create index document_embedding on document (knowledge_base_id, embedding) where version > 0`,
    `create index document_file on document (file_id) where file_id is not null`,
    `create index document_failed on document (organization_id, updated_at, id) where status = 'failed'`,
    `create index document_failed_at on document (updated_at) where status = 'failed'`,
    `create unique index document_next on document (knowledge_base_id, next_sha256) where next_sha256 is not null`,
    `create index document_next_file on document (next_file_id) where next_file_id is not null`,
    // Texts of the documents that were sent as text.
    `create table document_text (
      document_id text primary key references document (id) on delete cascade,
      text text not null
    )${table}`,
    // Texts that replace a document's.
    `create table document_next_text (
      document_id text primary key references document (id) on delete cascade,
      text text not null
    )${table}`,
    // Numbers of documents and chunks of knowledge bases, to be added up. There is no reference, so that adding a row waits for
    // no transaction that holds the base.
    `create table knowledge_count (
      id ${serial},
      knowledge_base_id text not null,
      documents ${integer} not null,
      chunks ${integer} not null
    )${table}`,
    `create index knowledge_count_base on knowledge_count (knowledge_base_id)`,
    // Passages of documents. There is no reference: chunks are removed in steps after their document, so that no commit is as
    // large as a document.
    `create table chunk (
      id ${serial},
      organization_id text not null,
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
    // Vectors of chunks: float32, of unit length.
    `create table chunk_vector (
      chunk_id ${integer} primary key,
      knowledge_base_id text not null,
      document_id text not null,
      version ${integer} not null,
      vector ${bytes} not null
    )${table}`,
    `create index chunk_vector_base on chunk_vector (knowledge_base_id, chunk_id)`,
    // Chunks to be removed: of one version of a document, or of all where `version` is null.
    `create table removal (
      id ${serial},
      document_id text not null,
      version ${integer}
    )${table}`,
    // The terms of chunks, by which a search finds them.
    ...textIndex('chunk_terms'),
  ]
}
