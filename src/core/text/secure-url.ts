/** Whether a URL may carry secrets: https, or plain http on this machine. */
export function isSecureUrl(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || isLocalhost(hostname)
}

/** Whether a host name of a URL is this machine. */
export function isLocalhost(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    // The URL parser normalizes every spelling of an IPv4 address to this form; a domain name may begin like it.
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  )
}
