import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createThread, ThreadEndedError } from './thread.ts'

/** A thread that answers by the words of its questions. */
const THREAD = `
import { threadId } from 'node:worker_threads'
import { serveQuestions } from '${new URL('./thread.ts', import.meta.url)}'
const bodies = new Set()
serveQuestions(async ({ word, body }) => {
  if (word === 'fail') throw new Error('it failed')
  if (word === 'end') process.exit(3)
  if (word === 'hang') return new Promise(() => {})
  if (word === 'uncopied') return () => {}
  if (body !== undefined) bodies.add(body)
  return { word, threadId, bodies: bodies.size }
})`

interface Question {
  word: string
  body?: Uint8Array
}
type Answer = { word: string; threadId: number; bodies: number }

describe('a thread', () => {
  const ended: [string, number][] = []
  const thread = createThread<Question, Answer>(
    new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`),
    {
      heapMb: 64,
      onEnded: ({ message }, open) => void ended.push([message, open]),
    },
  )
  after(thread.close)

  it('answers each question of a message, also beside one that fails or whose answer cannot be copied', async () => {
    const words = ['one', 'fail', 'two', 'uncopied']
    const results = await Promise.allSettled(words.map((word) => thread.ask({ word })))
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value.word : String(result.reason))),
      ['one', 'Error: it failed', 'two', 'Error: () => {} could not be cloned.'],
    )
    assert.equal((await thread.ask({ word: 'three' })).word, 'three')
  })

  it('gets an object once that questions of one turn share', async () => {
    const body = new Uint8Array(10)
    const answers = await Promise.all(['a', 'b', 'c'].map((word) => thread.ask({ word, body })))
    assert.deepEqual(
      answers.map(({ word }) => word),
      ['a', 'b', 'c'],
    )
    assert.equal(answers.at(-1)?.bodies, 1)
  })

  it('that ends rejects its open questions, and the next question starts another one', async () => {
    const { threadId } = await thread.ask({ word: 'one' })
    const open = [thread.ask({ word: 'hang' }), thread.ask({ word: 'end' })]
    for (const question of open) await assert.rejects(question, ThreadEndedError)
    assert.deepEqual(ended, [['it exited with 3', 2]])
    assert.notEqual((await thread.ask({ word: 'two' })).threadId, threadId)
    const hanging = thread.ask({ word: 'hang' })
    await thread.ask({ word: 'three' })
    thread.kill()
    await assert.rejects(hanging, ThreadEndedError)
    assert.equal(ended.length, 2)
  })

  it('tells how long it was busy since the last question', async () => {
    await thread.ask({ word: 'one' })
    assert.ok(thread.busy() > 0)
  })
})
