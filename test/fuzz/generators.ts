import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const PYTHON_CLIENT = 'openapi-python-client'

/** Two public generators of clients, one in each world; each must take the whole document, without a warning. */
const GENERATORS = ['openapi-typescript@7.13.0', `${PYTHON_CLIENT} 0.29.1`] as const

/**
 * Lets them make clients of a document.
 * @param schemathesis its environment is where the second generator is installed, too
 * @param stopped ends them before their time
 * @returns what could not be made, in their words
 */
export async function generate(
  document: string,
  folder: string,
  schemathesis: string,
  stopped: AbortSignal,
): Promise<string[]> {
  const file = join(folder, 'openapi.json')
  writeFileSync(file, document)
  const settings = join(folder, 'settings.yml')
  // No formatter is needed to see that it can be made.
  writeFileSync(settings, 'post_hooks: []\n')
  const packages = [`--package=${GENERATORS[0]}`, '--package=typescript@5.9.3']
  const typescript = [
    'exec',
    '--yes',
    ...packages,
    '--',
    'openapi-typescript',
    file,
    '-o',
    join(folder, 'api.ts'),
  ]
  const python = ['generate', '--path', file, '--output-path', join(folder, 'client'), '--config', settings]
  const said = [
    await run('npm', typescript, folder, stopped),
    await run(install(dirname(schemathesis)), [...python, '--fail-on-warning'], folder, stopped),
  ]
  return said.filter((one) => one !== '')
}

/** @returns the command */
function install(programs: string): string {
  const command = join(programs, PYTHON_CLIENT)
  if (spawnSync(command, ['--version']).status === 0) return command
  const version = GENERATORS[1].replace(' ', '==')
  spawnSync(join(programs, 'python'), ['-m', 'pip', 'install', '--quiet', version], { stdio: 'inherit' })
  return command
}

function run(command: string, words: string[], cwd: string, signal: AbortSignal): Promise<string> {
  // What npm was told for this run would be meant for the one that it starts as well.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))
  const env = { ...Object.fromEntries(own), PATH: `${dirname(command)}${delimiter}${process.env.PATH ?? ''}` }
  return new Promise((resolve) => {
    const child = execFile(command, words, { cwd, env }, (error, stdout, stderr) => {
      resolve(error === null ? '' : `${command}: ${error.message} ${stdout}${stderr}`.slice(0, 4_000))
    })
    const end = () => child.kill()
    signal.addEventListener('abort', end)
    child.once('exit', () => signal.removeEventListener('abort', end))
    if (signal.aborted) end()
  })
}
