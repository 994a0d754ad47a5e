import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '#src/core/errors.ts'
import { LIFETIME } from '#src/core/limits.ts'
import { openVault } from '#src/core/secret.ts'
import type { Database } from '#src/db/database.ts'
import { createOnce, hasKey, type Once } from '#src/http/idempotency.ts'
import { permissionsOf } from '#src/http/permissions.ts'
import { useDatabase } from '../support/database.ts'
import { onBothEngines } from '../support/store.ts'

const NOW = 1_795_000_000_000
const vault = openVault('a key of a test that is long enough')

interface Request {
  key?: string | string[]
  body?: unknown
  now?: number
  method?: string
  url?: string
  organizationId?: string
  actorId?: string
  /** Of its key, as a column holds them. */
  scopes?: string
  isOperator?: boolean
}

/** What a client sees of an answer. */
interface Seen {
  status: number
  headers: Record<string, string>
  body: unknown
}

function requestOf(request: Request): FastifyRequest {
  const {
    key,
    body = null,
    now = NOW,
    method = 'POST',
    url = '/v1/things',
    organizationId = 'org_1',
    actorId = 'svc_1',
    scopes = null,
    isOperator = false,
  } = request
  const permissions = permissionsOf('administrator', scopes)
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  return {
    headers,
    body,
    now,
    method,
    url,
    principal: isOperator
      ? { kind: 'installation' }
      : { kind: 'apiKey', organizationId, actorId, permissions },
  } as unknown as FastifyRequest
}

function isRefusal(code: string, details: object) {
  return (error: unknown) => {
    assert.ok(error instanceof ApiError, String(error))
    assert.deepEqual({ code: error.code, details: error.details }, { code, details })
    return true
  }
}

const anotherBody = (value: string) =>
  isRefusal('VALIDATION_FAILED', { field: 'Idempotency-Key', value, reason: 'used_with_another_body' })

