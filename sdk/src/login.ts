import { PosternError, readText } from './errors.ts'
import { after, pause } from './retry.ts'

/** An application as the server knows it. */
export interface Application {
  /** Where Postern is. */
  baseUrl: string
  /** The client id: `ocl_…`, the URL of a document, or `postern-cli`. */
  clientId: string
  /** The function that sends requests; the platform's `fetch` unless set. */
  fetch?: typeof fetch
}

/** The tokens of a grant, as a program keeps them between two runs. Their holder acts as the person. */
export interface Tokens {
  accessToken: string
  /** Without one the grant ends with the access token. */
  refreshToken?: string
  /** When the access token expires, in milliseconds since 1970. */
  expiresAt: number
  /** What was granted, with spaces between. */
  scope: string
}

/** Where a program keeps them. */
export interface TokenStore {
  read(): Tokens | undefined | Promise<Tokens | undefined>
  /**
   * Stores the tokens that `work` returns in place of the old ones. The store stays locked against other processes until then, because a
   * second use of a refresh token ends its grant.
   */
  change(work: (kept: Tokens | undefined) => Promise<Tokens>): Promise<Tokens>
}

/** A login that did not come about, or has ended. */
export class LoginError extends Error {
  override readonly name = 'LoginError'
  /** The code of OAuth, such as `access_denied`, `expired_token` or `invalid_grant`. */
  readonly reason: string

  constructor(reason: string, message: string) {
    super(message)
    this.reason = reason
  }
}

/** A login that waits for a person. */
export interface PendingLogin {
  /** The code that the person enters. */
  userCode: string
  /** Where the person enters it. */
  verificationUri: string
  /** The same page with the code in it. */
  verificationUriComplete: string | undefined
  expiresInSeconds: number
  /**
   * Waits for the person's decision.
   * @throws LoginError where the person refused, or did not decide in time
   */
  finish(options?: { signal?: AbortSignal }): Promise<Tokens>
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const SECOND = 1_000
const TIMEOUT_MS = 30 * SECOND
/** The wait between two questions where the server names none (RFC 8628 3.5). */
const INTERVAL_SECONDS = 5
/** A token is renewed this long before it expires. */
const AHEAD_MS = 60 * SECOND
/** Bytes of an answer. */
const MOST = 65_536

/**
 * Begins a login by a code that a person enters in a browser (RFC 8628), on this machine or another.
 * @param scope permissions of docs/scopes.md with spaces between; without it the application asks for all that there are
 * @throws LoginError where the server refuses the application or the scope, PosternError without an answer
 */
export async function startLogin(
  application: Application,
  { scope }: { scope?: string } = {},
): Promise<PendingLogin> {
  const { clientId } = application
  const begun = await ask(application, '/oauth/device', {
    client_id: clientId,
    ...(scope === undefined ? {} : { scope }),
  })
  const seconds = Number(begun.expires_in) || 0
  const ends = Date.now() + seconds * SECOND
  const form = { grant_type: DEVICE_GRANT, client_id: clientId, device_code: String(begun.device_code) }
  return {
    userCode: String(begun.user_code),
    verificationUri: String(begun.verification_uri),
    verificationUriComplete: begun.verification_uri_complete as string | undefined,
    expiresInSeconds: seconds,
    async finish({ signal } = {}) {
      for (let wait = Number(begun.interval) || INTERVAL_SECONDS; Date.now() < ends; ) {
        await pause(wait * SECOND, signal)
        try {
          return toTokens(await ask(application, '/oauth/token', form))
        } catch (error) {
          if (!isWaiting(error)) throw error
          if (error instanceof LoginError && error.reason === 'slow_down') wait += INTERVAL_SECONDS
        }
      }
      throw new LoginError('expired_token', 'Nobody entered the code in time.')
    },
  }
}

/** Whether the same question may have another answer later; without an answer the network may come back. */
function isWaiting(error: unknown): boolean {
  return error instanceof LoginError
    ? ['authorization_pending', 'slow_down'].includes(error.reason)
    : error instanceof PosternError && (error.status === 0 || error.status === 429 || error.status >= 500)
}

/**
 * Makes the `token` of `PosternOptions`: the kept access token, renewed before it expires and once it is refused.
 * @returns undefined from the function where none is kept; it throws LoginError once the grant has ended
 */
export function renewedToken(
  application: Application & { store: TokenStore },
): (refused?: string) => Promise<string | undefined> {
  const { store, clientId } = application
  const isGood = (kept: Tokens, refused?: string) =>
    kept.accessToken !== refused && kept.expiresAt - AHEAD_MS > Date.now()
  return async (refused) => {
    const kept = await store.read()
    if (kept === undefined || isGood(kept, refused)) return kept?.accessToken
    const renewed = await store.change(async (now) => {
      // Another caller has renewed it.
      if (now !== undefined && isGood(now, refused)) return now
      if (now?.refreshToken === undefined) throw ended()
      const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: now.refreshToken }
      const answer = await ask(application, '/oauth/token', form).catch((error) => {
        throw error instanceof LoginError && error.reason === 'invalid_grant' ? ended() : error
      })
      return { ...now, ...toTokens(answer) }
    })
    return renewed.accessToken
  }
}

const ended = () => new LoginError('invalid_grant', 'The grant has ended: log in again.')

/** Ends the grant of kept tokens at the server (RFC 7009). @throws LoginError, PosternError without an answer */
export async function endLogin(application: Application, kept: Tokens): Promise<void> {
  const token = kept.refreshToken ?? kept.accessToken
  await ask(application, '/oauth/revoke', { client_id: application.clientId, token })
}

function toTokens(answer: Record<string, unknown>): Tokens {
  const { access_token, refresh_token, expires_in, scope } = answer
  return {
    accessToken: String(access_token),
    ...(typeof refresh_token === 'string' ? { refreshToken: refresh_token } : {}),
    expiresAt: Date.now() + (Number(expires_in) || 0) * SECOND,
    scope: String(scope ?? ''),
  }
}

/** Sends a form to an endpoint of the authorization server. */
async function ask(
  { baseUrl, fetch: call = fetch }: Application,
  path: string,
  form: Record<string, string>,
): Promise<Record<string, unknown>> {
  const url = baseUrl.replace(/\/+$/, '') + path
  const limit = new AbortController()
  const timer = after(TIMEOUT_MS, () => limit.abort())
  try {
    const response = await call(url, {
      ...{ method: 'POST', body: new URLSearchParams(form), redirect: 'error', signal: limit.signal },
      headers: { accept: 'application/json' },
    })
    const answer = readJson((await readText(response, MOST)) ?? '')
    if (response.ok) return answer
    const { error, error_description } = answer
    if (typeof error === 'string') throw new LoginError(error, String(error_description ?? error))
    const { status } = response
    const message = `${url} answers ${status}: it is no authorization server, or is not ready.`
    throw new PosternError({ code: 'UNEXPECTED_ANSWER', message, status })
  } catch (cause) {
    if (cause instanceof PosternError || cause instanceof LoginError) throw cause
    const code = limit.signal.aborted ? 'TIMEOUT' : 'NETWORK'
    throw new PosternError({ code, message: `POST ${url}: no answer.`, cause })
  } finally {
    clearTimeout(timer)
  }
}

function readJson(text: string): Record<string, unknown> {
  try {
    const read = JSON.parse(text || '{}')
    return typeof read === 'object' && read !== null ? read : {}
  } catch {
    return {}
  }
}
