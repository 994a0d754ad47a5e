import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { inConsole, openConsole, readScreens } from '../support/console.ts'
import { addressesOf, fillConsole } from '../support/console-data.ts'
import { member } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

inConsole('every screen of the console', 'postgres', (engine) => {
  const server = usePostern(engine)
  let receiver: Receiver | undefined
  after(() => receiver?.stop())

  it('asks for nothing that the API refuses to a member, nor offers a press that does', async () => {
    const postern = await server()
    receiver = await startReceiver()
    const all = await fillConsole(postern, receiver)
    const person = await member(postern, all.admin)
    const browsing = await openConsole(postern, person, '/')
    const { page } = browsing
    const refused: string[] = []
    page.on('response', (answer) => {
      if (answer.status() === 403)
        refused.push(`${answer.request().method()} ${new URL(answer.url()).pathname}`)
    })
    for (const path of addressesOf(await readScreens(), all)) {
      await browsing.visit(path)
      assert.deepEqual(refused, [], path)
      const buttons = page.locator('#content button:not([aria-disabled="true"], :disabled)')
      const names = new Set(await buttons.allTextContents())
      for (const name of names) {
        // What ends the person's own membership or session is their right, and would end the test.
        if (name === '' || /leave|sign out|end |delete/i.test(name)) continue
        // By script: an open dialog may cover the button, and some buttons have disappeared.
        await buttons
          .filter({ hasText: name })
          .evaluateAll(([first]) => (first as unknown as { click(): void } | undefined)?.click())
        assert.deepEqual(refused, [], `${path}: ${name}`)
      }
    }
    await browsing.visit('/')
    assert.deepEqual(refused, [])
    await browsing.close()
  })
})
