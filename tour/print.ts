import { STATUS_CODES } from 'node:http'
import { styleText } from 'node:util'
import { type Millis, SECOND, systemClock } from '#src/core/clock.ts'
import type { Mail } from '../test/support/mailbox.ts'
import { inSeconds, type Mismatch, mustBeBetween, mustEqual } from './check.ts'
import { cut, layOut, shorten, wrap } from './layout.ts'

const WIDTH = 100
const MARGIN = ' '.repeat(4)
const INDENT = ' '.repeat(6)

/** Two clocks that are read one after the other may differ by this much. */
const EARLY: Millis = 20

/** What is due may come this late on a machine that does much else. */
const LATE: Millis = 15 * SECOND

/** How the tour looks: every line that it writes is written here. */
export interface Print {
  /** How many things were verified so far. */
  readonly verified: number
  title(title: string, about: string): void
  /** Begins the next chapter. */
  chapter(title: string, about: string): void
  command(line: string, output?: unknown): void
  request(line: string, who: string, body?: unknown): void
  answer(status: number, durationMs: Millis, body: unknown, cookie?: string): void
  mail(mail: Mail): void
  /** Something that happened elsewhere. */
  peer(line: string, aside: string): void
  /** A value by its name. */
  shown(name: string, value: unknown): void
  /** Verifies, and says what and why. @throws Mismatch */
  check(claim: string, came: unknown, expected: unknown): void
  /** As `check`, for a measured wait. @throws Mismatch */
  checkWait(claim: string, came: Millis, expected: Millis): void
  /** Shows that time passes, a dot a second, until the promise has come to its end. */
  waiting<T>(words: string, promise: Promise<T>): Promise<T>
  mismatch(mismatch: Mismatch): void
  /** The last words. */
  end(headline: string, isGood: boolean, lines: string[]): void
}

export function createPrint(out: NodeJS.WriteStream): Print {
  let chapters = 0
  let verified = 0
  let isAfterCheck = false

  /** Colour only where a person sees it and wants it: `styleText` asks the stream, and NO_COLOR. */
  function style(format: Parameters<typeof styleText>[0], text: string): string {
    return styleText(format, text, { stream: out })
  }

  function line(text = ''): void {
    out.write(`${text}\n`)
  }

  function paragraph(text: string, first: string, rest: string, format: Parameters<typeof styleText>[0]) {
    wrap(text, WIDTH - rest.length).forEach((part, index) => {
      line(`${index === 0 ? first : rest}${style(format, part)}`)
    })
  }

  function headed(mark: string, text: string, aside: string): void {
    // What was verified closes a step.
    if (isAfterCheck) line()
    isAfterCheck = false
    const short = cut(shorten(text), WIDTH - INDENT.length)
    const room = WIDTH - INDENT.length - short.length - 2
    const shortAside = aside === '' || room < 2 ? '' : `  ${cut(shorten(aside), room)}`
    line(`${MARGIN}${style('cyan', mark)} ${style('bold', short)}${style('dim', shortAside)}`)
  }

  function labelled(label: string, value: unknown): void {
    layOut(value, WIDTH - INDENT.length - label.length).forEach((part, index) => {
      const json = part.replace(/"\w+": /g, (name) => style('dim', name))
      line(`${INDENT}${index === 0 ? style('dim', label) : ' '.repeat(label.length)}${json}`)
    })
  }

  function passed(claim: string): void {
    verified += 1
    isAfterCheck = true
    paragraph(claim, `${MARGIN}${style('green', '✓')} `, INDENT, 'green')
  }

  return {
    get verified() {
      return verified
    },
    title(title, about) {
      line(`\n  ${style('bold', title)}`)
      for (const part of wrap(about, WIDTH - 2)) line(`  ${part}`)
    },
    chapter(title, about) {
      chapters += 1
      isAfterCheck = false
      const heading = `${chapters}  ${title}`
      const rule = '─'.repeat(WIDTH - heading.length - 3)
      line(`\n  ${style(['bold', 'yellow'], heading)} ${style('dim', rule)}`)
      paragraph(about, '     ', '     ', 'italic')
      line()
    },
    command(text, output) {
      headed('$', text, '')
      if (output !== undefined) labelled('', output)
    },
    request(text, who, body) {
      headed('→', text, who)
      if (body !== undefined) labelled('', body)
    },
    answer(status, durationMs, body, cookie) {
      const words = style(status < 400 ? 'green' : 'red', `${status} ${STATUS_CODES[status] ?? ''}`)
      line(`${MARGIN}${style('cyan', '←')} ${words}${style('dim', `  ${Math.round(durationMs)} ms`)}`)
      if (cookie !== undefined) labelled('Set-Cookie: ', cookie)
      if (body !== undefined && body !== null) labelled('', body)
    },
    mail({ recipients, subject, link }) {
      headed('✉', `mail to ${recipients.join(', ')}`, `"${subject}"`)
      labelled('', link)
    },
    peer(text, aside) {
      headed('⇢', text, aside)
    },
    shown(name, value) {
      labelled(`${name}: `, value)
    },
    check(claim, came, expected) {
      mustEqual(claim, came, expected)
      passed(claim)
    },
    checkWait(claim, came, expected) {
      mustBeBetween(claim, came, expected - EARLY, expected + LATE)
      passed(`${claim}: ${inSeconds(came)}`)
    },
    async waiting(words, promise) {
      out.write(`${MARGIN}${style('yellow', `… ${words} `)}`)
      let cancel = systemClock.after(SECOND, tick)
      function tick() {
        out.write(style('yellow', '.'))
        cancel = systemClock.after(SECOND, tick)
      }
      try {
        return await promise
      } finally {
        cancel()
        line()
      }
    },
    mismatch({ claim, expected, came }) {
      paragraph(claim, `${MARGIN}${style('red', '✗')} `, INDENT, 'red')
      labelled('expected  ', expected)
      labelled('came      ', came)
    },
    end(headline, isGood, lines) {
      line(`\n  ${style(['bold', isGood ? 'green' : 'red'], headline)}\n`)
      for (const text of lines) line(text === '' ? '' : `  ${cut(shorten(text), WIDTH - 2)}`)
      line()
    },
  }
}
