import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
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
