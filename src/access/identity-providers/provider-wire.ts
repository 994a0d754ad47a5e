import { toIso, toIsoOrNull } from '../../core/clock.ts'
import { LABEL_PATTERN } from '../../core/text/label.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable, strict } from '../../http/schema/validation.ts'
import { rowView } from '../../live/row-view.ts'
import { LONGEST_URL, SECURE_DESTINATION_PATTERN } from '../../net/destination.ts'
import { RoleNameSchema } from '../accounts/given-role.ts'
import type { RoleRule } from './role-rules.ts'
import {
  LOGOUT_BINDINGS,
  type LogoutBinding,
  MOST_CERTIFICATES,
  ownNamesOf,
  readSaml,
  SAID_BY_METADATA,
} from './saml-settings.ts'

type Row = Tables['identity_provider']

/** The settings of an organization's OpenID provider; the sealed secret has a separate column. */
interface OidcSettings {
  issuer: string
  clientId: string
}

export const readOidc = ({ settings }: Pick<Row, 'settings'>) => JSON.parse(settings) as OidcSettings

const STATUSES = ['active', 'disabled'] as const
export const KINDS = ['oidc', 'saml'] as const

/** The longest value of a claim that a rule compares. */
const LONGEST_VALUE = 256

/** A URL that a browser is sent to. */
const BrowserUrl = (options: object = {}) =>
  Type.String({
    minLength: 1,
    maxLength: LONGEST_URL,
    ...options,
    ...documented({ pattern: SECURE_DESTINATION_PATTERN }),
  })

const OIDC_MEMBERS = {
  issuer: Type.String({
    minLength: 1,
    maxLength: LONGEST_URL,
    examples: ['https://login.acme.example'],
    ...documented({ pattern: SECURE_DESTINATION_PATTERN, not: { pattern: '[?#]' } }),
  }),
  clientId: Type.String({ minLength: 1, maxLength: 512 }),
}
const ClientSecret = Type.String({ minLength: 1, maxLength: 2_048, writeOnly: true })

const SAML_MEMBERS = {
  metadata: Type.Optional(Type.String({ minLength: 1, maxLength: 200_000 })),
  entityId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_024,
      examples: ['https://login.acme.example/saml'],
      ...documented({ pattern: '^[!-~]*$' }),
    }),
  ),
  signOnUrl: Type.Optional(BrowserUrl({ examples: ['https://login.acme.example/saml/sso'] })),
  certificates: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 16_384 }), {
      minItems: 1,
      maxItems: MOST_CERTIFICATES,
    }),
  ),
  emailAttribute: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 256 }))),
  logoutUrl: Type.Optional(Nullable(BrowserUrl({ examples: ['https://login.acme.example/saml/slo'] }))),
  logoutResponseUrl: Type.Optional(Nullable(BrowserUrl())),
  logoutBinding: Type.Optional(Type.Unsafe<LogoutBinding>(Type.String({ enum: [...LOGOUT_BINDINGS] }))),
}
/** Requires at least one of the settings that metadata contains. */
const SAID = { anyOf: SAID_BY_METADATA.map((name) => ({ required: [name] })) }

/** Members of a request that makes or changes an identity provider. */
export const ProviderFields = {
  kind: Type.Unsafe<Row['kind']>(Type.String({ enum: [...KINDS] })),
  name: Type.String({ minLength: 1, maxLength: 64, pattern: LABEL_PATTERN, examples: ['Acme Entra ID'] }),
  status: Type.String({ enum: [...STATUSES] }),
  oidc: strict({ ...OIDC_MEMBERS, clientSecret: Type.Optional(ClientSecret) }),
  saml: strict(SAML_MEMBERS, documented({ not: { required: ['metadata'], ...SAID } })),
  createsMemberships: Type.Boolean(),
  managesRoles: Type.Boolean(),
  defaultRole: RoleNameSchema,
  roleRules: Type.Array(
    strict({
      claim: Type.String({ minLength: 1, maxLength: 256 }),
      value: Type.String({ minLength: 1, maxLength: LONGEST_VALUE }),
      role: RoleNameSchema,
    }),
    { maxItems: 50 },
  ),
  secondFactorValues: Type.Array(Type.String({ minLength: 1, maxLength: LONGEST_VALUE }), { maxItems: 20 }),
  endsProviderSession: Type.Boolean(),
}

/** The settings that a new provider may have and a change may name. */
export const ProviderSettings = {
  status: Type.Optional(ProviderFields.status),
  oidc: Type.Optional(ProviderFields.oidc),
  saml: Type.Optional(ProviderFields.saml),
  createsMemberships: Type.Optional(ProviderFields.createsMemberships),
  managesRoles: Type.Optional(ProviderFields.managesRoles),
  defaultRole: Type.Optional(ProviderFields.defaultRole),
  roleRules: Type.Optional(ProviderFields.roleRules),
  secondFactorValues: Type.Optional(ProviderFields.secondFactorValues),
  endsProviderSession: Type.Optional(ProviderFields.endsProviderSession),
}

/**
 * The connection of a new identity provider, with all required members; a change may omit members, which then
 * keep their values.
 */
