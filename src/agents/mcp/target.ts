import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import { sealContext } from '../../db/sealed.ts'
import { ServerFailure } from './client/failures.ts'
import type { Target } from './client/session.ts'
import type { ServerDeps } from './deps.ts'
import type { ServerRow } from './server-wire.ts'

/** Headers as they are kept: sealed, and their names beside them. */
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

/** What a server is called with. */
export type Addressed = Pick<ServerRow, 'id' | 'organization_id' | 'url' | 'headers' | 'connection_id'>

/** The stored columns that say how a server is called. */
export function revisionOf({ url, headers, connection_id }: Addressed): string {
  return JSON.stringify([url, headers, connection_id])
}

/**
 * A server as it is called, with its connection's token as it is now.
 * @throws ServerFailure where there is no token for it
 */
export async function targetOf(
  { vault, tokens }: Pick<ServerDeps, 'vault' | 'tokens'>,
  row: Addressed,
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
  const token = await tokens.of(asked).catch(hasNone)
  async function renew(): Promise<string | undefined> {
    const another = await tokens.insteadOf(asked, token).catch(hasNone)
    return another === undefined ? undefined : bearer(another)
  }
  return { url, headers: { ...headers, authorization: bearer(token) }, organizationId, revision, renew }
}

const bearer = (token: string) => `Bearer ${token}`

/** @throws ServerFailure that says why there is no token */
function hasNone(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  throw new ServerFailure(`connection_${error.code.toLowerCase()}`, { mayHaveActed: false, cause: error })
}
