import { useState } from 'preact/hooks'
import type { Millis } from '../app/clock.ts'
import { shortNumber } from '../app/words.ts'
import type { Tone } from './badge.tsx'
import { Button } from './button.tsx'
import { lazy } from './lazy.tsx'

const Drawing = lazy(() => import('./chart-drawing.tsx').then((module) => module.Drawing), 4)
const Figures = lazy(() => import('./chart-figures.tsx').then((module) => module.Figures), 4)

/** A line or a layer of a chart. */
export interface Series {
  name: string
  tone: Tone
  values: readonly (number | null)[]
}

export interface ChartProps {
  /** What it shows, in words. */
  label: string
  /** The moments of the values, the oldest first. */
  at: readonly Millis[]
  series: readonly Series[]
  /** Layers on top of one another, lines, or steps that hold until the next. */
  kind?: 'stacked' | 'lines' | 'steps'
  /** How a value reads. */
  format?: (value: number) => string
  height?: number
}

/** A course over time. Whoever would rather read it has it as a table. */
export function Chart(props: ChartProps) {
  const { label, at, series, kind = 'stacked', format = shortNumber, height = 200 } = props
  const [isTable, setTable] = useState(false)
  return (
    <figure class="chart" aria-label={label}>
      <figcaption class="chart-head small">
        <span class="row">
          {series.map(({ name, tone }) => (
            <span key={name} class="chart-key">
              <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
                <rect width="10" height="10" rx="2" class={`fill-${tone}`} />
              </svg>
              {name}
            </span>
          ))}
        </span>
        <Button kind="quiet" small pressed={isTable} onPress={() => setTable(!isTable)}>
          As a table
        </Button>
      </figcaption>
      {isTable ? (
        <Figures at={at} series={series} label={label} format={format} />
      ) : (
        <Drawing {...props} kind={kind} format={format} height={height} />
      )}
    </figure>
  )
}
