import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SECOND } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import { addDevice } from '../support/authenticator.ts'
import type { Client } from '../support/browser.ts'
import {
  at,
  type Browsing,
  closeCleanly,
  noBrowser,
  openBrowser,
  press,
  showsHeading,
} from '../support/chromium.ts'
import { auditOf } from '../support/invitees.ts'
import { administrator, PASSWORD } from '../support/people.ts'
import { ENGINES, type Postern, startPostern, usePostern } from '../support/postern.ts'

async function signInByPassword({ page }: Browsing, postern: Postern, email: string): Promise<void> {
  await page.context().clearCookies()
  await page.goto(at(postern, '/sign-in?back=/security'))
  await page.fill('#sign-in-email', email)
  await page.fill('#sign-in-password', PASSWORD)
  await press(page, 'Sign in')
}

async function signInByPasskey({ page }: Browsing, postern: Postern): Promise<void> {
  await page.context().clearCookies()
  await page.goto(at(postern, '/sign-in?back=/security'))
  await press(page, 'Sign in with a passkey')
}

/** Has the page of a browser sign a challenge, wherever that page comes from. */
async function sign({ page }: Browsing, options: object): Promise<object> {
  const text = await page.evaluate(
    `(async () => JSON.stringify((await navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)}),
    })).toJSON()))()`,
  )
  return JSON.parse(String(text)) as object
}

async function beginPasskey(client: Client): Promise<object> {
  const begun = await client.post('/v1/auth/sign-in/passkey/options')
  assert.equal(begun.status, 200, begun.text)
  return begun.body.options
}

for (const engine of ENGINES)
  describe(`passkeys (${engine})`, { skip: noBrowser }, () => {
    const server = usePostern(engine)

    it('are added, sign in by themselves, are a second factor and step up, on two devices', async () => {
      const postern = await server()
      const { email } = await administrator(postern)
      const browsing = await openBrowser()
      const { page } = browsing
      const first = await addDevice(browsing)
      await signInByPassword(browsing, postern, email)
      await showsHeading(page, 'Your second factors')
      await press(page, 'Add a passkey')
      await showsHeading(page, 'Keep these recovery codes')
      assert.equal(await page.locator('.codes li').count(), 10)
      await press(page, 'I have kept them')
      await page.locator('.factors li', { hasText: 'Passkey' }).waitFor()
      assert.equal((await first.credentials()).length, 1)
      // A device has one of an account.
      await press(page, 'Add a passkey')
      await page.locator('#add-passkey .problem', { hasText: 'already' }).waitFor()

      await signInByPasskey(browsing, postern)
      await showsHeading(page, 'Your second factors')
      await signInByPassword(browsing, postern, email)
      await showsHeading(page, 'Show your second factor')
      assert.equal(await page.locator('#show-totp').isVisible(), false)
      await press(page, 'Use your passkey')
      await showsHeading(page, 'Your second factors')

      const browsing2 = await openBrowser()
      const second = await addDevice(browsing2)
      await browsing2.page.context().addCookies(await page.context().cookies())
      await browsing2.page.goto(at(postern, '/security'))
      await press(browsing2.page, 'Add a passkey')
      await browsing2.page.locator('.factors li').nth(1).waitFor()
      assert.equal((await second.credentials()).length, 1)
      await signInByPasskey(browsing2, postern)
      await showsHeading(browsing2.page, 'Your second factors')
      await closeCleanly(browsing2)

      await signInByPasskey(browsing, postern)
      await showsHeading(page, 'Your second factors')
      postern.clock.advance(11 * 60 * SECOND)
      await press(page, 'Make new recovery codes')
      await showsHeading(page, 'Show your second factor')
      await press(page, 'Use your passkey')
      await showsHeading(page, 'Keep these recovery codes')
      await closeCleanly(browsing)
    })
  })

describe('a passkey', { skip: noBrowser }, () => {
  const server = usePostern('sqlite')

  it('is refused once there are two of a device, of another site, without the person, and a second time', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const browsing = await openBrowser()
    const { page } = browsing
    const device = await addDevice(browsing)
    await signInByPassword(browsing, postern, email)
    await press(page, 'Add a passkey')
    await press(page, 'I have kept them')
    await signInByPasskey(browsing, postern)
    await showsHeading(page, 'Your second factors')

    // A good answer is good once, and in the browser that asked.
    const client = postern.client()
    const credential = await sign(browsing, await beginPasskey(client))
    assertError(await postern.client().post('/v1/auth/sign-in/passkey', { credential }), 'UNAUTHORIZED')
    assert.equal((await client.post('/v1/auth/sign-in/passkey', { credential })).status, 200)
    assertError(await client.post('/v1/auth/sign-in/passkey', { credential }), 'UNAUTHORIZED')
    const old = await sign(browsing, await beginPasskey(client))
    postern.clock.advance(10 * 60 * SECOND)
    assertError(await client.post('/v1/auth/sign-in/passkey', { credential: old }), 'UNAUTHORIZED')

    // The page of another origin, of the same name, has a challenge of ours signed.
    const elsewhere = await startPostern('sqlite')
    try {
      await page.goto(at(elsewhere, '/sign-in'))
      const phished = await sign(browsing, await beginPasskey(client))
      assertError(await client.post('/v1/auth/sign-in/passkey', { credential: phished }), 'UNAUTHORIZED')
    } finally {
      await elsewhere.stop()
    }

    await device.setBack()
    await signInByPasskey(browsing, postern)
    await page.locator('#sign-in-passkey .problem', { hasText: 'does not let you in' }).waitFor()
    assert.equal((await auditOf(postern, email, 'factor.cloned')).length, 1)

    await device.forgetPerson()
    await press(page, 'Sign in with a passkey')
    await page.locator('#sign-in-passkey .problem', { hasText: 'No passkey was shown' }).waitFor()
    await closeCleanly(browsing)
  })
})
