import { type CallOptions, Postern } from '#sdk/postern.ts'
import { MINUTE, SECOND } from '../clock.ts'
import { root } from '../root.ts'
import { organizationId } from '../router.ts'
import { fetchOnce } from './early-answers.ts'
import { tokenFor } from './session.ts'

/** Where the API is: where the page came from. */
export const baseUrl = `${globalThis.location?.origin ?? 'http://localhost'}${root()}`

/**
 * The public API, with the token of the organization in the address: the console has no other door. What changes something is
 * sent once, so that a press is answered at once, be it with a failure.
 */
export const postern = new Postern({
  baseUrl,
  fetch: fetchOnce,
  maxRetries: 0,
  timeoutMs: MINUTE,
  deadlineMs: MINUTE,
  token: async (refused) => {
    const organization = organizationId()
    return organization === undefined ? undefined : tokenFor(organization, refused)
  },
})

/** How what only reads is called: a failure in passing is worth two more attempts, if they come soon. */
export function reading(signal: AbortSignal): CallOptions {
  return { signal, maxRetries: 2, timeoutMs: 30 * SECOND, deadlineMs: 30 * SECOND }
}
