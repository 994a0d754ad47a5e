import { useState } from 'preact/hooks'
import type { DeliveryItem } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { liveState, useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'
import { useKeys } from '../../app/keys.ts'
import { to, useFilters } from '../../app/router.ts'
import { useStore } from '../../app/store.ts'
import { count, errorWords, lineOfUrl, textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Filters } from '../../parts/filters.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { Url } from '../../parts/url.tsx'
import { useWebhooks } from '../webhooks/data.ts'
import { LastResponse, NextAttempt } from './cells.tsx'
import { ERROR_CLASSES, FILTERS, type Filter, matches, queryOf } from './data.ts'
import { useTail } from './use-tail.ts'

const Resend = lazy(() => import('./resend.tsx').then((module) => module.Resend))

const STATUSES = [
  ['pending', 'pending'],
  ['failed', 'failed'],
  ['failed,pending', 'failed or pending'],
  ['held', 'held'],
  ['delivered', 'delivered'],
] as const

/** Every delivery of the organization, as it happens. */
export function Screen() {
  const [filter, change] = useFilters(FILTERS)
  const key = `deliveries ${JSON.stringify(filter)}`
  const list = useList(key, (how) => postern.deliveries.list({ ...queryOf(filter), limit: 50 }, how))
  const tail = useTail(key, (item) => matches(item, filter))
  const reason = useAccess().reason({ permission: 'deliveries:write' })
  const [chosen, setChosen] = useState<ReadonlyMap<string, DeliveryItem>>(new Map())
  const [resent, setResent] = useState<DeliveryItem[] | undefined>()
  const webhooks = useWebhooks().rows
  const ofId = new Map(webhooks.map((webhook) => [String(webhook.id), webhook]))
  useLive(['webhook'], () => outdate('webhooks'))
  const isFiltered = FILTERS.some((name) => filter[name] !== '')
  useKeys([{ keys: 'l', label: 'Pause or resume the list', run: () => tail.switchOn(!tail.isOn) }])
  // A row that has left the page is chosen still.
  const shown = new Map(list.rows.map((row) => [row.id, row]))
  const choose = (ids: Set<string>) =>
    setChosen(
      new Map(
        [...ids].flatMap((id) => {
          const row = shown.get(id) ?? chosen.get(id)
          return row === undefined ? [] : [[id, row] as const]
        }),
      ),
    )
  const picked = [...chosen].map(([id, row]) => shown.get(id) ?? row)
  return (
    <Page title="Deliveries" lead="Every event sent to a webhook." actions={<Following tail={tail} />}>
      <Filters
        values={filter}
        onChange={change}
        rows={[
          { name: 'status', label: 'Status', kind: 'choice', options: STATUSES },
          {
            name: 'webhookId',
            label: 'Webhook',
            kind: 'choice',
            options: webhooks.map(({ id, url }) => [id, lineOfUrl(url)] as const),
          },
          { name: 'eventType', label: 'Event type', kind: 'text', placeholder: 'order.paid' },
          {
            name: 'code',
            label: 'Response',
            kind: 'choice',
            options: [
              ...['2xx', '3xx', '4xx', '5xx'].map((one) => [one, one] as const),
              ...ERROR_CLASSES.map((one) => [one, errorWords(one)] as const),
            ],
          },
          { name: 'since', label: 'Created', kind: 'span' },
        ]}
      />
      {chosen.size > 0 && (
        <div class="row delivery-chosen" role="status">
          <span>{count(chosen.size, 'delivery', 'deliveries')} selected</span>
          <Button small icon="retry" reason={reason} onPress={() => setResent(picked)}>
            Retry…
          </Button>
          <Button small kind="quiet" onPress={() => setChosen(new Map())}>
            Clear selection
          </Button>
        </div>
      )}
      <Panel flush>
        <ListTable
          label="Deliveries"
          noun={['delivery', 'deliveries']}
          list={list}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => to(`/deliveries/${id}`)}
          chosen={new Set(chosen.keys())}
          onChoose={choose}
          rowKeys={
            reason === undefined ? [{ keys: 'r', label: 'Retry', run: (row) => setResent([row]) }] : []
          }
          empty={isFiltered ? <NoMatch filter={filter} onClear={change} /> : <NoDelivery />}
          columns={[
            { title: 'Event', cell: (item) => <What item={item} /> },
            { title: 'Status', tight: true, phone: 'corner', cell: (item) => <StatusAndAge item={item} /> },
            { title: 'Response', tight: true, phone: 'never', cell: (item) => <LastResponse item={item} /> },
            {
              title: 'Attempts',
              tight: true,
              end: true,
              minor: true,
              cell: ({ attemptCount }) => attemptCount,
            },
            {
              title: 'Next',
              tight: true,
              minor: true,
              cell: (item) => <NextAttempt item={item} webhook={ofId.get(item.webhookId)} />,
            },
            {
              title: 'Created',
              tight: true,
              phone: 'never',
              cell: ({ createdAt }) => <Time at={createdAt} />,
            },
            {
              title: 'Retry',
              tight: true,
              end: true,
              phone: 'never',
              cell: (item) => (
                <Button
                  small
                  kind="quiet"
                  icon="retry"
                  label="Retry"
                  reason={reason}
                  onPress={() => setResent([item])}
                />
              ),
            },
          ]}
        />
      </Panel>
      {resent && (
        <Resend
          items={resent}
          onClose={() => {
            setResent(undefined)
            setChosen(new Map())
          }}
        />
      )}
    </Page>
  )
}

