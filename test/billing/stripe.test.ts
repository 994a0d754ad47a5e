import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { DAY, MINUTE, type Millis, pause, SECOND } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import { inOrder } from '../support/held-rows.ts'
import { administrator, newEmail, type Person } from '../support/people.ts'
import {
  OPERATOR_TOKEN,
  onBothEngines,
  type Postern,
  postern,
  startPostern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { type StripeObject, type StripeStandIn, startStripe } from '../support/stripe.ts'
import { until } from '../support/webhook-calls.ts'

/**
 * Advances the clock by minutes until the condition holds. The pause after each minute grows, because
 * deadlines go by the same clock: on a busy machine no call would end in time otherwise.
 */
async function minutesPass({ clock }: Postern, isSo: () => Promise<boolean> | boolean): Promise<void> {
  let rest: Millis = 100
  await until(async () => {
    clock.advance(MINUTE)
    await pause(rest)
    rest *= 1.5
    return isSo()
  }, Boolean)
}

onBothEngines('Stripe', (engine) => {
  const test = testOnOneEngineByDay(engine)
  let started: Promise<{ postern: Postern; stripe: StripeStandIn }> | undefined
  const both = () => {
    started ??= startStripe().then(async (stripe) => ({
      stripe,
      postern: await startPostern(engine, { env: { ...stripe.env, DEFAULT_PLAN: 'free' } }),
    }))
    return started
  }
  after(async () => {
    const { postern, stripe } = await both()
    await postern.stop()
    await stripe.stop()
  })

  /** An organization that has begun a checkout. */
  async function buying(item: object) {
    const { postern, stripe } = await both()
    const name = newEmail('Org')
    const admin = await administrator(postern, name)
    const answer = await checkOut(postern, admin, item)
    assert.equal(answer.status, 200, answer.text)
    const { checkoutUrl, checkoutId } = answer.body as { checkoutUrl: string; checkoutId: string }
    const get = async (path: string) => (await postern.client().get(path, { token: admin.token })).body
    return {
      postern,
      stripe,
      admin,
      name,
      checkoutUrl,
      checkoutId,
      answer,
      deliver: (event: StripeObject) => stripe.deliver(postern, event),
      checkout: () => get(`/v1/billing/checkout/${checkoutId}`),
      purchased: async () => (await get('/v1/billing/balance')).purchasedCredits as number,
      plan: async () => {
        postern.clock.advance(5 * SECOND)
        return (await get('/v1/billing/balance')).plan as string
      },
      ledger: async () => (await get('/v1/billing/ledger')).data as { kind: string; amount: number }[],
      audit: async (action: string) => (await get(`/v1/audit-log?action=${action}`)).data as StripeObject[],
    }
  }

  function checkOut(postern: Postern, { token }: Person, item: object, headers: Record<string, string> = {}) {
    return postern.client().post('/v1/billing/checkout', item, { token, headers })
  }

  test('is named beside the plans, so that only then somebody is asked to pay', async () => {
    const { postern } = await both()
    const { token } = await administrator(postern, newEmail('Org'))
    const { body } = await postern.client().get('/v1/billing/plans', { token })
    assert.equal(body.paymentProvider, 'stripe')
  })

  test('is asked for what costs what our plans say, and nothing that a caller says', async () => {
    const { stripe, answer, checkoutId, admin, postern } = await buying({ credits: 3_000 })
    assert.match(answer.body.checkoutUrl, /^https:\/\/checkout\.stripe\.com\//)
    const { headers, form } = stripe.requests.at(-1) ?? assert.fail()
    assert.match(String(headers['content-type']), /^application\/x-www-form-urlencoded/)
    assert.equal(headers['idempotency-key'], checkoutId)
    assert.equal(headers['x-stripe-client-telemetry'], undefined)
    assert.equal(form.mode, 'payment')
    assert.equal(form.client_reference_id, checkoutId)
    assert.equal(form['line_items[0][quantity]'], '3')
    assert.equal(form['line_items[0][price_data][unit_amount]'], '500')
    assert.equal(form['line_items[0][price_data][currency]'], 'usd')
    assert.equal(form['payment_intent_data[metadata][organization]'], admin.organizationId)
    assert.equal(
      form.success_url,
      `http://localhost:${postern.env.PORT}/checkout?id=${checkoutId}&state=completed`,
    )
    const lifetime = Number(form.expires_at) * 1_000 - postern.clock.now()
    assert.ok(lifetime > 30 * MINUTE && lifetime < DAY)
  })

  it('brings credits once, however often and in whatever order it tells of a payment', async () => {
    const { stripe, checkoutUrl, deliver, checkout, purchased, ledger } = await buying({ credits: 2_000 })
    assert.equal((await checkout()).status, 'open')
    const unpaid = stripe.paid(checkoutUrl, { payment_status: 'unpaid' })
    assert.equal((await deliver(unpaid)).status, 200)
    assert.equal(await purchased(), 0)
    const later = { ...stripe.paid(checkoutUrl), type: 'checkout.session.async_payment_succeeded' }
    const repeated = stripe.paid(checkoutUrl)
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => deliver(index % 2 === 0 ? later : repeated)),
    )
    for (const { status, text } of answers) assert.equal(status, 200, text)
    await deliver({ ...stripe.paid(checkoutUrl), type: 'checkout.session.expired' })
    await deliver(unpaid)
    assert.equal(await purchased(), 2_000)
    assert.equal((await ledger()).filter(({ kind }) => kind === 'purchase').length, 1)
    const { status, paidAt, price } = await checkout()
    assert.deepEqual([status, price], ['paid', { amount: 1_000, currency: 'usd' }])
    assert.ok(paidAt)
  })

  it('may tell of a payment after it told that the time was over: the money is there', async () => {
    const { stripe, checkoutUrl, deliver, checkout, purchased } = await buying({ credits: 1_000 })
    await deliver({ ...stripe.paid(checkoutUrl), type: 'checkout.session.expired' })
    assert.equal((await checkout()).status, 'expired')
    await deliver(stripe.paid(checkoutUrl))
    assert.equal((await checkout()).status, 'paid')
    assert.equal(await purchased(), 1_000)
  })

  test('is not believed without its signature over these bytes, made just now', async () => {
    const { stripe, postern, checkoutUrl, purchased } = await buying({ credits: 1_000 })
    const event = stripe.paid(checkoutUrl)
    const forgeries = [
      stripe.deliver(postern, event, { secret: 'whsec_guessed' }),
      stripe.deliver(postern, event, { ageSeconds: 301 }),
      stripe.deliver(postern, event, { alter: (text) => text.replace('"paid"', '"paid" ') }),
      stripe.deliver(postern, event, { alter: () => '' }),
      postern.client().post('/v1/billing/stripe', event),
      postern.client().post('/v1/billing/stripe', event, { headers: { 'stripe-signature': 't=,v1=' } }),
      postern
        .client()
        .post('/v1/billing/stripe', event, { headers: { 'stripe-signature': 'x'.repeat(5_000) } }),
    ]
    for (const answer of await Promise.all(forgeries)) assertError(answer, 'UNAUTHORIZED')
    assert.equal(await purchased(), 0)
    assert.equal((await stripe.deliver(postern, event, { ageSeconds: 299 })).status, 200)
    assert.equal(await purchased(), 1_000)
  })

  test('is believed only about checkouts of ours, at the price that we asked', async () => {
    const { stripe, checkoutUrl, checkoutId, deliver, purchased, checkout, audit } = await buying({
      credits: 1_000,
    })
    const other = await buying({ credits: 5_000 })
    const good = stripe.paid(checkoutUrl)
    const wrong: StripeObject[] = [
      stripe.paid(checkoutUrl, { amount_total: 1 }),
      stripe.paid(checkoutUrl, { currency: 'jpy' }),
      stripe.paid(checkoutUrl, { mode: 'setup' }),
      stripe.paid(checkoutUrl, { id: 'cs_test_of_another_shop' }),
      stripe.paid(checkoutUrl, { client_reference_id: null }),
      stripe.paid(checkoutUrl, { client_reference_id: 'chk_00000000-0000-7000-8000-000000000000' }),
      // What was paid for a cheap one does not bring a dear one.
      stripe.paid(checkoutUrl, { client_reference_id: other.checkoutId }),
      { ...good, livemode: true },
      { ...good, account: 'acct_of_somebody_else' },
      stripe.event('customer.created', { id: 'cus_1' }),
      stripe.event('constructor', {}),
    ]
    for (const event of wrong) {
      const answer = await deliver(event)
      assert.equal(answer.status, 200, answer.text)
    }
    assert.equal(await purchased(), 0)
    assert.equal(await other.purchased(), 0)
    assert.equal((await checkout()).status, 'open')
    const refused = await audit('checkout.refused')
    assert.deepEqual(
      refused.map(({ targetId, details }) => [targetId, details.amount, details.currency]),
      [
        [checkoutId, 500, 'usd'],
        [checkoutId, 500, 'jpy'],
        [checkoutId, 1, 'usd'],
      ],
    )
  })

  it('brings a plan within five seconds, and takes it back when its subscription ends', async () => {
    const { stripe, checkoutUrl, deliver, plan, admin, postern } = await buying({ plan: 'team' })
    const { form } = stripe.requests.at(-1) ?? assert.fail()
    assert.equal(form.mode, 'subscription')
    assert.equal(form['line_items[0][price_data][recurring][interval]'], 'month')
    assert.equal(await plan(), 'free')
    await deliver(stripe.paid(checkoutUrl))
    assert.equal(await plan(), 'team')
    const { headers } = await postern.client().get('/v1/organizations', { token: admin.token })
    assert.match(headers.get('ratelimit-policy') ?? '', /^"team";q=600/)
    for (const _ of [1, 2]) await deliver(stripe.subscriptionEnded(checkoutUrl))
    assert.equal(await plan(), 'free')
    await deliver(stripe.paid(checkoutUrl))
    assert.equal(await plan(), 'free')
  })

  if (engine === 'postgres')
    it('leaves the last word to an operator who gives another plan at the same moment', async () => {
      const {
        postern: running,
        name,
        admin,
        stripe,
        checkoutUrl,
        plan,
        deliver,
      } = await buying({ plan: 'team' })
      await deliver(stripe.paid(checkoutUrl))
      assert.equal(await plan(), 'team')
      const [given, ended] = await inOrder(running, 'credit_account', admin.organizationId, [
        () => postern(running, 'plan', '--organization', name, '--plan', 'unlimited'),
        () => deliver(stripe.subscriptionEnded(checkoutUrl)),
      ])
      assert.equal(given.code, 0, given.err)
      assert.equal(ended.status, 200, ended.text)
      assert.equal(await plan(), 'unlimited')
    })

  if (engine === 'postgres')
    it('and whoever else moves credits or plans waits in no circle with an operator who changes the organization', async () => {
      type Buyer = Awaited<ReturnType<typeof buying>>
      const operator = { token: OPERATOR_TOKEN }
      const of = ({ admin }: Buyer) => `/v1/operator/organizations/${admin.organizationId}`
      const pay = async ({ deliver, stripe, checkoutUrl }: Buyer) => deliver(stripe.paid(checkoutUrl))
      interface Told {
        item: object
        isPaid: boolean
        tell: (buyer: Buyer) => Promise<Answer>
        /** Any other answer is a failure. */
        heard: number[]
      }
      const TOLD: Record<string, Told> = {
        'a plan is paid': { item: { plan: 'team' }, isPaid: false, tell: pay, heard: [200] },
        'credits are given back': {
          ...{ item: { credits: 1_000 }, isPaid: true, heard: [200] },
          tell: ({ deliver, stripe, checkoutUrl }) => deliver(stripe.refunded(checkoutUrl)),
        },
        'a subscription ends': {
          ...{ item: { plan: 'team' }, isPaid: true, heard: [200] },
          tell: ({ deliver, stripe, checkoutUrl }) => deliver(stripe.subscriptionEnded(checkoutUrl)),
        },
        'credits are granted': {
          // The answer has the balance, which may be gone with the organization when it is read.
          ...{ item: { credits: 1_000 }, isPaid: false, heard: [200, 404] },
          tell: (buyer) =>
            buyer.postern.client().post(`${of(buyer)}/credits`, { credits: 10, reason: 'a gift' }, operator),
        },
      }
      const CHANGES: Record<string, { change: (buyer: Buyer) => Promise<Answer>; status: number }> = {
        'gives a plan': {
          change: (buyer) => buyer.postern.client().patch(of(buyer), { plan: 'unlimited' }, operator),
          status: 200,
        },
        'gives a name and a plan': {
          change: (buyer) =>
            buyer.postern.client().patch(of(buyer), { name: newEmail('Org'), plan: 'unlimited' }, operator),
          status: 200,
        },
        'deletes it': {
          change: (buyer) =>
            buyer.postern.client().delete(`${of(buyer)}?name=${encodeURIComponent(buyer.name)}`, operator),
          status: 204,
        },
      }
      const failures: string[] = []
      for (const [told, { item, isPaid, tell, heard }] of Object.entries(TOLD))
        for (const [changed, { change, status }] of Object.entries(CHANGES)) {
          const buyer = await buying(item)
          // It has its account from then on.
          assert.equal(await buyer.plan(), 'free')
          if (isPaid) assert.equal((await pay(buyer)).status, 200)
          const [first, second] = await inOrder(buyer.postern, 'credit_account', buyer.admin.organizationId, [
            () => tell(buyer),
            () => change(buyer),
          ])
          const name = `${told} while an operator ${changed}`
          if (!heard.includes(first.status) || second.status !== status)
            failures.push(`${name}: ${first.status}, ${second.status}`)
          else if (status === 200) assert.equal(await buyer.plan(), 'unlimited', name)
        }
      assert.deepEqual(failures, [])
    })

  it('may tell of a subscription’s end before its beginning', async () => {
    const { stripe, checkoutUrl, deliver, plan, checkout } = await buying({ plan: 'team' })
    await deliver(stripe.subscriptionEnded(checkoutUrl))
    await deliver(stripe.paid(checkoutUrl))
    assert.equal((await checkout()).status, 'paid')
    assert.equal(await plan(), 'free')
  })

  it('is told to charge nothing more for a plan that another one replaced, until it has heard', async () => {
    const { stripe, checkoutUrl, deliver, plan, postern, admin } = await buying({ plan: 'team' })
    await deliver(stripe.paid(checkoutUrl))
    assert.equal(await plan(), 'team')
    const second = (await checkOut(postern, admin, { plan: 'scale' })).body.checkoutUrl
    // Stripe's client does not repeat a call that fails with 400; the billing worker does, a minute later.
    // The failure is planned before the payment, after which the worker may call at once.
    stripe.fail(400)
    await deliver(stripe.paid(second))
    assert.equal(await plan(), 'scale')
    const replaced = `sub_${stripe.session(checkoutUrl).id}`
    const isCancelled = async () => {
      const { db } = postern.app.database
      const row = await db
        .selectFrom('subscription')
        .select('status')
        .where('id', '=', replaced)
        .executeTakeFirst()
      return row?.status === 'ended'
    }
    await minutesPass(postern, isCancelled)
    assert.ok(stripe.cancelled.includes(replaced))
    // Its end, told later, changes nothing; the end of the second brings back what was before the first.
    await deliver(stripe.subscriptionEnded(checkoutUrl))
    assert.equal(await plan(), 'scale')
    await deliver(stripe.subscriptionEnded(second))
    assert.equal(await plan(), 'free')
  })

  it('charges nothing for an organization that was deleted, which comes back neither by a late payment nor by the end of one', async () => {
    const paidBefore = await buying({ plan: 'team' })
    const { stripe, postern: running, admin, name, deliver } = paidBefore
    await deliver(stripe.paid(paidBefore.checkoutUrl))
    const buy = async (item: object) => (await checkOut(running, admin, item)).body
    const { checkoutUrl: late } = await buy({ plan: 'scale' })
    const { checkoutUrl: credits } = await buy({ credits: 1_000 })
    const { checkoutUrl: refunded } = await buy({ credits: 2_000 })
    const { checkoutId: unpaid } = await buy({ credits: 3_000 })
    await deliver(stripe.paid(refunded))
    const deleted = await postern(running, 'organizations', '--delete', name, '--yes')
    assert.equal(deleted.code, 0, deleted.err)

    for (const event of [
      stripe.paid(late),
      stripe.paid(credits),
      stripe.refunded(refunded),
      stripe.refunded(credits),
    ])
      assert.equal((await deliver(event)).status, 200)
    const subscriptions = [paidBefore.checkoutUrl, late].map((url) => `sub_${stripe.session(url).id}`)
    await minutesPass(running, () => subscriptions.every((id) => stripe.cancelled.includes(id)))
    for (const url of [paidBefore.checkoutUrl, late])
      assert.equal((await deliver(stripe.subscriptionEnded(url))).status, 200)
    const settled = await postern(running, 'credits', '--settle', unpaid)
    assert.deepEqual(
      [settled.code, settled.err],
      [1, `The organization of ${unpaid} is deleted; nothing has changed. Pay its money back.`],
    )

    const { db } = running.app.database
    const of = admin.organizationId as never
    const accounts = await db
      .selectFrom('credit_account')
      .selectAll()
      .where('organization_id', '=', of)
      .execute()
    assert.deepEqual(accounts, [])
    const left = await db
      .selectFrom('subscription')
      .select('status')
      .where('organization_id', '=', of)
      .execute()
    assert.deepEqual(
      left.map(({ status }) => status),
      ['ended', 'ended'],
    )
    assert.match(running.log(), /paid for an organization that is deleted/)
  })

  it('is told to close the pages of an organization that was deleted, until it has heard; those that are paid stay paid', async () => {
    const { stripe, postern: running, admin, name, checkoutUrl } = await buying({ credits: 1_000 })
    const buy = async (item: object) => (await checkOut(running, admin, item)).body.checkoutUrl as string
    const [plan, paid, ended] = [
      await buy({ plan: 'team' }),
      await buy({ credits: 2_000 }),
      await buy({ credits: 3_000 }),
    ]
    const others = await buying({ credits: 1_000 })
    // Stripe has the payment of one checkout and the end of another, and has not reported either.
    stripe.paid(paid)
    stripe.session(ended).status = 'expired'
    const asked = () => stripe.requests.filter(({ path }) => path.endsWith('/expire')).length
    const closing = () =>
      running.app.database.db.selectFrom('checkout').select('id').where('closing', '=', 1).execute()
    // Those of organizations that were deleted before.
    await minutesPass(running, async () => (await closing()).length === 0)
    const before = asked()
    stripe.fail(500, 500, 500)
    assert.equal((await postern(running, 'organizations', '--delete', name, '--yes')).code, 0)
    await minutesPass(running, async () => (await closing()).length === 0)
    for (const url of [checkoutUrl, plan]) assert.equal(stripe.session(url).status, 'expired')
    assert.equal(stripe.session(paid).status, 'complete')
    assert.equal(stripe.session(others.checkoutUrl).status, 'open')
    assert.match(running.log(), /a checkout could not be closed; tried again in a minute/)
    const reported = asked()
    assert.ok(reported >= before + 5, `${reported - before} requests to close`)
    running.clock.advance(MINUTE)
    assert.equal((await others.deliver(stripe.paid(others.checkoutUrl))).status, 200)
    assert.equal(await others.purchased(), 1_000)
    assert.equal(asked(), reported, 'asked again though it has heard')
  })

  it('goes on charging for a plan that was changed by hand, which the command says, and not for one left by choice', async () => {
    const { stripe, checkoutUrl, deliver, plan, postern: running, name } = await buying({ plan: 'team' })
    await deliver(stripe.paid(checkoutUrl))
    const subscription = `sub_${stripe.session(checkoutUrl).id}`
    const byHand = await postern(running, 'plan', '--organization', name, '--plan', 'unlimited')
    assert.match(
      byHand.out,
      new RegExp(`It still pays for team by the subscription ${subscription}: end that`),
    )
    await deliver(stripe.subscriptionEnded(checkoutUrl))
    assert.equal(await plan(), 'unlimited')
    const other = await buying({ plan: 'team' })
    await other.deliver(stripe.paid(other.checkoutUrl))
    const before = stripe.requests.length
    assert.equal((await checkOut(running, other.admin, { plan: 'free' })).status, 200)
    assert.equal(await other.plan(), 'free')
    running.clock.advance(MINUTE)
    const left = `sub_${stripe.session(other.checkoutUrl).id}`
    await minutesPass(running, () => stripe.cancelled.includes(left))
    assert.ok(stripe.requests.slice(before).every(({ method }) => method === 'DELETE'))
  })

  it('takes the credits that are left back with the money', async () => {
    const { stripe, checkoutUrl, deliver, checkout, purchased, ledger } = await buying({ credits: 1_000 })
    await deliver(stripe.paid(checkoutUrl))
    await deliver(stripe.refunded(checkoutUrl, { amount_refunded: 100 }))
    assert.equal(await purchased(), 1_000)
    for (const _ of [1, 2]) await deliver(stripe.refunded(checkoutUrl))
    assert.equal(await purchased(), 0)
    assert.equal((await checkout()).status, 'refunded')
    assert.deepEqual((await ledger()).map(({ kind, amount }) => [kind, amount]).slice(0, 2), [
      ['reversal', -1_000],
      ['purchase', 1_000],
    ])
    // Told before the payment, it closes the checkout.
    const other = await buying({ credits: 1_000 })
    await other.deliver(stripe.refunded(other.checkoutUrl))
    await other.deliver(stripe.paid(other.checkoutUrl))
    assert.equal(await other.purchased(), 0)
  })

  it('is asked once for each Idempotency-Key', async () => {
    const { postern, stripe } = await both()
    const admin = await administrator(postern)
    const headers = { 'idempotency-key': newEmail('key') }
    const before = stripe.requests.length
    const first = await checkOut(postern, admin, { credits: 1_000 }, headers)
    const second = await checkOut(postern, admin, { credits: 1_000 }, headers)
    assert.deepEqual(second.body, first.body)
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    assert.equal(stripe.requests.length, before + 1)
    assertError(await checkOut(postern, admin, { credits: 2_000 }, headers), 'VALIDATION_FAILED')
    assert.equal(stripe.requests.length, before + 1)
  })

  test('that fails once is asked again with the same key', async () => {
    const { postern, stripe } = await both()
    const admin = await administrator(postern)
    for (const fault of [500, 'break off'] as const) {
      stripe.fail(fault)
      const answer = await checkOut(postern, admin, { credits: 1_000 })
      assert.equal(answer.status, 200, answer.text)
      const [one, two] = stripe.requests.slice(-2)
      assert.equal(one?.headers['idempotency-key'], two?.headers['idempotency-key'])
    }
  })

  test('that goes on failing is a provider’s error, and leaves no checkout behind', async () => {
    const { postern, stripe } = await both()
    const admin = await administrator(postern)
    const headers = { 'idempotency-key': newEmail('key') }
    stripe.fail(500, 503, 500)
    assertError(await checkOut(postern, admin, { credits: 1_000 }, headers), 'INTEGRATION_PROVIDER_ERROR')
    stripe.fail('garbage')
    assertError(await checkOut(postern, admin, { credits: 1_000 }, headers), 'INTEGRATION_PROVIDER_ERROR')
    stripe.fail('no url')
    assertError(await checkOut(postern, admin, { credits: 1_000 }, headers), 'INTEGRATION_PROVIDER_ERROR')
    stripe.fail(429)
    const limited = await checkOut(postern, admin, { credits: 1_000 }, headers)
    assertError(limited, 'INTEGRATION_RATE_LIMIT')
    assert.equal(limited.headers.get('retry-after'), '7')
    const { db } = postern.app.database
    const made = db.selectFrom('checkout').where('organization_id', '=', admin.organizationId as never)
    assert.deepEqual(await made.selectAll().execute(), [])
    // The same key may try again: nothing has happened.
    assert.equal((await checkOut(postern, admin, { credits: 1_000 }, headers)).status, 200)
  })

  test('that never answers is a provider’s error after its deadline', async () => {
    const { postern, stripe } = await both()
    const admin = await administrator(postern)
    stripe.onHang(() => postern.clock.advance(10 * SECOND))
    stripe.fail('hang', 'hang', 'hang')
    assertError(await checkOut(postern, admin, { credits: 1_000 }), 'INTEGRATION_PROVIDER_ERROR')
  })

  test('keeps its secrets out of answers and logs', async () => {
    const { postern, stripe } = await both()
    stripe.fail(401)
    const admin = await administrator(postern)
    const answer = await checkOut(postern, admin, { credits: 1_000 })
    assertError(answer, 'INTEGRATION_PROVIDER_ERROR')
    for (const secret of [stripe.env.STRIPE_SECRET_KEY, stripe.env.STRIPE_WEBHOOK_SECRET])
      for (const text of [answer.text, postern.log()]) assert.ok(!text.includes(secret))
  })
})

onBothEngines('without Stripe', (engine) => {
  const server = usePostern(engine)

  it('there is no door for its events', async () => {
    const postern = await server()
    assertError(await postern.client().post('/v1/billing/stripe', { any: 'thing' }), 'ENTITY_NOT_FOUND')
  })
})
