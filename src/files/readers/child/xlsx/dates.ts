/** The meaning of a cell's number. */
export type Meaning = 'number' | 'date' | 'time' | 'moment' | 'duration'

const DAY_SECONDS = 86_400
/** Day 0 of both date systems, in days since 1970. */
const EPOCH_1900 = -25_568
const EPOCH_1904 = -24_107
/** Excel counts a 29 February 1900, which did not exist. */
const FALSE_LEAP_DAY = 60
/** 31 December 9999. Serial numbers outside Excel's years are written as numbers. */
const LAST_DAY = 2_958_465

/**
 * Formats a serial number: `2026-02-28`, `13:05:00`, `2026-02-28T13:05:00`, or `26:30:00` for a duration. A date with a time keeps
 * the time, also where the format hides it.
 */
export function toDateText(serial: number, meaning: Meaning, is1904: boolean): string | undefined {
  if (meaning === 'number' || !Number.isFinite(serial) || serial < 0 || serial > LAST_DAY) return undefined
  const seconds = Math.round(serial * DAY_SECONDS)
  if (meaning === 'duration') return clockText(seconds)
  const time = seconds % DAY_SECONDS
  if (meaning !== 'date' && serial < 1) return clockText(time)
  const day = dayText(Math.floor(seconds / DAY_SECONDS), is1904)
  return time === 0 && meaning !== 'moment' ? day : `${day}T${clockText(time)}`
}

function clockText(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':')
}

function dayText(day: number, is1904: boolean): string {
  if (!is1904 && day === FALSE_LEAP_DAY) return '1900-02-29'
  const days = is1904 ? EPOCH_1904 + day : EPOCH_1900 + day - (day > FALSE_LEAP_DAY ? 1 : 0)
  return civil(days)
}

/** The Gregorian date of a number of days since 1 January 1970. */
function civil(days: number): string {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  const date = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`
}
