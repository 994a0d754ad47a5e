import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { audit, localTrail } from '#src/audit/audit.ts'
import { expireMarks } from '#src/audit-streams/expire-marks.ts'
import { DAY, MINUTE, SECOND } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import { createHousekeeping } from '#src/operations/retention.ts'
import { assertError } from '../support/attacks.ts'
import { administrator, newEmail } from '../support/people.ts'
import {
  OPERATOR_TOKEN,
  onBothEngines,
  type Postern,
  readyStore,
  startPostern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { startProcess } from '../support/process.ts'
import { advanceAtRest } from '../support/rest.ts'
import { isSigned, type Siem, type StreamedEntry, startSiem } from '../support/siem.ts'
import { until, within } from '../support/waits.ts'
import { type Calls, callsOf, readAll } from '../support/webhook-calls.ts'

const PATH = '/v1/operator/audit-streams'

/** An entry of no organization. @returns its id */
async function write({ app, clock }: Postern): Promise<string> {
  const target = newEmail('audited')
  await app.database.tx((tx) =>
    audit(tx, localTrail(clock.now()), { action: 'sign_in.failed', targetId: target }),
  )
  return idOf(app, target)
}

async function idOf({ database }: Postern['app'], target: string): Promise<string> {
  const found = database.db.selectFrom('audit').select('id').where('target_id', '=', target)
  return (await found.executeTakeFirstOrThrow()).id
}

async function streamTo(calls: Calls, siem: Siem, more: object = {}) {
  const made = await calls.post(PATH, { name: 'SIEM', url: siem.url, ...more })
  assert.equal(made.status, 201, made.text)
  return made.body as { id: string; secret: string }
}

onBothEngines('a stream of the audit log', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)
  const operator = async () => callsOf(await server(), OPERATOR_TOKEN)
  const stateOf = async (id: string) =>
    (await (await operator()).get(PATH)).body.data.find((one: { id: string }) => one.id === id)

  /** A stream that is deleted after the test. */
  async function withStream(
    work: (parts: {
      postern: Postern
      calls: Calls
      siem: Siem
      id: string
      secret: string
    }) => Promise<void>,
    more: object = {},
  ) {
    const [postern, calls, siem] = [await server(), await operator(), await startSiem()]
    const { id, secret } = await streamTo(calls, siem, more)
    try {
      await work({ postern, calls, siem, id, secret })
    } finally {
      assert.equal((await calls.delete(`${PATH}/${id}`)).status, 204)
      await untilGone(postern)
    }
  }
  const poll = (postern: Postern) => () => advanceAtRest(postern, 5 * SECOND)

  /** Resolves when the jobs of deleted streams have removed their marks and their rows. */
  const untilGone = (postern: Postern) =>
    until(
      async () => {
        await poll(postern)()
        return postern.app.database.db.selectFrom('audit_stream').select('id').execute()
      },
      (rows) => rows.length === 0,
    )

  it('brings every entry of all organizations and of none once, in the order of ids, as the lists show it, signed', async () => {
    const headers = { authorization: 'Bearer of-the-receiver', 'x-index': 'audit' }
    await withStream(
      async ({ postern, calls, siem, id, secret }) => {
        const [ada, bob] = [await administrator(postern), await administrator(postern)]
        await write(postern)
        const listed = await readAll(calls, '/v1/operator/audit-log')
        const begun = listed.findIndex(
          ({ action, targetId }) => action === 'audit_stream.created' && targetId === id,
        )
        const since = listed.slice(0, begun + 1).toReversed()
        for (const owner of [ada.organizationId, bob.organizationId, null])
          assert.ok(since.some(({ organizationId }) => organizationId === owner))
        await siem.has(
          since.map((entry) => entry.id),
          poll(postern),
        )
        assert.deepEqual(siem.taken, since)
        for (const page of siem.pages) {
          assert.ok(isSigned(page, secret))
          assert.equal(page.headers['content-type'], 'application/x-ndjson')
          assert.equal(page.headers.authorization, headers.authorization)
          assert.equal(page.headers['x-index'], 'audit')
          assert.ok(page.body.endsWith('}\n'))
        }
        const state = await until(
          () => stateOf(id),
          ({ unsent }) => unsent.count === 0,
        )
        assert.equal(state.sent, since.length)
        assert.deepEqual(state.headerNames, ['authorization', 'x-index'])
        assert.deepEqual(
          [state.status, state.lost, state.lastError, state.failingSince],
          ['active', 0, null, null],
        )
        const shown = (await calls.get(PATH)).text
        for (const hidden of [secret, headers.authorization]) assert.ok(!shown.includes(hidden))
        assert.ok(!postern.log().includes(secret))
      },
      { headers },
    )
  })

  it('keeps what a receiver refuses, says since when and why, and goes on where it stopped', async () => {
    await withStream(async ({ postern, calls, siem, id }) => {
      siem.answer = () => 503
      const ids = [await write(postern), await write(postern)]
      const failing = await until(
        async () => {
          await poll(postern)()
          return stateOf(id)
        },
        ({ failures }) => failures >= 2,
      )
      assert.deepEqual([failing.status, failing.lastError, failing.sent], ['failing', 'http_503', 0])
      assert.ok(failing.failingSince && failing.nextAttemptAt && failing.unsent.oldestAt)
      assert.ok(failing.unsent.count >= ids.length)
      postern.clock.advance(11 * SECOND)
      const { text } = await postern.client().get('/metrics')
      assert.match(text, new RegExp(`postern_audit_unsent\\{stream="${id}"\\} [1-9]`))
      assert.match(text, new RegExp(`postern_audit_stream_failing_seconds\\{stream="${id}"\\} [1-9]`))
      const refused = siem.pages.at(-1)
      siem.answer = () => 200
      // A change of the stream has it tried at once.
      await calls.patch(`${PATH}/${id}`, { name: 'SIEM, mended' })
      await siem.has(ids, poll(postern))
      assert.ok(siem.pages.some(({ entries }) => entries[0]?.id === refused?.entries[0]?.id))
      const state = await until(
        () => stateOf(id),
        ({ status }) => status === 'active',
      )
      assert.deepEqual([state.failures, state.lastError, state.failingSince], [0, null, null])
      const arrived = siem.taken.map((entry) => entry.id)
      assert.equal(new Set(arrived).size, arrived.length)
    })
  })

  it('does not fail because an attempt was cut off: its request ends, and the next attempt brings the page', async () => {
    await withStream(async ({ postern, siem, id }) => {
      const earlier = await write(postern)
      await siem.has([earlier], poll(postern))
      siem.answer = () => undefined
      const written = await write(postern)
      const isPosted = () => siem.pages.some(({ entries }) => entries.some((entry) => entry.id === written))
      await until(
        async () => {
          if (!isPosted()) await poll(postern)()
          return isPosted()
        },
        Boolean,
        { what: 'the entry to be posted' },
      )
      using _ = postern.clock.stop()
      // The longest attempt of the job.
      postern.clock.advance(2 * MINUTE)
      await until(
        () => siem.open,
        (open) => open === 0,
        { what: 'the request to end' },
      )
      siem.answer = () => 200
      await siem.has([written], poll(postern))
      const state = await until(
        () => stateOf(id),
        ({ unsent }) => unsent.count === 0,
      )
      assert.deepEqual([state.status, state.failures, state.lastError], ['active', 0, null])
      assert.ok(!postern.log().includes(`"auditStreamId":"${id}","failures":1`))
    })
  })

  test('halves a page that is too large for the receiver', async () => {
    await withStream(async ({ postern, siem }) => {
      siem.answer = ({ entries }) => (entries.length > 2 ? 413 : 200)
      const ids: string[] = []
      for (let i = 0; i < 7; i += 1) ids.push(await write(postern))
      await siem.has(ids, poll(postern))
      assert.ok(siem.taken.length >= ids.length)
    })
  })

  it('does not skip an entry whose transaction commits after later ones have been sent', async (test) => {
    if (engine === 'sqlite') return test.skip('the next transaction waits for the one before it')
    await withStream(async ({ postern, siem }) => {
      const { database } = postern.app
      const [written, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const early = newEmail('early')
      const slow = database.tx(async (tx) => {
        await audit(tx, localTrail(postern.clock.now()), { action: 'sign_in.failed', targetId: early })
        written.resolve()
        await gate.promise
      })
      await within('an entry to be written', written.promise)
      const later = await write(postern)
      await siem.has([later], poll(postern))
      gate.resolve()
      await slow
      const id = await idOf(postern.app, early)
      assert.ok(id < later)
      await siem.has([id], poll(postern))
    })
  })

  test('is paused, resumed, tested, and given another secret; the one before signs beside it for a day', async () => {
    await withStream(async ({ postern, calls, siem, id, secret }) => {
      const paused = await calls.patch(`${PATH}/${id}`, { paused: true })
      assert.equal(paused.body.status, 'paused')
      const tested = await calls.post(`${PATH}/${id}/test`)
      assert.deepEqual(
        { ...tested.body, durationMs: 0 },
        { taken: true, status: 200, reason: null, durationMs: 0 },
      )
      assert.ok(siem.pages.some(({ entries }) => entries[0]?.action === 'audit_stream.tested'))
      siem.pages.length = 0
      siem.answer = () => 500
      const failed = await calls.post(`${PATH}/${id}/test`)
      assert.deepEqual([failed.body.taken, failed.body.status, failed.body.reason], [false, 500, 'http_500'])
      siem.answer = () => 200
      const rotated = await calls.post(`${PATH}/${id}/rotate-secret`)
      assert.equal(rotated.status, 200, rotated.text)
      // A receiver that knows the older secret alone, and reads our own header.
      siem.answer = (page) => (isSigned(page, secret) ? 200 : 401)
      const written = await write(postern)
      assert.ok(!siem.taken.some((entry) => entry.id === written))
      await calls.patch(`${PATH}/${id}`, { paused: false })
      await siem.has([written], poll(postern))
      siem.answer = (page) => (isSigned(page, rotated.body.secret) ? 200 : 401)
      await siem.has([await write(postern)], poll(postern))
      postern.clock.advance(DAY)
      await siem.has([await write(postern)], poll(postern))
      assert.ok(!String(siem.pages.at(-1)?.headers['webhook-signature']).includes(' '))
      const actions = (await readAll(calls, `/v1/operator/audit-log?target=${id}`)).map(
        ({ action }) => action,
      )
      for (const action of ['audit_stream.created', 'audit_stream.updated', 'audit_stream.rotated'])
        assert.ok(actions.includes(action), action)
    })
  })

  it('is one of three at most, each with its own marks; one that was deleted leaves none', async () => {
    const [postern, calls] = [await server(), await operator()]
    const siems = [await startSiem(), await startSiem(), await startSiem()]
    const [first, second, third] = [
      await streamTo(calls, siems[0] as Siem),
      await streamTo(calls, siems[1] as Siem),
      await streamTo(calls, siems[2] as Siem),
    ]
    const limit = { reason: 'too_many_audit_streams', limit: 3 }
    assertError(await calls.post(PATH, { name: 'one more', url: siems[0]?.url }), 'FORBIDDEN', limit)
    // One that fails holds up no other.
    if (siems[0]) siems[0].answer = () => 500
    const ids = [await write(postern), await write(postern)]
    for (const siem of siems.slice(1)) await siem.has(ids, poll(postern))
    for (const { id } of [first, second, third]) {
      assert.equal((await calls.delete(`${PATH}/${id}`)).status, 204)
      assertError(await calls.delete(`${PATH}/${id}`), 'ENTITY_NOT_FOUND')
    }
    assert.deepEqual((await calls.get(PATH)).body.data, [])
    const { db } = postern.app.database
    await untilGone(postern)
    const marked = await db.selectFrom('audit').select('id').where('unsent', 'is not', null).execute()
    assert.deepEqual(marked, [])
    assert.deepEqual(await db.selectFrom('audit_stream_secret').select('hint').execute(), [])
  })

  test('takes no URL that could not be called, and no header that a request sets itself', async () => {
    const calls = await operator()
    const asked = { name: 'SIEM', url: 'https://siem.acme.test/' }
    for (const [url, reason] of [
      ['ftp://siem.acme.test/', 'scheme'],
      ['https://user:a-password@siem.acme.test/', 'credentials'],
      ['siem.acme.test', 'not_a_url'],
    ]) {
      const answer = await calls.post(PATH, { ...asked, url })
      assertError(answer, 'VALIDATION_FAILED', { field: 'url', reason })
      assert.ok(!answer.text.includes('a-password'))
    }
    for (const name of [
      'Content-Type',
      'webhook-signature',
      'X-Service-Signature',
      'host',
      'x-forwarded-for',
    ])
      assertError(await calls.post(PATH, { ...asked, headers: { [name]: 'x' } }), 'VALIDATION_FAILED', {
        ...{ field: `headers.${name}`, reason: 'not_allowed' },
      })
    assertError(
      await calls.post(PATH, { ...asked, headers: { authorization: 'a\r\nsecret' } }),
      'VALIDATION_FAILED',
    )
    const person = await administrator(await server())
    assertError(await callsOf(await server(), person.token).get(PATH), 'UNAUTHORIZED')
  })

  it('reads its pages by an index of its own', async () => {
    const postern = await server()
    const { database } = postern.app
    await database.tx(async (tx) => {
      const [numbers, id] =
        engine === 'sqlite'
          ? [
              sql`(with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000) select i from n) as n`,
              sql`printf('aud_%08d', i)`,
            ]
          : [sql`generate_series(1, 20000) as n (i)`, sql`'aud_' || lpad(i::text, 8, '0')`]
      await sql`insert into audit (id, action, details, ip, user_agent, request_id, created_at)
        select ${id}, 'sign_in.failed', '{}', '', '', '', 0 from ${numbers}`.execute(tx)
    })
    const plan = engine === 'sqlite' ? 'explain query plan' : 'explain'
    const { rows } =
      await sql`${sql.raw(plan)} select * from audit where (unsent & 2) = 2 order by id limit 500`.execute(
        database.db,
      )
    assert.match(JSON.stringify(rows), /audit_unsent_2/)
  })

  it('has retention wait for it, up to 30 days longer than for others, and counts what it then did not get', async () => {
    await withStream(async ({ postern, calls, siem, id }) => {
      await calls.patch(`${PATH}/${id}`, { paused: true })
      const waiting = await write(postern)
      const { database } = postern.app
      const log = { warn: () => {}, error: (data: object) => assert.fail(JSON.stringify(data)) }
      const sweep = async () => {
        const parts = { database, clock: postern.clock, log, chores: [] }
        const housekeeping = createHousekeeping({
          ...parts,
          retention: { retentionDays: 30, auditDays: 400 },
        })
        housekeeping.start()
        await housekeeping.stop()
        await expireMarks({ database, auditDays: 400, log }, postern.clock.now())
      }
      const isThere = async () =>
        (
          await database.db
            .selectFrom('audit')
            .select('id')
            .where('id', '=', waiting as Id<'audit'>)
            .execute()
        ).length === 1
      postern.clock.advance(401 * DAY)
      await sweep()
      assert.ok(await isThere())
      assert.equal((await stateOf(id)).lost, 0)
      postern.clock.advance(30 * DAY)
      await sweep()
      await until(
        async () => {
          await sweep()
          return isThere()
        },
        (is) => !is,
      )
      assert.ok((await stateOf(id)).lost >= 1)
      await calls.patch(`${PATH}/${id}`, { paused: false })
      await siem.has([await write(postern)], poll(postern))
    })
  })
})

