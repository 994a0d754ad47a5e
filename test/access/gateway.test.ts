import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { decodeJwt } from 'jose'
import { LIFETIME } from '#src/core/limits.ts'
import { Client } from '../support/browser.ts'
import { fetches } from '../support/fetched.ts'
import { freePort } from '../support/free-port.ts'
import { close, json } from '../support/http-server.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { connect, issuerOf } from '../support/oauth.ts'
import { administrator } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

describe('the gateway of the guide, in front of a service', {
  skip: !IS_NIGHTLY && 'nginx is fetched at night.',
}, () => {
  const server = usePostern('sqlite', {
    env: { TRUST_PROXY: '127.0.0.1/32', LIMITS: '{"publicPerIp":{"max":20}}' },
  })
  const folder = mkdtempSync(join(tmpdir(), 'postern-gateway-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** The program of this machine, or that of its distribution, unpacked; undefined, and the test is skipped, without either. */
  async function haveNginx(context: TestContext): Promise<string | undefined> {
    if (await fetches('nginx', ['-v'])) return 'nginx'
    const place = join(folder, 'package')
    mkdirSync(place)
    const isFetched = await fetches('apt-get', ['download', 'nginx'], { cwd: place })
    const [file] = globSync('nginx_*.deb', { cwd: place })
    if (!isFetched || file === undefined || !(await fetches('dpkg', ['-x', file, '.'], { cwd: place }))) {
      context.skip('nginx could not be fetched.')
      return undefined
    }
    return join(place, 'usr', 'sbin', 'nginx')
  }

  it('lets tokens in that Postern takes now, and none of before, of others or without one, from no network more than another', async (context) => {
    const nginx = await haveNginx(context)
    if (nginx === undefined) return
    const postern = await server()
    const service = createServer((request, response) => {
      const { org_id } = decodeJwt(String(request.headers.authorization).slice('Bearer '.length))
      json(response, { org_id })
    })
    await new Promise<void>((listening) => service.listen(0, '127.0.0.1', listening))
    after(() => close(service))
    const port = await freePort()
    const [, code] =
      /### In a gateway\n.*?^```nginx\n(.*?)^```$/ms.exec(readFileSync('docs/tokens.md', 'utf8')) ?? []
    assert.ok(code)
    const own = code
      .replace('listen 8443', `listen 127.0.0.1:${port}`)
      .replace('127.0.0.1:8080', `127.0.0.1:${(service.address() as AddressInfo).port}`)
      .replace('https://id.example.com', issuerOf(postern).replace('localhost', '127.0.0.1'))
      // The header X-From stands in for the address of the connection, so that a test can use two networks.
      .replace('$remote_addr', '$http_x_from')
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    )
    const settings = `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr; events {} http { access_log off; ${paths.join(' ')}\n${own}}`
    writeFileSync(join(folder, 'nginx.conf'), settings)
    const child = spawn(nginx, ['-p', folder, '-e', 'stderr', '-c', resolve(folder, 'nginx.conf')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let complaints = ''
    child.stderr.on('data', (chunk) => {
      complaints += chunk
    })
    const ended = once(child, 'close')
    try {
      const gateway = new Client(`http://127.0.0.1:${port}`)
      const ask = (token?: string, from = '203.0.113.9') =>
        gateway.get('/', { headers: { 'x-from': from }, ...(token === undefined ? {} : { token }) })
      const isUp = async () => (await ask().catch(() => undefined))?.status
      await until(isUp, (status) => status !== undefined, { what: `nginx to listen: ${complaints}` })

      const [person, other] = [await administrator(postern), await administrator(postern)]
      const { access } = await connect(postern, person, { scope: 'organization:read' })
      const narrow = await connect(postern, person, { scope: 'webhooks:read' })
      const good = await ask(person.token)
      assert.deepEqual([good.status, good.body], [200, { org_id: person.organizationId }], complaints)
      assert.equal((await ask(access)).status, 200)
      assert.equal((await ask(narrow.access)).status, 403)
      const nothing = await ask()
      assert.equal(nothing.status, 401)
      assert.match(nothing.headers.get('www-authenticate') ?? '', /resource_metadata=/)

      assert.equal((await other.client.post('/v1/auth/sign-out')).status, 200)
      assert.equal((await person.client.delete(`/v1/auth/grants/${decodeJwt(access).grant_id}`)).status, 204)
      postern.clock.advance(LIFETIME.credentialCache)
      for (const token of [other.token, access, `${person.token}x`])
        assert.equal((await ask(token)).status, 401)

      for (let times = 0; times < 25; times += 1) await ask('garbage')
      assert.equal((await ask('garbage')).status, 500)
      assert.equal((await ask('garbage', '198.51.100.7')).status, 401)
      assert.equal((await ask(person.token)).status, 200)
    } finally {
      child.kill()
      await ended
    }
  })
})
