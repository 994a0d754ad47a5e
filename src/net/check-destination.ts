import { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import type { AddressRule } from './address.ts'
import { allowedAddresses, BlockedAddressError, type Resolve, readDestination } from './destination.ts'

/** The address rule and the resolver of calls. */
interface Route {
  isAllowed: AddressRule
  resolve: Resolve
}

/**
 * Checks a destination before it is stored, by the rule for calls. A name that does not resolve now is accepted: each
 * call resolves it again.
 * @param field the member of the request with the destination
 * @throws ApiError VALIDATION_FAILED
 */
export async function checkDestination(
  url: string,
  organizationId: Id<'organization'>,
  { isAllowed, resolve }: Route,
  field = 'url',
): Promise<void> {
  const destination = readDestination(url)
  if (typeof destination === 'string') {
    // The text before an `@` may contain a password.
    const value = destination === 'credentials' ? {} : { value: url.slice(0, 256) }
    throw new ApiError('VALIDATION_FAILED', { field, ...value, reason: destination })
  }
  try {
    await allowedAddresses(destination.hostname, isAllowed, (name) => resolve(name, organizationId))
  } catch (error) {
    if (!(error instanceof BlockedAddressError)) return
    const { setting } = isAllowed
    throw new ApiError('VALIDATION_FAILED', {
      ...{ field, value: url.slice(0, 256), reason: 'address_not_allowed' },
      ...(setting === undefined ? {} : { setting }),
    })
  }
}
