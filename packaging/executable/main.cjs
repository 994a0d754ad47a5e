// What the single executable begins with; plain JavaScript, as nothing of the tree is there yet. The tree is unpacked once, into a
// private folder, and each start looks at every file of it before the first one is loaded.
const { hash } = require('node:crypto')
const {
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs')
const { createRequire, enableCompileCache } = require('node:module')
const { dirname, join, resolve } = require('node:path')
const { getAsset, getRawAsset } = require('node:sea')
const { zstdDecompressSync } = require('node:zlib')

/** As `bin/postern.js` starts a server: what must be known before Node begins, and to the C library. */
const MEMORY = '--max-semi-space-size'
const MEMORY_MB = 16
const ALLOCATOR = { MALLOC_ARENA_MAX: '2' }
/** Trees of one program that may lie side by side, because files of others are gone or changed. */
const MOST = 8
const PART = '.part-'
/** An unpacking that was killed is removed after so long. */
const ABANDONED_MS = 60 * 60 * 1000
/** What most file systems give a file at least, in bytes. */
const BLOCK = 4_096
const [GROUP_WRITES, OTHERS_WRITE, STICKY, OF_OTHERS] = [0o020, 0o002, 0o1000, 0o077]

/** @typedef {{ name: string, files: [path: string, size: number, digest: string][] }} Index */

const own = process.getuid?.() ?? 0

/** Becomes the same program with what a server needs, in the same process. */
function restart() {
  const { emitWarning } = process
  // Node calls it an experiment that a process becomes another one.
  process.emitWarning = () => {}
  const flags = [...process.execArgv, `${MEMORY}=${MEMORY_MB}`].map((flag) => JSON.stringify(flag))
  const args = [process.execPath, `--node-options=${flags.join(' ')}`, ...process.argv.slice(2)]
  process.execve?.(process.execPath, args, { ...ALLOCATOR, ...process.env })
  process.emitWarning = emitWarning
}

/**
 * Where the tree may lie: the cache of the user, or the folder of the data, which can be written where there is no home.
 * @returns {string[]}
 */
function places() {
  const { XDG_CACHE_HOME = '', HOME = '', DATA_DIR = '' } = process.env
  const cache = XDG_CACHE_HOME !== '' ? XDG_CACHE_HOME : HOME !== '' ? join(HOME, '.cache') : ''
  return [...(cache === '' ? [] : [resolve(cache, 'postern')]), resolve(DATA_DIR || 'data', 'program')]
}

/**
 * Makes a folder and those above it one by one, because Node's own way never ends in `/proc`, where folders are said to be missing.
 * @param {string} folder
 */
function makeFolder(folder) {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another start was first.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
  }
}

/**
 * Makes a folder that no other user can put anything into, or put another one in its place.
 * @param {string} folder
 * @throws {Error} where it is not so
 */
function makePrivate(folder) {
  makeFolder(folder)
  const stat = lstatSync(folder)
  if (!stat.isDirectory()) throw new Error('it is no folder')
  if (stat.uid !== own) throw new Error('it belongs to another user')
  if ((stat.mode & OF_OTHERS) !== 0) throw new Error('other users may look into it; run: chmod 700 on it')
  for (let at = dirname(realpathSync(folder)); ; at = dirname(at)) {
    const { uid, gid, mode } = statSync(at)
    const isOpen =
      (mode & OTHERS_WRITE) !== 0 || ((mode & GROUP_WRITES) !== 0 && gid !== 0 && gid !== process.getgid?.())
    if (uid !== 0 && uid !== own) throw new Error(`${at} belongs to another user`)
    if (isOpen && (mode & STICKY) === 0) throw new Error(`other users may write to ${at}`)
    if (at === dirname(at)) return
  }
}

/**
 * Whether a folder holds this program, whole, and nothing else: every file by its digest, all of it this user's.
 * @param {string} root
 * @param {Index} index
 */
function isWhole(root, { files }) {
  const expected = new Map(files.map(([path, size, digest]) => [path, { size, digest }]))
  const buffer = Buffer.allocUnsafe(Math.max(...files.map(([, size]) => size)) + 1)
  const isOurs = (/** @type {import('node:fs').Stats} */ { uid, mode }) =>
    uid === own && (mode & OF_OTHERS) === 0
  /** @param {string} path @returns {boolean} */
  function isRight(path) {
    const full = join(root, path)
    const stat = lstatSync(full)
    if (!isOurs(stat)) return false
    if (stat.isDirectory())
      return readdirSync(full).every((name) => isRight(path === '' ? name : `${path}/${name}`))
    const found = expected.get(path)
    expected.delete(path)
    return found !== undefined && stat.isFile() && stat.size === found.size && found.digest === digestOf(full)
  }
  /** @param {string} file */
  function digestOf(file) {
    const descriptor = openSync(file, 'r')
    try {
      return hash('sha256', buffer.subarray(0, readSync(descriptor, buffer)), 'base64url')
    } finally {
      closeSync(descriptor)
    }
  }
  try {
    return isRight('') && expected.size === 0
  } catch {
    return false
  }
}

