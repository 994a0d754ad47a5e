import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { at, closeCleanly, noBrowser, openBrowser } from '../support/chromium.ts'
import { overflowOf, violationsOf } from '../support/console.ts'
import { usePostern } from '../support/postern.ts'

const LOOKS = [
  { colorScheme: 'light', viewport: { width: 1_280, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

describe('the reference of the API', () => {
  const server = usePostern('sqlite')
  const text = async (path: string, accept = 'text/html') =>
    fetch((await server()).url + path, { headers: { accept } })

  it('has every operation of the document with how it is called, and leads to each', async () => {
    const document = (await (await text('/openapi.json', '*/*')).json()) as {
      paths: Record<string, Record<string, { operationId: string; tags: string[] }>>
    }
    const contents = await (await text('/api/docs')).text()
    const links = new Map(
      [...contents.matchAll(/href="(\/api\/docs\/[a-z-]+)#(\w+)"/g)].map(([, path = '', id = '']) => [
        id,
        path,
      ]),
    )
    const operations = Object.values(document.paths).flatMap((one) => Object.values(one))
    assert.deepEqual([...links.keys()].sort(), operations.map(({ operationId }) => operationId).sort())
    const pages = new Map<string, string>()
    for (const path of new Set(links.values())) pages.set(path, await (await text(path)).text())
    for (const [operationId, path] of links) {
      const own = pages.get(path)?.split(`id="${operationId}"`)[1]?.split('</section>')[0] ?? ''
      assert.ok(own.includes('curl'), operationId)
      // The client has a method for each of them.
      assert.ok(own.includes('await postern.'), operationId)
    }
  })

  it('is a page in the policy of all pages, without a script; what it has not is no part of it', async () => {
    const page = await text('/api/docs/error-codes')
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/)
    assert.doesNotMatch(await page.text(), /<script| style=| on\w+=/)
    for (const path of ['/api/docs/nothing', '/api/docs/static/swagger-ui.css', '/api/docs/constructor'])
      assert.equal((await text(path)).status, 404, path)
  })

  it('tells a person what an error means where its docUrl leads, and a program the same as JSON', async () => {
    const path = '/v1/errors/DUPLICATE'
    const [page, data] = await Promise.all([
      text(path, 'text/html,application/xhtml+xml,*/*;q=0.8'),
      text(path, '*/*'),
    ])
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(await page.text(), /<h1>DUPLICATE<\/h1>/)
    assert.match(data.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(((await data.json()) as { code: string }).code, 'DUPLICATE')
    assert.equal(page.headers.get('vary')?.includes('accept'), true)
    assert.match(
      (await text(path, 'application/json, text/html;q=0.5')).headers.get('content-type') ?? '',
      /json/,
    )
  })

  it('can be used by everybody', { skip: noBrowser }, async () => {
    for (const look of LOOKS) {
      const browsing = await openBrowser(look)
      for (const path of [
        '/api/docs',
        '/api/docs/webhooks',
        '/api/docs/event-types',
        '/api/docs/error-codes',
        '/v1/errors/DUPLICATE',
      ]) {
        await browsing.page.goto(at(await server(), path))
        const where = `${path} ${look.colorScheme}`
        assert.deepEqual(await violationsOf(browsing.page), [], where)
        assert.equal(await overflowOf(browsing.page), 0, where)
      }
      await closeCleanly(browsing)
    }
  })
})
