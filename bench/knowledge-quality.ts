import assert from 'node:assert/strict'
import { pause } from '#src/core/clock.ts'
import { startEmbeddings } from '../test/support/embeddings.ts'
import { createKnower } from '../test/support/knowledge.ts'
import { startPostern } from '../test/support/postern.ts'
import { measureQuality, PASSAGES, QUESTIONS } from '../test/support/retrieval.ts'
import type { Row } from './table.ts'

const MODES = { text: 'text', vector: 'vectors of a stub', auto: 'both' }

/** How well questions are answered: the same on both engines, as a test holds. */
export async function qualityRows(): Promise<Row[]> {
  const stub = await startEmbeddings()
  const postern = await startPostern('sqlite', { env: stub.env })
  const { call, base, find } = await createKnower(postern)
  const id = await base()
  for (const text of PASSAGES) {
    const { status } = await call(`/v1/knowledge-bases/${id}/documents`, { body: { text } })
    assert.equal(status, 201)
  }
  while ((await call(`/v1/knowledge-bases/${id}`)).body.chunks < PASSAGES.length) await pause(20)
  const rows: Row[] = []
  for (const [mode, name] of Object.entries(MODES)) {
    const { recallAt5, mrr } = await measureQuality((question) => find(id, question, { mode }))
    rows.push({
      name: `${QUESTIONS.length} questions over ${PASSAGES.length} passages, by ${name}`,
      measured: `recall@5 ${recallAt5.toFixed(2)}, MRR ${mrr.toFixed(2)}`,
      raw: '',
      goal: '',
      isMet: true,
    })
  }
  await postern.stop()
  await stub.stop()
  return rows
}
