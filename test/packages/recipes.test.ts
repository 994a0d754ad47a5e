import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '#src/config/config.ts'
import { VARIABLES } from '#src/config/variables.ts'
import { shownCommands } from '../support/shown-commands.ts'

const run = promisify(execFile)

/** What is given to Node, to its C library, to PostgreSQL and to the shell, and not to Postern. */
const OTHERS = [
  'MALLOC_ARENA_MAX',
  'NODE_COMPILE_CACHE',
  'PATH',
  'POSTGRES_DB',
  'POSTGRES_PASSWORD',
  'POSTGRES_USER',
]
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

const folder = mkdtempSync(join(tmpdir(), 'postern-recipes-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const recipes = new Map(
  globSync(['deploy/**/*', 'packaging/debian/postern.{env,service}'])
    .filter((file) => /\.|Dockerfile|Caddyfile/.test(basename(file)))
    .map((file) => [file, readFileSync(file, 'utf8')]),
)

/** What shows commands to the person who installs: the recipes, what packages say, and the documents about a first start. */
const shownTexts = new Map(
  globSync(['deploy/**/*', 'packaging/debian/*', 'README.md', 'docs/{install,operations}.md'], {
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [file, readFileSync(file, 'utf8')]),
)

/** The variables that a recipe sets: `NAME: …`, `NAME=…`, `name: NAME`, also those that are commented out. */
function variablesOf(text: string): string[] {
  const set = text.matchAll(/^[\s#-]*(?:ENV |Environment=|name: )?([A-Z][A-Z_]{3,})(?:[:=]\s?\S|$)/gm)
  const more = text.matchAll(/^ENV .*$/gm)
  return [
    ...[...set].map(([, name = '']) => name),
    ...[...more].flatMap(([line]) => [...line.matchAll(/ ([A-Z_]+)=/g)].map(([, name = '']) => name)),
  ]
}

/** A file of Compose: what a start reads of it. */
interface Compose {
  services: Record<string, Service>
  volumes?: Record<string, null>
}
interface Service {
  image?: string
  environment?: Record<string, string>
  volumes?: string[]
  depends_on?: Record<string, { condition: string }>
  healthcheck?: object
}

/** Variables that a person gives to Compose; the documents name them. */
const GIVEN: Record<string, string> = {
  BASE_URL: 'https://id.example.com',
  POSTGRES_PASSWORD: 'secret',
  SECRET_KEY: 'k'.repeat(32),
}
/** What the image sets itself. */
const OF_IMAGE = { NODE_ENV: 'production', HOST: '0.0.0.0', PORT: '3000', DATA_DIR: folder }

/** Files of Compose, merged as Compose does: services by their names, and their variables. */
function merged(...names: string[]): Compose {
  const all: Compose = { services: {}, volumes: {} }
  for (const name of names) {
    const one = parse(recipes.get(`deploy/${name}`) ?? '', { strict: true }) as Compose
    Object.assign(all.volumes ?? {}, one.volumes)
    for (const [service, { environment, ...rest }] of Object.entries(one.services)) {
      const before = all.services[service]
      const variables = { ...before?.environment, ...environment }
      all.services[service] = { ...before, ...rest, environment: variables }
    }
  }
  return all
}

/** A value as Compose fills it in: `${NAME:?why}` must be given, `${NAME:-value}` need not be. */
function filled(value: string): string {
  return value.replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    const given = GIVEN[name]
    if (given === undefined && kind === '?') throw new Error(`nothing says that ${name} must be given`)
    return given ?? rest
  })
}

const programOf = (name: string) =>
  ['/usr/sbin', '/usr/bin'].map((path) => join(path, name)).find((file) => existsSync(file))

describe('the recipes', () => {
  it('set variables that are settings, and no others', () => {
    const known = new Set([...Object.keys(VARIABLES), ...OTHERS])
    const set = [...recipes].flatMap(([file, text]) => variablesOf(text).map((name) => ({ file, name })))
    assert.ok(set.length > 30, `${set.length}`)
    assert.deepEqual(
      set.filter(({ name }) => !known.has(name)),
      [],
    )
  })

  it('make an administrator of the first person of an organization', () => {
    const first = [...shownTexts].flatMap(([file, text]) =>
      shownCommands(text)
        .filter(({ name, options }) => name === 'invite' && options.includes('organization'))
        .map(({ line }) => ({ file, line })),
    )
    assert.ok(first.length >= 8, `${first.length}`)
    assert.deepEqual(
      first.filter(({ line }) => !line.includes(' --role administrator')),
      [],
    )
  })

  it('name the version that this is', () => {
    const named = [...recipes].flatMap(([file, text]) =>
      [...text.matchAll(/(?:image: postern:|newTag: |appVersion: |^version: )(\S+)/gm)].map(([, one]) => ({
        file,
        version: one,
      })),
    )
    assert.ok(named.length > 3)
    assert.deepEqual(
      named.filter((one) => one.version !== version),
      [],
    )
  })

  it('for Compose have whole services, with values that a start takes', () => {
    for (const more of [[], ['compose.postgres.yml'], ['compose.mail.yml']]) {
      const { services, volumes = {} } = merged('compose.yml', ...more)
      assert.equal(services.postern?.image, `postern:${version}`)
      for (const [name, { image, volumes: mounts = [], depends_on = {} }] of Object.entries(services)) {
        assert.match(image ?? '', /^[\w/.-]+:[\w.]+$/, name)
        for (const mount of mounts) assert.ok(`${mount.split(':')[0]}` in volumes, `${name}: ${mount}`)
        for (const [other, { condition }] of Object.entries(depends_on))
          assert.equal(
            services[other]?.healthcheck !== undefined,
            condition === 'service_healthy',
            `${name}: ${other}`,
          )
      }
      const env = Object.entries(services.postern?.environment ?? {}).map(([key, value]) => [
        key,
        filled(value),
      ])
      readConfig({ ...OF_IMAGE, ...Object.fromEntries(env) })
    }
    const install = readFileSync('docs/install.md', 'utf8')
    for (const name of Object.keys(GIVEN)) assert.match(install, new RegExp(`^export .*\\b${name}=`, 'm'))
  })

  it('for Kubernetes have values that a start takes', () => {
    const { configMapGenerator, secretGenerator } = parse(
      recipes.get('deploy/kubernetes/base/kustomization.yaml') ?? '',
    )
    const [secret = ''] = secretGenerator[0].envs
    const lines = [
      ...configMapGenerator[0].literals,
      ...(recipes.get(`deploy/kubernetes/base/${secret}`) ?? '').trim().split('\n'),
    ].map((line: string) => /^(\w+)=(.*)$/.exec(line)?.slice(1) ?? [line])
    const given = Object.fromEntries(lines)
    assert.throws(
      () => readConfig({ ...OF_IMAGE, ...given }),
      /SECRET_KEY is still the text of the recipe[\s\S]*METRICS_TOKEN is still the text of the recipe/,
    )
    const own = { SECRET_KEY: GIVEN.SECRET_KEY, METRICS_TOKEN: 'a token of the monitoring' }
    for (const ROLE of ['api', 'worker']) readConfig({ ...OF_IMAGE, ROLE, WORKERS: '1', ...given, ...own })
    const { settings } = parse(recipes.get('deploy/helm/postern/values.yaml') ?? '')
    readConfig({ ...OF_IMAGE, ...settings, BASE_URL: GIVEN.BASE_URL, SECRET_KEY: GIVEN.SECRET_KEY })
  })

  it('for Kubernetes replace processes one after the other, each with the time that its end takes', () => {
    for (const role of ['api', 'worker']) {
      const [deployment] = parseAllDocuments(recipes.get(`deploy/kubernetes/base/${role}.yaml`) ?? '')
      assert.ok(deployment)
      const { strategy, template } = deployment.toJS().spec
      assert.deepEqual(strategy.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 })
      // Two minutes and `DRAIN_SECONDS` (docs/operations.md).
      assert.ok(template.spec.terminationGracePeriodSeconds >= 130, role)
    }
  })

  it('are read by nginx', async (t) => {
    const nginx = programOf('nginx')
    if (nginx === undefined) return t.skip('nginx is not on this machine')
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
    const subject = ['-subj', '/CN=id.example.com', '-days', '1', '-nodes', '-newkey', 'rsa:2048']
    await run('openssl', ['req', '-x509', ...subject, '-keyout', key, '-out', certificate])
    const site = (recipes.get('deploy/nginx.conf') ?? '')
      .replace(/ssl_certificate \S+;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`)
    const file = join(folder, 'nginx.conf')
    writeFileSync(
      file,
      `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${site}\n}\n`,
    )
    const { stderr } = await run(nginx, ['-t', '-p', folder, '-c', file])
    assert.match(stderr, /test is successful/)
  })

  it('are read by Caddy', async (t) => {
    const caddy = programOf('caddy')
    if (caddy === undefined) return t.skip('Caddy is not on this machine')
    const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
    const { stderr } = await run(
      caddy,
      ['validate', '--adapter', 'caddyfile', '--config', 'deploy/Caddyfile'],
      { env },
    )
    assert.doesNotMatch(stderr, /"level":"error"/)
  })
})
