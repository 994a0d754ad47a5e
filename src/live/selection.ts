import { ApiError } from '../core/errors.ts'
import { hasModule, type PlanBook, planOf, requireModule } from '../core/plans.ts'
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
export function select(book: PlanBook, caller: Caller, { topics, webhookId }: Wish): Selection {
  const plan = planOf(book, caller.plan)
  const isAdministrator = caller.role === 'administrator'
  const kinds = new Set(
    LIVE_KINDS.filter((kind) => {
      const { topic, module, only, isOfWebhook } = ruleOf(kind)
      if (topics !== undefined && !topics.includes(topic as Topic)) return false
      if (webhookId !== undefined && topics === undefined && !isOfWebhook) return false
      if (only === 'administrators' && !isAdministrator) return false
      return module === undefined || hasModule(plan, caller.flags, module)
    }),
  )
  return {
    kinds,
    sees({ kind, about }) {
      if (kind === 'gap') return true
      if (!isLive(kind) || !kinds.has(kind)) return false
      const { only, isOfWebhook } = ruleOf(kind)
      if (isOfWebhook && webhookId !== undefined && about !== webhookId) return false
      return only !== 'owner' || isAdministrator || about === caller.actorId
    },
    key: [isAdministrator ? '' : caller.actorId, webhookId, ...kinds].join(' '),
  }
}

/**
 * Refuses topics that are asked for by name and that the caller may not see.
 * @throws ApiError FORBIDDEN, MODULE_NOT_ENABLED
 */
export function mustSee(book: PlanBook, { role, plan, flags }: Caller, { topics = [] }: Wish): void {
  for (const kind of LIVE_KINDS) {
    const { topic, module, only } = ruleOf(kind)
    if (!topics.includes(topic as Topic)) continue
    if (module !== undefined) requireModule(book, plan, flags, module)
    if (only === 'administrators' && role !== 'administrator')
      throw new ApiError('FORBIDDEN', { reason: 'administrator_required' })
  }
}
