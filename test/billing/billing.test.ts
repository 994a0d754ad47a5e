import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, SECOND } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import { administrator, apiKey, member, newEmail, type Person } from '../support/people.ts'
import { plansFile } from '../support/plans.ts'
import { onBothEngines, type Postern, postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { until } from '../support/webhook-calls.ts'

const plan = (creditsPerCycle: number | null, price: number | null, modules = ['webhooks']) => ({
  requestsPerMinute: 1_000,
  modules,
  creditsPerCycle,
  price: price === null ? null : { amount: price, currency: 'eur' },
})
const PLANS = plansFile({
  plans: {
    free: plan(100, 0, []),
    team: plan(1_000, 2_500),
    given: plan(null, null),
  },
  creditPack: { credits: 50, price: { amount: 400, currency: 'eur' } },
})

onBothEngines('billing', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: { PLANS_FILE: PLANS, DEFAULT_PLAN: 'free' } })

  async function customer() {
    const running = await server()
    const name = newEmail('Org')
    const admin = await administrator(running, name)
    const run = (...args: string[]) => postern(running, 'credits', '--organization', name, ...args)
    return { running, name, admin, run, ...reader(running, admin) }
  }

  function reader(running: Postern, { token }: Pick<Person, 'token'>) {
    const get = (path: string) => running.client().get(`/v1/billing/${path}`, { token })
    return {
      get,
      balance: async () => (await get('balance')).body,
      entries: async () =>
        (await get('ledger')).body.data as { id: string; kind: string; amount: number; balance: number }[],
      checkOut: (item: object, headers: Record<string, string> = {}) =>
        running.client().post('/v1/billing/checkout', item, { token, headers }),
    }
  }

  it('gives a new organization the credits of its plan, and tells members too', async () => {
    const { running, admin } = await customer()
    const { balance } = reader(running, await member(running, admin))
    const { cycle, ...rest } = await balance()
    assert.deepEqual(rest, {
      balance: 100,
      reserved: 0,
      cycleCredits: 100,
      purchasedCredits: 0,
      unlimited: false,
      plan: 'free',
      creditsPerCycle: 100,
    })
    assert.match(cycle.startedAt, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
    assert.ok(cycle.renewsAt > cycle.startedAt)
  })

  test('lists what there is to buy', async () => {
    const { get } = await customer()
    const { body } = await get('plans')
    assert.deepEqual(
      body.data.map(({ name, price, current }: Record<string, unknown>) => [name, price, current]),
      [
        ['free', { amount: 0, currency: 'eur' }, true],
        ['team', { amount: 2_500, currency: 'eur' }, false],
        ['given', null, false],
      ],
    )
    assert.equal(body.cycle, 'month')
    assert.equal(body.paymentProvider, null)
    assert.deepEqual(body.creditPack, { credits: 50, price: { amount: 400, currency: 'eur' } })
    assert.deepEqual(body.actions, [
      { action: 'connection.fetch', credits: 1 },
      { action: 'file.process', credits: 1 },
      { action: 'document.index', credits: 1 },
      { action: 'run.step', credits: 1 },
    ])
  })

  it('sells credits that the operator settles, once', async () => {
    const { running, name, checkOut, balance, get } = await customer()
    const { status, body } = await checkOut({ credits: 150 })
    assert.equal(status, 200)
    const address = new URL(body.checkoutUrl)
    /** What the page of an address shows before its script runs. */
    const shows = async (query: string) => {
      const { text } = await running.client().get(`${address.pathname}${query}`)
      return [...text.matchAll(/<section data-step="(\w+)" aria-labelledby="[\w-]+">/g)].map(
        ([, step]) => step,
      )
    }
    assert.deepEqual(await shows(address.search), ['open'])
    for (const unknown of [
      '',
      '?id=',
      '?id=chk_01a1f855-0317-71b2-912e-3ea60190f866',
      '?id=a&id=b',
      '?id=%00',
    ])
      assert.deepEqual(await shows(unknown), ['unknown'], unknown)
    const open = await postern(running, 'credits')
    assert.match(open.out, new RegExp(`${body.checkoutId} .*${name}: 150 credits for €12\\.00`))
    const settle = () => postern(running, 'credits', '--settle', body.checkoutId)
    const both = await Promise.all([settle(), settle()])
    assert.deepEqual(both.map(({ code }) => code).sort(), [0, 1])
    assert.match((await settle()).err, /paid already; nothing has changed/)
    assert.deepEqual([(await balance()).purchasedCredits, (await balance()).balance], [150, 250])
    const checkout = (await get(`checkout/${body.checkoutId}`)).body
    assert.equal(checkout.status, 'paid')
    assert.deepEqual(await shows(address.search), ['paid'])
    assert.deepEqual([checkout.credits, checkout.plan, checkout.price.amount], [150, null, 1_200])
    assert.doesNotMatch((await postern(running, 'credits')).out, new RegExp(body.checkoutId))
  })

  it('sells plans: the limit, the modules and the credits beyond those of this cycle come with them', async () => {
    const { running, admin, checkOut, balance, entries } = await customer()
    await balance()
    assertError(await running.client().get('/v1/webhooks', { token: admin.token }), 'MODULE_NOT_ENABLED')
    const { body } = await checkOut({ plan: 'team' })
    const { out } = await postern(running, 'credits', '--settle', body.checkoutId)
    assert.match(out, /^Settled: plan team for €25\.00/)
    running.clock.advance(5 * SECOND)
    assert.equal((await running.client().get('/v1/webhooks', { token: admin.token })).status, 200)
    assert.equal((await balance()).balance, 1_000)
    // What costs nothing is there at once; going back and forth gives nothing twice.
    const back = await checkOut({ plan: 'free' })
    assert.match(back.body.checkoutUrl, /state=completed$/)
    assertError(await running.client().get('/v1/webhooks', { token: admin.token }), 'MODULE_NOT_ENABLED')
    const repeated = await checkOut({ plan: 'team' })
    await postern(running, 'credits', '--settle', repeated.body.checkoutId)
    assert.deepEqual(
      (await entries()).map(({ kind, amount }) => [kind, amount]),
      [
        ['upgrade', 900],
        ['renewal', 100],
      ],
    )
    const log = await running.client().get('/v1/audit-log?action=plan.changed', { token: admin.token })
    const entry = log.body.data.find(({ details }: { details: { to: string } }) => details.to === 'free')
    assert.deepEqual([entry.details.from, entry.actorId], ['team', admin.accountId])
  })

  test('refuses what is not for sale, in words that say why', async () => {
    const { checkOut } = await customer()
    for (const [item, reason] of [
      [{ credits: 75 }, 'not_a_multiple_of_50'],
      [{ credits: 50 * 250_000 }, 'too_many'],
      [{ plan: 'given' }, 'not_for_sale'],
      [{ plan: 'free' }, 'current_plan'],
      [{ plan: 'gold' }, 'unknown_plan'],
      [{ credits: 50, plan: 'team' }, 'credits_or_plan'],
      [{ credits: 50, returnUrl: 'https://evil.test/' }, 'origin_not_allowed'],
    ] as const) {
      const answer = await checkOut(item)
      assertError(answer, 'VALIDATION_FAILED')
      assert.equal(answer.body.error.details.reason, reason)
    }
    for (const item of [{ credits: 0 }, { credits: 1.5 }, { credits: -50 }, { plan: '' }, {}, { price: 1 }])
      assert.equal((await checkOut(item)).status, 400, JSON.stringify(item))
    assertError(await checkOut({ returnUrl: 'http://localhost/x' }), 'MISSING_REQUIRED_FIELD')
  })

  it('begins one checkout for each Idempotency-Key', async () => {
    const { checkOut } = await customer()
    const headers = { 'idempotency-key': newEmail('key') }
    const first = await checkOut({ credits: 50 }, headers)
    const second = await checkOut({ credits: 50 }, headers)
    assert.deepEqual(second.body, first.body)
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    assert.notEqual((await checkOut({ credits: 50 })).body.checkoutId, first.body.checkoutId)
  })

  it('shows a checkout to its own organization, open until its time is over', async () => {
    const [one, other] = [await customer(), await customer()]
    const key = await apiKey(one.running, one.admin, 'administrator')
    const { checkOut, get } = reader(one.running, { token: key })
    const { checkoutId } = (await checkOut({ credits: 50 })).body
    assertError(await other.get(`checkout/${checkoutId}`), 'ENTITY_NOT_FOUND')
    assert.equal((await get(`checkout/${checkoutId}`)).body.status, 'open')
    one.running.clock.advance(30 * DAY)
    assert.equal((await get(`checkout/${checkoutId}`)).body.status, 'expired')
    // Paid all the same, if the money came late.
    assert.equal((await postern(one.running, 'credits', '--settle', checkoutId)).code, 0)
    assert.equal((await get(`checkout/${checkoutId}`)).body.status, 'paid')
    // One that nobody pays goes in the end.
    const [unpaid, slow] = [
      (await checkOut({ credits: 50 })).body.checkoutId,
      (await checkOut({ credits: 50 })).body.checkoutId,
    ]
    // 30 days until it ends, and what is kept for 30 days is long gone when the bank confirms.
    one.running.clock.advance(75 * DAY)
    const sweptAt = one.running.clock.now() - 30 * DAY
    const { db } = one.running.app.database
    await until(
      () => db.selectFrom('session').select('id').where('expires_at', '<=', sweptAt).execute(),
      (rows) => rows.length === 0,
      { what: 'the sweep to have come by' },
    )
    assert.equal((await postern(one.running, 'credits', '--settle', slow)).code, 0)
    one.running.clock.advance(20 * DAY)
    await until(
      () => get(`checkout/${unpaid}`),
      ({ status }) => status === 404,
    )
    assert.equal((await get(`checkout/${checkoutId}`)).body.status, 'paid')
    // The command line makes invitations by the machine's clock, so it is set back for the next tests.
    one.running.clock.advance(-(30 + 75 + 20) * DAY)
  })

  it('lists the ledger a page at a time, newest first, and nobody else’s', async () => {
    const { run, get, balance } = await customer()
    await balance()
    for (let count = 1; count <= 5; count += 1)
      await run('--grant', String(count), '--reason', `gift ${count}`)
    const amounts: number[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await get(`ledger?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      amounts.push(...body.data.map(({ amount }: { amount: number }) => amount))
      assert.ok(amounts.length < 100, 'the pages do not end')
      cursor = body.nextCursor
    }
    assert.deepEqual(amounts, [5, 4, 3, 2, 1, 100])
    const { body } = await get('ledger?limit=3')
    const other = await customer()
    assert.deepEqual((await other.get(`ledger?cursor=${body.nextCursor}`)).body.data, [])
    assertError(await get('ledger?cursor=nonsense'), 'VALIDATION_FAILED')
  })

  it('grants by command, once for each key, and takes entries back, once', async () => {
    const { run, entries, balance, running, admin } = await customer()
    await balance()
    const grant = () => run('--grant', '40', '--reason', 'an apology', '--key', 'ticket-7')
    assert.match((await grant()).out, /has 40 credits more\.\n.*: 140 credits\./)
    assert.match((await grant()).out, /^Granted before under this key/)
    const [entry] = await entries()
    assert.deepEqual([entry?.kind, entry?.amount, entry?.balance], ['grant', 40, 140])
    const undo = () => run('--reverse', String(entry?.id), '--reason', 'wrong customer')
    assert.match((await undo()).out, /^Taken back: -40 credits\./)
    assert.match((await undo()).out, /^It was taken back before/)
    assert.equal((await balance()).balance, 100)
    const log = await running.client().get('/v1/audit-log?action=credits.granted', { token: admin.token })
    assert.deepEqual(
      log.body.data.map(({ details }: { details: object }) => details),
      [{ credits: 40, reason: 'an apology' }],
    )
    const [, , renewal] = await entries()
    assert.equal(
      (await run('--reverse', String(renewal?.id))).err,
      'One or more fields failed validation. (VALIDATION_FAILED, entryId, not_reversible)',
    )
  })

  test('answers a program in JSON', async () => {
    const { run, running, checkOut, name, admin } = await customer()
    const granted = JSON.parse((await run('--grant', '7', '--reason', 'why', '--json')).out)
    assert.deepEqual([granted.organizationId, granted.balance], [admin.organizationId, 107])
    assert.deepEqual(
      granted.entries.map(({ kind, amount }: { kind: string; amount: number }) => [kind, amount]),
      [
        ['grant', 7],
        ['renewal', 100],
      ],
    )
    const { checkoutId } = (await checkOut({ credits: 50 })).body
    const open = JSON.parse((await postern(running, 'credits', '--json')).out) as { checkoutId: string }[]
    const price = { amount: 400, currency: 'eur' }
    assert.deepEqual(
      open.find((one) => one.checkoutId === checkoutId),
      { checkoutId, organization: name, credits: 50, plan: null, price, provider: 'manual' },
    )
    const settled = JSON.parse((await postern(running, 'credits', '--settle', checkoutId, '--json')).out)
    assert.deepEqual(settled, { checkoutId, credits: 50, plan: null, status: 'paid' })
  })

  test('is not misunderstood on the command line', async () => {
    const { run, running } = await customer()
    for (const [args, problem] of [
      [['--grant', '0', '--reason', 'x'], /^--grant must be a whole number from 1/],
      [['--grant', '1e3', '--reason', 'x'], /^--grant must be/],
      [['--grant', '10'], /^--reason must be/],
      [['--grant', '10', '--reason', 'a\nb'], /^--reason must be/],
      [['--grant', '10', '--reverse', 'led_1'], /^Only one of/],
      [['--reverse', 'led_1'], /^--reverse must be the id/],
    ] as [string[], RegExp][]) {
      const { code, err } = await run(...args)
      assert.equal(code, 2)
      assert.match(err, problem)
    }
    const settle = (id: string) => postern(running, 'credits', '--settle', id)
    assert.equal((await settle('cs_test_1')).code, 2)
    assert.match((await settle('chk_01a1f855-0317-71b2-912e-3ea60190f866')).err, /^There is no checkout/)
    assert.match(
      (await postern(running, 'credits', '--organization', 'Nobody')).err,
      /^There is no organization/,
    )
  })

  test('lets administrators begin a checkout, and members read it', async () => {
    const { running, admin, checkOut } = await customer()
    const person = reader(running, await member(running, admin))
    assertError(await person.checkOut({ credits: 50 }), 'FORBIDDEN')
    const { checkoutId } = (await checkOut({ credits: 50 })).body
    assert.equal((await person.get(`checkout/${checkoutId}`)).status, 200)
  })
})
