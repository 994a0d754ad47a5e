import { ApiError } from '../../core/errors.ts'
import { answerQuestions } from '../../core/thread.ts'
import { type ProviderMetadata, readMetadata } from './read-metadata.ts'
import { type Expected, readResponse, type SamlClaims } from './read-response.ts'

/** What the thread is asked to read. */
export type Asked = { metadata: string } | { response: string; expected: Expected }

/** What it has read; of an answer that is refused, why. */
export type Read = ProviderMetadata | SamlClaims | { refused: string }

answerQuestions<Asked, Read>(async (asked) => {
  if ('metadata' in asked) {
    const found = await readMetadata(asked.metadata)
    return typeof found === 'string' ? { refused: found } : found
  }
  try {
    return await readResponse(asked.response, asked.expected)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { refused: (error.details as { reason: string }).reason }
  }
})
