import assert from 'node:assert/strict'
import { it } from 'node:test'
import { FILE_FAILURES } from '#src/core/failure-messages.ts'
import type { Id } from '#src/core/id.ts'
import { assertError } from '../support/attacks.ts'
import { useKnower, WAIT } from '../support/knowledge.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

onBothEngines('documents of files', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)
  const knower = useKnower(server)

  async function upload(name: string, body: string, headers: Record<string, string> = {}) {
    const { call } = await knower()
    const answer = await call(`/v1/files?name=${name}`, { method: 'POST', body, headers })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }

  async function document(baseId: string, fileId: string, more: object = {}) {
    const { call } = await knower()
    return call(`/v1/knowledge-bases/${baseId}/documents`, { body: { fileId, ...more }, headers: WAIT })
  }

  it('are indexed with the places of their text, by the name of the file unless they get another', async () => {
    const { base, search } = await knower()
    const id = await base()
    const file = await upload('birds.md', '# Herons\n\nA heron fishes at dawn.\n', WAIT)
    const { status, body, text } = await document(id, file.id)
    assert.equal(status, 201, text)
    assert.deepEqual(
      [body.status, body.name, body.fileId, body.sha256, body.chunks],
      ['indexed', 'birds.md', file.id, file.sha256, 1],
    )
    const [first] = (await search(id, 'heron')).body.data
    assert.deepEqual([first.documentName, first.location], ['birds.md', { heading: 'Herons' }])
    assertError(await document(id, file.id), 'DUPLICATE', { field: 'fileId', documentId: body.id })
    const long = await upload(`${'a'.repeat(99)}%F0%9F%98%80.md`, 'A long name.\n', WAIT)
    assert.equal((await document(id, long.id)).body.name, `${'a'.repeat(99)}\u{1f600}`)
    // Another file of the same bytes is the same to a base.
    const twin = await upload('twin.md', '# Herons\n\nA heron fishes at dawn.\n')
    assertError(await document(id, twin.id), 'DUPLICATE', { field: 'fileId', documentId: body.id })
  })

  test('wait for a file that is still in processing', async () => {
    const { call, base, find } = await knower()
    const id = await base()
    const { db } = (await server()).app.database
    const made: Id<'document'>[] = []
    for (let index = 0; index < 10; index += 1) {
      const file = await upload(`${index}.txt`, `Text number ${index} of the swift.`)
      const added = await call(`/v1/knowledge-bases/${id}/documents`, { body: { fileId: file.id } })
      assert.equal(added.status, 201, added.text)
      made.push(added.body.id)
    }
    await until(
      () => db.selectFrom('document').select('status').where('id', 'in', made).execute(),
      (rows) => rows.every(({ status }) => status === 'indexed'),
      { what: 'all documents to be indexed' },
    )
    assert.equal((await find(id, 'swift')).length, 10)
  })

  test('fail with a file that cannot be read, by its code and reason', async () => {
    const { call, base } = await knower()
    const id = await base()
    const file = await upload('broken.pdf', '%PDF-1.7\nnothing of one', WAIT)
    assert.equal(file.status, 'failed')
    const { body } = await document(id, file.id)
    assert.deepEqual(
      [body.status, body.error],
      ['failed', { code: 'PARSE_FAILED', reason: 'corrupt', message: FILE_FAILURES.corrupt }],
    )
    assert.deepEqual(body.error, file.error)
    const again = await call(`/v1/documents/${body.id}/index`, { method: 'POST', headers: WAIT })
    assertError(again, 'PARSE_FAILED', { documentId: body.id, fileId: file.id, reason: 'corrupt' })
  })

  test('of nothing but blanks have no text, and so no document either', async () => {
    const { base } = await knower()
    const file = await upload('blank.txt', ' \n \t \n'.repeat(100), WAIT)
    const { body } = await document(await base(), file.id)
    assert.deepEqual([body.status, body.error?.code], ['failed', 'PARSE_FAILED'])
  })

  test('go with their file, and are found no more', async () => {
    const { call, base, find } = await knower()
    const id = await base()
    const file = await upload('gone.txt', 'A puffin nests here.', WAIT)
    const { body } = await document(id, file.id)
    assert.equal((await find(id, 'puffin')).length, 1)
    assert.equal((await call(`/v1/files/${file.id}`, { method: 'DELETE' })).status, 204)
    assert.deepEqual(await find(id, 'puffin'), [])
    assertError(await call(`/v1/documents/${body.id}`), 'ENTITY_NOT_FOUND')
  })
})
