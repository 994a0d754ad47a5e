import type { Run } from '#sdk/postern.ts'
import { textOf } from '../../app/words.ts'
import { lazy } from '../../parts/lazy.tsx'
import { hasEnded } from '../runs/data.ts'

/** The text of an agent as Markdown; until the code for that is loaded, or where it cannot be, as plain text. */
export const AnswerText = lazy<{ text: string; above: number }>(
  async () => (await import('../../parts/markdown/markdown.tsx')).Markdown,
  0,
  ({ text }) => <div class="work-text">{text}</div>,
)

/**
 * The answer of a run, while it is being written and afterwards.
 * @param above the level of the heading that it stands under
 */
export function Answer({ run, said, above }: { run: Run; said: string; above: number }) {
  const isOver = hasEnded(run)
  const text = run.output === null && !isOver ? said : textOf(run.output)
  if (text !== '')
    return (
      <div class={isOver ? 'runs-long' : 'runs-writing'}>
        <AnswerText text={text} above={above} />
      </div>
    )
  if (isOver) return <p class="quiet">None.</p>
  const words = { queued: 'Waiting for its turn.', waiting: 'Waiting for a decision.' }[run.status as string]
  return (
    <div class="stack">
      <p class="quiet">{words ?? 'Working…'}</p>
      {run.status === 'running' && <progress class="files-reading" aria-label="Working" />}
    </div>
  )
}
