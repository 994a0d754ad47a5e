import { type Clock, SECOND } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { atMost, createFairLimiter } from '../../core/fair-limiter.ts'
import type { Id } from '../../core/id.ts'
import { MODULE_EXTENSION } from '../../core/module-extension.ts'
import { createThread } from '../../core/thread.ts'
import type { ExpectedLogout, LogoutMessage } from './read-logout.ts'
import type { ProviderMetadata } from './read-metadata.ts'
import type { Expected, SamlClaims } from './read-response.ts'
import type { Asked, Read } from './reading-thread.ts'
import type { Received } from './redirect-binding.ts'
import type { SigningKey } from './sign-message.ts'

/**
 * Reads and signs SAML messages in a thread, because a check of a signature may take half a second and would block the event loop.
 * Organizations take turns. Messages about sign-outs, which anybody may send at any time, have turns of their own: a flood of them delays
 * no sign-in of the same organization by more than one message.
 */
export interface SamlReader {
  readMetadata(owner: Id<'organization'>, text: string): Promise<ProviderMetadata | { refused: string }>
  /** @param encoded the form's `SAMLResponse` */
  readResponse(
    owner: Id<'organization'>,
    encoded: string,
    expected: Expected,
  ): Promise<SamlClaims | { refused: string }>
  readLogout(
    owner: Id<'organization'>,
    logout: Received,
    expected: ExpectedLogout,
  ): Promise<LogoutMessage | { refused: string }>
  /** @returns the message with a signature in it */
  sign(owner: Id<'organization'>, unsigned: string, by: SigningKey): Promise<string>
  close(): Promise<void>
}

/** Messages in the thread: while it reads one, the next one is waiting there. */
const MOST_AT_ONCE = 2
const LONGEST_WAIT = 10 * SECOND
const HEAP_MB = 96

/** The key of a share of the places. */
type ShareKey = Id<'organization'> | `${Id<'organization'>} sign-outs`

export function createSamlReader(clock: Clock): SamlReader {
  const thread = createThread<Asked, Read>(new URL(`./reading-thread${MODULE_EXTENSION}`, import.meta.url), {
    heapMb: HEAP_MB,
  })
  const places = createFairLimiter<ShareKey>(MOST_AT_ONCE, atMost(1), {
    ...{ clock, longest: LONGEST_WAIT },
    late: () => new ApiError('RATE_LIMITED', { retryAfterSeconds: LONGEST_WAIT / SECOND }),
  })
  const read = (line: ShareKey, asked: Asked) => places.use(line, () => thread.ask(asked))
  return {
    readMetadata: (owner, metadata) =>
      read(owner, { metadata }) as Promise<ProviderMetadata | { refused: string }>,
    readResponse: (owner, response, expected) =>
      read(owner, { response, expected }) as Promise<SamlClaims | { refused: string }>,
    readLogout: (owner, logout, expected) =>
      read(`${owner} sign-outs`, { logout, expected }) as Promise<LogoutMessage | { refused: string }>,
    sign: async (owner, unsigned, by) => ((await read(owner, { unsigned, by })) as { signed: string }).signed,
    close: thread.close,
  }
}
