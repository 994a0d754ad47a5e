import { toIso } from '../../core/clock.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import { SCIM_PATH } from '../../http/scim-error.ts'
import { DOMAIN_STATUSES, recordName, recordValue } from '../domains/domain-wire.ts'
import { KINDS, readOidc, redirectUriOf } from '../identity-providers/provider-wire.ts'
import { ownNamesOf, readSaml } from '../identity-providers/saml-settings.ts'
import type { Setup } from './lock-setup.ts'
import { PURPOSES, purposesOf, type SetupLink } from './setup-link-wire.ts'

type Provider = Tables['identity_provider']

/** The result of a test sign-in at an identity provider. */
export interface TestResult {
  at: number
  works: boolean
  /** Why the sign-in failed. */
  reason: string | null
  /** Whether the organization has proven the domain of the person's address. */
  address: 'proven' | 'not_proven' | 'none' | null
}

const ADDRESSES = ['proven', 'not_proven', 'none'] as const

export const SetupSchema = Type.Object(
  {
    organization: Type.String(),
    purposes: Type.Array(Type.String({ enum: [...PURPOSES] })),
    expiresAt: Moment,
    status: Type.String({ enum: ['opened', 'finished'] }),
    domains: Nullable(
      Type.Array(
        Type.Object({
          name: Type.String(),
          status: Type.String({ enum: [...DOMAIN_STATUSES] }),
          record: Type.Object({ type: Type.String(), name: Type.String(), value: Type.String() }),
          reason: Nullable(Type.String({ enum: ['no_record', 'other_value', 'no_answer'] })),
        }),
      ),
    ),
    identityProvider: Nullable(
      Type.Object({
        redirectUri: Type.String(),
        ownEntityId: Type.String(),
        activates: Type.Boolean(),
        kind: Nullable(Type.String({ enum: [...KINDS] })),
        status: Nullable(Type.String({ enum: ['active', 'disabled'] })),
        issuer: Nullable(Type.String()),
        clientId: Nullable(Type.String()),
        signOnUrl: Nullable(Type.String()),
        isChangeable: Type.Boolean(),
        test: Nullable(
          Type.Object({
            at: Moment,
            works: Type.Boolean(),
            reason: Nullable(Type.String()),
            address: Nullable(Type.String({ enum: [...ADDRESSES] })),
          }),
        ),
      }),
    ),
    directory: Nullable(Type.Object({ url: Type.String(), hasKey: Type.Boolean() })),
  },
  { title: 'Setup' },
)

/**
 * A link may change its identity provider until an administrator enables or changes the provider, because an administrator enables
 * the settings that the console showed.
 */
export const isChangeable = (
  { provider_changed_at }: Pick<SetupLink, 'provider_changed_at'>,
  row: Pick<Provider, 'status' | 'updated_at'> | undefined,
) =>
  provider_changed_at === null
    ? row === undefined
    : row?.status === 'disabled' && row.updated_at === provider_changed_at

/** The state of a setup for its holder: for each purpose its progress, and the values to enter at the provider. It has no secret and no member. */
export async function showSetup(
  db: Db | Tx,
  { link, organization }: Setup,
  baseUrl: string,
): Promise<Static<typeof SetupSchema>> {
  const purposes = purposesOf(link)
  return {
    organization: organization.name,
    purposes,
    expiresAt: toIso(link.expires_at),
    status: link.status === 'finished' ? 'finished' : 'opened',
    domains: purposes.includes('domains') ? await showDomains(db, organization.id) : null,
    identityProvider: purposes.includes('provider') ? await showProvider(db, link, baseUrl) : null,
    directory: purposes.includes('directory')
      ? { url: `${baseUrl}${SCIM_PATH}`, hasKey: link.api_key_id !== null }
      : null,
  }
}

async function showDomains(db: Db | Tx, organizationId: SetupLink['organization_id']) {
  const rows = await db
    .selectFrom('domain')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    ...{ name: row.name, status: row.status, reason: row.reason },
    record: { type: 'TXT', name: recordName(row), value: recordValue(row) },
  }))
}

async function showProvider(db: Db | Tx, link: SetupLink, baseUrl: string) {
  const { identity_provider_id: id } = link
  const row = await db.selectFrom('identity_provider').selectAll().where('id', '=', id).executeTakeFirst()
  const oidc = row?.kind === 'oidc' ? readOidc(row) : undefined
  const saml = row?.kind === 'saml' ? readSaml(row) : undefined
  const test = link.test === null ? null : (JSON.parse(link.test) as TestResult)
  return {
    ...{ redirectUri: redirectUriOf(baseUrl, id), ownEntityId: ownNamesOf(baseUrl, id).entityId },
    activates: link.activates === 1,
    kind: row?.kind ?? null,
    status: row?.status ?? null,
    issuer: oidc?.issuer ?? saml?.entityId ?? null,
    clientId: oidc?.clientId ?? null,
    signOnUrl: saml?.signOnUrl ?? null,
    isChangeable: isChangeable(link, row),
    test: test && { ...test, at: toIso(test.at) },
  }
}
