import { number } from '../app/words.ts'
import type { Tone } from './badge.tsx'

export interface Share {
  name: string
  value: number
  tone: Tone
}

/** How a whole is divided, as one line, with the parts in words for screen readers and on hover. */
export function Shares({ label, parts }: { label: string; parts: readonly Share[] }) {
  const whole = parts.reduce((sum, { value }) => sum + value, 0)
  const words = parts.map(({ name, value }) => `${number(value)} ${name}`).join(', ')
  let at = 0
  return (
    <svg
      class="shares"
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${words}`}
    >
      <title>{words}</title>
      <rect width="100" height="8" class="fill-none" />
      {whole > 0 &&
        parts.map(({ name, value, tone }) => {
          // Two in a hundred at least, so that a small part is visible.
          const width = value === 0 ? 0 : Math.max((value / whole) * 100, 2)
          const x = Math.min(at, 100 - width)
          at += width
          return <rect key={name} x={x} width={width} height="8" class={`fill-${tone}`} />
        })}
    </svg>
  )
}

/** How many of a known number of things are done. */
export function Progress({ label, done, total }: { label: string; done: number; total: number }) {
  const share = total === 0 ? 1 : Math.min(done / total, 1)
  return (
    <div class="progress">
      <progress aria-label={label} value={share} max={1} />
      <span class="small number">
        {number(done)} of {number(total)}
      </span>
    </div>
  )
}
