import { extname } from 'node:path'

/** The extension of the program's modules: `.ts` in a clone, `.js` in a package, where they are compiled. */
export const MODULE_EXTENSION = extname(import.meta.filename)
