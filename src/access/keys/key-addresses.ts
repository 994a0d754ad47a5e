import { ApiError } from '../../core/errors.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { Type } from '../../http/schema/type.ts'
import { NETWORK_PATTERN, networksOf, readNetwork } from '../../net/networks.ts'

const MOST_NETWORKS = 20

/** Networks in a request. */
export const AddressesSchema = Type.Array(
  // The longest form of an IPv6 address, `/` and three digits.
  Type.String({
    ...{ minLength: 2, maxLength: 49, examples: ['203.0.113.0/24'] },
    ...documented({ pattern: NETWORK_PATTERN }),
  }),
  { minItems: 1, maxItems: MOST_NETWORKS },
)

/**
 * The networks of a request in the form of the column: a JSON list without repetitions; null: any address.
 * @throws ApiError VALIDATION_FAILED for an invalid network
 */
export function readAddresses(given: string[] | null): string | null {
  if (given === null) return null
  const networks = given.map((text, index) => {
    const network = readNetwork(text)
    if (network !== undefined) return network
    throw new ApiError('VALIDATION_FAILED', {
      ...{ field: `allowedAddresses.${index}`, value: text, reason: 'not_a_network' },
    })
  })
  return JSON.stringify([...new Set(networks)])
}

/**
 * Checks that a caller gives no key a wider reach than its own: neither a new key, nor a change, nor the secret of a key.
 * @param own the networks of the caller; null: from anywhere
 * @throws ApiError FORBIDDEN `beyond_own_addresses`
 */
export function mustReach(own: string | null, given: string | null): void {
  if (own === null) return
  const reach = networksOf(own)
  const isWithin = given !== null && (JSON.parse(given) as string[]).every((network) => reach.covers(network))
  if (!isWithin) throw new ApiError('FORBIDDEN', { reason: 'beyond_own_addresses' })
}
