/** Whether a URL may carry secrets: https, or plain http on this machine. */
export function isSecureUrl(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || isLocalhost(hostname)
}

/** Names of this machine, as they stand in a URL. */
export function isLocalhost(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    // The URL parser writes every spelling of an IPv4 address like this; a name may begin so as well.
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  )
}
