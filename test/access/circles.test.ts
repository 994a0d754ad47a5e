import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { askMagicLink, askReset, assertError, atOnce, signIn } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import { holdRows } from '../support/held-rows.ts'
import { inviteByMail } from '../support/invitees.ts'
import { watchLive } from '../support/live-stream.ts'
import { connectTo, WAITS_FOR_LOCK } from '../support/locks.ts'
import { nightly } from '../support/nightly.ts'
import { administrator, apiKey, member, newEmail, PASSWORD, signUpBody } from '../support/people.ts'
import { postern as command, OPERATOR_TOKEN, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

/** What the sessions of requests wait for. */
const WAITING = `select wait_event as what from pg_stat_activity
  where ${WAITS_FOR_LOCK} and query ~ '"(invitation|account)"' order by 1`

// Locks that are taken in two orders make PostgreSQL end one of the transactions, which the end of the server finds in its log.
describe('what locks the same rows at once on PostgreSQL', () => {
  const server = usePostern('postgres')

  const invitations: [path: string, body: (email: string) => object][] = [
    ['/v1/invitations', (email) => ({ email, sendEmail: false })],
    ['/v1/invitations/bulk', (email) => ({ invitations: [{ email }] })],
  ]
  for (const [path, body] of invitations)
    it(`${path} locks the account before the membership, as what ends an account does`, async () => {
      const postern = await server()
      const ada = await administrator(postern)
      await member(postern, ada, 'administrator')
      const accounts = await holdRows(postern, 'account', 'id = $1', [ada.accountId])
      const disabled = await accounts.lineUp(() =>
        command(postern, 'account', '--email', ada.email, '--disable'),
      )
      const invited = await accounts.lineUp(() =>
        postern.client().post(path, body(ada.email), { token: ada.token }),
      )
      await accounts.release()
      assert.equal((await disabled.answer).code, 0, (await disabled.answer).err)
      assertError(await invited.answer, 'FORBIDDEN')
    })

  it('an operator’s invitation makes the account of its address before it reads invitations of the address', async () => {
    const postern = await server()
    const { organizationId } = await administrator(postern)
    const email = newEmail('founder')
    const invite = () =>
      postern
        .client()
        .post(
          `/v1/operator/organizations/${organizationId}/invitations`,
          { email },
          { token: OPERATOR_TOKEN },
        )
    const [holder, observer] = [await connectTo(postern), await connectTo(postern)]
    try {
      await holder.query('begin; lock table invitation in exclusive mode')
      const answers = [invite(), invite()]
      const waiting = await until(
        async () => (await observer.query(WAITING)).rows.map((row) => row.what as string),
        (seen) => seen.length === answers.length,
        { what: 'both requests to wait' },
      )
      // The second request waits for the account that the first has inserted. If both waited for the table,
      // they could lock account and invitation in different orders.
      assert.deepEqual(waiting, ['relation', 'transactionid'])
      await holder.query('rollback')
      for (const answer of await Promise.all(answers)) assert.equal(answer.status, 201, answer.text)
    } finally {
      await Promise.all([holder.end(), observer.end()])
    }
  })

  it('never waits in a circle, whoever does what to whom', async () => {
    const postern = await server()
    const [ada, eve] = [await administrator(postern), await administrator(postern)]
    const zoe = await member(postern, ada, 'administrator')
    const key = await apiKey(postern, ada)
    const path = `/v1/organizations/${ada.organizationId}/members/${zoe.accountId}`
    const crowd = Array.from({ length: 12 }, () => newEmail('crowd'))
    const bulk = (emails: string[]) => ({ invitations: emails.map((email) => ({ email })) })
    const client = () => postern.client()
    for (let round = 0; round < nightly(2, 1); round += 1) {
      const [reset, link] = [await askReset(postern, zoe.email), await askMagicLink(postern, zoe.email)]
      const invited = await inviteByMail(postern, ada)
      const made = async (body: object) => {
        const wish = { name: 'circle', role: 'administrator', ...body }
        const answer = await client().post('/v1/api-keys', wish, { token: ada.token })
        assert.equal(answer.status, 201, answer.text)
        return answer.body as { id: string; key: string; serviceAccountId: string }
      }
      const one = await made({})
      const two = await made({ serviceAccountId: one.serviceAccountId })
      const works: (() => Promise<Answer | { code: number; err: string }>)[] = [
        () => client().post('/v1/invitations/bulk', bulk(crowd), { token: ada.token }),
        () => client().post('/v1/invitations/bulk', bulk(crowd.toReversed()), { token: eve.token }),
        () => client().post('/v1/invitations', { email: eve.email, sendEmail: false }, { token: ada.token }),
        () => client().post('/v1/invitations', { email: ada.email, sendEmail: false }, { token: eve.token }),
        () => client().post('/v1/invitations', { email: zoe.email, sendEmail: false }, { token: eve.token }),
        () => client().post('/v1/api-keys', { name: 'one' }, { token: key }),
        () => client().post('/v1/api-keys', { name: 'two', role: 'administrator' }, { token: zoe.token }),
        // Two keys change, rotate and delete one another's, of one service account, while both are used.
        ...[one, two].flatMap((by, at) => {
          const [own, other] = at === 0 ? [one, two] : [two, one]
          const call = { token: by.key }
          return [
            () => client().post(`/v1/api-keys/${other.id}/rotate`, {}, call),
            () => client().patch(`/v1/api-keys/${own.id}`, { name: 'other' }, call),
            () => client().patch(`/v1/service-accounts/${one.serviceAccountId}`, { name: 'other' }, call),
            () =>
              client().post('/v1/api-keys', { name: 'in it', serviceAccountId: one.serviceAccountId }, call),
            () => client().get('/v1/organizations', call),
          ]
        }),
        () => client().delete(`/v1/api-keys/${two.id}?withMade=true`, { token: one.key }),
        () => client().delete(`/v1/service-accounts/${one.serviceAccountId}`, { token: two.key }),
        () => client().delete(`${path}/api-keys`, { token: ada.token }),
        () => client().delete(`${path}/sessions`, { token: ada.token }),
        () => client().patch(path, { role: 'member' }, { token: ada.token }),
        () => client().patch(path, { role: 'administrator' }, { token: ada.token }),
        () => signIn(client(), zoe.email, PASSWORD),
        () => signIn(client(), ada.email, PASSWORD),
        () => client().post('/v1/auth/reset-password', { token: reset, newPassword: PASSWORD }),
        () => link.client.post('/v1/auth/magic-link/verify', { token: link.token }),
        () => client().post('/v1/auth/magic-link', { email: zoe.email }),
        () =>
          client().post(
            '/v1/auth/sign-up/email',
            signUpBody(invited.email, { invitationToken: invited.token }),
          ),
        () => client().post('/v1/auth/sign-up/email', signUpBody(invited.email)),
        () => client().delete(`/v1/invitations/${invited.id}`, { token: ada.token }),
        () => client().post(`/v1/invitations/${invited.id}/resend`, {}, { token: ada.token }),
        () => command(postern, 'account', '--email', zoe.email, '--disable'),
        () => command(postern, 'account', '--email', zoe.email, '--enable'),
      ]
      // From a place of its own each time, so that they meet in other orders.
      const answers = await atOnce(
        works.length * 2,
        (index) => works[(index * 7 + round) % works.length]?.() as Promise<Answer>,
      )
      for (const answer of answers) {
        if ('status' in answer) assert.ok(answer.status < 500, answer.text)
        else assert.doesNotMatch((answer as { err: string }).err, /deadlock/)
      }
      await command(postern, 'account', '--email', zoe.email, '--enable')
    }
  })

  it('never waits in a circle when an organization ends while its event types change', async () => {
    const postern = await server()
    for (let round = 0; round < 2; round += 1) {
      const admin = await administrator(postern)
      const { id: _, name } = (
        await postern.client().get('/v1/organizations', { token: admin.token })
      ).body.data.find(({ id }: { id: string }) => id === admin.organizationId)
      const types = Array.from({ length: 12 }, (_, index) => `order.changed_${index}`)
      for (const type of types) {
        const made = await postern.client().post('/v1/event-types', { name: type }, { token: admin.token })
        assert.equal(made.status, 201, made.text)
      }
      let isOver = false
      const end = () =>
        command(postern, 'organizations', '--delete', name, '--yes').finally(() => {
          isOver = true
        })
      // The command takes a while to begin: the changes go on until it is done, or until the organization has ended for them, which
      // refuses each further one before it locks anything.
      const change = async (type: string) => {
        const answers: Answer[] = []
        while (!isOver && ![401, 403, 404].includes(answers.at(-1)?.status ?? 0))
          answers.push(
            await postern
              .client()
              .patch(`/v1/event-types/${type}`, { description: 'other' }, { token: admin.token }),
          )
        return answers
      }
      const [ended, ...changed] = await Promise.all([end(), ...types.map(change)])
      assert.equal(ended.code, 0, ended.err)
      for (const answer of changed.flat()) assert.ok(answer.status < 500, answer.text)
    }
  })

  it('never waits in a circle when an organization ends while what is shown live of it is written', async () => {
    const postern = await server()
    const { token, organizationId } = await administrator(postern)
    const stream = await watchLive(postern.url, token)
    const invited = await postern.client().post('/v1/invitations', { email: newEmail() }, { token })
    assert.equal(invited.status, 201, invited.text)
    await stream.sees('the invitation', ({ event }) => event === 'invitation')
    const { body } = await postern.client().get('/v1/organizations', { token })
    const { name } = body.data.find(({ id }: { id: string }) => id === organizationId)
    // Locks as a writer does: the row of the stream before those of its changes.
    const rows = await holdRows(postern, 'stream', 'organization_id = $1', [organizationId])
    try {
      const end = await rows.lineUp(() => command(postern, 'organizations', '--delete', name, '--yes'))
      await rows.remove()
      const { code, err } = await end.answer
      assert.equal(code, 0, err)
    } finally {
      await rows.release()
    }
  })
})
