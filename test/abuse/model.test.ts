import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { DAY } from '#src/core/clock.ts'
import { ACTIONS, type Inviter, type Someone, someone } from '../support/access-run.ts'
import { accountOf, membershipsOf } from '../support/invitees.ts'
import { nightly } from '../support/nightly.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, type Postern, usePostern } from '../support/postern.ts'

/** Sequences per run; a failure prints the seed with which fast-check repeats it. */
const SEQUENCES = nightly(40, 4)

type Action = keyof typeof ACTIONS | 'longTimePasses'

const step = fc.record({
  action: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<Action>('invite', 'signUp', 'signIn') },
    {
      weight: 5,
      arbitrary: fc.constantFrom<Action>(...(Object.keys(ACTIONS) as Action[]), 'longTimePasses'),
    },
  ),
  person: fc.nat({ max: 1 }),
  // Small numbers choose the newest secret, which is the one that may work.
  which: fc.oneof(fc.constantFrom(0, 1), fc.nat({ max: 9 })),
})

/** Time after which every invitation and every session has ended. */
const LONG = 8 * DAY

/** The invariants after every step. */
async function assertInvariants(postern: Postern, inviters: Inviter[], one: Someone): Promise<void> {
  const { model, email } = one
  const { db } = postern.app.database
  const account = await accountOf(postern, email)
  assert.equal(account?.status, model.status)
  if (account === undefined) return
  assert.equal(account.email_verified_at !== null, model.verified)
  assert.equal(account.password_hash !== null, model.password !== undefined)

  const organizations = await membershipsOf(postern, email)
  const expected = [...model.memberships].map((index) => inviters[index]?.organizationId)
  assert.deepEqual(organizations, expected.sort())

  // No membership exists without an accepted invitation, and none without a proven mailbox unless the inviter handed the link over.
  for (const organizationId of organizations) {
    const accepted = await db
      .selectFrom('invitation')
      .select('mailed')
      .where('email', '=', email)
      .where('organization_id', '=', organizationId as Inviter['organizationId'] & never)
      .where('status', '=', 'accepted')
      .execute()
    assert.ok(accepted.some(({ mailed }) => account.email_verified_at !== null || mailed === 0))
  }

  // One live secret per purpose, and one confirmation per browser.
  const secrets = await db
    .selectFrom('one_time_token')
    .select(['purpose', 'expires_at'])
    .where('account_id', '=', account.id)
    .execute()
  const single = secrets.filter(({ purpose }) => purpose !== 'confirmation')
  assert.equal(new Set(single.map(({ purpose }) => purpose)).size, single.length)
  const now = postern.clock.now()
  const live = [...model.live.values()].filter(({ expiresAt }) => expiresAt > now)
  assert.equal(secrets.filter(({ expires_at }) => expires_at > now).length, live.length)

  // Only active accounts have sessions, and only those that the run began.
  const rows = await db.selectFrom('session').select('id').where('account_id', '=', account.id).execute()
  if (model.status === 'inactive') assert.deepEqual(rows, [])
  for (const browser of one.browsers) {
    const { status } = await browser.get('/v1/auth/token')
    assert.equal(status, model.status !== 'active' ? 401 : model.memberships.size === 0 ? 403 : 200)
  }
}

onBothEngines('any sequence of events', (engine) => {
  const server = usePostern(engine)

  it('88: no person has access without an invitation and its proof', async () => {
    const postern = await server()
    const inviters: Inviter[] = []
    for (const admin of [await administrator(postern), await administrator(postern)]) {
      inviters.push({ organizationId: admin.organizationId, key: await apiKey(postern, admin) })
    }
    const sequence = fc.array(step, { minLength: 8, maxLength: 24 })
    const property = fc.asyncProperty(sequence, async (steps) => {
      const people = [someone(), someone()]
      for (const { action, person, which } of steps) {
        const one = people[person] as Someone
        if (action === 'longTimePasses') {
          postern.clock.advance(LONG)
          for (const { browsers } of people) browsers.clear()
        } else {
          await ACTIONS[action]({ postern, inviters, one, which })
        }
        await assertInvariants(postern, inviters, one)
      }
      for (const one of people) await assertInvariants(postern, inviters, one)
    })
    await fc.assert(property, { numRuns: SEQUENCES })
  })
})
