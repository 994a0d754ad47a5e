import { createBoundedMap } from '../../core/bounded-map.ts'
import { sealContext } from '../../db/sealed.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { AccessDeps } from '../deps.ts'
import { createOpenIdProvider, type OpenIdProvider } from '../social/provider.ts'
import { readOidc, redirectUriOf } from './provider-wire.ts'

type Row = Tables['identity_provider']

/** Providers whose metadata and keys are remembered. */
const MOST_REMEMBERED = 1_000

/** Clients of OpenID providers of organizations; a changed provider gets a new client. */
export type OpenProviders = (row: Row) => OpenIdProvider

type ProviderDeps = Pick<AccessDeps, 'config' | 'clock' | 'vault' | 'checkedAgent'>

/** Makes the client of an OpenID provider, without cached metadata or keys. */
export function openProvider({ config, clock, vault, checkedAgent }: ProviderDeps, row: Row): OpenIdProvider {
  const clientSecret = vault.open(row.secret ?? '', sealContext('identity_provider', row.id))
  return createOpenIdProvider({
    ...{ name: row.id, dialect: 'openid', clock, agent: checkedAgent, owner: row.organization_id },
    settings: { ...readOidc(row), clientSecret },
    redirectUri: redirectUriOf(config.web.baseUrl, row.id),
  })
}

export function createOpenProviders(deps: ProviderDeps): OpenProviders {
  const known = createBoundedMap<string, { revision: string; provider: OpenIdProvider }>(MOST_REMEMBERED)
  return (row) => {
    const revision = `${row.settings} ${row.secret}`
    const found = known.get(row.id)
    if (found?.revision === revision) return found.provider
    const provider = openProvider(deps, row)
    known.set(row.id, { revision, provider })
    return provider
  }
}
