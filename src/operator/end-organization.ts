import { endAccess, lockAccess } from '../access/accounts/end-access.ts'
import { endAgents } from '../agents/end-agents.ts'
import { endMcpServers } from '../agents/mcp/end-mcp-servers.ts'
import type { Trail } from '../audit/audit.ts'
import { endBilling } from '../billing/end-billing.ts'
import { endConnections } from '../connections/end-connections.ts'
import { type AddRevocation, REVOCATION } from '../connections/revoke.ts'
import type { Tx } from '../db/database.ts'
import type { Tables } from '../db/tables/tables.ts'
import { endFiles } from '../files/end-files.ts'
import { addJob, endJobs } from '../jobs/rows/row.ts'
import { endKnowledge } from '../knowledge/end-knowledge.ts'
import { endStreams } from '../live/end-streams.ts'
import { deleteOrganization } from '../organizations/organizations.ts'
import { endWebhooks, type Webhook } from '../webhooks/endpoints/end-webhooks.ts'

/**
 * Ends everything that an organization has: no credential is accepted, nothing is sent and nothing is paid any more. Its
 * row stays without its name, as the owner of the ledger, paid checkouts and audit log, which are kept. A second call ends
 * rows of requests that were accepted just before the first.
 * @returns the webhooks that ended, for the caches that hold them
 */
export async function endOrganization(
  tx: Tx,
  trail: Trail,
  organization: Pick<Tables['organization'], 'id' | 'name'>,
): Promise<Webhook[]> {
  const { id } = organization
  await deleteOrganization(tx, trail, organization)
  await lockAccess(tx, id)
  // Jobs end before their subjects, in the lock order of running work.
  await endJobs(tx, id, trail.now, [REVOCATION])
  await endAccess(tx, id)
  const webhooks = await endWebhooks(tx, id, trail.now)
  // A command runs no worker. The server finds these jobs at its next poll.
  const addRevocation: AddRevocation = (tx, job, now) => addJob(tx, { cap: 1, ...job }, now)
  await endConnections(tx, addRevocation, id, trail.now)
  await endMcpServers(tx, id)
  await endKnowledge(tx, id, trail.now)
  await endAgents(tx, id)
  await endFiles(tx, id, trail.now)
  await endBilling(tx, id, trail.now)
  await endStreams(tx, id)
  return webhooks
}