export const NewConnection = {
  oidc: Type.Optional(strict({ ...OIDC_MEMBERS, clientSecret: ClientSecret })),
  saml: Type.Optional(
    strict(
      SAML_MEMBERS,
      documented({
        oneOf: [
          { required: ['metadata'], not: SAID },
          { required: ['entityId', 'signOnUrl', 'certificates'], not: { required: ['metadata'] } },
        ],
      }),
    ),
  ),
}

/** A new connection is in the member that is named like its kind, and in no other (`connectionOf`). */
export const OF_ITS_KIND = documented({
  oneOf: KINDS.map((kind) => ({ required: [kind] })),
  not: { anyOf: KINDS.map((kind) => ({ required: [kind], not: { properties: { kind: { const: kind } } } })) },
})

export const IdentityProviderSchema = Type.Object(
  {
    id: Type.String(),
    kind: Type.String({ enum: [...KINDS] }),
    name: Type.String(),
    status: Type.String({ enum: [...STATUSES] }),
    oidc: Nullable(
      Type.Object({
        issuer: Type.String(),
        clientId: Type.String(),
        backChannelLogoutUri: Type.String(),
        postLogoutRedirectUri: Type.String(),
      }),
    ),
    saml: Nullable(
      Type.Object({
        entityId: Type.String(),
        signOnUrl: Type.String(),
        certificates: Type.Array(
          Type.Object({
            fingerprint: Type.String(),
            subject: Type.String(),
            notBefore: Moment,
            notAfter: Moment,
          }),
        ),
        emailAttribute: Nullable(Type.String()),
        logoutUrl: Nullable(Type.String()),
        logoutResponseUrl: Nullable(Type.String()),
        logoutBinding: Type.String({ enum: [...LOGOUT_BINDINGS] }),
        ownEntityId: Type.String(),
        ownMetadataUrl: Type.String(),
        ownCertificateUrl: Type.String(),
        ownSigningCertificateUrl: Type.String(),
        ownLogoutUrl: Type.String(),
      }),
    ),
    redirectUri: Type.String(),
    createsMemberships: Type.Boolean(),
    managesRoles: Type.Boolean(),
    defaultRole: Type.String(),
    roleRules: Type.Array(Type.Object({ claim: Type.String(), value: Type.String(), role: Type.String() })),
    secondFactorValues: Type.Array(Type.String()),
    endsProviderSession: Type.Boolean(),
    createdBy: Nullable(Type.String()),
    createdAt: Moment,
    updatedAt: Moment,
    lastSignInAt: Nullable(Moment),
  },
  { title: 'IdentityProvider' },
)

/** Where an identity provider sends people back. */
export const redirectUriOf = (baseUrl: string, id: Row['id']) => `${baseUrl}/v1/auth/callback/${id}`

/** The return URL after a sign-out at an OpenID provider. */
export const postLogoutUriOf = (baseUrl: string, id: Row['id']) => `${baseUrl}/v1/auth/signed-out/${id}`

export function toIdentityProvider(row: Row, baseUrl: string): Static<typeof IdentityProviderSchema> {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    status: row.status,
    oidc: row.kind === 'oidc' ? toOidc(row, baseUrl) : null,
    saml: row.kind === 'saml' ? toSaml(row, baseUrl) : null,
    redirectUri: redirectUriOf(baseUrl, row.id),
    createsMemberships: row.creates_memberships === 1,
    managesRoles: row.manages_roles === 1,
    defaultRole: row.default_role,
    roleRules: JSON.parse(row.role_rules) as RoleRule[],
    secondFactorValues: JSON.parse(row.factor_values) as string[],
    endsProviderSession: row.ends_provider_session === 1,
    createdBy: row.created_by,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
    lastSignInAt: toIsoOrNull(row.last_sign_in_at),
  }
}

function toOidc(row: Row, baseUrl: string) {
  const { issuer, clientId } = readOidc(row)
  return {
    ...{ issuer, clientId, backChannelLogoutUri: `${baseUrl}/v1/auth/logout/${row.id}` },
    postLogoutRedirectUri: postLogoutUriOf(baseUrl, row.id),
  }
}

function toSaml(row: Row, baseUrl: string) {
  const { certificates, ...settings } = readSaml(row)
  const own = ownNamesOf(baseUrl, row.id)
  return {
    ...settings,
    certificates: certificates.map(({ fingerprint, subject, notBefore, notAfter }) => ({
      ...{ fingerprint, subject, notBefore: toIso(notBefore), notAfter: toIso(notAfter) },
    })),
    // The document has the address of the entity, as SAML advises.
    ...{ ownEntityId: own.entityId, ownMetadataUrl: own.entityId },
    ...{ ownCertificateUrl: own.certificateUrl, ownSigningCertificateUrl: own.signingCertificateUrl },
    ownLogoutUrl: own.logoutUrl,
  }
}

/** The name by which an identity provider identifies itself: its issuer (OpenID) or its entity id (SAML). */
export const speakerOf = (row: Pick<Row, 'kind' | 'settings'>) =>
  row.kind === 'saml' ? readSaml(row).entityId : readOidc(row).issuer

/** Identity providers as readers of the live stream are shown them. */
export const providerViewOf = (baseUrl: string) =>
  rowView('identity_provider', (rows) => rows.map((row) => toIdentityProvider(row, baseUrl)))
