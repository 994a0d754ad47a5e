import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import { transitContext } from '../../db/sealed.ts'

/** A receipt that a client returns with the result of an attempt: the identity of the attempt, sealed for its webhook. */
export interface Receipt {
  claimId: Id<'listenerClaim'>
  deliveryId: Id<'delivery'>
  eventId: Id<'event'>
  attempts: number
  dueAt: Millis
  /** The last moment at which an attempt may start, as the delivery has it. */
  storedHorizon: Millis
  /** The same with what waiting for a client adds. */
  horizon: Millis
  startedAt: Millis
  hops: number
  bytes: number
  urlVersion: number
  headers: Record<string, string>
  /** The value of `x-service-signature` by each live secret, the current one first. */
  signatures: string[]
}

type Seal = Pick<Vault, 'seal' | 'open'>

export function sealReceipt(vault: Seal, webhookId: Id<'webhook'>, receipt: Receipt): string {
  return vault.seal(JSON.stringify(receipt), transitContext('receipt', webhookId))
}

/** @returns undefined where this Postern has not sealed it, or for another webhook */
export function openReceipt(vault: Seal, webhookId: Id<'webhook'>, text: string): Receipt | undefined {
  try {
    return JSON.parse(vault.open(text, transitContext('receipt', webhookId))) as Receipt
  } catch {
    return undefined
  }
}
