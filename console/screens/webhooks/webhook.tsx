import { useState } from 'preact/hooks'
import type { Webhook } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { outdate, put } from '../../app/data/cache.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'
import { to, useFilters, useGo } from '../../app/router.ts'
import type { ScreenProps } from '../../app/screen.ts'
import { count, shortUrl, textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Loading, Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Due, Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { causeOf, useFollowing } from '../overview/data.tsx'
import { useStats, useWebhook } from './data.ts'
import { Health } from './health.tsx'
import { LastDeliveries } from './last-deliveries.tsx'

const SendTest = lazy(() => import('./send-test.tsx').then((module) => module.SendTest))
const ReplayDialog = lazy(() => import('./replay.tsx').then((module) => module.ReplayDialog))
const RotateSecret = lazy(() => import('./rotate.tsx').then((module) => module.RotateSecret))
const SettingsTab = lazy(() => import('./settings-tab.tsx').then((module) => module.SettingsTab), 8)

const TABS = [
  { name: 'deliveries', label: 'Deliveries' },
  { name: 'settings', label: 'Settings' },
] as const

/** One webhook: its health and last deliveries, and in a second tab its settings and its secret. */
export function Screen({ params: { id = '' } }: ScreenProps) {
  const { data: webhook, failure, refresh } = useWebhook(id)
  const back = { href: to('/webhooks'), label: 'Webhooks' }
  useLive(['webhook'], ({ event, data }) => {
    if (event === 'gap' || data.id === id) outdate(`webhooks/${id}`)
  })
  if (webhook === undefined)
    return (
      <Page title="Webhook" back={back}>
        <Loading failure={failure} retry={refresh} lines={8} />
      </Page>
    )
  return <Known webhook={webhook} />
}

function Known({ webhook }: { webhook: Webhook }) {
  const goOn = useGo()
  const { id, url, status, health } = webhook
  const access = useAccess()
  const reason = access.reason({ permission: 'webhooks:write' })
  const mayNotReplay = access.reason({ permission: 'deliveries:write' })
  const [open, setOpen] = useState<'test' | 'delete' | 'pause' | 'replay' | 'rotate' | undefined>()
  const close = () => setOpen(undefined)
  const stats = useStats(id).data
  const [at, setTab] = useFilters(['tab'] as const)
  const tab = at.tab === 'settings' ? 'settings' : 'deliveries'
  useFollowing(`webhooks/${id}/stats`)
  const isActive = status === 'active'
  const isListener = webhook.listener !== null
  const mayNotTest = reason ?? (isListener ? 'Clients fetch the deliveries of a listener' : undefined)
  const mayNotPause = reason ?? (isListener && isActive ? 'A listener waits while no client asks' : undefined)
  const change = async (next: 'active' | 'paused') => {
    put(`webhooks/${id}`, await postern.webhooks.update(id, { status: next }))
    outdate('webhooks')
    toast(next === 'active' ? 'The webhook is resumed' : 'The webhook is paused')
  }
  useActions([
    { label: 'Send a test', run: () => setOpen('test'), reason: mayNotTest },
    { label: 'Replay deliveries', run: () => setOpen('replay'), reason: mayNotReplay },
    {
      label: isActive ? 'Pause the webhook' : 'Resume the webhook',
      run: () => setOpen('pause'),
      reason: mayNotPause,
    },
  ])
  return (
    <Page
      title={shortUrl(url)}
      back={{ href: to('/webhooks'), label: 'Webhooks' }}
      mark={<Status of={webhook.health.state} />}
      lead={webhook.description && textOf(webhook.description)}
      actions={
        <>
          <Button kind="primary" icon="send" reason={mayNotTest} onPress={() => setOpen('test')}>
            Send test
          </Button>
          <Button icon={isActive ? 'pause' : 'run'} reason={mayNotPause} onPress={() => setOpen('pause')}>
            {isActive ? 'Pause' : 'Resume'}
          </Button>
          <Menu
            label="More"
            items={[
              { label: 'Rotate secret…', icon: 'key', reason, run: () => setOpen('rotate') },
              {
                ...{ label: 'Replay…', icon: 'retry', reason: mayNotReplay },
                run: () => setOpen('replay'),
              },
              {
                label: 'Delete the webhook',
                icon: 'trash',
                danger: true,
                reason,
                run: () => setOpen('delete'),
              },
            ]}
          />
        </>
      }
    >
      {status === 'disabled' && (
        <Notice tone="bad" icon="alert" title="The webhook is disabled">
          {textOf(webhook.disabledReason ?? 'Disabled').replaceAll('_', ' ')}. Fix the receiver, then resume
          the webhook.
        </Notice>
      )}
      {(health.state === 'failing' || health.state === 'parked') && (
        <Notice
          tone="bad"
          icon="alert"
          title={health.state === 'parked' ? 'The webhook does not respond' : 'Deliveries fail'}
        >
          Since <Time at={health.since} />: {causeOf(health.reason)}.{' '}
          {health.state === 'parked' &&
            'One delivery at a time is tried; the others follow once one succeeds. '}
          Next attempt <Due at={health.nextAttemptAt} />.
        </Notice>
      )}
      {isListener && health.state === 'paused' && (
        <Notice tone="wait" icon="pause" title="Nobody listens">
          Its deliveries wait for <code>postern listen --name {textOf(webhook.listener ?? '')}</code>.
        </Notice>
      )}
      {status === 'paused' && (
        <Notice tone="wait" icon="pause" title="The webhook is paused">
          Its deliveries wait and are sent when it is resumed.
        </Notice>
      )}
      <Tabs label="Webhook" tabs={TABS} chosen={tab} onChoose={(name) => setTab({ tab: name })}>
        {tab === 'settings' ? (
          <SettingsTab webhook={webhook} reason={reason} />
        ) : (
          <div class="stack">
            <Health id={id} />
            <LastDeliveries webhook={webhook} />
          </div>
        )}
      </Tabs>
      {open === 'test' && <SendTest webhook={webhook} onClose={close} />}
      {open === 'replay' && <ReplayDialog webhookId={id} onClose={close} />}
      {open === 'rotate' && <RotateSecret webhook={webhook} onClose={close} />}
      {open === 'pause' && (
        <Confirm
          title={isActive ? 'Pause this webhook?' : 'Resume this webhook?'}
          action={isActive ? 'Pause' : 'Resume'}
          work={() => change(isActive ? 'paused' : 'active')}
          onClose={close}
        >
          <p>
            {isActive
              ? 'Its deliveries wait. They are sent in order when it is resumed.'
              : `${stats === undefined ? 'All deliveries' : count(stats.deliveries.pending, 'delivery', 'deliveries')} waiting for it are sent now.`}
          </p>
        </Confirm>
      )}
      {open === 'delete' && (
        <Confirm
          title="Delete this webhook?"
          action="Delete"
          danger
          name={shortUrl(url)}
          work={async () => {
            await postern.webhooks.delete(id)
            outdate('webhooks')
            toast('Webhook deleted')
            goOn(to('/webhooks'), { replace: true })
          }}
          onClose={close}
        >
          <p>Waiting deliveries are not sent, and the secret is deleted. This cannot be undone.</p>
        </Confirm>
      )}
    </Page>
  )
}
