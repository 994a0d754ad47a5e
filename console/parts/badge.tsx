import type { ComponentChildren } from 'preact'

export type Tone = 'good' | 'bad' | 'wait' | 'held' | 'plain'

/** A state in a word. Its sign differs as well, so that it does not depend on the colour alone. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ComponentChildren }) {
  return (
    <span class={`badge badge-${tone}`}>
      <i aria-hidden="true" />
      {children}
    </span>
  )
}

/** How the API's own words for a state look; one that is not here is plain. */
const TONES: Record<string, Tone> = {
  active: 'good',
  delivering: 'good',
  failing: 'bad',
  parked: 'bad',
  delivered: 'good',
  completed: 'good',
  succeeded: 'good',
  accepted: 'good',
  ready: 'good',
  sent: 'good',
  paid: 'good',
  ok: 'good',
  indexed: 'good',
  processed: 'good',
  failed: 'bad',
  disabled: 'bad',
  error: 'bad',
  revoked: 'bad',
  expired: 'bad',
  pending: 'wait',
  running: 'wait',
  queued: 'wait',
  processing: 'wait',
  indexing: 'wait',
  started: 'wait',
  changed: 'wait',
  waiting: 'wait',
  retrying: 'wait',
  open: 'wait',
  paused: 'held',
  held: 'held',
  cancelled: 'held',
}

/** A state of the API's as a badge. */
export function Status({ of, words }: { of: unknown; words?: string | undefined }) {
  const status = String(of)
  return <Badge tone={TONES[status] ?? 'plain'}>{words ?? status.replaceAll('_', ' ')}</Badge>
}
