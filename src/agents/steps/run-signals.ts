import type { Id } from '../../core/id.ts'
import { type Handlers, idsOf, type Notifier } from '../../db/notifier.ts'

/** Callbacks for changes of a run. */
interface Watcher {
  /** The stored state of the run has changed; without an id, of any run. */
  changed(id?: Id<'run'>): void
  /** The model has produced more text in a run of this process. */
  textGrew?(id: Id<'run'>): void
  /** The model step ends, and its text is complete. */
  textEnded?(id: Id<'run'>): void
}

/** Notifies watchers of this process; changes of the stored state reach other processes too. */
export interface RunSignals extends Required<Watcher> {
  /** Called after the commit of a change. */
  changed(id: Id<'run'>): void
  watch(watcher: Watcher): void
  /** Handlers of notifications from other processes. */
  handlers: Handlers
}

export function createRunSignals(notifier: Pick<Notifier, 'notify'>): RunSignals {
  const watchers: Watcher[] = []
  const wake = (id?: Id<'run'>) => {
    for (const watcher of watchers) watcher.changed(id)
  }
  return {
    changed(id) {
      wake(id)
      notifier.notify('runs', id)
    },
    textGrew(id) {
      for (const watcher of watchers) watcher.textGrew?.(id)
    },
    textEnded(id) {
      for (const watcher of watchers) watcher.textEnded?.(id)
    },
    watch: (watcher) => void watchers.push(watcher),
    handlers: {
      runs(names) {
        if (names === undefined) wake()
        for (const id of idsOf('run', names)) wake(id)
      },
    },
  }
}
