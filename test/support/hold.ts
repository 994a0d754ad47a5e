import { before } from 'node:test'

const { promise, resolve } = Promise.withResolvers<void>()

// The runner ends the tests of a process, and runs the last hooks, once all tests that it knows have ended,
// even while a file with an `await` at its top is still being loaded.
before(() => promise)

/** Lets the tests of this process begin: all of its files are loaded (`groups.ts`). */
export const beginTests = resolve
