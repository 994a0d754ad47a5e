import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { basename, dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'
import { readCommands } from '#src/cli/command.ts'
import { VARIABLES } from '#src/config/variables.ts'
import { DAY, HOUR, MINUTE, type Millis, SECOND } from '#src/core/clock.ts'
import { CATALOGUE, ERROR_CODES } from '#src/core/errors.ts'
import { KINDS, newId } from '#src/core/id.ts'
import { LIFETIME, RATES, SIZE } from '#src/core/limits.ts'
import { BUILT_IN_PLANS } from '#src/core/plans.ts'
import { HORIZON, WAITS } from '#src/delivery/attempt/schedule.ts'
import { OVERLAP } from '#src/delivery/attempt/secrets.ts'
import { DEADLINE } from '#src/delivery/attempt/send.ts'
import { CHECKS } from '#src/doctor/checks.ts'
import { retentionRules } from '#src/operations/retention-rules.ts'
import { createMetrics } from '#src/shared/metrics.ts'
import { EVENT_TYPES } from '#src/webhooks/events/event-types.ts'
import { WITH_FIGURES, withFigures } from '../docs/figures.ts'
import { withFloors } from '../docs/floors.ts'
import { readDocument } from '../docs/read-document.ts'
import { scopesDocument } from '../docs/scopes.ts'
import { generateSdk } from '../sdk/generate/generate.ts'
import { generatePython } from '../sdk/generate/python.ts'
import { METHODS } from '../sdk/methods.ts'
import { TOUR_SECONDS } from '../tour/perform.ts'
import { BUGS } from './simulator/bugs.ts'
import { JOB_BUGS } from './simulator/jobs/job-bugs.ts'
import { type Route, readRoutes, undocumentedRoutes } from './support/routes.ts'
import { isCommand, shownCommands } from './support/shown-commands.ts'
import { SCENARIOS } from './torture/scenarios.ts'

const DOCUMENTS = globSync(['*.md', 'docs/*.md', '{console,sdk,test/*}/README.md']).sort()
const text = new Map(DOCUMENTS.map((file) => [file, readFileSync(file, 'utf8')]))
const read = (file: string) => text.get(file) ?? readFileSync(file, 'utf8')

/** The text without its blocks of code. */
const prose = (file: string) => read(file).replace(/^```.*?^```/gms, '')

/** The code spans of the prose. */
function codeOf(file: string): string[] {
  return [...prose(file).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
}

/** The blocks of code of a document in some languages. */
function blocksOf(file: string, ...languages: string[]): string[] {
  return [...read(file).matchAll(/^ *```(\w+)\n(.*?)^ *```/gms)]
    .filter(([, language = '']) => languages.includes(language))
    .map(([, , code = '']) => code)
}

/** A section of a document, up to the next heading of its level. */
const sectionOf = (file: string, heading: string) =>
  read(file).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''

/** The paragraph that begins with this text. */
const paragraphOf = (file: string, begin: string) =>
  read(file)
    .split('\n\n')
    .find((paragraph) => paragraph.startsWith(begin))
    ?.replace(/\s+/g, ' ') ?? ''

/** What a document names and is not there, with the document's own name. */
function wrongIn(find: (file: string) => string[]): string[] {
  return DOCUMENTS.flatMap((file) => find(file).map((what) => `${file}: ${what}`))
}

/** A heading's anchor, as a reader of Markdown makes it. */
function anchorsOf(file: string): string[] {
  return [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  )
}

/** `{webhookId}` and `{id}` mean the same to a reader. */
const shape = (path: string) => path.replace(/\{\w+\}/g, '{}')

/** The rows of a table whose first cell is code, by that code. */
function rowsOf(file: string): Map<string, string> {
  return new Map(
    [...read(file).matchAll(/^\| `?([^|`]+?)`? \|(.*)\|$/gm)].map(([, name = '', rest = '']) => [name, rest]),
  )
}

/** A duration in the words of the documents. */
function words(duration: Millis): string {
  const units: [Millis, string][] = [
    [DAY, 'day'],
    [HOUR, 'hour'],
    [MINUTE, 'minute'],
  ]
  const [unit, name] = units.find(([one]) => duration % one === 0) ?? [1, 'ms']
  const count = duration / unit
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

describe('the documents', () => {
  it('link only to what is there', () => {
    const wrong = wrongIn((file) => {
      const links = [...prose(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
      return links.filter((link) => {
        if (/^https?:/.test(link)) return false
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? file : normalize(join(dirname(file), path))
        return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
      })
    })
    assert.deepEqual(wrong, [])
  })

  it('have tables whose every row has as many cells as its head', () => {
    const cells = (line: string) => line.replaceAll('\\|', '').split('|').length
    const wrong = wrongIn((file) => {
      const lines = prose(file).split('\n')
      return lines.filter((line, index) => {
        if (!line.startsWith('|')) return false
        let head = index
        while (lines[head - 1]?.startsWith('|')) head -= 1
        return cells(line) !== cells(lines[head] ?? '')
      })
    })
    assert.deepEqual(wrong, [])
  })

  it('have paragraphs of at most 90 words, apart from the list of routes by who may call them', () => {
    const LONGEST = 90
    const wrong = wrongIn((file) =>
      prose(file)
        .split(/\n\s*(?:\n|(?=\||#|<|(?:[-*]|\d+\.) ))/)
        .map((paragraph) => paragraph.trim())
        .filter((paragraph) => !/^(\||- `\w+`: `(GET|POST) )/.test(paragraph))
        .filter((paragraph) => paragraph.split(/\s+/).length > LONGEST)
        .map((paragraph) => `${paragraph.split(/\s+/).length} words from "${paragraph.slice(0, 60)}"`),
    )
    assert.deepEqual(wrong, [])
  })

  it('have code that can be read as it stands: commands of a shell, JSON, JavaScript and TypeScript', () => {
    const problemOf = (read: () => unknown) => {
      try {
        read()
        return []
      } catch (error) {
        return [String(error).split('\n', 1)[0]]
      }
    }
    const ofShell = (code: string) => {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' })
      // Two commands that were joined to one line are still a command.
      const joined = code
        .replace(/\\\n/g, ' ')
        .split('\n')
        .map((line) => line.replace(/(?:^|\s)#.*$/, '').replace(/'[^']*'|"[^"]*"/g, "''"))
        .map((line) => line.replace(/^(?:\s*\w+=\S*)+\s+/, ''))
        .filter((line) => /(?:[^\s&|;(]|^\S+)\s+(?:npm|npx|curl|cd|docker|sqlite3|pg_dump)\s/.test(line))
      return status === 0 ? joined : [stderr]
    }
    // Several values may follow one another, as lines of a log do.
    const ofJson = (code: string) => problemOf(() => JSON.parse(`[${code.replace(/\}\n(?=\{)/g, '},\n')}]`))
    const ofScript = (code: string) => problemOf(() => stripTypeScriptTypes(code))
    const checks: [string[], (code: string) => unknown[]][] = [
      [['sh'], ofShell],
      [['json'], ofJson],
      [['js', 'ts'], ofScript],
    ]
    let count = 0
    const wrong = wrongIn((file) =>
      checks.flatMap(([languages, check]) =>
        blocksOf(file, ...languages).flatMap((code) => {
          count += 1
          return check(code).map((problem) => `${problem} in ${code.slice(0, 60)}`)
        }),
      ),
    )
    assert.ok(count > 60)
    assert.deepEqual(wrong, [])
  })

  it('name `npm ci` first, and the lock has for it whatever a package asks for, on every platform', () => {
    interface Locked {
      dependencies?: Record<string, string>
      optionalDependencies?: Record<string, string>
    }
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
    const folders = new Set(Object.keys(packages))
    const isLocked = (from: string, name: string): boolean => {
      if (folders.has(join(from, 'node_modules', name))) return true
      const outer = from.split('/node_modules/').slice(0, -1).join('/node_modules/')
      return from !== '' && isLocked(outer, name)
    }
    const missing = Object.entries(packages).flatMap(([from, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !isLocked(from, name))
        .map((name) => `${from} asks for ${name}`),
    )
    assert.ok(folders.size > 200)
    assert.deepEqual(missing, [])
  })

  it('name only files and folders that are there', () => {
    const wrong = wrongIn((file) =>
      codeOf(file).filter((code) => {
        if (!/^\w[\w./-]*(\.(tsx?|m?js|md|css|py|png)|\/)$/.test(code)) return false
        const places = [
          '',
          'src',
          'test',
          'src/jobs',
          'src/delivery',
          'console',
          'console/parts',
          dirname(file),
        ].map((folder) => join(folder, code))
        return !places.some((place) => existsSync(place)) && !isAnywhere(code)
      }),
    )
    assert.deepEqual(wrong, [])
  })

  it('name only functions and members that the code has', () => {
    const sources = globSync('{src,test,docs,bench,tour,bin,console,sdk}/**/*.{ts,tsx,js}', {
      exclude: (name) => name.includes('node_modules'),
    })
    const words = new Set(sources.flatMap((file) => readFileSync(file, 'utf8').match(/\w+/g) ?? []))
    assert.ok(words.size > 5_000)
    // A word of the examples of docs/knowledge.md.
    words.add('getUserName')
    const wrong = wrongIn((file) =>
      // The changelog also names what was removed.
      codeOf(file).filter(
        (code) =>
          file !== 'CHANGELOG.md' &&
          /^[a-z]+[A-Z]\w*(\(\))?$/.test(code) &&
          !words.has(code.replace('()', '')),
      ),
    )
    assert.deepEqual(wrong, [])
  })

  it('name only commands and options that are there, and so do the recipes', async () => {
    const commands = await readCommands()
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object }
    const wrong = wrongIn((file) => {
      const run = [...read(file).matchAll(/npm run (?:--\w+ )?([a-z:]*[a-z])/g)]
        .filter(([, name = '']) => !Object.hasOwn(scripts, name))
        .map(([code]) => code)
      const postern = shownCommands(read(file)).filter((one) => !isCommand(one, commands))
      return [...run, ...postern.map(({ line }) => line)]
    })
    const recipes = globSync(['deploy/**/*', 'packaging/debian/*']).filter((file) => statSync(file).isFile())
    const shown = recipes.flatMap((file) => shownCommands(read(file)))
    assert.ok(shown.length >= 4, `${shown.length}`)
    assert.deepEqual([...wrong, ...shown.filter((one) => !isCommand(one, commands))], [])
  })

  it('name only endpoints that are there', async () => {
    const documented = await readRoutes()
    const others = await undocumentedRoutes(documented)
    const known = new Set(
      [...documented.map(({ method, path }) => `${method} ${path}`), ...others].map(shape),
    )
    const paths = new Set([...known].map((route) => route.split(' ')[1] ?? ''))
    const wrong = wrongIn((file) =>
      codeOf(file).filter((code) => {
        const [, method, path = ''] =
          /^(?:(GET|POST|PATCH|DELETE) )?(\/(?:v1|\.well-known)\/[^\s?…]*)/.exec(code) ?? []
        if (path === '' || path.endsWith('/')) return false
        return method === undefined ? !paths.has(shape(path)) : !known.has(`${method} ${shape(path)}`)
      }),
    )
    assert.deepEqual(wrong, [])
  })

  it('name only settings and codes that are there', () => {
    // Of Node, the C library, a receiver, programs that call a server, the SDK, and the tests.
    const others = [
      'NODE_COMPILE_CACHE',
      'MALLOC_ARENA_MAX',
      'WEBHOOK_SECRET',
      'POSTERN_API_KEY',
      'POSTERN_URL',
      'POSTERN_LOGIN_FILE',
      'XDG_CONFIG_HOME',
      'UNEXPECTED_ANSWER',
      'POSTERN_TEST_SLOW',
    ]
    const known = new Set<string>([...Object.keys(VARIABLES), ...ERROR_CODES, ...others])
    const wrong = wrongIn((file) =>
      codeOf(file).flatMap((code) => {
        const [, name = ''] = /^([A-Z]+_[A-Z_]+)(=.*)?$/.exec(code) ?? []
        return name === '' || known.has(name) ? [] : [name]
      }),
    )
    assert.deepEqual(wrong, [])
  })
})

describe('README.md', () => {
  it('fits three screens', () => {
    assert.ok(read('README.md').split('\n').length <= 130)
  })

  it('says how long the tour takes, as the tour does', () => {
    assert.match(read('README.md'), new RegExp(`\\bnpm run tour\`.* in about ${TOUR_SECONDS} seconds`))
  })

  it('leads to every document', () => {
    const missing = globSync('docs/*.md').filter((file) => !read('README.md').includes(`](${file})`))
    assert.deepEqual(missing, [])
  })
})

describe('CHANGELOG.md', () => {
  it('has a part for each version, the present one first', () => {
    const { version } = JSON.parse(read('package.json'))
    const [first, ...rest] = [...read('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(
      ([, heading = '']) => heading,
    )
    assert.match(`${first},`, new RegExp(`^${version.replaceAll('.', '\\.')},`))
    for (const heading of rest) assert.match(heading, /^\d+\.\d+\.\d+, \d{4}-\d\d-\d\d$/)
  })
})

describe('docs/architecture.md', () => {
  it('shows the floors to which the imports are held, as CONTRIBUTING.md does', () => {
    for (const file of ['docs/architecture.md', 'CONTRIBUTING.md'])
      assert.equal(read(file), withFloors(read(file)), `${file}: run \`npm run docs\``)
  })

  it('has every room and file of src/ in its plan, and every folder of a room', () => {
    const plan = read('docs/architecture.md').split('```')[1] ?? ''
    const missing = readdirSync('src').filter((name) => !plan.includes(name))
    assert.deepEqual(missing, [])
    const folders = globSync('src/*/*/').map((path) => basename(path))
    assert.ok(folders.length > 50)
    assert.deepEqual(
      folders.filter((name) => !plan.includes(`${name}/`)),
      [],
    )
  })
})

describe('the SDK', () => {
  it('has one method for each operation of the document, and the types that it says', async () => {
    for (const [name, text] of Object.entries(generateSdk(await readDocument())))
      assert.ok(
        readFileSync(`sdk/src/${name}`, 'utf8') === text,
        `sdk/src/${name} is not what /openapi.json and sdk/methods.ts say: run \`npm run docs\` and commit what it writes.`,
      )
  })
})

describe('the client in Python', () => {
  const folder = 'sdk-python/src/postern_sdk'

  it('has the files that the document says, and both clients in it each operation', async () => {
    const files = generatePython(await readDocument())
    for (const [name, text] of Object.entries(files))
      assert.ok(
        read(`${folder}/${name}`) === text,
        `${folder}/${name} is not what /openapi.json and sdk/methods.ts say: run \`npm run docs\` and commit what it writes.`,
      )
    for (const name of ['_methods.py', '_async_methods.py']) {
      const calls = files[name]?.match(/= make_call\(/g) ?? []
      assert.equal(calls.length, Object.keys(METHODS).length)
    }
  })

  it('is of the same version as the client in TypeScript, and under the same licence as both', () => {
    const [, version] = /__version__ = "(.*)"/.exec(read(`${folder}/_version.py`)) ?? []
    assert.equal(version, JSON.parse(read('sdk/package.json')).version)
    assert.equal(read('sdk-python/LICENSE'), read('LICENSE'))
  })

  it('has every file of a person named in its CONTRIBUTING.md, none longer than 500 lines', () => {
    const files = globSync(`${folder}/*.py`)
    assert.ok(files.length >= 15)
    const own = files.filter((file) => !read(file).startsWith('# Written by'))
    assert.deepEqual(
      own.filter((file) => !read('sdk-python/CONTRIBUTING.md').includes(`\`${basename(file)}\``)),
      [],
    )
    assert.deepEqual(
      own.filter((file) => read(file).split('\n').length > 500),
      [],
    )
  })
})

describe('sdk/README.md', () => {
  it('names every file of the client, and how many of them are generated', () => {
    const files = globSync('sdk/src/*.ts').map((file) => basename(file))
    const generated = files.filter((name) => name.endsWith('.gen.ts'))
    const missing = files.filter(
      (name) => !/\.test\./.test(name) && !read('sdk/README.md').includes(`\`src/${name}\``),
    )
    assert.deepEqual(missing, [])
    assert.equal(generated.length, 3)
    assert.match(read('sdk/README.md'), /to the three `\.gen\.ts`/)
  })
})

describe('docs/decisions.md', () => {
  it('names every built-in type of events, and every command', async () => {
    const types = paragraphOf('docs/decisions.md', '**Built-in event types.**')
    const commands = paragraphOf('docs/decisions.md', '**Commands.**')
    const ofSpecification = ['agent.run.completed', 'file.processed']
    assert.deepEqual(
      EVENT_TYPES.map(({ type }) => type).filter(
        (type) => !ofSpecification.includes(type) && !types.includes(`\`${type}\``),
      ),
      [],
    )
    assert.deepEqual(
      Object.keys(await readCommands()).filter((name) => !commands.includes(`\`npx postern ${name}\``)),
      [],
    )
  })

  it('names everything that an Idempotency-Key is taken for', async () => {
    const NAMES: Record<string, string> = {
      ...{ invitations: 'invitations', 'api-keys': 'API keys', 'service-accounts': 'service accounts' },
      ...{ billing: 'checkouts', webhooks: 'webhooks', roles: 'roles', domains: 'domains' },
      ...{ 'identity-providers': 'identity providers', 'setup-links': 'setup links' },
      ...{
        'event-types': 'event types',
        events: 'events',
        deliveries: 'retry',
        replays: 'replay',
        files: 'files',
      },
      ...{ 'knowledge-bases': 'knowledge bases', documents: 'documents', 'mcp-servers': 'MCP servers' },
      ...{ agents: 'agents', conversations: 'conversations', runs: 'runs', operator: "the operator's API" },
    }
    const said = paragraphOf('docs/decisions.md', '**Idempotency-Key**')
    const { paths } = (await readDocument()) as unknown as { paths: Record<string, Record<string, object>> }
    const once = Object.entries(paths).filter(([, operations]) =>
      Object.values(operations).some((operation) => 'x-idempotency-key' in operation),
    )
    assert.ok(once.length > 20)
    assert.deepEqual(
      once.map(([path]) => path).filter((path) => !said.includes(NAMES[path.split('/')[2] ?? ''] ?? '\0')),
      [],
    )
  })

  it('says how large each body may be', () => {
    const inBytes = (size: number) => (size >= 1024 ** 2 ? `${size / 1024 ** 2} MiB` : `${size / 1024} KiB`)
    // By the name that the route gives its limit.
    const SIZES: Record<string, string> = {
      'SIZE.body': inBytes(SIZE.body),
      'SIZE.eventBody': inBytes(SIZE.eventBody),
      'SIZE.batchBody': inBytes(SIZE.batchBody),
      '1024 * 1024': '1 MiB',
      LARGEST_REQUEST: '512 KiB',
      LARGEST_FETCH_REQUEST: '2 MiB',
      LARGEST_MESSAGE: inBytes(SIZE.eventBody + 16 * 1024),
      LARGEST_BODY: '4,000,000 bytes',
    }
    const named = globSync('src/**/*.ts').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\bbodyLimit: ([^,\n]+),/g)].map(([, name = '']) => name),
    )
    const said = paragraphOf('docs/decisions.md', '**Sizes**')
    assert.deepEqual([...new Set(named)].sort(), Object.keys(SIZES).sort())
    for (const size of [...Object.values(SIZES), inBytes(SIZE.file)]) assert.ok(said.includes(size), size)
  })
})

