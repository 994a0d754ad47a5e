import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { STABLE } from './archive.ts'
import { ROOT, readManifest } from './lock.ts'
import { installTree, PROCESSORS, type Processor } from './platform.ts'
import { makeTree } from './tree.ts'

/**
 * `npm run image`: an image in the layout of OCI, made of packages of Debian and of the tree, without Docker. It needs `apt-get`, `dpkg-deb`
 * and `tar`. Its own user runs it, nothing of it is written, and what is kept is in `/data`.
 */
/** Packages of Debian, and which of their files: the libraries of Node, and what limits the processes that read files. */
const BASE: Record<string, string[]> = {
  libc6: ['lib*/**'],
  'gcc-12-base': [],
  'libgcc-s1': ['lib*/**'],
  libatomic1: ['usr/lib/**'],
  'libstdc++6': ['usr/lib/**'],
  'libcap-ng0': ['usr/lib/**', 'lib/**'],
  dash: ['bin/dash'],
  coreutils: ['usr/bin/nice'],
  'util-linux': ['usr/bin/setpriv', 'usr/bin/chrt'],
}
/** Conversions of character sets, and what audits the loader. */
const NEEDLESS = /\/(gconv|audit)\//
const USER = 1000
const PORT = 3000
const NODE = '/usr/bin/node'
const PROGRAM = '/opt/postern/bin/postern.js'
/** Whether it answers on the port that it is told; HTTP by Node, as the image has nothing else. */
const HEALTH = `fetch('http://127.0.0.1:'+(process.env.PORT||${PORT})+'/livez').then(({ok})=>process.exit(ok?0:1),()=>process.exit(1))`

/** The name of the image where it is loaded: `postern:VERSION` in full. */
const REPOSITORY = 'docker.io/library/postern'

const MEDIA = 'application/vnd.oci.image'

interface Blob {
  mediaType: string
  digest: string
  size: number
}

