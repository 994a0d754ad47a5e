import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Id, newId } from '#src/core/id.ts'
import { signIn } from '../support/attacks.ts'
import { closeCleanly, tabTo } from '../support/chromium.ts'
import { inConsole, openConsole, violationsOf } from '../support/console.ts'
import { enrolTotp } from '../support/factors.ts'
import {
  administrator,
  apiKey,
  member,
  newEmail,
  PASSWORD,
  type Person,
  rename,
  signUp,
} from '../support/people.ts'
import { type Postern, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

inConsole('people, in the console', 'postgres', (engine) => {
  const server = usePostern(engine)
  let made: Promise<Person> | undefined
  const admin = () => {
    made ??= (async () => administrator(await server(), 'People <b>of</b> Acme'))()
    return made
  }
  const list = async (path: string, { client, token }: Person) =>
    (await client.get(path, { token })).body.data

  it('invites several at once by the keyboard alone, and says of each mail what became of it', async () => {
    const [postern, person] = [await server(), await admin()]
    const [arrives, refused] = [newEmail('arrives'), newEmail('refused')]
    postern.mailbox.behaviour.onRecipient = (address) =>
      address === refused ? Object.assign(new Error('5.1.1 no such user'), { responseCode: 550 }) : undefined
    const browsing = await openConsole(postern, person, '/invitations')
    const { page } = browsing
    await tabTo(page, 'textarea[name="email"]')
    await page.keyboard.insertText(`Ada <${arrives}>;\n${refused}\n${arrives.toUpperCase()}`)
    await tabTo(page, 'button[type="submit"]')
    assert.equal(await page.locator('button[type="submit"]').textContent(), 'Invite 2 people')
    await page.keyboard.press('Enter')
    await page.getByText('2 people invited').first().waitFor()
    // The stream brings the state of the mails; the page is not reloaded.
    const row = (email: string) => page.locator('tr', { hasText: email })
    await row(arrives).getByText('sent', { exact: true }).waitFor()
    await row(arrives).getByText(/^250 /).waitFor()
    await row(refused).getByText('failed', { exact: true }).waitFor()
    await page.getByText('1 mail failed: see below').waitFor()
    const pending = await list('/v1/invitations?status=pending', person)
    assert.deepEqual(pending.map(({ email }: { email: string }) => email).sort(), [arrives, refused].sort())
    await closeCleanly(browsing)
  })

  it('keeps what was refused where it was typed, with the reason', async () => {
    const person = await admin()
    const fresh = newEmail('fresh')
    const browsing = await openConsole(await server(), person, '/invitations')
    const { page } = browsing
    await page.locator('textarea[name="email"]').fill(`${person.email}, ${fresh}`)
    await page.getByRole('button', { name: 'Invite 2 people' }).click()
    await page.getByText('is already a member or has an open invitation').waitFor()
    assert.equal(await page.locator('textarea[name="email"]').inputValue(), person.email)
    await page.locator('textarea[name="email"]').fill('nobody')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await page
      .getByText('is not an e-mail address')
      .or(page.getByText('Not an e-mail address.'))
      .first()
      .waitFor()
    await closeCleanly(browsing)
  })

  it('shows the link of who gets no mail once, and it is good', async () => {
    const [postern, person] = [await server(), await admin()]
    const email = newEmail('by-hand')
    const browsing = await openConsole(postern, person, '/invitations')
    const { page } = browsing
    await page.locator('textarea[name="email"]').fill(email)
    await page.getByLabel('Send no mail').check()
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = await page.locator('.invite-link').textContent()
    const row = page.locator('tr', { hasText: email })
    await row.getByText('not mailed').waitFor()
    await page.reload()
    await browsing.settled()
    assert.ok(!(await page.content()).includes(link ?? ''))
    const invitationToken = new URL(link ?? '').searchParams.get('token') ?? ''
    await signUp(postern, { email, invitationToken, organizationId: person.organizationId })
    await row.getByText('accepted', { exact: true }).waitFor()
    assert.equal(await row.getByRole('button', { name: 'Resend' }).getAttribute('aria-disabled'), 'true')
    await closeCleanly(browsing)
  })

  it('sends again and revokes, with the reason where that is over', async () => {
    const [postern, person] = [await server(), await admin()]
    const email = newEmail('twice')
    await person.client.post('/v1/invitations', { email }, { token: person.token })
    const first = await postern.mailbox.next(email)
    const browsing = await openConsole(postern, person, '/invitations')
    const { page } = browsing
    const row = page.locator('tr', { hasText: email })
    await row.getByRole('button', { name: 'Resend' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resend', exact: true }).click()
    const second = await postern.mailbox.next(email)
    assert.notEqual(second.token, first.token)
    await row.getByRole('button', { name: `More for ${email}` }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.getByText('revoked', { exact: true }).waitFor()
    await row.getByRole('button', { name: `More for ${email}` }).click()
    await page
      .getByRole('menuitem', { name: /^Revoke/ })
      .getByText('Already revoked')
      .waitFor()
    await closeCleanly(browsing)
  })

  it('tells a member what their role does not permit, and the last administrator why there has to be one', async () => {
    const [postern, person] = [await server(), await admin()]
    const other = await member(postern, person)
    const theirs = await openConsole(postern, other, '/invitations')
    await theirs.page.getByRole('heading', { name: 'Your role does not permit invitations:read' }).waitFor()
    await theirs.goto('/members')
    await theirs.page.getByRole('button', { name: `More for Ada Lovelace` }).first().click()
    await theirs.page
      .getByRole('menuitem', { name: /^(Remove|Change)/ })
      .first()
      .getByText('Your role does not permit members:write')
      .waitFor()
    await closeCleanly(theirs)
    const browsing = await openConsole(postern, person, '/members')
    const { page } = browsing
    const own = page.locator('tr', { hasText: person.email })
    await own.getByRole('button', { name: /^More for/ }).click()
    const last = page.getByText('Make somebody else an administrator first')
    assert.ok((await last.count()) >= 2)
    await page.keyboard.press('Escape')
    const row = page.locator('tr', { hasText: other.email })
    await row.getByRole('button', { name: /^More for/ }).click()
    await page.getByRole('menuitem', { name: 'Change role' }).click()
    await page.getByRole('dialog').getByLabel('Role').selectOption('administrator')
    await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click()
    await row.getByText('administrator', { exact: true }).waitFor()
    await until(
      () => list(`/v1/organizations/${person.organizationId}/members`, person),
      (all) => all.filter(({ role }: { role: string }) => role === 'administrator').length === 2,
      { what: 'the second administrator' },
    )
    await row.getByRole('button', { name: /^More for/ }).click()
    await page.getByRole('menuitem', { name: 'Remove', exact: true }).click()
    await page.getByLabel(/Type .* to confirm/).fill(other.email)
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await row.waitFor({ state: 'detached' })
    await closeCleanly(browsing)
  })

  it('have their sessions ended and the keys that they made deleted, by an administrator', async () => {
    const postern = await server()
    const owner = await administrator(postern, 'Endings')
    const grace = await member(postern, owner, 'administrator')
    await rename(grace, 'Grace', 'Hopper')
    const key = await apiKey(postern, grace)
    const works = async (token: string) =>
      (await postern.client().get('/v1/problems', { token })).status === 200
    const browsing = await openConsole(postern, owner, '/members')
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'More for Grace Hopper' }).click()
      await page.getByRole('menuitem', { name: item, exact: true }).click()
    }
    await choose('API keys they created')
    await page.locator('tr', { hasText: 'machine' }).getByText('by Grace Hopper').waitFor()
    await browsing.goto('/members')
    assert.ok(await works(grace.token))
    await choose('End their sessions')
    await dialog.getByRole('button', { name: 'End sessions' }).click()
    await page.getByText('1 session of Grace Hopper ended').waitFor()
    assert.deepEqual([await works(grace.token), await works(key)], [false, true])
    await enrolTotp(postern, grace)
    await choose('Remove second factors')
    assert.deepEqual(await violationsOf(page), [])
    await page.getByLabel(/Type .* to confirm/).fill(grace.email)
    await dialog.getByRole('button', { name: 'Remove factors' }).click()
    await page.getByText('1 second factor of Grace Hopper removed').waitFor()
    assert.equal((await signIn(postern.client(), grace.email, PASSWORD)).status, 200)
    await choose('Delete these API keys')
    assert.deepEqual(await violationsOf(page), [])
    await page.getByLabel(/Type .* to confirm/).fill(grace.email)
    await dialog.getByRole('button', { name: 'Delete keys' }).click()
    await page.getByText('1 API key deleted').waitFor()
    assert.equal(await works(key), false)
    const second = await apiKey(postern, owner)
    await choose('Remove')
    await page.getByLabel('Also delete the API keys that they created or rotated').check()
    assert.deepEqual(await violationsOf(page), [])
    await page.getByLabel(/Type .* to confirm/).fill(grace.email)
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Grace Hopper is no member any more').waitFor()
    assert.ok(await works(second))
    await closeCleanly(browsing)
  })

  it('are named, also beyond the first hundred members and after they have left', async () => {
    const postern = await server()
    const owner = await administrator(postern, 'Many')
    const grace = await member(postern, owner, 'administrator')
    await rename(grace, 'Grace', 'Hopper')
    const invited = newEmail('by-grace')
    for (const [path, body, maker] of [
      ['/v1/invitations', { email: invited, sendEmail: false }, grace],
      ['/v1/agents', { name: 'Made by Grace' }, grace],
      ['/v1/invitations', { email: newEmail('by-ada'), sendEmail: false }, owner],
      ['/v1/api-keys', { name: 'Deploys' }, owner],
    ] as const) {
      const answer = await maker.client.post(path, body, { token: maker.token })
      assert.equal(answer.status, 201, answer.text)
    }
    const members = `/v1/organizations/${owner.organizationId}/members`
    const removed = await owner.client.delete(`${members}/${grace.accountId}`, { token: owner.token })
    assert.equal(removed.status, 204)
    await joinNewer(postern, owner)
    const browsing = await openConsole(postern, owner, '/invitations')
    const { page } = browsing
    await page
      .locator('tr', { hasText: invited })
      .getByText('by Grace Hopper (former member)', { exact: false })
      .waitFor()
    await page.locator('tr', { hasText: 'by-ada' }).getByText('by Ada Lovelace').waitFor()
    await browsing.goto('/api-keys')
    await page.locator('tr', { hasText: 'Deploys' }).getByText('by Ada Lovelace').waitFor()
    await browsing.goto('/audit')
    await page.locator('tr', { hasText: 'agent created' }).getByText('Grace Hopper (former member)').waitFor()
    await page.locator('tr', { hasText: 'api key created' }).getByText('Ada Lovelace').first().waitFor()
    assert.equal(await page.getByText(/acc_[0-9a-f]/).count(), 0)
    // A member who is not among the rows can leave, and can be found by the search.
    await browsing.goto('/members')
    assert.equal(await page.getByText(owner.email).count(), 0)
    await page.getByRole('button', { name: 'Leave', exact: true }).first().click()
    await page.getByRole('dialog', { name: 'Leave Many?' }).getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Search', { exact: true }).fill(owner.email.toUpperCase())
    await page.locator('tr', { hasText: owner.email }).waitFor()
    assert.equal(await page.locator('tbody tr').count(), 1)
    await closeCleanly(browsing)
  })

  /** More members than a page of the list has, all of them newer than the owner. */
  async function joinNewer(postern: Postern, { organizationId }: Person): Promise<void> {
    const { app, clock } = postern
    const now = clock.now() + 1_000
    const accounts = Array.from({ length: 101 }, (_, number) => ({
      ...{ id: newId('account', now), email: newEmail(`newer-${number}`), first_name: null, last_name: null },
      ...{ status: 'active' as const, email_verified_at: now, password_hash: null, terms_accepted_at: now },
      ...{ created_at: now, updated_at: now, second_factors: 0, language: null },
    }))
    const memberships = accounts.map(({ id }) => ({
      organization_id: organizationId as Id<'organization'>,
      account_id: id,
      role: 'member' as const,
      created_at: now,
    }))
    await app.database.tx(async (tx) => {
      await tx.insertInto('account').values(accounts).execute()
      await tx.insertInto('membership').values(memberships).execute()
    })
  }
})
