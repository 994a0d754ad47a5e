type Undici = typeof import('undici')

/** Kept because `import()` of a loaded module still takes turns of the event loop. */
let loaded: Undici | undefined

/** Loads undici with the first request: a process without calls does not need its memory. */
export async function loadUndici(): Promise<Undici> {
  loaded ??= await import('undici')
  return loaded
}
