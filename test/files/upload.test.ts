import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { it } from 'node:test'
import { MINUTE } from '#src/core/clock.ts'
import { newId } from '#src/core/id.ts'
import { SIZE } from '#src/core/limits.ts'
import { assertError } from '../support/attacks.ts'
import { holdRows } from '../support/held-rows.ts'
import { apiKey, member } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { rawHead, sendRaw } from '../support/raw-http.ts'
import { until } from '../support/waits.ts'
import { bytesLeft, type Keeper, keeper, PATIENCE } from './support.ts'

onBothEngines('uploading', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)
  let made: Promise<Keeper> | undefined
  const keep = async () => {
    made ??= server().then(keeper)
    return made
  }
  const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('base64')

  /** A form of parts that are written as they are. */
  function form(parts: string[], boundary = 'xyz'): { body: string; headers: Record<string, string> } {
    const body = `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`
    return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
  }
  const filePart = (text: string, name = 'a.txt') =>
    `content-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: text/plain\r\n\r\n${text}`

  test('refuses what is empty, what is too large at the byte, and what is another than its digest, and keeps nothing of it', async () => {
    const { upload, postern, key, ended } = await keep()
    const before = await bytesLeft(postern)
    assertError(await upload(''), 'VALIDATION_FAILED', { field: 'body', reason: 'empty' })
    async function* tooMuch() {
      const piece = Buffer.alloc(1024 * 1024, 'a')
      for (let sent = 0; sent < SIZE.file; sent += piece.length) yield piece
      yield Buffer.from('a')
    }
    const { url } = postern
    const answer = await fetch(`${url}/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: tooMuch() as never,
      ...({ duplex: 'half' } as object),
    }).catch((error: Error) => error)
    // The connection is ended: a client that still sends may not read why.
    if (answer instanceof Response) {
      const { error } = (await answer.json()) as { error: { details: object } }
      assert.deepEqual([answer.status, error.details], [400, { field: 'body', reason: 'too_large' }])
    }
    const other = { headers: { 'content-digest': `sha-256=:${sha256('another')}:` } }
    assertError(await upload('a text', 'a', other), 'VALIDATION_FAILED', { reason: 'other_bytes' })
    const malformed = { headers: { 'content-digest': 'md5=:abc:' } }
    assertError(await upload('a text', 'a', malformed), 'VALIDATION_FAILED', { field: 'Content-Digest' })
    const good = { headers: { 'content-digest': `sha-256=:${sha256('a text')}:` } }
    const { status, body } = await upload('a text', 'a', good)
    assert.equal(status, 201)
    await ended(body.id)
    await until(
      () => bytesLeft(postern),
      ({ pending, orphaned, parts }) => pending + orphaned + parts === 0,
      { what: 'the bytes of refused uploads to be gone', patience: PATIENCE },
    )
    assert.equal((await bytesLeft(postern)).kept - before.kept <= 2, true)
  })

  it('keeps nothing of what does not arrive whole, or not in time', async () => {
    const { postern, key } = await keep()
    const head = (length: number) =>
      rawHead('POST /v1/files', { authorization: `Bearer ${key}`, 'content-length': length })
    const gone = connect(Number(new URL(postern.url).port), '127.0.0.1')
    gone.write(`${head(1_000)}only this`)
    await until(
      () => bytesLeft(postern),
      ({ pending }) => pending === 1,
      { what: 'an upload to have begun', patience: PATIENCE },
    )
    gone.destroy()
    await until(
      () => bytesLeft(postern),
      ({ pending, parts }) => pending + parts === 0,
      { what: 'the bytes of an upload that was cut short to be gone', patience: PATIENCE },
    )
    const slow = sendRaw(postern.url, head(1_000), 'so far')
    await until(
      () => bytesLeft(postern),
      ({ pending }) => pending === 1,
      { what: 'the slow upload to have begun', patience: PATIENCE },
    )
    postern.clock.advance(MINUTE)
    const { status, body } = await slow
    assert.deepEqual([status, body.error.details], [400, { field: 'body', reason: 'too_slow' }])
    await until(
      () => bytesLeft(postern),
      ({ pending, orphaned, parts }) => pending + orphaned + parts === 0,
      { what: 'the bytes of the slow upload to be gone', patience: PATIENCE },
    )
  })

  test('takes as a name what can be seen, stands on one line and reads as it looks, and nothing else', async () => {
    const { postern, key, upload, ended } = await keep()
    const inForm = (name: string) => {
      const { body, headers } = form([filePart('in a form', name)])
      return postern.client().post('/v1/files', body, { token: key, headers })
    }
    for (const name of [' ', '\u200b\u2060', 'cod.\u202efdp.exe', 'a\u2028b', '\u2066x\u2069'])
      for (const send of [(text: string) => upload('a text', text), inForm])
        assertError(await send(name), 'VALIDATION_FAILED', { field: 'name' })
    for (const name of [' quarter 3.txt', 'می\u200cخواهم.txt', '\u{1f469}\u200d\u{1f52c}.txt']) {
      const { status, body, text } = await upload('a text', name)
      assert.deepEqual([status, body.name], [201, name], text)
      await ended(body.id)
    }
  })

  test('takes a form with one file, and refuses every other form while it lives on', async () => {
    const { postern, key, get, ended } = await keep()
    const send = ({ body, headers }: { body: string; headers: Record<string, string> }) =>
      postern.client().post('/v1/files', body, { token: key, headers })
    const nameField = 'content-disposition: form-data; name="name"\r\n\r\nmy notes.txt'
    const answer = await send(form([filePart('in a form'), nameField]))
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.body.name, 'my notes.txt')
    assert.equal((await ended(answer.body.id)).mediaType, 'text/plain')
    assert.equal((await get(`/v1/files/${answer.body.id}/content`)).text, 'in a form')
    const cut = form([filePart('1'), nameField, nameField, nameField, filePart('5')])
    // A header named `__proto__` has no effect.
    assert.equal((await send(form([`__proto__: x\r\n${filePart('x')}`]))).status, 201)
    for (const [what, bad] of Object.entries({
      'a boundary of 252 bytes': form([filePart('x')], 'b'.repeat(252)),
      'no boundary': { body: 'x', headers: { 'content-type': 'multipart/form-data' } },
      'five parts, the last cut': { ...cut, body: cut.body.slice(0, -12) },
      'two files': form([filePart('1'), filePart('2')]),
      'a part of another name': form(['content-disposition: form-data; name="other"\r\n\r\nx']),
      'another name with a file': form([
        'content-disposition: form-data; name="__proto__"; filename="a"\r\n\r\nx',
      ]),
    })) {
      const refused = await send(bad)
      assert.equal(refused.status, 400, `${what}: ${refused.text}`)
      assertError(refused, 'VALIDATION_FAILED', { field: 'body' })
    }
    assert.equal((await send(form([]))).status, 400)
    assertError(await send(form([nameField])), 'MISSING_REQUIRED_FIELD', { field: 'file' })
    assert.equal((await send(form([filePart('still alive')]))).status, 201)
  })

  test('reads letters by the charset that was sent with them, and does so again; the media type has no parameters', async () => {
    const { postern, key, upload, get } = await keep()
    const waiting = { prefer: 'wait=30' }
    for (const [type, bytes, expected] of [
      ['text/plain; charset=iso-8859-2', [0xb1, 0xe6, 0xea], 'ąćę'],
      ['Text/CSV;header=present; charset="Shift_JIS"', [0x93, 0xfa, 0x96, 0x7b], '日本\n'],
      ['text/plain; charset=nobody-knows', [0xfc], 'ü'],
    ] as const) {
      const headers = { ...waiting, 'content-type': type }
      const { status, body, text } = await upload(Buffer.from(bytes), 'letters', { headers })
      assert.equal(status, 201, text)
      const read = async () => {
        const answer = await get(`/v1/files/${body.id}/text`)
        return answer.body.text ?? answer.text
      }
      assert.equal(await read(), expected, type)
      assert.match(body.mediaType, /^text\/(plain|csv)$/)
      const again = { token: key, headers: waiting }
      await postern.client().post(`/v1/files/${body.id}/process`, {}, again)
      assert.equal(await read(), expected, `${type}, read again`)
    }
  })

  test('says how letters were found to be written, and reads them as it is told to, at once or again', async () => {
    const { postern, key, upload, get } = await keep()
    const waiting = { prefer: 'wait=30' }
    const [russian, words] = [Buffer.from('cff0e8e2e5f22c20ece8f021', 'hex'), 'Привет, мир!']
    const client = postern.client()
    const again = (id: string, query: string) =>
      client.post(`/v1/files/${id}/process${query}`, undefined, { token: key, headers: waiting })
    const readOf = async (id: string) => (await get(`/v1/files/${id}/text`)).body.text

    const guessed = await upload(russian, 'a.txt', { headers: waiting })
    assert.deepEqual(
      [guessed.body.charset, guessed.body.warnings, await readOf(guessed.body.id)],
      [null, [{ code: 'charset_guessed', detail: 'windows-1251' }], words],
    )
    const told = await again(guessed.body.id, '?charset=koi8-r')
    assert.deepEqual([told.status, told.body.charset, told.body.warnings], [200, 'koi8-r', []])
    assert.notEqual(await readOf(guessed.body.id), words)
    const mended = await again(guessed.body.id, '?charset=CP1251')
    assert.deepEqual([mended.body.charset, await readOf(guessed.body.id)], ['windows-1251', words])

    const said = { headers: { ...waiting, 'content-type': 'text/plain; charset=koi8-r' }, token: key }
    const overridden = await client.post('/v1/files?name=a.txt&charset=windows-1251', russian, said)
    assert.deepEqual([overridden.body.charset, await readOf(overridden.body.id)], ['windows-1251', words])
    const field = 'content-disposition: form-data; name="charset"\r\n\r\nwindows-1251'
    const { body, headers } = form([field, filePart('x')])
    const inForm = await client.post('/v1/files', body, { token: key, headers })
    assert.equal(inForm.body.charset, 'windows-1251', inForm.text)

    for (const refused of [
      await again(guessed.body.id, '?charset=none-such'),
      await client.post('/v1/files?charset=none-such', russian, said),
    ])
      assertError(refused, 'VALIDATION_FAILED', {
        field: 'charset',
        value: 'none-such',
        reason: 'unknown_charset',
      })
  })

  test('takes a name for a label: it is no path, and says nothing to a header', async () => {
    const { upload, get } = await keep()
    const names = ['../../etc/passwd', 'C:\\windows\\x', '/etc/passwd', '..', 'quote".txt', 'naïve 表.txt']
    for (const name of [...names, 'n'.repeat(255)]) {
      const answer = await upload('a text', name)
      assert.equal(answer.status, 201, answer.text)
      assert.equal(answer.body.name, name)
      const { headers } = await get(`/v1/files/${answer.body.id}/content`)
      const disposition = String(headers.get('content-disposition'))
      assert.match(
        disposition,
        /^attachment; filename="[^"\\%]*"; filename\*=UTF-8''[A-Za-z0-9%!#$&+.^_`|~-]*$/,
      )
      assert.equal(decodeURIComponent(disposition.split("UTF-8''")[1] ?? ''), name)
    }
    for (const name of ['a\0b', 'a\r\nset-cookie: x', '', 'n'.repeat(300)])
      assertError(await upload('a text', name), 'VALIDATION_FAILED', { field: 'name' })
  })

  test('gives bytes back as an attachment that no browser runs: whole, a range, or nothing to who has them', async () => {
    const { postern, key, upload, get } = await keep()
    const page = '<script>alert(document.domain)</script>'
    const headers = { 'content-type': 'text/html' }
    const { id } = (await upload(page, 'page.html', { headers })).body
    const answer = await get(`/v1/files/${id}/content`)
    assert.equal(answer.text, page)
    assert.equal(answer.headers.get('content-type'), 'application/octet-stream')
    assert.match(String(answer.headers.get('content-security-policy')), /sandbox/)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(answer.headers.get('content-digest'), `sha-256=:${sha256(page)}:`)
    for (const [range, expected] of [
      ['bytes=8-12', page.slice(8, 13)],
      ['bytes=30-', page.slice(30)],
      ['bytes=-9', page.slice(-9)],
    ] as const) {
      const part = await postern.client().get(`/v1/files/${id}/content`, { token: key, headers: { range } })
      assert.deepEqual([part.status, part.text], [206, expected])
    }
    const tag = String(answer.headers.get('etag'))
    const range = 'bytes=8-12'
    for (const [headers, status] of [
      [{ 'if-none-match': tag }, 304],
      [{ 'if-none-match': `"a", W/${tag}`, range }, 304],
      [{ 'if-none-match': '*' }, 304],
      [{ 'if-none-match': '"other"' }, 200],
      [{ range, 'if-range': tag }, 206],
      [{ range, 'if-range': '"zz"' }, 200],
      [{ range, 'if-range': 'Sun, 06 Nov 1994 08:49:37 GMT' }, 200],
      [{ range, 'if-match': `"a", ${tag}` }, 206],
      [{ range: 'bytes=100-' }, 200],
      [{ range: 'bytes=0-1,3-4' }, 200],
    ] as [Record<string, string>, number][]) {
      const part = await postern.client().get(`/v1/files/${id}/content`, { token: key, headers })
      const expected = { 200: page, 206: page.slice(8, 13), 304: '' }[status]
      assert.deepEqual([part.status, part.text], [status, expected], JSON.stringify(headers))
      assert.equal(part.headers.get('etag'), tag)
      // A cache keeps what the last answer says of the type, bytes or not.
      assert.equal(part.headers.get('content-type'), 'application/octet-stream')
    }
    const other = { token: key, headers: { 'if-match': '"other"' } }
    const refused = await postern.client().get(`/v1/files/${id}/content`, other)
    assertError(refused, 'VALIDATION_FAILED', { field: 'If-Match', reason: 'other_bytes' })
  })

  it("is deleted by who made it, or an administrator, with its bytes; another member's and another organization's is not", async () => {
    const { postern, admin, key, upload, get, ended } = await keep()
    const mine = await apiKey(postern, admin, 'member')
    const other = await member(postern, admin)
    const { id } = (await upload('a text', 'a.txt', { token: mine })).body
    await ended(id)
    const path = `/v1/files/${id}`
    assertError(await postern.client().delete(path, { token: other.token }), 'FORBIDDEN', {
      reason: 'not_yours',
    })
    const stranger = await keeper(postern)
    for (const [method, at] of [
      ['GET', path],
      ['GET', `${path}/content`],
      ['GET', `${path}/text`],
      ['POST', `${path}/process`],
      ['DELETE', path],
    ] as const)
      assertError(await postern.client().call(at, { method, token: stranger.key }), 'ENTITY_NOT_FOUND')
    assert.equal((await postern.client().delete(path, { token: mine })).status, 204)
    assertError(await get(path), 'ENTITY_NOT_FOUND')
    const second = (await upload('another', 'b.txt', { token: mine })).body.id
    assert.equal((await postern.client().delete(`/v1/files/${second}`, { token: key })).status, 204)
    postern.clock.advance(2_000)
    await until(
      () => bytesLeft(postern),
      ({ orphaned }) => orphaned === 0,
      { what: 'the bytes of deleted files to be gone', patience: PATIENCE },
    )
    const unknown = newId('file', postern.clock.now())
    assertError(await get(`/v1/files/${unknown}`), 'ENTITY_NOT_FOUND')
  })

  it('makes one file of one Idempotency-Key, whose print is that of the bytes', async () => {
    const { postern, upload } = await keep()
    const headers = { 'idempotency-key': `key-${crypto.randomUUID()}` }
    const first = await upload('once', 'a.txt', { headers })
    const second = await upload('once', 'a.txt', { headers })
    assert.equal(second.body.id, first.body.id)
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    assertError(await upload('other bytes', 'a.txt', { headers }), 'VALIDATION_FAILED', {
      field: 'Idempotency-Key',
    })
    await until(
      () => bytesLeft(postern),
      ({ pending, orphaned }) => pending + orphaned === 0,
      { what: 'the bytes that came twice to be gone', patience: PATIENCE },
    )
  })

  if (engine === 'postgres')
    it('keeps nobody else from the database while the files of one organization wait for one another', async () => {
      const { postern, admin, upload } = await keep()
      const other = await keeper(postern)
      const row = await holdRows(postern, 'credit_account', 'organization_id = $1', [admin.organizationId])
      try {
        const first = await row.lineUp(() => upload('a text'))
        const more = Array.from({ length: 30 }, () => upload('a text'))
        for (let time = 0; time < 5; time += 1) assert.equal((await other.upload('another text')).status, 201)
        await row.release()
        const answers = [await first.answer, ...(await Promise.all(more))]
        assert.ok(answers.every(({ status }) => status === 201))
      } finally {
        await row.release()
      }
    })

  test('answers when the text is there, where that is asked for', async () => {
    const { upload } = await keep()
    const answer = await upload('a text', 'a.txt', { headers: { prefer: 'respond-async, wait=30' } })
    assert.equal(answer.status, 201)
    assert.equal(answer.headers.get('preference-applied'), 'wait=30')
    assert.deepEqual([answer.body.status, answer.body.textChars], ['processed', 6])
  })
})
