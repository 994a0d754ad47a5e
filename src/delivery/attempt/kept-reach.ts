import { type ConnectionTimings, NO_TIMINGS } from '../../net/timed-client.ts'

/** Which of its webhook's URLs an attempt went to, and how. */
interface Reach extends ConnectionTimings {
  urlVersion: number
}

const NOTHING = '-'

/**
 * How an attempt reached its destination, as its record keeps it: words, without empty ones at the end. An attempt on an open
 * connection has two or three.
 */
export function keepReach(
  urlVersion: number,
  { address, firstByteMs, dnsMs, connectMs, tlsMs }: ConnectionTimings,
): string {
  const parts = [firstByteMs, dnsMs, connectMs, tlsMs].map((ms) =>
    ms === null ? NOTHING : String(Math.round(ms)),
  )
  const words = [String(urlVersion), address ?? NOTHING, ...parts]
  return words.slice(0, words.findLastIndex((word) => word !== NOTHING) + 1).join(' ')
}

/** Decodes what `keepReach` encoded, in whole milliseconds. */
export function readReach(kept: string): Reach {
  const [urlVersion, address = NOTHING, ...parts] = kept.split(' ')
  const [firstByteMs, dnsMs, connectMs, tlsMs] = parts.map((word) => (word === NOTHING ? null : Number(word)))
  return {
    ...NO_TIMINGS,
    urlVersion: Number(urlVersion),
    address: address === NOTHING ? null : address,
    firstByteMs: firstByteMs ?? null,
    dnsMs: dnsMs ?? null,
    connectMs: connectMs ?? null,
    tlsMs: tlsMs ?? null,
  }
}
