import assert from 'node:assert/strict'
import { it } from 'node:test'
import set from '../fixtures/written.json' with { type: 'json' }
import { useKnower } from '../support/knowledge.ts'
import { onBothEngines, usePostern } from '../support/postern.ts'

interface Written {
  documents: { name: string; text: string }[]
  questions: [question: string, passage: string][]
  unanswered: string[]
}
const { documents, questions, unanswered } = set as Written

onBothEngines('a passage', (engine) => {
  const server = usePostern(engine)
  const knower = useKnower(server)

  it('is found by acronyms, by names of frequent words, by part numbers and names of code, and by its file and heading', async () => {
    const { base, add, find } = await knower()
    const id = await base()
    for (const { name, text } of documents) await add(id, text, { name })
    for (const [question, passage] of questions) {
      const [first = ''] = await find(id, question)
      assert.ok(first.includes(passage), `${question}: ${first}`)
    }
    for (const question of unanswered) assert.deepEqual(await find(id, question), [], question)
  })
})
