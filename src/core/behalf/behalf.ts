import { AsyncLocalStorage } from 'node:async_hooks'

/** On whose behalf something is done, while it is. */
interface Behalf {
  readonly name: string | undefined
  /** Whether anything of it has been written for good. */
  hasWritten: boolean
  /** What it has begun may live longer, and is then nobody's: a timer, a loop that it has woken. */
  isOver: boolean
}

const behalf = new AsyncLocalStorage<Behalf | undefined>()

/**
 * Does `work` on behalf of somebody, who then takes no more than a share of what all use, however deep in `work` that is asked
 * for.
 * @param name an organization, or whoever else comes from outside; undefined for whom nobody has to be shielded from
 */
export function onBehalfOf<T>(name: string | undefined, work: () => T): T {
  const own = { name, hasWritten: false, isOver: false }
  const result = behalf.run(own, work)
  if (result instanceof Promise) {
    const end = () => {
      own.isOver = true
    }
    result.then(end, end)
  }
  return result
}

/** What `work` does is for whoever waits for it, and not for whoever happens to begin it. */
export function onBehalfOfAll<T>(work: () => T): T {
  return behalf.getStore() === undefined ? work() : behalf.run(undefined, work)
}

/** On whose behalf the caller works; undefined where that is nobody's own. */
export function whoseBehalf(): string | undefined {
  const own = behalf.getStore()
  return own === undefined || own.isOver ? undefined : own.name
}

/** What is done on this behalf has left something that stays. */
export function noteWritten(): void {
  const own = behalf.getStore()
  if (own !== undefined) own.hasWritten = true
}

/** Whether it has: who does it once more does it twice. */
export function hasWritten(): boolean {
  return behalf.getStore()?.hasWritten ?? false
}
