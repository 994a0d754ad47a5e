/** The path of the server's base URL: empty, or `/postern` behind a proxy that serves it there. */
export function root(): string {
  return globalThis.document?.documentElement.dataset.root ?? ''
}

/** The name of the product, by the settings of the server. */
export function product(): string {
  return globalThis.document?.documentElement.dataset.product ?? 'Postern'
}

/** The path of its sign; undefined where it is ours. */
export function logo(): string | undefined {
  return globalThis.document?.documentElement.dataset.logo
}
