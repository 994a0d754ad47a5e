import { redirectUriOf } from '../connections/authorize/callback.ts'
import { createProvider } from '../connections/provider.ts'
import { systemClock } from '../core/clock.ts'
import { addressRule } from '../net/address.ts'
import { createAgent } from '../net/agent.ts'
import { createResolver } from '../net/resolver.ts'
import type { Check, Finding } from './finding.ts'

/** Fetches the metadata of each provider of connections, as its first use does. */
export const checkConnections: Check = async ({ web, connections }) => {
  const what = 'Connections'
  if (connections.providers.length === 0)
    return [{ level: 'ok', what, text: 'no providers; CONNECTIONS_FILE would name some' }]
  const isAllowed = addressRule(connections.allowedNetworks, 'CONNECTIONS_ALLOWED_NETWORKS')
  const agent = createAgent({ isAllowed, resolve: createResolver({ clock: systemClock }) })
  try {
    const found = await Promise.all(
      connections.providers.map(async (settings): Promise<Finding[]> => {
        const { name, apiHosts, endpoints } = settings
        const redirectUri = redirectUriOf(web.baseUrl, name)
        const provider = createProvider(settings, { clock: systemClock, agent, redirectUri })
        const problem = await provider.prepare(systemClock.now()).then(
          () => undefined,
          (error: Error) => error.message,
        )
        if (problem !== undefined) return [{ level: 'problem', what, text: `${name}: ${problem}` }]
        const isAsked = endpoints === undefined ? 'its metadata are found' : 'it has endpoints of its own'
        const findings: Finding[] = [
          { level: 'ok', what, text: `${name}: ${isAsked}; register ${redirectUri}` },
        ]
        if (apiHosts.length === 0)
          findings.push({
            level: 'warning',
            what,
            text: `${name}: no apiHosts, so that nothing can be called`,
          })
        return findings
      }),
    )
    return found.flat()
  } finally {
    await agent.close()
  }
}
