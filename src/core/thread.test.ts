import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { within } from '../../test/support/waits.ts'
import { turn } from './clock.ts'
import { createThread, ThreadEndedError } from './thread.ts'

/** A thread that answers by the words of its questions. */
const THREAD = `
import { threadId } from 'node:worker_threads'
import { serveQuestions } from '${new URL('./thread.ts', import.meta.url)}'
const bodies = new Set()
serveQuestions(async ({ word, body }) => {
  if (word === 'fail') throw new Error('it failed')
  if (word === 'end') process.exit(3)
  if (word === 'answer and end') setImmediate(() => setImmediate(() => { throw new Error('it ends') }))
  if (word === 'hang') return new Promise(() => {})
  if (word === 'uncopied') return () => {}
  if (body !== undefined) bodies.add(body)
  return { word, threadId, bodies: bodies.size }
})`

const FILE = new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`)

/** Stops the event loop. */
function pauseThread(time: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, time)
}

interface Question {
  word: string
  body?: Uint8Array
}
type Answer = { word: string; threadId: number; bodies: number }

describe('a thread', () => {
  const ended: [string, number][] = []
  const thread = createThread<Question, Answer>(FILE, {
    heapMb: 64,
    onEnded: ({ message }, open) => void ended.push([message, open]),
  })
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

  it('tells how long it was busy since the last question, which is never less than no time', async () => {
    await thread.ask({ word: 'one' })
    assert.ok(thread.busy() > 0)
    for (let reads = 0; reads < 1_000; reads += 1) assert.ok(thread.busy() >= 0)
    const hanging = thread.ask({ word: 'hang' })
    await thread.ask({ word: 'two' })
    thread.kill()
    await assert.rejects(hanging, ThreadEndedError)
    assert.equal(thread.busy(), 0)
  })

  it('answers the other questions of a message where one cannot be copied', async () => {
    const unknown = { word: 'one', body: (() => {}) as unknown as Uint8Array }
    const questions = [{ word: 'one' }, unknown, { word: 'two' }]
    const results = await Promise.allSettled(questions.map((question) => thread.ask(question)))
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value.word : String(result.reason))),
      ['one', 'DataCloneError: () => {} could not be cloned.', 'two'],
    )
  })

  it('that ends loses no answer that it gave before', async () => {
    for (const time of [10, 20, 30, 50, 100]) {
      const over = Promise.withResolvers<void>()
      const ending = createThread<Question, Answer>(FILE, { heapMb: 64, onEnded: () => over.resolve() })
      await ending.ask({ word: 'one' })
      const answered = ending.ask({ word: 'answer and end' })
      await turn()
      // The answer and the end arrive in one turn of the event loop, unless the thread is slower.
      pauseThread(time)
      assert.equal((await answered).word, 'answer and end')
      await within('the end of the thread', over.promise)
    }
  })

  it('that cannot be started rejects its questions and is reported', async () => {
    const reported: number[] = []
    const none = createThread<Question, Answer>(new URL('http://127.0.0.1/thread.js'), {
      heapMb: 64,
      onEnded: (_error, open) => void reported.push(open),
    })
    after(none.close)
    const questions = ['one', 'two'].map((word) => none.ask({ word }))
    for (const question of questions) await assert.rejects(question, ThreadEndedError)
    assert.deepEqual(reported, [2])
  })
})
