import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { closureOf, type Locked, ROOT, readManifest, tarballOf } from './lock.ts'

/** The name of a package as registries write it (package URL). */
const purl = ({ name, version }: Pick<Locked, 'name' | 'version'>) =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`

/**
 * What the tree is made of, as CycloneDX 1.6 in JSON. It has no time and no number of its own, so that two of one commit are equal.
 * @param lock where each package's own dependencies are looked up
 */
export function billOfMaterials(packages: readonly Locked[], lock: ReadonlyMap<string, Locked>): string {
  const { name, version, description, license, dependencies } = readManifest()
  const root = { name, version }
  const unique = uniqueOf(packages)
  const there = new Set(unique.map(purl))
  const nearest = (from: string, one: string) =>
    closureOf(lock, [one]).find((found) => found.name === one && from !== found.path)
  const dependsOn = (one: Locked) =>
    Object.keys(one.dependencies ?? {}).flatMap((needed) => {
      const found = lock.get(`${one.path}/node_modules/${needed}`) ?? nearest(one.path, needed)
      return found !== undefined && there.has(purl(found)) ? [purl(found)] : []
    })
  return `${JSON.stringify(
    {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      metadata: {
        lifecycles: [{ phase: 'build' }],
        component: {
          type: 'application',
          'bom-ref': purl(root),
          ...root,
          description,
          purl: purl(root),
          licenses: licensesOf(license),
        },
      },
      components: unique.map((one) => ({
        type: 'library',
        'bom-ref': purl(one),
        name: one.name,
        version: one.version,
        purl: purl(one),
        licenses: licensesOf(one.license),
        hashes: hashesOf(one),
        externalReferences: [{ type: 'distribution', url: tarballOf(one) }],
      })),
      dependencies: [
        {
          ref: purl(root),
          dependsOn: unique
            .filter((one) => one.path === `node_modules/${one.name}` && one.name in dependencies)
            .map(purl),
        },
        ...unique.map((one) => ({ ref: purl(one), dependsOn: [...new Set(dependsOn(one))].sort() })),
      ],
    },
    null,
    1,
  )}\n`
}

/** Each version once, wherever npm puts it. */
function uniqueOf(packages: readonly Locked[]): Locked[] {
  const byName = new Map(packages.map((one) => [purl(one), one]))
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

const licensesOf = (license = 'NOASSERTION') =>
  /\s|\(/.test(license) ? [{ expression: license }] : [{ license: { id: license } }]

/** npm writes digests in base64, CycloneDX in hexadecimal. */
function hashesOf({ integrity }: Locked): { alg: string; content: string }[] {
  if (integrity === undefined) return []
  const [algorithm = '', digest = ''] = integrity.split('-')
  return [
    {
      alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
      content: Buffer.from(digest, 'base64').toString('hex'),
    },
  ]
}

/**
 * Every package with its licence, for people.
 * @param compiledIn those whose files are not in the tree as they are; their licences stand here whole
 */
export function licenceList(packages: readonly Locked[], compiledIn: readonly Locked[]): string {
  const rows = uniqueOf(packages).map(
    ({ name, version, license }) => `| ${name} | ${version} | ${license ?? 'unknown'} |`,
  )
  const whole = compiledIn.map((one) => `## ${one.name} ${one.version}\n\n${textOf(one)}\n`)
  return `# Third-party packages

Each package below is a part of Postern. Its licence is in its folder of \`node_modules/\`; the program has what it imports of a package
in \`src/\`. Types, maps and documents are left out.
\`sbom.json\` says the same to programs (CycloneDX).

| Package | Version | Licence |
|---|---|---|
${rows.join('\n')}

# Compiled into the console

${whole.join('\n')}`
}

function textOf({ path }: Locked): string {
  const folder = join(ROOT, path)
  const name = existsSync(folder) ? readdirSync(folder).find((one) => /^licen[cs]e/i.test(one)) : undefined
  if (name === undefined) throw new Error(`${path} has no licence`)
  return readFileSync(join(folder, name), 'utf8').trim()
}
