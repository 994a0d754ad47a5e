import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { isSecureUrl } from '../../core/text/secure-url.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { readDestination } from '../../net/destination.ts'
import type { AccessDeps } from '../deps.ts'
import { type Certificate, readCertificate } from '../saml/certificates.ts'
import type { ProviderMetadata } from '../saml/read-metadata.ts'

type Row = Tables['identity_provider']

/** The settings of an organization's SAML identity provider. */
export interface SamlSettings {
  entityId: string
  /** Where browsers are sent; Postern never calls it. */
  signOnUrl: string
  certificates: Certificate[]
  /** The attribute with the address; null: the usual ones. */
  emailAttribute: string | null
  /** The URL for messages about sign-outs; null: the provider has none. */
  logoutUrl: string | null
  /** The URL for answers to such messages; null: the same. */
  logoutResponseUrl: string | null
  logoutBinding: LogoutBinding
}

export const LOGOUT_BINDINGS = ['redirect', 'post'] as const
/** How messages about sign-outs reach the provider: in a query, or by a form. */
export type LogoutBinding = (typeof LOGOUT_BINDINGS)[number]

const NO_LOGOUT = { logoutUrl: null, logoutResponseUrl: null, logoutBinding: 'redirect' } as const

export const readSaml = ({ settings }: Pick<Row, 'settings'>): SamlSettings => ({
  // Settings that were stored before single logout existed lack its members.
  ...NO_LOGOUT,
  ...(JSON.parse(settings) as SamlSettings),
})

/** Certificates at a time: a new one is entered before the old one ends. */
export const MOST_CERTIFICATES = 10

/** The members of a request about a SAML identity provider. */
export interface AskedSaml {
  metadata?: string
  entityId?: string
  signOnUrl?: string
  certificates?: string[]
  emailAttribute?: string | null
  logoutUrl?: string | null
  logoutResponseUrl?: string | null
  logoutBinding?: LogoutBinding
}

/** The settings that the metadata has. */
export const SAID_BY_METADATA = [
  'entityId',
  'signOnUrl',
  'certificates',
  'logoutUrl',
  'logoutResponseUrl',
  'logoutBinding',
] as const

/** The checked members of a request. */
export type CheckedSaml = Partial<SamlSettings>

/**
 * Checks the members of a request about a SAML identity provider.
 * @throws ApiError VALIDATION_FAILED
 */
export async function checkSaml(
  asked: AskedSaml,
  organizationId: Id<'organization'>,
  { saml }: Pick<AccessDeps, 'saml'>,
): Promise<CheckedSaml> {
  const { metadata, emailAttribute } = asked
  const named = SAID_BY_METADATA.find((name) => asked[name] !== undefined)
  if (metadata !== undefined && named !== undefined)
    throw new ApiError('VALIDATION_FAILED', { field: `saml.${named}`, reason: 'one_of_them' })
  const said = metadata === undefined ? asked : metadataOf(await saml.readMetadata(organizationId, metadata))
  const { entityId, signOnUrl, certificates } = said
  const fieldOf = (name: string) => (metadata === undefined ? `saml.${name}` : 'saml.metadata')
  if (entityId !== undefined && !/^[!-~]{1,1024}$/.test(entityId))
    throw invalid(fieldOf('entityId'), 'not_an_entity_id')
  if (signOnUrl !== undefined) checkUrl(signOnUrl, fieldOf('signOnUrl'))
  for (const name of ['logoutUrl', 'logoutResponseUrl'] as const) {
    const url = asked[name]
    if (typeof url === 'string') checkUrl(url, fieldOf(name))
  }
  return {
    ...(entityId !== undefined && { entityId }),
    ...(signOnUrl !== undefined && { signOnUrl }),
    ...(certificates !== undefined && {
      certificates: certificatesOf(certificates, fieldOf('certificates')),
    }),
    ...(emailAttribute !== undefined && { emailAttribute }),
    ...logoutOf(said),
  }
}

