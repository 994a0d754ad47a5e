import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Answer, Client } from './browser.ts'
import { newIdentity } from './certificate.ts'
import { connectMcp } from './mcp-client.ts'
import { pageOf } from './pdf.ts'
import { newEmail, PASSWORD, signUpBody, tokenOf } from './people.ts'
import { OPERATOR_TOKEN } from './postern.ts'
import { watch } from './process.ts'
import { startReceiver } from './receiver.ts'
import { bringAnswer, newSamlProvider, readRequest } from './saml-provider.ts'
import { beginSso } from './sso.ts'
import { until, within } from './waits.ts'

/** A Postern that was installed from a package, and runs. */
export interface Installed {
  url: string
  /** Runs one of its commands to its end. @returns its output */
  command(...args: string[]): Promise<string>
  /** Where `postern backup` may write, as the command sees it, and as the test does. */
  copy: { to: string; file: string }
}

/** The settings that the walk needs; a thread sends, because a package finds its threads by their paths. */
export const WALK_SETTINGS = {
  DEFAULT_PLAN: 'unlimited',
  SENDING_THREAD: 'on',
  LOG_LEVEL: 'error',
  OPERATOR_TOKEN,
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
}

/**
 * Waits until a server that was started from a package is ready, does `work`, and ends it.
 * @param end sends it the signal to end
 * @returns its output and its exit code
 */
export async function whileItServes(
  server: ChildProcess,
  work: () => Promise<void>,
  end: () => unknown = () => server.kill('SIGTERM'),
): Promise<{ said: string; code: number | null }> {
  const { says, said, gone } = watch(server)
  const ended = async () => {
    await end()
    return within('the installed server to end', gone, { now: said })
  }
  try {
    await says('is ready')
    await work()
  } catch (error) {
    await ended()
    throw new Error(`the installed server said: ${said()}`, { cause: error })
  }
  return { code: await ended(), said: said() }
}

/**
 * Walks through an installed Postern by its public doors, past all that it finds by path or starts beside itself: pages, the console,
 * the reference, threads, child processes, commands.
 */
export async function walkThrough({ url, command, copy }: Installed): Promise<void> {
  const client = new Client(url)
  assert.equal((await client.get('/livez')).body.status, 'ok')
  await seePages(url, client)

  const email = newEmail()
  const invite = ['invite', '--organization', 'Acme', '--email', email, '--role', 'administrator']
  const { token: invitationToken } = JSON.parse(await command(...invite, '--json'))
  const signedUp = await client.post('/v1/auth/sign-up/email', signUpBody(email, { invitationToken }))
  assert.equal(signedUp.status, 201, signedUp.text)
  const signedIn = await client.post('/v1/auth/sign-in/email', { email, password: PASSWORD })
  assert.equal(signedIn.status, 200, signedIn.text)
  const token = await tokenOf(client)

  await deliverEvent(client, token)
  await readAndSearch(client, token)
  await speakProtocols(url, client, token)
  const findings = await client.get('/v1/operator/findings', { token: OPERATOR_TOKEN })
  assert.equal(findings.status, 200, findings.text)
  assert.match(await command('doctor'), /No problem/)
  assert.match(await command('backup', '--to', copy.to, '--without-key'), /Made .* rows/)
  assert.ok(existsSync(copy.file))
}

async function seePages(url: string, client: Client): Promise<void> {
  const console = await client.get('/console')
  assert.equal(console.status, 200, console.text)
  const [, entry = ''] = /<script type="module" src="([^"]+)"/.exec(console.text) ?? []
  const script = await client.get(entry)
  assert.equal(script.status, 200, entry)
  assert.match(script.headers.get('content-type') ?? '', /^text\/javascript/)
  const signIn = await client.get('/sign-in')
  assert.equal(signIn.status, 200, signIn.text)
  for (const [, path = ''] of signIn.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g))
    assert.equal((await fetch(url + path)).status, 200, path)
  for (const path of ['/api/docs', '/openapi.json', '/v1/errors', '/v1/errors/DUPLICATE'])
    assert.equal((await client.get(path)).status, 200, path)
}

