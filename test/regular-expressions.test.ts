import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { it } from 'node:test'
import { cpuStopwatch } from '#src/core/clock.ts'

/**
 * Expressions that take the square of what they are given, or more, and may: what they are given is short, for the reason
 * beside them. A new one belongs here only with such a reason.
 */
const GIVEN_LITTLE: Record<string, string> = {
  'src/cli/logins.ts': 'an address that the person at the terminal gives',
  'src/mail/transport.ts': 'the sender, of the configuration',
  'src/config/product-variables.ts': 'the logo, of the configuration, 256 KB at most',
  'src/console/bundle.ts': 'the sources of the console, which are ours',
  'src/http/openapi/name-schemas.ts': 'names of operations, which are ours',
  'src/config/models-file.ts': 'an address, of the configuration',
  'src/config/values.ts': 'an address, of the configuration',
  'src/config/telemetry.ts': 'an address, of the configuration',
  'src/config/redact.ts': 'a line about the configuration',
  'src/core/text/email.ts': 'an address, whose length is checked before',
  'src/core/text/group-digits.ts': 'a number, of 21 digits at most',
  'src/knowledge/indexing/chunks.ts': 'the first 200 characters of a heading',
}

/** What stands where a value may begin, and is closed in its line. */
const LITERAL =
  /(?<=[=(,:?&|[!{}]\s{0,80}|return\s{1,4}|^\s{1,80})\/((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)(?=[\s,.;)\]}])/gm

const REPEATED = [...' \t\na0#-=<"/.,(*_:@;%\\', 'a.', 'a,', 'a ', '/*', '<!--', '<meta', 'charset=']
/** A step of any engine takes nanoseconds: so many squared take 0.1 s and more, and once through them a fraction of 1 ms. */
const LENGTHS = [24, 1_500, 14_000]
const LONGEST_MS = 50

/** Short texts first: an expression of cubic time, or worse, would not end on the longest. */
const TEXTS = REPEATED.flatMap((unit) =>
  LENGTHS.flatMap((length) => ['x', ''].map((first) => `${first}${unit.repeat(length)}\u0001`)),
)

/** @param times it is slow if it is so each time: once is an interruption, three times in a row are none */
function isSlow(expression: RegExp, text: string, times: number): boolean {
  return Array.from({ length: times }).every(() => {
    const computed = cpuStopwatch()
    expression.test(text)
    return computed() > LONGEST_MS
  })
}

it('no regular expression of the server takes the square of a text of strangers; parsers have a process that may be killed', () => {
  const slow = new Set<string>()
  let count = 0
  for (const file of globSync('src/**/*.ts')) {
    if (file.endsWith('.test.ts') || file.includes('/readers/child/')) continue
    const text = readFileSync(file, 'utf8')
      .replace(/\/\*\*[\s\S]*?\*\//g, '')
      .replace(/^\s*\/\/.*$/gm, '')
    // Of a file that is known to have a slow one, once is enough.
    const times = file in GIVEN_LITTLE ? 1 : 3
    for (const [, source = '', flags = ''] of text.matchAll(LITERAL)) {
      count += 1
      const expression = new RegExp(source, flags.replace(/[gy]/g, ''))
      if (TEXTS.some((text) => isSlow(expression, text, times))) slow.add(file)
    }
  }
  assert.ok(count > 100, `only ${count} were found`)
  assert.deepEqual([...slow].sort(), Object.keys(GIVEN_LITTLE).sort())
})
