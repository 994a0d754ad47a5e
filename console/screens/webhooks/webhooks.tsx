import { useState } from 'preact/hooks'
import type { Webhook } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { outdate } from '../../app/data/cache.ts'
import { useLive } from '../../app/data/live.ts'
import { go, to } from '../../app/router.ts'
import { duration, percent, shortNumber, textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Shares } from '../../parts/bar.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { Url } from '../../parts/url.tsx'
import { useStats, useWebhooks } from './data.ts'

const SendTest = lazy(() => import('./send-test.tsx').then((module) => module.SendTest))
const RotateSecret = lazy(() => import('./rotate.tsx').then((module) => module.RotateSecret))

/** Every webhook of the organization, and how each fares. */
export function Screen() {
  const list = useWebhooks()
  useLive(['webhook'], () => outdate('webhooks'))
  const reason = useAccess().reason({ permission: 'webhooks:write' })
  const [tested, setTested] = useState<Webhook | undefined>()
  const [rotated, setRotated] = useState<Webhook | undefined>()
  useActions([{ label: 'New webhook', run: () => go(to('/webhooks/new')), reason }])
  return (
    <Page
      title="Webhooks"
      lead="URLs that receive the events of this organization."
      actions={
        <LinkButton kind="primary" icon="plus" href={to('/webhooks/new')} reason={reason}>
          New webhook
        </LinkButton>
      }
    >
      <Panel flush>
        <ListTable
          label="Webhooks"
          noun={['webhook', 'webhooks']}
          list={list}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => to(`/webhooks/${id}`)}
          rowKeys={reason === undefined ? [{ keys: 't', label: 'Send a test', run: setTested }] : []}
          empty={<NoWebhooks reason={reason} />}
          columns={[
            { title: 'URL', cell: (webhook) => <Address webhook={webhook} /> },
            {
              title: 'Status',
              tight: true,
              phone: 'corner',
              cell: ({ health }) => <Status of={health.state} />,
            },
            { title: 'Last 24 hours', cell: ({ id }) => <Fares id={id} /> },
            { title: 'p95', tight: true, end: true, minor: true, cell: ({ id }) => <Slowest id={id} /> },
            { title: 'Updated', tight: true, minor: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
            {
              title: 'Test',
              tight: true,
              end: true,
              phone: 'never',
              cell: (webhook) => (
                <span class="row">
                  <Button small icon="send" reason={reason} onPress={() => setTested(webhook)}>
                    Send test
                  </Button>
                  <Button
                    small
                    kind="quiet"
                    icon="key"
                    label="Rotate secret"
                    reason={reason}
                    onPress={() => setRotated(webhook)}
                  />
                </span>
              ),
            },
          ]}
        />
      </Panel>
      {rotated && <RotateSecret webhook={rotated} onClose={() => setRotated(undefined)} />}
      {tested && <SendTest webhook={tested} onClose={() => setTested(undefined)} />}
    </Page>
  )
}

function Address({ webhook: { url, description, events } }: { webhook: Webhook }) {
  const types = events.includes('*')
    ? 'all events'
    : events.slice(0, 3).map(textOf).join(', ') + (events.length > 3 ? ` and ${events.length - 3} more` : '')
  return (
    <span class="webhook-address">
      <Url of={url} />
      <span class="small quiet webhook-note">
        {description ? `${textOf(description)} · ${types}` : types}
      </span>
    </span>
  )
}

/** How the deliveries of a day ended. */
function Fares({ id }: { id: string }) {
  const { data } = useStats(id)
  if (data === undefined) return <span class="quiet">…</span>
  const { delivered, failed, pending } = data.deliveries
  if (delivered + failed + pending === 0) return <span class="quiet">no deliveries</span>
  return (
    <span class="webhook-fares">
      <Shares
        label="Deliveries of the last 24 hours"
        parts={[
          { name: 'delivered', value: delivered, tone: 'good' },
          { name: 'failed', value: failed, tone: 'bad' },
          { name: 'pending', value: pending, tone: 'wait' },
        ]}
      />
      <span class="small number">
        {data.successRate === null
          ? `${shortNumber(pending)} pending`
          : `${percent(data.successRate)} of ${shortNumber(delivered + failed)}`}
      </span>
    </span>
  )
}

function Slowest({ id }: { id: string }) {
  const { data } = useStats(id)
  return <>{data?.latencyMs ? duration(data.latencyMs.p95) : <span class="quiet">–</span>}</>
}

function NoWebhooks({ reason }: { reason: string | undefined }) {
  return (
    <Empty icon="webhook" title="No webhook yet">
      <p>
        A webhook is a URL that receives the events of this organization, signed, and retried until it accepts
        them.
      </p>
      <LinkButton kind="primary" icon="plus" href={to('/webhooks/new')} reason={reason}>
        New webhook
      </LinkButton>
      <p>Or in a terminal:</p>
      <Command
        text={`curl ${location.origin}${to('', {}, undefined).replace(/\/console.*$/, '')}/v1/webhooks \\
  -H "Authorization: Bearer $POSTERN_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"url":"https://example.com/hooks","events":["*"]}'`}
      />
    </Empty>
  )
}