async function deliverEvent(client: Client, token: string): Promise<void> {
  const receiver = await startReceiver()
  try {
    const type = await client.post(
      '/v1/event-types',
      { name: 'order.paid', example: { amount: 990 } },
      { token },
    )
    assert.equal(type.status, 201, type.text)
    const webhook = await client.post(
      '/v1/webhooks',
      { url: receiver.url, events: ['order.paid'] },
      { token },
    )
    assert.equal(webhook.status, 201, webhook.text)
    const event = await client.post('/v1/events', { type: 'order.paid', data: { amount: 1 } }, { token })
    assert.equal(event.status, 202, event.text)
    const [received] = await receiver.count(1)
    assert.equal(received?.event.type, 'order.paid')
  } finally {
    await receiver.stop()
  }
}

/** OpenID for clients, MCP and SAML load packages of their own; a thread reads what an identity provider signs. */
async function speakProtocols(url: string, client: Client, token: string): Promise<void> {
  const discovery = await client.get('/.well-known/openid-configuration')
  assert.match(discovery.body.token_endpoint, /^http/, discovery.text)
  const mcp = await connectMcp(url, token, 'old')
  assert.ok((await mcp.listTools()).tools.length > 0)
  await mcp.close()
  const idp = newSamlProvider()
  const body = { kind: 'saml', name: 'Acme login', saml: idp.saml }
  const made = await client.post('/v1/identity-providers', body, { token })
  assert.equal(made.status, 201, made.text)
  const comeBy = async (key = idp.identity) => {
    const browser = new Client(url)
    const back = { callbackURL: discovery.body.issuer, errorCallbackURL: discovery.body.issuer }
    const authUrl = await beginSso(browser, { identityProviderId: made.body.id, ...back })
    const answer = idp.answer(authUrl, { nameId: 'nobody', attributes: { email: newEmail() } }, {}, key)
    await bringAnswer(browser, new Client(url), readRequest(authUrl), answer)
  }
  await comeBy()
  await comeBy(newIdentity())
  const { body: log } = await client.get('/v1/audit-log?action=sign_in.failed', { token })
  assert.deepEqual(
    log.data.map(({ details }: { details: { reason: string } }) => details.reason),
    ['signature', 'domain_not_proven'],
  )
}

/** A PDF is read by a child process; a long text in another script is ranked by a thread. */
async function readAndSearch(client: Client, token: string): Promise<void> {
  const pdf = pageOf('BT /F1 12 Tf 20 200 Td (The postern gate opens at noon) Tj ET')
  const file = await client.call('/v1/files?name=gate.pdf', {
    method: 'POST',
    body: pdf,
    token,
    headers: { 'content-type': 'application/pdf', prefer: 'wait=30' },
  })
  assert.equal(file.status, 201, file.text)
  // An emulated processor may take longer than a request waits.
  const isRead = ({ body }: Answer) => !['processing', 'queued', 'indexing'].includes(body.status)
  const text = await until(() => client.get(`/v1/files/${file.body.id}/text`, { token }), isRead)
  assert.match(text.text, /The postern gate opens at noon/)
  const base = await client.post('/v1/knowledge-bases', { name: 'Gates' }, { token })
  assert.equal(base.status, 201, base.text)
  const long = 'Η πύλη ανοίγει το μεσημέρι και κλείνει το βράδυ. '.repeat(400)
  const path = `/v1/knowledge-bases/${base.body.id}`
  const headers = { prefer: 'wait=30' }
  const document = await client.post(`${path}/documents`, { text: long }, { token, headers })
  const indexed = await until(() => client.get(`/v1/documents/${document.body.id}`, { token }), isRead)
  assert.equal(indexed.body.status, 'indexed', indexed.text)
  const found = await client.post(`${path}/search`, { query: 'πύλη μεσημέρι' }, { token })
  assert.equal(found.status, 200, found.text)
  assert.ok(found.body.data.length > 0, found.text)
}
