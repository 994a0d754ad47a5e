import { ROUTES } from '../../sdk/src/routes.gen.ts'

/** The module of the console that the routes are given to. */
const CLIENT = 'app/data/operations.ts'

/** The route of each method of the SDK, by its whole name: `webhooks.list`. */
const WRITTEN = Object.fromEntries(
  Object.entries(ROUTES).flatMap(([name, entry]) =>
    typeof entry === 'string'
      ? [[name, entry]]
      : Object.entries(entry).map(([method, route]) => [`${name}.${method}`, route]),
  ),
)

/**
 * Adds the routes of the operations that a module names. So each screen contains the routes of its own calls only, and the first visit does
 * not load those of the whole API. A name in a text or of another object adds unused bytes.
 * @param name the module, as it is served
 * @param code compiled: a chain of members stands on one line
 */
export function withRoutes(name: string, code: string): string {
  const named = [...code.matchAll(/\.(\w+)(?=(?:\.(\w+))?)/g)].flatMap(([, first = '', second]) => [
    first,
    `${first}.${second}`,
  ])
  const own = [...new Set(named)].filter((one) => Object.hasOwn(WRITTEN, one))
  if (own.length === 0 || name === CLIENT) return code
  const up = '../'.repeat(name.split('/').length - 1) || './'
  const routes = JSON.stringify(Object.fromEntries(own.map((one) => [one, WRITTEN[one]])))
  return `import{addRoutes as $r}from"${up}${CLIENT}";${code};\n$r(${routes});\n`
}
