import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { type Millis, SECOND, stopwatch } from '#src/core/clock.ts'
import { until } from '../support/waits.ts'

/** What a cluster is made of; of Debian 12, by the recipe of docs/operations.md. */
const BIN = '/usr/lib/postgresql/15/bin'
const PARTS = [`${BIN}/postgres`, '/usr/bin/patroni', '/usr/bin/etcd']
const HAPROXY = '/usr/sbin/haproxy'

/** The reason why no cluster can be started here; undefined where one can. */
export function noCluster(isProxied = false): string | undefined {
  const lacking = [...PARTS, ...(isProxied ? [HAPROXY] : [])].filter((path) => !existsSync(path))
  if (lacking.length > 0) return `no ${lacking.join(', no ')} (docs/operations.md: PostgreSQL with failover)`
  return process.getuid?.() === 0 ? undefined : 'who runs it must be root, to run PostgreSQL as another user'
}

/** A PostgreSQL of the cluster, with what runs it. */
export interface Member {
  name: string
  address: string
  patroni: ChildProcess | undefined
}

/** Three PostgreSQL with Patroni and etcd, on addresses of the loopback. */
export interface Cluster {
  /** As the recipe gives it to Postern: all three hosts, or the proxy. */
  url: string
  members: Member[]
  /** The member that takes writes; undefined while there is none. */
  primary(): Promise<Member | undefined>
  /** Resolves when a primary has a synchronous standby, which may take over. @returns the primary */
  isWhole(): Promise<Member>
  /**
   * `kill -9` of a member's PostgreSQL, with all of its processes.
   * @param isMachine whether Patroni dies with it, as the machine would
   */
  kill(member: Member, isMachine: boolean): void
  /** Starts Patroni again where it is not running. */
  revive(member: Member): void
  query<Row>(text: string): Promise<Row[]>
  /** What the processes have written last. */
  words(): string
  remove(): Promise<void>
}