describe('console/README.md', () => {
  it('names every part that screens use', () => {
    const used = globSync('console/screens/**/*.{ts,tsx}').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^import \{([^}]*)\} from '(?:\.\.\/)+parts\//gm)].flatMap(
        ([, names = '']) => names.match(/(?<!type )\b(?!type )\w+/g) ?? [],
      ),
    )
    const named = new Set(read('console/README.md').match(/\w+/g))
    const types = /^(type|as|FormState|Noun|Column)$/
    assert.ok(used.length > 300)
    assert.deepEqual([...new Set(used)].filter((name) => !named.has(name) && !types.test(name)).sort(), [])
  })
})

describe('docs/specification.md', () => {
  const rows = rowsOf('docs/specification.md')

  it('has the catalogue, with its statuses', () => {
    const said = Object.fromEntries(ERROR_CODES.map((code) => [code, Number(rows.get(code)?.split('|')[0])]))
    assert.deepEqual(said, Object.fromEntries(ERROR_CODES.map((code) => [code, CATALOGUE[code].status])))
  })

  it('has endpoints that are served', async () => {
    const served = (await readRoutes()).map(({ method, path }) => `${method} ${shape(path)}`)
    const said = [...read('docs/specification.md').matchAll(/^\| (GET|POST) \| `([^`]+)`/gm)]
    assert.equal(said.length, 15)
    assert.deepEqual(
      said.map(([, method, path = '']) => `${method} ${shape(path)}`).filter((one) => !served.includes(one)),
      [],
    )
  })

  it('has the prefix of every kind of id', () => {
    const named = [...read('docs/decisions.md').matchAll(/(?<=\| )`([a-z]{3})` \w/g)].map(
      ([, prefix]) => prefix,
    )
    assert.deepEqual(named.sort(), KINDS.map((kind) => newId(kind, 0).slice(0, 3)).sort())
  })

  it('has the numbers that hold', () => {
    assert.deepEqual(
      Object.fromEntries(
        [
          'A JWT lasts',
          'A delivery waits for its answer',
          'The old secret after a rotation',
          'Retried for',
        ].map((limit) => [limit, rows.get(limit)?.trim()]),
      ),
      {
        'A JWT lasts': `${LIFETIME.jwt / MINUTE} minutes`,
        'A delivery waits for its answer': `${DEADLINE / SECOND} seconds`,
        'The old secret after a rotation': `${OVERLAP / HOUR} hours`,
        'Retried for': `${HORIZON / HOUR} hours`,
      },
    )
    const units = { s: SECOND, min: MINUTE }
    const waits = (rows.get('The waits') ?? '').trim().split(', ')
    assert.deepEqual(
      waits.map((wait) => Number.parseInt(wait, 10) * (units[wait.split(' ')[1] as 's'] ?? 0)),
      WAITS,
    )
  })

  it('has each section that the code cites, and so has docs/decisions.md', () => {
    const headings = new Set([
      ...[...read('docs/specification.md').matchAll(/^## (\d)\. /gm)].map(([, n]) => `specification ${n}`),
      ...[...read('docs/decisions.md').matchAll(/^## (.+)$/gm)].map(
        ([, name = '']) => `decisions: ${name.toLowerCase()}`,
      ),
      ...[...read('docs/architecture.md').matchAll(/^## (.+)$/gm)].map(
        ([, name = '']) => `architecture: ${name.toLowerCase()}`,
      ),
    ])
    const cited = globSync(['src/**/*.ts', 'test/**/*.ts', 'tour/**/*.ts', 'src/**/*.js']).flatMap((file) =>
      [
        ...readFileSync(file, 'utf8').matchAll(
          /\bspecification \d|\b(?:decisions|architecture): [a-z]+(?: (?:it|way of a \w+))?/g,
        ),
      ].map(([clause]) => ({ file, clause })),
    )
    assert.ok(cited.length > 50)
    assert.deepEqual(
      cited.filter(({ clause, file }) => !headings.has(clause) && file !== 'test/documents.test.ts'),
      [],
    )
  })
})

describe('docs/reliability.md', () => {
  it('names for each promise the tests that prove it', () => {
    const promises = [
      ...sectionOf('docs/reliability.md', 'What is promised').matchAll(/^(\d+)\. \*\*/gm),
    ].map(([, number]) => number)
    const proofs = [
      ...sectionOf('docs/reliability.md', 'How each promise is proved').matchAll(/^\| (\d+) .*\|(.*)\|$/gm),
    ]
    assert.deepEqual(
      proofs.map(([, number]) => number),
      promises,
    )
    for (const [row, , tests = ''] of proofs) assert.match(tests, /`[\w/.-]+\.test\.ts`/, row)
  })

  it('lists every scenario of torture, and every bug that is planted in the simulators', () => {
    const section = sectionOf('docs/reliability.md', 'How each promise is proved')
    const [, scenarios = ''] = section.split('\n| Scenario | What is done |\n')
    const listed = [...scenarios.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    )
    assert.deepEqual(listed.sort(), Object.keys(SCENARIOS).sort())
    // The document describes bugs in words, so only their number can be compared.
    const planted = section.split('\n| Planted | Found as |\n|---|---|\n').slice(1)
    assert.deepEqual(
      planted.map((table) => table.split('\n\n')[0]?.split('\n').length),
      [BUGS, JOB_BUGS].map((bugs) => Object.keys(bugs).length),
    )
  })

  it('says how many seeds of the simulator a run of the tests takes', () => {
    const source = readFileSync('test/simulator.test.ts', 'utf8')
    const [, night = '', day = '', parts = ''] =
      /^const PART = nightly\((\d+), (\d+)\)\nconst SEEDS = nightly\((\d+) \* PART, PART\)$/m.exec(source) ??
      []
    const byDay = Number(day)
    const byNight = (Number(parts) * Number(night)).toLocaleString('en')
    assert.ok(byDay > 0)
    assert.match(
      read('docs/reliability.md').replace(/\s+/g, ' '),
      new RegExp(
        `\`npm test\` runs ${byDay} seeds \\(\`test/simulator\\.test\\.ts\`\\), \`npm run test:nightly\` ${byNight}\\.`,
      ),
    )
  })

  it('lists whatever is written without waiting for the disk', () => {
    const section = sectionOf('docs/reliability.md', 'What a power cut may take')
    const listed = [...section.matchAll(/^\| .* \(`(.+?)`\) \|/gm)].map(([, file]) => `src/${file}`)
    const writing = globSync('src/**/*.ts').filter((file) => readFileSync(file, 'utf8').includes('.relaxed('))
    assert.deepEqual(listed.sort(), writing.sort())
  })
})

