import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { usePostern } from '../support/postern.ts'

const ORVAL = 'orval@7.13.2'
const OPENAPI_TYPESCRIPT = 'openapi-typescript@7.13.0'
const TYPESCRIPT = 'typescript@5.9.3'
const PYTHON_CLIENT = 'openapi-python-client==0.29.1'
const OPENAPI_GENERATOR = '7.25.0'

/** What is installed stays for the next night, outside of the working tree. */
const TOOLS = join(homedir(), '.cache', 'postern-client-generators')
const STEP_MS = 300_000

describe('clients that public generators make of /openapi.json', {
  skip: IS_NIGHTLY ? false : 'by night',
}, () => {
  const server = usePostern('sqlite')
  const folder = mkdtempSync(join(tmpdir(), 'postern-clients-'))
  const file = join(folder, 'openapi.json')
  after(() => rmSync(folder, { recursive: true, force: true }))

  before(async () => {
    const { text } = await (await server()).client().get('/openapi.json')
    writeFileSync(file, text)
    mkdirSync(TOOLS, { recursive: true })
    const options = { strict: true, noEmit: true, target: 'es2022', module: 'esnext', skipLibCheck: true }
    const compilerOptions = {
      ...options,
      moduleResolution: 'bundler',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*/**/*.ts'] }))
  })

  it('compile from orval, openapi-typescript and hey-api', (context) => {
    const npm = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', TOOLS]
    if (!run('npm', ...npm, ORVAL, OPENAPI_TYPESCRIPT, TYPESCRIPT).isDone)
      return context.skip('npm could not install the generators.')
    const bin = (name: string) => join(TOOLS, 'node_modules', '.bin', name)
    mustRun(bin('orval'), '--input', file, '--output', join(folder, 'orval', 'api.ts'), '--client', 'fetch')
    mustRun(bin('openapi-typescript'), file, '-o', join(folder, 'openapi-typescript', 'api.ts'))
    const heyApi = [
      resolve('node_modules/@hey-api/openapi-ts/dist/run.mjs'),
      '-i',
      file,
      '-o',
      join(folder, 'hey-api'),
    ]
    mustRun(process.execPath, '--import', './test/support/older-typescript.ts', ...heyApi, '--no-log-file')
    mustRun(bin('tsc'), '-p', folder)
  })

  it('compile from openapi-generator, in TypeScript and in Python', (context) => {
    const jar = findJar(context)
    if (jar === undefined) return
    const generate = (name: string, language: string) =>
      mustRun('java', '-jar', jar, 'generate', '-g', language, '-i', file, '-o', join(folder, name))
    generate('openapi-generator', 'typescript-fetch')
    generate('openapi-generator-python', 'python')
    compilePython(context, join(folder, 'openapi-generator-python'))
    if (!existsSync(join(TOOLS, 'node_modules/.bin/tsc')))
      return context.skip('There is no TypeScript compiler.')
    mustRun(join(TOOLS, 'node_modules', '.bin', 'tsc'), '-p', folder)
  })

  it('compile from openapi-python-client, without a warning', (context) => {
    const environment = join(TOOLS, 'python')
    const program = join(environment, 'bin', 'openapi-python-client')
    if (!existsSync(program)) {
      if (!run('python3', '-m', 'venv', environment).isDone)
        return context.skip('Python 3 is not on this machine.')
      if (!run(join(environment, 'bin', 'pip'), 'install', '--quiet', PYTHON_CLIENT).isDone)
        return context.skip('pip could not install the generator.')
    }
    const settings = join(folder, 'settings.yml')
    writeFileSync(settings, 'post_hooks: []\n')
    const out = join(folder, 'openapi-python-client')
    mustRun(
      program,
      'generate',
      '--path',
      file,
      '--output-path',
      out,
      '--config',
      settings,
      '--fail-on-warning',
    )
    compilePython(context, out)
  })

  /** The program of openapi-generator from Maven Central; undefined, and the test is skipped, where it cannot be had. */
  function findJar(context: TestContext): string | undefined {
    const name = 'openapi-generator-cli'
    const place = [
      '.m2/repository/org/openapitools',
      name,
      OPENAPI_GENERATOR,
      `${name}-${OPENAPI_GENERATOR}.jar`,
    ]
    const jar = join(homedir(), ...place)
    if (!run('java', '-version').isDone) context.skip('Java is not on this machine.')
    else if (
      existsSync(jar) ||
      run(
        'mvn',
        '-q',
        'dependency:get',
        `-Dartifact=org.openapitools:${name}:${OPENAPI_GENERATOR}`,
        '-Dtransitive=false',
      ).isDone
    )
      return jar
    else context.skip('Maven could not fetch openapi-generator.')
    return undefined
  }

  function compilePython(context: TestContext, sources: string): void {
    if (run('python3', '--version').isDone) mustRun('python3', '-m', 'compileall', '-q', sources)
    else context.diagnostic('Python 3 is not on this machine: its client was made, and not compiled.')
  }

  function mustRun(command: string, ...words: string[]): void {
    const { isDone, said } = run(command, ...words)
    assert.ok(isDone, `${command} ${words.join(' ')}: ${said}`.slice(0, 4_000))
  }

  function run(command: string, ...words: string[]): { isDone: boolean; said: string } {
    // What npm was told for this run would be meant for the one that it starts as well.
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))
    const { status, stdout, stderr, error } = spawnSync(command, words, {
      encoding: 'utf8',
      env: Object.fromEntries(own),
      timeout: STEP_MS,
    })
    return { isDone: status === 0, said: `${error?.message ?? ''}${stdout ?? ''}${stderr ?? ''}` }
  }
})