const { values } = parseArgs({
  options: { arch: { type: 'string', default: 'x64' }, out: { type: 'string', default: join(ROOT, 'dist') } },
})
const processor = values.arch as Processor
const { debian } = PROCESSORS[processor]
const { version } = readManifest()
const out = resolve(values.out)
const work = mkdtempSync(join(tmpdir(), 'postern-image-'))
try {
  const tree = join(work, 'tree')
  await makeTree(tree)
  const layout = join(work, 'layout')
  mkdirSync(join(layout, 'blobs', 'sha256'), { recursive: true })
  const layers = [layerOf(layout, baseFolder()), layerOf(layout, programFolder(tree))]
  const file = join(out, `postern-${version}-${debian}.oci.tar`)
  writeLayout(layout, layers)
  mkdirSync(out, { recursive: true })
  execFileSync('tar', [...STABLE, '-cf', file, '-C', layout, ...readdirSync(layout).sort()])
  const megabytes = layers.reduce((sum, { blob }) => sum + blob.size, 0) / 1e6
  console.log(`${file}  ${megabytes.toFixed(1)} MB compressed`)
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** The files of Debian. */
function baseFolder(): string {
  const [root, files] = [join(work, 'base'), join(work, 'files')]
  for (const folder of ['usr/bin', 'usr/lib', 'usr/lib64', 'etc', 'tmp', 'var/lib/dpkg/status.d'])
    mkdirSync(join(root, folder), { recursive: true })
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name))
  const packages = join(work, 'debian')
  mkdirSync(packages)
  // apt writes as a user of its own where it is run by root.
  execFileSync('chmod', ['0777', work, packages])
  const options = isForeign() ? listsOf(debian) : []
  execFileSync('apt-get', [...options, 'download', '-q', ...Object.keys(BASE)], {
    cwd: packages,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  for (const [name, patterns] of Object.entries(BASE)) {
    const file = readdirSync(packages).find((one) => one.startsWith(`${name}_`)) ?? ''
    rmSync(files, { recursive: true, force: true })
    execFileSync('dpkg-deb', ['-x', join(packages, file), files])
    for (const path of globSync([...patterns, 'usr/share/doc/*/copyright'], { cwd: files })) {
      if (lstatSync(join(files, path)).isDirectory() || NEEDLESS.test(path)) continue
      // In today's Debian these are links into usr/.
      const target = join(root, path.replace(/^(bin|lib|lib64)\//, 'usr/$1/'))
      cpSync(join(files, path), target, { verbatimSymlinks: true })
    }
    const about = execFileSync('dpkg-deb', ['-f', join(packages, file)], { encoding: 'utf8' })
    writeFileSync(join(root, 'var/lib/dpkg/status.d', name), about)
  }
  symlinkSync('dash', join(root, 'usr/bin/sh'))
  writeFileSync(
    join(root, 'etc/passwd'),
    `root:x:0:0:root:/:/bin/sh\npostern:x:${USER}:${USER}:Postern:/data:/bin/sh\n`,
  )
  writeFileSync(join(root, 'etc/group'), `root:x:0:\npostern:x:${USER}:\n`)
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n')
  writeFileSync(
    join(root, 'etc/os-release'),
    'NAME="Debian GNU/Linux"\nID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\n',
  )
  return root
}

/** Whether the machine has another processor than the image. */
function isForeign(): boolean {
  return execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim() !== debian
}

/** Reads the lists of packages for another processor into a folder of their own. @returns the options of apt that take them */
function listsOf(architecture: string): string[] {
  const lists = join(work, 'lists')
  mkdirSync(join(lists, 'partial'), { recursive: true })
  const options = [
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    `Dir::State::lists=${lists}`,
    'Dir::State::status=/dev/null',
    `Dir::Cache::pkgcache=${join(work, 'packages.bin')}`,
    `Dir::Cache::srcpkgcache=${join(work, 'sources.bin')}`,
  ].flatMap((option) => ['-o', option])
  execFileSync('apt-get', [...options, 'update', '-q'], { stdio: ['ignore', 'ignore', 'inherit'] })
  return options
}

function programFolder(tree: string): string {
  const root = join(work, 'program')
  mkdirSync(join(root, 'usr/bin'), { recursive: true })
  mkdirSync(join(root, 'data'))
  installTree(tree, join(root, 'opt/postern'), join(root, NODE), processor)
  for (const name of ['docs', 'CHANGELOG.md']) rmSync(join(root, 'opt/postern', name), { recursive: true })
  return root
}

/** Packs a folder as a layer. `/data` and `/tmp` are the only folders that the program's user may write to. */
function layerOf(layout: string, folder: string): { blob: Blob; diff: string } {
  const file = join(work, 'layer.tar')
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', folder])
  const all = readdirSync(folder).filter((name) => name !== 'data' && name !== 'tmp')
  execFileSync('tar', [...STABLE, '-cf', file, '-C', folder, ...all])
  if (readdirSync(folder).includes('tmp'))
    execFileSync('tar', [...STABLE, '--mode=1777', '-rf', file, '-C', folder, 'tmp'])
  if (readdirSync(folder).includes('data'))
    execFileSync('tar', [
      ...STABLE,
      `--owner=${USER}`,
      `--group=${USER}`,
      '--mode=0700',
      '-rf',
      file,
      '-C',
      folder,
      'data',
    ])
  const content = readFileSync(file)
  const diff = `sha256:${createHash('sha256').update(content).digest('hex')}`
  return { blob: keep(layout, gzipSync(content, { level: 9 }), `${MEDIA}.layer.v1.tar+gzip`), diff }
}

function keep(layout: string, content: Buffer, mediaType: string): Blob {
  const digest = createHash('sha256').update(content).digest('hex')
  writeFileSync(join(layout, 'blobs', 'sha256', digest), content)
  return { mediaType, digest: `sha256:${digest}`, size: content.length }
}

function writeLayout(layout: string, layers: { blob: Blob; diff: string }[]): void {
  const created = '1970-01-01T00:00:00Z'
  const seconds = 1e9
  const config = {
    created,
    architecture: debian,
    os: 'linux',
    config: {
      User: `${USER}:${USER}`,
      ExposedPorts: { [`${PORT}/tcp`]: {} },
      Env: [
        `PATH=/usr/bin`,
        'NODE_ENV=production',
        'HOST=0.0.0.0',
        `PORT=${PORT}`,
        'DATA_DIR=/data',
        'MALLOC_ARENA_MAX=2',
      ],
      Entrypoint: [NODE, '--max-semi-space-size=16', PROGRAM],
      Cmd: ['start'],
      Volumes: { '/data': {} },
      WorkingDir: '/data',
      StopSignal: 'SIGTERM',
      // Of Docker, which reads it here; the specification of OCI has no such thing.
      Healthcheck: {
        Test: ['CMD', NODE, '-e', HEALTH],
        Interval: 10 * seconds,
        Timeout: 5 * seconds,
        StartPeriod: 30 * seconds,
        Retries: 3,
      },
      Labels: {
        'org.opencontainers.image.title': 'Postern',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': 'MIT',
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diff }) => diff) },
    history: layers.map(() => ({ created, created_by: 'npm run image' })),
  }
  const json = (value: object) => Buffer.from(JSON.stringify(value))
  const blobs = layers.map(({ blob }) => blob)
  const configBlob = keep(layout, json(config), `${MEDIA}.config.v1+json`)
  const manifest = {
    schemaVersion: 2,
    mediaType: `${MEDIA}.manifest.v1+json`,
    config: configBlob,
    layers: blobs,
  }
  const name = `${REPOSITORY}:${version}`
  const entry = {
    ...keep(layout, json(manifest), `${MEDIA}.manifest.v1+json`),
    platform: { architecture: debian, os: 'linux' },
    // The standard gives the tag alone; containerd and Podman take the whole name from a key of their own.
    annotations: { 'org.opencontainers.image.ref.name': version, 'io.containerd.image.name': name },
  }
  writeFileSync(
    join(layout, 'index.json'),
    json({ schemaVersion: 2, mediaType: `${MEDIA}.index.v1+json`, manifests: [entry] }),
  )
  writeFileSync(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  // `docker load` without the image store of containerd reads this file, and not the index.
  const path = ({ digest }: Blob) => `blobs/${digest.replace(':', '/')}`
  const docker = { Config: path(configBlob), RepoTags: [`postern:${version}`], Layers: blobs.map(path) }
  writeFileSync(join(layout, 'manifest.json'), json([docker]))
}
