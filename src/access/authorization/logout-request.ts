import type { Millis } from '../../core/clock.ts'
import type { Database } from '../../db/database.ts'
import { loadJose } from '../jose.ts'
import { findClient } from './client-store.ts'
import type { AuthorizationDeps } from './deps.ts'

/** Parameters of OpenID Connect RP-Initiated Logout 1.0, section 2, that are read. */
export const LOGOUT_PARAMETERS = {
  id_token_hint: 4_096,
  client_id: 2_048,
  post_logout_redirect_uri: 1_024,
  state: 1_024,
} as const

type Parameter = keyof typeof LOGOUT_PARAMETERS
export type LogoutParameters = Partial<Record<Parameter, string>>

/** The request of an application to sign a person out. */
interface AskedLogout {
  /** The URL after the sign-out, with `state`; undefined where no registered URL is given. */
  redirectTo: string | undefined
  /** The account of the hint; undefined without a valid hint. */
  accountId: string | undefined
}

/** The parameters of a query or a form; a repeated or too long one counts as absent. */
export function readLogoutParameters(parameters: URLSearchParams): LogoutParameters {
  return Object.fromEntries(
    Object.entries(LOGOUT_PARAMETERS).flatMap(([name, most]) => {
      const [value, ...more] = parameters.getAll(name)
      return value === undefined || more.length > 0 || value === '' || value.length > most
        ? []
        : [[name, value]]
    }),
  )
}

/**
 * Reads the request of an application. The hint must be an ID token of this server whose key is still published; it may have expired. The
 * browser is sent only to a URL that the operator has registered for the application, by exact match.
 */
export async function readLogout(
  deps: Pick<AuthorizationDeps, 'config' | 'vault' | 'keys'> & { database: Pick<Database, 'db'> },
  asked: LogoutParameters,
  now: Millis,
): Promise<AskedLogout> {
  const hint = asked.id_token_hint === undefined ? undefined : await readHint(deps, asked.id_token_hint, now)
  const clientId = asked.client_id ?? hint?.aud
  // A hint of another application is ignored.
  const isOwn = hint === undefined || hint.aud === clientId
  const known =
    clientId === undefined || !isOwn
      ? undefined
      : await findClient(deps.database.db, deps.vault, clientId, now)
  const uri = asked.post_logout_redirect_uri
  const isRegistered =
    uri !== undefined && known?.row.origin === 'registered' && postLogoutUrisOf(known.metadata).includes(uri)
  return {
    redirectTo: isRegistered ? withState(uri, asked.state) : undefined,
    accountId: isOwn ? hint?.sub : undefined,
  }
}

/** The post-logout redirect URIs of a client. */
export function postLogoutUrisOf(metadata: Record<string, unknown>): string[] {
  const { post_logout_redirect_uris: uris = [] } = metadata
  return uris as string[]
}

/** Appends `state` to the text, because a parsed URL might differ from the registered one, which has no fragment. */
function withState(uri: string, state: string | undefined): string {
  if (state === undefined) return uri
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams({ state })}`
}

/** @returns undefined unless it is an ID token of this server */
async function readHint(
  { config, keys }: Pick<AuthorizationDeps, 'config' | 'keys'>,
  token: string,
  now: Millis,
): Promise<{ aud: string; sub: string } | undefined> {
  const { compactVerify } = await loadJose()
  try {
    const { payload, protectedHeader } = await compactVerify(
      token,
      async ({ kid }) => {
        const key = await keys.verifier(kid, now)
        if (key === undefined) throw new Error('unknown key')
        return key
      },
      { algorithms: ['ES256'] },
    )
    const { iss, aud, sub } = JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>
    // Access tokens are refused, although they have the same issuer and keys.
    if (protectedHeader.typ === 'at+jwt' || iss !== config.web.baseUrl) return undefined
    return typeof aud === 'string' && typeof sub === 'string' ? { aud, sub } : undefined
  } catch {
    return undefined
  }
}
