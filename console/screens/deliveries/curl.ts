import type { DeliveryAttempt } from '#sdk/postern.ts'

/** Set by curl itself. */
const OWN = /^(host|content-length|connection|accept-encoding|transfer-encoding)$/i

/**
 * An attempt as a command that makes it once more, with its headers and the very bytes that were signed.
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

/** For a POSIX shell: nothing in it means anything. */
function quoted(text: string): string {
  return `'${String(text).replaceAll("'", `'\\''`)}'`
}
