import type { Agent, AgentVersion, McpServer, Model } from '#sdk/postern.ts'
import { type Data, outdate, put, useData } from '../../app/data/cache.ts'
import { type Listed, useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { toast } from '../../parts/toast.tsx'

export function useAgents(): Listed<Agent> {
  return useList('agents', (how) => postern.agents.list({ limit: 100 }, how))
}

export function useAgent(id: string | undefined): Data<Agent> {
  return useData(id === undefined ? undefined : `agent ${id}`, (how) => postern.agents.read(id ?? '', how))
}

export function useVersions(id: string): Listed<AgentVersion> {
  return useList(`agent-versions ${id}`, (how) => postern.agents.versions(id, { limit: 20 }, how))
}

export function useModels(): Data<Model[]> {
  return useData('models', async (how) => (await postern.models.list({}, how).page()).data)
}

/** The servers of tools with what they offer; only administrators see them. */
export function useToolServers(isAdministrator: boolean): Data<McpServer[]> {
  return useData(isAdministrator ? 'mcp-servers with tools' : undefined, async (how) => {
    const { data } = await postern.mcpServers.list({ limit: 100 }, how).page()
    return Promise.all(data.map(({ id }) => postern.mcpServers.read(id, how)))
  })
}

/** Shows what a change has made of an agent. */
export function changedTo(agent: Agent): void {
  put(`agent ${agent.id}`, agent)
  outdate('agents')
  outdate(`agent-versions ${agent.id}`)
  toast(`Version ${agent.version} is what runs take from now on`)
}
