import { toIso, toIsoOrNull } from '../../core/clock.ts'
import { LABEL_PATTERN } from '../../core/text/label.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable, strict } from '../../http/schema/validation.ts'
import { LONGEST_URL } from '../../net/destination.ts'
import { RoleNameSchema } from '../accounts/given-role.ts'
import type { RoleRule } from './role-rules.ts'

type Row = Tables['identity_provider']

/** What an organization's OpenID provider is reached by; the secret is sealed in a column of its own. */
interface OidcSettings {
  issuer: string
  clientId: string
}

export const readOidc = ({ settings }: Pick<Row, 'settings'>) => JSON.parse(settings) as OidcSettings

const STATUSES = ['active', 'disabled'] as const

/** The longest value of a claim that a rule compares. */
const LONGEST_VALUE = 256

/** Members of a request that makes or changes an identity provider. */
export const ProviderFields = {
  name: Type.String({ minLength: 1, maxLength: 64, pattern: LABEL_PATTERN, examples: ['Acme Entra ID'] }),
  status: Type.String({ enum: [...STATUSES] }),
  oidc: strict({
    issuer: Type.String({ minLength: 1, maxLength: LONGEST_URL, examples: ['https://login.acme.example'] }),
    clientId: Type.String({ minLength: 1, maxLength: 512 }),
    clientSecret: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048, writeOnly: true })),
  }),
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
}

export const IdentityProviderSchema = Type.Object(
  {
    id: Type.String(),
    kind: Type.String({ enum: ['oidc'] }),
    name: Type.String(),
    status: Type.String({ enum: [...STATUSES] }),
    oidc: Nullable(Type.Object({ issuer: Type.String(), clientId: Type.String() })),
    redirectUri: Type.String(),
    createsMemberships: Type.Boolean(),
    managesRoles: Type.Boolean(),
    defaultRole: Type.String(),
    roleRules: Type.Array(Type.Object({ claim: Type.String(), value: Type.String(), role: Type.String() })),
    secondFactorValues: Type.Array(Type.String()),
    createdBy: Nullable(Type.String()),
    createdAt: Moment,
    updatedAt: Moment,
    lastSignInAt: Nullable(Moment),
  },
  { title: 'IdentityProvider' },
)

/** Where an identity provider sends people back. */
export const redirectUriOf = (baseUrl: string, id: Row['id']) => `${baseUrl}/v1/auth/callback/${id}`

export function toIdentityProvider(row: Row, baseUrl: string): Static<typeof IdentityProviderSchema> {
  const { issuer, clientId } = readOidc(row)
  return {
    id: row.id,
    kind: 'oidc',
    name: row.name,
    status: row.status,
    oidc: { issuer, clientId },
    redirectUri: redirectUriOf(baseUrl, row.id),
    createsMemberships: row.creates_memberships === 1,
    managesRoles: row.manages_roles === 1,
    defaultRole: row.default_role,
    roleRules: JSON.parse(row.role_rules) as RoleRule[],
    secondFactorValues: JSON.parse(row.factor_values) as string[],
    createdBy: row.created_by,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
    lastSignInAt: toIsoOrNull(row.last_sign_in_at),
  }
}
