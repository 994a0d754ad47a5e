import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'
import { FLOORS, SLICES } from '../docs/floors.ts'

/** Files that may be longer than the rule allows; empty, and it stays so. */
const EXEMPT: string[] = []
const LONGEST = 400

/** How high a room stands; a file imports from its own floor or from below. */
const HEIGHT: Record<string, number> = Object.fromEntries(
  FLOORS.toReversed().flatMap((floor, height) => floor.map((room) => [room, height])),
)

/** Words without a meaning in the field; the field's words are at the end of docs/architecture.md. */
const PRIVATE_WORDS =
  /\b(litter|told|hears?|heard|hurr(y|ied)|again|till|gate|desk|look(?! up)|is well|goes on)\b/
/** Names that are not ours. */
const FOREIGN = new Set(['EAI_AGAIN'])

/** Which room writes a table, where it is not plain from its name. */
const OWNERS: Record<string, string> = Object.fromEntries(
  Object.entries({
    access: [
      'account',
      'api_key',
      'api_key_secret',
      'retired_secret',
      'domain',
      'proven_domain',
      'ended_key',
      'former_member',
      'identity',
      'identity_provider',
      'setup_link',
      'saml_key',
      'spent_logout',
      'invitation',
      'mail_request',
      'membership',
      'oauth_client',
      'oauth_grant',
      'oauth_record',
      'role',
      'scim_exchange',
      'scim_group',
      'scim_group_member',
      'scim_setting',
      'scim_user',
      'one_time_token',
      'platform_key',
      'platform_key_secret',
      'service_account',
      'passkey_challenge',
      'pending_sign_in',
      'recovery_code',
      'imported_hash_kind',
      'second_factor',
      'session',
      'session_exclusion',
      'sign_in_throttle',
      'signing_key',
    ],
    agents: ['agent', 'agent_version', 'conversation', 'mcp_server', 'message', 'run', 'run_wait', 'step'],
    audit: ['audit'],
    'audit-streams': ['audit_stream', 'audit_stream_secret'],
    blobs: ['blob', 'storage'],
    billing: ['checkout', 'credit_account', 'ledger_entry', 'reservation', 'subscription'],
    connections: ['connection', 'ended_connection'],
    db: ['chunk_terms', 'chunk_terms_length', 'migration', 'presence', 'schema_floor'],
    delivery: [
      'attempt',
      'delivery',
      'delivery_count',
      'event',
      'fan_out',
      'lane',
      'publisher',
      'replay',
      'webhook_secret',
    ],
    files: ['file'],
    http: ['idempotency', 'rate_window'],
    jobs: ['job', 'worker'],
    knowledge: [
      'chunk',
      'chunk_vector',
      'document',
      'document_next_text',
      'document_text',
      'knowledge_base',
      'knowledge_count',
      'removal',
    ],
    live: ['stream', 'stream_change'],
    mail: ['mail'],
    oauth: ['connection_state', 'social_state'],
    organizations: ['organization'],
    store: ['meta'],
    webhooks: ['capture', 'endpoint_path', 'event_type', 'webhook', 'webhook_url'],
  }).flatMap(([room, tables]) => tables.map((table) => [table, room])),
)

interface Import {
  file: string
  /** A file of ours, or a package. */
  target: string
  names: string[]
  isType: boolean
}

const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
const text = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
const imports = files.flatMap((file) => importsOf(file, text.get(file) ?? ''))
const internal = imports.filter(({ target }) => target.startsWith('src/'))

