import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** A new signing secret: `whsec_` and the base64 of 32 random bytes (decisions: webhooks, signature). */
export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

/**
 * `X-Service-Signature` (specification 4): lowercase hex HMAC-SHA256 of the exact body, keyed with the UTF-8 bytes of
 * the whole secret, prefix included.
 */
export function serviceSignature(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/**
 * One signature of `webhook-signature` (Standard Webhooks 1.0.0): base64 HMAC-SHA256 of id, timestamp in
 * seconds and body, keyed with the secret's decoded 32 bytes.
 */
export function standardSignature(secret: string, id: string, timestamp: number, body: Uint8Array): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}
