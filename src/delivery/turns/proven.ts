import { type BoundedMap, createBoundedMap } from '../../core/bounded-map.ts'
import type { Id } from '../../core/id.ts'

/** Webhooks that are remembered at most: what five organizations may have of the largest plan. */
export const MOST_PROVEN = 50_000

/** Webhooks whose last attempt was answered well; when there are too many, who has shown it least lately is forgotten. */
export interface Proven {
  has(webhookId: Id<'webhook'>): boolean
  /** An attempt has ended. @returns whether the webhook has become proven by it */
  note(webhookId: Id<'webhook'>, isWell: boolean): boolean
}

export function createProven(most = MOST_PROVEN): Proven {
  const webhooks: BoundedMap<Id<'webhook'>, true> = createBoundedMap(most)
  return {
    has: (webhookId) => webhooks.get(webhookId) !== undefined,
    note(webhookId, isWell) {
      const isKnown = webhooks.delete(webhookId)
      if (isWell) webhooks.set(webhookId, true)
      return isWell && !isKnown
    },
  }
}
