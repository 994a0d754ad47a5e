import assert from 'node:assert/strict'
import { it } from 'node:test'
import { closeCleanly, tabTo } from '../support/chromium.ts'
import { inConsole, openConsole, violationsOf } from '../support/console.ts'
import { administrator, member, newEmail, type Person } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

inConsole('roles of an organization, in the console', 'sqlite', (engine) => {
  const server = usePostern(engine)
  let made: Promise<Person> | undefined
  const admin = () => {
    made ??= (async () => administrator(await server(), 'Roles'))()
    return made
  }
  const rolesOf = async ({ client, token }: Person): Promise<{ id: string; name: string }[]> =>
    (await client.get('/v1/roles', { token })).body.data
  const create = async ({ client, token }: Person, name: string, permissions: string[]): Promise<string> => {
    const answer = await client.post('/v1/roles', { name, permissions }, { token })
    assert.equal(answer.status, 201, answer.text)
    return answer.body.id
  }

  it('offer who may read keys alone no action of a key, and say why', async () => {
    const postern = await server()
    const person = await administrator(postern, 'Keys')
    const role = await create(person, 'Key reader', ['keys:read', 'members:read'])
    await person.client.post('/v1/api-keys', { name: 'Deploys' }, { token: person.token })
    const browsing = await openConsole(postern, await member(postern, person, role), '/api-keys')
    const { page } = browsing
    await page.locator('tr', { hasText: 'Deploys' }).getByRole('button', { name: 'More for' }).click()
    for (const name of ['Change', 'Rotate', 'Delete']) {
      const item = page.getByRole('menuitem', { name })
      assert.equal(await item.getAttribute('aria-disabled'), 'true', name)
      assert.match((await item.textContent()) ?? '', /keys:write|permission|role/i)
    }
    await closeCleanly(browsing)
  })

  it('are created by the keyboard alone, edited, copied, and deleted once nobody has them', async () => {
    const [postern, person] = [await server(), await admin()]
    const browsing = await openConsole(postern, person, '/roles')
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'everything' }).waitFor()
    await tabTo(page, 'button:has-text("New role")')
    await page.keyboard.press('Enter')
    await dialog.getByLabel('deliveries:read').waitFor()
    await tabTo(page, 'dialog input[name="name"]')
    await page.keyboard.insertText('Support')
    for (const permission of ['members:read', 'deliveries:read', 'deliveries:write']) {
      await tabTo(page, `dialog label:has-text("${permission}") input`)
      await page.keyboard.press('Space')
    }
    assert.deepEqual(await violationsOf(page), [])
    await tabTo(page, 'dialog button[type="submit"]')
    await page.keyboard.press('Enter')
    const row = page.locator('tr', { hasText: 'Support' })
    await row.getByText('3 permissions').waitFor()

    await row.getByRole('button', { name: 'More for Support' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await dialog.getByLabel('deliveries:write').uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('2 permissions').click()
    await dialog.getByText('Read deliveries, their attempts and figures, and replays.').waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByRole('button', { name: 'Close' }).click()

    await row.getByRole('button', { name: 'More for Support' }).click()
    await page.getByRole('menuitem', { name: 'Copy to a new role' }).click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Support')
    await dialog.getByRole('button', { name: 'Create role' }).click()
    await dialog.getByText('exists already').first().waitFor()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Spare')
    await dialog.getByRole('button', { name: 'Create role' }).click()
    const spare = page.locator('tr', { hasText: 'Spare' })
    await spare.getByText('2 permissions').waitFor()

    const id = (await rolesOf(person)).find(({ name }) => name === 'Support')?.id ?? ''
    await member(postern, person, id)
    for (const [name, isRefused] of [
      ['Support', true],
      ['Spare', false],
    ] as const) {
      await page.getByRole('button', { name: `More for ${name}` }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      if (!isRefused) continue
      await dialog.getByText('Members or pending invitations have this role').waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
    }
    await spare.waitFor({ state: 'detached' })
    const names = (await rolesOf(person)).map(({ name }) => name)
    assert.deepEqual(names, ['administrator', 'member', 'Support'])
    await closeCleanly(browsing)
  })

  it('are chosen for who is invited, for one and for several, and for a member', async () => {
    const [postern, person] = [await server(), await admin()]
    const id = await create(person, 'Auditor', ['audit:read', 'members:read'])
    const emails = [newEmail('one'), newEmail('two'), newEmail('three')]
    const browsing = await openConsole(postern, person, '/invitations')
    const { page } = browsing
    for (const many of [emails.slice(0, 1), emails.slice(1)]) {
      await page.getByLabel('Role').selectOption({ label: 'Auditor' })
      await page.locator('textarea[name="email"]').fill(many.join('\n'))
      await page.getByRole('button', { name: /^Invite/ }).click()
      for (const email of many)
        await page.locator('tbody tr', { hasText: email }).getByText('Auditor · by').waitFor()
    }
    const invited = await person.client.get('/v1/invitations?status=pending', { token: person.token })
    assert.deepEqual(
      invited.body.data.map(({ role }: { role: string }) => role),
      [id, id, id],
    )
    const other = await member(postern, person)
    await browsing.goto('/members')
    const row = page.locator('tr', { hasText: other.email })
    await row.getByRole('button', { name: /^More for/ }).click()
    await page.getByRole('menuitem', { name: 'Change role' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Role').selectOption({ label: 'Auditor' })
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByRole('button', { name: 'Change role' }).click()
    await row.getByText('Auditor', { exact: true }).waitFor()
    await closeCleanly(browsing)
  })

  it('show their holders what they can use and nothing else, and follow a change of the role', async () => {
    const [postern, person] = [await server(), await admin()]
    const id = await create(person, 'Watcher', ['deliveries:read', 'members:read'])
    const holder = await member(postern, person, id)
    const { page, ...browsing } = await openConsole(postern, holder, '/')
    const navigation = page.getByRole('navigation', { name: 'Console' })
    const shown = () => navigation.getByRole('listitem').allTextContents()
    assert.deepEqual(await shown(), [
      ...['Overview', 'Deliveries', 'Signature doctor', 'API reference', 'Members', 'Settings'],
    ])
    await page.keyboard.press('/')
    await page.getByRole('combobox').fill('webhooks')
    await page.getByRole('option').first().waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    const refused: string[] = []
    page.on('response', (answer) => {
      if (answer.status() === 403) refused.push(answer.url())
    })
    await browsing.goto('/')
    await browsing.goto('/webhooks')
    await page.getByRole('heading', { name: 'Your role does not permit webhooks:read' }).waitFor()
    assert.deepEqual(refused, [])
    assert.deepEqual(await violationsOf(page), [])
    await browsing.visit('/members')
    await page.getByText('Watcher').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Invite' }).getAttribute('aria-disabled'), 'true')

    // What they may do no longer is refused, and then not offered any more.
    await browsing.visit('/deliveries')
    const changed = await person.client.patch(
      `/v1/roles/${id}`,
      { permissions: ['members:read', 'webhooks:read'] },
      { token: person.token },
    )
    assert.equal(changed.status, 200, changed.text)
    await browsing.visit('/members')
    await browsing.visit('/deliveries?status=failed')
    await until(shown, (rows) => rows.includes('Webhooks') && !rows.includes('Deliveries'), {
      what: 'the navigation of the changed role',
    })
    await page.getByRole('heading', { name: 'Your role does not permit deliveries:read' }).waitFor()
    await closeCleanly({ page, ...browsing })
  })
})
