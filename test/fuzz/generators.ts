import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const PYTHON_CLIENT = 'openapi-python-client'

/** Two public generators of clients, one in each world; each must take the whole document, without a warning. */
const GENERATORS = ['openapi-typescript@7.13.0', `${PYTHON_CLIENT} 0.29.1`] as const

/**
 * Lets them make clients of a document.
 * @param schemathesis its environment is where the second generator is installed, too
 * @returns what could not be made, in their words
 */
export function generate(document: string, folder: string, schemathesis: string): string[] {
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
  return [
    run('npm', typescript, folder),
    run(install(dirname(schemathesis)), [...python, '--fail-on-warning'], folder),
  ].filter((said) => said !== '')
}

/** @returns the command */
function install(programs: string): string {
  const command = join(programs, PYTHON_CLIENT)
  if (spawnSync(command, ['--version']).status === 0) return command
  const version = GENERATORS[1].replace(' ', '==')
  spawnSync(join(programs, 'python'), ['-m', 'pip', 'install', '--quiet', version], { stdio: 'inherit' })
  return command
}

function run(command: string, words: string[], cwd: string): string {
  // What npm was told for this run would be meant for the one that it starts as well.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))
  const env = { ...Object.fromEntries(own), PATH: `${dirname(command)}${delimiter}${process.env.PATH ?? ''}` }
  const { status, stdout, stderr, error } = spawnSync(command, words, { cwd, env, encoding: 'utf8' })
  return status === 0 ? '' : `${command}: ${error?.message ?? `${stdout}${stderr}`}`.slice(0, 4_000)
}
