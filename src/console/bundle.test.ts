import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { describe, it } from 'node:test'
import { moduleRunnerTransformSync } from 'oxc-transform'
import { buildConsole } from './build-console.ts'
import { bundle } from './bundle.ts'
import { readSources } from './sources.ts'

const nameOf = (specifier: string, importer: string) => posix.join(posix.dirname(importer), specifier)
const joined = (sources: Record<string, string>, screens = ['s/a.ts', 's/b.ts'], common = 2) => {
  const files = new Map(Object.entries(sources).map(([name, code]) => [name, Buffer.from(code)]))
  const needs = bundle(files, nameOf, { entry: 'main.ts', screens, common })
  return { files, needs }
}
/** Runs a file without imports. @returns its exports */
const run = async (code: Buffer | undefined) =>
  import(`data:text/javascript,${encodeURIComponent(String(code))}`)

const SCREENS = {
  's/a.ts':
    'import{one}from"../one.ts";import{own}from"./own.ts";import{few}from"./few.ts";export const A=[one,own,few];',
  's/b.ts': 'import{one}from"../one.ts";export const b=()=>import("./c.ts");export function B(){return one}',
  's/c.ts': 'import{few}from"./few.ts";export const C=few;',
  's/own.ts': 'export const own="own";',
  's/few.ts': 'export const few="few";',
  'one.ts': 'export const one="one";',
  'main.ts': 'export const main="main";',
}

describe('joined modules', () => {
  it('are in the file of the module that imports them: of the frame if all need them, of a screen if only that does, otherwise in a separate file', () => {
    const { files, needs } = joined(SCREENS)
    assert.deepEqual([...files.keys()].sort(), ['main.ts', 's/a.ts', 's/b.ts', 's/c.ts', 's/few.ts'])
    assert.deepEqual(needs.get('s/a.ts'), ['s/few.ts', 'main.ts'])
    assert.deepEqual(needs.get('main.ts'), [])
  })

  it('are in one common file if many screens need them, but not the first one', () => {
    const { files, needs } = joined(
      {
        ...SCREENS,
        's/d.ts': 'import{two}from"../two.ts";export const D=two;',
        's/e.ts': 'import{two}from"../two.ts";import{one}from"../one.ts";export const E=[one,two];',
        'two.ts': 'import{one}from"./one.ts";export const two=[one];',
        'main.ts': 'export const main=()=>import("./two.ts");',
      },
      ['s/a.ts', 's/d.ts', 's/e.ts'],
    )
    assert.ok(!files.has('two.ts'))
    assert.deepEqual(needs.get('s/d.ts'), ['app/common.js'])
    assert.deepEqual(needs.get('s/e.ts')?.sort(), ['app/common.js', 'main.ts'])
    assert.deepEqual(needs.get('app/common.js'), ['main.ts'])
    // A dynamic import gets the module itself, not the file that contains it.
    assert.match(
      String(files.get('main.ts')),
      /import\("\.\/app\/common\.js"\)\.then\(\(\{\$m\d+:\$m\}\)=>\$m\)/,
    )
  })

  it('run once each, after their imports, and export the same values to all importers', async () => {
    const { files } = joined(
      {
        'main.ts':
          'import"./x.ts";import{log as l,f as default_}from"./y.ts";import{Z}from"./z.ts";export const seen=[...l,Z,default_(),async()=>(await import("./z.ts")).Z];',
        'x.ts': 'import{log}from"./z.ts";log.push("x");',
        'y.ts':
          'export{log}from"./z.ts";function f(){return g()}\nasync function h(){}\nexport{f,h as g2};export async function k(){}\nexport function g(){return "g"}\nconst t=`export const no=1;`',
        'z.ts': 'export const log=["z"];export class Z{}',
      },
      [],
    )
    assert.deepEqual([...files.keys()], ['main.ts'])
    const { seen } = await run(files.get('main.ts'))
    assert.deepEqual(seen.slice(0, 2), ['z', 'x'])
    assert.equal(seen[3], 'g')
    assert.equal(await seen[4](), seen[2])
  })

  it('are refused by name if joining would change their meaning', () => {
    for (const [sources, meant] of [
      [{ 'main.ts': 'import"./x.ts";', 'x.ts': 'import"./main.ts";' }, /circle: main.ts → x.ts → main.ts/],
      [{ 'main.ts': 'import"./x.ts";', 'x.ts': 'export let x=1;' }, /x.ts cannot be joined/],
      [{ 'main.ts': 'import"./x.ts";', 'x.ts': 'export default 1;' }, /x.ts cannot be joined/],
      [{ 'main.ts': 'import"./x.ts";', 'x.ts': 'await 1;' }, /x.ts cannot be joined/],
      [
        { 'main.ts': 'import"./x.ts";', 'x.ts': 'const a=1;import"./y.ts";', 'y.ts': '' },
        /x.ts cannot be joined/,
      ],
      [{ 'main.ts': 'import"./x.ts";' }, /no module x.ts/],
    ] as const)
      assert.throws(() => joined(sources as Record<string, string>, []), meant)
  })

  it('export the same names as a parser finds', async () => {
    const { files } = await buildConsole()
    const sources = await readSources()
    const inner = [...files].flatMap(([file, content]) =>
      /\.tsx?$/.test(file)
        ? [
            ...String(content).matchAll(
              /^\/\/(\S+)\nconst \$m\d+=\(\(\)=>\{[\s\S]*?\nreturn\{(.*)\}\}\)\(\);$/gm,
            ),
          ]
        : [],
    )
    assert.ok(inner.length > 50, `${inner.length} are joined`)
    for (const [, name = '', list = ''] of inner) {
      assert.ok(!files.has(name), `${name} would be there twice`)
      const { code } = moduleRunnerTransformSync(name, String(sources.get(name)))
      const meant = [...code.matchAll(/__vite_ssr_exports__, "([^"]+)"/g)].map(([, one]) => one)
      const given = list.split(',').map((one) => one.replace(/:.*/, ''))
      assert.deepEqual(given.filter(Boolean).sort(), meant.sort(), name)
    }
  })
})
