import { BINDING, NAMESPACE } from './names.ts'
import { childrenOf, type Element, readXml, XmlError } from './read-xml.ts'

/** The settings of an identity provider that its metadata has. */
export interface ProviderMetadata {
  entityId: string
  signOnUrl: string
  /** As base64. */
  certificates: string[]
  /** The address for messages about sign-outs; null if none has a binding for browsers. */
  logout: { url: string; responseUrl: string | null; binding: 'redirect' | 'post' } | null
}

/** The reason why metadata is refused. */
type MetadataReason = 'not_xml' | 'not_metadata' | 'many_providers' | 'no_redirect_binding' | 'no_certificate'

/**
 * Reads the metadata of one identity provider (SAML 2.0 Metadata 2.4.3). An administrator has pasted it, so nothing is fetched, and its
 * signature is not verified.
 */
export async function readMetadata(text: string): Promise<ProviderMetadata | MetadataReason> {
  const root = await treeOf(text)
  if (root === undefined) return 'not_xml'
  const is = (name: string) => root.namespace === NAMESPACE.metadata && root.name === name
  if (!is('EntityDescriptor') && !is('EntitiesDescriptor')) return 'not_metadata'
  const entities = is('EntityDescriptor') ? [root] : childrenOf(root, NAMESPACE.metadata, 'EntityDescriptor')
  const found = entities.flatMap((entity) =>
    childrenOf(entity, NAMESPACE.metadata, 'IDPSSODescriptor').map((role) => ({ entity, role })),
  )
  const [first] = found
  if (first === undefined) return 'not_metadata'
  if (found.length > 1) return 'many_providers'
  const { entity, role } = first
  const service = childrenOf(role, NAMESPACE.metadata, 'SingleSignOnService').find(
    ({ attributes }) => attributes.get('Binding') === BINDING.redirect,
  )
  const signOnUrl = service?.attributes.get('Location')
  if (signOnUrl === undefined) return 'no_redirect_binding'
  const certificates = [...new Set(childrenOf(role, NAMESPACE.metadata, 'KeyDescriptor').flatMap(signingOf))]
  if (certificates.length === 0) return 'no_certificate'
  return {
    entityId: entity.attributes.get('entityID') ?? '',
    ...{ signOnUrl, certificates, logout: logoutOf(role) },
  }
}

function logoutOf(role: Element): ProviderMetadata['logout'] {
  const services = childrenOf(role, NAMESPACE.metadata, 'SingleLogoutService')
  for (const binding of ['redirect', 'post'] as const) {
    const found = services.find(({ attributes }) => attributes.get('Binding') === BINDING[binding])
    const url = found?.attributes.get('Location')
    if (url !== undefined)
      return { url, responseUrl: found?.attributes.get('ResponseLocation') ?? null, binding }
  }
  return null
}

async function treeOf(text: string): Promise<Element | undefined> {
  try {
    return await readXml(text.trimStart(), { mayHaveComments: true })
  } catch (error) {
    if (error instanceof XmlError) return undefined
    throw error
  }
}

/** The certificates of a key for signing, or for every use. */
function signingOf(key: Element): string[] {
  if (!['signing', undefined].includes(key.attributes.get('use'))) return []
  return childrenOf(key, NAMESPACE.signature, 'KeyInfo').flatMap((info) =>
    childrenOf(info, NAMESPACE.signature, 'X509Data').flatMap((data) =>
      childrenOf(data, NAMESPACE.signature, 'X509Certificate').map(({ text }) => text.replaceAll(/\s/g, '')),
    ),
  )
}
