import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runCommand } from '#src/cli/command.ts'
import { administrator, apiKey, member, newEmail } from './support/people.ts'
import {
  onBothEngines,
  type Postern,
  postern,
  startPostern,
  testOnOneEngineByDay,
  usePostern,
} from './support/postern.ts'
import { startReceiver } from './support/receiver.ts'
import { callsOf } from './support/webhook-calls.ts'
import { RUN } from './support/webhooks.ts'

const EVENT = { type: 'agent.run.completed', data: RUN }

/** As `postern`, with a person at the terminal who answers so. */
async function asked({ env }: Postern, answer: string, ...args: string[]) {
  const said: string[] = []
  const questions: string[] = []
  const code = await runCommand(args, {
    env,
    print: (line) => said.push(line),
    complain: (line) => said.push(line),
    async ask(question) {
      questions.push(question)
      return answer
    },
  })
  return { code, said: said.join('\n'), questions }
}

const listed = async (running: Postern) =>
  JSON.parse((await postern(running, 'organizations', '--json')).out) as { name: string; members: number }[]

onBothEngines('postern organizations', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  it('lists them by name, with what each has', async () => {
    const running = await server()
    const name = `Listed ${newEmail()}`
    const admin = await administrator(running, name)
    await member(running, admin)
    const [found] = (await listed(running)).filter((one) => one.name === name)
    assert.equal(found?.members, 2)
    assert.match(
      (await postern(running, 'organizations')).out,
      new RegExp(`^${admin.organizationId} .* ${name}: plan unlimited, 2 members, 0 webhooks$`, 'm'),
    )
  })

  test('renames one, unless there is another of that name', async () => {
    const running = await server()
    const [before, after, other] = ['Before', 'After', 'Other'].map((word) => `${word} ${newEmail()}`) as [
      string,
      string,
      string,
    ]
    const admin = await administrator(running, before)
    await administrator(running, other)
    const refused = await postern(running, 'organizations', '--rename', before, '--to', other)
    assert.deepEqual([refused.code, refused.err], [1, `There is an organization "${other}" already.`])
    const renamed = await postern(running, 'organizations', '--rename', before, '--to', after)
    assert.deepEqual([renamed.code, renamed.out], [0, `"${before}" is named "${after}" now.`])
    const { body } = await running.client().get('/v1/organizations', { token: admin.token })
    assert.deepEqual(
      body.data.map((one: { name: string }) => one.name),
      [after],
    )
    const gone = await postern(running, 'organizations', '--rename', before, '--to', other)
    assert.match(gone.err, new RegExp(`^There is no organization "${before}"\\.`))
  })

  it('identifies one, finds it by that, and takes the id away', async () => {
    const running = await server()
    const [name, other] = [`Identified ${newEmail()}`, `Other ${newEmail()}`]
    const externalId = `cus-${newEmail()}`
    await administrator(running, name)
    await administrator(running, other)
    const identify = (which: string, id: string) =>
      postern(running, 'organizations', '--identify', which, '--external-id', id)
    const found = async () => JSON.parse((await search('--json')).out) as { name: string }[]
    const search = (...more: string[]) =>
      postern(running, 'organizations', '--external-id', externalId, ...more)
    assert.equal((await search()).out, `There is no organization with the external id ${externalId}.`)
    assert.deepEqual((await identify(name, externalId)).out, `"${name}" has the external id ${externalId}.`)
    assert.deepEqual(
      (await found()).map((one) => one.name),
      [name],
    )
    assert.match((await search()).out, new RegExp(` ${name}: external id ${externalId}, plan unlimited, `))
    const refused = await identify(other, externalId)
    assert.deepEqual(
      [refused.code, refused.err],
      [1, `There is an organization with the external id ${externalId} already.`],
    )
    assert.equal((await identify(name, '')).out, `"${name}" has no external id any more.`)
    assert.deepEqual(await found(), [])
    for (const args of [
      ['--identify', name],
      ['--identify', name, '--external-id', 'a b'],
      ['--external-id', ''],
      ['--disable', name, '--external-id', externalId],
    ])
      assert.equal((await postern(running, 'organizations', ...args)).code, 2, args.join(' '))
  })

  test('deletes none before its name was typed once more, or --yes', async () => {
    const running = await server()
    const name = `Kept ${newEmail()}`
    await administrator(running, name)
    const nobody = await postern(running, 'organizations', '--delete', name)
    assert.deepEqual(
      [nobody.code, nobody.err],
      [1, `There is no terminal to confirm the deletion. Add --yes to delete "${name}" without a question.`],
    )
    const wrong = await asked(running, 'yes', 'organizations', '--delete', name)
    assert.equal(wrong.code, 1)
    assert.deepEqual(wrong.questions, ['Type its name to delete it: '])
    assert.match(wrong.said, /has 1 member and 0 webhooks\. There is no way back\.\nThat is not its name/)
    assert.ok((await listed(running)).some((one) => one.name === name))
    for (const args of [
      ['--delete', name, '--rename', name],
      ['--rename', name],
      ['--to', name],
    ])
      assert.equal((await postern(running, 'organizations', ...args)).code, 2)
  })

  it('deletes one with everything that lets somebody in or sends something, and keeps the records', async () => {
    const running = await startPostern(engine)
    const destination = await startReceiver()
    const name = `Deleted ${newEmail()}`
    const admin = await administrator(running, name)
    const key = await apiKey(running, admin)
    const calls = callsOf(running, key)
    const made = await calls.post('/v1/webhooks', {
      url: destination.url,
      events: [EVENT.type],
      endpointPath: 'inbound-of-deleted',
    })
    assert.equal(made.status, 201, made.text)
    const inbound = () => running.client().post('/v1/webhooks/inbound-of-deleted', { from: 'outside' })
    assert.equal((await inbound()).status, 202)
    await destination.count(1)
    const invited = newEmail('invited')
    await calls.post('/v1/invitations', { email: invited })
    const { token: link } = await running.mailbox.next(invited)
    const preview = () => running.client().get(`/v1/invitations/preview?token=${link}`)
    assert.equal((await preview()).status, 200)
    assert.equal((await calls.get('/v1/billing/balance')).status, 200)
    const other = await administrator(running)

    const { code, said } = await asked(running, name, 'organizations', '--delete', name)
    assert.equal(code, 0, said)
    assert.match(said, new RegExp(`"${name}" is deleted\\. .* are kept, under ${admin.organizationId}\\.`))
    running.clock.advance(6_000)

    assert.equal((await preview()).status, 404)
    assert.equal((await calls.get('/v1/webhooks')).status, 401)
    assert.notEqual((await running.client().get('/v1/webhooks', { token: admin.token })).status, 200)
    assert.equal((await admin.client.get('/v1/auth/token')).status, 403)
    assert.equal((await inbound()).status, 404)
    assert.equal((await calls.post('/v1/events', EVENT)).status, 401)
    assert.equal(destination.received.length, 1)
    assert.ok((await listed(running)).every((one) => one.name !== name))
    assert.equal((await postern(running, 'plan', '--organization', name)).code, 1)
    assert.equal((await running.client().get('/v1/organizations', { token: other.token })).status, 200)
    const { db } = running.app.database
    const of = admin.organizationId as never
    for (const table of [
      ...(['membership', 'invitation', 'api_key', 'service_account'] as const),
      ...(['connection', 'credit_account'] as const),
    ])
      assert.deepEqual(
        await db.selectFrom(table).selectAll().where('organization_id', '=', of).execute(),
        [],
        table,
      )
    const kept = await db.selectFrom('audit').select('action').where('organization_id', '=', of).execute()
    assert.ok(kept.some(({ action }) => action === 'organization.deleted'))

    const repeated = await administrator(running, name)
    assert.notEqual(repeated.organizationId, admin.organizationId)
    await destination.stop()
    await running.stop()
  })

  test('deletes one for tokens that are believed without a look, too', async () => {
    const running = await startPostern(engine, { env: { TOKEN_CHECK: 'stateless' } })
    const destination = await startReceiver()
    const name = `Stateless ${newEmail()}`
    const admin = await administrator(running, name)
    const calls = callsOf(running, admin.token)
    assert.equal((await calls.get('/v1/billing/balance')).status, 200)
    const { code, said } = await asked(running, name, 'organizations', '--delete', name)
    assert.equal(code, 0, said)
    running.clock.advance(6_000)
    const hook = { url: destination.url, events: [EVENT.type], endpointPath: 'after-the-end' }
    assert.equal((await calls.post('/v1/webhooks', hook)).status, 401)
    assert.equal((await calls.post('/v1/events', EVENT)).status, 401)
    assert.equal((await calls.get('/v1/billing/balance')).status, 401)
    await destination.stop()
    await running.stop()
  })

  it('lets nobody make a webhook for one whose deletion was under way while its address was looked up', async () => {
    const { promise: isLookedUp, resolve: lookUp } = Promise.withResolvers<void>()
    const { promise: isFound, resolve: find } = Promise.withResolvers<void>()
    const running = await startPostern(engine, {
      async resolve() {
        lookUp()
        await isFound
        return [{ address: '127.0.0.1', family: 4 }]
      },
    })
    const name = `Looked up ${newEmail()}`
    const admin = await administrator(running, name)
    const late = callsOf(running, admin.token).post('/v1/webhooks', {
      url: 'http://slow.example.com/',
      events: [EVENT.type],
      endpointPath: 'late-of-deleted',
    })
    await isLookedUp
    const { code, said } = await asked(running, name, 'organizations', '--delete', name)
    assert.equal(code, 0, said)
    find()
    assert.equal((await late).status, 401)
    const inbound = await running.client().post('/v1/webhooks/late-of-deleted', { from: 'outside' })
    assert.equal(inbound.status, 404)
    await running.stop()
  })
})
