import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, it } from 'node:test'
import { onBothEngines, usePostern } from '../support/postern.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/waits.ts'
import { keeper, PATIENCE } from './support.ts'

onBothEngines('a file', (engine) => {
  const server = usePostern(engine)
  const stops: (() => Promise<void>)[] = []
  after(() => Promise.all(stops.map((stop) => stop())))

  it('is uploaded, processed, read, and told of by an event with exactly its fields', async () => {
    const { postern, key, upload, get, ended } = await keeper(await server())
    const receiver = await startReceiver()
    stops.push(receiver.stop)
    const webhook = { url: receiver.url, events: ['file.processed'] }
    assert.equal((await postern.client().post('/v1/webhooks', webhook, { token: key })).status, 201)
    const text = '# Grüße\n\nEs war einmal.\n'
    const made = await upload(text, 'märchen.md', { headers: { 'content-type': 'text/markdown' } })
    assert.equal(made.status, 201, made.text)
    const { id } = made.body
    assert.equal(made.headers.get('location'), `/v1/files/${id}`)
    const file = await ended(id)
    const bytes = Buffer.from(text)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const { createdAt, processedAt, createdBy, ...rest } = file
    assert.deepEqual(rest, {
      id,
      name: 'märchen.md',
      mediaType: 'text/markdown',
      sizeBytes: bytes.length,
      sha256,
      status: 'processed',
      error: null,
      textChars: text.length,
      textTruncated: false,
      charset: null,
      warnings: [],
    })
    const read = await get(`/v1/files/${id}/text`)
    assert.equal(read.body.text, text)
    assert.equal(read.body.nextCursor, null)
    const content = await get(`/v1/files/${id}/content`)
    assert.equal(content.text, text)
    const [call] = await until(
      () => receiver.received,
      (all) => all.length > 0,
      { what: 'the event', patience: PATIENCE },
    )
    const { type, data } = JSON.parse(String(call?.body))
    assert.equal(type, 'file.processed')
    const { durationMs, ...facts } = data
    assert.ok(Number.isInteger(durationMs) && durationMs >= 0)
    assert.deepEqual(facts, {
      fileId: id,
      name: 'märchen.md',
      mediaType: 'text/markdown',
      sizeBytes: bytes.length,
      status: 'processed',
      error: null,
    })
    assert.ok(createdBy.startsWith('svc_') && createdAt <= processedAt)
  })
})
