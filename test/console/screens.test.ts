import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import type { Page } from 'playwright-core'
import { closeCleanly } from '../support/chromium.ts'
import { inConsole, isWhole, openConsole, overflowOf, readScreens, violationsOf } from '../support/console.ts'
import { addressesOf, type Filled, fillConsole } from '../support/console-data.ts'
import { administrator, type Person } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

interface Look {
  colorScheme: 'light' | 'dark'
  viewport: { width: number; height: number }
}

/** Each theme, on a screen of a desk or on a phone. */
const LOOKS: Look[] = [
  { colorScheme: 'light', viewport: { width: 1_280, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
]
/** Every one of them is for `npm run test:console:all`. */
const ALL_LOOKS: Look[] = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1_280, 390, 320].map((width) => ({ colorScheme, viewport: { width, height: 900 } })),
)
/** Screens of one missing thing look alike, so by day two stand for all, each in one look. */
const isLikeOthers = (path = '') => path.includes(':') && !/^\/(knowledge|documents)\//.test(path)
const HOSTILE = '</script><img src=x onerror=alert(1)>"><b>bold</b>\u202e{{7*7}}'

inConsole('the screens of the console', 'sqlite', (engine) => {
  const server = usePostern(engine)
  let receiver: Receiver | undefined
  after(() => receiver?.stop())

  /** An organization with markup in every field that takes a text. */
  async function fill(): Promise<Filled> {
    receiver = await startReceiver()
    const all = await fillConsole(await server(), receiver, HOSTILE.slice(0, 60))
    const { client, token } = all.admin
    for (const [path, body] of [
      ['/v1/webhooks', { url: 'https://example.com/?a=%3Cimg%3E', events: ['*'], description: HOSTILE }],
      // Names may not contain signs that change the direction of text.
      ['/v1/api-keys', { name: HOSTILE.replace('\u202e', '') }],
    ] as const)
      assert.equal((await client.post(path, body, { token })).status, 201, path)
    return all
  }

  async function looksRight(page: Page, where: string, hasNewRail: boolean): Promise<void> {
    assert.deepEqual(await violationsOf(page, hasNewRail), [], where)
    assert.equal(await overflowOf(page), 0, where)
    assert.equal(await page.locator('h1').count(), 1, where)
    // All of it is shown as text.
    assert.equal(await page.locator('img[src="x"], b:has-text("bold")').count(), 0, where)
    assert.doesNotMatch((await page.textContent('body')) ?? '', /\[object Object\]/, where)
  }

  let made: Promise<Filled> | undefined
  const filled = () => {
    made ??= fill()
    return made
  }
  const PERSONS: [name: string, person: () => Promise<Person>][] = [
    ['filled', async () => (await filled()).admin],
    ['empty', async () => administrator(await server(), 'Nothing yet')],
  ]

  for (const [turn, [name, person]] of PERSONS.entries())
    it(`can be used by everybody, ${name}: no rule of accessibility is broken, nothing is cut off, no text becomes markup, nothing is refused by the policy`, async () => {
      const browsing = await openConsole(await server(), await person(), '/')
      const { page } = browsing
      page.on('dialog', () => assert.fail('a script of the data ran'))
      const screens = await readScreens()
      for (const [index, path] of addressesOf(screens, await filled()).entries()) {
        if (!isWhole && name === 'empty' && isLikeOthers(screens[index]?.path)) continue
        // Filled in one look and empty in the other, in turns: over all of them each look has every part.
        const looks = isWhole ? ALL_LOOKS : [LOOKS[(index + turn) % LOOKS.length] as Look]
        for (const [at, { colorScheme, viewport }] of looks.entries()) {
          await page.emulateMedia({ colorScheme })
          await page.setViewportSize(viewport)
          if (at === 0) await (isWhole ? browsing.goto(path) : browsing.visit(path))
          await looksRight(page, `${path} ${colorScheme} ${viewport.width}`, isWhole || index < LOOKS.length)
        }
      }
      await closeCleanly(browsing)
    })
})
