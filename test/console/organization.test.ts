import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { SECOND } from '#src/core/clock.ts'
import { LIFETIME } from '#src/core/limits.ts'
import type { Tables } from '#src/db/tables/tables.ts'
import { at, closeCleanly, enter } from '../support/chromium.ts'
import { inConsole, openConsole, violationsOf } from '../support/console.ts'
import { enrolTotp } from '../support/factors.ts'
import { administrator, newEmail, PASSWORD, type Person, tokenOf } from '../support/people.ts'
import { plansFile } from '../support/plans.ts'
import { OPERATOR_TOKEN, startPostern, usePostern } from '../support/postern.ts'
import { startStripe } from '../support/stripe.ts'

const PLAN = { requestsPerMinute: null, modules: [], webhooks: 1, storageGiB: null, price: null }
const PLANS = plansFile({
  plans: {
    small: { ...PLAN, creditsPerCycle: 100 },
    large: { ...PLAN, creditsPerCycle: 900, price: { amount: 0, currency: 'eur' } },
    dear: { ...PLAN, creditsPerCycle: 9_000, price: { amount: 2_500, currency: 'eur' } },
  },
  creditPack: { credits: 500, price: { amount: 990, currency: 'eur' } },
})

inConsole('an organization and an account, in the console', 'sqlite', (engine) => {
  const server = usePostern(engine, { env: { PLANS_FILE: PLANS, DEFAULT_PLAN: 'small' } })
  let made: Promise<Person> | undefined
  const admin = () => {
    made ??= (async () => administrator(await server(), 'Before'))()
    return made
  }

  it('shows a new key once, with a call that it is good for, and deletes it by its name', async () => {
    const [postern, person] = [await server(), await admin()]
    const browsing = await openConsole(postern, person, '/api-keys')
    const { page } = browsing
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    // The field that is wrong has the focus.
    await page.locator('[name="name"]:focus').waitFor()
    await page.locator('[name="name"]').fill('=cmd <b>')
    await page.locator('[name="expiresInDays"]').fill('30')
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = (await page.locator('.secret code').textContent()) ?? ''
    assert.match(
      (await page.getByLabel('command').textContent()) ?? '',
      /^curl -H "authorization: Bearer psk_/,
    )
    assert.equal((await postern.client().get('/v1/organizations', { token: key })).status, 200)
    await page.getByLabel('I have saved it').check()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    assert.ok(!(await page.content()).includes(key))
    const row = page.locator('tr', { hasText: '=cmd <b>' })
    await row.getByRole('button', { name: 'More for' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByLabel(/Type .* to confirm/).fill('=cmd <b>')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No API keys yet').waitFor()
    assert.equal((await postern.client().get('/v1/organizations', { token: key })).status, 401)
    await closeCleanly(browsing)
  })

  it('narrows a new key to the scopes that are chosen for its role, and shows them in the list', async () => {
    const [postern, person] = [await server(), await admin()]
    const browsing = await openConsole(postern, person, '/api-keys')
    const { page } = browsing
    await page.getByRole('button', { name: 'New key' }).click()
    await page.locator('[name="name"]').fill('Auditor')
    await page.locator('[name="role"]').selectOption('administrator')
    await page.getByRole('radio', { name: 'Only selected scopes' }).check()
    const scopes = page.getByRole('group', { name: 'Selected scopes' })
    await scopes.getByRole('checkbox', { name: 'invitations:read' }).check()
    await scopes.getByRole('checkbox', { name: 'members:read' }).check()
    assert.deepEqual(await violationsOf(page), [])
    // A member has no scope for invitations.
    await page.locator('[name="role"]').selectOption('member')
    await scopes.getByRole('checkbox', { name: 'invitations:read' }).waitFor({ state: 'detached' })
    await page.locator('[name="role"]').selectOption('administrator')
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = (await page.locator('.secret code').textContent()) ?? ''
    assert.match((await page.getByLabel('command').textContent()) ?? '', /\/v1\/problems$/)
    const ask = async (path: string) => (await postern.client().get(path, { token: key })).status
    const reached = ['/v1/problems', '/v1/invitations', '/v1/audit-log', '/v1/organizations'].map(ask)
    assert.deepEqual(await Promise.all(reached), [200, 200, 403, 403])
    await page.getByLabel('I have saved it').check()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await page.locator('tr', { hasText: 'Auditor' }).getByText('members:read, invitations:read').waitFor()
    await closeCleanly(browsing)
  })

  it('binds a key to addresses, rotates it, and manages the service account that has it', async () => {
    const postern = await server()
    const person = await administrator(postern, 'Machines')
    const browsing = await openConsole(postern, person, '/service-accounts')
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    const more = async (name: string, item: string) => {
      await page.getByRole('button', { name: `More for ${name}` }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await page.getByRole('button', { name: 'New service account' }).click()
    await page.locator('[name="name"]').fill('Robot')
    await page.locator('[name="ownerId"]').selectOption({ label: 'Ada Lovelace' })
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.locator('tr', { hasText: 'Robot' }).getByText('Ada Lovelace').waitFor()
    await more('Robot', 'API keys')
    await page.getByText('No such key').waitFor()
    await page.getByRole('button', { name: 'New key' }).click()
    await page.locator('[name="name"]').fill('first')
    await page.locator('[name="allowedAddresses"]').fill('localhost')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.locator('[name="allowedAddresses"]:focus').waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await page.locator('[name="allowedAddresses"]').fill('127.0.0.0/8, 203.0.113.7')
    await page.getByRole('button', { name: 'Create key' }).click()
    const works = async (token: string) =>
      (await postern.client().get('/v1/organizations', { token })).status === 200
    const kept = async () => {
      const secret = (await page.locator('.secret code').textContent()) ?? ''
      await page.getByLabel('I have saved it').check()
      await dialog.getByRole('button', { name: 'Close' }).last().click()
      return secret
    }
    const first = await kept()
    const row = page.locator('tr', { hasText: 'first' })
    await row.getByText('127.0.0.0/8, 203.0.113.7/32').waitFor()
    await row.getByText('Service Robot').waitFor()
    await more('first', 'Rotate')
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByRole('button', { name: 'Rotate' }).click()
    const second = await kept()
    await row.getByText('1 earlier secret works').waitFor()
    assert.deepEqual([await works(first), await works(second)], [true, true])
    await more('first', 'Change')
    await page.locator('[name="allowedAddresses"]').fill('203.0.113.7')
    await page.locator('[name="expiresInDays"]').fill('3')
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('from 203.0.113.7/32').waitFor()
    assert.equal(await works(second), false)
    await browsing.goto('/service-accounts')
    await more('Robot', 'Delete')
    await page.getByLabel(/Type .* to confirm/).fill('Robot')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No service accounts yet').waitFor()
    await closeCleanly(browsing)
  })

  it('keeps names, refuses a wrong password beside its field, and ends other sessions', async () => {
    const [postern, person] = [await server(), await admin()]
    const other = postern.client()
    await other.post('/v1/auth/sign-in/email', { email: person.email, password: PASSWORD })
    const browsing = await openConsole(postern, person, '/me')
    const { page } = browsing
    await page.locator('[name="firstName"]').fill('Augusta')
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByRole('button', { name: 'Augusta Lovelace' }).waitFor()
    await page.getByLabel('Current password', { exact: true }).fill('not this one 7')
    await page.locator('[name="newPassword"]').fill('another horse 9 battery')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.locator('.notice-bad, [name="currentPassword"][aria-invalid="true"]').first().waitFor()
    await page.getByRole('button', { name: 'Sign out all others' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
    await page.getByText('1 session', { exact: true }).waitFor()
    assert.equal((await other.get('/v1/auth/session')).status, 401)
    await page.getByLabel('Current password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed').waitFor()
    const again = postern.client()
    const signIn = { email: person.email, password: 'another horse 9 battery' }
    assert.equal((await again.post('/v1/auth/sign-in/email', signIn)).status, 200)
    // As the tests after this one sign in.
    const back = { currentPassword: signIn.password, newPassword: PASSWORD }
    assert.equal((await again.post('/v1/auth/change-password', back)).status, 200)
    Object.assign(person, { client: again, token: await tokenOf(again, person.organizationId) })
    await browsing.close()
  })

  it('renames the organization, and everywhere stands the new name', async () => {
    const browsing = await openConsole(await server(), await admin(), '/settings')
    const { page } = browsing
    await page.locator('[name="name"]').fill('After <i>')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.locator('.rail').getByRole('button', { name: 'After <i>' }).waitFor()
    await closeCleanly(browsing)
  })

  it('says at once that an organization is disabled, leads to another, and back in once it is enabled', async () => {
    const postern = await server()
    const person = await administrator(postern, 'Closed <i>')
    const other = await administrator(postern, 'Open')
    const joined = {
      account_id: person.accountId,
      organization_id: other.organizationId,
      role: 'member',
    } as const
    await postern.app.database.tx((tx) =>
      tx
        .insertInto('membership')
        .values({ ...joined, created_at: postern.clock.now() } as Tables['membership'])
        .execute(),
    )
    const turn = async (status: string) => {
      const path = `/v1/operator/organizations/${person.organizationId}`
      const answer = await postern.client().patch(path, { status }, { token: OPERATOR_TOKEN })
      assert.equal(answer.status, 200, answer.text)
      postern.clock.advance(5 * SECOND)
    }
    const browsing = await openConsole(postern, person, '/webhooks')
    const { page } = browsing
    const heading = page.getByRole('heading', { level: 1 })
    // A member learns of it with the next read.
    await turn('disabled')
    await page.locator('.rail').getByRole('link', { name: 'API keys' }).click()
    await heading.getByText('This organization is disabled').waitFor()
    await page.getByText('The operator of this server can enable it. Its data is kept.').waitFor()
    assert.deepEqual(await violationsOf(page), [])
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await browsing.goto('/webhooks')
    await heading.getByText('This organization is disabled').waitFor()
    assert.deepEqual(
      asked.filter((path) => path.startsWith('/v1/') && !path.startsWith('/v1/auth/')),
      [],
      'nothing of it is asked for',
    )
    await page.locator('.rail .organization').getByRole('button').click()
    await page.getByRole('menuitemradio', { name: 'Closed <i> (disabled)' }).waitFor()
    await page.keyboard.press('Escape')
    await enter(page.getByRole('link', { name: 'Open', exact: true }))
    await heading.getByText('Overview').waitFor()
    // Without one in the address it is one that lets people in, whichever was the last.
    await browsing.goto('/')
    await heading.getByText('This organization is disabled').waitFor()
    await page.goto(at(postern, '/console'))
    await heading.getByText('Overview').waitFor()
    assert.match(page.url(), new RegExp(other.organizationId))
    await browsing.goto('/webhooks')
    await turn('active')
    await enter(page.getByRole('button', { name: 'Check again' }))
    await heading.getByText('Webhooks').waitFor()
    await page
      .getByRole('heading', { name: /No webhook|webhook/ })
      .last()
      .waitFor()
    await browsing.settled()
    assert.equal(await page.locator('.notice').count(), 0)
    await closeCleanly(browsing)
  })

  it('narrows the audit log by its address, and exports what the filters let through', async () => {
    const [postern, person] = [await server(), await admin()]
    const email = newEmail('seen')
    await person.client.post('/v1/invitations', { email }, { token: person.token })
    const browsing = await openConsole(postern, person, '/audit?action=invitation.created')
    const { page } = browsing
    const rows = page.locator('tbody tr')
    const shown = await rows.count()
    assert.ok(shown >= 1)
    assert.equal(await rows.filter({ hasText: 'invitation created' }).count(), shown)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    assert.equal(file.suggestedFilename(), 'audit-log.csv')
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n')
    assert.equal(lines.length, shown + 1)
    await rows.first().getByRole('button', { name: 'Show details' }).click()
    await page.getByRole('dialog').getByText('invitation.created').waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('Action').fill('nothing.is.so')
    await page.getByText('No matching entries').waitFor()
    assert.match(page.url(), /action=nothing\.is\.so/)
    await closeCleanly(browsing)
  })

  it('says who grants credits where no payment provider is configured, and gives a plan without a price at once', async () => {
    const person = await admin()
    const browsing = await openConsole(await server(), person, '/credits')
    const { page } = browsing
    await page.getByText('granted by the operator of this server').waitFor()
    const dear = page.locator('.plan-card', { hasText: 'dear' })
    await dear.getByText('Granted by the operator').waitFor()
    assert.equal(await dear.getByRole('button').count(), 0)
    const wording = /\bbuy\b|\bpay(ment|s)?\b|\bpaid\b|\bprice\b|for sale|€/i
    assert.doesNotMatch((await page.locator('main').textContent()) ?? '', wording)
    await page.getByRole('button', { name: 'Change to large' }).click()
    assert.doesNotMatch((await page.getByRole('dialog').textContent()) ?? '', wording)
    await page.getByRole('dialog').getByRole('button', { name: 'Change the plan' }).click()
    await page.getByText('The plan large: received').waitFor()
    await page.locator('.figure', { hasText: 'Available' }).getByText('900').waitFor()
    await page.getByRole('tab', { name: 'By day' }).click()
    await page.getByRole('button', { name: 'Show as table' }).click()
    await page.getByRole('table', { name: 'Credits added and spent each day' }).waitFor()
    // A checkout of a program is settled by the operator.
    const asked = await (await server())
      .client()
      .post('/v1/billing/checkout', { credits: 500 }, { token: person.token })
    await browsing.goto(`/credits/${asked.body.checkoutId}`)
    await page.getByText('500 credits: waiting for the operator').waitFor()
    assert.doesNotMatch((await page.locator('main').textContent()) ?? '', wording)
    await closeCleanly(browsing)
  })

  it('asks for a second factor where the API needs one, sends the change once more, and leaves it where nobody answers', async () => {
    const postern = await server()
    const person = await administrator(postern, 'Careful')
    const browsing = await openConsole(postern, person, '/api-keys')
    const { page } = browsing
    const origin = new URL(page.url()).origin
    // By the browser's own session, since others end then.
    const post = async (path: string, data: object) => {
      const answer = await page.context().request.post(`${origin}${path}`, { data })
      return { status: answer.status(), text: await answer.text(), body: await answer.json() }
    }
    const { code } = await enrolTotp(postern, { client: { post } as unknown as Person['client'] })
    postern.clock.advance(LIFETIME.stepUp + SECOND)
    const dialog = (name: string) => page.getByRole('dialog', { name })
    await page.getByRole('button', { name: 'New key' }).first().click()
    await dialog('New API key').getByLabel('Name', { exact: true }).fill('Deploys')
    await page.getByRole('button', { name: 'Create key' }).click()
    const asked = dialog('Confirm that it is you')
    await asked.waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await page.keyboard.press('Escape')
    await dialog('New API key').getByText('This needs a second factor').waitFor()
    await page.getByRole('button', { name: 'Create key' }).click()
    await asked.getByLabel('Code', { exact: true }).fill('000000')
    await asked.getByRole('button', { name: 'Confirm' }).click()
    await asked.getByText('Wrong code').waitFor()
    await asked.getByLabel('Code', { exact: true }).fill(code())
    await page.keyboard.press('Enter')
    await dialog('The key Deploys').getByText(/^psk_/).first().waitFor()
    await dialog('The key Deploys').getByLabel('I have saved it').check()
    await dialog('The key Deploys').getByRole('button', { name: 'Close' }).last().click()
    await page.locator('tr', { hasText: 'Deploys' }).waitFor()
    await closeCleanly(browsing)
  })

  it('shows what credits cost before one goes to pay, where a payment provider is configured', async (t) => {
    const stripe = await startStripe()
    t.after(() => stripe.stop())
    const postern = await startPostern(engine, {
      env: { ...stripe.env, PLANS_FILE: PLANS, DEFAULT_PLAN: 'small' },
    })
    t.after(() => postern.stop())
    const browsing = await openConsole(postern, await administrator(postern, 'Paying'), '/credits')
    const { page } = browsing
    await page.getByRole('button', { name: 'Buy credits' }).click()
    await page.getByLabel('Credits', { exact: true }).selectOption({ label: '1,000' })
    await page.getByRole('dialog').getByText('€19.80').waitFor()
    await page.getByRole('dialog').getByText('on the page of the payment provider').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.plan-card', { hasText: 'dear' }).getByText('€25.00').waitFor()
    await page.getByRole('button', { name: 'Change to dear' }).waitFor()
    assert.equal(await page.getByText('granted by the operator of this server').count(), 0)
    await closeCleanly(browsing)
  })
})
