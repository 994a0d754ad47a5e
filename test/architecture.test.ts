import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'

/** Files that may be longer than the rule allows; empty, and it stays so. */
const EXEMPT: string[] = []
const LONGEST = 300

/** How high a room stands; a file imports from its own height or from below. */
const HEIGHT: Record<string, number> = {
  core: 0,
  db: 1,
  http: 2,
  mail: 2,
  net: 2,
  access: 3,
  webhooks: 3,
  billing: 3,
  connections: 3,
  pages: 3,
  cli: 4,
  root: 4,
}
const SLICES = ['access', 'webhooks', 'billing', 'connections', 'pages']

/** What every room above the data may know: the settings, and which program this is. */
const SETTINGS = [
  'src/config.ts',
  'src/variables.ts',
  'src/read-value.ts',
  'src/read-plans.ts',
  'src/read-json.ts',
  'src/read-connections.ts',
  'src/misspelt.ts',
  'src/redact.ts',
  'src/version.ts',
]

interface Import {
  file: string
  /** A file of ours, or a package. */
  target: string
  names: string[]
  isType: boolean
}

const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
const text = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
const imports = files.flatMap(importsOf)
const internal = imports.filter(({ target }) => target.startsWith('src/'))

function importsOf(file: string): Import[] {
  const statements = text
    .get(file)
    ?.matchAll(
      /^(?:import|export)\s+(type\s+)?([^'"]*?)\s*from\s+'([^']+)'|import\(\s*'([^']+)'|^import\s+'([^']+)'/gms,
    )
  return [...(statements ?? [])].map(([, type, clause = '', from, dynamic, bare]) => {
    const path = from ?? dynamic ?? bare ?? ''
    const names = clause
      .replace(/[{}]/g, '')
      .split(',')
      .flatMap((name) => name.trim() || [])
    return {
      file,
      target: path.startsWith('.') ? normalize(join(dirname(file), path)) : path,
      names: names.map((name) => name.replace(/^type /, '').replace(/ as .*/, '')),
      isType: type !== undefined || (names.length > 0 && names.every((name) => name.startsWith('type '))),
    }
  })
}

function roomOf(file: string): string {
  const [, room = '', rest] = file.split('/')
  return rest === undefined ? 'root' : room
}

function arrow({ file, target, names }: Import): string {
  return `${file} → ${target} (${names.join(', ')})`
}

/** What the code says, without what its comments say. */
function code(file: string): string {
  return (text.get(file) ?? '').replace(/\/\*.*?\*\//gs, '').replace(/(^|\s)\/\/.*$/gm, '')
}

describe('the architecture', () => {
  it('has no room that the rules do not know', () => {
    const unknown = files.map(roomOf).filter((room) => HEIGHT[room] === undefined)
    assert.deepEqual([...new Set(unknown)], [])
  })

  it('imports only downwards: app → slices → http, mail, net → db → core', () => {
    const upward = internal.filter(({ file, target }) => {
      if (SETTINGS.includes(target)) return !SETTINGS.includes(file) && (HEIGHT[roomOf(file)] ?? 0) < 2
      // The settings themselves stand on core alone.
      if (SETTINGS.includes(file)) return roomOf(target) !== 'core'
      return (HEIGHT[roomOf(target)] ?? 9) > (HEIGHT[roomOf(file)] ?? 9)
    })
    assert.deepEqual(upward.map(arrow), [])
  })

  it('joins slices only where an event and its fact commit together: webhooks/publish.ts', () => {
    const across = internal.filter(({ file, target }) => {
      const [from, to] = [roomOf(file), roomOf(target)]
      return (
        SLICES.includes(from) && SLICES.includes(to) && from !== to && target !== 'src/webhooks/publish.ts'
      )
    })
    assert.deepEqual(across.map(arrow), [])
  })

  it('has no circle of imports when it runs; types are gone by then', () => {
    const kept = internal.filter(({ isType }) => !isType)
    const edges = new Map(files.map((file) => [file, kept.filter((one) => one.file === file)]))
    const done = new Set<string>()
    function visit(file: string, path: string[]): void {
      assert.ok(!path.includes(file), [...path.slice(path.indexOf(file)), file].join(' → '))
      if (done.has(file)) return
      for (const { target } of edges.get(file) ?? []) visit(target, [...path, file])
      done.add(file)
    }
    for (const file of files) visit(file, [])
  })

  it('reads the environment in config.ts only', () => {
    assert.deepEqual(
      files.filter((file) => /\bprocess\s*\.\s*env\b/.test(code(file))),
      ['src/config.ts'],
    )
  })

  it('reads the time, and waits, in core/clock.ts only', () => {
    const users = files.filter((file) =>
      /\bnew Date\b|\bDate\.|\bset(Timeout|Interval)\(|\bperformance\b/.test(code(file)),
    )
    assert.deepEqual(users, ['src/core/clock.ts'])
    assert.deepEqual(imports.filter(({ target }) => target.startsWith('node:timers')).map(arrow), [])
  })

  it('binds what is sealed by db/sealed.ts only, so that changing the key forgets no column', () => {
    assert.deepEqual(
      files.filter((file) => /\bas SealContext\b/.test(code(file))),
      ['src/db/sealed.ts'],
    )
  })

  it('knows which database it talks to in db/ only', () => {
    const drivers = imports.filter(({ target }) => target === 'node:sqlite' || target === 'pg')
    assert.deepEqual([...new Set(drivers.map(({ file }) => roomOf(file)))], ['db'])
  })

  it('opens connections in net/ and mail/ only', () => {
    const doors = [
      'undici',
      'nodemailer',
      'node:net',
      'node:tls',
      'node:http',
      'node:https',
      'node:http2',
      'node:dgram',
    ]
    const openers = imports.filter(
      ({ file, target, names, isType }) =>
        doors.includes(target) &&
        !isType &&
        names.some((name) => name !== 'isIP') &&
        !['net', 'mail'].includes(roomOf(file)),
    )
    assert.deepEqual(openers.map(arrow), [])
    assert.deepEqual(
      files.filter((file) => /(?<![.\w])fetch\(/.test(code(file)) && roomOf(file) !== 'net'),
      [],
    )
  })

  it('keeps slices flat: no folder in one but assets', () => {
    const folders = globSync('src/*/*').filter((path) => statSync(path).isDirectory())
    assert.deepEqual(
      folders.filter(
        (path) => !['src/db/migrations', 'src/db/tables'].includes(path) && !path.endsWith('/assets'),
      ),
      [],
    )
  })

  it(`has no file of more than ${LONGEST} lines`, () => {
    const long = files
      .map((file) => ({ file, lines: (text.get(file) ?? '').trimEnd().split('\n').length }))
      .filter(({ file, lines }) => lines > LONGEST && !EXEMPT.includes(file))
    assert.deepEqual(long, [])
    assert.deepEqual(EXEMPT, [])
  })

  it('has no barrels and no default exports', () => {
    assert.deepEqual(
      files.filter((file) => file.endsWith('/index.ts') || /^export default\b/m.test(code(file))),
      [],
    )
    assert.deepEqual(
      files.filter((file) => /^export \* /m.test(code(file))),
      [],
    )
  })
})
