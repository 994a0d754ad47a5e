import type { FastifyReply, FastifyRequest } from 'fastify'
import { DAY } from '../../core/clock.ts'
import { hashToken, newToken, sameText, type Vault } from '../../core/secret.ts'
import type { Cookies } from '../../http/cookies.ts'

/** A device is known this long after its last sign-in. */
const LIFETIME = 180 * DAY

/** The name of a device that signed in to this address before; undefined for every other. */
export function knownDevice(
  request: FastifyRequest,
  vault: Vault,
  cookies: Cookies,
  email: string,
): string | undefined {
  const [name, proof] = request.cookies[cookies.device]?.split('.') ?? []
  if (name === undefined || proof === undefined) return undefined
  return sameText(proof, vault.mac(`${name} ${email}`, 'device')) ? hashToken(name) : undefined
}

/** From now on a flood of wrong passwords from elsewhere does not keep the owner out at this browser. */
export function rememberDevice(reply: FastifyReply, vault: Vault, cookies: Cookies, email: string): void {
  const name = newToken()
  const value = `${name}.${vault.mac(`${name} ${email}`, 'device')}`
  void reply.setCookie(cookies.device, value, { ...cookies.options, maxAge: LIFETIME / 1_000 })
}
