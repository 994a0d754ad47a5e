import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import { sealContext } from '../../db/sealed.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { AccessDeps } from '../deps.ts'
import { checkIssuer } from './provider-settings.ts'
import { readOidc } from './provider-wire.ts'
import {
  type AskedSaml,
  type CheckedSaml,
  certificatesEndAt,
  checkSaml,
  readSaml,
  type SamlSettings,
  settleSaml,
} from './saml-settings.ts'

type Row = Tables['identity_provider']
type Columns = Pick<Row, 'settings' | 'secret' | 'certificates_end_at'>

interface NewOidc {
  issuer: string
  clientId: string
  clientSecret: string
}
type ChangedOidc = Omit<NewOidc, 'clientSecret'> & Partial<NewOidc>

/** The connection of an identity provider in a request, in the member that is named like its kind. */
interface Asked<Oidc = NewOidc> {
  kind: Row['kind']
  oidc?: Oidc
  saml?: AskedSaml
}

/** How an identity provider is reached, checked and not yet sealed. */
export type Connection =
  | { kind: 'oidc'; issuer: string; clientId: string; clientSecret: string }
  | { kind: 'saml'; settings: SamlSettings }

/**
 * Checks how a new identity provider is reached.
 * @throws ApiError MISSING_REQUIRED_FIELD, VALIDATION_FAILED
 */
export async function connectionOf(
  asked: Asked,
  organizationId: Id<'organization'>,
  deps: Pick<AccessDeps, 'isAllowed' | 'resolve' | 'saml'>,
): Promise<Connection> {
  const { kind, oidc, saml } = asked
  mustBeOfKind(kind, asked)
  if (kind === 'saml') {
    if (saml === undefined) throw new ApiError('MISSING_REQUIRED_FIELD', { field: 'saml' })
    return { kind, settings: settleSaml(await checkSaml(saml, organizationId, deps)) }
  }
  if (oidc === undefined) throw new ApiError('MISSING_REQUIRED_FIELD', { field: 'oidc' })
  const { issuer, clientId, clientSecret } = oidc
  await checkIssuer(issuer, organizationId, deps)
  return { kind, issuer, clientId, clientSecret }
}

/** @throws ApiError VALIDATION_FAILED `another_kind` where a request has a connection of the other kind */
export function mustBeOfKind(kind: Row['kind'], asked: Omit<Asked<ChangedOidc>, 'kind'>): void {
  const other = kind === 'saml' ? 'oidc' : 'saml'
  if (asked[other] !== undefined)
    throw new ApiError('VALIDATION_FAILED', { field: other, reason: 'another_kind' })
}

/** The columns of a connection. */
export function sealed(vault: Vault, id: Row['id'], connection: Connection): Columns {
  if (connection.kind === 'saml') {
    const { settings } = connection
    return {
      ...{ settings: JSON.stringify(settings), secret: null },
      certificates_end_at: certificatesEndAt(settings),
    }
  }
  const { issuer, clientId, clientSecret } = connection
  return {
    settings: JSON.stringify({ issuer, clientId }),
    secret: vault.seal(clientSecret, sealContext('identity_provider', id)),
    certificates_end_at: null,
  }
}

/**
 * The columns that a change of the connection has.
 * @throws ApiError MISSING_REQUIRED_FIELD where another issuer would be sent the secret of this one
 */
export function changedConnection(
  vault: Vault,
  before: Pick<Row, 'id' | 'settings' | 'secret'>,
  { oidc, saml }: { oidc?: ChangedOidc; saml?: CheckedSaml },
): Partial<Columns> {
  const { id } = before
  if (saml !== undefined)
    return sealed(vault, id, { kind: 'saml', settings: settleSaml(saml, readSaml(before)) })
  if (oidc === undefined) return {}
  const { issuer, clientId, clientSecret } = oidc
  if (clientSecret !== undefined) return sealed(vault, id, { kind: 'oidc', issuer, clientId, clientSecret })
  if (issuer !== readOidc(before).issuer)
    throw new ApiError('MISSING_REQUIRED_FIELD', { field: 'oidc.clientSecret' })
  return { settings: JSON.stringify({ issuer, clientId }) }
}
