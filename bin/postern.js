#!/usr/bin/env node
// Plain JavaScript, because it may be started by a Node that is older than the one that Postern pins.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import * as module from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
/** A package holds the sources compiled. */
const compiled = join(root, 'src', 'main.js')
const isPackage = existsSync(compiled)
const OLDEST = [24, 15]
/**
 * A large young generation keeps short-lived objects from being copied under load; its memory is returned after the start
 * (`src/cli/settle-after-start.ts`). `npm start` sets it too.
 */
const MEMORY = ['--max-semi-space-size=16']
/** The C library of most Linuxes would keep a store of freed memory for each of a dozen threads. */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2' }

/** Whether this Node runs the sources as they are: TypeScript, and its own SQLite. */
function isRecent(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

/**
 * The Node that npm installed for this platform: an optional dependency of a clone, and of the package that carries it for others.
 * @param {string} manifest
 */
function pinnedNode(manifest = join(root, 'package.json')) {
  const require = module.createRequire(manifest)
  for (const name of Object.keys(JSON.parse(readFileSync(manifest, 'utf8')).optionalDependencies ?? {})) {
    try {
      const found = require.resolve(`${name}/package.json`)
      const file = join(dirname(found), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
      const node = existsSync(file) ? file : pinnedNode(found)
      if (node !== undefined) return node
    } catch {
      // Another platform's: not installed here.
    }
  }
  return undefined
}

/** Which Node runs the program: a clone has the pinned one, a package the machine's own if that is recent. */
function programNode() {
  if (!isPackage) return pinnedNode()
  if (!isRecent(process.versions.node)) return pinnedNode()
  // The server is started once more, with what must be known to Node before it begins.
  return process.argv[2] === 'start' && !MEMORY.every((flag) => process.execArgv.includes(flag))
    ? process.execPath
    : undefined
}

/** The variable by which this file tells the Node that it starts who its parent is. */
const PARENT = 'POSTERN_STARTED_BY'

/**
 * Ends this process like SIGTERM once its parent is dead. npm sends SIGTERM to its shell only, and a killed parent sends nothing.
 * A process whose parent dies gets another parent, which is how this is noticed.
 */
function endWithParent(parent) {
  // biome-ignore lint/style/noRestrictedGlobals: nothing of the program is loaded yet.
  const looking = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(looking)
    process.kill(process.pid, 'SIGTERM')
  }, 500).unref()
}

// The parent may be dead before this line runs, so where it is this file it passes its own process id.
if (process.env[PARENT] !== undefined) endWithParent(Number(process.env[PARENT]))
else if (['start', 'npx'].includes(process.env.npm_lifecycle_event ?? '')) endWithParent(process.ppid)
delete process.env[PARENT]
const node = programNode()
if (node === undefined || (!isPackage && realpathSync(process.execPath) === realpathSync(node))) {
  if (!isRecent(process.versions.node)) {
    console.error(
      `Postern needs Node ${OLDEST.join('.')} or newer; this is ${process.versions.node}, and no other one was found. ${isPackage ? 'Give npm both packed files, "npm install ./postern-VERSION.tgz ./postern-node-VERSION.tgz", or install a newer Node.' : 'Run "npm ci" first.'}`,
    )
    process.exit(1)
  }
  // The sources are stripped of their types and compiled once, not at each start. The cache is in the program's own folder: code from a
  // folder that other users may write to must not be run.
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'postern')
  // Its threads look there by the variable; one that had to strip types itself would take 15 MB for that.
  module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE)
  await import(pathToFileURL(isPackage ? compiled : join(root, 'src', 'main.ts')).href)
} else {
  const child = spawn(node, [...MEMORY, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...ALLOCATOR, ...process.env, [PARENT]: String(process.pid) },
  })
  // The terminal sends its signals to both; a supervisor only to this process.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(error.message)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}
