import asyncHooks from 'node:async_hooks'

/**
 * Loaded into every process of the test runner, first. The runner follows each promise and timer with an asynchronous hook, to say
 * which test an error without a handler belongs to; with a server in the process that is a tenth of a file's processor time. Without
 * the hook such an error still fails its file, and the runner prints it.
 */
const { createHook } = asyncHooks
const inert = { enable: () => inert, disable: () => inert }
asyncHooks.createHook = () => inert
await import('node:test')
asyncHooks.createHook = createHook