/** The switch of the live list, and the number of deliveries that arrived while it was paused. */
function Following({ tail: { isOn, switchOn, waiting, rate } }: { tail: ReturnType<typeof useTail> }) {
  const state = useStore(liveState)
  return (
    <>
      {isOn && state === 'live' && rate > 0 && <span class="small quiet number">{rate} a second</span>}
      <Button icon={isOn ? 'pause' : 'run'} pressed={!isOn} onPress={() => switchOn(!isOn)}>
        {isOn ? 'Pause' : waiting === 0 ? 'Resume' : `Resume: ${waiting} new`}
      </Button>
    </>
  )
}

function What({ item: { eventType, url, test } }: { item: DeliveryItem }) {
  return (
    <span class="delivery-what">
      <span>
        {textOf(eventType)}
        {test && <span class="small quiet"> test</span>}
      </span>
      <span class="small quiet delivery-to">
        <Url of={url} />
      </span>
    </span>
  )
}

/** Its status, and on a phone its age below it; on a wide screen the age has a column of its own. */
function StatusAndAge({ item: { status, createdAt } }: { item: DeliveryItem }) {
  return (
    <span class="delivery-stands">
      <Status of={status} />
      <span class="small quiet">
        <Time at={createdAt} />
      </span>
    </span>
  )
}

function NoMatch({ filter, onClear }: { filter: Filter; onClear: (changed: Partial<Filter>) => void }) {
  const set = FILTERS.filter((name) => filter[name] !== '')
  return (
    <Empty icon="filter" title="No matching deliveries">
      <p>Remove {set.length === 1 ? 'this filter' : 'a filter'} to see more.</p>
      <div class="row">
        {set.map((name) => (
          <Button key={name} small icon="cross" onPress={() => onClear({ [name]: '' })}>
            {filter[name].replace(/^whk_.*/, 'this webhook').replace(/^evt_.*/, 'this event')}
          </Button>
        ))}
      </div>
    </Empty>
  )
}

function NoDelivery() {
  return (
    <Empty icon="delivery" title="No deliveries yet">
      <p>
        Each event creates one delivery for every webhook that subscribes to its type. It appears here
        immediately.
      </p>
      <LinkButton icon="webhook" href={to('/webhooks')}>
        Send a test to a webhook
      </LinkButton>
    </Empty>
  )
}
