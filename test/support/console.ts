import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { at, type Browsing, noBrowser, openBrowser } from './chromium.ts'
import { PASSWORD, type Person } from './people.ts'
import { ENGINES, type EngineName, OPERATOR_TOKEN, type Postern } from './postern.ts'

/** Whether each test is to run on both engines, and each screen to be looked at in every way: `npm run test:console:all`. */
export const isWhole = process.env.CONSOLE_TESTS === 'all'

/**
 * Describes tests in a browser on the engine that the file names: both engines have their share of the files
 * (test/console/README.md lists them). The whole suite runs on both.
 */
export function inConsole(name: string, engine: EngineName, define: (engine: EngineName) => void): void {
  const engines = isWhole || !ENGINES.includes(engine) ? ENGINES : [engine]
  for (const one of engines) describe(`${name} (${one})`, { skip: noBrowser }, () => define(one))
}

/** An open console. */
export interface Opened extends Browsing {
  /** Loads a path below the organization as a new page. */
  goto(path: string): Promise<void>
  /** Goes there as a link within the console leads: the page stays. */
  visit(path: string): Promise<void>
  /** Waits until everything that the screen reads has been read. */
  settled(): Promise<void>
}

type Who = Pick<Person, 'email' | 'organizationId'>

/** Opens a screen of the console in a browser (`openBrowser`) in which that person is signed in. */
export async function openConsole(
  postern: Postern,
  person: Who,
  path = '/',
  options?: BrowserContextOptions,
): Promise<Opened> {
  const opened = consoleIn(await openBrowser(options), postern, person)
  await signIn(opened.page, postern, person)
  await opened.goto(path)
  return opened
}

async function signIn(page: Page, postern: Postern, { email }: Who): Promise<void> {
  const signedIn = await page.request.post(at(postern, '/v1/auth/sign-in/email'), {
    data: { email, password: PASSWORD },
  })
  assert.equal(signedIn.status(), 200, await signedIn.text())
}

function consoleIn(browsing: Browsing, postern: Postern, { organizationId }: Who): Opened {
  const { page } = browsing
  const addressOf = (below: string) => at(postern, `/console/${organizationId}${below === '/' ? '' : below}`)
  return {
    ...browsing,
    async goto(below: string) {
      await page.goto(addressOf(below))
      await settled(page)
    },
    async visit(below: string) {
      await page.evaluate(
        `history.pushState(null, '', ${JSON.stringify(addressOf(below))}); dispatchEvent(new PopStateEvent('popstate'))`,
      )
      // The old content is gone once the page has been drawn again.
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)))')
      await settled(page)
    },
    settled: () => settled(page),
  }
}

async function settled(page: Page): Promise<void> {
  await page.locator('h1').waitFor()
  // By locators: a text that is polled in the page would be refused by its policy.
  await page.locator('body:has(h1):not(:has(.waiting, .opening, [aria-busy="true"]))').waitFor()
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * The violations of rules of accessibility on a page, without exceptions.
 * @param whole whether the rail is looked at, which is a third of the work and the same on every screen of the console
 */
export async function violationsOf(page: Page, whole = false): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE)
  const found = (await page.evaluate(`axe.run(${whole ? 'document' : "{ exclude: [['.rail']] }"}, {
    resultTypes: ['violations'],
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

/** The operator's screen behind its token, at one of its tabs. */
export async function openInstallation(postern: Postern, admin: Who, view: string) {
  const browsing = await openConsole(postern, admin, `/installation?view=${view}`)
  await browsing.page.getByLabel('Token', { exact: true }).fill(OPERATOR_TOKEN)
  await browsing.page.getByRole('button', { name: 'Open', exact: true }).click()
  await browsing.page.getByRole('tabpanel').waitFor()
  return browsing
}
