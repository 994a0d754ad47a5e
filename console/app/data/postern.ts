import type { CallOptions, Methods, PosternOptions } from '#sdk/postern.ts'
import { MINUTE, SECOND } from '../clock.ts'
import { root } from '../root.ts'
import { organizationId } from '../router.ts'
import { fetchOnce } from './early-answers.ts'
import { createClient } from './operations.ts'
import { personChanged, tokenFor } from './session.ts'
import { withStepUp } from './step-up.ts'

/** Where the API is: where the page came from. */
export const baseUrl = `${globalThis.location?.origin ?? 'http://localhost'}${root()}`

/**
 * The public API, with the token of the organization in the address: the console uses nothing else. A change is sent
 * without retries, so that a press gets its result at once, a failure included.
 */
const OPTIONS: PosternOptions = {
  baseUrl,
  // The person may have got another role, or their role other permissions.
  fetch: withStepUp(fetchOnce, () => void personChanged()),
  maxRetries: 0,
  timeoutMs: MINUTE,
  deadlineMs: MINUTE,
  token: async (refused) => {
    const organization = organizationId()
    return organization === undefined ? undefined : tokenFor(organization, refused)
  },
}

export const postern = createClient(OPTIONS)

/** The text that a call is answered with, to the letter: parsed and written again, its numbers would be others. */
export async function readText(call: (client: Methods) => Promise<unknown>): Promise<string> {
  let text = ''
  const keeping: typeof fetch = async (input, init) => {
    const answer = await fetchOnce(input, init)
    text = await answer.clone().text()
    return answer
  }
  await call(createClient({ ...OPTIONS, fetch: keeping }))
  return text
}

/** How what only reads is called: a failure in passing is worth two more attempts, if they come soon. */
export function reading(signal: AbortSignal): CallOptions {
  return { signal, maxRetries: 2, timeoutMs: 30 * SECOND, deadlineMs: 30 * SECOND }
}
