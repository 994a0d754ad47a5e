import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { toIso } from '#src/core/clock.ts'
import { newId } from '#src/core/id.ts'
import { hashToken, openVault } from '#src/core/secret.ts'
import type { Tx } from '#src/db/engine/handles.ts'
import { MIGRATIONS } from '#src/db/migrations/migrations.ts'
import { sealContext } from '#src/db/sealed.ts'
import { bodyFingerprint } from '#src/http/body/body-fingerprint.ts'
import { assertError } from '../support/attacks.ts'
import { testClock } from '../support/clock.ts'
import { watchLive } from '../support/live-stream.ts'
import { olderStore } from '../support/older-store.ts'
import { onBothEngines, startPostern } from '../support/postern.ts'

const SECRET_KEY = 'a master key of this test, long enough for it'
/** The schema before service accounts. */
const BEFORE = MIGRATIONS.findIndex(({ name }) => name === 'service accounts')
/** Keys of that time: base64url, without a checksum. */
const KEYS = { machine: `psk_${'m-'.repeat(22).slice(1)}`, heir: `psk_${'h_'.repeat(22).slice(1)}` }
const DEFINITION = {
  ...{
    instructions: '',
    model: 'extractive',
    knowledgeBaseIds: [],
    tools: [],
    maxSteps: 12,
    maxOutputTokens: 2_048,
  },
  ...{ timeoutMs: 600_000, onLength: 'keep', onModelFailure: 'fail', fallbackModel: null, parameters: {} },
}
const TITLE = { title: 'said before the upgrade' }

const clock = testClock()
const now = clock.now()
const ids = {
  organization: newId('organization', now),
  ada: newId('account', now),
  gone: newId('account', now),
  machine: newId('apiKey', now),
  heir: newId('apiKey', now),
  // Made beside the others: ids of one moment are in their order until another moment has had one.
  orphan: newId('apiKey', now),
  invitation: newId('invitation', now),
  invited: newId('account', now),
  conversation: newId('conversation', now),
  answered: newId('conversation', now),
  audit: newId('audit', now),
  event: newId('event', now),
  agent: newId('agent', now),
  run: newId('run', now),
  file: newId('file', now),
}
const svc = (key: string) => key.replace('key_', 'svc_')

/** What the program of that time has written: two keys, and one of everything that the first one owns or has done. */
async function fill(tx: Tx): Promise<void> {
  const insert = (table: string, row: Record<string, unknown>) => {
    const names = Object.keys(row).map((name) => sql.ref(name))
    return sql`insert into ${sql.table(table)} (${sql.join(names)}) values (${sql.join(Object.values(row))})`.execute(
      tx,
    )
  }
  const of = { organization_id: ids.organization, created_at: now }
  await insert('organization', { id: ids.organization, name: 'Acme', plan: 'unlimited', created_at: now })
  for (const [name, id] of Object.entries({ ada: ids.ada, gone: ids.gone, invited: ids.invited }))
    await insert('account', {
      ...{ id, email: `${name}@acme.test`, status: name === 'invited' ? 'inactive' : 'active' },
      ...{ first_name: 'Ada', last_name: 'Lovelace', created_at: now, updated_at: now },
    })
  await insert('membership', { ...of, account_id: ids.ada, role: 'administrator' })
  const key = { ...of, role: 'administrator' }
  const machine = { name: 'machine', created_by: ids.ada, last_used_at: now - 5 }
  await insert('api_key', {
    ...key,
    ...machine,
    id: ids.machine,
    key_hash: hashToken(KEYS.machine),
    hint: 'm-m-',
  })
  const heir = { name: 'heir', role: 'member', created_by: ids.machine }
  await insert('api_key', { ...key, ...heir, id: ids.heir, key_hash: hashToken(KEYS.heir), hint: 'h_h_' })
  const orphan = { id: ids.orphan, name: 'orphan', created_by: ids.gone }
  await insert('api_key', { ...key, ...orphan, key_hash: 'unknown', hint: '0000' })
  await insert('invitation', {
    ...{ ...of, id: ids.invitation, account_id: ids.invited, email: 'invited@acme.test', role: 'member' },
    ...{ inviter_id: ids.machine, status: 'pending', token_hash: 'unknown', mailed: 1 },
    ...{ lifetime_ms: 1e9, expires_at: now + 1e9 },
  })
  for (const [id, owner_id] of [
    [ids.conversation, ids.machine],
    [newId('conversation', now), ids.heir],
    [newId('conversation', now), ids.ada],
  ])
    await insert('conversation', { ...of, id, owner_id, title: 'of its owner', turns: 0, updated_at: now })
  await insert('agent', {
    ...of,
    id: ids.agent,
    name: 'Helper',
    version: 1,
    status: 'active',
    created_by: ids.machine,
    updated_at: now,
  })
  const version = {
    version: 1,
    definition: JSON.stringify(DEFINITION),
    created_by: ids.machine,
    created_at: now,
  }
  await insert('agent_version', { agent_id: ids.agent, ...version })
  await insert('run', {
    ...{ ...of, id: ids.run, agent_id: ids.agent, agent_version: 1, owner_id: ids.heir, status: 'cancelled' },
    ...{ input: 'Hello', file_ids: '[]', metadata: '{}', left_ms: 0, updated_at: now },
  })
  await insert('audit', {
    ...{ ...of, id: ids.audit, actor_id: ids.machine, action: 'agent.created', target_id: ids.agent },
    ...{ details: '{}', ip: '127.0.0.1', user_agent: '', request_id: newId('request', now) },
  })
  await insert('publisher', { organization_id: ids.organization, actor_id: ids.machine })
  const envelope = { id: ids.event, type: 'order.paid', createdAt: toIso(now), data: {} }
  await insert('event', {
    ...{ ...of, id: ids.event, type: 'order.paid', body: Buffer.from(JSON.stringify(envelope)) },
    publisher: sql`(select max(number) from publisher)`,
  })
  const scope = `${ids.organization} ${ids.heir} POST /v1/conversations`
  const moments = { createdAt: toIso(now), updatedAt: toIso(now) }
  const made = { id: ids.answered, ...TITLE, turns: 0, createdBy: ids.heir, ...moments }
  const answer = { status: 201, body: made }
  await insert('idempotency', {
    ...{ scope, key: 'once', fingerprint: await bodyFingerprint(TITLE), status: 201, created_at: now },
    answer: openVault(SECRET_KEY).seal(JSON.stringify(answer), sealContext('idempotency', scope, 'once')),
  })
  await insert('stream', { organization_id: ids.organization, last: 7, floor: 3, watched_until: now })
  await insert('stream_change', {
    ...{ organization_id: ids.organization, subject_id: ids.run, sequence: 6, kind: 'run', about: ids.heir },
    ...{ data: '{}', at: now },
  })
}

