import { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import type { AddressRule } from './address.ts'
import { allowedAddresses, BlockedAddressError, type Resolve, readDestination } from './destination.ts'

/** How destinations are called. */
interface Route {
  isAllowed: AddressRule
  resolve: Resolve
}

/**
 * Checks a destination before it is stored, with the rule that holds when it is called. A name that cannot be
 * resolved just now is taken: it is looked up once more with each call.
 * @param field the member of the request that holds it
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
    // What stands before an `@` may be a password.
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
