import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Received } from './receiver.ts'

type Answer = (call: Received, response: ServerResponse) => void

/** Whether `X-Service-Signature` is a signature by a secret (specification 4). */
export function signs(secret: string, { headers, body }: Received): boolean {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  return headers['x-service-signature'] === expected
}

/** A receiver with one secret that compares signatures by specification 4. */
export const holding =
  (secret: string, refusal = 401): Answer =>
  (call, response) =>
    void response.writeHead(signs(secret, call) ? 204 : refusal).end()

/** The library looks at the machine's clock; the signature alone is what these tests ask for. */
export function verifies(secret: string, { headers, body }: Received): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  return String(headers['webhook-signature']).split(' ').includes(expected)
}

/** A receiver that checks `webhook-signature` only. */
export const verifying =
  (secret: string): Answer =>
  (call, response) =>
    void response.writeHead(verifies(secret, call) ? 204 : 401).end()
