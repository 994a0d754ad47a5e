import asyncHooks from 'node:async_hooks'

/**
 * Loaded first into every process of the test runner. The runner follows each promise and timer with an asynchronous hook, to assign
 * unhandled errors to tests. With a server in the process the hook takes a tenth of a file's processor time. Without it such an error
 * still fails its file, and the runner prints it.
 */
const { createHook } = asyncHooks
const inert = { enable: () => inert, disable: () => inert }
asyncHooks.createHook = () => inert
await import('node:test')
asyncHooks.createHook = createHook
