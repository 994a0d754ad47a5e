// The entry of every child process. It is plain JavaScript, because it runs before types can be stripped. It uses `require`, because
// `import` of a built-in module initializes all its exports, which takes a fourth of a start.
const { readSync } = require('node:fs')
const { isBuiltin, registerHooks } = require('node:module')

const STDIN = 0
/** The built-in modules that parsers need. All others are refused, because Node's permissions do not cover some, such as the database. */
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

// Node's permissions do not prevent signals to other processes of the same user.
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
