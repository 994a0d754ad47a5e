/** The wanted host: any, one that accepts writes, one that is not a standby, or a standby (libpq's `target_session_attrs`). */
export type HostTarget = 'any' | 'read-write' | 'primary' | 'standby'

/** What the connections of an address are for: reads and writes, or reads of a copy. */
export type HostRole = 'primary' | 'standby'

/** A PostgreSQL database with one host or several. */
interface DatabaseHosts {
  /** One address per host, in the given order. */
  urls: string[]
  target: HostTarget
}

const SCHEMES = ['postgres:', 'postgresql:']
const FORM = 'postgres://user:password@host1:5432,host2:5432/database'
/** The parameter that chooses a host. It is not sent to PostgreSQL. */
const TARGET = 'target_session_attrs'
const BALANCE = 'load_balance_hosts'
/** Parameters in which libpq accepts hosts beside the address. */
const HOST_PARAMETERS = ['host', 'hostaddr', 'port']
/** The targets of each role, the default for several hosts, and the reason against the others. */
const TARGETS: Record<HostRole, { known: readonly HostTarget[]; ofSeveral: HostTarget; reason: string }> = {
  primary: {
    known: ['any', 'read-write', 'primary'],
    ofSeveral: 'read-write',
    reason: 'Postern writes by every connection, so that no standby will do',
  },
  standby: {
    known: ['any', 'standby'],
    ofSeveral: 'standby',
    reason: 'lists are read from a standby',
  },
}
const MOST_HOSTS = 16

/**
 * Reads an address of PostgreSQL with one host or several, in the form of libpq.
 * @returns the text, once it is known to be one
 * @throws Error with every problem, and without a part of the text: any of them may be of a password
 */
export function databaseUrl(text: string): string | undefined {
  return checked(text, 'primary')
}

/** As `databaseUrl`, for the address of standbys. */
export function standbyUrl(text: string): string | undefined {
  return checked(text, 'standby')
}

function checked(text: string, role: HostRole): string | undefined {
  if (text === '') return undefined
  const { problems } = read(text, role)
  if (problems.length > 0) throw new Error(problems.join('; it '))
  return text
}

/** Whether a text is an address of PostgreSQL, with one host or several. */
export function isDatabaseUrl(text: string): boolean {
  return text !== '' && read(text, 'primary').problems.length === 0
}

/** @param url an address that `databaseUrl` has accepted, or `standbyUrl` for the role of a standby */
export function hostsOf(url: string, role: HostRole = 'primary'): DatabaseHosts {
  const { urls, target } = read(url, role)
  return { urls, target }
}

function read(text: string, role: HostRole): DatabaseHosts & { problems: string[] } {
  const [scheme = '', rest = ''] = splitAt(text, text.indexOf('//') + 2)
  const isOurs = SCHEMES.some((name) => scheme === `${name}//`)
  const end = rest.search(/[/?#]/)
  const [authority, path] = splitAt(rest, end < 0 ? rest.length : end)
  const [credentials, list] = splitAt(authority, authority.lastIndexOf('@') + 1)
  const hosts = list.split(',')
  const addresses = hosts.map((host) => `${scheme}${credentials}${host}${path}`)
  const parsed = addresses.map((address) => URL.parse(address))
  if (!isOurs || (hosts.length === 1 && parsed[0] === null)) {
    const problem = `must be a URL that starts with ${SCHEMES.map((name) => `${name}//`).join(' or ')}`
    return { urls: [], target: 'any', problems: [problem] }
  }
  const query = parsed.find((url) => url !== null)?.searchParams ?? new URLSearchParams()
  const problems = [...problemsOfHosts(hosts, parsed), ...problemsOfQuery(query, hosts.length, role)]
  const { known, ofSeveral } = TARGETS[role]
  return {
    urls: addresses.map(withoutChoice),
    target: known.find((name) => name === query.get(TARGET)) ?? (hosts.length > 1 ? ofSeveral : 'any'),
    problems,
  }
}

function problemsOfHosts(hosts: string[], parsed: (URL | null)[]): string[] {
  if (hosts.length === 1) return []
  const problems: string[] = []
  if (hosts.length > MOST_HOSTS) problems.push(`must name ${MOST_HOSTS} hosts at most`)
  const seen = new Set<string>()
  for (const [index, url] of parsed.entries()) {
    if (url === null || url.hostname === '' || url.port === '0')
      problems.push(`must name each host as in ${FORM}, and number ${index + 1} is none`)
    else if (seen.has(nameOf(url)))
      problems.push(`must name each host once, and number ${index + 1} is there twice`)
    else seen.add(nameOf(url))
  }
  return problems
}

function problemsOfQuery(query: URLSearchParams, hosts: number, role: HostRole): string[] {
  const { known, reason } = TARGETS[role]
  const problems: string[] = []
  const targets = query.getAll(TARGET)
  if (targets.length > 1) problems.push(`must have ${TARGET} once`)
  if (targets.some((name) => !known.some((one) => one === name)))
    problems.push(`must have one of ${known.join(', ')} as ${TARGET}: ${reason}`)
  if (query.has(BALANCE) && query.get(BALANCE) !== 'disable')
    problems.push(`must have no ${BALANCE}: hosts are tried in their order`)
  const listed = HOST_PARAMETERS.filter(
    (name) => query.get(name)?.includes(',') || (hosts > 1 && query.has(name)),
  )
  if (listed.length > 0) problems.push(`must name its hosts as in ${FORM}, and not in ${listed.join(', ')}`)
  return problems
}

/** An address of one host without the parameters that choose a host. Other parameters stay unchanged. */
function withoutChoice(address: string): string {
  const url = URL.parse(address)
  if (url === null || ![TARGET, BALANCE].some((name) => url.searchParams.has(name))) return address
  for (const name of [TARGET, BALANCE]) url.searchParams.delete(name)
  return url.href
}

/** Host and port of an address, which contain no secret. */
export function nameOf({ hostname, port }: URL): string {
  return `${hostname}:${port || 5432}`
}

function splitAt(text: string, index: number): [string, string] {
  return [text.slice(0, index), text.slice(index)]
}
