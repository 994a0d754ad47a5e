import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { ROOT, readManifest } from './lock.ts'
import { installTree, PROCESSORS, type Processor } from './platform.ts'
import { makeTree } from './tree.ts'

/** `npm run debian`: the tree, a Node and a unit of systemd as a package of Debian. It needs `dpkg-deb`. */
const PARTS = join(ROOT, 'packaging', 'debian')
const MAINTAINER = 'The Postern authors <postern@example.com>'
/** The time of all its files: a package is the same whenever it is built. */
const EPOCH = 1_767_225_600

const { values } = parseArgs({
  options: { arch: { type: 'string', default: 'x64' }, out: { type: 'string', default: join(ROOT, 'dist') } },
})
const processor = values.arch as Processor
const { debian } = PROCESSORS[processor]
const { version } = readManifest()
const out = resolve(values.out)
const work = mkdtempSync(join(tmpdir(), 'postern-debian-'))
const root = join(work, 'root')
try {
  await makeTree(join(work, 'tree'))
  mkdirSync(join(root, 'usr/lib'), { recursive: true })
  installTree(join(work, 'tree'), join(root, 'usr/lib/postern'), join(work, 'node'), processor)
  renameSync(join(work, 'node'), join(root, 'usr/lib/postern/node'))
  copyDocuments()
  take('postern.service', 'lib/systemd/system/postern.service')
  take('postern.env', 'etc/postern.env')
  take('postern.sh', 'usr/bin/postern')
  take('overrides', 'usr/share/lintian/overrides/postern')
  writeFile('usr/share/man/man8/postern.8.gz', gzipSync(readFileSync(join(PARTS, 'postern.8')), { level: 9 }))
  withoutInterpreter()
  setModes()
  writeControl()
  mkdirSync(out, { recursive: true })
  const file = join(out, `postern_${version}_${debian}.deb`)
  const date = { ...process.env, SOURCE_DATE_EPOCH: String(EPOCH) }
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', root, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: date,
  })
  console.log(`${file}  ${(lstatSync(file).size / 1e6).toFixed(1)} MB`)
} finally {
  rmSync(work, { recursive: true, force: true })
}

function writeFile(path: string, content: string | Buffer): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), content)
}

function take(part: string, path: string): void {
  writeFile(path, readFileSync(join(PARTS, part)))
}

/** Documents stand where Debian has them. */
function copyDocuments(): void {
  const [program, documents] = [join(root, 'usr/lib/postern'), join(root, 'usr/share/doc/postern')]
  mkdirSync(documents, { recursive: true })
  for (const name of ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'THIRD-PARTY.md', 'docs', 'sbom.json']) {
    cpSync(join(program, name), join(documents, name), { recursive: true })
    rmSync(join(program, name), { recursive: true })
  }
  const licence = readFileSync(join(program, 'LICENSE'), 'utf8')
  rmSync(join(program, 'LICENSE'))
  const short = licence
    .split('\n')
    .slice(3)
    .map((line) => (line.trim() === '' ? ' .' : ` ${line}`))
  writeFile(
    'usr/share/doc/postern/copyright',
    `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Postern\nComment: THIRD-PARTY.md lists the packages that it carries, with their licences.\n\nFiles: *\nCopyright: ${copyrightOf(licence)}\nLicense: Expat\n${short.join('\n')}\n`,
  )
  const day = 'Thu, 01 Jan 2026 00:00:00 +0000'
  writeFile(
    'usr/share/doc/postern/changelog.gz',
    gzipSync(
      `postern (${version}) stable; urgency=medium\n\n  * CHANGELOG.md says what has changed.\n\n -- ${MAINTAINER}  ${day}\n`,
      { level: 9 },
    ),
  )
}

function copyrightOf(licence: string): string {
  return /Copyright \(c\) (.+)/i.exec(licence)?.[1] ?? 'the maintainers'
}

/** The unit and the command name the Node that runs it, so the file needs none. */
function withoutInterpreter(): void {
  const file = join(root, 'usr/lib/postern/bin/postern.js')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^#!.*\n/, ''))
}

function setModes(): void {
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', root])
  execFileSync('find', [root, '-type', 'f', '-exec', 'chmod', '0644', '{}', '+'])
  execFileSync('chmod', [
    '0755',
    ...['usr/bin/postern', 'usr/lib/postern/node'].map((one) => join(root, one)),
  ])
  execFileSync('chmod', ['0640', join(root, 'etc/postern.env')])
}

function writeControl(): void {
  const files = globSync('**/*', { cwd: root })
    .filter((name) => lstatSync(join(root, name)).isFile())
    .sort()
  const kilobytes = files.reduce((sum, name) => sum + Math.ceil(lstatSync(join(root, name)).size / 1024), 0)
  const digests = files
    .filter((name) => !name.startsWith('etc/'))
    .map(
      (name) =>
        `${createHash('md5')
          .update(readFileSync(join(root, name)))
          .digest('hex')}  ${name}\n`,
    )
  writeFile(
    'DEBIAN/control',
    `Package: postern
Version: ${version}
Architecture: ${debian}
Maintainer: ${MAINTAINER}
Installed-Size: ${kilobytes}
Depends: adduser, libatomic1, libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 12)
Section: net
Priority: optional
Description: platform API for organizations, with access and signed webhooks
 An invitation-only platform API for many organizations: access, signed
 webhooks, connections, billing, files, knowledge and agents, started by
 one command.
 .
 It carries its own Node, and keeps its data in /var/lib/postern or in
 PostgreSQL.
`,
  )
  writeFile('DEBIAN/conffiles', '/etc/postern.env\n')
  writeFile('DEBIAN/md5sums', digests.join(''))
  for (const name of ['postinst', 'prerm', 'postrm']) take(name, `DEBIAN/${name}`)
  execFileSync('chmod', ['0755', ...['postinst', 'prerm', 'postrm'].map((one) => join(root, 'DEBIAN', one))])
}
