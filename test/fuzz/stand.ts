import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dictionary } from '@zxcvbn-ts/language-common'
import { pino } from 'pino'
import { startApp } from '#src/app.ts'
import { runCommand } from '#src/cli/command.ts'
import { readConfig } from '#src/config/config.ts'
import { systemClock } from '#src/core/clock.ts'
import { RATES } from '#src/core/limits.ts'
import { MODULE_NAMES } from '#src/core/plans.ts'
import { Client } from '../support/browser.ts'
import { startChatServer } from '../support/chat-server.ts'
import { freePort } from '../support/free-port.ts'
import { close } from '../support/http-server.ts'
import { startOAuthProvider } from '../support/oauth-provider.ts'
import { startOpenIdProvider } from '../support/openid-provider.ts'
import { OPERATOR_TOKEN } from '../support/postern.ts'

/** Postern for a fuzzer: everything is configured, nothing is limited, and no other machine is reached. */
export interface Stand {
  url: string
  /** Answers what the fuzzer may show just now: it ends its own sessions, and deletes its own keys. */
  credentialsUrl: string
  /** A file of the passwords that are refused as too common, which no schema lists. */
  commonPasswords: string
  stop(): Promise<void>
}

export type Caller = 'anonymous' | 'session' | 'key' | 'operator'
export const CALLERS: Caller[] = ['anonymous', 'session', 'key', 'operator']

/** Whatever plan a fuzzer buys, nobody is limited by it. */
const GENEROUS = { requestsPerMinute: 1_000_000_000, modules: MODULE_NAMES, webhooks: 10_000, storageGiB: 10 }
const PLANS = {
  plans: {
    large: { ...GENEROUS, creditsPerCycle: 1_000_000 },
    gift: { ...GENEROUS, creditsPerCycle: 1_000_000, price: { amount: 0, currency: 'usd' } },
    team: { ...GENEROUS, creditsPerCycle: 1_000_000, price: { amount: 2_900, currency: 'usd' } },
  },
  cycle: 'month',
  creditPack: { credits: 1_000, price: { amount: 500, currency: 'usd' } },
}

const ORIGIN = 'https://app.acme.test'
// Not the document's example: whose password is guessed wrongly waits ever longer to sign in.
const PERSON = { email: 'holder@acme.test', password: 'correct horse 7 battery' }

/** @param database the settings that name the store */
export async function startStand(database: Record<string, string>, caller: Caller): Promise<Stand> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-fuzz-'))
  const [identity, connected, model] = await Promise.all([
    startOpenIdProvider(),
    startOAuthProvider(),
    startChatServer(),
  ])
  const providers = {
    local: {
      issuer: connected.issuer,
      clientId: connected.clientId,
      clientSecretVariable: 'LOCAL_SECRET',
      scopes: ['openid', 'offline_access', 'email'],
      apiHosts: [connected.host],
    },
  }
  const file = join(folder, 'connections.json')
  writeFileSync(file, JSON.stringify({ providers }))
  const plansFile = join(folder, 'plans.json')
  writeFileSync(plansFile, JSON.stringify(PLANS))
  const commonPasswords = join(folder, 'common-passwords.json')
  writeFileSync(commonPasswords, JSON.stringify(dictionary['passwords-common']))
  const env: Record<string, string> = {
    PORT: String(await freePort()),
    DATA_DIR: folder,
    LIMITS: JSON.stringify(
      Object.fromEntries(Object.keys(RATES).map((name) => [name, { max: 1_000_000_000 }])),
    ),
    PLANS_FILE: plansFile,
    DEFAULT_PLAN: 'large',
    ALLOWED_ORIGINS: ORIGIN,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    CONNECTIONS_FILE: file,
    CONNECTIONS_ALLOWED_NETWORKS: '127.0.0.0/8',
    SSO_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    LOCAL_SECRET: connected.clientSecret,
    FILES_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    MCP_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    OPERATOR_TOKEN,
    ...model.env,
    ...identity.env('GOOGLE'),
    ...identity.env('MICROSOFT'),
    ...database,
  }
  const app = await startApp({
    config: readConfig(env),
    clock: systemClock,
    log: pino({ level: 'error', base: null }),
    // Every name is this machine: whatever a fuzzer makes up reaches nobody else.
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  const holder = await signUp(app.address, env)
  const credentialsServer = createServer((_request, response) => {
    void holder.show(caller).then(
      (shown) => response.end(JSON.stringify(shown)),
      (error: Error) => {
        console.error(error)
        response.statusCode = 500
        response.end(error.stack)
      },
    )
  })
  await new Promise<void>((resolve) => credentialsServer.listen(0, '127.0.0.1', resolve))
  return {
    url: app.address,
    commonPasswords,
    credentialsUrl: `http://127.0.0.1:${(credentialsServer.address() as AddressInfo).port}/`,
    async stop() {
      await close(credentialsServer)
      await app.stop()
      await identity.stop()
      await connected.stop()
      await model.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Holder {
  /** Credentials that are good: the last ones, or new ones where those have ended. */
  show(caller: Caller): Promise<{ cookie?: string; bearer?: string; operator?: string }>
}

async function signUp(url: string, env: Record<string, string>): Promise<Holder> {
  const said: string[] = []
  const words = ['--organization', 'Acme', '--email', PERSON.email, '--role', 'administrator', '--json']
  const print = (line: string) => said.push(line)
  assert.equal(await runCommand(['invite', ...words], { env, print, complain: print }), 0, said.join('\n'))
  const { token: invitationToken } = JSON.parse(said.join('\n')) as { token: string }
  let client = new Client(url)
  const names = { firstName: 'Ada', lastName: 'Lovelace', termsAccepted: true }
  const signedUp = await client.post('/v1/auth/sign-up/email', { ...PERSON, ...names, invitationToken })
  assert.equal(signedUp.status, 201, signedUp.text)
  let token = await takeToken()
  let key = await makeKey()

  async function takeToken(): Promise<string> {
    const answer = await client.get('/v1/auth/token')
    assert.equal(answer.status, 200, answer.text)
    return answer.body.token
  }
  async function makeKey(): Promise<string> {
    const body = { name: 'fuzzer', role: 'administrator' }
    const answer = await client.post('/v1/api-keys', body, { token })
    assert.equal(answer.status, 201, answer.text)
    return answer.body.key
  }
  async function renew(): Promise<void> {
    client = new Client(url)
    const answer = await client.post('/v1/auth/sign-in/email', PERSON)
    assert.equal(answer.status, 200, answer.text)
    token = await takeToken()
  }
  const isGood = async (bearer: string) =>
    (await new Client(url).get('/v1/organizations', { token: bearer })).status === 200
  return {
    async show(caller) {
      if (caller === 'anonymous') return {}
      // On the routes of the operator alone: it may delete the organization that the others call for.
      if (caller === 'operator') return { operator: OPERATOR_TOKEN }
      if ((await client.get('/v1/auth/session')).status !== 200 || !(await isGood(token))) await renew()
      if (caller === 'session') return { cookie: `session=${client.cookies.get('session')}`, bearer: token }
      if (!(await isGood(key))) key = await makeKey()
      return { bearer: key }
    },
  }
}
