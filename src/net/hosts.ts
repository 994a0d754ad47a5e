import { readFileSync, statSync } from 'node:fs'

/** An address for a connection. */
export interface Address {
  address: string
  family: number
}

/** The addresses of a name that this machine defines itself; undefined where it defines none. */
export type Hosts = (name: string) => Address[] | undefined

const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'

/** Names of this machine, which no name server may answer (RFC 6761 6.3). */
const LOOPBACK: Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** Reads the machine's hosts file, again after each change. */
export function createHosts(file = HOSTS_FILE): Hosts {
  let seen: { version: string; names: Map<string, Address[]> } | undefined

  function names(): Map<string, Address[]> {
    const { mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 }
    const version = `${mtimeMs} ${size}`
    if (seen?.version !== version) seen = { version, names: size === 0 ? new Map() : read(file) }
    return seen.names
  }

  return (name) => {
    const known = names().get(name)
    if (known !== undefined) return known
    return name === 'localhost' || name.endsWith('.localhost') ? LOOPBACK : undefined
  }
}

function read(file: string): Map<string, Address[]> {
  const found = new Map<string, Address[]>()
  for (const line of textOf(file).split('\n')) {
    const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().split(/\s+/)
    for (const name of names.map((one) => one.toLowerCase())) {
      const known = found.get(name) ?? []
      known.push({ address, family: address.includes(':') ? 6 : 4 })
      found.set(name, known)
    }
  }
  return found
}

/** An unreadable file counts as empty. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
