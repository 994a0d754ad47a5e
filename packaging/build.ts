import { join, resolve } from 'node:path'
import { digestOf } from './digest.ts'
import { ROOT } from './lock.ts'
import { makeCarrier, makeTree } from './tree.ts'

/** `npm run build`: the tree that every package is, and the package that carries a Node, in `dist/` or the named folder. */
const out = resolve(process.argv[2] ?? join(ROOT, 'dist'))
await makeTree(join(out, 'postern'))
makeCarrier(join(out, 'postern-node'))
console.log(`${join(out, 'postern')}  sha256:${digestOf(join(out, 'postern'))}`)
