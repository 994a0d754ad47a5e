import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { at, type Browsing, openBrowser } from './chromium.ts'
import { PASSWORD, type Person } from './people.ts'
import type { Postern } from './postern.ts'

/** A console that somebody has open. */
export interface Opened extends Browsing {
  /** Goes to a path below the organization, by its address. */
  goto(path: string): Promise<void>
  /** Waits until everything that the screen reads has been read. */
  settled(): Promise<void>
}

/** Opens a screen of the console in a browser in which that person is signed in. */
export async function openConsole(
  postern: Postern,
  { email, organizationId }: Pick<Person, 'email' | 'organizationId'>,
  path = '/',
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const browsing = await openBrowser({ viewport: { width: 1_280, height: 900 }, ...options })
  const { page } = browsing
  const signedIn = await page.request.post(at(postern, '/v1/auth/sign-in/email'), {
    data: { email, password: PASSWORD },
  })
  assert.equal(signedIn.status(), 200, await signedIn.text())
  const opened = {
    ...browsing,
    async goto(below: string) {
      await page.goto(at(postern, `/console/${organizationId}${below === '/' ? '' : below}`))
      await opened.settled()
    },
    settled: () => settled(page),
  }
  await opened.goto(path)
  return opened
}

async function settled(page: Page): Promise<void> {
  await page.locator('h1').waitFor()
  // By locators: a text that is polled in the page would be refused by its policy.
  await page.locator('body:has(h1):not(:has(.waiting, .opening, [aria-busy="true"]))').waitFor()
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What of a page breaks a rule of accessibility: nothing is excepted. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const found = (await page.evaluate(`axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }).then(({ violations }) => violations.map(({ id, nodes }) =>
    id + ': ' + nodes.map(({ target, any }) => target.join(' ') + ' (' + any.map(({ message }) => message).join('; ') + ')').join(' | ')))`)) as string[]
  return found
}

/** Whether something of the page reaches beyond its sides. */
export async function overflowOf(page: Page): Promise<number> {
  return (await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )) as number
}

/** A row of the table of screens, as far as tests look at it. */
interface Screen {
  path: string
  title: string
  key?: string
}

/** The console's own table of screens. Its modules are for browsers: the compiler looks at them with other eyes. */
export async function readScreens(): Promise<readonly Screen[]> {
  const file = new URL('../../console/app/screens.ts', import.meta.url).href
  return ((await import(file)) as { SCREENS: Screen[] }).SCREENS
}
