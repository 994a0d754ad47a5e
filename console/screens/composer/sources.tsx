import { useState } from 'preact/hooks'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { Button } from '../../parts/button.tsx'
import { Failed } from '../../parts/notice.tsx'

/** What to begin with: the type's sample, the last one that was published, or one by its id. */
export function Sources({
  type,
  example,
  onFill,
  fillLater,
  onEvent,
}: {
  type: string
  example: object | undefined
  onFill: (data: unknown) => void
  /** As `onFill`, for data that is still being read. */
  fillLater: () => (data: unknown) => void
  onEvent: (id: string) => void
}) {
  const [id, setId] = useState('')
  const [isNone, setNone] = useState(false)
  const reading = useAction(async () => {
    const fill = fillLater()
    const [last] = (await postern.events.list({ type, limit: 1 }).page()).data
    setNone(last === undefined)
    if (last !== undefined) fill(last.data)
  })
  return (
    <fieldset class="field">
      <legend class="small quiet">Start from</legend>
      <div class="row">
        <Button small icon="type" onPress={() => example && onFill(example)}>
          Example
        </Button>
        <Button
          small
          icon="clock"
          busy={reading.isBusy}
          reason={isNone ? 'No event of this type yet' : undefined}
          onPress={() => void reading.run()}
        >
          Latest event
        </Button>
        <form
          class="row composer-by-id"
          onSubmit={(event) => {
            event.preventDefault()
            if (id.trim() !== '') onEvent(id.trim())
          }}
        >
          <input
            aria-label="ID of the event to start from"
            class="mono small"
            placeholder="evt_…"
            value={id}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setId(event.currentTarget.value)}
          />
          <Button small type="submit">
            Use it
          </Button>
        </form>
      </div>
      <Failed failure={reading.failure} />
    </fieldset>
  )
}
