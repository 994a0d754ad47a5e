import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'
import { OWN_ERRORS } from '#src/pages/reference/operation-errors.ts'
import { readRoutes } from '../support/routes.ts'

/** Errors of an operation that its tests do not name, because the code that answers them is another operation's as well. */
const SHARED: Record<string, { code: string; says: string }> = {
  'fetchFile INSUFFICIENT_CREDITS': {
    code: 'src/files/file-row.ts',
    says: '@throws ApiError FORBIDDEN `too_much_stored`, INSUFFICIENT_CREDITS',
  },
  'addDocument INSUFFICIENT_CREDITS': {
    code: 'src/knowledge/indexing/staged-version.ts',
    says: '@throws ApiError INSUFFICIENT_CREDITS',
  },
  'indexDocument INSUFFICIENT_CREDITS': {
    code: 'src/knowledge/indexing/staged-version.ts',
    says: '@throws ApiError INSUFFICIENT_CREDITS',
  },
  // A document of a file that could not be read fails with the code of the file, whichever that is.
  'addDocument XLSX_TIMEOUT': { code: 'src/knowledge/indexing/index-document.ts', says: '= file.error ??' },
  'addDocument XLSX_CORRUPTED': { code: 'src/knowledge/indexing/index-document.ts', says: '= file.error ??' },
  'indexDocument XLSX_TIMEOUT': { code: 'src/knowledge/indexing/index-document.ts', says: '= file.error ??' },
  'indexDocument XLSX_CORRUPTED': {
    code: 'src/knowledge/indexing/index-document.ts',
    says: '= file.error ??',
  },
}

describe('the errors that the reference lists for an operation', async () => {
  const routes = new Map((await readRoutes()).map((route) => [route.operationId, route]))
  const texts = new Map(globSync('test/**/*.ts').map((file) => [normalize(file), readFileSync(file, 'utf8')]))
  const own = Object.entries(OWN_ERRORS).flatMap(([code, operations]) =>
    operations.map((operationId) => ({ operationId, code })),
  )

  /** The text of a test and of its own imports: the call may be in a helper. */
  function withHelpers(file: string): string {
    const text = texts.get(file) ?? ''
    const imported = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path))
    return [text, ...imported.map((one) => texts.get(one) ?? '')].join('\n')
  }

  /** A path as a test writes it: the id is a value. */
  function asCalled(path: string): RegExp {
    const parts = path.split(/\{\w+\}/).map((part) => part.replaceAll('.', '\\.'))
    return new RegExp(`${parts.join("(?:\\$\\{[^}]{0,80}\\}|[^/`']{1,80})")}(?=[\`'?"$])`)
  }

  for (const { operationId, code } of own)
    it(`are answered: ${code} of ${operationId} is named by a test that calls it`, () => {
      const shared = SHARED[`${operationId} ${code}`]
      if (shared !== undefined) return assert.ok(readFileSync(shared.code, 'utf8').includes(shared.says))
      const route = routes.get(operationId)
      assert.ok(route !== undefined, `no operation is called ${operationId}`)
      const called = asCalled(route.path)
      const found = [...texts].filter(
        ([file, text]) =>
          file.endsWith('.test.ts') && text.includes(`'${code}'`) && called.test(withHelpers(file)),
      )
      assert.notDeepEqual(found, [])
    })
})
