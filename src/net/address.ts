import ipaddr from 'ipaddr.js'
import { isWithin } from './networks.ts'

/** Whether a connection may be opened to an address. */
export interface AddressRule {
  (address: string): boolean
  /** The setting that allows more; undefined where none does. */
  setting?: string
}

/**
 * Global unicast addresses (RFC 4291 2.4) that lie in no range of special use; everything else reaches this
 * machine, its network, its provider's metadata or, translated, any of these (v4-mapped, 6to4, NAT64, Teredo).
 */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3')

/** Special use that the library does not name, or counts as unicast; the host's own services of a large provider. */
const MORE_SPECIAL = [
  '168.63.129.16/32',
  '192.0.0.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
].map((network) => ipaddr.parseCIDR(network))

/**
 * The rule for destinations that strangers name: public addresses, and the networks that the operator allows.
 * @param allowedNetworks CIDRs
 * @param setting where they come from, for the message of a refusal
 */
export function addressRule(allowedNetworks: string[], setting?: string): AddressRule {
  const allowed = allowedNetworks.map((network) => ipaddr.parseCIDR(network))
  const isAllowed = (text: string) => {
    // A scope (`fe80::1%eth0`) is never public, and `parse` would read past it.
    if (text.includes('%') || !ipaddr.isValid(text)) return false
    // `process` turns ::ffff:a.b.c.d into a.b.c.d, so that one rule holds for both spellings.
    const address = ipaddr.process(text)
    return allowed.some((network) => isWithin(address, network)) || isPublic(address)
  }
  return Object.assign(isAllowed, setting === undefined ? {} : { setting })
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false
  if (MORE_SPECIAL.some((network) => isWithin(address, network))) return false
  return address.kind() === 'ipv4' || isWithin(address, GLOBAL_V6)
}
