/** One line of the report. */
export interface Row {
  name: string
  measured: string
  raw: string
  goal: string
  isMet: boolean
}

/** The report as a table of Markdown, columns aligned. */
export function toTable(rows: Row[]): string {
  const lines = [
    ['Row', 'Measured', 'Raw limit, same run', 'Goal', 'Met'],
    ...rows.map(({ name, measured, raw, goal, isMet }) => [
      name,
      measured,
      raw,
      goal,
      isMet ? 'yes' : '**no**',
    ]),
  ]
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  const format = (line: string[]) =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = lines
  return [
    format(head),
    `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`,
    ...body.map(format),
  ].join('\n')
}
