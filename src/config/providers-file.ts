import { type Millis, SECOND } from '../core/clock.ts'
import { isSecureUrl } from '../core/text/secure-url.ts'
import { at, type Json, objectAt, type Place, readJsonFile, say } from './json-file.ts'

/** How Postern authenticates at a provider's token endpoint (RFC 6749 2.3). */
const TOKEN_AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const
type TokenAuthMethod = (typeof TOKEN_AUTH_METHODS)[number]

/** A provider of external connections as configured. */
export interface ConnectionProvider {
  name: string
  /** Identifies the provider; its metadata are fetched from there without `endpoints`. */
  issuer: string | undefined
  endpoints: { authorization: string; token: string } | undefined
  /** The revocation endpoint; by default that of the metadata. */
  revocationEndpoint: string | undefined
  clientId: string
  /** undefined for a public client. */
  clientSecret: string | undefined
  tokenAuthMethod: TokenAuthMethod
  scopes: string[]
  /** Hosts that may receive the connection's token: `host` or `host:port` in the form of a URL. */
  apiHosts: string[]
  /** The least pause after a 429. */
  minimumBackoff: Millis
  /** Additional parameters for the authorization endpoint. */
  authorizeParameters: Record<string, string>
}

const MEMBERS = [
  'issuer',
  'authorizationEndpoint',
  'tokenEndpoint',
  'revocationEndpoint',
  'clientId',
  'clientSecretVariable',
  'tokenEndpointAuthMethod',
  'scopes',
  'apiHosts',
  'minimumBackoffSeconds',
  'authorizeParameters',
]

/** Parameters of the protocol, which a file cannot set. */
const OWN_PARAMETERS = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
]

const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/
const LONGEST_BACKOFF_SECONDS = 86_400

/**
 * Reads the providers of `CONNECTIONS_FILE`; none where there is no file.
 * @param variable looks a variable of the environment up
 * @param problems gets one line for each error of the file, with its exact place
 */
export function readConnections(
  file: string | undefined,
  variable: (name: string) => string | undefined,
  problems: string[],
): ConnectionProvider[] {
  return readNamed('CONNECTIONS_FILE', file, problems, (name, one, place) =>
    readProvider(name, one, place, variable),
  )
}

/**
 * Reads the providers of a file by name.
 * @returns none without a file, or where it has a problem
 * @param setting the variable that names the file
 * @param problems gets one line for each error of the file, with its exact place
 */
export function readNamed<Provider>(
  setting: string,
  file: string | undefined,
  problems: string[],
  readOne: (name: string, value: unknown, place: Place) => Provider,
): Provider[] {
  if (file === undefined) return []
  const found: string[] = []
  const value = readJsonFile(file, found)
  const root = { path: '', problems: found }
  const providers = found.length > 0 ? undefined : objectAt(value, root, ['providers'])?.providers
  const all = found.length > 0 ? {} : (objectAt(providers, at(root, 'providers')) ?? {})
  const read = Object.entries(all).map(([name, one]) => {
    const place = at(at(root, 'providers'), name)
    if (!NAME.test(name))
      say(place, 'must be named with 1 to 32 of a-z, 0-9 and -, beginning with a letter or digit')
    return readOne(name, one, place)
  })
  problems.push(...found.map((problem) => `${setting} ${problem} (in ${file})`))
  return found.length > 0 ? [] : read
}

function readProvider(
  name: string,
  value: unknown,
  place: Place,
  variable: (name: string) => string | undefined,
): ConnectionProvider {
  const given = objectAt(value, place, MEMBERS) ?? {}
  const [authorization, token] = [
    address(given, 'authorizationEndpoint', place),
    address(given, 'tokenEndpoint', place),
  ]
  const issuer = address(given, 'issuer', place)
  if ((authorization === undefined) !== (token === undefined))
    say(place, 'must have authorizationEndpoint and tokenEndpoint together')
  if (issuer === undefined && given.issuer === undefined && authorization === undefined)
    say(place, 'must have an issuer, or authorizationEndpoint and tokenEndpoint')
  const scopes = texts(given.scopes ?? [], at(place, 'scopes'), /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'scope')
  if (scopes.includes('openid') && given.issuer === undefined)
    say(at(place, 'issuer'), 'must be set where the scopes have openid: the ID token names it')
  const clientSecret = readSecret(given, place, variable)
  return {
    name,
    issuer,
    endpoints: authorization === undefined || token === undefined ? undefined : { authorization, token },
    revocationEndpoint: address(given, 'revocationEndpoint', place),
    clientId: text(given.clientId, at(place, 'clientId')),
    clientSecret,
    tokenAuthMethod: readMethod(given, place),
    scopes,
    apiHosts: readHosts(given.apiHosts ?? [], at(place, 'apiHosts')),
    minimumBackoff: readSeconds(given.minimumBackoffSeconds ?? 0, at(place, 'minimumBackoffSeconds')),
    authorizeParameters: readParameters(given.authorizeParameters ?? {}, at(place, 'authorizeParameters')),
  }
}

