import { textOf } from '../../app/words.ts'
import { ChoicesField, type FormState } from '../../parts/form.tsx'
import { useEventTypes } from './data.ts'

/** Which events a webhook wants: every one, those to come included, or some. */
export function EventsField<V extends { events: string[] }>({ of }: { of: FormState<V> }) {
  const types = useEventTypes().data?.data ?? []
  const { events } = of.values
  const isAll = events.includes('*')
  const set = (next: string[]) => of.set('events', next as V['events'])
  const known = new Set(types.map(({ name }) => name))
  const options = [
    ...types.map(({ name, description }) => ({
      value: name,
      label: textOf(name),
      note: textOf(description),
    })),
    // A type that was deleted is listed, so that it can be removed.
    ...events
      .filter((name) => name !== '*' && !known.has(name))
      .map((name) => ({ value: name, label: textOf(name) })),
  ]
  return (
    <>
      <fieldset class="field">
        <legend>Events</legend>
        <label class="check">
          <input type="radio" name="events-all" checked={isAll} onChange={() => set(['*'])} />
          <span>All events, also of future types</span>
        </label>
        <label class="check">
          <input type="radio" name="events-all" checked={!isAll} onChange={() => set([])} />
          <span>Only selected types</span>
        </label>
      </fieldset>
      {!isAll && (
        <ChoicesField of={of} name={'events' as keyof V & string} label="Event types" options={options} />
      )}
    </>
  )
}
