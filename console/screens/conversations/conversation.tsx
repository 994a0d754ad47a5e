import { useEffect, useRef, useState } from 'preact/hooks'
import type { Conversation, Message, Run } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { outdate, useData } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { to, useGo } from '../../app/router.ts'
import type { ScreenProps } from '../../app/screen.ts'
import { count, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Failed, Loading, Waiting } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { Approval } from '../runs/approval.tsx'
import { hasEnded } from '../runs/data.ts'
import { type Followed, useRun } from '../runs/follow.ts'
import { Answer, AnswerText } from '../work/answer.tsx'
import { Composer } from './composer.tsx'
import { useMessages } from './data.ts'

/** One conversation: its messages, the answer that is being written, and a field for the next message. */
export function Screen({ params: { id = '' } }: ScreenProps) {
  const { data, failure, refresh } = useData(`conversation ${id}`, (how) =>
    postern.conversations.read(id, how),
  )
  if (data === undefined)
    return (
      <Page title="Conversation" back={{ href: to('/conversations'), label: 'Conversations' }}>
        <Loading failure={failure} retry={refresh} lines={8} />
      </Page>
    )
  return <Open conversation={data} />
}

function Open({ conversation: { id, title } }: { conversation: Conversation }) {
  const goOn = useGo()
  const { may, reason } = useAccess()
  const list = useMessages(id)
  const messages = [...list.rows].reverse()
  const newest = list.rows[0]
  // The last question has no answer yet: its run is shown, which is running or has failed.
  const followed = useRun(newest?.role === 'user' && may('runs:read') ? newest.runId : undefined)
  const run = newest?.role === 'user' ? followed.data : undefined
  const isAtWork = newest?.role === 'user' && (run === undefined || !hasEnded(run))
  const [isDeleting, setDeleting] = useState(false)
  const end = useRef<HTMLDivElement>(null)
  const stopping = useAction(async () => {
    if (newest !== undefined) await postern.runs.cancel(newest.runId)
    outdate(`run ${newest?.runId}`)
  })
  useEffect(() => {
    if (run?.status === 'succeeded') outdate(`messages ${id}`)
  }, [run?.status])
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [newest?.id, followed.said])
  return (
    <Page
      title={title === null ? 'Conversation' : textOf(title)}
      back={{ href: to('/conversations'), label: 'Conversations' }}
      actions={
        <Menu
          label="More"
          items={[
            {
              ...{ label: 'Delete the conversation', icon: 'trash', danger: true },
              reason: reason({ permission: 'conversations:write' }),
              run: () => setDeleting(true),
            },
          ]}
        />
      }
    >
      <Panel>
        <Failed failure={list.failure} retry={list.refresh} />
        {list.hasMore && (
          <Button small busy={list.isReadingMore} onPress={() => void list.more()}>
            Show earlier messages
          </Button>
        )}
        {list.data === undefined && list.failure === undefined && <Waiting lines={4} />}
        {list.data !== undefined && messages.length === 0 && (
          <p class="quiet">No messages yet. Ask a question.</p>
        )}
        <ol class="talk" aria-label="Messages">
          {messages.map((message) => (
            <Said key={message.id} message={message} />
          ))}
          {run && <Underway run={run} followed={followed} />}
        </ol>
        <Failed failure={stopping.failure} />
        <div ref={end} />
        <Composer
          id={id}
          isAtWork={isAtWork}
          lastAgent={run?.agentId}
          stop={
            isAtWork && (
              <Button
                kind="danger"
                icon="cross"
                reason={reason({ permission: 'runs:write' })}
                busy={stopping.isBusy}
                onPress={() => void stopping.run()}
              >
                Stop
              </Button>
            )
          }
        />
      </Panel>
      {isDeleting && (
        <Confirm
          title="Delete this conversation?"
          action="Delete"
          danger
          work={async () => {
            await postern.conversations.delete(id)
            outdate('conversations')
            toast('Conversation deleted')
            goOn(to('/conversations'), { replace: true })
          }}
          onClose={() => setDeleting(false)}
        >
          <p>Its messages are deleted and its running runs are cancelled. This cannot be undone.</p>
        </Confirm>
      )}
    </Page>
  )
}

function Said({ message: { role, content, createdAt, runId, finishReason } }: { message: Message }) {
  const text = textOf(content)
  return (
    <li class={`talk-${role === 'user' ? 'user' : 'agent'}`}>
      <div class="row small quiet">
        <span>{role === 'user' ? 'Question' : 'Answer'}</span>
        <Time at={createdAt} />
        {role === 'assistant' && (
          <>
            <a href={to(`/runs/${runId}`)}>Show the run</a>
            <Copy text={text} what="answer" />
          </>
        )}
      </div>
      {role === 'user' ? <div class="work-text">{text}</div> : <AnswerText text={text} above={1} />}
      {finishReason === 'length' && <p class="small quiet">The answer was cut at the token limit.</p>}
    </li>
  )
}

/** The answer on its way, or why there is none. */
function Underway({ run, followed: { steps, said, broken } }: { run: Run; followed: Followed }) {
  if (run.status === 'succeeded') return null
  return (
    <li class="talk-agent">
      <div class="row small quiet">
        <span>
          {run.status === 'cancelled' ? 'Cancelled' : run.status === 'failed' ? 'Failed' : 'Answering'}
        </span>
        <a href={to(`/runs/${run.id}`)}>{count(steps.length, 'step')}</a>
      </div>
      {run.error !== null && (
        <p>
          {textOf(run.error.message)}{' '}
          {run.error.details.providerMessage !== null &&
            `The provider says: “${textOf(run.error.details.providerMessage)}”`}
        </p>
      )}
      {!hasEnded(run) && <Answer run={run} said={said} above={1} />}
      <Approval run={run} />
      <Failed failure={broken} />
    </li>
  )
}
