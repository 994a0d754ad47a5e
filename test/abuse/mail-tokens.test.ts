import assert from 'node:assert/strict'
import { it } from 'node:test'
import { LIFETIME } from '#src/core/limits.ts'
import { askMagicLink, askReset, assertError } from '../support/attacks.ts'
import { inviteByMail } from '../support/invitees.ts'
import { nightly } from '../support/nightly.ts'
import { administrator, PASSWORD, signUpBody } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'

/** At night every position of a token is tried, by day one of this many, because a hash of the whole token finds it. */
const EVERY = nightly(1, 6)

/** Texts similar to a token: with one character changed, shorter ones, a few longer ones. */
function neighbours(token: string): string[] {
  const places = Array.from(token, (_, at) => at).filter((at) => at % EVERY === 0 || at === token.length - 1)
  const flipped = places.map((at) => {
    const other = token[at] === 'A' ? 'B' : 'A'
    return token.slice(0, at) + other + token.slice(at + 1)
  })
  const truncated = places.filter((at) => at > 0).map((at) => token.slice(0, at))
  const longer = [
    `${token}A`,
    `${token}=`,
    `${token} `,
    ` ${token}`,
    `${token}\0`,
    `${token}\n`,
    token + token,
  ]
  return [...flipped, ...truncated, ...longer, token.toLowerCase(), token.toUpperCase()]
}

onBothEngines('tokens of mails', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  /** A live token of each purpose, and the request that uses it. */
  async function liveTokens(postern: Postern) {
    const admin = await administrator(postern)
    const invited = await inviteByMail(postern, admin)
    const waiting = await inviteByMail(postern, admin)
    await postern.client().post('/v1/auth/sign-up/email', signUpBody(waiting.email))
    const confirmation = (await postern.mailbox.next(waiting.email)).token
    const reset = await askReset(postern, admin.email)
    const link = await askMagicLink(postern, admin.email)
    const { client } = link
    return {
      invitation: {
        token: invited.token,
        spend: (token: string) =>
          postern
            .client()
            .post('/v1/auth/sign-up/email', signUpBody(invited.email, { invitationToken: token })),
      },
      confirmation: {
        token: confirmation,
        spend: (token: string) =>
          postern.client().post('/v1/auth/verify-email', { token, password: PASSWORD }),
      },
      'magic link': {
        token: link.token,
        spend: (token: string) => client.post('/v1/auth/magic-link/verify', { token }),
      },
      reset: {
        token: reset,
        spend: (token: string) =>
          postern.client().post('/v1/auth/reset-password', { token, newPassword: 'another horse 8 battery' }),
      },
    }
  }

  test('8: a token that is one character off, too short or too long is refused', async () => {
    const tokens = await liveTokens(await server())
    for (const [purpose, { token, spend }] of Object.entries(tokens)) {
      for (const near of neighbours(token)) {
        const { status, text } = await spend(near)
        assert.ok([400, 401, 403].includes(status), `${purpose} ${JSON.stringify(near)}: ${text}`)
      }
    }
    for (const { token, spend } of Object.values(tokens)) assert.ok((await spend(token)).status < 300)
  })

  test('9: a token of one purpose is refused for every other, and not used up', async () => {
    const tokens = await liveTokens(await server())
    for (const [purpose, { spend }] of Object.entries(tokens)) {
      for (const [other, { token }] of Object.entries(tokens)) {
        if (purpose === other) continue
        const { status, text } = await spend(token)
        assert.ok([400, 401, 403].includes(status), `${other} as ${purpose}: ${text}`)
      }
    }
    for (const { token, spend } of Object.values(tokens)) assert.ok((await spend(token)).status < 300)
  })

  it('8: a confirmation is valid for 24 hours', async () => {
    const postern = await server()
    const { confirmation } = await liveTokens(postern)
    postern.clock.advance(LIFETIME.confirmation)
    assertError(await confirmation.spend(confirmation.token), 'VALIDATION_FAILED', { field: 'token' })
  })
})
