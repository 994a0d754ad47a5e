import type { Dialect } from '../engine/engine.ts'

export const name = 'counts of knowledge bases'

export function statements({ integer, serial, table }: Dialect): string[] {
  return [
    // Refers to nothing: who adds a row waits for nobody who has the base in hand.
    `create table knowledge_count (
      id ${serial},
      knowledge_base_id text not null,
      documents ${integer} not null,
      chunks ${integer} not null
    )${table}`,
    `create index knowledge_count_base on knowledge_count (knowledge_base_id)`,
    `insert into knowledge_count (knowledge_base_id, documents, chunks)
      select knowledge_base_id, count(*), sum(chunks + staged_chunks) from document group by knowledge_base_id`,
  ]
}