/**
 * Writes the tree into a new folder.
 * @param {string} folder
 * @param {Index} index
 */
function unpack(folder, { name, files }) {
  const part = mkdtempSync(join(folder, `${name}${PART}`))
  try {
    const content = zstdDecompressSync(Buffer.from(getRawAsset('tree.zst')))
    const made = new Set()
    let at = 0
    for (const [path, size] of files) {
      const file = join(part, path)
      if (!made.has(dirname(file))) mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      made.add(dirname(file))
      writeFileSync(file, content.subarray(at, at + size), { flag: 'wx', mode: 0o600 })
      at += size
    }
    return part
  } catch (error) {
    rmSync(part, { recursive: true, force: true })
    throw error
  }
}

/**
 * Finds the tree in a folder, or puts it there. A start beside this one may do the same; what is not whole is left to those who
 * use it until another one is there.
 * @param {string} folder
 * @param {Index} index
 * @returns {string}
 */
function treeIn(folder, index) {
  makePrivate(folder)
  const candidates = Array.from({ length: MOST }, (_, n) =>
    join(folder, n === 0 ? index.name : `${index.name}.${n}`),
  )
  const isThere = (/** @type {string} */ path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined
  const there = candidates.filter(isThere)
  const whole = there.find((one) => isWhole(one, index))
  if (whole !== undefined) return whole
  const part = unpack(folder, index)
  try {
    for (const target of candidates) {
      if (isThere(target)) {
        if (!there.includes(target) && isWhole(target, index)) return target
        continue
      }
      try {
        renameSync(part, target)
      } catch (error) {
        // Another start was first.
        if (isWhole(target, index)) return target
        throw error
      }
      for (const broken of there) setAside(broken)
      return target
    }
    throw new Error('what is there is not the program, and is not removed')
  } finally {
    rmSync(part, { recursive: true, force: true })
    removeAbandoned(folder)
  }
}

/** @param {string} broken */
function setAside(broken) {
  try {
    renameSync(broken, `${broken}${PART}broken`)
    rmSync(`${broken}${PART}broken`, { recursive: true, force: true })
  } catch {
    // It stays; it is not run.
  }
}

/** @param {string} folder */
function removeAbandoned(folder) {
  // The folder has just changed, so its time is the present one by the clock of that disk.
  const now = lstatSync(folder).mtimeMs
  for (const name of readdirSync(folder).filter((one) => one.includes(PART))) {
    const path = join(folder, name)
    try {
      if (now - lstatSync(path).mtimeMs > ABANDONED_MS) rmSync(path, { recursive: true, force: true })
    } catch {
      // Another start removes it.
    }
  }
}

/**
 * The megabytes that the tree takes on a disk, which gives each file whole blocks.
 * @param {Index} index
 */
function megabytesOf({ files }) {
  const bytes = files.reduce((sum, [, size]) => sum + Math.ceil(size / BLOCK) * BLOCK, 0)
  return Math.ceil(bytes / 1e6)
}

/** @returns {string | undefined} the folder of the program; undefined where there can be none, which it has said */
function findTree() {
  /** @type {Index} */
  const index = JSON.parse(getAsset('index.json', 'utf8'))
  const refused = []
  for (const folder of places()) {
    try {
      return treeIn(folder, index)
    } catch (error) {
      refused.push(`${folder} (${/** @type {Error} */ (error).message.replace(/[.,].*$/s, '')})`)
    }
  }
  console.error(
    `Postern unpacks its program, ${megabytesOf(index)} MB, into a folder that only this user can write to, and cannot do so in ${refused.join(' nor in ')}. Name one where it may: XDG_CACHE_HOME=/path postern start`,
  )
}

function begin() {
  const root = findTree()
  if (root === undefined) return process.exit(1)
  const compiled = `${root}.compiled`
  makeFolder(compiled)
  process.env.NODE_COMPILE_CACHE ??= compiled
  enableCompileCache(process.env.NODE_COMPILE_CACHE)
  const entry = join(root, 'bin', 'enter.cjs')
  createRequire(entry)(entry)
}

// Without rights it is a child of its own (`src/processes/program.ts`), and its argument the file that this one begins with.
if (process.permission !== undefined) {
  const file = process.argv[2] ?? ''
  createRequire(file)(file)
} else if (process.argv[2] === 'start' && !process.execArgv.some((flag) => flag.startsWith(MEMORY))) {
  restart()
} else begin()
