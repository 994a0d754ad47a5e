import type { FastifyRequest } from 'fastify'

/**
 * The names and attributes of cookies: `__Host-` and Secure over https; plain http on this machine supports neither
 * (decisions: access).
 */
export interface Cookies {
  session: string
  /** Binds a mailed link to the browser that requested it. */
  binding: string
  /** Binds a confirmation to the browser that signed up. */
  confirm: string
  /** Binds a sign-in through an identity provider to the browser that began it. */
  social: string
  /** Binds the connection flow at a provider to the browser that began it. */
  connect: string
  /** A sign-in that waits for the second factor. */
  pending: string
  /** Binds the challenge of a passkey to the browser that requested it. */
  passkey: string
  /** Recognizes a browser that has signed in to an account before. */
  device: string
  /** Binds a setup link to the browser that opened it. */
  setup: string
  /** The language that a link to a page named. */
  language: string
  options: { path: '/'; httpOnly: true; sameSite: 'lax'; secure: boolean }
}

export function cookiesFor(baseUrl: string): Cookies {
  const secure = baseUrl.startsWith('https:')
  const prefix = secure ? '__Host-' : ''
  return {
    session: `${prefix}session`,
    binding: `${prefix}binding`,
    confirm: `${prefix}confirm`,
    social: `${prefix}social`,
    connect: `${prefix}connect`,
    pending: `${prefix}pending`,
    passkey: `${prefix}passkey`,
    device: `${prefix}device`,
    setup: `${prefix}setup`,
    language: `${prefix}language`,
    options: { path: '/', httpOnly: true, sameSite: 'lax', secure },
  }
}

/** The cookie of a browser that began a flow; undefined for text that this server did not create. */
export function bindingOf(request: FastifyRequest, cookie: string): string | undefined {
  const value = request.cookies[cookie]
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined
}
