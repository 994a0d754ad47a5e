import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import { sealContext } from '../../db/sealed.ts'
import { ServerFailure } from './client/failures.ts'
import type { Target } from './client/session.ts'
import type { ServerDeps } from './deps.ts'
import type { ServerRow } from './server-wire.ts'

/** The stored form of headers: sealed values, and the names beside them. */
export function sealHeaders(
  vault: Vault,
  id: Id<'mcpServer'>,
  headers: Record<string, string>,
): Pick<ServerRow, 'headers' | 'header_names'> {
  const names = Object.keys(headers)
  const sealed =
    names.length === 0 ? null : vault.seal(JSON.stringify(headers), sealContext('mcp_server', id))
  return { headers: sealed, header_names: JSON.stringify(names) }
}

/** The columns that determine how a server is called. */
export type ServerAddress = Pick<ServerRow, 'id' | 'organization_id' | 'url' | 'headers' | 'connection_id'>

/** A text that changes with these columns. */
export function revisionOf({ url, headers, connection_id }: ServerAddress): string {
  return JSON.stringify([url, headers, connection_id])
}

/**
 * A server with decrypted headers and its connection's current token.
 * @throws ServerFailure where there is no token
 */
export async function targetOf(
  { vault, tokens }: Pick<ServerDeps, 'vault' | 'tokens'>,
  row: ServerAddress,
): Promise<Target> {
  const { id, organization_id: organizationId, connection_id: connectionId } = row
  const url = new URL(row.url)
  const headers =
    row.headers === null
      ? {}
      : (JSON.parse(vault.open(row.headers, sealContext('mcp_server', id))) as Record<string, string>)
  const revision = revisionOf(row)
  if (connectionId === null) return { url, headers, organizationId, revision }
  const asked = { organizationId, connectionId, url }
  const token = await tokens.of(asked).catch(throwTokenFailure)
  async function renew(): Promise<string | undefined> {
    const another = await tokens.insteadOf(asked, token).catch(throwTokenFailure)
    return another === undefined ? undefined : bearer(another)
  }
  return { url, headers: { ...headers, authorization: bearer(token) }, organizationId, revision, renew }
}

const bearer = (token: string) => `Bearer ${token}`

/** @throws ServerFailure with the reason why there is no token */
function throwTokenFailure(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  throw new ServerFailure(`connection_${error.code.toLowerCase()}`, { mayHaveActed: false, cause: error })
}
