import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Locked, readLock, tarballOf } from '../../packaging/lock.ts'
import { close, json } from './http-server.ts'
import { PATIENCE } from './waits.ts'

const run = promisify(execFile)

/** Where npm gets what the lock file names and its cache does not hold. */
const UPSTREAM = 'https://registry.npmjs.org'

/** An npm registry that has our own packages, and of others what the lock file names: npm takes their bytes from its cache. */
export interface Registry {
  url: string
  /** The file of each of our packages. */
  tarballs: Record<string, string>
  stop(): Promise<void>
}

/** Packs the folders, and serves them. @param folder where the packed files are put */
export async function startRegistry(folders: readonly string[], folder: string): Promise<Registry> {
  const versions = new Map<string, Record<string, object>>()
  const files = new Map<string, string>()
  const tarballs: Record<string, string> = {}
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const known = versions.get(path)
    const file = files.get(path)
    if (file !== undefined) return void response.end(readFileSync(file))
    if (known === undefined) return void response.writeHead(302, { location: `${UPSTREAM}/${path}` }).end()
    const latest = Object.keys(known).at(-1)
    json(response, { name: path, 'dist-tags': { latest }, versions: known })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  for (const source of folders) {
    const { stdout } = await run(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--offline', '--pack-destination', folder],
      { cwd: source, timeout: PATIENCE, maxBuffer: 64 * 1024 * 1024 },
    )
    const packed = JSON.parse(stdout) as Packed[] | Record<string, Packed>
    const [{ filename, integrity } = { filename: '', integrity: '' }] = Object.values(packed)
    const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
    const { name, version } = manifest
    tarballs[name] = join(folder, filename)
    files.set(filename, join(folder, filename))
    versions.set(name, { [version]: { ...manifest, dist: { tarball: `${url}/${filename}`, integrity } } })
  }
  for (const locked of readLock().values())
    versions.set(locked.name, { ...versions.get(locked.name), [locked.version]: described(locked) })
  return { url, tarballs, stop: () => close(server) }
}

interface Packed {
  filename: string
  integrity: string
}

function described({ path: _, integrity, ...rest }: Locked): object {
  return { ...rest, dist: { tarball: tarballOf(rest), integrity } }
}
