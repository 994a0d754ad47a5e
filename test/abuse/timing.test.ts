import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { nightly } from '../support/nightly.ts'
import { administrator, newEmail, PASSWORD, signUpBody } from '../support/people.ts'
import { postern as command, onOneEngineByDay, type Postern, usePostern } from '../support/postern.ts'
import { mannWhitney, shuffled, tellApart } from '../support/statistics.ts'
import { failSignIns, placeAccounts, placeInvitations } from '../support/strangers.ts'

/** Rounds for an endpoint that hashes a password. With 20 a difference of 2.5 ms is still detected (the last test of this file). */
const HASHES = nightly(36, 20)
/** Rounds for an endpoint without a hash. */
const QUICK = nightly(120, 60)
/** Rounds that are not counted, because the first requests compile the code. */
const WARM_UP = nightly(4, 2)

/** Hashes of other programs, each of which takes some ten milliseconds. */
const IMPORTED_HASHES = [
  '$2b$09$abcdefghijklmnopqrstuuYVlArImcY9t8iZB05TaOK0bU6e/ht.G',
  '$scrypt$ln=13,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$Vy2jaf1hJvhlYBN4Eie81xrAj5UkgQsu6eKIkLW3kQM',
]

/** One request at a time on one connection, so that only the answer is measured. */
function openLine({ url }: Postern) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    close: () => agent.destroy(),
    time(path: string, body: object): Promise<{ status: number; took: number }> {
      const text = JSON.stringify(body)
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
      return new Promise((resolve, reject) => {
        const start = performance.now()
        const sent = request(new URL(path, url), { method: 'POST', agent, headers }, (answer) => {
          const took = performance.now() - start
          answer.resume().on('end', () => resolve({ status: answer.statusCode ?? 0, took }))
        })
        sent.on('error', reject).end(text)
      })
    },
  }
}

/** Times requests of every kind, in a new random order each round, so that disturbances hit all kinds alike. */
async function timeEach(
  postern: Postern,
  path: string,
  bodies: Record<string, object[]>,
  status: number,
): Promise<Record<string, number[]>> {
  const line = openLine(postern)
  const samples: Record<string, number[]> = {}
  const rounds = Math.min(...Object.values(bodies).map(({ length }) => length))
  for (let round = 0; round < rounds; round += 1) {
    for (const [kind, some] of shuffled(Object.entries(bodies))) {
      const answer = await line.time(path, some[round] ?? {})
      assert.equal(answer.status, status, kind)
      samples[kind] ??= []
      if (round >= WARM_UP) samples[kind].push(answer.took)
    }
  }
  line.close()
  return samples
}

function unknownAddresses(count: number): string[] {
  return Array.from({ length: count }, () => newEmail('unknown'))
}

