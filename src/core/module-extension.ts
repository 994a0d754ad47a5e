import { extname } from 'node:path'

/** What the names of the program's modules end in: `.ts` in a clone, `.js` in a package, where they are compiled. */
export const MODULE_EXTENSION = extname(import.meta.filename)
