import type { IncomingHttpHeaders } from 'node:http'

/** `192.0.2.1:443`, `[2001:db8::1]:443` and `[2001:db8::1]`: some proxies name the port of a client as well. */
const WITH_PORT = /^(?:\[([\da-fA-F:.%\w]+)\](?::\d{1,5})?|(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5})$/

/** Takes the ports out of `X-Forwarded-For`: with them an address is none, and all clients would be one. */
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
