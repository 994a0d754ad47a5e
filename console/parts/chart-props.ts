import type { Millis } from '../app/clock.ts'
import type { Tone } from './badge.tsx'

/** A line or a layer of a chart. */
export interface Series {
  name: string
  tone: Tone
  values: readonly (number | null)[]
}

export interface ChartProps {
  /** A name for the chart, which screen readers say. */
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
