import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, fromIso } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import { closeCleanly, tabTo } from '../support/chromium.ts'
import { inConsole, openConsole, overflowOf, violationsOf } from '../support/console.ts'
import { enrolTotp } from '../support/factors.ts'
import { administrator, member, newEmail, tokenOf } from '../support/people.ts'
import { newSamlProvider } from '../support/saml-provider.ts'
import { directoryWith } from '../support/scim.ts'
import { atProvider, useSso } from '../support/sso.ts'
import { until } from '../support/waits.ts'

inConsole('how members of an organization sign in, in the console', 'sqlite', (engine) => {
  const { server, publish, prove, signIn } = useSso(engine)
  const PHONE = { width: 390, height: 844 }

  it('adds a domain by the keyboard, copies its record, checks it until it is proven, and removes it', async () => {
    const { postern } = await server()
    const admin = await administrator(postern, 'Domains')
    const browsing = await openConsole(postern, admin, '/domains', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    await page.getByText('No domain yet').waitFor()
    await tabTo(page, 'button:has-text("Add domain")')
    await page.keyboard.press('Enter')
    await tabTo(page, 'dialog input[name="name"]')
    await page.keyboard.insertText('not a domain')
    await page.keyboard.press('Enter')
    await dialog.getByText('Not a domain, such as acme.example').waitFor()
    const domain = `console-${process.pid}.test`
    await dialog.getByLabel('Domain').fill(domain)
    await page.keyboard.press('Enter')
    await dialog.getByRole('heading', { name: `The record of ${domain}` }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    const name = `_postern-challenge.${domain}`
    await dialog.getByText(name, { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Copy the value' }).click()
    const value = (await page.evaluate('navigator.clipboard.readText()')) as string
    assert.match(value, /^postern-domain=/)

    publish(name, 'something else')
    await dialog.getByRole('button', { name: 'Check now' }).click()
    await dialog.getByText('The record has another value').waitFor()
    await page.keyboard.press('Escape')
    const row = page.locator('tr', { hasText: domain })
    await row.getByText('waiting for the record').waitFor()
    publish(name, value)
    await row.getByRole('button', { name: 'Check now' }).click()
    await dialog.getByText('Proven', { exact: true }).waitFor()
    await page.setViewportSize(PHONE)
    assert.deepEqual(await violationsOf(page), [])
    assert.equal(await overflowOf(page), 0)
    await page.keyboard.press('Escape')
    await row.getByText('proven', { exact: true }).waitFor()

    await row.getByRole('button', { name: `More for ${domain}` }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await dialog.getByText('The proof ends').waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No domain yet').waitFor()
    const { body } = await admin.client.get('/v1/domains', { token: admin.token })
    assert.deepEqual(body.data, [])
    await closeCleanly(browsing)
  })

  it('follows what others do with domains, identity providers, setup links and tokens', async () => {
    const { postern, openId } = await server()
    const admin = await administrator(postern, 'Followed')
    const other = await member(postern, admin, 'administrator')
    const { client } = other
    const as = { token: other.token }
    const browsing = await openConsole(postern, admin, '/domains')
    const { page } = browsing
    const row = (text: string) => page.locator('tr', { hasText: text })
    await page.getByText('No domain yet').waitFor()
    const domain = await client.post('/v1/domains', { name: 'followed.test' }, as)
    await row('followed.test').getByText('waiting for the record').waitFor()
    await client.delete(`/v1/domains/${domain.body.id}`, as)
    await page.getByText('No domain yet').waitFor()

    await browsing.goto('/identity-providers')
    await page.getByText('No identity provider yet').waitFor()
    const body = { kind: 'oidc', name: 'Acme login', oidc: openId.oidc }
    const provider = await client.post('/v1/identity-providers', body, as)
    assert.equal(provider.status, 201, provider.text)
    await row('Acme login').getByText('enabled').waitFor()
    await client.patch(`/v1/identity-providers/${provider.body.id}`, { status: 'disabled' }, as)
    await row('Acme login').getByText('disabled').waitFor()
    const link = await client.post('/v1/setup-links', { name: 'IT of Acme', purposes: ['domains'] }, as)
    await row('IT of Acme').getByText('not opened').waitFor()
    await client.delete(`/v1/setup-links/${link.body.id}`, as)
    await page.getByText('No open setup link').waitFor()

    await browsing.goto('/directory')
    await page.getByText('No token yet').waitFor()
    const key = await client.post('/v1/api-keys', { name: 'Entra', scopes: ['scim:write'] }, as)
    await row('Entra').waitFor()
    await client.delete(`/v1/api-keys/${key.body.id}`, as)
    await page.getByText('No token yet').waitFor()
    await closeCleanly(browsing)
  })

  it('adds an identity provider with rules for roles, disables and removes it, and requires its sign-in', async () => {
    const { postern, openId } = await server()
    const admin = await administrator(postern, 'Providers')
    const other = await member(postern, admin, 'administrator')
    await enrolTotp(postern, other)
    const { name: domain } = await prove(admin)
    const browsing = await openConsole(postern, admin, '/identity-providers')
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    await page.getByText('No identity provider yet').waitFor()
    await page.getByRole('button', { name: 'Add provider' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('Acme login')
    await dialog.getByLabel('Issuer').fill('acme')
    await dialog.getByLabel('Client ID').fill(openId.oidc.clientId)
    await dialog.getByLabel('Client secret').fill(openId.oidc.clientSecret)
    await dialog.getByRole('button', { name: 'Add a rule' }).click()
    await dialog.getByLabel('Value of rule 1').fill('it')
    await dialog.getByLabel('Role of rule 1').selectOption('administrator')
    await dialog.getByRole('button', { name: 'Add provider' }).click()
    await dialog.locator('input[name="oidc.issuer"][aria-invalid="true"]').waitFor()
    await dialog.getByLabel('Issuer').fill(openId.oidc.issuer)
    await page.setViewportSize(PHONE)
    assert.deepEqual(await violationsOf(page), [])
    assert.equal(await overflowOf(page), 0)
    await dialog.getByRole('button', { name: 'Add provider' }).click()
    await dialog.getByRole('heading', { name: 'Set up Acme login' }).waitFor()
    const listed = async () =>
      (await admin.client.get('/v1/identity-providers', { token: admin.token })).body.data
    const [made] = await listed()
    assert.deepEqual(made.roleRules, [{ claim: 'groups', value: 'it', role: 'administrator' }])
    await dialog.getByText(made.redirectUri, { exact: true }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    assert.equal(await overflowOf(page), 0)
    await page.setViewportSize({ width: 1_280, height: 900 })
    await page.keyboard.press('Escape')
    const row = page.locator('tr', { hasText: 'Acme login' })
    await row.getByText(domain).waitFor()
    await row.getByText('never').waitFor()

    const grace = atProvider(`grace@${domain}`, { groups: ['it'] })
    const { client } = await signIn(grace, { identityProviderId: made.id })
    const session = await client.get('/v1/auth/session')
    assert.equal(session.body.user.organizations[0].role, 'administrator')
    await browsing.goto('/identity-providers')
    await row.getByText('never').waitFor({ state: 'detached' })

    const choose = async (item: string, of = 'Acme login') => {
      await page.getByRole('button', { name: `More for ${of}` }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await choose('Edit')
    assert.equal(await dialog.getByLabel('Client secret').inputValue(), '')
    await dialog.getByLabel('Apply these rules at every sign-in').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal((await listed())[0].managesRoles, true)
    await choose('Disable')
    await dialog.getByText('Every session that began by it').waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await row.getByText('disabled').waitFor()
    assert.equal((await client.get('/v1/auth/session')).status, 401)
    await choose('Enable')
    await row.getByText('enabled').waitFor()

    const { entityId, signOnUrl, certificates } = newSamlProvider().saml
    await page.getByRole('button', { name: 'Add provider' }).click()
    await dialog.getByLabel('Kind').selectOption('SAML 2.0')
    await dialog.getByLabel('Name', { exact: true }).fill('Old login')
    await dialog.getByLabel('Metadata').fill('<nothing/>')
    await dialog.getByRole('button', { name: 'Add provider' }).click()
    await dialog.locator('textarea[name="saml.metadata"][aria-invalid="true"]').waitFor()
    await dialog.getByLabel('Metadata').fill('')
    await dialog.getByLabel('Entity ID of the provider').fill(entityId)
    await dialog.getByLabel('Sign-on URL').fill(signOnUrl)
    await dialog.getByLabel('Certificates').fill(certificates.join('\n'))
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByRole('button', { name: 'Add provider' }).click()
    const saml = page.locator('dialog', { hasText: 'Set up Old login' })
    await saml.getByText('Metadata URL', { exact: true }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    const old = (await listed())[1]
    assert.deepEqual([old.kind, old.saml.entityId, old.saml.certificates.length], ['saml', entityId, 1])
    await saml.getByText(old.redirectUri, { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    const certificate = async () =>
      (await postern.client().get(new URL(old.saml.ownCertificateUrl).pathname)).text
    const before = await certificate()
    await choose('Rotate keys', 'Old login')
    await dialog.getByText('at the provider before the present keys end').waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByLabel('The present keys work').selectOption('7')
    await dialog.getByRole('button', { name: 'Rotate' }).click()
    await page.getByText('the ones before end on').waitFor()
    assert.notEqual(await certificate(), before)
    await choose('Remove', 'Old login')
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.locator('tr', { hasText: 'Old login' }).waitFor({ state: 'detached' })

    const form = page.locator('form', { hasText: 'alone' })
    await form.getByLabel('Members sign in by an identity provider alone').check()
    await form.getByText('This ends when you save').waitFor()
    await form.getByLabel(admin.email).check()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('One of them needs a second factor').waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await form.getByLabel(admin.email).uncheck()
    await form.getByLabel(other.email).check()
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The sign-in is required').waitFor()
    // The person who has required it is no exception.
    await browsing.goto('/identity-providers')
    await page.getByText('This organization has a sign-in of its own').first().waitFor()
    await browsing.close()
    assertError(
      await admin.client.get(`/v1/auth/token?organizationId=${admin.organizationId}`),
      'FORBIDDEN',
      { reason: 'organization_sign_in_required' },
    )
    const token = await tokenOf(other.client, admin.organizationId)
    const { body } = await postern.client().get('/v1/organizations', { token })
    assert.deepEqual(body.data[0].signIn, { required: true, exceptions: [other.accountId] })
  })

  it('makes a token for a directory, which is shown once, gives roles by its groups, and ends the token', async () => {
    const { postern } = await server()
    const admin = await administrator(postern, 'Directory')
    const browsing = await openConsole(postern, admin, '/directory')
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    await page.getByText('No token yet').waitFor()
    await page.getByText('No request yet').waitFor()
    await page.getByRole('button', { name: 'New token' }).click()
    await dialog.getByLabel('Name').fill('Entra ID')
    await dialog.getByRole('button', { name: 'Create token' }).click()
    await dialog.getByText('shown only once').waitFor()
    const key = (await dialog.locator('.secret code').textContent()) ?? ''
    assert.deepEqual(await violationsOf(page), [])
    await page.setViewportSize(PHONE)
    assert.equal(await overflowOf(page), 0)
    await page.setViewportSize({ width: 1_280, height: 900 })
    await dialog.getByLabel('I have saved it').check()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    assert.doesNotMatch((await page.textContent('body')) ?? '', new RegExp(key))
    const token = page.locator('tr', { hasText: 'Entra ID' })
    await token.getByText('never').waitFor()

    const directory = directoryWith(postern, key)
    const grace = await directory.user('grace@directory.test')
    await directory.user('alan@directory.test', { active: false })
    await directory.group('Engineers', [grace.id])
    // The screen follows the directory without a reload.
    await page.getByText('POST /scim/v2/Groups').waitFor()
    await page.locator('tr', { hasText: 'Engineers' }).waitFor()
    await browsing.goto('/directory')
    await token.getByText('never').waitFor({ state: 'detached' })
    const requests = page.getByRole('region', { name: 'Recent requests' })
    await directory.post('/Users', { userName: 'grace@directory.test' })
    const requestsWhen = (isSo: (rows: string[]) => boolean) =>
      until(() => requests.locator('tbody tr').allTextContents(), isSo, {
        what: 'the requests of the directory to be shown',
      })
    const all = await requestsWhen((rows) => rows.some((row) => row.includes('409')))
    assert.ok(
      all.some((row) => row.includes('POST /scim/v2/Users') && row.includes(grace.id)),
      String(all),
    )
    await requests.getByLabel('Only failed').check()
    const [failed = ''] = await requestsWhen((rows) => rows.length === 1)
    assert.match(failed, /POST \/scim\/v2\/Users409This already exists/)
    assert.deepEqual(await violationsOf(page), [])
    await page.setViewportSize(PHONE)
    assert.equal(await overflowOf(page), 0)
    await page.setViewportSize({ width: 1_280, height: 900 })
    // Active and inactive users, and groups.
    assert.deepEqual(await page.locator('.figure-value').allTextContents(), ['1', '1', '1'])
    const group = page.locator('tr', { hasText: 'Engineers' })
    await group.getByRole('button', { name: 'Change role' }).click()
    await dialog.getByLabel('Role').selectOption('administrator')
    await dialog.getByLabel('Priority').fill('10')
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await group.getByText('administrator').waitFor()
    await page.getByLabel('Delete the API keys that the person created, too').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The change is saved').waitFor()
    const read = async (path: string) => (await admin.client.get(path, { token: admin.token })).body
    assert.equal((await read('/v1/scim')).endKeys, true)
    const [mapped] = (await read('/v1/scim/groups')).data
    assert.deepEqual([mapped.role, mapped.priority], ['administrator', 10])

    await token.getByRole('button', { name: 'More for Entra ID' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialog.getByRole('textbox').fill('Entra ID')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No token yet').waitFor()
    assert.equal((await directory.get('/Users')).status, 401)
    await closeCleanly(browsing)
  })

  it('sends a setup link by the keyboard, shows it once, tells how it stands, and revokes it', async () => {
    const { postern } = await server()
    const admin = await administrator(postern, 'Setup links')
    const browsing = await openConsole(postern, admin, '/identity-providers', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    await page.getByText('No open setup link').waitFor()
    await tabTo(page, 'button:has-text("Send a setup link")')
    await page.keyboard.press('Enter')
    await tabTo(page, 'dialog input[name="name"]')
    await page.keyboard.insertText('IT of Acme')
    await tabTo(page, 'dialog label:has-text("create one token") input')
    await page.keyboard.press('Space')
    await tabTo(page, 'dialog input[name="activates"]')
    await page.keyboard.press('Space')
    await dialog.getByLabel('Expires after (days)').fill('31')
    await page.keyboard.press('Enter')
    await dialog.locator('input[name="expiresInDays"][aria-invalid="true"]').waitFor()
    await page.setViewportSize(PHONE)
    assert.deepEqual(await violationsOf(page), [])
    assert.equal(await overflowOf(page), 0)
    await dialog.getByLabel('Expires after (days)').fill('3')
    await page.keyboard.press('Enter')
    await dialog.getByText('shown only once').waitFor()
    assert.deepEqual(await violationsOf(page), [])
    assert.equal(await overflowOf(page), 0)
    await dialog.getByRole('button', { name: 'Copy', exact: true }).click()
    const url = (await page.evaluate('navigator.clipboard.readText()')) as string
    assert.match(url, /\/set-up#./)
    await dialog.getByLabel('I have saved it').check()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    const token = new URL(url).hash.slice(1)
    assert.ok(!(await page.content()).includes(token), 'the link is shown once')
    const row = page.locator('tr', { hasText: 'IT of Acme' })
    await row.getByText('not opened').waitFor()
    await row.getByText('Domains, Identity provider, Directory').waitFor()
    assert.equal(await overflowOf(page), 0)
    await page.setViewportSize({ width: 1_280, height: 900 })
    assert.deepEqual(await violationsOf(page), [])
    const read = async () => (await admin.client.get('/v1/setup-links', { token: admin.token })).body.data
    const [made] = await read()
    await row.locator(`time[datetime="${made.expiresAt}"]`).waitFor()
    assert.equal(fromIso(made.expiresAt), (fromIso(made.createdAt) ?? 0) + 3 * DAY)
    assert.deepEqual(
      [made.purposes, made.activates, made.createsMemberships, made.email],
      [['domains', 'provider', 'directory'], true, false, null],
    )

    const it = postern.client()
    assert.equal((await it.post('/v1/setup/open', { token })).status, 200)
    await browsing.goto('/identity-providers')
    await row.getByText('opened', { exact: true }).waitFor()
    await tabTo(page, 'tr:has-text("IT of Acme") button:has-text("Revoke")')
    await page.keyboard.press('Enter')
    await dialog.getByText('It stops working immediately').waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await tabTo(page, 'dialog button[type="submit"]')
    await page.keyboard.press('Enter')
    await page.getByText('No open setup link').waitFor()
    assertError(await it.get('/v1/setup'), 'UNAUTHORIZED')
    await page.getByRole('button', { name: 'Show ended' }).click()
    await row.getByText('revoked', { exact: true }).waitFor()
    assert.equal(await row.getByRole('button', { name: 'Revoke' }).count(), 0)

    // Where the records are, a link for domains alone is offered.
    await browsing.goto('/domains')
    await page.getByRole('button', { name: 'Send a setup link' }).click()
    await dialog.getByLabel('For', { exact: true }).fill('DNS of Acme')
    await dialog.getByLabel('E-mail address').fill('not an address')
    await dialog.getByLabel('Language of the mail').selectOption('Deutsch')
    await dialog.getByRole('button', { name: 'Send link' }).click()
    await dialog.locator('input[name="email"][aria-invalid="true"]').waitFor()
    const email = newEmail('dns')
    await dialog.getByLabel('E-mail address').fill(email)
    await dialog.getByRole('button', { name: 'Send link' }).click()
    await page.getByText(`The setup link is sent to ${email}`).waitFor()
    assert.match((await postern.mailbox.next(email)).subject, /einrichten$/)
    assert.deepEqual((await read())[0].purposes, ['domains'])
    await closeCleanly(browsing)
  })

  it('offers a setup link as far as the role goes, and says why no further', async () => {
    const { postern } = await server()
    const admin = await administrator(postern, 'Narrow setup links')
    const { client, token } = admin
    const role = await client.post(
      ...([
        '/v1/roles',
        { name: 'Domains', permissions: ['sign_in:read', 'roles:read'] },
        { token },
      ] as const),
    )
    await client.post('/v1/setup-links', { name: 'IT of Acme', purposes: ['domains'] }, { token })
    const browsing = await openConsole(
      postern,
      await member(postern, admin, role.body.id),
      '/identity-providers',
    )
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    const row = page.locator('tr', { hasText: 'IT of Acme' })
    await row.getByText('not opened').waitFor()
    for (const button of [page.getByRole('button', { name: 'Send a setup link' }), row.getByRole('button')]) {
      assert.equal(await button.getAttribute('aria-disabled'), 'true')
      const reason = page.locator(`[id="${await button.getAttribute('aria-describedby')}"]`)
      assert.equal(await reason.textContent(), 'Your role does not permit sign_in:write')
    }
    const wider = { permissions: ['sign_in:read', 'sign_in:write', 'roles:read'] }
    const changed = await client.patch(`/v1/roles/${role.body.id}`, wider, { token })
    assert.equal(changed.status, 200, changed.text)
    await browsing.goto('/directory')
    await page.getByRole('button', { name: 'Send a setup link' }).click()
    await dialog.getByText('All but domains takes all permissions').waitFor()
    assert.equal(
      await dialog.getByRole('group', { name: 'What it sets up' }).getByRole('checkbox').count(),
      1,
    )
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByLabel('For', { exact: true }).fill('DNS of Acme')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByText('Choose at least one').waitFor()
    await dialog.getByLabel('Domains').check()
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByText('shown only once').waitFor()
    await closeCleanly(browsing)
  })
})
