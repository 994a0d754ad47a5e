import type { DeliveryAttempt, Event } from '#sdk/postern.ts'

/** Set by curl itself. */
const OWN = /^(host|content-length|connection|accept-encoding|transfer-encoding)$/i

/**
 * A try as a command that makes it once more, with its headers. Its body is written from the event: the API does not tell the bytes
 * that were sent, and the signature fits those alone.
 */
export function curlOf(
  attempt: DeliveryAttempt,
  url: string | undefined,
  sent: Event | undefined,
): string | undefined {
  const address = attempt.url ?? url
  if (address === undefined || sent === undefined) return undefined
  const headers = Object.entries(attempt.requestHeaders).filter(([name]) => !OWN.test(name))
  return [
    `curl -X POST ${quoted(address)}`,
    ...headers.map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    `  --data-binary ${quoted(JSON.stringify(sent))}`,
  ].join(' \\\n')
}

/** For a POSIX shell: nothing in it means anything. */
function quoted(text: string): string {
  return `'${String(text).replaceAll("'", `'\\''`)}'`
}