function importsOf(file: string, source: string): Import[] {
  const statements = source.matchAll(
    /^(?:import|export)\s+(type\s+)?([^'"]*?)\s*from\s+'([^']+)'|import\(\s*'([^']+)'|^import\s+'([^']+)'/gms,
  )
  return [...statements].map(([, type, clause = '', from, dynamic, bare]) => {
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

/** The room of a file; `root` for `app.ts` and `main.ts`. */
function partOf(file: string): string {
  const [, part = '', rest] = file.split('/')
  return rest === undefined ? 'root' : part
}

/** `nextDueAt`, `NEXT_DUE_AT` → `next due at`. */
function wordsOf(name: string): string {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).join(' ').toLowerCase()
}

/** The folder that a file is in. `main.ts`, and what ties a slice together (`access/create-access.ts`), stand above. */
function roomOf(file: string): string {
  return /^src\/(main|([\w-]+)\/create-\2)\.ts$/.test(file)
    ? file
    : dirname(file).replace(/^src\/?/, '') || 'root'
}

/** @param edges pairs of an importer and its import */
function assertNoCircle(edges: (readonly [string, string])[]): void {
  const after = Map.groupBy(edges, ([from]) => from)
  const done = new Set<string>()
  function visit(one: string, path: string[]): void {
    assert.ok(!path.includes(one), [...path.slice(path.indexOf(one)), one].join(' → '))
    if (done.has(one)) return
    for (const [, next] of after.get(one) ?? []) visit(next, [...path, one])
    done.add(one)
  }
  for (const one of after.keys()) visit(one, [])
}

function arrow({ file, target, names }: Import): string {
  return `${file} → ${target} (${names.join(', ')})`
}

/** The text of a file without its comments. */
function code(file: string): string {
  return (text.get(file) ?? '').replace(/\/\*.*?\*\//gs, '').replace(/(^|\s)\/\/.*$/gm, '')
}

describe('the architecture', () => {
  it('has no part that the rules do not know', () => {
    const unknown = files.map(partOf).filter((part) => HEIGHT[part] === undefined)
    assert.deepEqual([...new Set(unknown)], [])
  })

  it('imports only downwards, by the floors that the documents show', () => {
    const upward = internal.filter(
      ({ file, target }) =>
        (HEIGHT[partOf(target)] ?? FLOORS.length) > (HEIGHT[partOf(file)] ?? FLOORS.length),
    )
    assert.deepEqual(upward.map(arrow), [])
  })

  it('is named `#src/` from outside of it, and by where a file is from inside', () => {
    const outside = globSync(['test/**/*.ts', 'bench/**/*.ts', 'tour/**/*.ts', 'docs/**/*.ts'])
    const climbing = outside.filter((file) =>
      /['"](?:\.\.\/)+src\/[^'"]+['"](?!, import)/.test(readFileSync(file, 'utf8')),
    )
    assert.deepEqual(climbing, [])
    assert.deepEqual(imports.filter(({ target }) => target.startsWith('#')).map(arrow), [])
  })

  it('says of each route whether it is done once for an Idempotency-Key (`once: true` in its config), and of no other', () => {
    const marks = files
      .filter((file) => partOf(file) !== 'http')
      .flatMap((file) => {
        const found = [
          ...code(file).matchAll(/\bconfig: \{(?:[^{}]|\{[^}]*\})*\}|\bonce\(\s*request\b/g),
        ].map(([one]) => one)
        return found.map((one, at) => ({ file, one, before: found[at - 1], after: found[at + 1] }))
      })
    const runs = marks.filter(({ one }) => one.startsWith('once('))
    assert.ok(runs.length > 15)
    const silent = runs.filter(({ before }) => !before?.includes('once: true'))
    assert.deepEqual(
      silent.map(({ file }) => file),
      [],
    )
    const idle = marks.filter(({ one, after }) => one.includes('once: true') && !after?.startsWith('once('))
    assert.deepEqual(
      idle.map(({ file }) => file),
      [],
    )
  })

  it('has no slice that imports another', () => {
    const across = internal.filter(({ file, target }) => {
      const [from, to] = [partOf(file), partOf(target)]
      return SLICES.includes(from) && SLICES.includes(to) && from !== to
    })
    assert.deepEqual(across.map(arrow), [])
  })

  it('has rooms that form no circle, types included', () => {
    assertNoCircle(
      internal.map(({ file, target }) => [roomOf(file), roomOf(target)] as const).filter(([a, b]) => a !== b),
    )
  })

  it('has files that form no circle, types included, so that each can be read from the bottom', () => {
    assertNoCircle(internal.map(({ file, target }) => [file, target] as const))
  })

  it('has a console, a bench, a client, torture and generated documents without a circle of files', () => {
    const beside = [
      'console/**/*.{ts,tsx}',
      'bench/**/*.ts',
      'sdk/{src,generate}/**/*.ts',
      'docs/*.ts',
      'tour/*.ts',
      'test/torture/*.ts',
    ]
    const edges = globSync(beside).flatMap((file) => importsOf(file, readFileSync(file, 'utf8')))
    assert.ok(edges.length > 500)
    assertNoCircle(edges.map(({ file, target }) => [file, target] as const))
  })

  it('has programs that import no hook of the test runner, which would print a summary of no tests at their end', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>
    }
    const programs = Object.values(scripts).flatMap((line) =>
      [...line.matchAll(/node (\S+\.ts)/g)].map(([, file = '']) => file),
    )
    assert.ok(programs.includes('test/torture/torture.ts'))
    // A program that calls `process.exit` prints no summary.
    const endsItself = (file: string) => /^process\.exit\(/m.test(readFileSync(file, 'utf8'))
    const reached = new Map(programs.filter((file) => !endsItself(file)).map((file) => [file, file]))
    for (const [file, path] of reached) {
      const source = readFileSync(file, 'utf8')
      assert.ok(!/^(?:after|before)(?:Each)?\(/m.test(source), path)
      for (const { target } of importsOf(file, source)) {
        const next = target.replace(/^#src\//, 'src/')
        if (/^(?:test|src|bench|tour|docs|packaging)\/.*\.tsx?$/.test(next) && !reached.has(next))
          reached.set(next, `${path} → ${next}`)
      }
    }
  })

  it('asks for permissions, and for a role only where that role itself is meant', () => {
    const compared = /(?:[!=]==|'!?=',)\s*'(?:administrator|member)'|'(?:administrator|member)'\s*[!=]==/
    const comparing = files.filter((file) => file.endsWith('.ts') && compared.test(code(file)))
    assert.deepEqual(
      comparing.sort(),
      [
        // Who approves, as a tool says it; the right is asked for beside it.
        'src/agents/steps/approval.ts',
        // The last administrator, and the role that every key may give.
        ...['change-role', 'given-role', 'keep-administrator'].map(
          (name) => `src/access/accounts/${name}.ts`,
        ),
        // A group gives administrator as a person says.
        'src/access/scim/mapped-groups.ts',
        // The table's lowest role of a permission.
        ...[
          'src/access/keys/key-scopes.ts',
          'src/http/permissions.ts',
          'src/pages/reference/error-example.ts',
        ],
        'src/cli/serve.ts',
      ].sort(),
    )
  })

  it('reads the environment in config.ts only', () => {
    assert.deepEqual(
      files.filter((file) => /\bprocess\s*\.\s*env\b/.test(code(file))),
      ['src/config/config.ts'],
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
    assert.deepEqual([...new Set(drivers.map(({ file }) => partOf(file)))], ['db'])
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
        !['net', 'mail'].includes(partOf(file)),
    )
    assert.deepEqual(openers.map(arrow), [])
    assert.deepEqual(
      files.filter((file) => /(?<![.\w])fetch\(/.test(code(file)) && partOf(file) !== 'net'),
      [],
    )
  })

  it('starts processes in processes/ only', () => {
    const starters = imports.filter(({ target }) => target === 'node:child_process')
    assert.deepEqual([...new Set(starters.map(({ file }) => partOf(file)))], ['processes'])
  })

  it('loads what parses files of strangers in the process of their reader only', () => {
    const reader = 'src/files/readers/child/'
    const messages = `${reader}common/messages.ts`
    const parsers = /^(yauzl|saxes|pdfjs-dist|csv-parse|htmlparser2|postal-mime|jschardet)(\/|$)/
    const loaders = imports.filter(({ file, target, isType }) => {
      if (isType || file.startsWith(reader)) return false
      // The answer to a sign-in is no file: it has 256 KiB at most, and is read within limits of its own.
      if (file === 'src/access/saml/read-xml.ts' && target === 'saxes') return false
      return parsers.test(target) || (target.startsWith(reader) && target !== messages)
    })
    assert.deepEqual(loaders.map(arrow), [])
    assert.deepEqual(imports.filter(({ file }) => file === messages).map(arrow), [])
  })

  it('writes schemas with http/schema/type.ts, and has of TypeBox its types: the rest would cost each start', () => {
    const users = imports.filter(({ target }) => target === 'typebox')
    assert.deepEqual([...new Set(users.map(({ file }) => file))], ['src/http/schema/type.ts'])
    assert.ok(users.every(({ isType }) => isType))
  })

  it('writes a table only in the room that owns it', () => {
    const verbs =
      /(?:insertInto|updateTable|deleteFrom|preparedInsert|preparedListInsert)\(\s*'(\w+)'|(?:insert into|update|delete from)\s+(\w+)\s+(?:set|where|\()/g
    const several = /preparedListInserts\(\s*\{([\s\S]*?)\n {0,2}\}[,)]/g
    const writers = files.flatMap((file) => [
      ...[...code(file).matchAll(verbs)].map(([, built, written]) => ({
        file,
        table: built ?? written ?? '',
      })),
      ...[...code(file).matchAll(several)].flatMap(([, tables = '']) =>
        [...tables.matchAll(/^ +(\w+): (?:\{|[A-Z_]+,)/gm)].map(([, table = '']) => ({ file, table })),
      ),
    ])
    assert.ok(writers.some(({ file, table }) => file.endsWith('/publish.ts') && table === 'event'))
    const foreign = writers.filter(
      ({ file, table }) => OWNERS[table] !== partOf(file) && !file.startsWith('src/db/migrations/'),
    )
    assert.deepEqual([...new Set(foreign.map(({ file, table }) => `${file} writes ${table}`))], [])
  })

  it(`has no file of more than ${LONGEST} lines`, () => {
    const long = files
      .map((file) => ({ file, lines: (text.get(file) ?? '').trimEnd().split('\n').length }))
      // A migration is the record of one change, and is read as that.
      .filter(({ file }) => !file.startsWith('src/db/migrations/'))
      .filter(({ file, lines }) => lines > LONGEST && !EXEMPT.includes(file))
    assert.deepEqual(long, [])
    assert.deepEqual(EXEMPT, [])
  })

  it('names nothing by words of its own where the field has some', () => {
    const declared =
      /\b(?:const|let|function|class|interface|type)\s+(\w+)|^\s*(?:readonly\s+|async\s+)?(\w+)\??(?::|\()/gm
    const found = files.flatMap((file) =>
      [...code(file).matchAll(declared)]
        .map(([, name = '', member]) => member ?? name)
        .filter((name) => PRIVATE_WORDS.test(wordsOf(name)) && !FOREIGN.has(name))
        .map((name) => `${file}: ${name}`),
    )
    assert.deepEqual([...new Set(found)], [])
  })

  it('exports what another file imports, and nothing else', () => {
    const sources = globSync(['{src,test,bench,tour,docs,console,packaging,sdk}/**/*.{ts,tsx,mjs}'], {
      exclude: (path) => path.includes('node_modules'),
    })
    const imported = new Map<string, Set<string>>()
    for (const file of sources)
      for (const { target, names } of importsOf(file, text.get(file) ?? readFileSync(file, 'utf8'))) {
        const path = target.replace(/^#src\//, 'src/')
        // A dynamic import names nothing: it takes the whole file.
        imported.set(path, new Set([...(imported.get(path) ?? []), ...(names.length > 0 ? names : ['*'])]))
      }
    const declared = /^export (?:async )?(?:const|function\*?|class|interface|type) (?:(\w+)|\[([^\]]+)\])/gm
    const exported = files.flatMap((file) =>
      [...code(file).matchAll(declared)].flatMap(([, one, several = '']) =>
        (one ?? several).split(', ').map((name) => ({ file, name })),
      ),
    )
    assert.ok(exported.length > 1_000)
    const unused = exported.filter(({ file, name }) => {
      const names = imported.get(file)
      return !names?.has(name) && !names?.has('*')
    })
    assert.deepEqual(
      unused.map(({ file, name }) => `${file}: ${name}`),
      [],
    )
  })

  it('notes that a mailbox is proven in one place, which ends what was set up before, and at the import', () => {
    const writers = files.filter(
      (file) => file.startsWith('src/') && /\bemail_verified_at['"]?\]?:(?! Millis)/.test(code(file)),
    )
    assert.deepEqual(writers.toSorted(), [
      'src/access/accounts/accounts.ts',
      'src/access/accounts/import-accounts.ts',
    ])
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

describe('the SDK', () => {
  const own = globSync('sdk/src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  const source = (file: string) => readFileSync(file, 'utf8')

  it('imports nothing but itself: no package, nothing of Node, nothing of the server', () => {
    const foreign = own.flatMap((file) =>
      [...source(file).matchAll(/(?:from|import\() ?'([^']+)'/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^\.\/[\w.-]+\.ts$/.test(target))
        .map((target) => `${file} → ${target}`),
    )
    assert.ok(own.length > 5)
    assert.deepEqual(foreign, [])
    const { dependencies, peerDependencies } = JSON.parse(source('sdk/package.json'))
    assert.deepEqual([dependencies, peerDependencies], [undefined, undefined])
    // Globals of Node alone.
    assert.deepEqual(
      own.filter(
        (file) =>
          !file.endsWith('.gen.ts') && /\b(process|Buffer|require|__dirname)\b[.(]/.test(source(file)),
      ),
      [],
    )
  })

  it(`has no file of more than ${LONGEST} lines that a person writes`, () => {
    const long = [...own, ...globSync('sdk/generate/*.ts')]
      .filter((file) => !file.endsWith('.gen.ts'))
      .filter((file) => source(file).trimEnd().split('\n').length > LONGEST)
    assert.deepEqual(long, [])
  })
})
