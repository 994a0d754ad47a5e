import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, normalize } from 'node:path'
import { describe, it } from 'node:test'
import { SCREEN_WORDS } from '../../console/app/shell/screen-words.ts'

const LONGEST = 250
/** What a browser is given: the import map has these, and `#sdk/`. */
const LIBRARIES = ['preact', 'preact/hooks', 'uplot']
/** Named in examples that are shown. */
const SHOWN = /^(postern-sdk|node:stream\/consumers$)/

const files = globSync('console/**/*.{ts,tsx}')
const text = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
const code = (file: string) =>
  (text.get(file) ?? '').replace(/\/\*.*?\*\//gs, '').replace(/(^|\s)\/\/.*$/gm, '')

/** Each import that exists at run time: the importing file and the imported one. */
const imports = files.flatMap((file) =>
  [
    ...code(file).matchAll(/^(?:import|export)\s+(?!type\b)[^'"]*?from\s+'([^']+)'|import\(\s*'([^']+)'/gms),
  ].map(([, from, dynamic]) => ({ file, target: from ?? dynamic ?? '', isLazy: from === undefined })),
)
/** The room of a file: `app`, `parts`, or a folder of screens. */
const roomOf = (file: string) =>
  file
    .split('/')
    .slice(1, file.includes('/screens/') ? 3 : 2)
    .join('/')

describe('the sources of the console', () => {
  it('import what a browser is given, and nothing else', () => {
    const foreign = imports.filter(
      ({ target }) =>
        !target.startsWith('.') &&
        !target.startsWith('#sdk/') &&
        !LIBRARIES.includes(target) &&
        !SHOWN.test(target),
    )
    assert.deepEqual(foreign, [])
    const outside = imports.filter(
      ({ file, target }) =>
        target.startsWith('.') && !normalize(`${dirname(file)}/${target}`).startsWith('console/'),
    )
    assert.deepEqual(outside, [])
  })

  it('know of screens in their table only', () => {
    const known = imports.filter(
      ({ file, target }) =>
        /^(app|parts)$/.test(roomOf(file)) && normalize(`${dirname(file)}/${target}`).includes('/screens/'),
    )
    assert.deepEqual(
      [...new Set(known.map(({ file, isLazy }) => `${file} ${isLazy}`))],
      ['console/app/screens.ts true'],
    )
  })

  it('give further words to screens that there are', () => {
    const table = text.get('console/app/screens.ts') ?? ''
    const paths = new Set([...table.matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path))
    assert.ok(paths.size > 30)
    assert.deepEqual(
      Object.keys(SCREEN_WORDS).filter((path) => !paths.has(path)),
      [],
    )
  })

  it('read the time, and wait, in app/clock.ts only', () => {
    const users = files.filter((file) => /\bnew Date\b|\bDate\.|\bset(Timeout|Interval)\(/.test(code(file)))
    assert.deepEqual(users, ['console/app/clock.ts'])
  })

  it('make no markup out of text, and keep nothing secret in the browser', () => {
    const unsafe = files.filter((file) =>
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/.test(
        code(file),
      ),
    )
    assert.deepEqual(unsafe, [])
    const keepers = files.filter((file) =>
      /\b(local|session)Storage\b|indexedDB|document\.cookie/.test(code(file)),
    )
    assert.deepEqual(keepers.sort(), ['console/app/early.ts', 'console/app/remember.ts'])
  })

  it('reach the API by the SDK, and by hand only where it is not there yet, or a body shows its progress or becomes a file', () => {
    const byHand = files.filter((file) =>
      /(?<![.\w])fetch\(|XMLHttpRequest|EventSource\(|WebSocket/.test(code(file)),
    )
    assert.deepEqual(byHand.sort(), [
      'console/app/data/early-answers.ts',
      'console/app/early.ts',
      'console/parts/export.tsx',
      'console/screens/files/uploads.ts',
    ])
  })

  it('name the operation in each call, by which a page gets its route, and make no client that has all routes', () => {
    const unnamed =
      /\b(?:postern|byCookie|operator)(?:\[|\.\w+(?:\[|\s*[,;)\]}]))|[=(,:]\s*(?:postern|byCookie|operator)\s*(?:[,;)\]}]|$)/gm
    assert.deepEqual(
      files.flatMap((file) =>
        [
          ...code(file)
            .replace(/^import [^']*/gm, '')
            .matchAll(unnamed),
        ].map(([found]) => `${file}: ${found}`),
      ),
      [],
    )
    const whole = files.flatMap((file) =>
      [...code(file).matchAll(/^import \{([^}]*)\} from '#sdk\/(?:postern|routes\.gen)\.ts'/gm)].filter(
        ([, names = '']) => names.split(',').some((name) => !/^\s*(type |$)/.test(name)),
      ),
    )
    assert.deepEqual(whole, [])
  })

  it(`have no file of more than ${LONGEST} lines`, () => {
    const long = files.filter((file) => (text.get(file) ?? '').trimEnd().split('\n').length > LONGEST)
    // The table has a row for each screen.
    assert.deepEqual(
      long.filter((file) => file !== 'console/app/screens.ts'),
      [],
    )
  })
})
