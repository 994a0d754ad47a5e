import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/** A person at a keyboard, whose presses are counted. */
export interface Presses {
  /** What did something: Enter on a link or a button, a key of the console's own. */
  presses: number
  /** Tab, on the way there. */
  moves: number
  /** Goes there with the Tab key, and presses Enter. */
  enter(target: Locator): Promise<void>
  /** Goes there with the Tab key. */
  tabTo(target: Locator): Promise<void>
  /** A key that does something wherever the focus is: several in a row are one press. */
  key(...keys: string[]): Promise<void>
}

export function countPresses(page: Page): Presses {
  const counted: Presses = {
    presses: 0,
    moves: 0,
    async tabTo(target) {
      await target.waitFor()
      const has = () => target.evaluate((element) => element.matches(':focus'))
      for (let moves = 0; !(await has()); moves += 1) {
        assert.ok(moves < 80, 'the Tab key does not lead there')
        await page.keyboard.press('Tab')
        counted.moves += 1
      }
    },
    async enter(target) {
      await counted.tabTo(target)
      await page.keyboard.press('Enter')
      counted.presses += 1
    },
    async key(...keys) {
      for (const key of keys) await page.keyboard.press(key)
      counted.presses += 1
    },
  }
  return counted
}
