let loading: Promise<typeof import('jose')> | undefined

/**
 * `jose`, loaded by its first use: a server that signs and verifies nothing never loads it. Each `import()` of a loaded module would look it up
 * again, which takes 3 % of the processor time of a token.
 */
export function loadJose(): Promise<typeof import('jose')> {
  loading ??= import('jose')
  return loading
}