onBothEngines('a store from before service accounts', (engine) => {
  it('keeps its keys, each with a service account that owns and has done what the key had', async () => {
    const store = await olderStore(engine, BEFORE, fill)
    const postern = await startPostern(engine, { clock, env0: store, env: { SECRET_KEY } })
    try {
      const as = (token: string) => ({
        get: async (path: string) => {
          const answer = await postern.client().get(path, { token })
          assert.equal(answer.status, 200, answer.text)
          return answer.body
        },
      })
      const [machine, heir] = [as(KEYS.machine), as(KEYS.heir)]

      const keys = (await machine.get('/v1/api-keys')).data as Record<string, string>[]
      assert.deepEqual(
        keys.map(({ name, serviceAccountId, createdBy, createdWith }) => [
          name,
          serviceAccountId,
          createdBy,
          createdWith,
        ]),
        [
          ['orphan', svc(ids.orphan), ids.gone, null],
          ['heir', svc(ids.heir), svc(ids.machine), ids.machine],
          ['machine', svc(ids.machine), ids.ada, null],
        ],
      )
      const accounts = (await machine.get('/v1/service-accounts')).data as Record<string, string>[]
      assert.deepEqual(
        accounts.map(({ name, ownerId, createdBy }) => [name, ownerId, createdBy]),
        [
          ['orphan', null, ids.gone],
          ['heir', null, svc(ids.machine)],
          ['machine', ids.ada, ids.ada],
        ],
      )

      // A key of a member sees what it owns, and nothing of others.
      const own = (await heir.get('/v1/conversations')).data as { id: string }[]
      assert.equal(own.length, 1)
      assert.equal((await heir.get(`/v1/runs/${ids.run}`)).createdBy, svc(ids.heir))
      assert.equal((await machine.get(`/v1/conversations/${ids.conversation}`)).createdBy, svc(ids.machine))
      assert.equal((await machine.get(`/v1/agents/${ids.agent}`)).createdBy, svc(ids.machine))
      assert.equal((await machine.get(`/v1/invitations/${ids.invitation}`)).inviterId, svc(ids.machine))
      const [event] = (await machine.get(`/v1/events?actor=${svc(ids.machine)}`)).data
      assert.deepEqual([event.id, event.actorId], [ids.event, svc(ids.machine)])
      const [entry] = (await machine.get(`/v1/audit-log?actor=${svc(ids.machine)}&action=agent.created`)).data
      assert.deepEqual([entry.id, entry.keyId], [ids.audit, ids.machine])
      const names = (await machine.get(`/v1/actors?ids=${ids.machine},${svc(ids.machine)}`)).data
      assert.deepEqual(names.map(({ name }: { name: string }) => name).sort(), ['machine', 'machine'])

      // A repetition across the upgrade gets the answer of before.
      const call = { token: KEYS.heir, headers: { 'idempotency-key': 'once' } }
      const repeated = await postern.client().post('/v1/conversations', TITLE, call)
      assert.deepEqual([repeated.status, repeated.body.id], [201, ids.answered], repeated.text)
      assert.equal(repeated.headers.get('idempotent-replayed'), 'true')

      // A reader that reconnects is told to read anew, because the changes before the upgrade named the keys.
      const stream = await watchLive(postern.url, KEYS.heir, { after: '4' })
      await stream.sees('a gap', ({ event }) => event === 'gap')
      stream.leave()

      const deleted = await postern.client().delete(`/v1/api-keys/${ids.machine}`, { token: KEYS.machine })
      assert.equal(deleted.status, 204, deleted.text)
      assertError(await postern.client().get('/v1/organizations', { token: KEYS.machine }), 'UNAUTHORIZED')
      const { rows } = await sql<{ status: string }>`select status from invitation`.execute(
        postern.app.database.db,
      )
      assert.deepEqual(
        rows.map(({ status }) => status),
        ['revoked'],
      )
    } finally {
      await postern.stop()
    }
  })
})
