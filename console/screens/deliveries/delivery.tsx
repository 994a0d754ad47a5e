import { useState } from 'preact/hooks'
import type { Delivery } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { outdate } from '../../app/data/cache.ts'
import { useLive } from '../../app/data/live.ts'
import { useKeys } from '../../app/keys.ts'
import { to, useFilters } from '../../app/router.ts'
import type { ScreenProps } from '../../app/screen.ts'
import { count, duration, textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy, copyText, IdText } from '../../parts/copy.tsx'
import { Loading, Notice } from '../../parts/notice.tsx'
import { Facts, Page, Panel } from '../../parts/page.tsx'
import { Due, ExactTime } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { Url } from '../../parts/url.tsx'
import { useWebhook } from '../webhooks/data.ts'
import { Attempt } from './attempt.tsx'
import { resultOf } from './changes.ts'
import { curlOf } from './curl.ts'
import { useDelivery, useSent } from './data.ts'
import { Resend } from './resend.tsx'
import { RetryLine } from './retry-line.tsx'

/** One delivery: its attempts, their responses, and the next attempt. */
export function Screen({ params: { id = '' } }: ScreenProps) {
  const { data, failure, refresh } = useDelivery(id)
  useLive(['delivery'], ({ event, data: item }) => {
    if (event === 'gap' || item.id === id) outdate(`deliveries/${id}`)
  })
  if (data === undefined)
    return (
      <Page title="Delivery" back={BACK()}>
        <Loading failure={failure} retry={refresh} lines={8} />
      </Page>
    )
  return <Known delivery={data} />
}

const BACK = () => ({ href: to('/deliveries'), label: 'Deliveries' })

function Known({ delivery }: { delivery: Delivery }) {
  const { id, status, eventType, eventId, webhookId, attempts } = delivery
  const reason = useAccess().reason({ permission: 'deliveries:write' })
  const [isResending, setResending] = useState(false)
  const [chosen, change] = useFilters(['attempt'] as const)
  const sent = useSent(eventId).data
  const webhook = useWebhook(webhookId).data
  const at = attempts.findIndex(({ number }) => String(number) === chosen.attempt)
  const shown = attempts[at === -1 ? attempts.length - 1 : at]
  const choose = (number: number) => change({ attempt: String(number) })
  const curl = shown && curlOf(shown, webhook?.url, sent)
  const step = (by: number) => {
    const next = shown && attempts[attempts.indexOf(shown) + by]
    if (next !== undefined) choose(next.number)
  }
  const copyCurl = async () => {
    if (curl !== undefined && (await copyText(curl))) toast('Copied as curl')
  }
  useKeys([
    { keys: 'r', label: 'Retry', run: () => reason === undefined && setResending(true) },
    { keys: 'c', label: 'Copy as curl', run: () => void copyCurl() },
    { keys: 'j', label: 'Next attempt', run: () => step(1) },
    { keys: 'k', label: 'Previous attempt', run: () => step(-1) },
  ])
  useActions([
    { label: 'Retry the delivery', run: () => setResending(true), reason },
    { label: 'Copy as curl', run: () => void copyCurl() },
  ])
  return (
    <Page
      title={textOf(eventType)}
      back={BACK()}
      mark={<Status of={status} />}
      lead={
        <>
          to{' '}
          <a href={to(`/webhooks/${webhookId}`)}>
            {webhook === undefined ? 'its webhook' : <Url of={webhook.url} />}
          </a>
          {delivery.test && ' · a test'}
        </>
      }
      actions={
        <>
          <Button kind="primary" icon="retry" reason={reason} onPress={() => setResending(true)}>
            {status === 'pending' ? 'Retry now' : 'Retry'}
          </Button>
          {curl && (
            <Copy text={curl} what="call as curl">
              Copy as curl
            </Copy>
          )}
        </>
      }
    >
      <Panel>
        <RetryLine delivery={delivery} chosen={shown?.number} onChoose={choose} />
        <p>
          <Course delivery={delivery} />
        </p>
        {attempts.length > 1 && (
          <div class="delivery-attempts" role="group" aria-label="Attempts">
            {attempts.map((attempt) => (
              <Button
                key={attempt.id}
                small
                pressed={attempt === shown}
                onPress={() => choose(attempt.number)}
              >
                {`${attempt.number} · ${resultOf(attempt)}`}
              </Button>
            ))}
          </div>
        )}
      </Panel>
      {shown === undefined ? (
        <Notice icon="clock" title="Not attempted yet">
          <Waits delivery={delivery} />
        </Notice>
      ) : (
        <Attempt
          key={shown.id}
          attempt={shown}
          before={attempts[attempts.indexOf(shown) - 1]}
          url={webhook?.url}
          sent={sent}
        />
      )}
      <Panel title="Details">
        <Facts
          rows={[
            ['Delivery', <IdText key="id" id={id} what="delivery's id" />],
            ['Event', <IdText key="event" id={eventId} what="event's id" />],
            ['Created', <ExactTime key="made" at={delivery.createdAt} />],
            ['Attempts', delivery.attemptCount],
          ]}
        />
      </Panel>
      {isResending && <Resend items={[delivery]} onClose={() => setResending(false)} />}
    </Page>
  )
}

/** The state of a delivery, as a sentence. */
function Course({ delivery }: { delivery: Delivery }) {
  const { status, attempts, attemptCount, reason } = delivery
  const last = attempts.at(-1)
  const made = count(attemptCount, 'attempt', 'attempts')
  const result = last === undefined ? '' : resultOf(last)
  if (status === 'delivered')
    return (
      <>
        Delivered after {made}
        {last && `, answered with ${result} in ${duration(last.durationMs)}`}.
      </>
    )
  if (status === 'failed')
    return (
      <>
        Failed after {made}: {reason === null ? result : textOf(reason).replaceAll('_', ' ')}. It is not
        retried automatically any more.
      </>
    )
  if (status === 'held')
    return <>Held: the webhook is not active. The delivery is sent when the webhook is resumed.</>
  if (attemptCount === 0) return <>Not attempted yet.</>
  return (
    <>
      {made} failed{attemptCount === 1 ? ' with' : ', the last with'} {result}. <Waits delivery={delivery} />
    </>
  )
}

const WAITS: Record<string, string> = {
  attempting: 'An attempt is running.',
  parked:
    'The webhook does not respond. One delivery at a time is tried; the others follow once one succeeds.',
  rate: 'Waiting: the webhook has a limit of calls per second.',
  in_flight: 'Waiting: the webhook has a limit of calls at once.',
  webhook_paused: 'The webhook is paused. The delivery is sent when it is resumed.',
  webhook_disabled: 'The webhook is disabled. The delivery is sent when it is resumed.',
}

/** Why a delivery waits, and when it is attempted. */
function Waits({ delivery: { waiting } }: { delivery: Delivery }) {
  if (waiting === null) return <>Waiting in the queue.</>
  if (waiting.reason === 'retry_scheduled')
    return (
      <>
        Next attempt <Due at={waiting.until} />.
      </>
    )
  return (
    <>
      {WAITS[waiting.reason]}
      {waiting.until && (
        <>
          {' '}
          Next attempt <Due at={waiting.until} />.
        </>
      )}
    </>
  )
}
