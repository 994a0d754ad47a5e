import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ROOT } from './lock.ts'

/**
 * The wheel of the client in Python, in the named folder. Packages of PyPI build it, in an environment of its own: their versions are in
 * the wheel, and so is the time of its files.
 */
const BUILDING = ['build==1.6.1', 'hatchling==1.33.0']
/** A zip holds no time before 1980. */
const EPOCH = '1750000000'

const out = resolve(process.argv[2] ?? join(ROOT, 'dist'))
const work = mkdtempSync(join(tmpdir(), 'postern-wheel-'))
try {
  const [environment, source] = [join(work, 'venv'), join(work, 'source')]
  const python = join(environment, process.platform === 'win32' ? 'Scripts' : 'bin', 'python')
  // Build output and compiled files are left out.
  cpSync(join(ROOT, 'sdk-python'), source, {
    recursive: true,
    filter: (path) => !/__pycache__|[/\\]dist$/.test(path),
  })
  call(process.env.PYTHON ?? 'python3', '-m', 'venv', environment)
  call(python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...BUILDING)
  call(python, '-m', 'build', '--quiet', '--wheel', '--no-isolation', '--outdir', out, source)
} finally {
  rmSync(work, { recursive: true, force: true })
}

function call(program: string, ...args: string[]): void {
  execFileSync(program, args, {
    env: { ...process.env, SOURCE_DATE_EPOCH: EPOCH },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
