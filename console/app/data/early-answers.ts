import { later, SECOND } from '../clock.ts'

/** What `early.ts` has asked for, by its address, until somebody takes the answer. */
const asked = (globalThis as { posternAsked?: Map<string, Promise<Response>> }).posternAsked
// What was not wanted by then is not true for ever.
later(10 * SECOND, () => asked?.clear())

/** As `fetch`; what is on its way since before the modules came is not asked for once more. */
export const fetchOnce: typeof fetch = (input, init = {}) => {
  const url = String(input)
  const early = init.method === 'GET' ? asked?.get(url) : undefined
  if (early === undefined) return fetch(input, init)
  asked?.delete(url)
  const answer = Promise.race([early, ended(init.signal)]).then((one) => {
    // What was refused then may be granted by now.
    if (one.status === 403) throw one
    return one
  })
  return answer.catch(() => fetch(input, init))
}

/** Rejects when the signal says so, and else never settles. */
function ended(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', reject))
}
