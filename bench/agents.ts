import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pause } from '#src/core/clock.ts'
import type { Part, Story } from './model.ts'
import { startBare } from './processes.ts'
import { type Organization, type Publisher, publisher } from './publisher.ts'
import type { EngineName } from './store.ts'

/** An organization's agent that uses the model of the bench and its tool. */
export interface Agent extends Organization {
  /** Has it do something. @returns the run's id */
  run(part: Part): Promise<string>
  /** Waits until the run has succeeded. @throws Error when it has failed */
  ended(runId: string): Promise<Record<string, unknown>>
  /** The steps of a run, in their order. */
  steps(runId: string): Promise<Step[]>
}

export interface Step {
  kind: 'model' | 'tool'
  startedAt: string
  endedAt: string
}

/** A server, and the model that its agents use. */
export interface Agents {
  ours: Publisher
  /** @param hasTool without it, no server of tools is asked when a run begins */
  agent(name: string, hasTool?: boolean): Promise<Agent>
  story(name: string): Promise<Story>
  /** @param how `kill` unless the process has something to write at its end */
  stop(how?: 'stop' | 'kill'): Promise<void>
}

/** What the model sees a tool of the server as. */
export const TOOL = 'bench__wait'

const LOOK_EVERY_MS = 20

/**
 * @param env more settings of the server
 * @param program the program of another Postern to measure instead of this one
 */
export async function startAgents(
  engine: EngineName,
  env: Record<string, string> = {},
  program?: string,
): Promise<Agents> {
  const model = await startBare('./model.ts')
  const mcpUrl = await (await fetch(`${model.url}/mcp`)).text()
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const file = join(folder, 'models.json')
  writeFileSync(file, JSON.stringify({ models: { bench: { url: model.url, contextTokens: 1_000_000 } } }))
  const ours = await publisher(
    engine,
    { ...env, MODELS_FILE: file, MCP_ALLOWED_NETWORKS: '127.0.0.0/8' },
    program,
  )
  return {
    ours,
    agent: async (name, hasTool = true) => agentOf(await ours.neighbour(name), hasTool ? mcpUrl : undefined),
    story: async (name) => (await (await fetch(`${model.url}/story/${name}`)).json()) as Story,
    async stop(how = 'kill') {
      await ours.stop(how)
      await model.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

async function agentOf(organization: Organization, mcpUrl: string | undefined): Promise<Agent> {
  const { call } = organization
  const tools: object[] = []
  if (mcpUrl !== undefined) {
    const server = await call('POST', '/v1/mcp-servers', { name: 'bench', url: mcpUrl })
    await call('POST', `/v1/mcp-servers/${server.id}/refresh`)
    tools.push({ serverId: server.id, name: 'wait', approval: 'never' })
  }
  const made = await call('POST', '/v1/agents', { name: 'Bench', model: 'bench', maxSteps: 50, tools })
  const read = (path: string) => call('GET', path)
  return {
    ...organization,
    async run(part) {
      const run = await call('POST', `/v1/agents/${made.id}/runs`, { input: JSON.stringify(part) })
      return String(run.id)
    },
    async ended(runId) {
      for (;;) {
        // A server that was killed answers again once it is there.
        const run = await read(`/v1/runs/${runId}`).catch(() => undefined)
        if (run?.status === 'succeeded') return run
        if (run?.status === 'failed' || run?.status === 'cancelled')
          throw new Error(`a run has failed: ${JSON.stringify(run.error)}`)
        await pause(LOOK_EVERY_MS)
      }
    },
    async steps(runId) {
      return (await read(`/v1/runs/${runId}/steps?limit=100`)).data as Step[]
    },
  }
}
