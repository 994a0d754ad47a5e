import { PosternError } from '#sdk/errors.ts'
import { createClient } from '../../app/data/operations.ts'
import { baseUrl } from '../../app/data/postern.ts'
import { createStore } from '../../app/store.ts'

/** The operator's token, as long as this page is open: it is in no storage, no address and no cookie. */
export const token = createStore<string | undefined>(undefined)

/** The operator's API, which takes no session and no key. */
export const operator = createClient({ baseUrl, maxRetries: 0, token: () => token.get() })

/**
 * Opens the operator's API with a token, if it is the one.
 * @throws PosternError that names the field where it is another
 */
export async function open(apiKey: string): Promise<void> {
  try {
    await createClient({ baseUrl, maxRetries: 0, apiKey }).operator.installation()
  } catch (thrown) {
    if (!(thrown instanceof PosternError) || thrown.status !== 401) throw thrown
    const details = { field: 'token', reason: 'wrong token' }
    throw new PosternError({ code: 'VALIDATION_FAILED', message: thrown.message, status: 401, details })
  }
  token.set(apiKey)
}
