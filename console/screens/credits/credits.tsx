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
import { Empty, Failed, Notice, Waiting } from '../../parts/notice.tsx'
import { Figure, Page, Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Countdown, Time } from '../../parts/time.tsx'
import { Buy } from './buy.tsx'
import { CheckoutState } from './checkout-state.tsx'
import { ACTION_WORDS, FILTERS, ledgerQuery, useBalance, useDays, useLedger, usePlans } from './data.ts'
import { Plans } from './plans.tsx'

const ACTIONS = Object.entries(ACTION_WORDS)

/** What there is to spend, where it went, and how to get more. */
export function Screen() {
  const [filter, change] = useFilters(FILTERS)
  const plans = usePlans().data
  const list = useLedger(filter)
  const [isBuying, setBuying] = useState(false)
  const reason =
    useAccess().reason({ role: 'administrator' }) ??
    (plans !== undefined && plans.creditPack === null ? 'Nothing is for sale on this server' : undefined)
  return (
    <Page
      title="Credits"
      lead="What work takes of the balance, and what comes in."
      actions={
        <>
          <ExportCsv path="/v1/billing/ledger" query={ledgerQuery(filter)} name="ledger" />
          <Button kind="primary" icon="plus" reason={reason} onPress={() => setBuying(true)}>
            Buy credits
          </Button>
        </>
      }
    >
      {filter.id !== '' && <CheckoutState id={filter.id} onClose={() => change({ id: '', state: '' })} />}
      <Panel>
        <Balances />
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
            <Empty icon="credits" title="No entry is like that">
              <p>Each change of the balance is written here, with what it was for.</p>
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
  if (data === undefined)
    return failure ? <Failed failure={failure} retry={refresh} /> : <Waiting lines={2} />
  const { balance, reserved, cycleCredits, purchasedCredits, unlimited, creditsPerCycle, cycle } = data
  return (
    <>
      {unlimited && (
        <Notice tone="good" icon="check" title={`The plan ${textOf(data.plan)} has no limit`}>
          Work takes nothing of the balance.
        </Notice>
      )}
      {!unlimited && balance === 0 && (
        <Notice tone="bad" icon="alert" title="There are no credits left">
          Work that costs credits is refused until more are here.
        </Notice>
      )}
      <div class="figures">
        <Figure name="To be spent" value={number(balance)} note="credits" />
        <Figure name="Set aside" value={number(reserved)} note="for work under way" />
        <Figure name="Of the cycle" value={number(cycleCredits)} note="spent first, end with it" />
        <Figure name="Bought" value={number(purchasedCredits)} note="these stay" />
        <Figure
          name="Renewed in"
          value={<Countdown until={cycle.renewsAt} over="a moment" />}
          note={creditsPerCycle === null ? 'no limit' : `to ${number(creditsPerCycle)}`}
        />
      </div>
    </>
  )
}

const VIEWS = [
  { name: 'balance', label: 'Balance' },
  { name: 'days', label: 'Day by day' },
] as const

/** How the balance went, day by day, also through days on which nothing happened. */
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
            { name: 'came', tone: 'good' as const, values: days.map(({ credited }) => credited) },
            { name: 'went', tone: 'wait' as const, values: days.map(({ debited }) => Math.abs(debited)) },
          ],
    [data, chosen],
  )
  if (data === undefined) return failure ? <Failed failure={failure} retry={refresh} /> : <Waiting />
  return (
    <Tabs label="Course of the credits" tabs={VIEWS} chosen={chosen} onChoose={onView}>
      <Chart
        key={chosen}
        label={
          chosen === 'balance' ? 'Credits at the end of each day' : 'Credits that came and went each day'
        }
        at={at}
        series={series}
        kind={chosen === 'balance' ? 'steps' : 'lines'}
      />
    </Tabs>
  )
}

const KINDS: Record<string, string> = {
  renewal: 'the cycle was renewed',
  expiry: 'the cycle ended',
  upgrade: 'another plan',
  grant: 'given by the operator',
  purchase: 'bought',
  debit: 'work',
  reversal: 'taken back',
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
