import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'
import { attribute, parseXml } from './xml.ts'
import type { Zip } from './zip.ts'

/** The elements of a series that contain points or its name. */
const ROWS = new Set(['tx', 'cat', 'xVal', 'val', 'yVal', 'bubbleSize'])

/**
 * Writes the text of a chart: each title on a line, and for each series a line with its name and a line per point with its label and
 * values, separated by tabs.
 */
export async function readChart(zip: Zip, part: string, writer: Writer): Promise<void> {
  let words: string | undefined
  let line = ''
  let isInSeries = false
  let row: string | undefined
  let point = 0
  let points = 0
  let name: string[] = []
  /** The texts of each point by its number. */
  let series = new Map<number, Map<string, string>>()

  function endLine(): void {
    const text = line.replace(/\s+/g, ' ').trim()
    line = ''
    if (text !== '') writer.write(`${text}\n`)
  }

  function put(text: string): void {
    points += 1
    if (points > LIMITS.cells) throw new Refusal('too_large', 'more than 2,000,000 points')
    const value = text.replace(/\s+/g, ' ').trim()
    if (row === 'tx') name.push(value)
    else if (row !== undefined) series.set(point, (series.get(point) ?? new Map()).set(row, value))
  }

  function endSeries(): void {
    const title = name.join(' ').trim()
    if (title !== '') writer.write(`${title}\n`)
    for (const [, texts] of [...series].toSorted(([a], [b]) => a - b)) {
      const shown = [...ROWS].flatMap((one) => texts.get(one) ?? []).join('\t')
      if (shown.trim() !== '') writer.write(`${shown}\n`)
    }
    name = []
    series = new Map()
  }

  await parseXml(zip.content(part), {
    open(element, attributes) {
      if (element === 'ser') isInSeries = true
      else if (isInSeries && ROWS.has(element)) row = element
      else if (element === 'pt') point = Number(attribute(attributes, 'idx') ?? 0) || 0
      else if (element === 'v' || element === 't') words = ''
    },
    text(text) {
      if (words === undefined) return
      words += text
      if (words.length > LIMITS.node) throw new Refusal('too_large', 'a text of more than 1 MiB')
    },
    close(element) {
      if (element === 'v' || element === 't') {
        if (isInSeries && element === 'v') put(words ?? '')
        else line += words ?? ''
        words = undefined
      } else if (element === 'p' || element === 'title') endLine()
      else if (element === 'ser') {
        isInSeries = false
        endSeries()
      } else if (element === row) row = undefined
    },
  })
  endLine()
}
