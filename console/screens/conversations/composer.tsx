import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useAccess } from '../../app/access.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { useFilters } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { useForm } from '../../parts/form.tsx'
import { Failed } from '../../parts/notice.tsx'
import { useAgents } from '../agents/data.ts'
import { FilesField } from '../runs/files-field.tsx'

/** Asks the next question of a conversation, of an agent and with files. */
export function Composer({
  id,
  isAtWork,
  lastAgent,
  stop,
}: {
  id: string
  isAtWork: boolean
  lastAgent: string | undefined
  stop: ComponentChildren
}) {
  const agents = useAgents().rows
  const [{ agent }, change] = useFilters(['agent'])
  const [text, setText] = useState('')
  const chosen =
    [agent, lastAgent].find((one) => agents.some((known) => known.id === one)) ?? agents[0]?.id ?? ''
  const files = useForm({ fileIds: [] as string[] }, async () => {})
  const asking = useAction(async () => {
    const { fileIds } = files.values
    await postern.agents.run(chosen, { input: text, conversationId: id, fileIds })
    // Text typed while the message was being sent stays as the next one.
    setText((now) => (now === text ? '' : now))
    files.set('fileIds', [])
    outdate(`messages ${id}`)
    outdate('conversations')
  })
  const { reason: reasonOf } = useAccess()
  const reason =
    reasonOf({ permission: 'conversations:write' }) ??
    reasonOf({ permission: 'runs:write' }) ??
    reasonOf({ permission: 'agents:read' }) ??
    (chosen === ''
      ? 'There is no agent yet'
      : text.trim() === ''
        ? 'Enter a text first'
        : isAtWork
          ? 'Wait for the answer first'
          : undefined)
  const send = () => reason === undefined && void asking.run()
  return (
    <form
      class="talk-composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Failed failure={asking.failure} />
      <div class="field">
        <textarea
          aria-label="Your question"
          rows={3}
          placeholder="Ask a question. Enter sends, Shift+Enter starts a new line."
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
            event.preventDefault()
            send()
          }}
        />
      </div>
      <FilesField of={files} name="fileIds" />
      <div class="row talk-foot">
        <div class="field talk-agent-field">
          <select
            aria-label="Agent"
            value={chosen}
            onChange={(event) => change({ agent: event.currentTarget.value })}
          >
            {agents.map(({ id: one, name }) => (
              <option key={one} value={one}>
                {textOf(name)}
              </option>
            ))}
          </select>
        </div>
        <span class="row">
          {stop}
          <Button kind="primary" type="submit" icon="send" busy={asking.isBusy} reason={reason}>
            Ask
          </Button>
        </span>
      </div>
    </form>
  )
}
