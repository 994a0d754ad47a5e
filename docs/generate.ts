import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VARIABLES } from '#src/config/variables.ts'
import { CATALOGUE, ERROR_CODES } from '#src/core/errors.ts'
import { generateSdk } from '../sdk/generate/generate.ts'
import { RAISED_BY } from './raised-by.ts'
import { readDocument } from './read-document.ts'

/** `npm run docs`: writes the parts of the documentation that are tables of the program, and the types of the SDK. */

const ROOT = join(import.meta.dirname, '..')
const ERRORS = join(ROOT, 'docs', 'errors.md')
const SETTINGS = join(ROOT, 'docs', 'settings.md')

/** `docs/errors.md`, whole. */
export function errorsDocument(): string {
  const groups = [...new Set(ERROR_CODES.map((code) => CATALOGUE[code].group))]
  const sections = groups.map((group) => {
    const rows = ERROR_CODES.filter((code) => CATALOGUE[code].group === group).map((code) => {
      const { status, meaning, remedy } = CATALOGUE[code]
      return row(`\`${code}\``, String(status), meaning, remedy, RAISED_BY[code])
    })
    return [
      `## ${group}`,
      '',
      row('Code', 'HTTP', 'Meaning', 'Remedy', 'Raised by'),
      '|---|---|---|---|---|',
      ...rows,
    ]
  })
  return `${[
    '# Errors',
    '',
    '<!-- Written by `npm run docs` from src/core/errors.ts; a test compares them. -->',
    '',
    'Every error has the same body, and its code always travels with the same HTTP status. Branch on the code: it is',
    'stable, while messages may change. Quote the request id (`X-Request-Id`) to support.',
    '',
    '```json',
    '{ "error": { "code": "DUPLICATE", "message": "This already exists.", "details": { "field": "email" },',
    '             "requestId": "req_…", "docUrl": "…/v1/errors/DUPLICATE" } }',
    '```',
    '',
    '`details.field` and `details.value` describe the first problem of a request, `details.issues` all of them. The same',
    'catalogue is served as data at `GET /v1/errors`.',
    ...sections.flatMap((lines) => ['', ...lines]),
  ].join('\n')}\n`
}

/** `docs/settings.md`, whole. */
export function settingsDocument(): string {
  const rows = Object.entries(VARIABLES).map(([name, { default: standard, about }]) =>
    row(`\`${name}\``, standard === '' ? '' : `\`${standard}\``, about),
  )
  return `${[
    '# Settings',
    '',
    '<!-- Written by `npm run docs` from src/config/variables.ts; a test compares them. -->',
    '',
    'Every setting is an environment variable, and every one is optional. A start with a bad value is refused and names every',
    'problem at once; `npx postern doctor` checks the settings of a server that runs. Which of them matter in production stands in',
    '[operations.md](operations.md#production).',
    '',
    row('Variable', 'Default', 'Meaning'),
    '|---|---|---|',
    ...rows,
  ].join('\n')}\n`
}

function row(...cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

if (import.meta.main) {
  writeFileSync(ERRORS, errorsDocument())
  writeFileSync(SETTINGS, settingsDocument())
  const { types, routes } = generateSdk(await readDocument())
  writeFileSync(join(ROOT, 'sdk', 'src', 'types.gen.ts'), types)
  writeFileSync(join(ROOT, 'sdk', 'src', 'routes.gen.ts'), routes)
}