onBothEngines('what is done once for each Idempotency-Key', (engine) => {
  const open = useDatabase(engine)
  let database: Database
  let once: Once
  /** How often the effect was made, and prepared. */
  let made: number
  let prepared: number
  beforeEach(async () => {
    database = await open()
    await database.tx((tx) => tx.deleteFrom('idempotency').execute())
    once = createOnce({ database, vault })
    made = 0
    prepared = 0
  })

  /** One request, whose effect tells how often it was made. */
  async function ask(request: Request, { by = once, fails = false } = {}): Promise<Seen> {
    const { reply, seen } = replyOf()
    const body = await by(requestOf(request), reply, async () => {
      made += 1
      if (fails) throw new Error('the effect failed')
      return {
        status: 201,
        body: { made, secret: 'psk_secret' },
        headers: { location: `/v1/things/${made}` },
      }
    })
    return { ...seen, body }
  }

  /** As `ask`, for an effect that needs something prepared. */
  async function askPrepared(request: Request, { on = database, fails = false } = {}): Promise<unknown> {
    return createOnce({ database: on, vault })(
      requestOf(request),
      replyOf().reply,
      async (_tx, value: string) => {
        made += 1
        if (fails) throw new Error('the effect failed')
        return { status: 201, body: { made, value } }
      },
      async () => {
        prepared += 1
        return `prepared ${prepared}`
      },
    )
  }

  const fresh = (count: number): Seen => ({
    status: 201,
    headers: { location: `/v1/things/${count}` },
    body: { made: count, secret: 'psk_secret' },
  })
  const replayed = (count: number): Seen => ({
    ...fresh(count),
    headers: { 'idempotent-replayed': 'true', location: `/v1/things/${count}` },
  })
  const rows = () => database.db.selectFrom('idempotency').selectAll().execute()

  it('is everything, for a request without a key', async () => {
    assert.deepEqual(await ask({}), fresh(1))
    assert.deepEqual(await ask({}), fresh(2))
    assert.deepEqual(await askPrepared({}), { made: 3, value: 'prepared 1' })
    assert.deepEqual(await rows(), [])
    assert.equal(hasKey(requestOf({})), false)
    assert.equal(hasKey(requestOf({ key: 'a' })), true)
  })

  it('is answered again as it was the first time', async () => {
    assert.deepEqual(await ask({ key: 'a', body: { name: 'x' } }), fresh(1))
    assert.deepEqual(await ask({ key: 'a', body: { name: 'x' } }), replayed(1))
    // By another process, or after a restart.
    const elsewhere = createOnce({ database, vault })
    assert.deepEqual(await ask({ key: 'a', body: { name: 'x' } }, { by: elsewhere }), replayed(1))
    assert.equal(made, 1)
  })

  it('has answers without headers and without a body, too', async () => {
    for (const count of [1, 2]) {
      const { reply, seen } = replyOf()
      const answer = await once(requestOf({ key: 'a' }), reply, async () => ({ status: 204, body: null }))
      assert.equal(answer, null)
      assert.deepEqual(seen, { status: 204, headers: count === 1 ? {} : { 'idempotent-replayed': 'true' } })
    }
  })

  it('is kept sealed, with its moment and its status', async () => {
    await ask({ key: 'a' })
    const [row, ...others] = await rows()
    assert.deepEqual([row?.key, row?.status, row?.created_at, others], ['a', 201, NOW, []])
    assert.ok(!JSON.stringify(row).includes('psk_'))
    const stranger = createOnce({ database, vault: openVault('another key of a test, also long enough') })
    await assert.rejects(ask({ key: 'a' }, { by: stranger }))
  })

  it('is another thing for another key, organization, actor, scopes, method or path, whatever the query', async () => {
    const others: Request[] = [
      { key: 'a' },
      { key: 'b' },
      { key: 'a', organizationId: 'org_2' },
      { key: 'a', actorId: 'acc_1' },
      { key: 'a', scopes: '["keys:write"]' },
      { key: 'a', scopes: '["keys:write","events:write"]' },
      { key: 'a', isOperator: true },
      { key: 'a', method: 'PUT' },
      { key: 'a', url: '/v1/things/1' },
    ]
    for (const [index, other] of others.entries()) assert.deepEqual(await ask(other), fresh(index + 1))
    for (const [index, other] of others.entries()) assert.deepEqual(await ask(other), replayed(index + 1))
    assert.deepEqual(await ask({ key: 'a', url: '/v1/things?x=/v1/other?' }), replayed(1))
  })

  it('is refused with another body, and stays what it was', async () => {
    await ask({ key: 'a', body: { name: 'x' } })
    await assert.rejects(ask({ key: 'a', body: { name: 'y' } }), anotherBody('a'))
    await assert.rejects(ask({ key: 'a' }), anotherBody('a'))
    await assert.rejects(askPrepared({ key: 'a' }), anotherBody('a'))
    assert.deepEqual([made, prepared], [1, 0])
    assert.deepEqual(await ask({ key: 'a', body: { name: 'x' } }), replayed(1))
  })

  it('is kept for its time, and then done anew', async () => {
    await ask({ key: 'a', body: 1 })
    const end = NOW + LIFETIME.idempotencyKey
    assert.deepEqual(await ask({ key: 'a', body: 1, now: end - 1 }), replayed(1))
    await ask({ key: 'other', now: end })
    assert.deepEqual(await ask({ key: 'a', body: 2, now: end }), fresh(3))
    assert.deepEqual(await ask({ key: 'a', body: 2, now: end + 1 }), replayed(3))
  })

  it('is nothing where the effect failed: the same key may try again, with another body too', async () => {
    await assert.rejects(ask({ key: 'a' }, { fails: true }), /the effect failed/)
    assert.deepEqual(await rows(), [])
    assert.deepEqual(await ask({ key: 'a', body: 'another' }), fresh(2))
    await assert.rejects(askPrepared({ key: 'b' }, { fails: true }), /the effect failed/)
    assert.deepEqual(await askPrepared({ key: 'b' }), { made: 4, value: 'prepared 2' })
  })

  it('is refused while it is under way, and by nobody else’s doing', async () => {
    const going = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const first = once(
      requestOf({ key: 'a' }),
      replyOf().reply,
      async () => ({ status: 201, body: 'first' }),
      async () => {
        begun.resolve()
        await going.promise
      },
    )
    await begun.promise
    const running = isRefusal('DUPLICATE', { field: 'Idempotency-Key', reason: 'still_running' })
    await assert.rejects(ask({ key: 'a' }), running)
    assert.equal((await ask({ key: 'b' })).status, 201)
    assert.equal((await ask({ key: 'a', organizationId: 'org_2' })).status, 201)
    going.resolve()
    assert.equal(await first, 'first')
    assert.equal((await ask({ key: 'a' })).body, 'first')
  })

  it('is made once by two processes that are asked at once', async () => {
    const processes = [1, 2, 3].map(() => createOnce({ database, vault }))
    const seen = await Promise.all(processes.map((by) => ask({ key: 'a' }, { by })))
    assert.equal(made, 1)
    assert.deepEqual(seen.map(({ headers }) => headers['idempotent-replayed'] ?? 'fresh').sort(), [
      'fresh',
      'true',
      'true',
    ])
  })

  it('is prepared once, and not for a repetition', async () => {
    const first = { made: 1, value: 'prepared 1' }
    assert.deepEqual(await askPrepared({ key: 'a' }), first)
    assert.deepEqual(await askPrepared({ key: 'a' }), first)
    const last = NOW + LIFETIME.idempotencyKey - 1
    assert.deepEqual(await askPrepared({ key: 'a', now: last }), first)
    assert.equal(prepared, 1)
    assert.deepEqual(await askPrepared({ key: 'a', organizationId: 'org_2' }), {
      made: 2,
      value: 'prepared 2',
    })
    assert.deepEqual(await askPrepared({ key: 'a', now: last + 1 }), { made: 3, value: 'prepared 3' })
  })

  it('is prepared when an answer ends between the question for it and the transaction', async () => {
    const removing: Database = {
      ...database,
      async tx(work) {
        await database.tx((tx) => tx.deleteFrom('idempotency').execute())
        return database.tx(work)
      },
    }
    assert.deepEqual(await askPrepared({ key: 'a' }), { made: 1, value: 'prepared 1' })
    assert.deepEqual(await askPrepared({ key: 'a' }, { on: removing }), { made: 2, value: 'prepared 2' })
  })

  it('has a key of 1 to 255 visible characters, with spaces only between them', async () => {
    for (const key of ['x', '!', '~', 'a b', 'x'.repeat(255), `!${' '.repeat(253)}~`])
      assert.equal((await ask({ key })).status, 201, key)
    const none = ['', ' ', ' a', 'a ', 'é', 'a\tb', 'a\nb', 'xé', 'x\u007f', 'x'.repeat(256)]
    for (const key of none)
      await assert.rejects(
        ask({ key }),
        isRefusal('VALIDATION_FAILED', { field: 'Idempotency-Key', value: key }),
      )
    await assert.rejects(
      ask({ key: 'y'.repeat(300) }),
      isRefusal('VALIDATION_FAILED', { field: 'Idempotency-Key', value: 'y'.repeat(256) }),
    )
    await assert.rejects(
      ask({ key: ['a', 'b'] }),
      isRefusal('VALIDATION_FAILED', { field: 'Idempotency-Key', value: 'a,b' }),
    )
  })
})

/** A reply that remembers what it was told. */
function replyOf(): { reply: FastifyReply; seen: Omit<Seen, 'body'> } {
  const seen: Omit<Seen, 'body'> = { status: 0, headers: {} }
  const reply = {
    code(status: number) {
      seen.status = status
      return reply
    },
    header(name: string, value: string) {
      seen.headers[name] = value
      return reply
    },
    headers(more: Record<string, string>) {
      Object.assign(seen.headers, more)
      return reply
    },
  }
  return { reply: reply as unknown as FastifyReply, seen }
}
