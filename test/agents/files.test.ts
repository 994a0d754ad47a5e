import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { slowBook } from '../files/support.ts'
import { useAgentTools } from '../support/agent-tools.ts'
import { agentCalls } from '../support/agents.ts'
import { say } from '../support/chat-server.ts'
import { administrator } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

const tools = await useAgentTools()

onBothEngines('a run with a file that is still processed', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: tools.env })
  beforeEach(() => {
    tools.reset()
    tools.chat.answer = (_asked, response) => say(response, 'Done.')
  })

  async function stand() {
    const postern = await server()
    const calls = agentCalls(postern, await administrator(postern))
    const agentId = await calls.agent({ model: 'stub' })
    const upload = async (name: string, bytes: Uint8Array | string): Promise<string> => {
      const headers = { 'content-type': 'application/octet-stream' }
      const answer = await calls.post(`/v1/files?name=${name}`, bytes, headers)
      assert.equal(answer.status, 201, answer.text)
      return answer.body.id
    }
    /** A run that waits for a file. */
    async function waiting(fileIds: string[]): Promise<string> {
      const { id } = await calls.run(agentId, 'What does it say?', { fileIds })
      const rows = () => postern.app.database.db.selectFrom('run_wait').select('run_id').execute()
      await until(rows, (some) => some.some(({ run_id }) => run_id === id), { what: 'the run to wait' })
      assert.equal((await calls.get(`/v1/runs/${id}`)).body.status, 'queued')
      return id
    }
    return { calls, agentId, upload, waiting }
  }
  const read = () => String(tools.chat.asked[0]?.messages.at(-1)?.content)

  it('waits for it, and reads its text', async () => {
    const { calls, upload, waiting } = await stand()
    const id = await waiting([
      await upload('slow.xlsx', slowBook(10, { rows: 300 })),
      await upload('a.txt', 'Forty crowns.'),
    ])
    assert.equal(tools.chat.asked.length, 0)
    const run = await calls.ended(id)
    assert.deepEqual([run.status, run.output], ['succeeded', 'Done.'])
    assert.match(read(), /Forty crowns\./)
    assert.ok(!read().includes('nothing of it could be read'), read())
  })

  test('waits for one that is deleted meanwhile, and both the model and a person read so', async () => {
    const { calls, upload, waiting } = await stand()
    const gone = await upload('slow.xlsx', slowBook(10, { rows: 300 }))
    const id = await waiting([gone])
    assert.equal((await calls.delete(`/v1/files/${gone}`)).status, 204)
    const [note] = (await calls.ended(id)).fileNotes
    assert.match(note.note, /not there any more/)
    assert.ok(read().includes(`[${note.note}]`), read())
  })

  test('is told what became of it in the words that a person reads, where it cannot be read', async () => {
    const { calls, agentId, upload } = await stand()
    const broken = await upload('broken.docx', 'PK\u0003\u0004 no archive')
    const run = await calls.ended((await calls.run(agentId, 'And this?', { fileIds: [broken] })).id)
    assert.equal(run.fileNotes.length, 1)
    const [{ fileId, name, note }] = run.fileNotes
    assert.deepEqual([fileId, name], [broken, 'broken.docx'])
    const { message } = (await calls.get(`/v1/files/${broken}`)).body.error
    assert.equal(note, `This file could not be read: ${message}`)
    assert.ok(read().includes(`[${note}]`), read())
  })

  test('can be cancelled while it waits', async () => {
    const { calls, upload, waiting } = await stand()
    const id = await waiting([await upload('slow.xlsx', slowBook(10, { rows: 300 }))])
    assert.equal((await calls.post(`/v1/runs/${id}/cancel`)).body.status, 'cancelled')
    assert.equal(tools.chat.asked.length, 0)
  })
})
