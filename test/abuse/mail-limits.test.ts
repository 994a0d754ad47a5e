import assert from 'node:assert/strict'
import { it } from 'node:test'
import { inviteByMail, mailsTo } from '../support/invitees.ts'
import { administrator, apiKey, signUpBody } from '../support/people.ts'
import { onBothEngines, usePostern } from '../support/postern.ts'

onBothEngines('mails to one address', (engine) => {
  const server = usePostern(engine, { env: { LIMITS: '' } })

  it('19: with the usual limits, a row named five times is still invited once', async () => {
    const postern = await server()
    const { token } = await administrator(postern)
    const rows = Array.from({ length: 5 }, () => ({ email: 'twice@acme.test' }))
    const answer = await postern.client().post('/v1/invitations/bulk', { invitations: rows }, { token })
    const codes = answer.body.results.map(({ error }: { error?: { code: string } }) => error?.code)
    assert.deepEqual(codes.sort(), ['DUPLICATE', 'DUPLICATE', 'RATE_LIMITED', 'RATE_LIMITED', undefined])
  })

  it('18: however many ask, nobody gets more than 3 mails in 10 minutes and 10 a day', async () => {
    const postern = await server()
    const [ada, eve] = [await administrator(postern), await administrator(postern)]
    const keys = [await apiKey(postern, ada), await apiKey(postern, eve)]
    const { id, email } = await inviteByMail(postern, ada)
    let refused = 0
    for (let round = 0; round < 12; round += 1) {
      const attempts = [
        ...keys.map((token) => postern.client().post('/v1/invitations', { email }, { token })),
        postern.client().post(`/v1/invitations/${id}/resend`, undefined, { token: keys[0] ?? '' }),
        postern.client().post(`/v1/invitations/${id}/resend`, undefined, { token: keys[0] ?? '' }),
        postern.client().post('/v1/invitations/bulk', { invitations: [{ email }] }, { token: keys[1] ?? '' }),
      ]
      for (const answer of await Promise.all(attempts)) {
        if (answer.status !== 429) continue
        refused += 1
        assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
      }
      for (const path of ['/v1/auth/forget-password', '/v1/auth/magic-link']) {
        await postern.client().post(path, { email })
      }
      assert.equal(
        (await postern.client().post('/v1/auth/sign-up/email', signUpBody(email))).status >= 400,
        true,
      )
      if (round === 0) assert.ok((await mailsTo(postern, email)).length <= 3)
      postern.clock.advance(10 * 60_000)
    }
    assert.ok(refused > 20)
    const mails = await mailsTo(postern, email)
    assert.ok(mails.length <= 10, `${mails.length} mails`)
  })
})
