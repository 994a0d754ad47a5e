import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { FILE_FAILURES } from '#src/core/failure-messages.ts'
import { assertError, inGroups } from '../support/attacks.ts'
import { nightly } from '../support/nightly.ts'
import { makeBook, ONE_CELL } from '../support/office.ts'
import { lockedPdf } from '../support/pdf.ts'
import {
  postern as command,
  onBothEngines,
  onOneEngineByDay,
  type Postern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/waits.ts'
import { bytesLeft, type Keeper, keeper, PATIENCE, slowBook } from './support.ts'

const WAIT = { headers: { prefer: 'wait=30' } }

/** Far more than are read at once, and than wait for that. */
const RUSH = nightly(200, 40)

onBothEngines('processing a file', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)
  const receivers: Receiver[] = []
  after(() => Promise.all(receivers.map(({ stop }) => stop())))
  let made: Promise<Keeper> | undefined
  const keep = () => {
    made ??= server().then(keeper)
    return made
  }
  /** The file's bytes where the server keeps them. */
  const pathOf = async ({ app, env }: Postern, id: string) => {
    const { blob_id } = await app.database.db
      .selectFrom('file')
      .select('blob_id')
      .where('id', '=', id as never)
      .executeTakeFirstOrThrow()
    const [path] = globSync(join(env.DATA_DIR ?? '', 'blobs', '*', blob_id))
    return path ?? assert.fail(`there is no ${blob_id}`)
  }

  test('answers a file that cannot be read with the code of why, by …/process and by …/text, and tells by the event', async () => {
    const { postern, key, upload, get } = await keep()
    const receiver = await startReceiver()
    receivers.push(receiver)
    const webhook = { url: receiver.url, events: ['file.processed'] }
    const { id: webhookId } = (await postern.client().post('/v1/webhooks', webhook, { token: key })).body
    const book = makeBook({ sheets: { Sheet1: ONE_CELL } })
    const cases = [
      ['half.xlsx', book.subarray(0, book.length / 2), 'XLSX_CORRUPTED', 'corrupt', 422],
      ['locked.pdf', lockedPdf('secret', 'a password'), 'PARSE_FAILED', 'encrypted', 422],
      [
        'picture.docx',
        Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
        'PARSE_FAILED',
        'unsupported',
        422,
      ],
    ] as const
    for (const [name, bytes, code, reason, status] of cases) {
      const headers = { ...WAIT.headers, 'content-type': 'application/octet-stream' }
      const { body } = await upload(bytes, name, { headers })
      assert.deepEqual(
        [body.status, body.error],
        ['failed', { code, reason, message: FILE_FAILURES[reason] }],
        name,
      )
      const text = await get(`/v1/files/${body.id}/text`)
      assertError(text, code, { fileId: body.id, reason })
      assert.equal(text.status, status)
      const again = await postern
        .client()
        .post(`/v1/files/${body.id}/process`, {}, { token: key, headers: WAIT.headers })
      assertError(again, code, { fileId: body.id, reason })
    }
    const calls = await receiver.count(2 * cases.length)
    for (const [name, , code, reason] of cases) {
      const own = calls.filter(({ event }) => event.data.name === name)
      assert.equal(own.length, 2)
      for (const { event } of own)
        assert.deepEqual(
          [event.data.status, event.data.error],
          ['failed', { code, reason, message: FILE_FAILURES[reason] }],
        )
    }
    await postern.client().delete(`/v1/webhooks/${webhookId}`, { token: key })
  })

  it('believes no bytes but those that came, and keeps the text that there is until there is another', async () => {
    const { postern, key, upload, get } = await keep()
    const { id } = (await upload('the text as it came', 'a.txt', WAIT)).body
    const path = await pathOf(postern, id)
    const bytes = readFileSync(path)
    bytes[4] = 0x58
    writeFileSync(path, bytes)
    const process = (call: object = WAIT) =>
      postern.client().post(`/v1/files/${id}/process`, {}, { token: key, ...call })
    const textOf = async () => (await get(`/v1/files/${id}/text`)).body.text
    const begun = await process({})
    assert.deepEqual([begun.status, begun.body.status], [202, 'processing'])
    assert.equal(await textOf(), 'the text as it came', 'while it is read again')
    const error = { fileId: id, reason: 'blob_altered' }
    assertError(await process(), 'PROCESSING_FAILED', error)
    assert.equal(await textOf(), 'the text as it came', 'after another reading has failed')
    const { status, textChars, error: why } = (await get(`/v1/files/${id}`)).body
    const ended = { status: 'processed', textChars: 19, code: 'PROCESSING_FAILED' }
    assert.deepEqual({ status, textChars, code: why.code }, ended)
    assertError(await get(`/v1/files/${id}/content`), 'PROCESSING_FAILED')
    writeFileSync(path, 'the text as it came')
    const mended = await process()
    assert.deepEqual([mended.status, mended.body.status, mended.body.error], [200, 'processed', null])
    assert.equal((await get(`/v1/files/${id}/content`)).text, 'the text as it came')
  })

  test('is waited for by the id of the file in each form that is taken', async () => {
    const { postern, key, upload } = await keep()
    const { id } = (await upload('a text', 'a.txt', WAIT)).body
    const bare = id.slice('fil_'.length)
    for (const form of [id, bare, bare.toUpperCase()]) {
      const again = await postern.client().post(`/v1/files/${form}/process`, {}, { token: key, ...WAIT })
      assert.deepEqual([again.status, again.body.status, again.body.id], [200, 'processed', id], form)
    }
  })

  it('ends without an event when the file is deleted meanwhile, and gives back what it costs', async () => {
    const { postern, key, admin, upload } = await keep()
    const receiver = await startReceiver()
    receivers.push(receiver)
    const webhook = { url: receiver.url, events: ['file.processed'] }
    assert.equal((await postern.client().post('/v1/webhooks', webhook, { token: key })).status, 201)
    const { id } = (await upload(slowBook(), 'slow.xlsx')).body
    const job = () =>
      postern.app.database.db
        .selectFrom('job')
        .selectAll()
        .where('organization_id', '=', admin.organizationId as never)
        .where('payload', 'like', `%${id}%`)
        .executeTakeFirstOrThrow()
    await until(job, ({ begun }) => begun === 1, { what: 'the file to be read', patience: PATIENCE })
    assert.equal((await postern.client().delete(`/v1/files/${id}`, { token: key })).status, 204)
    await until(job, ({ status }) => status === 'cancelled', { what: 'the end of it', patience: PATIENCE })
    const rows = await postern.app.database.db
      .selectFrom('reservation')
      .select('status')
      .where('reference', '=', id)
      .execute()
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['released'],
    )
    // An event of another file comes, and none of this one before it.
    const next = (await upload('the next', 'next.txt', WAIT)).body
    const calls = await receiver.count(1)
    assert.deepEqual(
      calls.map(({ event }) => event.data.fileId),
      [next.id],
    )
  })

  it('ends for each of many that come in a rush: most are deleted before their turn, the others read', async () => {
    const { postern, admin, key, upload, ended } = await keep()
    const read: string[] = []
    await inGroups(RUSH, async (index) => {
      const { status, body, text } = await upload(`text ${index}`, `${index}.txt`)
      assert.equal(status, 201, text)
      if (index % 8 === 0) return read.push(body.id)
      const deleted = await postern.client().delete(`/v1/files/${body.id}`, { token: key })
      assert.equal(deleted.status, 204, deleted.text)
    })
    for (const id of read) {
      const { status, error } = await ended(id)
      assert.deepEqual([status, error], ['processed', null])
    }
    const organizationId = admin.organizationId as never
    const open = () =>
      postern.app.database.db
        .selectFrom('job')
        .select('id')
        .where('organization_id', '=', organizationId)
        .where('status', '=', 'pending')
        .execute()
    await until(open, ({ length }) => length === 0, { what: 'no file to be read', patience: PATIENCE })
  })

  it('leaves nothing of an organization that is deleted', async () => {
    const { postern } = await keep()
    const gone = await keeper(postern)
    const { id } = (await gone.upload('a text', 'a.txt', WAIT)).body
    const path = await pathOf(postern, id)
    const { name } = (await gone.get('/v1/organizations')).body.data[0]
    const ended = await command(postern, 'organizations', '--delete', name, '--yes')
    assert.equal(ended.code, 0, ended.err)
    postern.clock.advance(60_000)
    await until(
      () => globSync(path).length,
      (count) => count === 0,
      { what: 'the bytes of a deleted organization to be gone', patience: PATIENCE },
    )
  })
})

