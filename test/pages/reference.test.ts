import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { at, closeCleanly, noBrowser, openBrowser } from '../support/chromium.ts'
import { isWhole, overflowOf, violationsOf } from '../support/console.ts'
import { usePostern } from '../support/postern.ts'

const LOOKS = [
  { colorScheme: 'light', viewport: { width: 1_280, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

const PAGES = [
  '/api/docs',
  '/api/docs/webhooks',
  '/api/docs/event-types',
  '/api/docs/error-codes',
  '/api/docs/runs',
  '/v1/errors/VALIDATION_FAILED',
  '/nothing-here',
]

interface Entry {
  code: string
  causes: string[]
  steps: string[]
  example: { error: { code: string } }
}

/** A sentence of the guide as a page has it. */
const shown = (sentence: string) =>
  sentence
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replace(/`([^`]*)`/g, '<code>$1</code>')

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

  it('has a form for each operation with a field for all that it takes, and asks before what cannot be taken back', async () => {
    const document = (await (await text('/openapi.json', '*/*')).json()) as {
      paths: Record<
        string,
        Record<
          string,
          {
            operationId: string
            tags: string[]
            parameters?: { name: string }[]
            requestBody?: object
            'x-path'?: string
          }
        >
      >
    }
    const slug = (tag: string) => tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')
    const pages = new Map<string, string>()
    const asking: string[] = []
    for (const [path, operations] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(operations)) {
        const { operationId, tags, parameters = [], requestBody } = operation
        const where = `/api/docs/${slug(tags[0] ?? '')}`
        if (!pages.has(where)) pages.set(where, await (await text(where)).text())
        const own =
          pages.get(where)?.split(`id="${operationId}"`)[1]?.split('<details><summary>Headers')[0] ?? ''
        assert.ok(own.includes(`data-method="${method.toUpperCase()}"`), operationId)
        assert.ok(own.includes(`data-path="${operation['x-path'] ?? path}"`), operationId)
        const named = [...own.matchAll(/name="([^"]+)" data-in="(?:path|query|header)"/g)].map(
          ([, name]) => name,
        )
        assert.deepEqual(
          named.filter((name) => name !== 'accept').sort(),
          parameters
            .map(({ name }) => name)
            .filter((name) => name !== 'accept')
            .sort(),
          operationId,
        )
        assert.equal(own.includes('data-in="body"'), requestBody !== undefined, operationId)
        if (own.includes(' data-asks')) asking.push(operationId)
        else assert.notEqual(method, 'delete', operationId)
      }
    for (const name of [
      'rotateWebhookSecret',
      'changePassword',
      'createOrganizationReplay',
      'createReplay',
      'signOut',
      'retryDeliveries',
    ])
      assert.ok(asking.includes(name), name)
  })

  it('is a page in the policy of all pages, without a script where there is only something to read; what it has not is no part of it', async () => {
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
    const words = await page.text()
    assert.match(words, /<h1>DUPLICATE<\/h1>/)
    for (const part of ['Causes', 'What to do', 'Example'])
      assert.ok(words.includes(`<h2>${part}</h2>`), part)
    assert.match(data.headers.get('content-type') ?? '', /^application\/json/)
    const { code, causes, steps, example } = (await data.json()) as Entry
    assert.deepEqual([code, example.error.code], ['DUPLICATE', 'DUPLICATE'])
    for (const sentence of [...causes, ...steps]) assert.ok(words.includes(shown(sentence)), sentence)
    assert.equal(page.headers.get('vary')?.includes('accept'), true)
    assert.match(
      (await text(path, 'application/json, text/html;q=0.5')).headers.get('content-type') ?? '',
      /json/,
    )
  })

  it('answers a browser at an address where there is nothing with a page that leads on, and a program with the error', async () => {
    for (const path of ['/nothing-here', '/v1/nothing', '/console/assets/none', '/api/docs/nothing']) {
      const [page, data] = await Promise.all([text(path), text(path, 'application/json')])
      assert.equal(page.status, 404, path)
      assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8', path)
      assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/)
      const words = await page.text()
      for (const link of ['href="/console"', 'href="/api/docs"'])
        assert.ok(words.includes(link), `${path} ${link}`)
      assert.doesNotMatch(words, /nothing-here|<script/)
      assert.equal(data.status, 404, path)
      assert.equal(((await data.json()) as Entry['example']).error.code, 'ENTITY_NOT_FOUND', path)
    }
    const sent = await fetch(`${(await server()).url}/nothing-here`, {
      method: 'POST',
      headers: { accept: 'text/html' },
    })
    assert.match(sent.headers.get('content-type') ?? '', /json/)
  })

  it('can be used by everybody', { skip: noBrowser }, async () => {
    for (const [turn, look] of LOOKS.entries()) {
      const browsing = await openBrowser(look)
      for (const [index, path] of PAGES.entries()) {
        // In turns light and wide, dark and narrow.
        if (!isWhole && index % LOOKS.length !== turn) continue
        await browsing.page.goto(at(await server(), path))
        const where = `${path} ${look.colorScheme}`
        assert.deepEqual(await violationsOf(browsing.page), [], where)
        assert.equal(await overflowOf(browsing.page), 0, where)
      }
      // The status of a page that is not there is a fault to the browser.
      const expected = browsing.faults.findIndex((fault) => fault.includes('status of 404'))
      if (expected >= 0) browsing.faults.splice(expected, 1)
      await closeCleanly(browsing)
    }
  })
})
