import { AsyncLocalStorage } from 'node:async_hooks'

const within = new AsyncLocalStorage<true>()

/** Does `work` as a part of a request to the MCP server: routes that it calls take a token for the MCP server. */
export function withinMcp<T>(work: () => T): T {
  return within.run(true, work)
}

/** Whether this is part of a request to the MCP server. */
export function isWithinMcp(): boolean {
  return within.getStore() === true
}
