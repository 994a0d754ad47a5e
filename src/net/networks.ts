import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { createBoundedMap } from '../core/bounded-map.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

const DOTTED = '[0-9]{1,3}([.][0-9]{1,3}){3}'
/**
 * A pattern for JSON Schema. It accepts every network that `readNetwork` accepts, and other texts of the same
 * form.
 */
export const NETWORK_PATTERN = `^(${DOTTED}|[0-9A-Fa-f]*:[0-9A-Fa-f:]*(${DOTTED})?)(/[0-9]{1,3})?$`

/** Networks in the form of `readNetwork`. */
export interface Networks {
  /** Whether an address is in one of them; an IPv4 address in IPv6 form counts as IPv4. */
  has(address: string): boolean
  /** Whether a network is part of one of them. */
  covers(network: string): boolean
}

/**
 * Normalizes a network: `10.0.0.0/8`, `2001:db8::/32`. A single address becomes a network of one, and an IPv4 network
 * in IPv6 form (`::ffff:10.0.0.0/104`) becomes IPv4.
 * @returns undefined for any other text, and for an address with bits beyond the prefix: `10.0.0.1/8`
 */
export function readNetwork(text: string): string | undefined {
  const [written = '', bits, ...rest] = text.split('/')
  if (!isPlain(written) || rest.length > 0) return undefined
  if (bits !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(bits)) return undefined
  const parsed = ipaddr.parse(written)
  const widest = parsed.kind() === 'ipv4' ? 32 : 128
  const length = bits === undefined ? widest : Number(bits)
  const address = ipaddr.process(written)
  const kept = address.kind() === parsed.kind() ? length : length - 96
  if (length > widest || kept < 0 || !isWhole(address, kept)) return undefined
  return `${address.toString()}/${kept}`
}

/**
 * Whether a text is an address in current notation: a scope (`fe80::1%eth0`) names an interface of one machine, and the
 * library reads the deprecated form `::10.0.0.1` (RFC 4291 2.5.5.1) as the IPv4 address.
 */
function isPlain(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%') && !/^::\d{1,3}\./.test(text)
}

/** Whether an address has no bit beyond a prefix length. */
function isWhole(address: Address, length: number): boolean {
  return address.toByteArray().every((byte, at) => {
    const before = Math.min(8, Math.max(0, length - at * 8))
    return (byte & (0xff >> before)) === 0
  })
}

/** Whether an address is in a network of the same family. */
export function isWithin(address: Address, [network, bits]: [Address, number]): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}

/** Most parsed lists that are cached. */
const MOST_LISTS = 10_000
const known = createBoundedMap<string, Networks>(MOST_LISTS)

/** @param list a JSON list of networks as `readNetwork` returns them; equal lists are parsed once */
export function networksOf(list: string): Networks {
  const before = known.get(list)
  if (before !== undefined) return before
  const networks = (JSON.parse(list) as string[]).map((text) => ipaddr.parseCIDR(text))
  const made: Networks = {
    has(text) {
      if (!isPlain(text)) return false
      const address = ipaddr.process(text)
      return networks.some((network) => isWithin(address, network))
    },
    covers(text) {
      const [address, bits] = ipaddr.parseCIDR(text)
      return networks.some((network) => network[1] <= bits && isWithin(address, network))
    },
  }
  known.set(list, made)
  return made
}
