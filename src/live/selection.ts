import type { PlanBook } from '../core/plans.ts'
import { isPermitted, mustBePermitted, mustHave } from '../http/principal.ts'
import { isLive, LIVE_KINDS, type LiveKind, ruleOf, type Topic } from './kinds.ts'
import type { Caller } from './readers.ts'

/** What a reader has asked to be shown. */
export interface Wish {
  /** All that the caller may see, where none are named. */
  topics: Topic[] | undefined
  webhookId: string | undefined
}

/** What a reader is shown, which may change with its caller's rights. */
interface Selection {
  kinds: Set<LiveKind>
  sees(change: { kind: string; about: string }): boolean
  /** The same for selections that show the same. */
  key: string
}

/** What a caller may see of what it has asked for. */
export function select(book: PlanBook, caller: Caller, wish: Wish): Selection {
  const { webhookId } = wish
  const kinds = new Set(kindsOf(wish).filter((kind) => isPermitted(caller, ruleOf(kind).permission, book)))
  /** Kinds whose rows the caller sees only if it owns them. */
  const own = [...kinds].filter((kind) => {
    const { all } = ruleOf(kind)
    return all !== undefined && !caller.permissions.has(all)
  })
  return {
    kinds,
    sees({ kind, about }) {
      if (kind === 'gap') return true
      if (!isLive(kind) || !kinds.has(kind)) return false
      if (ruleOf(kind).isOfWebhook && webhookId !== undefined && about !== webhookId) return false
      return about === caller.actorId || !own.includes(kind)
    },
    key: [own.length === 0 ? '' : caller.actorId, webhookId, ...kinds].join(' '),
  }
}

/**
 * Refuses topics that are asked for by name and that the caller may not see, and a caller who may see nothing of what it asks for.
 * @throws ApiError FORBIDDEN, MODULE_NOT_ENABLED
 */
export function mustSee(book: PlanBook, caller: Caller, wish: Wish): void {
  const asked = kindsOf(wish).map((kind) => ruleOf(kind).permission)
  if (wish.topics !== undefined) for (const permission of asked) mustBePermitted(caller, permission, book)
  else if (asked[0] !== undefined && !asked.some((permission) => caller.permissions.has(permission)))
    mustHave(caller, asked[0])
}

/** The kinds of rows that a wish is for. */
function kindsOf({ topics, webhookId }: Wish): LiveKind[] {
  return LIVE_KINDS.filter((kind) => {
    const { topic, isOfWebhook } = ruleOf(kind)
    if (topics !== undefined) return topics.includes(topic as Topic)
    return webhookId === undefined || isOfWebhook === true
  })
}
