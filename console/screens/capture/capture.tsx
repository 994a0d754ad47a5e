import { useEffect } from 'preact/hooks'
import type { Capture, Webhook } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { later, now } from '../../app/clock.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { useLive } from '../../app/data/live.ts'
import { baseUrl, postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { to, useFilters } from '../../app/router.ts'
import { lineOfUrl, millisOf, textOf } from '../../app/words.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Empty, Failed, Notice, Waiting } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Countdown } from '../../parts/time.tsx'
import { useWebhooks } from '../webhooks/data.ts'
import { AddressForm } from './address-form.tsx'
import { Call } from './call.tsx'

/** Catches the next call from outside, to be looked at instead of delivered. */
export function Screen() {
  const [{ webhook: chosen }, change] = useFilters(['webhook'] as const)
  const webhooks = useWebhooks()
  const reason = useAccess().reason({ permission: 'captures:write', module: 'webhooks' })
  const webhook =
    webhooks.rows.find(({ id }) => id === chosen) ??
    webhooks.rows.find(({ endpointPath }) => endpointPath !== null) ??
    webhooks.rows[0]
  return (
    <Page
      title="Capture"
      lead="Other systems can call the inbound address of a webhook. A capture window keeps the next call here instead of delivering it."
    >
      <Failed failure={webhooks.failure} retry={webhooks.refresh} />
      {webhook === undefined ? (
        webhooks.isBusy ? (
          <Waiting lines={6} />
        ) : (
          webhooks.failure === undefined && <NoWebhook mayNot={reason} />
        )
      ) : (
        <>
          <div class="filters">
            <div class="filter">
              <label for="capture-webhook" class="small quiet">
                Webhook
              </label>
              <select
                id="capture-webhook"
                value={webhook.id}
                onChange={(event) => change({ webhook: event.currentTarget.value })}
              >
                {webhooks.rows.map(({ id, url }) => (
                  <option key={id} value={id}>
                    {lineOfUrl(url)}
                  </option>
                ))}
              </select>
            </div>
          </div>
          {reason !== undefined ? (
            <Notice icon="lock" title={reason}>
              Calls from outside may contain confidential data. Only administrators can read them.
            </Notice>
          ) : webhook.endpointPath === null ? (
            <AddressForm key={webhook.id} webhook={webhook} />
          ) : (
            <Window key={webhook.id} webhook={webhook} path={webhook.endpointPath} />
          )}
        </>
      )}
    </Page>
  )
}

function NoWebhook({ mayNot }: { mayNot: string | undefined }) {
  return (
    <Panel>
      <Empty icon="capture" title="No webhook yet">
        <p>Captured calls belong to a webhook and can be delivered to its URL later.</p>
        <LinkButton kind="primary" icon="plus" href={to('/webhooks/new')} reason={mayNot}>
          New webhook
        </LinkButton>
      </Empty>
    </Panel>
  )
}

/** Whether a window is open, which it is until its first call. */
function isOpen({ status, expiresAt }: Capture): boolean {
  return status === 'open' && (millisOf(expiresAt) ?? 0) > now()
}

function Window({ webhook: { id }, path }: { webhook: Webhook; path: string }) {
  const key = `captures/${id}`
  const list = useList(key, (how) => postern.captures.list(id, { limit: 20 }, how))
  const open = list.rows.find(isOpen)
  const calls = list.rows.filter(({ status }) => status === 'captured')
  const starting = useAction(async () => {
    await postern.captures.start(id)
    outdate(key)
  })
  const stopping = useAction(async () => {
    await postern.captures.stop(id)
    outdate(key)
  })
  useLive(['capture'], ({ event, data }) => {
    if (event === 'gap' || data.webhookId === id) outdate(key)
  })
  // The stream has no event for a window that ends by its time.
  const ends = open === undefined ? undefined : millisOf(open.expiresAt)
  useEffect(() => (ends === undefined ? undefined : later(ends - now(), () => outdate(key))), [ends])
  useActions([
    open === undefined
      ? { label: 'Open a capture window', run: () => void starting.run() }
      : { label: 'Close the capture window', run: () => void stopping.run() },
  ])
  const address = `${baseUrl}/v1/webhooks/${textOf(path)}`
  return (
    <>
      <Panel
        title={open === undefined ? 'No window is open' : 'Waiting for a call…'}
        note={
          open === undefined ? (
            'Calls are delivered immediately.'
          ) : (
            <>
              The window closes in <Countdown until={open.expiresAt} />. The first call fills it.
            </>
          )
        }
        actions={
          open === undefined ? (
            <Button kind="primary" icon="capture" busy={starting.isBusy} onPress={() => void starting.run()}>
              Open a window
            </Button>
          ) : (
            <Button icon="cross" busy={stopping.isBusy} onPress={() => void stopping.run()}>
              Close
            </Button>
          )
        }
      >
        <Failed failure={starting.failure ?? stopping.failure} />
        {open && (
          <div class="capture-wait" role="status">
            <i aria-hidden="true" />
            <span>Listening</span>
          </div>
        )}
        <Command label="inbound address" text={address} />
        <Command
          label="curl command"
          text={`curl ${address} \\\n  -H "Content-Type: application/json" \\\n  -d '{"hello":"Postern"}'`}
        />
      </Panel>
      <div class="stack" aria-live="polite">
        <Failed failure={list.failure} retry={list.refresh} />
        {calls.map((capture, at) => (
          <Call key={capture.id} webhookId={id} capture={capture} isFirst={at === 0} />
        ))}
      </div>
      {list.hasMore && <Pager list={list} noun={['window', 'windows']} />}
      {calls.length === 0 && !list.isBusy && (
        <Panel>
          <Empty icon="capture" title="No calls captured yet">
            <p>
              Open a window, then call the address above. The call appears here with its headers and exact
              body.
            </p>
          </Empty>
        </Panel>
      )}
    </>
  )
}
