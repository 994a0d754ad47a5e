import { execFileSync } from 'node:child_process'
import { ROOT, readManifest } from './lock.ts'

/** An artifact of a release, by the digest of its bytes. */
export interface Artifact {
  name: string
  sha256: string
}

/**
 * The provenance of artifacts: an in-toto statement with a SLSA 1 predicate that names the commit. It has no signature and no time, so that two
 * releases of one commit are equal.
 * @returns undefined where the clone has no commit
 */
export function provenanceOf(artifacts: readonly Artifact[]): string | undefined {
  const commit = git('rev-parse', 'HEAD')
  if (commit === undefined) return undefined
  const { name, version } = readManifest()
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: artifacts.map(({ name: artifact, sha256 }) => ({ name: artifact, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `pkg:npm/${name}@${version}#release`,
        externalParameters: { command: 'npm run release' },
        internalParameters: { node: process.version, hasChanges: git('status', '--porcelain') !== '' },
        resolvedDependencies: [{ name, digest: { gitCommit: commit } }],
      },
      runDetails: { builder: { id: `pkg:npm/${name}@${version}#packaging/release.ts` } },
    },
  }
  return `${JSON.stringify(statement, undefined, 2)}\n`
}

/** @returns what git says of the clone; undefined where there is none, or no git */
function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}
