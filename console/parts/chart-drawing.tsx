import { useEffect, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import { type Millis, SECOND } from '../app/clock.ts'
import { useStore } from '../app/store.ts'
import { theme } from '../app/theme.ts'
import { LANGUAGE } from '../app/words.ts'
import type { ChartProps, Series } from './chart-props.ts'

const days = new Intl.DateTimeFormat(LANGUAGE, { day: 'numeric', month: 'short' })
const clocks = new Intl.DateTimeFormat(LANGUAGE, { timeStyle: 'short' })

/** The drawing itself, whose library is loaded when the first one is shown. */
export function Drawing({ label, at, series, kind, format, height }: Required<ChartProps>) {
  const place = useRef<HTMLDivElement>(null)
  const chosen = useStore(theme)
  const [isBroken, setBroken] = useState(false)
  const [isBusy, setBusy] = useState(true)
  // Drawn again when its data changes, not with each drawing of its parent.
  const facts = JSON.stringify([at, series, kind, height])
  useEffect(() => {
    const own = place.current
    if (own === null) return
    let plot: uPlot | undefined
    let isGone = false
    const draw = async () => {
      const { default: Plot } = await import('uplot')
      if (isGone) return
      setBusy(false)
      plot = new Plot(optionsOf(Plot, { own, series, kind, format, height }), dataOf(at, series, kind), own)
    }
    draw().catch(() => setBroken(true))
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const anew = () => {
      plot?.destroy()
      plot = undefined
      void draw()
    }
    dark.addEventListener('change', anew)
    const resized = new ResizeObserver(() => plot?.setSize({ width: own.clientWidth, height }))
    resized.observe(own)
    return () => {
      isGone = true
      dark.removeEventListener('change', anew)
      resized.disconnect()
      plot?.destroy()
    }
  }, [chosen, facts])
  if (isBroken) return <p class="quiet">The chart could not be loaded. The table shows the same figures.</p>
  return (
    <div
      ref={place}
      class="chart-drawing"
      role="img"
      aria-busy={isBusy || undefined}
      aria-label={`${label}. The same figures are in the table.`}
      style={{ minHeight: `${height}px` }}
    />
  )
}

/** uPlot draws each series from the ground: of layers, each is the sum of those below it, and the highest is drawn first. */
function dataOf(at: readonly Millis[], series: readonly Series[], kind: string): uPlot.AlignedData {
  const seconds = at.map((moment) => moment / SECOND)
  if (kind !== 'stacked') return [seconds, ...series.map(({ values }) => [...values])] as uPlot.AlignedData
  const sums = at.map(() => 0)
  const layers = series.map(({ values }) =>
    values.map((value, index) => {
      sums[index] = (sums[index] ?? 0) + (value ?? 0)
      return sums[index] ?? 0
    }),
  )
  return [seconds, ...layers.reverse()] as uPlot.AlignedData
}

interface Drawn {
  own: HTMLElement
  series: readonly Series[]
  kind: string
  format: (value: number) => string
  height: number
}

function optionsOf({ paths }: typeof uPlot, { own, series, kind, format, height }: Drawn): uPlot.Options {
  const bars = paths.bars?.({ size: [0.8, 48], radius: 0.15 })
  const steps = paths.stepped?.({ align: 1 })
  const style = getComputedStyle(own)
  const colour = (name: string) => resolved(own, style.getPropertyValue(name))
  const [quiet, hair] = [colour('--quiet'), colour('--hair')]
  const font = `12px ${style.fontFamily}`
  const axis = { stroke: quiet, font, grid: { stroke: hair, width: 1 }, ticks: { show: false } }
  const rows = kind === 'stacked' ? [...series].reverse() : series
  return {
    width: own.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 7 } },
    padding: [8, 8, 0, 0],
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(high * 1.08, 1)] } },
    axes: [
      { ...axis, grid: { show: false }, space: 70, values: (_plot, moments) => moments.map(momentWords) },
      { ...axis, size: 56, values: (_plot, values) => values.map((value) => format(value)) },
    ],
    series: [
      {},
      ...rows.map(({ name, tone }) => {
        const line = colour(`--${tone === 'plain' ? 'line' : `${tone}-fill`}`)
        return {
          label: name,
          stroke: line,
          width: kind === 'stacked' ? 0 : 2,
          points: { show: false },
          ...(kind === 'stacked' ? { fill: line, ...(bars && { paths: bars }) } : {}),
          ...(kind === 'steps' ? { fill: colour('--tint'), ...(steps && { paths: steps }) } : {}),
        }
      }),
    ],
    hooks: { setCursor: [(plot) => tell(plot, own, rows, kind, format)] },
  }
}

/** The day where one begins, else the time. */
function momentWords(seconds: number): string {
  const words = clocks.format(seconds * SECOND)
  return words === '00:00' ? days.format(seconds * SECOND) : words
}

/** `light-dark()` as the colour that holds: a canvas knows no themes. */
function resolved(own: HTMLElement, value: string): string {
  const probe = document.createElement('i')
  probe.style.color = value
  own.append(probe)
  const colour = getComputedStyle(probe).color
  probe.remove()
  return colour
}

/** The values at the pointer, beside it. */
function tell(
  plot: uPlot,
  own: HTMLElement,
  rows: readonly Series[],
  kind: string,
  format: (value: number) => string,
): void {
  const tip =
    own.querySelector('.chart-tip') ??
    own.appendChild(Object.assign(document.createElement('div'), { className: 'chart-tip small' }))
  const { idx, left = -1 } = plot.cursor
  const box = tip as HTMLElement
  box.hidden = idx == null || left < 0
  if (idx == null) return
  const moment = Number(plot.data[0][idx]) * SECOND
  const values = (kind === 'stacked' ? [...rows].reverse() : rows).map(
    ({ name, values }) => `${name} ${values[idx] == null ? '–' : format(values[idx])}`,
  )
  box.textContent = [clocks.format(moment), ...values].join(' · ')
  box.style.insetInlineStart = `${Math.max(0, Math.min(left + 56 - box.offsetWidth / 2, own.clientWidth - box.offsetWidth))}px`
}
