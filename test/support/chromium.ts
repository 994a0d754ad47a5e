import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after } from 'node:test'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Locator,
  type Page,
  type Request,
} from 'playwright-core'
import { newEmail } from './people.ts'
import type { Postern } from './postern.ts'
import { slowDown } from './slow-pages.ts'
import { PATIENCE } from './waits.ts'

/** The one without windows takes a third less of the processor. */
const INSTALLED = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const EXECUTABLE = process.env.CHROMIUM ?? INSTALLED.find(existsSync) ?? '/usr/bin/chromium'

/** The reason why tests in a browser are skipped; false with a browser. */
export const noBrowser: string | false = existsSync(EXECUTABLE)
  ? false
  : `no browser at ${EXECUTABLE}; CHROMIUM names another`

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // On a busy processor pages are shown in half the time when the browser starts their processes itself, and what they compute
  // is counted with the file.
  '--no-zygote',
  // A page of `shared` runs in the process of the pages before it.
  '--renderer-process-limit=1',
]

/** The size of a page on a desk. */
export const VIEWPORT = { width: 1_280, height: 900 }

let started: Promise<Browser> | undefined

after(async () => {
  await (await started)?.close()
})

/** A person's browser, with cookies of its own, and what went wrong in it. */
export interface Browsing {
  page: Page
  /** Errors of scripts, and what the Content-Security-Policy refused. */
  faults: string[]
  close(): Promise<void>
}

/** The browser that the tests of a process use one after the other. */
interface Shared {
  context: BrowserContext
  /** Of a page that stays empty, and keeps the process of the others running. */
  control: CDPSession
  /** Where its pages have been. */
  origins: Set<string>
}

let shared: Promise<Shared> | undefined
let isTaken = false

/**
 * Opens a page of a real browser, without a session and without stored data. The tests of a process share the browser, because the
 * start of a page's process takes more processor time than most tests. Each test has its own page, so it gets no events of pages that
 * earlier tests closed. The browser keeps its cache of files.
 * @param options other options than the size and the colours start a separate browser for this test, as does a second open page
 */
export async function openBrowser({
  viewport = VIEWPORT,
  colorScheme = 'light',
  ...options
}: BrowserContextOptions = {}): Promise<Browsing> {
  if (isTaken || Object.keys(options).length > 0) {
    const context = await newContext({ viewport, colorScheme, ...options })
    return browse(context, () => context.close())
  }
  isTaken = true
  shared ??= share()
  const { context, control, origins } = await shared
  await context.clearCookies()
  for (const origin of origins)
    await control.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  origins.clear()
  const underWay = new Set<Request>()
  const browsing = await browse(context, async () => {
    // A change may outlive its page, and its answer set a cookie.
    if (underWay.size > 0) {
      shared = undefined
      await context.close()
    } else for (const page of context.pages().slice(1)) await page.close()
    isTaken = false
  })
  const { page } = browsing
  await page.setViewportSize(viewport ?? VIEWPORT)
  await page.emulateMedia({ colorScheme })
  page.on('framenavigated', (frame) => void origins.add(new URL(frame.url()).origin))
  page.on('request', (request) => void (request.method() !== 'GET' && underWay.add(request)))
  page.on('requestfinished', (request) => void underWay.delete(request))
  page.on('requestfailed', (request) => void underWay.delete(request))
  return browsing
}

async function share(): Promise<Shared> {
  const context = await newContext()
  const control = await context.newCDPSession(await context.newPage())
  return { context, control, origins: new Set() }
}

async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  started ??= chromium.launch({ executablePath: EXECUTABLE, args: ARGS })
  const context = await (await started).newContext(options)
  context.setDefaultTimeout(PATIENCE)
  return context
}

async function browse(context: BrowserContext, close: () => Promise<void>): Promise<Browsing> {
  const page = await context.newPage()
  await slowDown(page)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    const [text, { url }] = [message.text(), message.location()]
    // The browser also logs refusals that the page explains to the person.
    if (/^Failed to load resource/.test(text) && /\/v1\//.test(url)) return
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`${text} (${url})`)
  })
  return { page, faults, close }
}

/** Goes from field to field with the Tab key until the one that is asked for has the focus. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    if ((await page.locator(`${selector}:focus`).count()) > 0) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`the Tab key does not lead to ${selector}`)
}

/** Presses a button of the step that is shown; waits until it can be pressed. */
export async function press(page: Page, name: string): Promise<void> {
  await page.locator('section:not([hidden]) form').getByRole('button', { name, exact: true }).click()
}

/** Presses Enter on a control; waits until it can be pressed, which the keyboard of Playwright does not. */
export async function enter(control: Locator): Promise<void> {
  await control.click({ trial: true })
  await control.press('Enter')
}

/** Waits for the step of that heading. */
export async function showsHeading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { name, exact: true }).waitFor()
}

/** Waits for the console, which opens after a sign-in. */
export async function landsInConsole(page: Page, organizationId?: string): Promise<void> {
  await page.waitForURL(new RegExp(`/console/${organizationId ?? 'org_'}[^/]*$`))
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/** The address that mails link to: cookies belong to `localhost`, and not to 127.0.0.1. */
export function at({ env }: Pick<Postern, 'env'>, path: string): string {
  return `http://localhost:${env.PORT}${path}`
}

/** Closes a browser in which nothing went wrong. */
export async function closeCleanly({ faults, close }: Browsing): Promise<void> {
  await close()
  assert.deepEqual(faults, [])
}

/** Invites an address and leaves its mail unread. */
export async function inviteUnread(postern: Postern, { token }: { token: string }): Promise<string> {
  const email = newEmail('invited')
  const answer = await postern.client().post('/v1/invitations', { email }, { token })
  assert.equal(answer.status, 201, answer.text)
  return email
}
