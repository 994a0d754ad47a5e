import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { systemClock } from '#src/core/clock.ts'
import { runForOwner } from '#src/core/context.ts'
import { BusyError } from '#src/db/engine/engine.ts'
import { openPostgres } from '#src/db/postgres/postgres.ts'
import { assertError } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import { connectTo, countLocked, untilLocked } from '../support/locks.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { administrator, newEmail, PASSWORD, type Person } from '../support/people.ts'
import { ENGINES, freshStore, type Postern } from '../support/postern.ts'
import { logoutRequestXml, logoutSaid, readOwnForm, signedForm } from '../support/saml-logout.ts'
import { followAnswer, newSamlProvider, postAnswer, readRequest } from '../support/saml-provider.ts'
import { assertScimError, directoryOf, standingOf } from '../support/scim.ts'
import { assertSignedIn } from '../support/social.ts'
import { beginSso, useSso } from '../support/sso.ts'
import { until } from '../support/waits.ts'

/**
 * A pool: its size, its connections for requests, and the background connections that requests may borrow.
 */
interface Pool {
  size: number
  requests: number
  lent: number
}
/** One of these works in the background, and is not lent. */
const SMALLEST: Pool = { size: 5, requests: 2, lent: 0 }
const LENDING: Pool = { size: 10, requests: 6, lent: 1 }
const POOLS = [SMALLEST, LENDING]

/** Without a rate, a list is one statement. */
const envOf = ({ size }: Pool) => ({ DATABASE_POOL: String(size), DEFAULT_PLAN: 'unlimited' })

/** Each of these requests waits for a connection for five seconds. */
const skip = !IS_NIGHTLY && 'at night'

