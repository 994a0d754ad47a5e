// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is about templates that are not run
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cpuStopwatch } from '../core/clock.ts'
import { minify } from './minify.ts'

describe('a minified module', () => {
  it('has no comments and no needless spaces, and the same code', () => {
    for (const [given, meant] of [
      ['/** Why. */\nexport const a = 1;\n', 'export const a=1;'],
      ['const a = 1; // why\nconst b = 2;\n', 'const a=1;const b=2;'],
      ['function f() {\n\t\treturn 1;\n}\nf();\n', 'function f(){return 1;}\nf();'],
      ['const a = "// no /* comment */  x"\n', 'const a="// no /* comment */  x"\n'],
      ["const a = 'it\\'s // none'\n", "const a='it\\'s // none'\n"],
      ['const a = `\n  // kept ${ b /* gone */ } \\` \n  `\n', 'const a=`\n  // kept ${b } \\` \n  `\n'],
      ['a = `${f({ a: `// ${{ b }} kept` })} // kept`;\n', 'a=`${f({a:`// ${{b}} kept`})} // kept`;'],
      ['const a = /^https?:\\/\\//.test(b) // gone\n', 'const a=/^https?:\\/\\//.test(b)\n'],
      ['const a = b / c // gone\nconst d = e / f\n', 'const a=b / c \nconst d=e / f\n'],
      ['const a = /[/"`]  /g, b = "x" // gone\n', 'const a=/[/"`]  /g,b="x" \n'],
      ['return /`/.test(a) /* gone */\n', 'return /`/.test(a)\n'],
      ['const a = (b) / 2 + c[0] / 2 - - d // gone\n', 'const a=(b)/ 2 + c[0]/ 2 - - d \n'],
      ['const a = `$`\n// gone\n', 'const a=`$`\n'],
      ['const returned = b / c / d\n', 'const returned=b / c / d\n'],
    ] as const)
      assert.equal(minify(given), meant)
  })

  it('of 5,000 lines takes less than five seconds of processor time', () => {
    const one = 'export const a = `${b} // c` / 2 // d\n'
    const computed = cpuStopwatch()
    assert.equal(minify(one.repeat(5_000)).length, 'export const a=`${b} // c` / 2 \n'.length * 5_000)
    assert.ok(computed() < 5_000)
  })
})
