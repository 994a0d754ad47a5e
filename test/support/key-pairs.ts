import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { promisify } from 'node:util'

type Generate = (...parameters: unknown[]) => Promise<unknown>

/** Counts the key pairs that this process makes asynchronously until it is disposed, and how many it makes at once. */
export function countKeyPairs() {
  const original = crypto.generateKeyPair
  const generate = promisify(original) as unknown as Generate
  const seen = { made: 0, atOnce: 0 }
  let underWay = 0
  async function counted(...parameters: unknown[]) {
    seen.made += 1
    underWay += 1
    seen.atOnce = Math.max(seen.atOnce, underWay)
    try {
      return await generate(...parameters)
    } finally {
      underWay -= 1
    }
  }
  function replace(by: typeof original): void {
    crypto.generateKeyPair = by
    syncBuiltinESMExports()
  }
  replace(Object.assign(() => undefined, { [promisify.custom]: counted }) as unknown as typeof original)
  return Object.assign(seen, { [Symbol.dispose]: () => replace(original) })
}