export function address(given: Json, name: string, place: Place): string | undefined {
  const value = given[name]
  if (value === undefined) return undefined
  const url = typeof value === 'string' ? URL.parse(value) : null
  const isPlain = url !== null && url.username === '' && url.password === '' && url.hash === ''
  if (isPlain && /^https?:$/.test(url.protocol) && isSecureUrl(url.href)) return String(value)
  say(at(place, name), 'must be an https:// URL without credentials or fragment', value)
  return undefined
}

export function text(value: unknown, place: Place): string {
  if (typeof value === 'string' && /^[\x20-\x7e]{1,512}$/.test(value)) return value
  say(place, 'must be a text', value)
  return ''
}

function texts(value: unknown, place: Place, pattern: RegExp, what: string): string[] {
  if (!Array.isArray(value)) {
    say(place, `must be a list of ${what}s`, value)
    return []
  }
  return value.flatMap((one: unknown, index) => {
    if (typeof one === 'string' && pattern.test(one)) return one
    say({ ...place, path: `${place.path}[${index}]` }, `must be a ${what}`, one)
    return []
  })
}

/** Reads the secret from the environment variable that the file names, so that the file can be shown and versioned. */
export function readSecret(
  given: Json,
  place: Place,
  variable: (name: string) => string | undefined,
): string | undefined {
  const name = given.clientSecretVariable
  const here = at(place, 'clientSecretVariable')
  if (name === undefined) return undefined
  if (typeof name !== 'string' || !/^[A-Z][A-Z0-9_]{0,99}$/.test(name)) {
    // The value is not quoted, because it may be the secret itself.
    say(here, 'must be the name of a variable of the environment, such as ACME_CLIENT_SECRET')
    return undefined
  }
  const secret = variable(name)?.trim()
  if (secret === undefined || secret === '') say(here, `names ${name}, which is not set`)
  return secret
}

function readMethod(given: Json, place: Place): TokenAuthMethod {
  const method = given.tokenEndpointAuthMethod
  const isPublic = given.clientSecretVariable === undefined
  if (method === undefined) return isPublic ? 'none' : 'client_secret_basic'
  const known = TOKEN_AUTH_METHODS.find((one) => one === method)
  const here = at(place, 'tokenEndpointAuthMethod')
  if (known === undefined) say(here, `must be one of ${TOKEN_AUTH_METHODS.join(', ')}`, method)
  else if (isPublic !== (known === 'none'))
    say(here, `${isPublic ? 'needs clientSecretVariable' : 'is none, and there is a clientSecretVariable'}`)
  return known ?? 'none'
}

function readHosts(value: unknown, place: Place): string[] {
  return texts(
    value,
    place,
    /^[\w.:[\]-]{1,253}$/,
    'host such as api.example.com or api.example.com:8443',
  ).map((written, index) => {
    const host = URL.parse(`https://${written}/`)?.host
    if (host !== undefined && host !== '' && host === written.toLowerCase()) return host
    say({ ...place, path: `${place.path}[${index}]` }, 'must be a host as a URL writes it', written)
    return ''
  })
}

function readSeconds(value: unknown, place: Place): Millis {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LONGEST_BACKOFF_SECONDS)
    return Number(value) * SECOND
  say(place, `must be a whole number from 0 to ${LONGEST_BACKOFF_SECONDS}`, value)
  return 0
}

function readParameters(value: unknown, place: Place): Record<string, string> {
  const given = objectAt(value, place) ?? {}
  for (const [name, parameter] of Object.entries(given)) {
    if (OWN_PARAMETERS.includes(name)) say(at(place, name), 'is set by Postern itself')
    else if (typeof parameter !== 'string') say(at(place, name), 'must be a text', parameter)
  }
  return given as Record<string, string>
}
