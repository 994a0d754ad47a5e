import type { Money } from '../plans.ts'

/** The decimal places of currencies that do not have two, as payment providers count them. */
const DIGITS: Record<string, number> = {
  ...of(0, 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'),
  ...of(3, 'bhd jod kwd omr tnd'),
}

function of(digits: number, currencies: string): Record<string, number> {
  return Object.fromEntries(currencies.split(' ').map((currency) => [currency, digits]))
}

/** Formats an amount: `$5.00`, `¥500`. */
export function formatMoney({ amount, currency }: Money): string {
  const digits = DIGITS[currency] ?? 2
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount / 10 ** digits)
}
