import ipaddr from 'ipaddr.js'
import { isWithin } from './networks.ts'

/** Whether a connection may be opened to an address. */
export interface AddressRule {
  (address: string): boolean
  /** The setting that allows more addresses; undefined where there is none. */
  setting?: string
}

/**
 * Global unicast addresses (RFC 4291 2.4) outside of special ranges. All others reach this machine, its network, its
 * provider's metadata or, by translation, any of these (v4-mapped, 6to4, NAT64, Teredo).
 */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3')

/** Special ranges that the library lacks or counts as unicast, and host services of a large provider. */
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
 * The rule for destinations that strangers choose: public addresses, and the networks that the operator allows.
 * @param allowedNetworks CIDRs
 * @param setting their setting, for the message of a refusal
 */
export function addressRule(allowedNetworks: string[], setting?: string): AddressRule {
  const allowed = allowedNetworks.map((network) => ipaddr.parseCIDR(network))
  const isAllowed = (text: string) => {
    // An address with a scope (`fe80::1%eth0`) is never public, and `parse` would ignore the scope.
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
