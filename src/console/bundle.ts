import { dirname, posix } from 'node:path'
import { Script } from 'node:vm'

/** One import or re-export statement of a module. */
interface Import {
  specifier: string
  /** The exported name, and the local name; none for an import for its side effect. */
  names: [there: string, here: string][]
}

/** A compiled module without its import statements. */
interface Module {
  name: string
  imports: Import[]
  body: string
  /** The names of modules that it imports, and of modules that it imports dynamically. */
  needs: string[]
  loads: string[]
}

/** A file of the output: a module and the modules that only it imports. */
interface Chunk {
  entry: string
  inner: string[]
  /** Whether other files import its inner modules. */
  isShared?: boolean
}

/** The file of modules that many screens import, but neither the frame nor the first screen. */
const COMMON_FILE = 'app/common.js'

const HEAD = /\s*import(?:\s*\{([^}]*)\}\s*from)?\s*["']([^"']+)["'];?/y
const GIVEN = /(?<=^|[;}])export\s*\{([^}]*)\}(?:\s*from\s*["']([^"']+)["'])?;?/gm
const DECLARED = /(?<=^|[;}])export (?=(?:const|class|(?:async )?function\b\*?)\s*([\w$]+))/gm
const LOADED = /\bimport\(\s*["']([^"']+)["']\s*\)/g

/**
 * Joins modules into few files: modules of the frame and the first screen with the frame's entry, modules of many screens as a second
 * file, modules of one screen with that screen. A module of several screens stays a file. An inner module is a function that runs once,
 * after its imports, and returns its exports. So modules must not import each other in a circle, and no export may change later.
 * @param files every module by its name; modules that are joined into another one are removed
 * @param nameOf the name of the module that a specifier leads to
 * @param screens modules that are loaded dynamically, the first screen first
 * @param common number of screens from which on a module belongs to the second file
 * @returns for each remaining file the files that it imports
 * @throws Error naming the module that cannot be joined
 */
export function bundle(
  files: Map<string, Buffer>,
  nameOf: (specifier: string, importer: string) => string,
  { entry, screens, common }: { entry: string; screens: readonly string[]; common: number },
): Map<string, string[]> {
  const modules = new Map<string, Module>()
  const read = (name: string): void => {
    const code = files.get(name)?.toString('utf8')
    if (code === undefined) throw new Error(`there is no module ${name}`)
    if (modules.has(name)) return
    const module = parse(name, code, nameOf)
    modules.set(name, module)
    for (const needed of [...module.needs, ...module.loads]) read(needed)
  }
  for (const name of [entry, ...screens]) read(name)
  const needsOf = (name: string) => inOrder(modules, name)
  const count = countOf(screens.map(needsOf))
  const shared = [...count].filter(([, times]) => times >= common).map(([name]) => name)
  const first = new Set(needsOf(screens[0] ?? entry))
  const frame = new Set([entry, ...shared.filter((name) => first.has(name))].flatMap(needsOf))
  const others = shared.flatMap(needsOf).filter((name) => !frame.has(name))
  const held = new Map([
    ...[...frame].map((name): [string, string] => [name, entry]),
    ...others.map((name): [string, string] => [name, COMMON_FILE]),
  ])
  const roots = new Set([...screens, ...[...modules.values()].flatMap(({ loads }) => loads)]).difference(held)
  const outside = new Map([...roots].map((name) => [name, needsOf(name).filter((one) => !held.has(one))]))
  const users = countOf([...outside.values()])
  const isInner = (name: string) => users.get(name) === 1 && !roots.has(name)

  const chunks: Chunk[] = [
    { entry, inner: [...frame].filter((name) => name !== entry), isShared: true },
    ...(others.length === 0 ? [] : [{ entry: COMMON_FILE, inner: [...new Set(others)], isShared: true }]),
  ]
  for (const name of new Set([...outside.values()].flat()))
    if (!isInner(name)) chunks.push({ entry: name, inner: outside.get(name)?.filter(isInner) ?? [] })
  const numbers = new Map([...modules.keys()].map((name, index) => [name, `$m${index}`]))
  const needs = new Map<string, string[]>()
  for (const chunk of chunks) {
    for (const name of chunk.inner) files.delete(name)
    const { code, imported } = write(chunk, { modules, numbers, held, nameOf })
    files.set(chunk.entry, Buffer.from(code))
    needs.set(chunk.entry, imported)
  }
  return needs
}

function parse(name: string, code: string, nameOf: (specifier: string, importer: string) => string): Module {
  const imports: Import[] = []
  let end = 0
  HEAD.lastIndex = 0
  for (let found = HEAD.exec(code); found !== null; found = HEAD.exec(code)) {
    imports.push({ names: namesOf(found[1] ?? ''), specifier: found[2] ?? '' })
    end = HEAD.lastIndex
  }
  const body = code.slice(end)
  const given = [...body.matchAll(GIVEN)].flatMap(([, , from]) => from ?? [])
  const loads = [...body.matchAll(LOADED)].map(([, specifier = '']) => nameOf(specifier, name))
  const needs = [...imports.map(({ specifier }) => specifier), ...given].map((one) => nameOf(one, name))
  return { name, imports, body, needs: [...new Set(needs)], loads }
}

/** The pairs of `a, b as c`. */
function namesOf(list: string): [string, string][] {
  return list
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => {
      const [there = '', here = there] = one.split(/\s+as\s+/)
      return [there, here]
    })
}

