import type { FastifyReply, FastifyRequest } from 'fastify'
import { plausible } from '../../core/clock.ts'
import { LIFETIME } from '../../core/limits.ts'
import { equalInConstantTime, hashToken, newToken, type Vault } from '../../core/secret.ts'
import type { Cookies } from '../../http/cookies.ts'

/** The name of a device that has signed in to this address before; undefined for other devices. */
export function knownDevice(
  request: FastifyRequest,
  vault: Vault,
  cookies: Cookies,
  email: string,
): string | undefined {
  const [name, until, proof] = request.cookies[cookies.device]?.split('.') ?? []
  if (name === undefined || until === undefined || proof === undefined) return undefined
  // A browser may keep a cookie beyond its lifetime.
  if (plausible(Number(until), request.now, LIFETIME.device + LIFETIME.lenience) <= request.now)
    return undefined
  return equalInConstantTime(proof, proofOf(vault, name, until, email)) ? hashToken(name) : undefined
}

/** Makes this browser a known device: a flood of wrong passwords from others does not keep its owner out. */
export function rememberDevice(reply: FastifyReply, vault: Vault, cookies: Cookies, email: string): void {
  const name = newToken()
  const until = String(reply.request.now + LIFETIME.device)
  const value = `${name}.${until}.${proofOf(vault, name, until, email)}`
  void reply.setCookie(cookies.device, value, { ...cookies.options, maxAge: LIFETIME.device / 1_000 })
}

function proofOf(vault: Vault, name: string, until: string, email: string): string {
  return vault.mac(`${name} ${until} ${email}`, 'device')
}
