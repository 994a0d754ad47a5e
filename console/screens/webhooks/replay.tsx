import { useEffect, useState } from 'preact/hooks'
import type { Replay } from '#sdk/postern.ts'
import { DAY, HOUR, MINUTE, now, toIso } from '../../app/clock.ts'
import { outdate, put, useData } from '../../app/data/cache.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { count } from '../../app/words.ts'
import { Progress } from '../../parts/bar.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failed, Notice } from '../../parts/notice.tsx'

const SPANS = [
  ['last hour', HOUR],
  ['last 24 hours', DAY],
  ['last 7 days', 7 * DAY],
  ['last 30 days', 30 * DAY],
] as const
const STATUSES = [
  ['failed', 'failed'],
  ['delivered', 'delivered'],
  ['all', 'failed and delivered'],
] as const

/** Replays the deliveries of a period: counts them first, and then shows the progress. */
export function ReplayDialog({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const [span, setSpan] = useState<number>(DAY)
  const [status, setStatus] = useState<'failed' | 'delivered' | 'all'>('failed')
  const [begun, setBegun] = useState<string | undefined>()
  const [since, setSince] = useState(() => sinceOf(DAY))
  useEffect(() => setSince(sinceOf(span)), [span])
  const filter = { since, status }
  const matched = useData(
    begun === undefined ? `replay-count ${webhookId} ${since} ${status}` : undefined,
    async (how) => {
      const answer = await postern.webhooks.replay(webhookId, { ...filter, dryRun: true }, how)
      return 'matched' in answer ? Number(answer.matched) : 0
    },
  )
  const starting = useAction(async () => {
    const made = await postern.webhooks.replay(webhookId, filter)
    if ('id' in made) setBegun(made.id)
    outdate('deliveries')
  })
  if (begun !== undefined) return <Running id={begun} onClose={onClose} />
  const many = matched.data
  return (
    <Dialog title="Replay deliveries" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void starting.run()
        }}
      >
        <div class="row test-again">
          <div class="field">
            <label for="replay-status">Deliveries</label>
            <select
              id="replay-status"
              value={status}
              onChange={(event) => setStatus(event.currentTarget.value as typeof status)}
            >
              {STATUSES.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </div>
          <div class="field">
            <label for="replay-span">Created in the</label>
            <select
              id="replay-span"
              value={String(span)}
              onChange={(event) => setSpan(Number(event.currentTarget.value))}
            >
              {SPANS.map(([label, value]) => (
                <option key={label} value={String(value)}>
                  {label}
                </option>
              ))}
            </select>
          </div>
        </div>
        <p role="status">
          {many === undefined
            ? 'Counting…'
            : many === 0
              ? 'No matching deliveries.'
              : `${count(many, 'delivery', 'deliveries')} will be created again from the same events.`}
        </p>
        <Failed failure={matched.failure ?? starting.failure} />
        <div class="row dialog-foot">
          <Button onPress={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            icon="retry"
            busy={starting.isBusy}
            reason={many === 0 ? 'There is nothing to replay' : many === undefined ? 'Counting…' : undefined}
          >
            {many ? `Replay ${count(many, 'delivery', 'deliveries')}` : 'Replay'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** How far a replay has come. */
function Running({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, failure, refresh } = useData(`replays/${id}`, (how) => postern.replays.read(id, how))
  useLive(['replay'], ({ event, data: shown }) => {
    if (event === 'gap') refresh()
    else if (shown.id === id) put(`replays/${id}`, shown as Replay)
  })
  const cancelling = useAction(async () => {
    await postern.replays.cancel(id)
    outdate(`replays/${id}`)
  })
  const isRunning = data?.status === 'running'
  return (
    <Dialog title="Replay" onClose={onClose}>
      <div class="stack">
        <Failed failure={failure ?? cancelling.failure} />
        {data && <Progress label="Replayed" done={data.replayed} total={data.total} />}
        {data?.status === 'completed' && (
          <Notice
            tone="good"
            icon="check"
            title={`${count(data.replayed, 'delivery is', 'deliveries are')} on the way`}
          />
        )}
        {data?.status === 'cancelled' && (
          <Notice icon="pause" title={`Stopped after ${count(data.replayed, 'delivery', 'deliveries')}`} />
        )}
        <p class="quiet">It continues when you close this dialog.</p>
        <div class="row dialog-foot">
          {isRunning && (
            <Button busy={cancelling.isBusy} onPress={() => void cancelling.run()}>
              Stop
            </Button>
          )}
          <Button kind="primary" onPress={onClose}>
            Close
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** Rounded to the minute, so that the count and the replay cover the same deliveries. */
function sinceOf(span: number): string {
  return toIso(Math.floor((now() - span) / MINUTE) * MINUTE)
}
