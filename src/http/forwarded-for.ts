import type { IncomingHttpHeaders } from 'node:http'

/** `192.0.2.1:443`, `[2001:db8::1]:443` and `[2001:db8::1]`: some proxies add the port of the client. */
const WITH_PORT = /^(?:\[([\da-fA-F:.%\w]+)\](?::\d{1,5})?|(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5})$/

/** Removes ports from `X-Forwarded-For`: an address with a port is invalid, and all clients would count as one. */
export function dropForwardedPorts(headers: IncomingHttpHeaders): void {
  const { 'x-forwarded-for': given } = headers
  if (given === undefined) return
  headers['x-forwarded-for'] = String(given)
    .split(',')
    .map((text) => addressOf(text.trim()))
    .join(', ')
}

function addressOf(text: string): string {
  const [, v6, v4] = WITH_PORT.exec(text) ?? []
  return v6 ?? v4 ?? text
}
