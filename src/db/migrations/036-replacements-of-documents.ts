import type { Dialect } from '../engine/engine.ts'

export const name = 'replacements of documents'

/** What is to take a document's place stands in its row, so that one lock holds both; only a long text is beside it. */
export function statements({ table }: Dialect): string[] {
  return [
    'alter table document add column next_name text',
    'alter table document add column next_file_id text',
    'alter table document add column next_sha256 text',
    'alter table document add column text_id text',
    `create unique index document_next on document (knowledge_base_id, next_sha256) where next_sha256 is not null`,
    `create index document_next_file on document (next_file_id) where next_file_id is not null`,
    `create table document_next_text (
      document_id text primary key references document (id) on delete cascade,
      text text not null
    )${table}`,
    `update document set text_id = (
      select file.text_blob_id from file where file.id = document.file_id and file.processed_at <= document.indexed_at
    ) where file_id is not null and version > 0`,
  ]
}
