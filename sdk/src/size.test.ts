import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'

const KIB = 1_024

/** A file and all that it imports, as it runs: without types and comments, indentation too. Names stay as they are. */
function sizeOf(entry: string): number {
  const parts = new Map<string, string>()
  function take(file: string): void {
    if (parts.has(file)) return
    const code = stripTypeScriptTypes(readFileSync(join(import.meta.dirname, file), 'utf8'))
    parts.set(
      file,
      code
        .replace(/^\s*\/\*[\s\S]*?\*\/$/gm, '')
        .replace(/^\s*\/\/.*$/gm, '')
        .replace(/^\s+|\s+$/gm, ''),
    )
    for (const [, target = ''] of code.matchAll(/from '\.\/([\w.-]+)'/g)) take(target)
  }
  take(entry)
  return gzipSync([...parts.values()].join('\n'), { level: 9 }).length
}

it('the client is at most 8 KiB compressed, and `verify` alone at most 2 KiB, without a minifier', (t) => {
  const sizes = {
    'postern.ts': 8 * KIB,
    'webhooks.ts': 2 * KIB,
    'token.ts': 2 * KIB,
    'doctor.ts': 3 * KIB,
    'login.ts': 3 * KIB,
  }
  for (const [entry, most] of Object.entries(sizes)) {
    const size = sizeOf(entry)
    t.diagnostic(`${entry}: ${size} bytes`)
    assert.ok(size <= most, `${entry} is ${size} bytes compressed, at most ${most} are allowed`)
    assert.ok(size > 500)
  }
})
