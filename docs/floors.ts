/** Parts of the product that never import one another. What they share is on a floor below. */
export const SLICES: readonly string[] = [
  'access',
  'webhooks',
  'billing',
  'connections',
  'files',
  'knowledge',
  'agents',
  'mcp',
  'console',
  'pages',
]

/**
 * The rooms of `src/`, floor by floor, the highest first: a file imports from its own floor or from below. `app.ts` and `main.ts` are
 * `root`. `npm run docs` writes them into the documents, and `test/architecture.test.ts` holds the imports to them.
 */
export const FLOORS: readonly (readonly string[])[] = [
  ['root', 'operator', 'cli'],
  ['doctor'],
  ['backups'],
  ['operations', 'store'],
  SLICES,
  ['delivery', 'mail', 'audit-streams'],
  ['jobs', 'live', 'problems'],
  ['oauth', 'audit', 'organizations', 'shared'],
  ['blobs', 'http'],
  ['net', 'processes', 'cluster', 'telemetry'],
  ['config', 'db', 'messages'],
  ['core'],
]

/** Where the drawing stands in a document. */
const [BEGIN, END] = ['<!-- floors: written by `npm run docs` from docs/floors.ts -->', '<!-- /floors -->']

/**
 * @param text a document of Markdown
 * @returns the document with the drawing of the floors as they are
 * @throws Error where it has no place for it
 */
export function withFloors(text: string): string {
  const [before, rest] = text.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error('the document has no place for the floors')
  const drawing = FLOORS.map((floor, index) => `${index === 0 ? '  ' : '→ '}${floor.join(', ')}`).join('\n')
  return `${before}${BEGIN}\n\n\`\`\`\n${drawing}\n\`\`\`\n\n${END}${after}`
}
