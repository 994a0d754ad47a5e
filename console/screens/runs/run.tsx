import { useState } from 'preact/hooks'
import type { Run } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { answered, outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { to, useGo } from '../../app/router.ts'
import type { ScreenProps } from '../../app/screen.ts'
import { count, duration, number, textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy, IdText } from '../../parts/copy.tsx'
import { Failed, Loading, Notice } from '../../parts/notice.tsx'
import { Facts, Page, Panel } from '../../parts/page.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { useAgent } from '../agents/data.ts'
import { ActorName } from '../people/actor-name.tsx'
import { Answer } from '../work/answer.tsx'
import { Approval } from './approval.tsx'
import { hasEnded } from './data.ts'
import { type Followed, useRun } from './follow.ts'
import { StepList } from './steps.tsx'

/** One run: its input, its steps and its result. */
export function Screen({ params: { id = '' } }: ScreenProps) {
  const [times, setTimes] = useState(0)
  const followed = useRun(id, times)
  const { data: run, failure, refresh } = followed
  if (run === undefined)
    return (
      <Page title="Run" back={{ href: to('/runs'), label: 'Runs' }}>
        <Loading failure={failure} retry={refresh} lines={8} />
      </Page>
    )
  return <Shown run={run} followed={followed} onResumed={() => setTimes((before) => before + 1)} />
}

function Shown({
  run,
  followed: { steps, said, broken },
  onResumed,
}: {
  run: Run
  followed: Followed
  onResumed: () => void
}) {
  const goOn = useGo()
  const { id, agentId, status, error, conversationId, usage } = run
  const agent = useAgent(agentId).data
  const isOver = hasEnded(run)
  const stopping = useAction(async () => answered(`run ${id}`, await postern.runs.cancel(id)))
  const again = useAction(async () => {
    const next = await postern.agents.run(agentId, { input: run.input, fileIds: run.fileIds })
    outdate('runs')
    goOn(to(`/runs/${next.id}`))
  })
  const resuming = useAction(async () => {
    answered(`run ${id}`, await postern.runs.resume(id))
    onResumed()
  })
  const reason = useAccess().reason({ permission: 'runs:write' })
  const over = reason ?? (isOver ? 'The run has ended' : undefined)
  useActions([{ label: 'Cancel the run', run: () => void stopping.run(), reason: over }])
  const input = textOf(run.input)
  return (
    <Page
      title={input.length > 90 ? `${input.slice(0, 90)}…` : input}
      back={{ href: to('/runs'), label: 'Runs' }}
      mark={<Status of={status} />}
      lead={
        <>
          <a href={to(`/agents/${agentId}`)}>{textOf(agent?.name ?? 'Deleted agent')}</a>, version{' '}
          {run.agentVersion}
        </>
      }
      actions={
        isOver ? (
          <>
            {status === 'failed' && (
              <Button icon="run" reason={reason} busy={resuming.isBusy} onPress={() => void resuming.run()}>
                Resume
              </Button>
            )}
            <Button icon="retry" reason={reason} busy={again.isBusy} onPress={() => void again.run()}>
              Run again
            </Button>
          </>
        ) : (
          <Button
            kind="danger"
            icon="cross"
            reason={reason}
            busy={stopping.isBusy}
            onPress={() => void stopping.run()}
          >
            Cancel
          </Button>
        )
      }
    >
      <Failed failure={stopping.failure ?? again.failure ?? resuming.failure ?? broken} />
      <Approval run={run} />
      {error !== null && (
        <Notice tone="bad" icon="alert" title={textOf(error.message)}>
          <code>{textOf([error.code, error.details.reason].filter(Boolean).join(' '))}</code>
          {error.details.providerMessage !== null && (
            <p>The provider says: “{textOf(error.details.providerMessage)}”</p>
          )}
        </Notice>
      )}
      {run.fileNotes?.map(({ fileId, name, note }) => (
        <Notice key={fileId} tone="wait" icon="alert" title={textOf(name)}>
          {textOf(note)} The model got the same note.
        </Notice>
      ))}
      {status === 'succeeded' && run.finishReason === 'length' && (
        <Notice tone="wait" icon="alert" title="The answer was cut off">
          It reached the maximum tokens per answer of this agent. You can raise that limit.
        </Notice>
      )}
      <div class="work-columns">
        <div class="stack">
          {input.length > 90 && (
            <Panel title="Input">
              <div class="work-text runs-long">{input}</div>
            </Panel>
          )}
          <Panel
            title="Answer"
            actions={run.output ? <Copy text={textOf(run.output)} what="answer" /> : undefined}
          >
            <Answer run={run} said={said} above={2} />
          </Panel>
          <Panel title="Steps" note={isOver ? undefined : 'Live'}>
            {steps.length === 0 ? <p class="quiet">None yet.</p> : <StepList steps={steps} />}
          </Panel>
        </div>
        <div class="work-aside">
          <Panel title="Details">
            <Facts
              rows={[
                ['ID', <IdText key="id" id={id} />],
                ['Credits', number(run.credits)],
                ['Tokens', `${number(usage.inputTokens)} read, ${number(usage.outputTokens)} written`],
                run.durationMs !== null && ['Duration', duration(run.durationMs)],
                conversationId !== null && [
                  'Part of',
                  <a key="conversation" href={to(`/conversations/${conversationId}`)}>
                    a conversation
                  </a>,
                ],
                run.fileIds.length > 0 && ['With', count(run.fileIds.length, 'file')],
                ['Started', <ExactTime key="begun" at={run.createdAt} />],
                ['Ended', <ExactTime key="ended" at={run.endedAt} />],
                ['Created by', <ActorName key="by" id={run.createdBy} />],
              ]}
            />
          </Panel>
        </div>
      </div>
    </Page>
  )
}
