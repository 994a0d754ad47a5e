import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { closeCleanly } from '../support/chromium.ts'
import { inConsole, openConsole, violationsOf } from '../support/console.ts'
import { administrator, member, type Person, rename } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { within } from '../support/waits.ts'

/** Holds the palette's code on its way until the test lets it come. */
async function holdPalette(page: Page): Promise<{ isAsked: Promise<void>; comes(): void }> {
  const [asked, comes] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route('**/app/shell/palette.tsx', async (route) => {
    asked.resolve()
    await comes.promise
    // The page may be closed already.
    await route.continue().catch(() => {})
  })
  return { isAsked: within('the palette to be asked for', asked.promise), comes: comes.resolve }
}

const fieldOf = (page: Page) => page.getByRole('dialog').getByRole('combobox')

inConsole('the palette', 'postgres', (engine) => {
  const server = usePostern(engine)
  let made: Promise<{ admin: Person; colleague: Person; ids: Record<string, string> }> | undefined
  const filled = () => {
    made ??= (async () => {
      const postern = await server()
      const admin = await administrator(postern, 'Palette')
      const colleague = await member(postern, admin)
      await rename(colleague, 'Émilie', 'du Châtelet')
      const ids: Record<string, string> = {}
      for (const [path, body] of [
        ['/v1/webhooks', { url: `https://example.com/${'long/'.repeat(30)}ledger`, events: ['*'] }],
        ['/v1/webhooks', { url: 'https://example.com/hooks', events: ['*'], description: 'Of the ledger' }],
        ['/v1/agents', { name: 'Ledger keeper' }],
        ['/v1/knowledge-bases', { name: 'Ledgers of last year' }],
      ] as const) {
        const answer = await admin.client.post(path, body, { token: admin.token })
        assert.equal(answer.status, 201, answer.text)
        ids[path] = answer.body.id
      }
      return { admin, colleague, ids }
    })()
    return made
  }

  it('loses no key that is pressed before its code is there', async () => {
    const { admin } = await filled()
    const browsing = await openConsole(await server(), admin, '/webhooks')
    const { page } = browsing
    const held = await holdPalette(page)
    const field = fieldOf(page)
    await page.keyboard.press('/')
    await held.isAsked
    // The keys go to the field, not to the shortcuts of the screen (`g` and `w`, `j`) or of the page.
    await page.keyboard.type('jg webx')
    await page.keyboard.press('Backspace')
    assert.equal(await field.count(), 0)
    held.comes()
    await field.waitFor()
    await page.keyboard.type('!')
    assert.equal(await field.inputValue(), 'jg web!')
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    // Opened again, its code is there.
    await page.keyboard.press('/')
    await page.keyboard.type('rest')
    await field.waitFor()
    assert.equal(await field.inputValue(), 'rest')
    await closeCleanly(browsing)
  })

  it('does what was pressed before its code is there: down, Enter, and a paste', async () => {
    const { admin, ids } = await filled()
    const postern = await server()
    const browsing = await openConsole(postern, admin, '/', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const { page } = browsing
    const slow = async (keys: () => Promise<void>, heading: string | RegExp) => {
      await browsing.goto('/')
      const held = await holdPalette(page)
      await page.keyboard.press('Control+k')
      await held.isAsked
      await keys()
      held.comes()
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
      await page.unroute('**/app/shell/palette.tsx')
      assert.equal(await page.getByRole('dialog').count(), 0)
    }
    await slow(async () => {
      // The first is Webhooks, the one below it New webhook.
      await page.keyboard.type('webh')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
    }, 'New webhook')
    await slow(async () => {
      await page.evaluate(`navigator.clipboard.writeText('agent ${ids['/v1/agents']}')`)
      await page.keyboard.press('Control+v')
      await page.keyboard.press('Enter')
    }, 'Ledger keeper')
    // Enter waits for the results of the API.
    await slow(async () => {
      await page.keyboard.type('ledger keep')
      await page.keyboard.press('Enter')
    }, 'Ledger keeper')
    await closeCleanly(browsing)
  })

  it('gives the keys back when it is closed before its code is there, or when that cannot be loaded', async () => {
    const { admin } = await filled()
    const browsing = await openConsole(await server(), admin, '/')
    const { page } = browsing
    const held = await holdPalette(page)
    await page.keyboard.press('/')
    await held.isAsked
    await page.keyboard.type('x')
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    held.comes()
    await page.unroute('**/app/shell/palette.tsx')
    await browsing.goto('/')
    await page.route('**/app/shell/palette.tsx', (route) => route.abort())
    await page.keyboard.press('/')
    await page.getByText('This part could not be loaded').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    await browsing.close()
  })

  it('finds webhooks, agents, knowledge bases and members by name, a few of each', async () => {
    const { admin, colleague } = await filled()
    const browsing = await openConsole(await server(), admin, '/')
    const { page } = browsing
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('search=')) asked.push(request.url())
    })
    const field = fieldOf(page)
    const options = page.getByRole('listbox', { name: 'Found' }).getByRole('option')
    await page.keyboard.press('Control+k')
    await field.waitFor()
    await page.keyboard.type('ledger')
    for (const [name, note] of [
      [/^example\.com\/long\/.*….*\/ledger/, 'Webhook'],
      ['example.com/hooks', 'Webhook · Of the ledger'],
      ['Ledger keeper', 'Agent'],
      ['Ledgers of last year', 'Knowledge base'],
    ] as const)
      await options.filter({ hasText: name }).filter({ hasText: note }).waitFor()
    // And the screen that is known by that word.
    await page.getByRole('dialog').getByText('5 results').waitFor({ state: 'attached' })
    assert.match((await options.first().textContent()) ?? '', /^Credits/)
    for (const url of asked) assert.match(url, /limit=5(&|$)/)
    assert.deepEqual(await violationsOf(page), [])
    // The field names the entry that the arrows have reached.
    await page.keyboard.press('ArrowUp')
    const chosen = options.and(page.locator('[aria-selected="true"]'))
    assert.equal(await field.getAttribute('aria-activedescendant'), await chosen.getAttribute('id'))
    for (let presses = 0; !/keeper/.test((await chosen.textContent()) ?? ''); presses += 1) {
      assert.ok(presses < 5)
      await page.keyboard.press('ArrowUp')
    }
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Ledger keeper' }).waitFor()
    await page.keyboard.press('/')
    await field.waitFor()
    await page.keyboard.type('ÉMILIE DU')
    await options.filter({ hasText: 'Émilie du Châtelet' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
    await browsing.settled()
    const rows = page.getByRole('table', { name: 'Members' }).locator('tbody tr')
    assert.equal(await rows.count(), 1)
    await rows.getByText(colleague.email).waitFor()
    await closeCleanly(browsing)
  })

  it('says that nothing was found, and that names could not be searched', async () => {
    const { admin } = await filled()
    const browsing = await openConsole(await server(), admin, '/')
    const { page } = browsing
    await page.keyboard.press('/')
    await fieldOf(page).waitFor()
    await page.keyboard.type('no such thing')
    await page.getByText('Nothing found.').waitFor()
    await page.route(/[?&]search=/, (route) => route.abort())
    await page.keyboard.type('!')
    await page.getByText('Names could not be searched').waitFor()
    await browsing.close()
  })
})
