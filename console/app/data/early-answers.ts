import { later, SECOND } from '../clock.ts'

/** Requests of `early.ts` by their address, until `fetchOnce` takes the answer. */
const asked = (globalThis as { posternAsked?: Map<string, Promise<Response>> }).posternAsked
// An answer that was not taken in time is dropped, because it grows old.
later(10 * SECOND, () => asked?.clear())

/** As `fetch`, but it takes the answer of a request that `early.ts` has made already. */
export const fetchOnce: typeof fetch = (input, init = {}) => {
  const url = String(input)
  const early = init.method === 'GET' ? asked?.get(url) : undefined
  if (early === undefined) return fetch(input, init)
  asked?.delete(url)
  const answer = Promise.race([early, ended(init.signal)]).then((one) => {
    // A request that was refused early is made again: the session may have been renewed since.
    if (one.status === 403) throw one
    return one
  })
  return answer.catch(() => fetch(input, init))
}

/** Rejects when the signal aborts; without that it never settles. */
function ended(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', reject))
}
