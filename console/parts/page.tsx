import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { announce } from '../app/announcer.ts'
import { product } from '../app/root.ts'
import { arrivals } from '../app/router.ts'
import { useStore } from '../app/store.ts'
import { textOf } from '../app/words.ts'
import { Glyph } from './icons.tsx'

export interface PageProps {
  title: string
  /** A sentence under the title. */
  lead?: ComponentChildren
  /** Where it is reached from. */
  back?: { href: string; label: string }
  /** Buttons beside the title. */
  actions?: ComponentChildren
  /** Beside the title: how it stands with what the page is about. */
  mark?: ComponentChildren
  children?: ComponentChildren
}

/** The first heading takes the focus as well, so that the content of a screen comes before the navigation. */
let focused = -1

/** The frame of every screen with its only `h1`, which takes the focus after a navigation. */
export function Page({ title, lead, back, actions, mark, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const arrival = useStore(arrivals)
  const words = textOf(title)
  useEffect(() => {
    document.title = `${words} · ${product()}`
    if (arrival === focused) return
    focused = arrival
    heading.current?.focus({ preventScroll: true })
    announce(words)
  }, [arrival, words])
  return (
    <div class="page">
      <header class="page-head">
        <div class="page-titles">
          {back && (
            <a class="page-back small" href={back.href}>
              <Glyph icon="left" size={14} />
              {back.label}
            </a>
          )}
          <div class="row">
            <h1 ref={heading} tabIndex={-1}>
              {words}
            </h1>
            {mark}
          </div>
          {lead && <div class="page-lead quiet">{lead}</div>}
        </div>
        {actions && <div class="row page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** A part of a page with a heading of its own. */
export function Panel({
  title,
  note,
  actions,
  flush = false,
  children,
}: {
  title?: string
  note?: ComponentChildren
  actions?: ComponentChildren
  /** Whether the content has no padding, as a table. */
  flush?: boolean
  children?: ComponentChildren
}) {
  return (
    <section class={`panel${flush ? ' panel-flush' : ''}`} aria-label={title}>
      {(title || actions) && (
        <header class="panel-head">
          <div>
            {title && <h2>{title}</h2>}
            {note && <p class="quiet small">{note}</p>}
          </div>
          {actions && <div class="row">{actions}</div>}
        </header>
      )}
      <div class="panel-body">{children}</div>
    </section>
  )
}

/** Facts by their names. */
export function Facts({
  rows,
}: {
  rows: readonly (readonly [string, ComponentChildren] | false | undefined)[]
}) {
  return (
    <dl class="facts">
      {rows.map(
        (row) =>
          row && (
            <div key={row[0]}>
              <dt>{row[0]}</dt>
              <dd>{row[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** One figure with its name, and a word about it. */
export function Figure({
  name,
  value,
  note,
}: {
  name: string
  value: ComponentChildren
  note?: ComponentChildren
}) {
  return (
    <div class="figure">
      <div class="figure-name small quiet">{name}</div>
      <div class="figure-value number">{value}</div>
      {note && <div class="small quiet">{note}</div>}
    </div>
  )
}