/** The blocks of code in the recipe, by their language. */
function recipe(): Record<string, string> {
  const document = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'operations.md'), 'utf8')
  const section = document.split('\n## PostgreSQL with failover\n')[1]?.split('\n## ')[0] ?? ''
  const blocks = [...section.matchAll(/^```(\w+)\n(.*?)^```/gms)]
  const shell = blocks.filter(([, language]) => language === 'sh').map(([, , code = '']) => code)
  return {
    ...Object.fromEntries(blocks.map(([, language = '', code = '']) => [language, code])),
    psql: shell.find((code) => code.startsWith('psql')) ?? '',
    url: /^DATABASE_URL='(.*)'$/m.exec(shell.join('\n'))?.[1] ?? '',
    proxied: /`DATABASE_URL=(postgres:[^`]*)`/.exec(section)?.[1] ?? '',
  }
}

/** What Patroni tells of a member. */
interface State {
  role: string
  state: string
}

const FOLLOWS = ['running', 'streaming']
const SYNCHRONOUS = ['sync_standby', 'quorum_standby']
/** On a busy machine a standby needs long to copy missing data (`pg_rewind`), and Patroni may repeat that. */
const PATIENCE: Millis = 240 * SECOND
/** Characters of what the processes have written last. */
const LAST_WORDS = 20_000

/** @param isProxied whether HAProxy stands in front of it */
export async function startCluster({ isProxied = false } = {}): Promise<Cluster> {
  const [uid, gid] = ['-u', '-g'].map((option) =>
    Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' })),
  ) as [number, number]
  // Of the user of PostgreSQL, who reaches this folder and need not reach that of the tests.
  const folder = mkdtempSync('/tmp/postern-ha-')
  chownSync(folder, uid, gid)
  const net = `127.${randomInt(10, 250)}.${randomInt(1, 250)}`
  const here = (text: string) =>
    text
      .replaceAll('10.0.0.0/24', '127.0.0.0/8')
      .replaceAll('10.0.0.', `${net}.`)
      .replaceAll('/var/lib/postgresql/15/postern', join(folder, 'DATA'))
      .replaceAll('/var/lib/postgresql/postern.pgpass', join(folder, 'DATA.pgpass'))
      .replaceAll('/var/run/postgresql', join(folder, 'DATA-run'))
  const blocks = Object.fromEntries(Object.entries(recipe()).map(([name, text]) => [name, here(text)]))
  /** A block of the first machine, for another one. */
  const of = (text: string, number: number) =>
    text
      .replaceAll('DATA', `pg${number}`)
      .replace(/^((?:name: |ETCD_NAME=))pg1$/m, `$1pg${number}`)
      .replace(/^(?!.*(?:hosts: |INITIAL_CLUSTER=)).*$/gm, (line) =>
        line.replaceAll(`${net}.11`, `${net}.1${number}`),
      )

  const running = new Set<ChildProcess>()
  let words = ''
  function run(program: string, args: string[], env: Record<string, string> = {}): ChildProcess {
    const child = spawn(program, args, {
      ...{ uid, gid, cwd: folder },
      env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', HOME: folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    child.once('exit', () => running.delete(child))
    for (const output of [child.stdout, child.stderr])
      output?.setEncoding('utf8').on('data', (text: string) => {
        words = `${words}${text}`.slice(-LAST_WORDS)
      })
    return child
  }

  const members: Member[] = [1, 2, 3].map((number) => ({
    name: `pg${number}`,
    address: `${net}.1${number}`,
    patroni: undefined,
  }))

  function killAll(): void {
    for (const child of running) child.kill('SIGKILL')
    for (const member of members) for (const pid of processesOf(member)) killOne(pid)
  }
  process.once('exit', killAll)

  function killOne(pid: number): void {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }

  /** The server of a member with its children: the first line of its file is its number. */
  function processesOf({ name }: Member): number[] {
    const file = join(folder, name, 'postmaster.pid')
    if (!existsSync(file)) return []
    const first = Number(readFileSync(file, 'utf8').split('\n')[0])
    const isIts =
      existsSync(`/proc/${first}/cmdline`) && readFileSync(`/proc/${first}/cmdline`, 'utf8').includes(folder)
    if (!isIts) return []
    const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').trim().split(' ')
    return [first, ...children.map(Number).filter((pid) => pid > 0)]
  }

  function makeFolder(name: string): string {
    const made = join(folder, name)
    mkdirSync(made, { mode: 0o700 })
    chownSync(made, uid, gid)
    return made
  }

  for (const number of [1, 2, 3]) {
    makeFolder(`pg${number}-run`)
    const file = join(folder, `pg${number}.yml`)
    writeFileSync(file, of(blocks.yaml ?? '', number), { mode: 0o600 })
    chownSync(file, uid, gid)
  }
  function revive(member: Member): void {
    if (member.patroni !== undefined && running.has(member.patroni)) return
    member.patroni = run('/usr/bin/patroni', [join(folder, `${member.name}.yml`)])
  }

  async function ask<Row>(address: string, text: string): Promise<Row[]> {
    const client = new pg.Client({
      ...{ host: address, user: 'postgres', password: 'change-me-1', database: 'postgres' },
      ...{ connectionTimeoutMillis: 2 * SECOND, query_timeout: 5 * SECOND },
    })
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query(text)).rows
    } finally {
      await client.end().catch(() => {})
    }
  }

  async function primary(): Promise<Member | undefined> {
    const found = await Promise.all(
      members.map(async (member) => {
        const [row] = await ask<{ is: boolean }>(
          member.address,
          'select not pg_is_in_recovery() as is',
        ).catch(() => [])
        return row?.is === true ? member : undefined
      }),
    )
    return found.find((member) => member !== undefined)
  }

  async function isWhole(): Promise<Member> {
    const found = await until(
      async () => {
        const member = await primary()
        if (member === undefined) return 'no primary'
        // What Patroni has agreed upon, which is later than what PostgreSQL does: no other standby becomes the primary.
        const answer = await fetch(`http://${member.address}:8008/cluster`).catch(() => undefined)
        const found = (await answer?.json().catch(() => undefined)) as { members: State[] } | undefined
        const states = found?.members ?? []
        const follow = states.filter(({ role, state }) => role !== 'leader' && FOLLOWS.includes(state))
        const isSynchronous = follow.some(({ role }) => SYNCHRONOUS.includes(role))
        return isSynchronous ? member : `${member.name}: ${JSON.stringify(states)}`
      },
      (answer) => typeof answer !== 'string',
      { what: 'a primary with a synchronous standby', patience: PATIENCE },
    ).catch((error: Error) => {
      throw new Error(`${error.message}\nThe cluster said: ${words.slice(-LAST_WORDS)}`)
    })
    return found as Member
  }

  async function remove(): Promise<void> {
    const elapsed = stopwatch()
    // Patroni first, which would start what ends.
    for (const { patroni } of members) patroni?.kill('SIGKILL')
    killAll()
    await until(
      () => members.flatMap(processesOf).length + running.size,
      (left) => left === 0,
      {
        what: 'the cluster to end',
      },
    ).catch((error: unknown) => {
      throw new Error(`after ${elapsed()} ms`, { cause: error })
    })
    process.removeListener('exit', killAll)
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }

  try {
    for (const number of [1, 2, 3]) {
      const settings = [...of(blocks.ini ?? '', number).matchAll(/^(\w+)=(.*)$/gm)]
      run('/usr/bin/etcd', [], {
        ETCD_DATA_DIR: makeFolder(`etcd${number}`),
        ...Object.fromEntries(settings.map(([, name = '', value = '']) => [name, value])),
      })
    }
    for (const member of members) revive(member)
    await isWhole()
    execFileSync('sh', ['-c', blocks.psql ?? ''], { stdio: 'pipe' })
    if (isProxied) {
      const file = join(folder, 'haproxy.cfg')
      writeFileSync(file, blocks.haproxy ?? '')
      chmodSync(file, 0o644)
      run(HAPROXY, ['-db', '-f', file])
    }
  } catch (error) {
    const last = words.slice(-4_000)
    await remove()
    throw new Error(`the cluster did not start: ${last}`, { cause: error })
  }

  return {
    url: (isProxied ? blocks.proxied : blocks.url) ?? '',
    members,
    primary,
    isWhole,
    kill(member, isMachine) {
      if (isMachine) member.patroni?.kill('SIGKILL')
      for (const pid of processesOf(member)) killOne(pid)
    },
    revive,
    async query(text) {
      const to = await isWhole()
      const client = new pg.Client({
        ...{ host: to.address, user: 'postgres', password: 'change-me-1', database: 'postern' },
      })
      client.on('error', () => {})
      await client.connect()
      try {
        return (await client.query(text)).rows
      } finally {
        await client.end()
      }
    },
    words: () => words,
    remove,
  }
}
