import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

/** Compiles the client into `dist/`, or the folder that is named: as ECMAScript modules, and as CommonJS in `cjs/`. */
const out = resolve(process.argv[2] ?? join(import.meta.dirname, 'dist'))
const require = createRequire(import.meta.url)
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc')
const project = join(import.meta.dirname, 'tsconfig.build.json')
const COMMON_JS = ['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false']

rmSync(out, { recursive: true, force: true })
compile(out)
compile(join(out, 'cjs'), ...COMMON_JS)
writeFileSync(join(out, 'cjs', 'package.json'), '{ "type": "commonjs" }\n')

function compile(to: string, ...options: string[]): void {
  execFileSync(process.execPath, [tsc, '-p', project, '--outDir', to, ...options], { stdio: 'inherit' })
}
