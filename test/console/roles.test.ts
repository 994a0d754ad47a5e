import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { closeCleanly, noBrowser } from '../support/chromium.ts'
import { openConsole, readScreens } from '../support/console.ts'
import { type Filled, fillConsole } from '../support/console-data.ts'
import { member } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

const HOSTILE = '</script><img src=x onerror=alert(1)>"><b>bold</b>\u202e{{7*7}}'

describe('every screen of the console', { skip: noBrowser }, () => {
  const server = usePostern('sqlite')
  let receiver: Receiver | undefined
  after(() => receiver?.stop())
  let made: Promise<Filled> | undefined
  const filled = () => {
    made ??= (async () => {
      receiver = await startReceiver()
      const all = await fillConsole(await server(), receiver, HOSTILE.slice(0, 60))
      const { client, token } = all.admin
      for (const [path, body] of [
        ['/v1/webhooks', { url: 'https://example.com/?a=%3Cimg%3E', events: ['*'], description: HOSTILE }],
        ['/v1/api-keys', { name: HOSTILE }],
      ] as const)
        await client.post(path, body, { token })
      return all
    })()
    return made
  }
  const pathsOf = async ({ ids }: Filled) =>
    (await readScreens()).map(({ path }) =>
      path.replace(/:\w+/, ids[path] ?? 'whk_01a202b1-b47d-70bc-9989-5b40b2a6678b'),
    )

  it('asks for nothing that the API refuses to a member, nor offers a press that does', async () => {
    const all = await filled()
    const postern = await server()
    const person = await member(postern, all.admin)
    const browsing = await openConsole(postern, person, '/')
    const { page } = browsing
    const refused: string[] = []
    page.on('response', (answer) => {
      if (answer.status() === 403)
        refused.push(`${answer.request().method()} ${new URL(answer.url()).pathname}`)
    })
    for (const path of await pathsOf(all)) {
      await browsing.goto(path)
      assert.deepEqual(refused, [], path)
      const buttons = page.locator('#content button:not([aria-disabled="true"], :disabled)')
      const names = new Set(await buttons.allTextContents())
      for (const name of names) {
        // What ends the person's own membership or session is their right, and would end the test.
        if (name === '' || /leave|sign out|end |delete/i.test(name)) continue
        // By script: what opened before may lie over it, and some are gone by now.
        await buttons
          .filter({ hasText: name })
          .evaluateAll(([first]) => (first as unknown as { click(): void } | undefined)?.click())
        assert.deepEqual(refused, [], `${path}: ${name}`)
      }
    }
    await browsing.goto('/')
    assert.deepEqual(refused, [])
    await browsing.close()
  })

  it('shows what somebody has written as text, whatever it is', async () => {
    const all = await filled()
    const browsing = await openConsole(await server(), all.admin, '/')
    const { page } = browsing
    page.on('dialog', () => assert.fail('a script of the data ran'))
    for (const path of await pathsOf(all)) {
      await browsing.goto(path)
      assert.equal(
        await page
          .locator('img[src="x"]')
          .or(page.locator('b', { hasText: 'bold' }))
          .count(),
        0,
        path,
      )
      assert.doesNotMatch((await page.textContent('body')) ?? '', /\[object Object\]/, path)
    }
    await closeCleanly(browsing)
  })
})
