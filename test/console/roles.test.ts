import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { PERMISSION_NAMES } from '#src/http/permissions.ts'
import { inConsole, isWhole, openConsole, readScreens } from '../support/console.ts'
import { addressesOf, type Filled, fillConsole } from '../support/console-data.ts'
import { member, type Person } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

const READS = PERMISSION_NAMES.filter((name) => name.endsWith(':read'))

inConsole('every screen of the console', 'postgres', (engine) => {
  const server = usePostern(engine)
  let receiver: Receiver | undefined
  after(() => receiver?.stop())

  let made: Promise<Filled> | undefined
  const filled = () => {
    made ??= (async () => {
      receiver = await startReceiver()
      return fillConsole(await server(), receiver)
    })()
    return made
  }

  /** Visits screens, presses all that is offered there, and finds nothing refused. */
  async function press(person: Person, visited = /^/): Promise<void> {
    const browsing = await openConsole(await server(), person, '/')
    const { page } = browsing
    const refused: string[] = []
    page.on('response', (answer) => {
      if (answer.status() === 403)
        refused.push(`${answer.request().method()} ${new URL(answer.url()).pathname}`)
    })
    for (const path of addressesOf(await readScreens(), await filled())) {
      if (!isWhole && !visited.test(path)) continue
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
  }

  it('asks for nothing that the API refuses to a member, nor offers a press that does', async () => {
    await press(await member(await server(), (await filled()).admin))
  })

  // Each reads a part of what its screens can show, and changes another part than a member does. By day those that read
  // little visit the screens of that alone.
  for (const [name, { permissions, visited }] of Object.entries({
    'who watches deliveries': {
      permissions: ['deliveries:read', 'deliveries:write', 'members:read'],
      visited: /^\/($|deliver|webhook|event|member|people)/,
    },
    'who reads all but the names of others': {
      permissions: READS.filter((one) => one !== 'members:read'),
      visited: /^/,
    },
    'who may change webhooks and nothing around them': {
      permissions: [
        ...['webhooks:read', 'webhooks:write', 'events:read', 'events:write'],
        ...['captures:read', 'runs:read', 'conversations:read', 'knowledge:read', 'agents:read'],
      ],
      visited: /^\/($|webhook|event|deliver|run|conversation|knowledge|document|agent)/,
    },
  }))
    it(`does so for a role of the organization's own: ${name}`, async () => {
      const { admin } = await filled()
      const role = await admin.client.post('/v1/roles', { name, permissions }, { token: admin.token })
      assert.equal(role.status, 201, role.text)
      await press(await member(await server(), admin, role.body.id), visited)
    })
})
