import { later, SECOND } from '../app/clock.ts'
import { createStore, useStore } from '../app/store.ts'

interface Shown {
  id: number
  text: string
}

const shown = createStore<readonly Shown[]>([])
let last = 0

/** Shows a short message about something done that is visible nowhere else. It disappears, so it must not be the only place of important news. */
export function toast(text: string): void {
  last += 1
  const id = last
  shown.set([...shown.get(), { id, text }])
  later(5 * SECOND, () => shown.set(shown.get().filter((one) => one.id !== id)))
}

/** Where they are shown; once a page. */
export function Toasts() {
  const all = useStore(shown)
  return (
    <div class="toasts" role="status" aria-live="polite">
      {all.map(({ id, text }) => (
        <div key={id} class="toast">
          {text}
        </div>
      ))}
    </div>
  )
}
