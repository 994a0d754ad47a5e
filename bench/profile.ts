import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A rule of the table of parts: the functions whose processor time belongs to a part. */
export type PartRule = [part: string, name: RegExp, file: RegExp]

/** The profile of the server's thread, while it is made and afterwards. */
export interface ThreadProfile {
  /** The environment of the server that writes it when it ends. */
  env: Record<string, string>
  /**
   * Which share of the processor time between two moments, in microseconds, belongs to each part: the first rule that knows a function,
   * else that of its caller. The last two rules name no function of Node.
   */
  shares(rules: PartRule[], from: number, to: number): Map<string, number>
  remove(): void
}

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  startTime: number
  samples: number[]
  timeDeltas: number[]
}

/** @param file a source that the thread runs, by which its profile is known among those of the process */
export function profileThread(file: string): ThreadProfile {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-profile-'))
  return {
    env: { NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=500 --cpu-prof-dir=${folder}` },
    shares: (rules, from, to) => sharesOf(readProfile(folder, file), rules, from, to),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

function readProfile(folder: string, file: string): Profile {
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  return JSON.parse(texts.find((text) => text.includes(file)) ?? '') as Profile
}

function sharesOf(
  { nodes, startTime, samples, timeDeltas }: Profile,
  rules: PartRule[],
  from: number,
  to: number,
): Map<string, number> {
  const partOf = new Map<number, string>()
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const visit = (id: number, ofCaller: string) => {
    const node = byId.get(id)
    const { functionName, url } = node?.callFrame ?? { functionName: '', url: '' }
    // A function of Node or without a file counts for its caller, unless one of the first rules names it.
    const isNamed = url !== '' && !url.startsWith('node:')
    const rule = rules.find(([, name, file], index) => {
      const isLast = index >= rules.length - 2
      return name.test(functionName) && file.test(url) && (isNamed || !isLast)
    })
    const part = rule?.[0] ?? ofCaller
    partOf.set(id, part)
    for (const child of node?.children ?? []) visit(child, part)
  }
  visit(nodes[0]?.id ?? 0, rules.at(-1)?.[0] ?? '')
  const idle = new Set(
    nodes.flatMap(({ id, callFrame }) => (callFrame.functionName === '(idle)' ? [id] : [])),
  )
  const times = new Map<string, number>()
  let [at, all] = [startTime, 0]
  for (const [index, id] of samples.entries()) {
    const took = timeDeltas[index] ?? 0
    at += took
    if (at < from || at > to || idle.has(id)) continue
    const part = partOf.get(id) ?? ''
    times.set(part, (times.get(part) ?? 0) + took)
    all += took
  }
  return new Map([...times].map(([part, time]) => [part, time / all]))
}
