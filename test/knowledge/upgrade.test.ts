import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { work } from '#src/db/migrations/016-terms-by-group.ts'
import { openSqlite } from '#src/db/sqlite/sqlite.ts'
import { Client } from '../support/browser.ts'
import { createKnower } from '../support/knowledge.ts'
import { startPostern } from '../support/postern.ts'
import { startProcess } from '../support/process.ts'

it('what an earlier version has indexed on the embedded database is found once its migration has run', async () => {
  const prepared = await startPostern('sqlite')
  const { token, base: newBase, add } = await createKnower(prepared)
  const base = await newBase()
  await add(base, 'A crane dances in the marsh.')
  await add(base, 'A stork stands on a roof.')
  await prepared.stop()
  // As that version had it: the terms of all bases in common, beside whose they are.
  const { env } = prepared
  const database = new DatabaseSync(join(String(env.DATA_DIR), 'postern.db'))
  database.exec(`
    drop table chunk_terms;
    create virtual table chunk_terms using fts5 (
      owner, terms, content = '', contentless_delete = 1, tokenize = 'ascii', columnsize = 1
    );
    insert into chunk_terms (rowid, owner, terms) select id, 'old', text from chunk`)
  database.close()
  const engine = openSqlite(String(env.DATA_DIR))
  await engine.exclusively((tx) => work(tx, engine))
  await engine.close()
  const server = await startProcess(env)
  const { status, body } = await new Client(server.url).call(`/v1/knowledge-bases/${base}/search`, {
    token,
    body: { query: 'where do cranes dance?' },
  })
  assert.equal(status, 200)
  assert.deepEqual(
    body.data.map(({ text }: { text: string }) => text),
    ['A crane dances in the marsh.'],
  )
  await server.end()
})
