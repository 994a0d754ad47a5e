import { useState } from 'preact/hooks'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { toMillis } from '../../app/clock.ts'
import { go, to } from '../../app/router.ts'
import { count, duration, latencyWords, shortNumber, shortUrl, textOf } from '../../app/words.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Glyph } from '../../parts/icons.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { Failed, Notice, Waiting } from '../../parts/notice.tsx'
import { Figure, Page, Panel } from '../../parts/page.tsx'
import { Countdown, Time } from '../../parts/time.tsx'
import { useWebhooks } from '../webhooks/data.ts'
import { MOST, useDeliveryStats, useFollowing, useNewest, useTroubled } from './data.ts'
import { type Problem, problemsOf } from './problems.ts'

const Resend = lazy(() => import('../deliveries/resend.tsx').then((module) => module.Resend))
const Steps = lazy(() => import('./steps.tsx').then((module) => module.Steps), 8)

/** What one sees first: what is wrong, and how the organization fares. */
export function Screen() {
  const { organization, reason } = useAccess()
  const locked = reason({ role: 'administrator' })
  const newest = useNewest()
  const webhooks = useWebhooks()
  useFollowing()
  useActions([{ label: 'New webhook', run: () => go(to('/webhooks/new')), reason: locked }])
  const isNew = newest.data?.data.every(({ test }) => test) === true
  return (
    <Page title="Overview" lead={textOf(organization?.name)}>
      {newest.failure && newest.data === undefined ? (
        <Failed failure={newest.failure} retry={newest.refresh} />
      ) : newest.data === undefined || webhooks.data === undefined ? (
        <Waiting lines={8} />
      ) : (
        <>
          {isNew && <Steps webhooks={webhooks.rows} newest={newest.data.data} reason={locked} />}
          {!isNew && <Problems locked={locked} />}
          <Webhooks />
          {!isNew && <Fares />}
        </>
      )}
    </Page>
  )
}

/** What fails, grouped by where and why, each with what can be done about it. */
function Problems({ locked }: { locked: string | undefined }) {
  const { data, failure, refresh } = useTroubled()
  const [resent, setResent] = useState<Problem | undefined>()
  if (data === undefined)
    return failure === undefined ? <Waiting lines={2} /> : <Failed failure={failure} retry={refresh} />
  const problems = problemsOf(data.data)
  if (problems.length === 0)
    return (
      <Notice tone="good" icon="check" title="Nothing is wrong">
        Whatever was attempted in the last 24 hours was delivered.
      </Notice>
    )
  const isMore = data.nextCursor !== null && data.data.length >= MOST
  return (
    <Panel
      title="Open problems"
      note={isMore ? `Of the newest ${MOST} deliveries that failed` : undefined}
      flush
    >
      <ul class="problems">
        {problems.map((problem) => (
          <li key={problem.key} class={`problem problem-${problem.status}`}>
            <Glyph icon={problem.status === 'pending' ? 'clock' : 'alert'} />
            <div class="problem-words">
              <strong>
                {count(problem.items.length, 'delivery', 'deliveries')}{' '}
                {problem.status === 'pending' ? 'waiting' : 'failed'}
              </strong>{' '}
              · {shortUrl(problem.url)} · {problem.cause}
              <div class="small quiet">
                since <Time at={problem.since} />
                {problem.next && (
                  <>
                    , next attempt <Time at={problem.next} />
                  </>
                )}
              </div>
            </div>
            <div class="row">
              <LinkButton small href={to(`/deliveries/${problem.items[0]?.id ?? ''}`)}>
                Why?
              </LinkButton>
              <LinkButton
                small
                href={to('/deliveries', {
                  status: problem.status,
                  webhookId: problem.webhookId,
                  code: problem.code,
                })}
              >
                List
              </LinkButton>
              <Button small icon="retry" reason={locked} onPress={() => setResent(problem)}>
                {problem.status === 'pending' ? 'Try all now' : `Send ${problem.items.length} again`}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {resent && <Resend items={resent.items} onClose={() => setResent(undefined)} />}
    </Panel>
  )
}

/** Webhooks to which nothing is sent, and secrets of which two sign. */
function Webhooks() {
  const { rows } = useWebhooks()
  const off = rows.filter(({ status }) => status === 'disabled')
  const paused = rows.filter(({ status }) => status === 'paused')
  const overlapping = rows.filter(({ previousSecretExpiresAt }) => previousSecretExpiresAt !== null)
  return (
    <>
      {off.map(({ id, url, disabledReason }) => (
        <Notice
          key={id}
          tone="bad"
          icon="alert"
          title={`Nothing is sent to ${shortUrl(url)}`}
          actions={
            <LinkButton small href={to(`/webhooks/${id}`)}>
              Look
            </LinkButton>
          }
        >
          {textOf(disabledReason ?? 'It was disabled').replaceAll('_', ' ')}
        </Notice>
      ))}
      {paused.map(({ id, url }) => (
        <Notice
          key={id}
          tone="wait"
          icon="pause"
          title={`${shortUrl(url)} is paused`}
          actions={
            <LinkButton small href={to(`/webhooks/${id}`)}>
              Look
            </LinkButton>
          }
        />
      ))}
      {overlapping.map(({ id, url, previousSecretExpiresAt }) => (
        <Notice
          key={id}
          icon="key"
          title={`Two secrets sign for ${shortUrl(url)}`}
          actions={
            <LinkButton small href={to(`/webhooks/${id}`)}>
              Look
            </LinkButton>
          }
        >
          The old one ends in <Countdown until={previousSecretExpiresAt} />.
        </Notice>
      ))}
    </>
  )
}

/** The last day in figures and over time. */
function Fares() {
  const { data, failure, refresh } = useDeliveryStats()
  if (data === undefined)
    return failure === undefined ? <Waiting lines={6} /> : <Failed failure={failure} retry={refresh} />
  const { totals, latencyMs, backlog, buckets } = data
  return (
    <Panel title="Last 24 hours">
      <div class="figures">
        <Figure name="Delivered" value={shortNumber(totals.delivered)} />
        <Figure name="Failed" value={shortNumber(totals.failed)} />
        <Figure
          name="Waiting now"
          value={shortNumber(backlog.pending)}
          note={
            backlog.oldestPendingAt ? (
              <>
                oldest due <Time at={backlog.oldestPendingAt} />
              </>
            ) : (
              'nothing is late'
            )
          }
        />
        <Figure name="Held now" value={shortNumber(backlog.held)} note="by webhooks that are not active" />
        <Figure
          name="Answered within"
          value={latencyMs ? duration(latencyMs.p50) : '–'}
          note={latencyMs ? latencyWords(latencyMs) : undefined}
        />
      </div>
      <Chart
        label="Deliveries by the hour and by what became of them"
        at={buckets.map(({ at }) => toMillis(at))}
        series={[
          { name: 'delivered', tone: 'good', values: buckets.map(({ delivered }) => delivered) },
          { name: 'pending', tone: 'wait', values: buckets.map(({ pending }) => pending) },
          { name: 'failed', tone: 'bad', values: buckets.map(({ failed }) => failed) },
        ]}
      />
    </Panel>
  )
}