// On SQLite no request waits for a connection.
if (ENGINES.includes('postgres'))
  describe('a request that finds no free connection to PostgreSQL after its first commit', () => {
    const { server: both } = useSso('postgres', () => envOf(SMALLEST))
    const server = async () => (await both()).postern

    /** The row of the last rate that is counted before the transaction of a new user. */
    const mailsTo = (email: string) =>
      [
        'insert into rate_window (key, window_start, count, expires_at) values ($1, 0, 0, 0)',
        [`mailPerAddressDaily:${email}`],
      ] as const

    it('is asked to come back where it only counted, and makes one user when it does', async () => {
      const postern = await server()
      const admin = await administrator(postern)
      const directory = await directoryOf(postern, admin)
      const email = newEmail('counted')
      const create = () => directory.post('/Users', { userName: email })
      const refused = await answered(postern, mailsTo(email), create)
      assertScimError(refused, 429, 'RATE_LIMITED')
      assert.equal(refused.headers.get('retry-after'), '5')
      assert.equal((await create()).status, 201)
      assert.equal((await standingOf(postern, admin, email))?.membership, 'invited')
      assert.equal((await create()).status, 409)
    })

    it('is asked to come back where it only counted a password, which is right the next time', {
      skip,
    }, async () => {
      const postern = await server()
      const { email } = await administrator(postern)
      const signIn = () => postern.client().post('/v1/auth/sign-in/email', { email, password: PASSWORD })
      const refused = await answered(postern, whole('sign_in_throttle'), signIn)
      assertError(refused, 'RATE_LIMITED', { retryAfterSeconds: 5 })
      assert.equal((await signIn()).status, 200)
    })

    it('has its answer already where it made or changed a group', async () => {
      const postern = await server()
      const admin = await administrator(postern)
      const directory = await directoryOf(postern, admin)
      const { id: user } = await directory.user(newEmail())
      const held = ['select 1 from organization where id = $1 for update', [admin.organizationId]] as const
      const members = [{ value: user }]
      const made = await answered(postern, held, () =>
        directory.post('/Groups', { displayName: 'Sales', members }),
      )
      assert.equal(made.status, 201, made.text)
      assert.deepEqual(
        made.body.members.map(({ value }: { value: string }) => value),
        [user],
      )
      const changed = await answered(postern, held, () =>
        directory.put(`/Groups/${made.body.id}`, { displayName: 'Sales', members: [] }),
      )
      assert.deepEqual([changed.status, changed.body.members], [200, []])
      assert.equal((await directory.get('/Groups')).body.totalResults, 1)
    })

    it('has signed its answer already where an identity provider ended sessions', async () => {
      const postern = await server()
      const admin = await administrator(postern)
      const idp = newSamlProvider()
      const saml = { ...idp.saml, logoutUrl: 'https://idp.acme.test/slo', logoutBinding: 'post' }
      const body = { kind: 'saml', name: 'Acme', saml }
      const made = await postern.client().post('/v1/identity-providers', body, { token: admin.token })
      const { ownLogoutUrl, ownSigningCertificateUrl } = made.body.saml
      const certificate = await postern.client().get(new URL(ownSigningCertificateUrl).pathname)
      const said = logoutSaid({
        ...{ issuer: idp.entityId, now: postern.clock.now(), destination: ownLogoutUrl, nameId: 'ada' },
      })
      const { form } = signedForm({ name: 'SAMLRequest', xml: logoutRequestXml(said) }, idp.identity)
      const held = ['select 1 from identity_provider where id = $1 for update', [made.body.id]] as const
      const answer = await answered(postern, held, () =>
        postern.client().post(new URL(ownLogoutUrl).pathname, form, {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
      )
      assert.equal(answer.status, 200, answer.text)
      assert.equal(readOwnForm(answer.text, certificate.text).inResponseTo, said.id)
    })
  })

if (ENGINES.includes('postgres'))
  describe('a sign-in that finds no free connection to PostgreSQL when its state is used', () => {
    const servers = new Map(POOLS.map((pool) => [pool, useSso('postgres', () => envOf(pool))]))

    async function signIn(pool: Pool) {
      const { server, prove } = servers.get(pool) as ReturnType<typeof useSso>
      const { postern } = await server()
      const admin = await administrator(postern)
      const { name: domain } = await prove(admin)
      const idp = newSamlProvider()
      const body = { kind: 'saml', name: 'Acme', saml: idp.saml, createsMemberships: true }
      const { id } = (await postern.client().post('/v1/identity-providers', body, { token: admin.token }))
        .body
      const browser = postern.client()
      const authUrl = await beginSso(browser, { identityProviderId: id })
      const person = { nameId: 'ada', attributes: { email: `ada@${domain}` } }
      const xml = idp.answer(authUrl, person, { now: postern.clock.now() })
      const posted = await postAnswer(postern.client(), readRequest(authUrl), xml)
      return {
        browser,
        back: await answered(postern, whole('social_state'), () => followAnswer(browser, posted), pool),
      }
    }

    it('is completed by a connection for background work', async () => {
      const { browser, back } = await signIn(LENDING)
      await assertSignedIn(browser, back)
    })

    it('is begun again where a single connection is for background work', { skip }, async () => {
      const { back } = await signIn(SMALLEST)
      assert.equal(new URL(back.headers.get('location') ?? '').searchParams.get('error'), 'RATE_LIMITED')
    })
  })

if (ENGINES.includes('postgres'))
  describe('connections to PostgreSQL for background work', () => {
    for (const { size, requests, lent } of POOLS)
      it(`are left to that while requests of many organizations that have written something wait, ${lent} of ${size} lent`, {
        skip,
      }, async () => {
        const env = await freshStore('postgres')
        const engine = openPostgres(env.DATABASE_URL ?? '', {
          ...{ clock: systemClock, size },
          onConnectionError() {},
        })
        const [holder, observer] = [await connectTo({ env }), await connectTo({ env })]
        try {
          await holder.query('create table held (value text)')
          await holder.query('begin; lock table held in access exclusive mode')
          const late: unknown[] = []
          const works = Array.from({ length: requests + lent + 1 }, (_, at) =>
            runForOwner(`organization ${at}`, async () => {
              await engine.tx((tx) => sql`select 1`.execute(tx))
              await engine.tx((tx) => sql`select * from held`.execute(tx))
            }).catch((error: unknown) => late.push(error)),
          )
          await untilLocked(observer, requests + lent)
          // The last one waits for a connection of the background, or has got none.
          await until(
            async () => engine.waiting() + late.length,
            (count) => count === 1,
            { what: 'a request without a connection' },
          )
          await sql`select 1`.execute(engine.background.db)
          assert.equal(await countLocked(observer), requests + lent)
          await until(
            async () => late.length,
            (count) => count === 1,
            { what: 'a request that is refused' },
          )
          assert.ok(late[0] instanceof BusyError && !late[0].isUntouched)
          await holder.query('rollback')
          await Promise.all(works)
          assert.equal(late.length, 1)
        } finally {
          await Promise.all([holder.end(), observer.end()])
          await engine.close()
        }
      })
  })

const whole = (table: string) => [`lock table ${table} in access exclusive mode`, []] as const

/**
 * Lets a request wait for the lock of `hold`, and lists wait on all other connections. One more list takes
 * the connection of the request as soon as it is free, so the request goes on without a free connection.
 */
async function answered(
  postern: Postern,
  hold: readonly [statement: string, values: readonly string[]],
  ask: () => Promise<Answer>,
  { requests }: Pool = SMALLEST,
): Promise<Answer> {
  const others: Person[] = []
  while (others.length < requests) others.push(await administrator(postern))
  const list = ({ token }: Person) => postern.client().get('/v1/files', { token })
  // The check of each token is cached for five seconds, which do not pass while time stands still.
  using _stopped = postern.clock.stop()
  for (const other of others) assert.equal((await list(other)).status, 200)
  // The observer has no transaction, because one would not see sessions that begin after its first query.
  const [holder, locker, observer] = [
    await connectTo(postern),
    await connectTo(postern),
    await connectTo(postern),
  ]
  try {
    await holder.query('begin')
    await holder.query(hold[0], [...hold[1]])
    await locker.query('begin')
    await locker.query('lock table file in access exclusive mode')
    const inLine = (wanted: number) => untilLocked(observer, wanted)
    const answer = ask()
    await inLine(1)
    const lists: Promise<Answer>[] = []
    for (const other of others) {
      lists.push(list(other))
      if (lists.length < requests) await inLine(1 + lists.length)
    }
    await until(
      async () => postern.app.database.waiting(),
      (count) => count === 1,
      { what: 'a request that waits for a connection' },
    )
    await holder.query('rollback')
    const got = await answer
    await locker.query('rollback')
    for (const { status } of await Promise.all(lists)) assert.equal(status, 200)
    return got
  } finally {
    await Promise.all([holder.end(), locker.end(), observer.end()])
  }
}
