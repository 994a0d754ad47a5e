import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { IS_NIGHTLY } from '../support/nightly.ts'

const run = promisify(execFile)

const CHART = 'deploy/helm/postern'
const KUBERNETES = '1.32'
const OWN = ['settings.BASE_URL=https://id.example.com', 'existingSecret=own']
/** What an end may take beside `DRAIN_SECONDS`, in seconds (`operations/shutdown.ts`). */
const LONGEST_END = 115

const folder = mkdtempSync(join(tmpdir(), 'postern-kubernetes-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** A program in the PATH, or where Go puts what it builds. */
function programOf(name: string): string | undefined {
  const paths = [...(process.env.PATH ?? '').split(delimiter), join(homedir(), 'go', 'bin')]
  return paths.map((path) => join(path, name)).find((file) => existsSync(file))
}

/** Why this cannot be tried here; undefined where it can. */
function obstacle(...programs: string[]): string | undefined {
  if (!IS_NIGHTLY) return 'at night'
  const missing = programs.filter((program) => programOf(program) === undefined)
  return missing.length === 0 ? undefined : `${missing.join(' and ')} not on this machine`
}

const helm = (...args: string[]) => run(programOf('helm') ?? '', args)

/** What the chart makes: the text of each object by `KIND NAME`. */
async function render(values: string[], ...args: string[]): Promise<Map<string, string>> {
  const set = values.flatMap((value) => ['--set-string', value])
  const { stdout } = await helm(
    ...['template', 'acme', CHART, '--kube-version', `${KUBERNETES}.0`, ...set, ...args],
  )
  return objectsOf(stdout)
}

function objectsOf(text: string): Map<string, string> {
  const objects = text.split(/^---$/m).filter((one) => /^kind: /m.test(one))
  return new Map(
    objects.map((one) => [
      `${/^kind: (\S+)/m.exec(one)?.[1]} ${/^metadata:\n(?: {2}.*\n)*? {2}name: (\S+)/m.exec(one)?.[1]}`,
      one,
    ]),
  )
}

/** Holds all of them to the schemas of Kubernetes. */
async function requireSound(objects: Map<string, string>): Promise<void> {
  const file = join(folder, `${crypto.randomUUID()}.yaml`)
  writeFileSync(file, [...objects.values()].join('\n---\n'))
  const args = ['--kubernetes-version', KUBERNETES, '--strict', '--quiet', file]
  await run(programOf('kubernetes-validate') ?? '', args)
}

/** The chart with a Secret of the operator. */
const renderPlain = () => render([...OWN, 'settings.DRAIN_SECONDS=40'])

/** The chart with a Secret of its own, and with all that is off unless it is asked for. */
function renderAll(): Promise<Map<string, string>> {
  const secrets = ['secrets.DATABASE_URL=postgres://u:p@h/d', `secrets.SECRET_KEY=${'k'.repeat(32)}`]
  const asked = ['worker.autoscaling.enabled=true', 'ingress.enabled=true', 'migrate.enabled=true']
  return render(
    ['settings.BASE_URL=https://id.example.com', ...secrets, 'ingress.host=id.example.com'],
    ...['--is-upgrade', ...asked.flatMap((value) => ['--set', value])],
  )
}

/** What kustomize makes of a folder. */
async function buildOf(name: string): Promise<Map<string, string>> {
  const { stdout } = await run(programOf('kustomize') ?? '', ['build', `deploy/kubernetes/${name}`])
  return objectsOf(stdout)
}

/** What every process must have. */
function requireGuarded(deployment: string, role: string): void {
  for (const part of [
    new RegExp(`name: ROLE\\n +value: ${role}\\n`),
    /startupProbe:/,
    /livenessProbe:\n +httpGet:\s+\{? ?path: \/livez/,
    /readinessProbe:\n +httpGet:\s+\{? ?path: \/readyz/,
    /runAsNonRoot: true/,
    /readOnlyRootFilesystem: true/,
    /mountPath: \/tmp/,
    /memory: 2Gi/,
    /rollingUpdate:\s+\{?\s*(maxSurge: 1,?\s+maxUnavailable: 0|maxUnavailable: 0,?\s+maxSurge: 1)/,
    /automountServiceAccountToken: false/,
  ])
    assert.match(deployment, part)
}

describe('the chart for Helm', () => {
  it('is sound for Helm itself', { skip: obstacle('helm') }, async () => {
    const { stdout } = await helm('lint', '--strict', CHART)
    assert.match(stdout, /1 chart\(s\) linted, 0 chart\(s\) failed/)
  })

  it("makes guarded processes of both roles, which keep a Secret of one's own", {
    skip: obstacle('helm'),
  }, async () => {
    const objects = await renderPlain()
    assert.deepEqual([...objects.keys()].sort(), [
      ...['ConfigMap acme-postern', 'Deployment acme-postern-api', 'Deployment acme-postern-worker'],
      ...['PodDisruptionBudget acme-postern-api', 'PodDisruptionBudget acme-postern-worker'],
      'Service acme-postern',
    ])
    for (const role of ['api', 'worker']) {
      const deployment = objects.get(`Deployment acme-postern-${role}`) ?? ''
      requireGuarded(deployment, role)
      assert.match(deployment, /replicas: 2/)
      assert.match(deployment, /secretRef: \{ name: own \}/)
      const [, grace] = /terminationGracePeriodSeconds: (\d+)/.exec(deployment) ?? []
      assert.ok(Number(grace) >= 40 + LONGEST_END, `${grace}`)
    }
  })

  it('makes a Secret, an Ingress, an autoscaler and a job for the schema where they are asked for', {
    skip: obstacle('helm'),
  }, async () => {
    const objects = await renderAll()
    assert.match(objects.get('Secret acme-postern') ?? '', /DATABASE_URL: "postgres:/)
    assert.match(objects.get('Ingress acme-postern') ?? '', /host: "id\.example\.com"/)
    assert.match(objects.get('Job acme-postern-migrate') ?? '', /args: \[migrate\]/)
    assert.match(
      objects.get('HorizontalPodAutoscaler acme-postern-worker') ?? '',
      /metric: \{ name: "postern_deliveries_due" \}/,
    )
    assert.doesNotMatch(objects.get('Deployment acme-postern-worker') ?? '', /replicas:/)
    assert.match(objects.get('Deployment acme-postern-api') ?? '', /replicas: 2/)
  })

  it('makes what the schemas of Kubernetes permit', {
    skip: obstacle('helm', 'kubernetes-validate'),
  }, async () => {
    await requireSound(await renderPlain())
    await requireSound(await renderAll())
  })

  it('refuses what cannot be before anything is installed', { skip: obstacle('helm') }, async () => {
    await assert.rejects(render(OWN.slice(1)), /settings\.BASE_URL must be the address/)
    await assert.rejects(render(OWN.slice(0, 1)), /existingSecret must name a Secret/)
    await assert.rejects(render([...OWN, 'settings.ROLE=all']), /settings/)
    await assert.rejects(render([...OWN, 'settings.base_url=x']), /settings/)
  })
})

describe('the recipe for kustomize', () => {
  for (const name of ['base', 'autoscaled'])
    it(`is built as ${name}`, { skip: obstacle('kustomize') }, async () => {
      const objects = await buildOf(name)
      for (const role of ['api', 'worker'])
        requireGuarded(objects.get(`Deployment postern-${role}`) ?? '', role)
      const isScaled = name === 'autoscaled'
      assert.equal(objects.has('HorizontalPodAutoscaler postern-worker'), isScaled)
      assert.equal(/replicas:/.test(objects.get('Deployment postern-worker') ?? ''), !isScaled)
    })

  it('makes what the schemas of Kubernetes permit', {
    skip: obstacle('kustomize', 'kubernetes-validate'),
  }, async () => {
    for (const name of ['base', 'autoscaled']) await requireSound(await buildOf(name))
  })
})
