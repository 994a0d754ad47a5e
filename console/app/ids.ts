/** Paths of screens by the prefix of an id; `*` stands for the id. */
export const PLACES_OF_IDS: Record<string, string> = {
  whk: '/webhooks/*',
  dlv: '/deliveries/*',
  evt: '/events/*',
  inv: '/invitations/*',
  con: '/connections/*',
  fil: '/files/*',
  knb: '/knowledge/*',
  doc: '/documents/*',
  agt: '/agents/*',
  run: '/runs/*',
  cnv: '/conversations/*',
  mcp: '/mcp-servers/*',
  chk: '/credits/*',
  dom: '/domains',
  idp: '/identity-providers',
  sul: '/identity-providers',
}

const ID = /\b([a-z]{3})_([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})\b/i

/** The first id in a text and the path of its screen; undefined without one. */
export function pathOfId(text: string): { id: string; path: string } | undefined {
  const [id, prefix = ''] = ID.exec(text) ?? []
  const pattern = PLACES_OF_IDS[prefix.toLowerCase()]
  if (id === undefined || pattern === undefined) return undefined
  return { id, path: pattern.replace('*', id) }
}