describe('docs/security.md', () => {
  const rows = rowsOf('docs/security.md')

  it('says of every route who may call it', async () => {
    const said = Object.fromEntries(
      [...read('docs/security.md').matchAll(/^- `(\w+)`: (.*(?:\n {2}.*)*)/gm)].map(
        ([, access = '', list = '']) => [
          access,
          [...list.matchAll(/`([^`]+)`/g)].map(([, route = '']) => route).sort(),
        ],
      ),
    )
    const all = await readRoutes()
    const isOfOrganization = ({ access }: Route) => access === 'member' || access === 'administrator'
    const ofOrganizations = all.filter(isOfOrganization)
    assert.equal(readFileSync('docs/scopes.md', 'utf8'), scopesDocument(ofOrganizations), 'npm run docs')
    const routes = Map.groupBy(
      all.filter(({ scope }) => scope === undefined),
      (route) => (isOfOrganization(route) ? 'caller' : route.access),
    )
    const real = [...routes].map(([access, list]) => [
      access,
      list.map(({ method, path }) => `${method} ${path}`).sort(),
    ])
    assert.deepEqual(said, Object.fromEntries(real))
  })

  it('has every header of every answer', () => {
    const [, source = ''] =
      /^const HEADERS = \{\n([\s\S]*?)^\}\nconst HTTPS_ONLY = .*$/m.exec(
        readFileSync('src/http/server.ts', 'utf8'),
      ) ?? []
    const names = [...source.matchAll(/^ {2}'([a-z-]+)':/gm)].map(([, name = '']) => name)
    const [said = ''] =
      /^- \*\*Headers of every answer\.\*\*[\s\S]*?(?=\n- )/m.exec(read('docs/security.md')) ?? []
    assert.ok(names.length > 6)
    assert.deepEqual(
      [...names, 'strict-transport-security'].filter((name) => !said.toLowerCase().includes(`\`${name}`)),
      [],
    )
  })

  it('names everything that the audit log tells of', () => {
    const NAMES: Record<string, string> = {
      ...{
        organization: 'organizations',
        invitation: 'invitations',
        account: 'accounts',
        identity: 'linked identities',
      },
      ...{
        sign_in: 'sign-ins',
        sign_out: 'sign-outs',
        session: 'sign-outs',
        password: 'resets',
        magic_link: 'sign-ins',
      },
      ...{
        member: 'members',
        role: 'roles',
        domain: 'domains',
        identity_provider: 'identity providers',
        setup_link: 'setup links',
        api_key: 'API keys',
        platform_key: 'platform keys',
        ...{ scim: 'provisioning', scim_user: 'users of directories', scim_group: 'groups of directories' },
        audit_stream: 'audit streams',
        service_account: 'service accounts',
        grant: 'grants',
        oauth_client: 'applications',
        plan: 'plans',
        flag: 'module flags',
        connection: 'connections',
      },
      ...{ credits: 'credits', checkout: 'checkouts', subscription: 'subscriptions', webhook: 'webhooks' },
      ...{
        event_type: 'event types',
        mcp_server: 'MCP servers',
        knowledge_base: 'knowledge bases',
        file: 'deleted files',
      },
      ...{ agent: 'agents', approval: 'decisions about calls of tools' },
      ...{ factor: 'second factors', recovery_code: 'second factors' },
    }
    const actions = [...readFileSync('src/audit/audit.ts', 'utf8').matchAll(/^ {2}\| '(\w+)(?:\.\w+)?'$/gm)]
    const said = paragraphOf('docs/security.md', 'The audit log (`GET /v1/audit-log`)')
    assert.ok(actions.length > 40)
    assert.deepEqual(
      actions.map(([, thing = '']) => thing).filter((thing) => !said.includes(NAMES[thing] ?? '\0')),
      [],
    )
  })

  it('has every rate and plan', () => {
    for (const [name, { max, windowMs }] of Object.entries(RATES)) {
      assert.ok(rows.get(name)?.includes(` ${max.toLocaleString('en')} in ${words(windowMs)} `), name)
    }
    for (const [plan, { requestsPerMinute: max }] of BUILT_IN_PLANS.plans) {
      const limit = max === null ? 'any number' : max.toLocaleString('en')
      assert.ok(read('docs/security.md').includes(`\`${plan}\` ${limit}`), plan)
    }
  })

  it('tells how long secrets live', () => {
    const lives: [string, Millis][] = [
      ['Session cookie', LIFETIME.sessionIdle],
      ['Session cookie', LIFETIME.sessionAbsolute],
      ['Device cookie', LIFETIME.device],
      ['Confirmation link', LIFETIME.confirmation],
      ['Password reset link', LIFETIME.passwordReset],
      ['Magic link', LIFETIME.magicLink],
      ['State of a social sign-in', LIFETIME.socialState],
      ['State of a connection being made', LIFETIME.connectionState],
      ['Private key of the JWTs', LIFETIME.signingKey],
      ['Answer kept for an Idempotency-Key', LIFETIME.idempotencyKey],
    ]
    for (const [name, life] of lives)
      assert.ok(rows.get(name)?.includes(words(life)), `${name}: ${words(life)}`)
  })
})

