import { lockAccess } from '../access/accounts/end-access.ts'
import type { Trail } from '../audit/audit.ts'
import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'
import { notFound } from '../db/owned-row.ts'
import { lockOrganization, setDisabled } from '../organizations/organizations.ts'
import type { Webhook } from '../webhooks/endpoints/end-webhooks.ts'
import { resumeWebhooks, suspendWebhooks } from '../webhooks/endpoints/suspend-webhooks.ts'

/**
 * Disables an organization until it is enabled: no session, token, key or stream is accepted, external calls are refused, and
 * deliveries wait. All its data stays. A server cancels its runs (`createLateWriteSweep`), because a command cannot.
 *
 * active --disable--> disabled --enable--> active
 *
 * A second call suspends rows of requests that were accepted just before the first.
 * @returns the webhooks that changed, for the caches that hold them
 * @throws ApiError ENTITY_NOT_FOUND
 */
export async function disableOrganization(tx: Tx, trail: Trail, id: Id<'organization'>): Promise<Webhook[]> {
  const organization = await lockOrganization(tx, id)
  if (organization === undefined) throw notFound('id', id)
  // The lock waits for requests that make something under a right of the organization; the statements below then see it.
  await lockAccess(tx, id)
  await setDisabled(tx, trail, organization, true)
  return suspendWebhooks(tx, id, trail.now)
}

/**
 * Lets a disabled organization in again, with all that it had.
 * @returns the webhooks that changed
 * @throws ApiError ENTITY_NOT_FOUND
 */
export async function enableOrganization(tx: Tx, trail: Trail, id: Id<'organization'>): Promise<Webhook[]> {
  const organization = await lockOrganization(tx, id)
  if (organization === undefined) throw notFound('id', id)
  await setDisabled(tx, trail, organization, false)
  return resumeWebhooks(tx, id, trail.now)
}
