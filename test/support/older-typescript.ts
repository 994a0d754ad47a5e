import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

/** For `--import`: a generator that takes the compiler apart is given the one of before, which another generator brings along. */
const generator = createRequire(import.meta.url).resolve('oazapfts')
const compiler = pathToFileURL(createRequire(generator).resolve('typescript')).href
registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? compiler : name, context) })
