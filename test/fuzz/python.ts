import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The edition that the findings are counted with. */
export const SCHEMATHESIS = '4.32.5'
const OLDEST_PYTHON = [3, 10] as const

/**
 * The `schemathesis` command: the one that `SCHEMATHESIS` names, else one of an environment of its own, which is
 * made in a temporary folder when it is first needed.
 * @throws Error in plain words when there is no way to it
 */
export function findSchemathesis(env: NodeJS.ProcessEnv): string {
  if (env.SCHEMATHESIS !== undefined) return env.SCHEMATHESIS
  const folder = join(tmpdir(), `postern-schemathesis-${SCHEMATHESIS}`)
  const programs = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin')
  const command = join(programs, 'schemathesis')
  if (existsSync(command)) return command
  const python = findPython(env)
  console.log(`Schemathesis ${SCHEMATHESIS} is installed in ${folder}, once.`)
  try {
    execFileSync(python, ['-m', 'venv', folder], { stdio: ['ignore', 'ignore', 'pipe'] })
    const install = ['-m', 'pip', 'install', '--quiet', `schemathesis==${SCHEMATHESIS}`]
    execFileSync(join(programs, 'python'), install, { stdio: ['ignore', 'ignore', 'pipe'] })
  } catch (error) {
    const said = String((error as { stderr?: unknown }).stderr ?? error).trim()
    throw new Error(
      `Schemathesis could not be installed: ${said}\nInstall it yourself and name it: SCHEMATHESIS=/path/to/schemathesis npm run fuzz:openapi`,
    )
  }
  return command
}

function findPython(env: NodeJS.ProcessEnv): string {
  const candidates = env.PYTHON === undefined ? ['python3', 'python'] : [env.PYTHON]
  for (const candidate of candidates) {
    const code = 'import sys, venv; print(*sys.version_info[:2])'
    const { status, stdout } = spawnSync(candidate, ['-c', code], { encoding: 'utf8' })
    if (status !== 0) continue
    const [major = 0, minor = 0] = stdout.trim().split(' ').map(Number)
    if (major > OLDEST_PYTHON[0] || (major === OLDEST_PYTHON[0] && minor >= OLDEST_PYTHON[1]))
      return candidate
  }
  throw new Error(
    `The fuzzer is written in Python, and there is no ${candidates.join(' or ')} of version ${OLDEST_PYTHON.join('.')} or newer with its venv module here. Install one, name one (PYTHON=/path/to/python3), or name a Schemathesis that is installed already (SCHEMATHESIS=/path/to/schemathesis).`,
  )
}
