import asyncHooks, { AsyncResource } from 'node:async_hooks'

/**
 * Loaded into every process of the test runner, first. The runner follows each promise and timer with an asynchronous hook, to find
 * the test that an error without a handler belongs to; with a server in the process that is a tenth of a file's processor time. Here
 * it is told of its own suites and tests alone, so that what is set up in a suite ends with the suite. An error without a handler
 * fails the process all the same, and the runner prints it.
 */
type Init = (asyncId: number, type: string, triggerAsyncId: number, resource: object) => void

let note: Init | undefined

class Noted extends AsyncResource {
  constructor(...given: ConstructorParameters<typeof AsyncResource>) {
    super(...given)
    note?.(this.asyncId(), given[0], this.triggerAsyncId(), this)
  }
}

const { createHook } = asyncHooks
const inert = { enable: () => inert, disable: () => inert }
Object.assign(asyncHooks, {
  AsyncResource: Noted,
  createHook({ init }: { init?: Init }) {
    note = init
    return inert
  },
})
await import('node:test')
Object.assign(asyncHooks, { AsyncResource, createHook })