// The hash takes the time, and does not depend on the store.
onOneEngineByDay('one time', (engine) => {
  const server = usePostern(engine, { hashes: 'production' })

  it('27: every refused sign-in takes the same time', async () => {
    const postern = await server()
    const count = HASHES + WARM_UP
    const with_ = (password: string, emails: string[]) => emails.map((email) => ({ email, password }))
    const [throttled = ''] = await placeAccounts(postern, 'active', 1)
    await failSignIns(postern, throttled)
    const samples = await timeEach(
      postern,
      '/v1/auth/sign-in/email',
      {
        unknown: with_(PASSWORD, unknownAddresses(count)),
        wrong: with_('wrong horse 5 battery', await placeAccounts(postern, 'active', count)),
        inactive: with_(PASSWORD, await placeAccounts(postern, 'inactive', count)),
        disabled: with_(PASSWORD, await placeAccounts(postern, 'disabled', count)),
        social: with_(PASSWORD, await placeAccounts(postern, 'social', count)),
        throttled: with_(
          PASSWORD,
          Array.from({ length: count }, () => throttled),
        ),
      },
      401,
    )
    assert.deepEqual(tellApart(samples), [])
  })

  it('27: every refused sign-in takes the same time where accounts were imported with hashes of several kinds', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const folder = mkdtempSync(join(tmpdir(), 'import-'))
    const lines = IMPORTED_HASHES.map((passwordHash) =>
      JSON.stringify({
        ...{ email: newEmail('imported'), passwordHash },
        organizations: [{ organization: admin.organizationId }],
      }),
    )
    writeFileSync(join(folder, 'accounts.jsonl'), lines.join('\n'))
    const done = await command(postern, 'import-accounts', '--file', join(folder, 'accounts.jsonl'))
    rmSync(folder, { recursive: true })
    assert.equal(done.code, 0, done.err)
    const count = HASHES + WARM_UP
    const [bcrypt] = IMPORTED_HASHES
    const wrong = (emails: string[]) => emails.map((email) => ({ email, password: 'wrong horse 5 battery' }))
    const samples = await timeEach(
      postern,
      '/v1/auth/sign-in/email',
      {
        unknown: wrong(unknownAddresses(count)),
        own: wrong(await placeAccounts(postern, 'active', count)),
        bcrypt: wrong(await placeAccounts(postern, 'active', count, bcrypt)),
      },
      401,
    )
    assert.deepEqual(tellApart(samples), [])
  })

  it('28: every sign-up of a person without an invitation takes the same time', async () => {
    const postern = await server()
    const count = HASHES + WARM_UP
    const admin = await administrator(postern)
    const [revoked, expired] = [
      await placeAccounts(postern, 'inactive', count),
      await placeAccounts(postern, 'inactive', count),
    ]
    const tokens = {
      revoked: await placeInvitations(postern, admin, 'revoked', revoked),
      expired: await placeInvitations(postern, admin, 'expired', expired),
    }
    const kinds = {
      uninvited: unknownAddresses(count),
      active: await placeAccounts(postern, 'active', count),
      revoked,
      expired,
    }
    const bodies = Object.entries(kinds).map(([kind, emails]) => [
      kind,
      emails.map((email) => signUpBody(email)),
    ])
    const path = '/v1/auth/sign-up/email'
    assert.deepEqual(tellApart(await timeEach(postern, path, Object.fromEntries(bodies), 403)), [])
    // 7: the token of an ended invitation takes the same time as an unknown one.
    const withToken = {
      unknown: revoked.map((email) => signUpBody(email, { invitationToken: 'x'.repeat(43) })),
      revoked: revoked.map((email, at) => signUpBody(email, { invitationToken: tokens.revoked[at] })),
      expired: expired.map((email, at) => signUpBody(email, { invitationToken: tokens.expired[at] })),
    }
    assert.deepEqual(tellApart(await timeEach(postern, path, withToken, 403)), [])
  })

  for (const path of ['/v1/auth/forget-password', '/v1/auth/magic-link']) {
    it(`29: ${path} takes the same time whether or not a mail is sent`, async () => {
      const postern = await server()
      const count = QUICK + WARM_UP
      const inactive = await placeAccounts(postern, 'inactive', count)
      await placeInvitations(postern, await administrator(postern), 'pending', inactive)
      const kinds = {
        known: await placeAccounts(postern, 'active', count),
        unknown: unknownAddresses(count),
        inactive,
      }
      const bodies = Object.entries(kinds).map(([kind, emails]) => [kind, emails.map((email) => ({ email }))])
      assert.deepEqual(tellApart(await timeEach(postern, path, Object.fromEntries(bodies), 200), 0.2), [])
    })
  }
})

it('27: the test of times sees a difference where there is one, and none where there is none', () => {
  const noise = (shift: number) => Array.from({ length: HASHES }, (_, at) => 10 + shift + ((at * 7) % 13) / 4)
  assert.deepEqual(tellApart({ one: noise(0), other: noise(0) }), [])
  assert.equal(mannWhitney(noise(0), noise(0)), 1)
  // The difference is measurable here, and too small over a network.
  assert.ok(mannWhitney(noise(0), noise(0.9)) < 1)
  assert.deepEqual(tellApart({ one: noise(0), other: noise(0.9) }), [])
  assert.equal(tellApart({ one: noise(0), other: noise(2.5) }).length, 1)
  // R: wilcox.test(1:20, 11:30, exact = FALSE)$p.value
  const upTo = (from: number) => Array.from({ length: 20 }, (_, at) => from + at)
  assert.ok(Math.abs(mannWhitney(upTo(1), upTo(11)) - 5.0e-5) < 3.0e-5)
})
