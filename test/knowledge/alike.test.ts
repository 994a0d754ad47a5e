import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createKnower } from '../support/knowledge.ts'
import { nightly } from '../support/nightly.ts'
import { generator, notesOf, questionsOf } from '../support/notes.ts'
import { ENGINES, type EngineName, startPostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

const NOTES = 3_000
const QUESTIONS = nightly(200, 100)

/** All notes in one base; answers which of them a question finds, in order. */
async function stand(engine: EngineName, notes: string[]) {
  const postern = await startPostern(engine)
  const { call, base, search } = await createKnower(postern)
  const id = await base()
  const half = notes.length / 2
  for (const some of [notes.slice(0, half), notes.slice(half)]) {
    const text = some.map((note, index) => `# n${index}\n${note}\n`).join('')
    const { status } = await call(`/v1/knowledge-bases/${id}/documents`, { body: { text, name: 'Notes' } })
    assert.equal(status, 201)
  }
  await until(
    async () => (await call(`/v1/knowledge-bases/${id}`)).body.chunks,
    (chunks) => chunks === notes.length,
    { what: 'all notes to be indexed' },
  )
  const ask = async (query: string): Promise<string[]> => {
    const { body } = await search(id, query)
    return body.data.map(({ text }: { text: string }) => text)
  }
  return { ask, stop: postern.stop }
}

it('of 3,000 notes the one with the rare word is the first, and both engines find the same ten in the same order', async () => {
  const random = generator(11)
  const notes = notesOf(NOTES, random)
  const questions = questionsOf(QUESTIONS, random)
  const both = await Promise.all(ENGINES.map((engine) => stand(engine, notes)))
  try {
    const differing: string[] = []
    for (const { query, rare } of questions) {
      const [one = [], other = []] = await Promise.all(both.map(({ ask }) => ask(query)))
      for (const found of [one, other])
        if (rare !== undefined) assert.match(found[0] ?? '', new RegExp(`\\b${rare}\\b`), query)
      if (one.join('\n') !== other.join('\n')) differing.push(query)
    }
    assert.ok(differing.length <= QUESTIONS / 100, `${differing.length} differ:\n${differing.join('\n')}`)
  } finally {
    for (const { stop } of both) await stop()
  }
})