describe('docs/benchmarks.md', () => {
  it('has the place that `npm run bench -- --write` renews', () => {
    assert.match(read('docs/benchmarks.md'), /^<!-- measured -->\n[\s\S]*^<!-- \/measured -->$/m)
  })

  it('is where the calculated tables come from, its own and that of docs/scaling.md', () => {
    for (const file of WITH_FIGURES)
      assert.equal(
        read(file),
        withFigures(file, read(file), read('docs/benchmarks.md')),
        `${file}: run \`npm run docs\``,
      )
  })

  it('has every part of the bench among its parts, and says of each what its rows do', () => {
    // Read as a text: what measures needs a browser.
    const parts = [...readFileSync('bench/suites.ts', 'utf8').matchAll(/^ +(?:\{ )?name: '([a-z-]+)'/gm)]
    const [listed = ''] = /^The parts: [^.]*\./m.exec(read('docs/benchmarks.md')) ?? []
    const told = [...listed.matchAll(/`([a-z-]+)`/g)]
    const rows = [...read('docs/benchmarks.md').matchAll(/^\| `([a-z-]+)` \| [A-Z0-9]/gm)]
    const names = parts.map(([, name]) => name).sort()
    assert.deepEqual(told.map(([, name]) => name).sort(), names)
    assert.deepEqual(rows.map(([, name]) => name).sort(), names)
  })
})

describe('docs/operations.md', () => {
  it('names every message of the log, and no other', () => {
    const section = sectionOf('docs/operations.md', 'Logs')
    const named = [...section.matchAll(/^\| (`.*?) \|/gm)]
      .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)])
      .map(([, message = '']) => message)
      .filter((message) => message !== 'msg')
    const sources = globSync('src/**/*.ts', { exclude: (name) => name.endsWith('.test.ts') }).map((file) =>
      readFileSync(file, 'utf8'),
    )
    // On the line of the call, or on one of its own.
    const call =
      /\blog\.(?:info|warn|error)\((?:[^'\n]*|\n(?:[^'\n]*\n)*? +)('[^'\n]+'(?: : '[^'\n]+')?),?\n? *\)/g
    const said = sources
      .flatMap((source) => [...source.matchAll(call)])
      .flatMap(([, last = '']) => [...last.matchAll(/'([^']+)'/g)].map(([, message = '']) => message))
    // What a loop or a worker throws is logged under its name. The loop of `presence-row.ts` has a log of its own.
    const loops = globSync('src/**/*.ts', { exclude: (name) => /presence-row|\.test\./.test(name) })
      .map((file) => readFileSync(file, 'utf8'))
      .filter((source) => /createLoop\(|Worker\(/.test(source))
      .flatMap((source) => [...source.matchAll(/\bname: '([a-z][a-z -]+)'/g)].map(([, name = '']) => name))
    assert.ok(said.length > 20 && loops.length > 7)
    assert.deepEqual(
      [...said, ...loops].filter((message) => !named.some((name) => message.startsWith(name))),
      [],
    )
    assert.deepEqual(
      named.filter((name) => !sources.some((source) => source.includes(`'${name}`))),
      [],
    )
  })

  it('names every check of the doctor', () => {
    const said = paragraphOf('docs/operations.md', '`npx postern doctor` changes nothing')
    assert.deepEqual(
      ['Settings', ...CHECKS.map(({ what }) => what)].filter((what) => !said.includes(what)),
      [],
    )
  })

  it('says of every table that housekeeping empties how long its rows are kept', () => {
    const NAMES: Record<string, string> = {
      ...{
        pending_sign_in: 'sign-ins that wait for a second factor',
        passkey_challenge: 'states of sign-ins',
      },
      second_factor: 'enrolments of second factors',
      setup_link: 'Setup links',
      scim_exchange: 'Requests of directories by SCIM',
      ...{ session: 'Sessions', one_time_token: 'links', social_state: 'states of sign-ins and connections' },
      ...{
        oauth_grant: 'grants',
        oauth_record: 'codes and refresh tokens',
        oauth_client: 'registered themselves',
      },
      ...{ connection_state: 'states of sign-ins and connections', sign_in_throttle: 'Failed sign-ins' },
      api_key_secret: 'earlier secrets of rotated API keys',
      retired_secret: 'of API keys that were rotated',
      platform_key_secret: 'earlier secrets of rotated API keys and platform keys',
      ended_key: 'The maker of a deleted API key',
      ...{
        rate_window: 'rate windows',
        idempotency: 'Idempotency keys',
        audit: 'audit log',
        job: 'Jobs in rows',
      },
      ...{ mail: 'Mails', attempt: 'their attempts', delivery: 'Deliveries', capture: 'captured calls' },
      ...{ checkout: 'Unpaid checkouts', run: 'Runs that have ended', agent: 'Deleted agents' },
      ...{ reservation: 'ended reservations', replay: 'replays', event: 'Event bodies' },
      ...{ publisher: 'Publishers, by the id', webhook: 'deleted webhook' },
    }
    const section = sectionOf('docs/operations.md', 'What is kept, and how long')
    const tables = new Set<string>(
      retentionRules({ retentionDays: 30, auditDays: 400 }).map(({ table }) => table),
    )
    assert.deepEqual(
      [...tables].filter((table) => !section.includes(NAMES[table] ?? '\0')),
      [],
    )
    assert.deepEqual(
      Object.keys(NAMES).filter((table) => !tables.has(table)),
      [],
    )
  })

  it('names only metrics that /metrics shows, and all of our own', async () => {
    const { registry, stored } = createMetrics(1)
    const shown = `${await registry.metrics()}${await stored.metrics()}`
    const real = [...shown.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)
    const named = [...read('docs/operations.md').matchAll(/`(postern_\w+)/g)].map(([, name = '']) => name)
    assert.deepEqual(
      named.filter((name) => !real.includes(name)),
      [],
    )
    const ours = real.filter((name) => !/^postern_(process|nodejs)_/.test(name))
    assert.deepEqual(
      ours.filter((name) => !named.includes(name)),
      [],
    )
  })
})

describe('the tables of which test holds what', () => {
  const TABLES = ['files', 'knowledge', 'agents', 'mcp'].map((room) => `test/${room}/README.md`)

  it('name files that are there, and of each test a part of its name', () => {
    const wrong = TABLES.flatMap((table) =>
      [...read(table).matchAll(/`([\w./-]+\.test\.tsx?)`((?:,\s+"[^"]+")*)/g)].flatMap(
        ([, file = '', parts = '']) => {
          const path = /^(src|test)\//.test(file) ? file : join(dirname(table), file)
          if (!existsSync(path)) return [`${table}: ${file}`]
          const names = namesIn(path)
          return [...parts.matchAll(/"([^"]+)"/g)]
            .map(([, part = '']) => part.replace(/\s+/g, ' '))
            .filter((part) => !names.some((name) => name.includes(part)))
            .map((part) => `${table}: ${file}, "${part}"`)
        },
      ),
    )
    assert.deepEqual(wrong, [])
  })

  it('have each of the eighty attacks once, and a test for it', () => {
    const rows = TABLES.flatMap((table) => [...read(table).matchAll(/^\| (\d+) \|(.*)$/gm)])
    const numbers = rows.map(([, number]) => Number(number)).sort((a, b) => a - b)
    assert.deepEqual(
      numbers,
      Array.from({ length: 80 }, (_, index) => index + 1),
    )
    const without = rows.filter(([, , row = '']) => !/`[\w./-]+\.test\.ts`, "/.test(row))
    assert.deepEqual(without, [])
  })
})

/** Possible names of tests of a file: the text behind the first quotation mark of each line, with `…` for interpolated values. */
function namesIn(file: string): string[] {
  const filled = readFileSync(file, 'utf8')
    .replace(/\$\{[^}]*\}/g, '…')
    .replaceAll("\\'", "'")
  return filled.split('\n').map((line) => line.slice(line.search(/['"`]/) + 1 || line.length))
}

/** A file named alone, without its folder. */
function isAnywhere(name: string): boolean {
  return (
    !name.includes('/') &&
    globSync(`{src,test,docs,bench,tour,bin,console,sdk}/**/${basename(name)}`).length > 0
  )
}