onOneEngineByDay('a spreadsheet that takes too long', (engine) => {
  // Less than half of what the book takes, and many times what it takes to begin: what waits for a processor is not counted.
  const server = usePostern(engine, { env: { PARSE_SECONDS: '1' } })

  it('is XLSX_TIMEOUT', async () => {
    const { postern, key, upload } = await keeper(await server())
    const { id } = (await upload(slowBook(18), 'slow.xlsx')).body
    const answer = await postern.client().post(`/v1/files/${id}/process`, {}, { token: key, ...WAIT })
    assertError(answer, 'XLSX_TIMEOUT', { fileId: id, reason: 'timeout' })
  })
})

onBothEngines('what a plan allows of files', (engine) => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-plans-'))
  const file = join(folder, 'plans.json')
  const plan = { requestsPerMinute: null, modules: ['files'] }
  const plans = {
    poor: { ...plan, creditsPerCycle: 1, storageGiB: 1 },
    full: { ...plan, creditsPerCycle: null, storageGiB: 0 },
  }
  writeFileSync(file, JSON.stringify({ plans }))
  after(() => rmSync(folder, { recursive: true }))
  const server = usePostern(engine, { env: { PLANS_FILE: file, DEFAULT_PLAN: 'poor' } })

  it('is held: what its credits do not pay for, and what it may not store, is refused and not kept', async () => {
    const postern = await server()
    const { upload, get, ended } = await keeper(postern)
    await ended((await upload('the one')).body.id)
    assertError(await upload('one more'), 'INSUFFICIENT_CREDITS', { balance: 0, required: 1 })
    const { name } = (await get('/v1/organizations')).body.data[0]
    const changed = await command(postern, 'plan', '--organization', name, '--plan', 'full')
    assert.equal(changed.code, 0, changed.err)
    assertError(await upload('one more'), 'FORBIDDEN', { reason: 'too_much_stored', limit: 0 })
    const { pending, orphaned, files } = await bytesLeft(postern)
    assert.deepEqual([pending, orphaned, files], [0, 0, 2])
  })
})
