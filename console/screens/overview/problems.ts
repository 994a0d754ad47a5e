import type { DeliveryItem } from '#sdk/postern.ts'
import { errorWords } from '../../app/words.ts'

/** Deliveries of one webhook that fail for one reason. */
export interface Problem {
  key: string
  webhookId: string
  url: string
  /** `failed`: it is not tried any more; `pending`: it is. */
  status: 'failed' | 'pending'
  /** The status or the kind of error, as the filter of the list has it. */
  code: string
  cause: string
  items: DeliveryItem[]
  since: string
  /** When the first of them is tried next. */
  next: string | null
}

/** What is wrong, grouped by where and why: what waits first, then the most. Tests are tests. */
export function problemsOf(items: readonly DeliveryItem[]): Problem[] {
  const real = items.filter(({ test }) => !test)
  const groups = Map.groupBy(real, (item) => `${item.webhookId} ${item.status} ${codeOf(item)}`)
  const problems = [...groups].flatMap(([key, own]) => {
    const [first] = own
    if (first === undefined) return []
    const times = own.map(({ createdAt }) => createdAt).sort()
    const nexts = own.flatMap(({ nextAttemptAt }) => nextAttemptAt ?? []).sort()
    return {
      key,
      webhookId: first.webhookId,
      url: first.url,
      status: first.status === 'failed' ? ('failed' as const) : ('pending' as const),
      code: codeOf(first),
      cause: causeOf(first),
      items: own,
      since: times[0] ?? first.createdAt,
      next: nexts[0] ?? null,
    }
  })
  const rank = ({ status, items }: Problem) => (status === 'pending' ? 1e9 : 0) + items.length
  return problems.sort((a, b) => rank(b) - rank(a))
}

function codeOf({ lastStatusCode, lastErrorClass }: DeliveryItem): string {
  return lastStatusCode === null ? String(lastErrorClass ?? '') : String(lastStatusCode)
}

/** What most receivers mean by it. */
const MEANT: Record<number, string> = {
  401: 'most often a signature that does not fit',
  403: 'it does not let us in',
  404: 'the address is not there',
  410: 'it is gone',
  413: 'too large for it',
  429: 'too many calls for it',
  500: 'an error of its own',
  502: 'what is behind it does not answer',
  503: 'it is not ready',
  504: 'what is behind it is too slow',
}

function causeOf({ lastStatusCode, lastErrorClass }: DeliveryItem): string {
  if (lastStatusCode === null) return errorWords(lastErrorClass)
  const meant = MEANT[lastStatusCode]
  return meant === undefined ? String(lastStatusCode) : `${lastStatusCode}: ${meant}`
}
