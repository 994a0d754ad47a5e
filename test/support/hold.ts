import { before } from 'node:test'

const { promise, resolve } = Promise.withResolvers<void>()

// The runner ends a process's tests, and runs what is to be done after all of them, as soon as those that it knows have ended:
// also while a file that waits for something at its top is still being loaded.
before(() => promise)

/** Lets the tests of this process begin: all of its files are loaded (`groups.ts`). */
export const beginTests = resolve
