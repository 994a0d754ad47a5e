/** The last part of an inbound path (specification 4). */
const ENDPOINT_PATH = /^[a-z0-9][a-z0-9-]{2,63}$/

/**
 * Whether a URL is an inbound path of this installation, in its one spelling. Everyone who reaches the server may call it, so a
 * webhook may as well where the server has a private address.
 */
export type IsOwnInbound = (url: string) => boolean

/** @param baseUrl see `BASE_URL` */
export function ownInbound(baseUrl: string): IsOwnInbound {
  const start = `${baseUrl}/v1/webhooks/`
  return (url) => url.startsWith(start) && ENDPOINT_PATH.test(url.slice(start.length))
}
