import assert from 'node:assert/strict'
import { it } from 'node:test'
import { mailAbout } from '../support/attacks.ts'
import { closeCleanly } from '../support/chromium.ts'
import { inConsole, openConsole, violationsOf } from '../support/console.ts'
import { administrator, newEmail, PASSWORD } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'

inConsole('a change of address, in the console', 'sqlite', (engine) => {
  const server = usePostern(engine)

  it('is asked for, shows which mailbox has not agreed, and is taken back', async () => {
    const postern = await server()
    const person = await administrator(postern, 'Movers')
    const browsing = await openConsole(postern, person, '/me')
    const { page } = browsing
    const to = newEmail('new')
    await page.getByLabel('New address').fill(to)
    await page.getByLabel('Password', { exact: false }).last().fill(PASSWORD)
    await page.getByRole('button', { name: 'Change address' }).click()
    await page.getByText(`the mailbox of ${to}`).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    const { token } = await mailAbout(postern, person.email, /^Approve/)
    const agreed = await person.client.post('/v1/auth/change-email/confirm', { token })
    assert.equal(agreed.body.waitsFor, 'new', agreed.text)
    await page.reload()
    await page.getByText(`Waits for the mailbox of ${to}`).waitFor()
    await page.getByRole('button', { name: 'Cancel the change' }).click()
    await page.getByText('Waits for').waitFor({ state: 'detached' })
    assert.deepEqual((await person.client.get('/v1/auth/change-email')).body, { change: null })
    await closeCleanly(browsing)
  })
})
