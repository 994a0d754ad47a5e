import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/**
 * Loaded before the program (`NODE_OPTIONS=--import=…`): at the end of the process it writes the loaded modules, one a line, into
 * the file that LOADED_MODULES names. Node's own modules are listed by name, and its language data as `Intl`.
 */
const loaded: string[] = []
registerHooks({
  load(url, context, nextLoad) {
    loaded.push(url)
    return nextLoad(url, context)
  },
})
const CALLED_BY_NAME = ['Collator', 'DateTimeFormat', 'NumberFormat', 'PluralRules'] as const
for (const name of CALLED_BY_NAME) note(Intl, name)
for (const kind of [Array, BigInt, Number]) note(kind.prototype, 'toLocaleString')
note(String.prototype, 'localeCompare')

/** Has the use of what needs Node's knowledge of languages be written down, too. */
function note<Name extends string>(owner: Record<Name, object>, name: Name): void {
  owner[name] = new Proxy(owner[name], {
    apply(target, self, given) {
      loaded.push('Intl')
      return Reflect.apply(target as () => void, self, given)
    },
    construct(target, given) {
      loaded.push('Intl')
      return Reflect.construct(target as new () => object, given)
    },
  })
}

process.on('exit', () => {
  const { moduleLoadList } = process as unknown as { moduleLoadList: string[] }
  writeFileSync(process.env.LOADED_MODULES ?? '', [...loaded, ...moduleLoadList].join('\n'))
})
