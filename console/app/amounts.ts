import { LANGUAGE, number } from './words.ts'

/** A size as people read it: "512 B", "2.3 KiB". */
export function bytes(size: number): string {
  if (size < 1_024) return `${number(size)} B`
  const steps = ['KiB', 'MiB', 'GiB', 'TiB']
  let value = size
  let name = 'B'
  for (const step of steps) {
    if (value < 1_024) break
    value /= 1_024
    name = step
  }
  return `${value < 10 ? value.toFixed(1) : number(Math.round(value))} ${name}`
}

/** A sum that is counted in its currency's smallest unit: "€ 12.50"; "free" where it is nothing. */
export function money({ amount, currency }: { amount: number; currency: string }): string {
  if (amount === 0) return 'free'
  const style = new Intl.NumberFormat(LANGUAGE, { style: 'currency', currency })
  return style.format(amount / 10 ** (style.resolvedOptions().maximumFractionDigits ?? 2))
}
