import { AsyncLocalStorage } from 'node:async_hooks'

const within = new AsyncLocalStorage<true>()

/** Runs `work` as a part of a request to the MCP server: its routes then accept a token for the MCP server. */
export function runInMcp<T>(work: () => T): T {
  return within.run(true, work)
}

/** Whether the current call is a part of a request to the MCP server. */
export function isInMcp(): boolean {
  return within.getStore() === true
}
