import { useState } from 'preact/hooks'
import type { Problem } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { go, to } from '../../app/router.ts'
import { duration, latencyWords, lineOfUrl, number, shortNumber, textOf } from '../../app/words.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Glyph } from '../../parts/icons.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { Failed, Loading, Notice, Waiting } from '../../parts/notice.tsx'
import { Figure, Page, Panel } from '../../parts/page.tsx'
import { Countdown, Due, Time } from '../../parts/time.tsx'
import { useWebhooks } from '../webhooks/data.ts'
import { causeOf, DeliveryChart, useDeliveryStats, useFollowing, useNewest, useProblems } from './data.tsx'
import { placeOf, sizeOf, titleOf } from './problems.ts'

const SendAll = lazy(() => import('./send-all.tsx').then((module) => module.SendAll))
const Steps = lazy(() => import('./steps.tsx').then((module) => module.Steps), 8)

/** The first screen: open problems, and the figures of the last day. */
export function Screen() {
  const { organization, reason, may } = useAccess()
  const locked = reason({ permission: 'webhooks:write' })
  const newest = useNewest()
  const webhooks = useWebhooks()
  useFollowing()
  useActions([{ label: 'New webhook', run: () => go(to('/webhooks/new')), reason: locked }])
  const isNew = newest.data?.data.every(({ test }) => test) === true
  return (
    <Page title="Overview" lead={textOf(organization?.name)}>
      {newest.failure && newest.data === undefined ? (
        <Failed failure={newest.failure} retry={newest.refresh} />
      ) : !may('deliveries:read') ? (
        <Problems isNew={false} />
      ) : newest.data === undefined || (webhooks.data === undefined && may('webhooks:read')) ? (
        <Waiting lines={8} />
      ) : (
        <>
          {isNew && may('webhooks:read') && (
            <Steps webhooks={webhooks.rows} newest={newest.data.data} reason={locked} />
          )}
          <Problems isNew={isNew} />
          <Webhooks />
          {!isNew && <Fares />}
        </>
      )}
    </Page>
  )
}

/** The open problems, each with its actions. */
function Problems({ isNew }: { isNew: boolean }) {
  const { data, failure, refresh } = useProblems()
  const [resent, setResent] = useState<Sending | undefined>()
  if (data === undefined) return <Loading failure={failure} retry={refresh} lines={2} />
  if (data.data.length === 0)
    return isNew ? null : (
      <Notice tone="good" icon="check" title="No open problems">
        Nothing that you can see has failed or waits for you.
      </Notice>
    )
  return (
    <Panel
      title="Open problems"
      note={data.more > 0 ? `The ${data.data.length} worst; ${data.more} more` : undefined}
      flush
    >
      <ul class="problems">
        {data.data.map((problem) => (
          <Row key={problem.id} problem={problem} onSend={setResent} />
        ))}
      </ul>
      {resent && <SendAll {...resent} onClose={() => setResent(undefined)} />}
    </Panel>
  )
}

interface Sending {
  problem: Problem
  status: 'pending' | 'failed'
}

/** What happens at `nextAt`, by the kind of problem. */
const NEXT: Record<string, string> = { credits: 'renewed', api_key: 'ends' }

function Row({ problem, onSend }: { problem: Problem; onSend: (sending: Sending) => void }) {
  const { kind, state, reason, message, since, nextAt, waiting, failed, exampleId } = problem
  const isWebhook = kind === 'webhook'
  const waits = state === 'waiting' || state === 'low' || state === 'expiring'
  const cause =
    isWebhook || reason === null ? causeOf(reason) : textOf(message ?? reason.replaceAll('_', ' '))
  const mayNot = useAccess().reason({ permission: 'deliveries:write' })
  return (
    <li class={waits ? 'problem problem-pending' : 'problem'}>
      <Glyph icon={waits ? 'clock' : 'alert'} />
      <div class="problem-words">
        <strong>{titleOf(problem)}</strong>
        <div class="small quiet">
          {isWebhook && `${sizeOf(problem)}, `}since <Time at={since} />
          {nextAt && (
            <>
              , {NEXT[kind] ?? 'next attempt'} <Due at={nextAt} />
            </>
          )}
        </div>
        {isWebhook && exampleId ? (
          <a class="small" href={to(`/deliveries/${exampleId}`)}>
            Why? {cause}
          </a>
        ) : (
          <div class="small">{cause}</div>
        )}
      </div>
      <div class="row">
        <LinkButton small href={placeOf(problem)}>
          Details
        </LinkButton>
        {isWebhook && waiting && state !== 'disabled' && (
          <Button small icon="retry" reason={mayNot} onPress={() => onSend({ problem, status: 'pending' })}>
            Retry all
          </Button>
        )}
        {isWebhook && failed && state !== 'disabled' && (
          <Button small icon="retry" reason={mayNot} onPress={() => onSend({ problem, status: 'failed' })}>
            {`Replay ${number(failed.count)}${failed.atLeast ? '+' : ''}`}
          </Button>
        )}
      </div>
    </li>
  )
}

/** Paused webhooks, and webhooks with two live secrets. */
function Webhooks() {
  const { rows } = useWebhooks()
  const paused = rows.filter(({ status }) => status === 'paused')
  const overlapping = rows.filter(({ previousSecretExpiresAt }) => previousSecretExpiresAt !== null)
  return (
    <>
      {paused.map(({ id, url }) => (
        <Notice
          key={id}
          tone="wait"
          icon="pause"
          title={`${lineOfUrl(url)} is paused`}
          actions={
            <LinkButton small href={to(`/webhooks/${id}`)}>
              Details
            </LinkButton>
          }
        />
      ))}
      {overlapping.map(({ id, url, previousSecretExpiresAt }) => (
        <Notice
          key={id}
          icon="key"
          title={`Two secrets sign for ${lineOfUrl(url)}`}
          actions={
            <LinkButton small href={to(`/webhooks/${id}`)}>
              Details
            </LinkButton>
          }
        >
          The old secret ends in <Countdown until={previousSecretExpiresAt} />.
        </Notice>
      ))}
    </>
  )
}

/** The last day in figures and over time. */
function Fares() {
  const { data, failure, refresh } = useDeliveryStats()
  if (data === undefined) return <Loading failure={failure} retry={refresh} lines={6} />
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
              'nothing is overdue'
            )
          }
        />
        <Figure name="Held now" value={shortNumber(backlog.held)} note="by inactive webhooks" />
        <Figure
          name="Response within"
          value={latencyMs ? duration(latencyMs.p50) : '–'}
          note={latencyMs ? latencyWords(latencyMs) : undefined}
        />
      </div>
      <DeliveryChart buckets={buckets} />
    </Panel>
  )
}
