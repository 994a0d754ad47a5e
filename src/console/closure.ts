/** A file and all that it imports, each once, in the order in which they are found. */
export function closureOf(needed: ReadonlyMap<string, string[]>, entry: string): string[] {
  const found = new Set([entry])
  for (const name of found) for (const one of needed.get(name) ?? []) found.add(one)
  return [...found]
}
