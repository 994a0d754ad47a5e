import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { findDomainOwner } from '#src/access/domains/proven-domain.ts'
import { DAY, HOUR, systemClock } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import { createTextServers } from '#src/net/name-servers.ts'
import { createTextResolver } from '#src/net/text-resolver.ts'
import { assertError } from '../support/attacks.ts'
import type { Client } from '../support/browser.ts'
import { type Said, startNameServer } from '../support/name-server.ts'
import { administrator } from '../support/people.ts'
import {
  OPERATOR_TOKEN,
  onBothEngines,
  type Postern,
  startPostern,
  testOnOneEngineByDay,
} from '../support/postern.ts'
import { until } from '../support/waits.ts'

let counter = 0
const newName = () => {
  counter += 1
  return `acme-${counter}.test`
}

onBothEngines('a domain of an organization', (engine) => {
  const test = testOnOneEngineByDay(engine)
  /** What the name server says of names below `_postern-challenge`. */
  const records = new Map<string, Said>()
  const publish = (record: { name: string; value: string }, ...beside: string[]) =>
    records.set(record.name, { texts: [...beside, record.value], ttl: 60 })
  let started: Promise<{ postern: Postern; stop: () => Promise<void> }> | undefined
  after(async () => (await started)?.stop())

  async function start() {
    const names = await startNameServer((name) => records.get(name))
    const ask = createTextServers(systemClock, [names.address])
    const postern = await startPostern(engine, {
      lookUpTexts: createTextResolver({ clock: systemClock, ask }),
    })
    const stop = async () => {
      await postern.stop()
      await names.stop()
    }
    return { postern, stop }
  }

  async function scene() {
    started ??= start()
    const { postern } = await started
    const admin = await administrator(postern)
    const client = postern.client()
    // A key: a token would not live as long as the clock of these tests goes.
    const wish = { name: 'for domains', role: 'administrator' }
    const key = await client.post('/v1/api-keys', wish, { token: admin.token })
    return { postern, organizationId: admin.organizationId, ...callsOf(client, String(key.body.key)) }
  }

  function callsOf(client: Client, token: string) {
    const get = (path: string) => client.get(path, { token })
    const post = (path: string, body: object = {}) => client.post(path, body, { token })
    const verify = async (id: string) => {
      const answer = await post(`/v1/domains/${id}/verify`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    }
    const claim = async (name = newName()) => {
      const answer = await post('/v1/domains', { name })
      assert.equal(answer.status, 201, answer.text)
      return answer.body
    }
    const actions = async (id: string) =>
      (await get(`/v1/audit-log?target=${id}`)).body.data.map(({ action }: { action: string }) => action)
    const problems = async () =>
      (await get('/v1/problems')).body.data.filter(({ kind }: { kind: string }) => kind === 'domain')
    return {
      get,
      post,
      verify,
      claim,
      actions,
      problems,
      remove: (id: string) => client.delete(`/v1/domains/${id}`, { token }),
    }
  }

  it('is proven by its record alone, among others, and says until then what is missing', async () => {
    const { postern, get, claim, verify, actions } = await scene()
    const domain = await claim()
    assert.deepEqual([domain.status, domain.reason, domain.checkedAt], ['pending', null, null])
    assert.equal(domain.record.name, `_postern-challenge.${domain.name}`)
    assert.deepEqual(
      [(await verify(domain.id)).status, (await verify(domain.id)).reason],
      ['pending', 'no_record'],
    )
    records.set(domain.record.name, {
      texts: ['postern-domain=of-another', `${domain.record.value}x`],
      ttl: 60,
    })
    assert.equal((await verify(domain.id)).reason, 'other_value')
    records.set(domain.record.name, 'failed')
    assert.equal((await verify(domain.id)).reason, 'no_answer')
    publish(domain.record, 'v=spf1 -all', 'x'.repeat(700))
    const proven = await verify(domain.id)
    assert.deepEqual([proven.status, proven.reason, proven.failingSince], ['verified', null, null])
    assert.deepEqual((await get(`/v1/domains/${domain.id}`)).body, proven)
    assert.deepEqual((await get('/v1/domains')).body.data, [proven])
    await verify(domain.id)
    assert.deepEqual(await actions(domain.id), ['domain.verified', 'domain.created'])
    const { db } = postern.app.database
    assert.equal((await findDomainOwner(db, `ada@${domain.name}`))?.domain_id, domain.id)
    assert.equal(await findDomainOwner(db, `ada@mail.${domain.name}`), undefined)
  })

  test('has one name in whatever script and case, and only a name with a dot is one', async () => {
    const { post, claim } = await scene()
    assert.equal((await claim('  Bücher-Ä.Test ')).name, 'xn--bcher--gua0q.test')
    assertError(await post('/v1/domains', { name: 'bücher-ä.test' }), 'DUPLICATE', { field: 'name' })
    for (const name of [
      'localhost',
      '10.0.0.1',
      'a@acme.test',
      '*.acme.test',
      'acme.test.',
      'acme..test',
      'acme .test',
      '_x.acme.test',
      'ａcme.test',
    ])
      assertError(await post('/v1/domains', { name }), 'VALIDATION_FAILED', { field: 'name' })
    assertError(await post('/v1/domains', { name: `${'a.'.repeat(200)}test` }), 'VALIDATION_FAILED')
  })

  it('may be claimed by many organizations and proven by one, also of several at once', async () => {
    const name = newName()
    const rivals = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const calls = await scene()
        return { ...calls, domain: await calls.claim(name) }
      }),
    )
    const [first] = rivals
    assert.ok(first)
    publish(first.domain.record, ...rivals.slice(1).map(({ domain }) => domain.record.value))
    const answers = await Promise.all(
      rivals.map(({ post, domain }) => post(`/v1/domains/${domain.id}/verify`)),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
    const at = answers.findIndex(({ status }) => status === 200)
    const [winner, loser] = [rivals[at], rivals[(at + 1) % 4]]
    assert.ok(winner && loser)
    assertError(await loser.post(`/v1/domains/${loser.domain.id}/verify`), 'DUPLICATE', {
      reason: 'proven_elsewhere',
    })
    assert.equal((await loser.get(`/v1/domains/${loser.domain.id}`)).body.status, 'pending')
    assert.equal((await winner.remove(winner.domain.id)).status, 204)
    assertError(await winner.get(`/v1/domains/${winner.domain.id}`), 'ENTITY_NOT_FOUND')
    assert.equal((await loser.verify(loser.domain.id)).status, 'verified')
  })

  it('is checked from time to time, and lost after seven days without its record, until it is proven anew', async () => {
    const { postern, get, claim, verify, actions, problems } = await scene()
    const { id, record } = await claim()
    publish(record)
    await verify(id)
    const statusAfter = (wait: number, status: string, checked: string | null = null) => {
      postern.clock.advance(wait)
      return until(
        async () => (await get(`/v1/domains/${id}`)).body,
        (domain) => domain.status === status && domain.checkedAt !== checked,
        { what: `a domain that is ${status}` },
      )
    }
    records.set(record.name, 'failed')
    const failing = await statusAfter(6 * HOUR, 'failing')
    assert.deepEqual([failing.reason, await problemStates()], ['no_answer', ['failing']])
    // Name servers that say nothing end no proof.
    const still = await statusAfter(8 * DAY, 'failing', failing.checkedAt)
    assert.deepEqual([still.failingSince, still.reason], [failing.failingSince, 'no_answer'])
    publish(record)
    await statusAfter(HOUR, 'verified', still.checkedAt)
    assert.deepEqual(await problemStates(), [])
    records.delete(record.name)
    const missing = await statusAfter(6 * HOUR, 'failing')
    assert.equal((await verify(id)).status, 'failing')
    assert.equal((await statusAfter(7 * DAY - HOUR, 'failing', missing.checkedAt)).reason, 'no_record')
    await statusAfter(HOUR, 'lost')
    assert.deepEqual(await problemStates(), ['lost'])
    const rival = await scene()
    const other = await rival.claim((await get(`/v1/domains/${id}`)).body.name)
    publish(other.record, record.value)
    assert.equal((await rival.verify(other.id)).status, 'verified')
    await rival.remove(other.id)
    assert.equal((await verify(id)).status, 'verified')
    assert.deepEqual(await actions(id), [
      ...['domain.verified', 'domain.lost', 'domain.failing', 'domain.verified', 'domain.failing'],
      ...['domain.verified', 'domain.created'],
    ])

    async function problemStates() {
      return (await problems()).map(({ state }: { state: string }) => state)
    }
  })

  it('is free for others when its organization has ended, and no check of it goes on', async () => {
    const { postern, organizationId, claim, verify } = await scene()
    const domain = await claim()
    publish(domain.record)
    await verify(domain.id)
    const { db } = postern.app.database
    const { name } = await db
      .selectFrom('organization')
      .select('name')
      .where('id', '=', organizationId as Id<'organization'>)
      .executeTakeFirstOrThrow()
    const path = `/v1/operator/organizations/${organizationId}?name=${encodeURIComponent(name)}`
    const ended = await postern.client().delete(path, { token: OPERATOR_TOKEN })
    assert.equal(ended.status, 204, ended.text)
    assert.equal(await findDomainOwner(db, `ada@${domain.name}`), undefined)
    const jobs = await db
      .selectFrom('job')
      .select('cancel_at')
      .where('organization_id', '=', organizationId as Id<'organization'>)
      .where('kind', '=', 'domain_check')
      .execute()
    assert.equal(jobs.length, 1)
    assert.ok(jobs.every(({ cancel_at }) => cancel_at !== null))
    const rival = await scene()
    const other = await rival.claim(domain.name)
    publish(other.record)
    assert.equal((await rival.verify(other.id)).status, 'verified')
  })

  it('is one of fifty at most', async () => {
    const { post, claim } = await scene()
    for (let at = 0; at < 50; at += 1) await claim()
    assertError(await post('/v1/domains', { name: newName() }), 'FORBIDDEN', {
      reason: 'too_many_domains',
      limit: 50,
    })
  })
})
