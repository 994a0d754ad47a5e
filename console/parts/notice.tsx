import type { ComponentChildren } from 'preact'
import type { Failure } from '../app/data/failure.ts'
import { explain } from '../app/words.ts'
import { Button } from './button.tsx'
import { Copy } from './copy.tsx'
import { Glyph, type Icon } from './icons.tsx'

/** Something that one should know here. */
export function Notice({
  tone = 'plain',
  icon,
  title,
  children,
  actions,
}: {
  tone?: 'plain' | 'good' | 'bad' | 'wait'
  icon?: Icon
  title?: string
  children?: ComponentChildren
  actions?: ComponentChildren
}) {
  return (
    <div class={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      {icon && <Glyph icon={icon} />}
      <div class="notice-text">
        {title && <strong>{title}</strong>}
        {children && <div>{children}</div>}
      </div>
      {actions && <div class="row">{actions}</div>}
    </div>
  )
}

/** What went wrong, in words; with the request's id, by which it is found in the server's log. */
export function Failed({ failure, retry }: { failure: Failure | undefined; retry?: () => void }) {
  if (failure === undefined) return null
  const { title, text } = explain(failure)
  return (
    <Notice
      tone="bad"
      icon="alert"
      title={title}
      actions={
        retry && (
          <Button small icon="retry" onPress={retry}>
            Try again
          </Button>
        )
      }
    >
      <p>{text}</p>
      {failure.requestId && (
        <p class="small">
          {failure.code} · request <code>{failure.requestId}</code>{' '}
          <Copy text={failure.requestId} what="request id" />
        </p>
      )}
    </Notice>
  )
}

/** Shown in the place of an empty list: what will appear here, and the next step. */
export function Empty({
  icon,
  title,
  children,
}: {
  icon?: Icon
  title: string
  children?: ComponentChildren
}) {
  return (
    <div class="empty">
      {icon && <Glyph icon={icon} size={32} />}
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** A placeholder while content is being read. */
export function Waiting({ lines = 4 }: { lines?: number }) {
  return (
    <div class="waiting" role="status">
      <span class="unseen">Loading…</span>
      {Array.from({ length: lines }, (_, line) => (
        <i key={line} aria-hidden="true" />
      ))}
    </div>
  )
}

/** Data that is loaded, or the reason why it could not be. */
export function Loading({
  failure,
  retry,
  lines,
}: {
  failure: Failure | undefined
  retry: () => void
  lines?: number
}) {
  return failure === undefined ? (
    <Waiting {...(lines !== undefined && { lines })} />
  ) : (
    <Failed failure={failure} retry={retry} />
  )
}
