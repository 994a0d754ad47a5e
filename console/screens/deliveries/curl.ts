import type { DeliveryAttempt } from '#sdk/postern.ts'

/** Set by curl itself. */
const OWN = /^(host|content-length|connection|accept-encoding|transfer-encoding)$/i

/**
 * A command of curl that repeats an attempt, with its headers and the bytes that were signed.
 */
export function curlOf(
  attempt: DeliveryAttempt,
  url: string | undefined,
  sent: string | undefined,
): string | undefined {
  const address = attempt.url ?? url
  if (address === undefined || sent === undefined) return undefined
  const headers = Object.entries(attempt.requestHeaders).filter(([name]) => !OWN.test(name))
  return [
    `curl -X POST ${quoted(address)}`,
    ...headers.map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    `  --data-binary ${quoted(sent)}`,
  ].join(' \\\n')
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${String(text).replaceAll("'", `'\\''`)}'`
}
