import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { work } from '#src/db/migrations/032-terms-by-weight.ts'
import { Client } from '../support/browser.ts'
import { createKnower } from '../support/knowledge.ts'
import { openEngine } from '../support/older-store.ts'
import { ENGINES, type EngineName, startPostern } from '../support/postern.ts'
import { startProcess } from '../support/process.ts'

/** As an earlier version had it: on SQLite the terms of all bases in common, on PostgreSQL without lengths. */
const EARLIER: Record<EngineName, string[]> = {
  sqlite: [
    'drop table chunk_terms_place',
    'drop table chunk_terms_length',
    'drop table chunk_terms',
    `create virtual table chunk_terms using fts5 (
      owner, terms, content = '', contentless_delete = 1, tokenize = 'ascii', columnsize = 1
    )`,
    "insert into chunk_terms (rowid, owner, terms) select id, 'old', text from chunk",
  ],
  postgres: [
    'drop table chunk_terms',
    'create table chunk_terms (id bigint primary key, terms tsvector not null)',
    "insert into chunk_terms (id, terms) select id, to_tsvector('simple', text) from chunk",
  ],
}

for (const engineName of ENGINES)
  it(`what an earlier version has indexed is found once its migration has run (${engineName})`, async () => {
    const prepared = await startPostern(engineName)
    const { token, base: newBase, add } = await createKnower(prepared)
    const base = await newBase()
    await add(base, 'A crane dances in the marsh.', { name: 'Birds of the north' })
    await add(base, 'A stork stands on a roof with ring AB-77.')
    await prepared.stop()
    const engine = openEngine(prepared.env)
    await engine.exclusively(async (tx) => {
      for (const statement of EARLIER[engineName]) await sql.raw(statement).execute(tx)
      await work(tx, engine)
    })
    await engine.close()
    const server = await startProcess(prepared.env)
    const find = async (query: string) => {
      const { body, text } = await new Client(server.url).call(`/v1/knowledge-bases/${base}/search`, {
        token,
        body: { query },
      })
      return body.data?.map((one: { text: string }) => one.text) ?? text
    }
    for (const query of ['where do cranes dance?', 'northern birds of the north'])
      assert.deepEqual(await find(query), ['A crane dances in the marsh.'], query)
    assert.deepEqual(await find('AB77'), ['A stork stands on a roof with ring AB-77.'])
    await server.end()
  })
