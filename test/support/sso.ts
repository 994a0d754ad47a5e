import assert from 'node:assert/strict'
import { after } from 'node:test'
import { systemClock } from '#src/core/clock.ts'
import { createTextServers } from '#src/net/name-servers.ts'
import { createTextResolver } from '#src/net/text-resolver.ts'
import type { Answer, Client } from './browser.ts'
import { type Said, startNameServer } from './name-server.ts'
import { type OpenIdProvider, type Person as Subject, startOpenIdProvider } from './openid-provider.ts'
import { administrator, type Person } from './people.ts'
import { type EngineName, type Postern, startPostern } from './postern.ts'
import { CALLBACK, SOCIAL_ENV } from './social.ts'

const ERROR_CALLBACK = 'https://app.acme.test/failed?from=social'

/** Lets identity providers of organizations be on this machine. */
export const SSO_ENV = { ...SOCIAL_ENV, SSO_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' }

let counter = 0
function next(): number {
  counter += 1
  return counter
}

/** An organization with a proven domain and an identity provider. */
export interface Acme {
  admin: Person
  organizationId: string
  domain: string
  /** The id of the identity provider. */
  id: string
  /** A new address of the domain. */
  email(): string
}

export interface Sso {
  postern: Postern
  openId: OpenIdProvider
}

/** Postern with an OpenID provider, and a name server at which domains are proven, for a suite. */
export function useSso(
  engine: EngineName,
  envOf: (openId: OpenIdProvider) => Record<string, string> = () => ({}),
) {
  const records = new Map<string, Said>()
  let started: Promise<Sso & { stop: () => Promise<void> }> | undefined
  after(async () => (await started)?.stop())

  async function start() {
    const names = await startNameServer((name) => records.get(name))
    const ask = createTextServers(systemClock, [names.address])
    const openId = await startOpenIdProvider()
    const postern = await startPostern(engine, {
      env: { ...SSO_ENV, ...envOf(openId) },
      lookUpTexts: createTextResolver({ clock: systemClock, ask }),
    })
    const stop = async () => {
      await postern.stop()
      await openId.stop()
      await names.stop()
    }
    return { postern, openId, stop }
  }

  const server = () => {
    started ??= start()
    return started
  }

  /** Publishes a text of a domain, in the place of what stood there. */
  function publish(name: string, text: string): void {
    records.set(name, { texts: [text], ttl: 1 })
  }

  /** Has an organization prove a domain by its record. */
  async function prove({ token }: Pick<Person, 'token'>, name = `acme-${next()}-${process.pid}.test`) {
    const { postern } = await server()
    const client = postern.client()
    const claimed = await client.post('/v1/domains', { name }, { token })
    assert.equal(claimed.status, 201, claimed.text)
    const { id, record } = claimed.body
    records.set(record.name, { texts: [record.value], ttl: 60 })
    const verified = await client.post(`/v1/domains/${id}/verify`, {}, { token })
    assert.equal(verified.body.status, 'verified', verified.text)
    return { id: id as string, name }
  }

  async function addProvider({ token }: Pick<Person, 'token'>, more: object = {}): Promise<string> {
    const { postern, openId } = await server()
    const body = { kind: 'oidc', name: 'Acme login', oidc: openId.oidc, ...more }
    const answer = await postern.client().post('/v1/identity-providers', body, { token })
    assert.equal(answer.status, 201, answer.text)
    return answer.body.id
  }

  /** A new organization with a proven domain and an identity provider. */
  async function acme(more: object = { createsMemberships: true }): Promise<Acme> {
    const { postern } = await server()
    const admin = await administrator(postern)
    const { name: domain } = await prove(admin)
    const id = await addProvider(admin, more)
    const { organizationId } = admin
    return { admin, organizationId, domain, id, email: () => `person-${next()}@${domain}` }
  }

  /** Has an organization give up its domain. */
  async function loseDomain({ admin: { token }, domain }: Acme): Promise<void> {
    const { postern } = await server()
    const client = postern.client()
    const { data } = (await client.get('/v1/domains', { token })).body
    const id = data.find(({ name }: { name: string }) => name === domain)?.id
    assert.equal((await client.delete(`/v1/domains/${id}`, { token })).status, 204)
  }

  /** A person's way through the identity provider, up to what Postern answers to the browser. */
  async function signIn(subject: Subject, named: object, client?: Client) {
    const { postern, openId } = await server()
    const browser = client ?? postern.client()
    const authUrl = await beginSso(browser, named)
    return { client: browser, answer: await browser.get(await openId.signIn(authUrl, subject)) }
  }

  return { server, publish, prove, addProvider, acme, loseDomain, signIn }
}

/** A person at an identity provider, who has the address there. */
export const atProvider = (email: string, more: object = {}): Subject => ({
  sub: `subject-${next()}`,
  email,
  email_verified: true,
  given_name: 'Grace',
  family_name: 'Hopper',
  ...more,
})

/** Begins a sign-in with an organization and returns where the browser is to go. */
export async function beginSso(client: Client, named: object): Promise<string> {
  const answer = await askSso(client, named)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.authUrl
}

export function askSso(client: Client, named: object): Promise<Answer> {
  const body = { callbackURL: CALLBACK, errorCallbackURL: ERROR_CALLBACK, ...named }
  return client.post('/v1/auth/sign-in/sso', body)
}