onBothEngines('a stream of the audit log, where processes are killed', (engine) => {
  it('repeats a page that was posted and not noted, and loses none', async () => {
    const store = await readyStore(engine)
    const env = { ...store, OPERATOR_TOKEN, DEFAULT_PLAN: 'unlimited' }
    const siem = await startSiem()
    const first = await startProcess(env)
    const at = (url: string) => async (method: string, path: string, body?: object) => {
      const answer = await fetch(url + path, {
        ...{
          method,
          headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      assert.ok(answer.ok, `${path} ${answer.status}`)
      return (await answer.json()) as { data: StreamedEntry[] }
    }
    // The receiver takes the page, and its answer never arrives.
    const killed = new Promise<void>((resolve) => {
      siem.answer = async ({ entries }) => {
        siem.answer = () => 200
        siem.taken.push(...entries)
        await first.kill()
        resolve()
        return undefined
      }
    })
    await at(first.url)('POST', PATH, { name: 'SIEM', url: siem.url })
    await within('the process to be killed', killed)
    const before = siem.taken.map(({ id }) => id)
    assert.ok(before.length > 0)
    const second = await startPostern(engine, { env0: env })
    const ask = at(second.url)
    await ask('POST', '/v1/operator/organizations', { name: `Later ${newEmail()}` })
    const all = (await ask('GET', '/v1/operator/audit-log?limit=100')).data
    const begun = all.findIndex(({ action }) => action === 'audit_stream.created')
    const ids = all.slice(0, begun + 1).map(({ id }) => id)
    await siem.has(ids)
    // What the first process had posted came once more.
    const times = siem.taken.filter(({ id }) => id === before[0]).length
    assert.equal(times, 2)
    await second.stop()
  })
})
