import { useState } from 'preact/hooks'
import { shortNumber } from '../app/words.ts'
import { Button } from './button.tsx'
import type { ChartProps } from './chart-props.ts'
import { lazy } from './lazy.tsx'

const Drawing = lazy(() => import('./chart-drawing.tsx').then((module) => module.Drawing), 4)
const Figures = lazy(() => import('./chart-figures.tsx').then((module) => module.Figures), 4)

/** Values over time as a drawing, or as a table on request. */
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
          Show as table
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
