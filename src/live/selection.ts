import type { PlanBook } from '../core/plans.ts'
import { isPermitted, mustBePermitted, mustHave } from '../http/principal.ts'
import { isLive, LIVE_KINDS, type LiveKind, ruleOf, type Topic } from './live-kinds.ts'
import type { Caller } from './readers.ts'

/** The changes that a reader requests. */
export interface StreamFilter {
  /** undefined: all topics that the caller may see. */
  topics: Topic[] | undefined
  webhookId: string | undefined
}

/** The changes that a reader sees; they change with its caller's rights. */
interface Selection {
  kinds: Set<LiveKind>
  sees(change: { kind: string; about: string }): boolean
  /** Equal for selections of the same changes. */
  key: string
}

/** The part of a filter that the caller may see. */
export function selectVisible(book: PlanBook, caller: Caller, filter: StreamFilter): Selection {
  const { webhookId } = filter
  const kinds = new Set(kindsOf(filter).filter((kind) => isPermitted(caller, ruleOf(kind).permission, book)))
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
 * Refuses named topics that the caller may not see, and a caller who may see none of the requested ones.
 * @throws ApiError FORBIDDEN, MODULE_NOT_ENABLED
 */
export function mustSee(book: PlanBook, caller: Caller, filter: StreamFilter): void {
  const permissions = kindsOf(filter).map((kind) => ruleOf(kind).permission)
  if (filter.topics !== undefined)
    for (const permission of permissions) mustBePermitted(caller, permission, book)
  else if (
    permissions[0] !== undefined &&
    !permissions.some((permission) => caller.permissions.has(permission))
  )
    mustHave(caller, permissions[0])
}

/** The kinds of rows that a filter selects. */
function kindsOf({ topics, webhookId }: StreamFilter): LiveKind[] {
  return LIVE_KINDS.filter((kind) => {
    const { topic, isOfWebhook } = ruleOf(kind)
    if (topics !== undefined) return topics.includes(topic as Topic)
    return webhookId === undefined || isOfWebhook === true
  })
}
