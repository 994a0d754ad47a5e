import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VARIABLES } from '#src/config/variables.ts'
import { exampleAnswer, GUIDE } from '#src/core/error-guide.ts'
import { CATALOGUE, ERROR_CODES, type ErrorCode } from '#src/core/errors.ts'
import type { Permission } from '#src/http/permissions.ts'
import { operationsOf } from '../sdk/generate/document.ts'
import { generateSdk } from '../sdk/generate/generate.ts'
import { generatePython } from '../sdk/generate/python.ts'
import { WITH_FIGURES, withFigures } from './figures.ts'
import { withFloors } from './floors.ts'
import { toRow } from './markdown.ts'
import { readDocument } from './read-document.ts'
import { scopesDocument } from './scopes.ts'

/** `npm run docs`: writes the parts of the documentation that are tables of the program, and the types of both clients. */

const ROOT = join(import.meta.dirname, '..')
const ERRORS = join(ROOT, 'docs', 'errors.md')
const SETTINGS = join(ROOT, 'docs', 'settings.md')

/** `docs/errors.md`, whole. */
export function errorsDocument(): string {
  const groups = [...new Set(ERROR_CODES.map((code) => CATALOGUE[code].group))]
  const sections = groups.flatMap((group) => {
    const codes = ERROR_CODES.filter((code) => CATALOGUE[code].group === group)
    const rows = codes.map((code) => {
      const { status, meaning, remedy } = CATALOGUE[code]
      return toRow(`[\`${code}\`](#${code.toLowerCase()})`, String(status), meaning, remedy)
    })
    return [
      '',
      `## ${group}`,
      '',
      toRow('Code', 'HTTP', 'Meaning', 'Remedy'),
      '|---|---|---|---|',
      ...rows,
      ...codes.flatMap(errorSection),
    ]
  })
  return `${[
    '# Errors',
    '',
    '<!-- Written by `npm run docs` from src/core/errors.ts and src/core/error-guide.ts; a test compares them. -->',
    '',
    'Every error has the same body, and its code always travels with the same HTTP status. Branch on the code: it is',
    'stable, while messages may change. Quote the request id (`X-Request-Id`) to support.',
    '',
    '`details.field` and `details.value` describe the first problem of a request, `details.issues` all of them, and',
    '`details.reason` names the rule. The `docUrl` of an error leads to the page of its code, which says the same as this document;',
    '`GET /v1/errors` has it as data.',
    ...sections,
  ].join('\n')}\n`
}

function errorSection(code: ErrorCode): string[] {
  const { causes, steps } = GUIDE[code]
  return [
    '',
    `### ${code}`,
    '',
    'Causes:',
    '',
    ...causes.map((cause) => `- ${cause}`),
    '',
    'What to do:',
    '',
    ...steps.map((step, index) => `${index + 1}. ${step}`),
    '',
    '```json',
    JSON.stringify(exampleAnswer(code, 'http://localhost:3000'), null, 2),
    '```',
  ]
}

/** `docs/settings.md`, whole. */
export function settingsDocument(): string {
  const rows = Object.entries(VARIABLES).map(([name, { default: standard, about }]) =>
    toRow(`\`${name}\``, standard === '' ? '' : `\`${standard}\``, about),
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
    toRow('Variable', 'Default', 'Meaning'),
    '|---|---|---|',
    ...rows,
  ].join('\n')}\n`
}

if (import.meta.main) {
  for (const file of [join(ROOT, 'docs', 'architecture.md'), join(ROOT, 'CONTRIBUTING.md')])
    writeFileSync(file, withFloors(readFileSync(file, 'utf8')))
  const benchmarks = readFileSync(join(ROOT, 'docs', 'benchmarks.md'), 'utf8')
  for (const name of WITH_FIGURES) {
    const file = join(ROOT, name)
    writeFileSync(file, withFigures(name, readFileSync(file, 'utf8'), benchmarks))
  }
  writeFileSync(ERRORS, errorsDocument())
  writeFileSync(SETTINGS, settingsDocument())
  const document = await readDocument()
  const ofOrganizations = operationsOf(document).filter((one) =>
    ['member', 'administrator'].includes(one['x-access'] ?? ''),
  )
  writeFileSync(
    join(ROOT, 'docs', 'scopes.md'),
    scopesDocument(
      ofOrganizations.map((one) => ({
        ...one,
        scope: one['x-scope'] as Permission | undefined,
        also: (one['x-scope-of'] ?? {}) as Record<string, Permission>,
      })),
    ),
  )
  for (const [name, text] of Object.entries(generateSdk(document)))
    writeFileSync(join(ROOT, 'sdk', 'src', name), text)
  for (const [name, text] of Object.entries(generatePython(document)))
    writeFileSync(join(ROOT, 'sdk-python', 'src', 'postern_sdk', name), text)
}
