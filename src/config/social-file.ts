import type { SocialProviderConfig } from './grouped-variables.ts'
import { at, objectAt, type Place, say } from './json-file.ts'
import { address, readNamed, readSecret, text } from './providers-file.ts'

const MEMBERS = ['label', 'issuer', 'clientId', 'clientSecretVariable']
/** Names of providers with their own variables. */
const TAKEN = ['google', 'microsoft']

/**
 * Reads the providers of `SOCIAL_PROVIDERS_FILE`; none where there is no file.
 * @param variable looks a variable of the environment up
 * @param problems gets one line for each error of the file, with its exact place
 */
export function readSocialProviders(
  file: string | undefined,
  variable: (name: string) => string | undefined,
  problems: string[],
): SocialProviderConfig[] {
  return readNamed('SOCIAL_PROVIDERS_FILE', file, problems, (name, one, place) =>
    readOne(name, one, place, variable),
  )
}

function readOne(
  name: string,
  value: unknown,
  place: Place,
  variable: (name: string) => string | undefined,
): SocialProviderConfig {
  if (TAKEN.includes(name)) say(place, `has variables of its own: ${name.toUpperCase()}_CLIENT_ID and others`)
  const given = objectAt(value, place, MEMBERS) ?? {}
  const issuer = address(given, 'issuer', place)
  if (given.issuer === undefined) say(place, 'must have an issuer')
  if (given.clientSecretVariable === undefined) say(place, 'must have a clientSecretVariable')
  return {
    name,
    label: readLabel(given.label ?? name, at(place, 'label')),
    dialect: 'openid',
    issuer: issuer ?? '',
    clientId: text(given.clientId, at(place, 'clientId')),
    clientSecret: readSecret(given, place, variable) ?? '',
    trustedTenants: [],
  }
}

/** Reads the name of the provider on buttons and in mails. */
function readLabel(value: unknown, place: Place): string {
  if (typeof value === 'string' && /^[^\p{Cc}\p{Cf}\u2028\u2029]{1,64}$/u.test(value)) return value
  say(place, 'must be a text of one line and at most 64 characters', value)
  return ''
}
