import { exactTime } from '../app/words.ts'
import type { ChartProps } from './chart-props.ts'
import { Table } from './table.tsx'

/** What a chart shows, to be read. */
export function Figures({
  label,
  at,
  series,
  format,
}: Required<Pick<ChartProps, 'label' | 'at' | 'series' | 'format'>>) {
  return (
    <div class="chart-table">
      <Table
        label={label}
        rows={at.map((moment, row) => ({ moment, row })).reverse()}
        keyOf={({ moment }) => String(moment)}
        columns={[
          { title: 'Since', cell: ({ moment }) => exactTime(moment) },
          ...series.map(({ name, values }) => ({
            title: name,
            end: true,
            cell: ({ row }: { row: number }) => {
              const value = values[row]
              return value == null ? '–' : format(value)
            },
          })),
        ]}
      />
    </div>
  )
}
