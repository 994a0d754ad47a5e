import { ApiError } from '../../core/errors.ts'
import { serveQuestions } from '../../core/thread.ts'
import { type ExpectedLogout, type LogoutMessage, readLogout } from './read-logout.ts'
import { type ProviderMetadata, readMetadata } from './read-metadata.ts'
import { type Expected, readResponse, type SamlClaims } from './read-response.ts'
import type { Received } from './redirect-binding.ts'
import { type SigningKey, signMessage } from './sign-message.ts'

/** A question to the thread: a message to read, or to sign. */
export type Asked =
  | { metadata: string }
  | { response: string; expected: Expected }
  | { logout: Received; expected: ExpectedLogout }
  | { unsigned: string; by: SigningKey }

/** The answer of the thread; `refused` is the reason of a refused message. */
export type Read = ProviderMetadata | SamlClaims | LogoutMessage | { signed: string } | { refused: string }

serveQuestions<Asked, Read>(async (asked) => {
  if ('metadata' in asked) {
    const found = await readMetadata(asked.metadata)
    return typeof found === 'string' ? { refused: found } : found
  }
  if ('unsigned' in asked) return { signed: await signMessage(asked.unsigned, asked.by) }
  try {
    if ('logout' in asked) return await readLogout(asked.logout, asked.expected)
    return await readResponse(asked.response, asked.expected)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { refused: (error.details as { reason: string }).reason }
  }
})
