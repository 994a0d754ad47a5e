/** What every process of a test is given: where programs are, and what Node has made of the sources already. */
export function inherited(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? { PATH } : { PATH, NODE_COMPILE_CACHE }
}
