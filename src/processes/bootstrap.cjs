// What a child process begins with; plain JavaScript, because it must run before anything can be stripped of its types. By
// `require`: to `import` what is Node's own makes all of it, and a fourth of a start would go into what nobody here uses.
const { readSync } = require('node:fs')
const { isBuiltin, registerHooks } = require('node:module')

const STDIN = 0
/** What parsers need of Node. Its permissions forget things, such as its database: what does not stand here is not there. */
const MODULES = new Set(
  `assert buffer events fs fs/promises module path path/posix process stream stream/promises stream/web string_decoder url
   util util/types zlib`.split(/\s+/),
)

/** @param {number} length */
function read(length) {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; ) {
    const count = readSync(STDIN, bytes, at, length - at, null)
    if (count === 0) process.exit()
    at += count
  }
  return bytes
}

// The right to signal other processes of the same user is one that Node's permissions do not take away.
for (const name of ['kill', '_kill', '_debugProcess', '_debugEnd', 'dlopen', 'binding', '_linkedBinding']) {
  Reflect.deleteProperty(process, name)
}

/** @param {string} name */
function check(name) {
  if (isBuiltin(name) && !MODULES.has(name.replace(/^node:/, '')))
    throw new Error(`${name} is not for child processes`)
}

const { getBuiltinModule } = process
process.getBuiltinModule = (name) => {
  check(name)
  return getBuiltinModule(name)
}

/** @type {{ entry: string, sources: Record<string, string> }} */
const { entry, sources } = JSON.parse(read(read(4).readUInt32LE()).toString('utf8'))
registerHooks({
  resolve(specifier, context, next) {
    check(specifier)
    const url = URL.parse(specifier, context.parentURL)?.href ?? ''
    return Object.hasOwn(sources, url)
      ? { url, format: 'module', shortCircuit: true }
      : next(specifier, context)
  },
  load(url, context, next) {
    return Object.hasOwn(sources, url)
      ? { format: 'module', source: sources[url], shortCircuit: true }
      : next(url, context)
  },
})
import(entry)
