import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/**
 * Loaded before the program (`NODE_OPTIONS=--import=…`): writes what the process has loaded when it ends, one a line, into
 * the file that LOADED_MODULES names. Node's own parts are there by their names.
 */
const loaded: string[] = []
registerHooks({
  load(url, context, nextLoad) {
    loaded.push(url)
    return nextLoad(url, context)
  },
})
process.on('exit', () => {
  const { moduleLoadList } = process as unknown as { moduleLoadList: string[] }
  writeFileSync(process.env.LOADED_MODULES ?? '', [...loaded, ...moduleLoadList].join('\n'))
})