/** A module and all its imports, each after its own imports. */
function inOrder(modules: ReadonlyMap<string, Module>, entry: string): string[] {
  const done = new Set<string>()
  const visit = (name: string, above: readonly string[]): void => {
    if (above.includes(name)) throw new Error(`modules go in a circle: ${[...above, name].join(' → ')}`)
    if (done.has(name)) return
    for (const needed of modules.get(name)?.needs ?? []) visit(needed, [...above, name])
    done.add(name)
  }
  visit(entry, [])
  return [...done]
}

function countOf(lists: readonly (readonly string[])[]): Map<string, number> {
  const count = new Map<string, number>()
  for (const name of lists.flat()) count.set(name, (count.get(name) ?? 0) + 1)
  return count
}

/** The input of `write`. */
interface Plan {
  modules: ReadonlyMap<string, Module>
  /** Variables with the exports of joined modules. */
  numbers: ReadonlyMap<string, string>
  /** The file of each joined module that other files import. */
  held: ReadonlyMap<string, string>
  nameOf: (specifier: string, importer: string) => string
}

function write({ entry, inner, isShared }: Chunk, plan: Plan): { code: string; imported: string[] } {
  const own = new Set(inner)
  /** Imports from shared files. */
  const taken = new Map<string, Set<string>>()
  const files = new Set<string>()
  const numberOf = (name: string) => plan.numbers.get(name) ?? ''
  const pathTo = (name: string) => {
    const path = posix.relative(dirname(entry), name)
    return path.startsWith('.') ? path : `./${path}`
  }
  /** The variable with a module's exports; undefined where the module is a file. */
  const holderOf = (name: string): string | undefined => {
    const file = plan.held.get(name)
    if (!own.has(name) && file === undefined) return undefined
    if (!own.has(name) && file !== undefined)
      taken.set(file, (taken.get(file) ?? new Set()).add(numberOf(name)))
    return numberOf(name)
  }
  /** A dynamic import; a module of the same file resolves at once. */
  const loadOf = (target: string): string => {
    const file = plan.held.get(target)
    if (own.has(target) || taken.has(file ?? '')) return `Promise.resolve(${holderOf(target)})`
    if (file === undefined) return `import("${pathTo(target)}")`
    return `import("${pathTo(file)}").then(({${numberOf(target)}:$m})=>$m)`
  }
  const heads: string[] = []
  const take = (names: [string, string][], name: string): string => {
    const holder = holderOf(name)
    if (holder !== undefined) {
      const list = names.map(([there, here]) => (there === here ? here : `${there}:${here}`))
      return list.length === 0 ? '' : `const{${list}}=${holder};`
    }
    files.add(name)
    // Inner modules may use any name, because their imports are local to their function.
    const number = numberOf(name)
    if (!heads.includes(number)) heads.push(number)
    return names.map(([there, here]) => `const ${here}=${number}.${there};`).join('')
  }
  const bodyOf = ({ name, imports, body }: Module): string => {
    const heads = imports.map(({ names, specifier }) => take(names, plan.nameOf(specifier, name)))
    return (
      heads.join('') + body.replace(LOADED, (_, specifier: string) => loadOf(plan.nameOf(specifier, name)))
    )
  }
  const parts = inner.map((name) => {
    const module = plan.modules.get(name) as Module
    const text = `const ${numberOf(name)}=(()=>{${closed(bodyOf(module), module, take, plan)}})();`
    check(name, text)
    return text
  })
  const module = plan.modules.get(entry)
  const last = module === undefined ? '' : bodyOf(module)
  const imports = [...files].map((name) => `import*as ${numberOf(name)} from"${pathTo(name)}";`)
  for (const [file, numbers] of taken) imports.unshift(`import{${[...numbers]}}from"${pathTo(file)}";`)
  const exported = isShared ? `\nexport{${inner.map(numberOf)}};` : ''
  // Each module begins on its own line below its name, so that stack traces show it.
  const code = `${imports.join('')}\n${parts.map((part, at) => `//${inner[at]}\n${part}`).join('\n')}\n//${entry}\n${last}${exported}\n`
  return { code, imported: [...files, ...taken.keys()] }
}

/** Makes the body of a function of a module. The function returns the exports. */
function closed(
  body: string,
  { name }: Module,
  take: (names: [string, string][], name: string) => string,
  { nameOf }: Plan,
): string {
  const exported: [string, string][] = []
  let aliases = 0
  const text = body
    .replace(GIVEN, (_, list: string, from?: string) => {
      const names = namesOf(list)
      if (from === undefined) {
        exported.push(...names)
        return ''
      }
      const passed = names.map(([there, here]): [string, string, string] => [there, `$g${aliases++}`, here])
      exported.push(...passed.map(([, own, here]): [string, string] => [own, here]))
      return take(
        passed.map(([there, own]) => [there, own]),
        nameOf(from, name),
      )
    })
    .replace(DECLARED, (_, declared: string) => {
      exported.push([declared, declared])
      return ''
    })
  return `${text}\nreturn{${exported.map(([own, as]) => (own === as ? as : `${as}:${own}`))}}`
}

/** Refuses a module that cannot become a function, at build time instead of in the browser. */
function check(name: string, text: string): void {
  try {
    new Script(`"use strict";${text}`, { filename: name })
  } catch (cause) {
    throw new Error(`${name} cannot be joined: ${cause}`, { cause })
  }
}
