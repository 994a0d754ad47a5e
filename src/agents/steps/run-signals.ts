import { type Id, readId } from '../../core/id.ts'
import type { Handlers, Notifier } from '../../db/notifier.ts'

/** What happens to runs, for those who watch them in this process. */
export interface Watcher {
  /** What is stored of a run has changed; of any, where no id is given. */
  changed(id?: Id<'run'>): void
  /** The model has said more, in this process. */
  said?(id: Id<'run'>): void
  /** The step in which the model has spoken ends: no more is said in it. */
  saidAll?(id: Id<'run'>): void
}

/** Tells watchers of what happens to runs, here and, of what is stored, in other processes. */
export interface RunSignals extends Required<Watcher> {
  /** After the commit of a change. */
  changed(id: Id<'run'>): void
  watch(watcher: Watcher): void
  /** What is to be done when another process tells of changes. */
  handlers: Handlers
}

export function createRunSignals(notifier: Pick<Notifier, 'notify'>): RunSignals {
  const watchers: Watcher[] = []
  const tell = (id?: Id<'run'>) => {
    for (const watcher of watchers) watcher.changed(id)
  }
  return {
    changed(id) {
      tell(id)
      notifier.notify('runs', id)
    },
    said(id) {
      for (const watcher of watchers) watcher.said?.(id)
    },
    saidAll(id) {
      for (const watcher of watchers) watcher.saidAll?.(id)
    },
    watch: (watcher) => void watchers.push(watcher),
    handlers: {
      runs(names) {
        if (names === undefined) tell()
        // Anybody who can connect may say so: only names of ours get through.
        for (const id of (names ?? []).flatMap((name) => readId('run', name) ?? [])) tell(id)
      },
    },
  }
}
