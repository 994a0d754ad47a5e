import { useMemo, useState } from 'preact/hooks'
import type { LedgerEntry } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { toMillis } from '../../app/clock.ts'
import { pathOfId } from '../../app/ids.ts'
import { to, useFilters } from '../../app/router.ts'
import { number, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Chart } from '../../parts/chart.tsx'
import { ExportCsv } from '../../parts/export.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Empty, Loading, Notice } from '../../parts/notice.tsx'
import { Figure, Page, Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Countdown, Time } from '../../parts/time.tsx'
import { Buy } from './buy.tsx'
import { CheckoutState } from './checkout-state.tsx'
import {
  ACTION_WORDS,
  FILTERS,
  isForSale,
  ledgerQuery,
  useBalance,
  useDays,
  useLedger,
  usePlans,
} from './data.ts'
import { Plans } from './plans.tsx'

const ACTIONS = Object.entries(ACTION_WORDS)

/** The balance, the ledger, and the plans. */
export function Screen() {
  const [filter, change] = useFilters(FILTERS)
  const plans = usePlans().data
  const list = useLedger(filter)
  const [isBuying, setBuying] = useState(false)
  const reason = useAccess().reason({ permission: 'billing:write' })
  return (
    <Page
      title="Credits"
      lead="The balance of your organization and what it was spent on."
      actions={
        <>
          <ExportCsv path="/v1/billing/ledger" query={ledgerQuery(filter)} name="ledger" />
          {isForSale(plans) && plans?.creditPack && (
            <Button kind="primary" icon="plus" reason={reason} onPress={() => setBuying(true)}>
              Buy credits
            </Button>
          )}
        </>
      }
    >
      {filter.id !== '' && <CheckoutState id={filter.id} onClose={() => change({ id: '', state: '' })} />}
      <Panel>
        <Balances />
        {plans && !isForSale(plans) && (
          <p class="quiet">
            Credits and plans are granted by the operator of this server. Ask them for more.
          </p>
        )}
        <Course view={filter.view} onView={(view) => change({ view })} />
      </Panel>
      <Filters
        rows={[
          {
            name: 'action',
            label: 'Spent on',
            kind: 'choice',
            options: ACTIONS,
          },
          { name: 'since', label: 'When', kind: 'span' },
        ]}
        values={filter}
        onChange={change}
      />
      <Panel title="Ledger" flush>
        <ListTable
          label="Ledger"
          noun={['entry', 'entries']}
          list={list}
          keyOf={({ id }) => id}
          empty={
            <Empty icon="credits" title="No entry matches">
              <p>Each change of the balance is listed here with its reason.</p>
            </Empty>
          }
          columns={[
            { title: 'What', cell: (entry) => <What of={entry} /> },
            { title: 'When', tight: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              title: 'Change',
              tight: true,
              end: true,
              cell: ({ amount }) => (
                <b class={amount > 0 ? 'ledger-came' : ''}>
                  {amount > 0 ? `+${number(amount)}` : number(amount)}
                </b>
              ),
            },
            { title: 'Balance', tight: true, end: true, cell: ({ balance }) => number(balance) },
          ]}
        />
      </Panel>
      <Plans />
      {isBuying && <Buy onClose={() => setBuying(false)} />}
    </Page>
  )
}

function Balances() {
  const { data, failure, refresh } = useBalance()
  if (data === undefined) return <Loading failure={failure} retry={refresh} lines={2} />
  const { balance, reserved, cycleCredits, purchasedCredits, unlimited, creditsPerCycle, cycle } = data
  return (
    <>
      {unlimited && (
        <Notice tone="good" icon="check" title={`The plan ${textOf(data.plan)} has no limit`}>
          Work does not reduce the balance.
        </Notice>
      )}
      {!unlimited && balance === 0 && (
        <Notice tone="bad" icon="alert" title="No credits left">
          Work that costs credits is refused until there are more.
        </Notice>
      )}
      <div class="figures">
        <Figure name="Available" value={number(balance)} note="credits" />
        <Figure name="Reserved" value={number(reserved)} note="for running work" />
        <Figure name="From the plan" value={number(cycleCredits)} note="spent first, expire with the cycle" />
        <Figure name="Extra" value={number(purchasedCredits)} note="do not expire" />
        <Figure
          name="Renews in"
          value={<Countdown until={cycle.renewsAt} over="a moment" />}
          note={creditsPerCycle === null ? 'no limit' : `to ${number(creditsPerCycle)}`}
        />
      </div>
    </>
  )
}

const VIEWS = [
  { name: 'balance', label: 'Balance' },
  { name: 'days', label: 'By day' },
] as const

/** The balance day by day, also of days on which nothing changed. */
function Course({ view, onView }: { view: string; onView: (view: string) => void }) {
  const { data, failure, refresh } = useDays()
  const days = data ?? []
  const at = useMemo(() => days.map(({ date }) => toMillis(date)), [data])
  const chosen = view === 'days' ? 'days' : 'balance'
  const series = useMemo(
    () =>
      chosen === 'balance'
        ? [{ name: 'balance', tone: 'good' as const, values: days.map(({ balance }) => balance) }]
        : [
            { name: 'added', tone: 'good' as const, values: days.map(({ credited }) => credited) },
            { name: 'spent', tone: 'wait' as const, values: days.map(({ debited }) => Math.abs(debited)) },
          ],
    [data, chosen],
  )
  if (data === undefined) return <Loading failure={failure} retry={refresh} />
  return (
    <Tabs label="Credits over time" tabs={VIEWS} chosen={chosen} onChoose={onView}>
      <Chart
        key={chosen}
        label={chosen === 'balance' ? 'Credits at the end of each day' : 'Credits added and spent each day'}
        at={at}
        series={series}
        kind={chosen === 'balance' ? 'steps' : 'lines'}
      />
    </Tabs>
  )
}

const KINDS: Record<string, string> = {
  renewal: 'Credits of the new cycle',
  expiry: 'Unused credits of the old cycle expired',
  upgrade: 'Plan changed',
  grant: 'Granted by the operator',
  purchase: 'Checkout',
  debit: 'Work',
  reversal: 'Reversed',
}

function What({ of: { kind, action, reference, reason } }: { of: LedgerEntry }) {
  const place = pathOfId(textOf(reference))
  const words = action === null ? (KINDS[kind] ?? textOf(kind)) : (ACTION_WORDS[action] ?? textOf(action))
  return (
    <div class="person">
      <span class="person-name">
        {words}
        {reason && <span class="quiet"> · {textOf(reason)}</span>}
      </span>
      {reference && (
        <span class="small">
          {place === undefined ? (
            <code class="quiet">{textOf(reference)}</code>
          ) : (
            <a href={to(place.path)}>
              <code>{place.id}</code>
            </a>
          )}
        </span>
      )}
    </div>
  )
}
