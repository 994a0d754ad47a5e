import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Brings other runtimes from the npm registry into a temporary folder, and tries the packed SDK in each of them against a server:
 * `npm run test:sdk:runtimes`. Nothing of them stays.
 */
const RUNTIMES = {
  node20: ['node@20', 'node'],
  node22: ['node@22', 'node'],
  node24: ['node@24', 'node'],
  deno: ['deno'],
  bun: ['bun'],
  workerd: ['workerd@1.20261117.1', 'workerd'],
}

const folder = mkdtempSync(join(tmpdir(), 'postern-runtimes-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

for (const [name, [item = name, program = name]] of Object.entries(RUNTIMES)) {
  const project = join(folder, `of-${name}`)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"private":true}')
  // deno and bun come as what their install scripts put in place.
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', item], {
    cwd: project,
    stdio: 'inherit',
  })
  const binary = join(project, 'node_modules', '.bin', program)
  symlinkSync(binary, join(folder, name))
  const [version] = execFileSync(binary, ['--version'], { encoding: 'utf8' }).split('\n')
  process.stdout.write(`${name}: ${version}\n`)
}

const tests = spawn(process.execPath, ['--test', '--test-reporter=spec', 'test/sdk/packed.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, SDK_RUNTIMES: folder },
})
process.exitCode = await new Promise<number>((resolve) => tests.once('exit', (code) => resolve(code ?? 1)))
