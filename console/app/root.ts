/** The path of the server's base URL: empty, or `/postern` behind a proxy that serves it there. */
export function root(): string {
  return globalThis.document?.documentElement.dataset.root ?? ''
}
