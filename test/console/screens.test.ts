import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { closeCleanly, noBrowser } from '../support/chromium.ts'
import { openConsole, overflowOf, readScreens, violationsOf } from '../support/console.ts'
import { type Filled, fillConsole } from '../support/console-data.ts'
import { administrator } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

/** Each theme on a screen of a desk and on a phone. */
const LOOKS = [
  { colorScheme: 'light', viewport: { width: 1_280, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const
/** Every one of them is for `npm run test:console:all`. */
const ALL_LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1_280, 390, 320].map((width) => ({ colorScheme, viewport: { width, height: 900 } })),
)
const looks = process.env.CONSOLE_LOOKS === 'all' ? ALL_LOOKS : LOOKS

describe('the screens of the console', { skip: noBrowser }, () => {
  const server = usePostern('sqlite')
  let receiver: Receiver | undefined
  after(() => receiver?.stop())

  let made: Promise<Filled> | undefined
  const filled = () => {
    made ??= fill()
    return made
  }
  async function fill(): Promise<Filled> {
    receiver = await startReceiver()
    return fillConsole(await server(), receiver)
  }

  /** Every address of the table; `undefined` in the place of an id that this organization has none of. */
  const pathsOf = async ({ ids }: Filled) =>
    (await readScreens()).map(({ path }) =>
      path.replace(/:\w+/, ids[path] ?? 'whk_01a202b1-b47d-70bc-9989-5b40b2a6678b'),
    )

  it('can be used by everybody: no rule of accessibility is broken, nothing is cut off, nothing is refused by the policy', async () => {
    const all = await filled()
    const empty = await administrator(await server(), 'Nothing yet')
    for (const look of looks) {
      for (const person of [all.admin, empty]) {
        const browsing = await openConsole(await server(), person, '/', look)
        for (const path of await pathsOf(all)) {
          await browsing.goto(path)
          const where = `${path} ${look.colorScheme} ${look.viewport.width}`
          assert.deepEqual(await violationsOf(browsing.page), [], where)
          assert.equal(await overflowOf(browsing.page), 0, where)
          assert.equal(await browsing.page.locator('h1').count(), 1, where)
        }
        await closeCleanly(browsing)
      }
    }
  })
})
