import type { Agent, McpServer, Model } from '#sdk/postern.ts'
import { type Data, useData } from '../../app/data/cache.ts'
import { type Listed, useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'

export function useAgents(): Listed<Agent> {
  return useList('agents', (how) => postern.agents.list({ limit: 100 }, how))
}

export function useAgent(id: string | undefined): Data<Agent> {
  return useData(id === undefined ? undefined : `agent ${id}`, (how) => postern.agents.read(id ?? '', how))
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
