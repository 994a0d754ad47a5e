import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SIGN_IN_BACKOFF } from '#src/core/limits.ts'
import type { Answer } from '../support/browser.ts'
import { administrator, newEmail, PASSWORD, signUpBody } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { placeAccounts, placeInvitations } from '../support/strangers.ts'

/** Headers that differ in all requests. */
const EACH_ITS_OWN = new Set(['x-request-id', 'date', 'ratelimit', 'ratelimit-policy'])

/** Everything readable of an answer as one text. Equal texts reveal nothing about the account. */
function readable({ status, headers, text }: Answer): string {
  const lines = [...headers]
    .filter(([name]) => !EACH_ITS_OWN.has(name))
    // The value of a random cookie is random; its name and flags must be the same.
    .map(([name, value]) => `${name}: ${name === 'set-cookie' ? value.replace(/=[^;]*/, '=…') : value}`)
  return [status, ...lines, '', text.replace(headers.get('x-request-id') ?? '', '…')].join('\n')
}

function assertOneAnswer(answers: Record<string, Answer>, status: number): void {
  const texts = new Map(Object.entries(answers).map(([kind, answer]) => [kind, readable(answer)]))
  const [first] = texts.values()
  for (const [kind, text] of texts) assert.equal(text, first, kind)
  assert.match(first ?? '', new RegExp(`^${status}\n`))
}

async function one(addresses: Promise<string[]>): Promise<string> {
  const [address = ''] = await addresses
  return address
}

onBothEngines('one answer', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  async function answerEach(
    addresses: Record<string, string>,
    ask: (postern: Postern, email: string) => Promise<Answer>,
  ): Promise<Record<string, Answer>> {
    const postern = await server()
    const answers: Record<string, Answer> = {}
    for (const [kind, email] of Object.entries(addresses)) answers[kind] = await ask(postern, email)
    return answers
  }

  test('27: every refused sign-in gets one answer, byte for byte', async () => {
    const postern = await server()
    const throttled = await one(placeAccounts(postern, 'active', 1))
    // Each failure comes as soon as it counts; after the last one the next try must wait for minutes.
    for (let failed = 0; failed < 14; failed += 1) {
      postern.clock.advance(SIGN_IN_BACKOFF.longestWait)
      const password = 'wrong'
      await postern.client().post('/v1/auth/sign-in/email', { email: throttled, password })
    }
    const addresses = {
      unknown: newEmail('unknown'),
      inactive: await one(placeAccounts(postern, 'inactive', 1)),
      disabled: await one(placeAccounts(postern, 'disabled', 1)),
      social: await one(placeAccounts(postern, 'social', 1)),
      throttled,
    }
    const signIn = (password: string) => (postern: Postern, email: string) =>
      postern.client().post('/v1/auth/sign-in/email', { email, password })
    // Also with the right password.
    const answers = await answerEach(addresses, signIn(PASSWORD))
    const wrong = await answerEach(
      { ...addresses, wrong: await one(placeAccounts(postern, 'active', 1)) },
      signIn('wrong horse 5 battery'),
    )
    const long = await answerEach(addresses, signIn('x'.repeat(2_048)))
    assertOneAnswer(
      Object.fromEntries(
        [answers, wrong, long].flatMap((some, round) =>
          Object.entries(some).map(([kind, answer]) => [`${kind} ${round}`, answer]),
        ),
      ),
      401,
    )
  })

  it('28: every sign-up of a person without an invitation gets one answer, byte for byte', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const tokens: Record<string, string> = { uninvited: 'x'.repeat(43), active: 'x'.repeat(43) }
    const addresses: Record<string, string> = { uninvited: newEmail('unknown'), active: admin.email }
    addresses.disabled = await one(placeAccounts(postern, 'disabled', 1))
    tokens.disabled = (await placeInvitations(postern, admin, 'pending', [addresses.disabled]))[0] ?? ''
    for (const kind of ['revoked', 'expired'] as const) {
      const emails = await placeAccounts(postern, 'inactive', 1)
      addresses[kind] = emails[0] ?? ''
      tokens[kind] = (await placeInvitations(postern, admin, kind, emails))[0] ?? ''
    }
    const without = await answerEach(addresses, (postern, email) =>
      postern.client().post('/v1/auth/sign-up/email', signUpBody(email)),
    )
    const kindOf = new Map(Object.entries(addresses).map(([kind, email]) => [email, kind]))
    const withToken = await answerEach(addresses, (postern, email) => {
      const invitationToken = tokens[kindOf.get(email) ?? '']
      return postern.client().post('/v1/auth/sign-up/email', signUpBody(email, { invitationToken }))
    })
    const all = Object.entries(withToken).map(([kind, answer]) => [`${kind}, with a token`, answer])
    assertOneAnswer({ ...without, ...Object.fromEntries(all) }, 403)
  })

  for (const path of ['/v1/auth/forget-password', '/v1/auth/magic-link']) {
    test(`29: ${path} answers the same to everybody, byte for byte`, async () => {
      const postern = await server()
      const inactive = await one(placeAccounts(postern, 'inactive', 1))
      await placeInvitations(postern, await administrator(postern), 'pending', [inactive])
      const addresses = {
        known: await one(placeAccounts(postern, 'active', 1)),
        unknown: newEmail('unknown'),
        inactive,
        disabled: await one(placeAccounts(postern, 'disabled', 1)),
        social: await one(placeAccounts(postern, 'social', 1)),
      }
      const answers = await answerEach(addresses, (postern, email) => postern.client().post(path, { email }))
      assertOneAnswer(answers, 200)
      assert.deepEqual(answers.known?.body, { status: true })
    })
  }
})
