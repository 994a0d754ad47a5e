import type { Balance, Checkout, LedgerDay, LedgerEntry, PlanPage } from '#sdk/postern.ts'
import { useMay } from '../../app/access.ts'
import { useData } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { since } from '../../parts/span.ts'

export const FILTERS = ['action', 'since', 'view', 'id', 'state'] as const
export type Filter = Record<(typeof FILTERS)[number], string>

export const useBalance = () => useData<Balance>('billing/balance', (how) => postern.billing.balance(how))

export const usePlans = () =>
  useData<PlanPage>(
    useMay()('billing:read') ? 'plans' : undefined,
    (how) => postern.billing.plans(how).page() as Promise<PlanPage>,
  )

/** Whether a payment provider is configured; without one the operator grants credits and plans. */
export const isForSale = (plans: PlanPage | undefined) => (plans?.paymentProvider ?? null) !== null

export const useDays = () =>
  useData<readonly LedgerDay[]>(
    'billing/days',
    async (how) => (await postern.billing.ledgerDays({}, how).page()).data,
  )

export const ledgerQuery = (filter: Filter) => ({
  ...(filter.action === '' ? {} : { action: filter.action }),
  since: since(filter.since),
})

export const useLedger = (filter: Filter) =>
  useList<LedgerEntry>(`billing/ledger ${filter.action} ${filter.since}`, (how) =>
    postern.billing.ledger({ ...ledgerQuery(filter), limit: 50 }, how),
  )

export const useCheckout = (id: string | undefined) =>
  useData<Checkout>(id === undefined ? undefined : `billing/checkout/${id}`, (how) =>
    postern.billing.readCheckout(id ?? '', how),
  )

/** What work costs credits, in words. */
export const ACTION_WORDS: Record<string, string> = {
  'connection.fetch': 'calls through connections',
  'file.process': 'reading files',
  'document.index': 'indexing documents',
  'run.step': 'steps of agents',
}
