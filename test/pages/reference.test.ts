import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { at, closeCleanly, noBrowser, openBrowser } from '../support/chromium.ts'
import { isWhole, overflowOf, violationsOf } from '../support/console.ts'
import { nightly } from '../support/nightly.ts'
import { administrator } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'

const LOOKS = [
  { colorScheme: 'light', viewport: { width: 1_280, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

const PAGES = [
  '/api/docs',
  '/api/docs/webhooks',
  '/api/docs/operations/createWebhook',
  '/api/docs/event-types',
  '/api/docs/error-codes',
  '/api/docs/operations/startRun',
  '/v1/errors/VALIDATION_FAILED',
  '/nothing-here',
]

interface Entry {
  code: string
  causes: string[]
  steps: string[]
  example: { error: { code: string } }
}

/** The parts of an operation that its page is compared with. */
interface Operation {
  operationId: string
  tags: string[]
  parameters?: { name: string; in: string; schema: { format?: string } }[]
  requestBody?: object
  responses: Record<string, { content?: Record<string, { schema: object }> }>
  'x-path'?: string
  'x-access': string
  'x-scope'?: string
  'x-module'?: string
}

/** Bytes, before they are compressed. The list grows with each operation, by its name, its path and its summary. */
const BUDGET = { operation: 32_768, listed: 160, list: 4_000, assets: 24_000 }

/** What ends the administrator's own rights, or answers without an end. */
const NEEDS_CARE = new Set(['leaveOrganization', 'streamOrganization'])

/** Of so many groups of ways to be refused, an operation is called in one by day. */
const WAYS = 3

const slug = (tag: string) => tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')

const unescaped = (markup: string) =>
  markup
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** The codes that the page of an operation leads to. */
const errorsIn = (page: string) =>
  [...page.matchAll(/href="\/v1\/errors\/([A-Z_]+)"/g)].map(([, code = '']) => code)

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

  const readDocument = async () =>
    (await (await text('/openapi.json', '*/*')).json()) as {
      paths: Record<string, Record<string, Operation>>
      components: { schemas: object }
    }
  const operationsOf = async () =>
    Object.entries((await readDocument()).paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        ...operation,
        // The header that operations share is a reference; its forms send it with no credential of the browser.
        parameters: (operation.parameters ?? []).filter((one) => !('$ref' in one)),
        method: method.toUpperCase(),
        path: operation['x-path'] ?? path,
      })),
    )
  const pages = new Map<string, Promise<string>>()
  const pageOf = (operationId: string) => {
    const page =
      pages.get(operationId) ?? text(`/api/docs/operations/${operationId}`).then((answer) => answer.text())
    pages.set(operationId, page)
    return page
  }

  it('lists every operation of the document, and leads from one page to the next through all of them', async () => {
    const contents = await (await text('/api/docs')).text()
    const links = [...contents.matchAll(/href="\/api\/docs\/operations\/(\w+)"/g)].map(([, id = '']) => id)
    const operations = await operationsOf()
    assert.deepEqual([...links].sort(), operations.map(({ operationId }) => operationId).sort())
    const turned: (string | undefined)[] = []
    for (let at: string | undefined = links[0]; at !== undefined; ) {
      turned.push(at)
      at = /rel="next" href="\/api\/docs\/operations\/(\w+)"/.exec(await pageOf(at))?.[1]
    }
    assert.deepEqual(turned, links)
    // An address from before leads to the operation in its list.
    for (const { operationId, tags } of operations.slice(0, 20)) {
      const list = await (await text(`/api/docs/${slug(tags[0] ?? '')}`)).text()
      const way = `<li id="${operationId}"><a href="/api/docs/operations/${operationId}">`
      assert.ok(list.includes(way), operationId)
    }
  })

  it('says of each operation how it is called, and answers each status with an example that its schema takes', async () => {
    const { components } = await readDocument()
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: 'document', components })
    let compared = 0
    for (const { operationId, method, path, responses } of await operationsOf()) {
      const page = await pageOf(operationId)
      assert.ok(page.includes(`<strong>${method}</strong> ${path}</code>`), operationId)
      assert.ok(page.includes('curl'), operationId)
      // The client has a method for each of them.
      assert.ok(page.includes('await postern.'), operationId)
      for (const [status, { content = {} }] of Object.entries(responses)) {
        // Failures are listed by their codes.
        if (status === 'default' || status === '403') continue
        assert.ok(page.includes(`<h3>${status} `), `${operationId} ${status}`)
        const schema = content['application/json']?.schema
        if (schema === undefined) continue
        // An answer may name another one with the same body; its example is held to the schema of this one.
        const [, named = status] =
          new RegExp(`<h3>${status} [^<]*</h3><p>The same body as with (\\d+)\\.`).exec(page) ?? []
        const [, example = ''] =
          new RegExp(`aria-label="${named} application/json"><code>([^<]*)<`).exec(page) ?? []
        const within = JSON.parse(
          JSON.stringify(schema).replaceAll('"#/components', '"document#/components'),
        ) as object
        const check = ajv.compile(within)
        assert.ok(check(JSON.parse(unescaped(example))), `${operationId} ${ajv.errorsText(check.errors)}`)
        compared += 1
      }
    }
    assert.ok(compared > 100, String(compared))
  })

  it('names the values of a list of values, the members of objects in objects, and the bounds of a field', async () => {
    const page = unescaped(await pageOf('createWebhook'))
    assert.ok(page.includes('"active" | "paused" | "disabled"'))
    assert.ok(page.includes('<code>health.state</code>'))
    assert.ok(page.includes('string, 1 to 2048 characters'))
    assert.ok(page.includes('"id": "whk_0198c1f2-'))
    assert.ok(page.includes('<code>secret</code>'), 'what a shape adds to another one')
    assert.ok(page.includes('<code>Idempotency-Key</code>'))
    assert.ok(unescaped(await pageOf('callWebhook')).includes('data-path="/v1/webhooks/{endpointPath}"'))
  })

  it('lists for each operation the errors that follow from who may call it and what it takes', async () => {
    for (const operation of await operationsOf()) {
      const { operationId, parameters = [], requestBody, path } = operation
      const errors = errorsIn(await pageOf(operationId))
      const access = operation['x-access']
      const has = (code: string, wanted: boolean) =>
        assert.equal(errors.includes(code), wanted, `${operationId} ${code}`)
      has('MODULE_NOT_ENABLED', operation['x-module'] !== undefined)
      if (access !== 'public') has('UNAUTHORIZED', true)
      if (operation['x-scope'] !== undefined) has('FORBIDDEN', true)
      if (parameters.some(({ schema }) => schema.format?.endsWith('-id'))) has('INVALID_UUID', true)
      if (requestBody !== undefined) has('TYPE_MISMATCH', true)
      if (/\{\w+\}/.test(path))
        assert.ok(
          errors.some((code) => code.endsWith('_NOT_FOUND')),
          operationId,
        )
      has('RATE_LIMITED', access !== 'operator')
      has('PROCESSING_FAILED', true)
    }
  })

  it('lists every error with which an operation refuses a call without credentials, with bad ones, or with a bad path and body', async () => {
    const postern = await server()
    const { token } = await administrator(postern)
    let refused = 0
    for (const [index, { operationId, method, path, requestBody }] of (await operationsOf()).entries()) {
      const errors = errorsIn(await pageOf(operationId))
      const wild = path.replace(/\{\w+\}/g, 'not-an-id')
      const known = path.replace(/\{\w+\}/g, '0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42')
      const body = requestBody === undefined ? {} : { body: '{"unknown":1}' }
      const headers = { ...(requestBody && { 'content-type': 'application/json' }) }
      const bearer = { ...headers, authorization: `Bearer ${token}` }
      const calls = [
        { address: known, headers },
        { address: known, headers: { ...headers, authorization: 'Bearer garbage' } },
        { address: known, headers: { ...headers, origin: 'https://evil.test' } },
        ...(NEEDS_CARE.has(operationId)
          ? []
          : [
              { address: wild, headers: bearer },
              { address: known, headers: bearer },
              { address: `${known}?limit=-1&unknown=x`, headers: bearer },
            ]),
      ]
      // By day each operation is called in two of these ways, and the next one in two others.
      for (const { address, headers: sent } of nightly(
        calls,
        calls.filter((_, way) => way % WAYS === index % WAYS),
      )) {
        const over = new AbortController()
        const answer = await fetch(postern.url + address, {
          ...{ method, headers: sent, redirect: 'manual', signal: over.signal },
          ...body,
        })
        if (answer.status < 400) {
          over.abort()
          continue
        }
        const said = await answer.text()
        const { code } = (JSON.parse(said) as Entry['example']).error
        assert.ok(errors.includes(code), `${operationId} ${method} ${address} ${said}`)
        refused += 1
      }
    }
    assert.ok(refused > nightly(400, 130), String(refused))
  })

  it('has a form for each operation with a field for all that it takes, and asks before what cannot be taken back', async () => {
    const asking: string[] = []
    for (const { operationId, method, path, parameters = [], requestBody } of await operationsOf()) {
      const own = (await pageOf(operationId)).split('<details><summary>Headers')[0] ?? ''
      assert.ok(own.includes(`data-method="${method}"`), operationId)
      assert.ok(own.includes(`data-path="${path}"`), operationId)
      const named = [...own.matchAll(/name="([^"]+)" data-in="(path|query|header)"/g)]
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      assert.deepEqual(
        named.filter(([, , place]) => place === 'path').map(([, name]) => name),
        inPath,
        operationId,
      )
      assert.deepEqual(
        named
          .filter(([, name, place]) => place !== 'path' && name !== 'accept')
          .map(([, name]) => name)
          .sort(),
        parameters
          .filter(({ name, in: place }) => place !== 'path' && name !== 'accept')
          .map(({ name }) => name)
          .sort(),
        operationId,
      )
      assert.equal(own.includes('data-in="body"'), requestBody !== undefined, operationId)
      if (own.includes(' data-asks')) asking.push(operationId)
      else assert.notEqual(method, 'DELETE', operationId)
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

  it('is small: a page, with its script and style, within a budget', async () => {
    const operations = await operationsOf()
    for (const { operationId } of operations) {
      const page = await pageOf(operationId)
      assert.ok(Buffer.byteLength(page) <= BUDGET.operation, `${operationId} ${Buffer.byteLength(page)}`)
      // Everything is of this server.
      for (const [, address = ''] of page.matchAll(/(?:src|<link[^>]* href)="([^"]+)"/g))
        assert.match(address, /^\/assets\//)
    }
    const contents = await (await text('/api/docs')).text()
    const most = BUDGET.list + operations.length * BUDGET.listed
    assert.ok(Buffer.byteLength(contents) <= most, `${Buffer.byteLength(contents)} of ${most}`)
    const assets = [...contents.matchAll(/"(\/assets\/[^"]+\.(?:css|js))"/g)].map(([, path = '']) => path)
    const sizes = await Promise.all(assets.map(async (path) => (await (await text(path)).blob()).size))
    const sum = sizes.reduce((all, size) => all + size, 0)
    assert.ok(assets.length === 3 && sum <= BUDGET.assets, `${assets} ${sum}`)
  })

  it('finds operations by name, path and words, by the keyboard alone, and is the plain list without a script', {
    skip: noBrowser,
  }, async () => {
    const browsing = await openBrowser(LOOKS[1])
    const { page } = browsing
    await page.goto(at(await server(), '/api/docs'))
    const field = page.getByRole('searchbox', { name: 'Find an operation' })
    const shown = page.locator('[data-tag] li:visible')
    const all = await shown.count()
    await page.keyboard.press('/')
    for (const [words, first] of [
      ['createWebhook', 'Register a webhook'],
      ['rotate webhook secret', 'Rotate the secret'],
      ['POST /v1/events/batch', 'Publish up to 1,000 events'],
    ] as const) {
      await field.fill(words)
      await page
        .locator('#found')
        .getByText(/^\d+ of \d+ operations$/)
        .waitFor()
      assert.ok((await shown.count()) < 5, words)
      assert.ok((await shown.first().textContent())?.includes(first), words)
      assert.deepEqual(await violationsOf(page), [], words)
    }
    await field.fill('no such words')
    await page.getByText('No matching operations.').waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await shown.count(), all)
    await page.keyboard.insertText('webhooks/{id}/test')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Send a sample event' }).waitFor()
    await page.goBack()
    assert.equal(await field.inputValue(), 'webhooks/{id}/test')
    // An address of before.
    await page.goto(at(await server(), '/api/docs/webhooks#createWebhook'))
    await page.waitForURL(/\/api\/docs\/operations\/createWebhook$/)
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    await closeCleanly(browsing)

    const plain = await openBrowser({ javaScriptEnabled: false })
    await plain.page.goto(at(await server(), '/api/docs'))
    assert.equal(await plain.page.locator('[data-tag] li:visible').count(), all)
    assert.equal(await plain.page.locator('#find').isVisible(), false)
    await closeCleanly(plain)
  })

  it('is a page in the policy of all pages, without a script where there is only something to read; what it has not is no part of it', async () => {
    const page = await text('/api/docs/error-codes')
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/)
    assert.doesNotMatch(await page.text(), /<script| style=| on\w+=/)
    for (const path of [
      '/api/docs/nothing',
      '/api/docs/operations/nothing',
      '/api/docs/operations',
      '/api/docs/static/swagger-ui.css',
      '/api/docs/constructor',
    ])
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
    for (const path of [
      '/nothing-here',
      '/v1/nothing',
      '/console/assets/none',
      '/api/docs/operations/nothing',
    ]) {
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
      // The browser logs the status 404 of the page as an error.
      const expected = browsing.faults.findIndex((fault) => fault.includes('status of 404'))
      if (expected >= 0) browsing.faults.splice(expected, 1)
      await closeCleanly(browsing)
    }
  })
})