/** The settings of single logout that the request has; the others do not change. */
function logoutOf({ logoutUrl, logoutResponseUrl, logoutBinding }: AskedSaml): CheckedSaml {
  return {
    ...(logoutUrl !== undefined && { logoutUrl }),
    ...(logoutResponseUrl !== undefined && { logoutResponseUrl }),
    ...(logoutBinding !== undefined && { logoutBinding }),
  }
}

/**
 * Completes the settings of a SAML identity provider. An omitted member stays unchanged.
 * @throws ApiError MISSING_REQUIRED_FIELD
 */
export function settleSaml(checked: CheckedSaml, before: CheckedSaml = {}): SamlSettings {
  const all = { emailAttribute: null, ...NO_LOGOUT, ...before, ...checked }
  const { entityId, signOnUrl, certificates } = all
  const missing = (field: string) => new ApiError('MISSING_REQUIRED_FIELD', { field: `saml.${field}` })
  if (entityId === undefined) throw missing('entityId')
  if (signOnUrl === undefined) throw missing('signOnUrl')
  if (certificates === undefined) throw missing('certificates')
  return { ...all, entityId, signOnUrl, certificates }
}

/** @throws ApiError VALIDATION_FAILED */
function metadataOf(found: ProviderMetadata | { refused: string }): AskedSaml {
  if ('refused' in found) throw invalid('saml.metadata', found.refused)
  const { entityId, signOnUrl, certificates, logout } = found
  const said = { entityId, signOnUrl, certificates }
  // A sign-in needs no logout address, so an invalid one is ignored.
  const isUsable = [logout?.url, logout?.responseUrl].every(
    (url) => url == null || problemOf(url) === undefined,
  )
  if (logout === null || !isUsable) return { ...said, ...NO_LOGOUT }
  const { url: logoutUrl, responseUrl: logoutResponseUrl, binding: logoutBinding } = logout
  return { ...said, logoutUrl, logoutResponseUrl, logoutBinding }
}

/** A browser opens the URL, so it may be of a private network, and must be of the web. */
function problemOf(text: string): string | undefined {
  const url = readDestination(text)
  if (!(url instanceof URL)) return 'not_a_url'
  return isSecureUrl(text) ? undefined : 'not_https'
}

function checkUrl(text: string, field: string): void {
  const problem = problemOf(text)
  if (problem !== undefined) throw invalid(field, problem)
}

function certificatesOf(texts: readonly string[], field: string): Certificate[] {
  if (texts.length > MOST_CERTIFICATES) throw invalid(field, 'too_many_certificates')
  const found = new Map<string, Certificate>()
  for (const text of texts) {
    const certificate = readCertificate(text)
    if (typeof certificate === 'string') throw invalid(field, certificate)
    found.set(certificate.fingerprint, certificate)
  }
  return [...found.values()]
}

const invalid = (field: string, reason: string) => new ApiError('VALIDATION_FAILED', { field, reason })

/** When the last certificate of an identity provider ends; null where it has none. */
export const certificatesEndAt = ({ certificates }: SamlSettings) =>
  certificates.length === 0 ? null : Math.max(...certificates.map(({ notAfter }) => notAfter))

/** The names and URLs of Postern for an identity provider. Each provider has different ones, so that a message for one is invalid for others. */
export function ownNamesOf(baseUrl: string, id: Row['id']) {
  const own = `${baseUrl}/v1/auth/saml/${id}`
  return {
    entityId: `${own}/metadata`,
    acsUrl: `${baseUrl}/v1/auth/callback/${id}`,
    certificateUrl: `${own}/certificate`,
    signingCertificateUrl: `${own}/signing-certificate`,
    /** Takes messages about sign-outs. */
    logoutUrl: `${own}/logout`,
    leaveUrl: `${own}/leave`,
  }
}

/** Whether a change removes a certificate, so that its signatures become invalid. */
export function losesCertificate(before: Row, after: Row): boolean {
  if (before.kind !== 'saml') return false
  const kept = new Set(readSaml(after).certificates.map(({ fingerprint }) => fingerprint))
  return readSaml(before).certificates.some(({ fingerprint }) => !kept.has(fingerprint))
}
