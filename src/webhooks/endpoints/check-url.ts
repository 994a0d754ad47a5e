import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { allowedAddresses, BlockedAddressError, readDestination } from '../../net/destination.ts'
import type { WebhookDeps } from '../deps.ts'

/**
 * Checks a destination before it is stored, with the rule that holds when it is called. A name that cannot be
 * resolved just now is taken: its deliveries are retried.
 * @throws ApiError VALIDATION_FAILED `field: "url"`
 */
export async function checkUrl(
  url: string,
  organizationId: Id<'organization'>,
  { isAllowed, resolve }: Pick<WebhookDeps, 'isAllowed' | 'resolve'>,
): Promise<void> {
  const destination = readDestination(url)
  if (typeof destination === 'string') {
    throw new ApiError('VALIDATION_FAILED', { field: 'url', value: url.slice(0, 256), reason: destination })
  }
  try {
    await allowedAddresses(destination.hostname, isAllowed, (name) => resolve(name, organizationId))
  } catch (error) {
    if (!(error instanceof BlockedAddressError)) return
    throw new ApiError('VALIDATION_FAILED', {
      field: 'url',
      value: url.slice(0, 256),
      reason: 'address_not_allowed',
    })
  }
}
