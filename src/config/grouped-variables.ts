import { isSecureUrl } from '../core/text/secure-url.ts'

/** A social sign-in provider as configured. */
export interface ProviderConfig {
  issuer: string
  clientId: string
  clientSecret: string
}

/** A social sign-in provider with its label and dialect. */
export interface SocialProviderConfig extends ProviderConfig {
  name: string
  label: string
  /** How its claims are read: by the standard, or with the provider's own additions. */
  dialect: 'google' | 'microsoft' | 'openid'
  /** Microsoft tenants whose e-mail addresses count as verified without a claim. */
  trustedTenants: string[]
}

/** Stripe as configured. */
export interface StripeConfig {
  secretKey: string
  webhookSecret: string
  apiBase: string
}

/** Reads the settings of a sign-in provider. A part of them alone is a problem. @returns undefined without them */
export function readProvider(
  name: string,
  clientId: string | undefined,
  clientSecret: string | undefined,
  issuer: string | undefined,
  problems: string[],
): ProviderConfig | undefined {
  if (clientId === undefined && clientSecret === undefined) return undefined
  if (clientId === undefined) problems.push(`${name}_CLIENT_ID must be set beside ${name}_CLIENT_SECRET`)
  if (clientSecret === undefined) problems.push(`${name}_CLIENT_SECRET must be set beside ${name}_CLIENT_ID`)
  if (clientId === undefined || clientSecret === undefined || issuer === undefined) return undefined
  if (!isSecureUrl(issuer)) problems.push(`${name}_ISSUER must start with https:// (it is "${issuer}")`)
  return { issuer, clientId, clientSecret }
}

/** Reads the settings of Stripe. One secret without the other is a problem. @returns undefined without them */
export function readStripe(
  secretKey: string | undefined,
  webhookSecret: string | undefined,
  apiBase: string | undefined,
  problems: string[],
): StripeConfig | undefined {
  if (secretKey === undefined && webhookSecret === undefined) return undefined
  if (secretKey === undefined) problems.push('STRIPE_SECRET_KEY must be set beside STRIPE_WEBHOOK_SECRET')
  if (webhookSecret === undefined) problems.push('STRIPE_WEBHOOK_SECRET must be set beside STRIPE_SECRET_KEY')
  if (secretKey === undefined || webhookSecret === undefined || apiBase === undefined) return undefined
  if (!isSecureUrl(apiBase)) problems.push(`STRIPE_API_BASE must start with https:// (it is "${apiBase}")`)
  return { secretKey, webhookSecret, apiBase }
}

/** An embeddings endpoint as configured. */
export interface EmbeddingsConfig {
  /** Without a trailing slash. */
  url: string
  key: string | undefined
  model: string
}

export function readEmbeddings(
  url: string | undefined,
  key: string | undefined,
  model: string | undefined,
  problems: string[],
): EmbeddingsConfig | undefined {
  if (url === undefined && model === undefined) return undefined
  if (url === undefined) problems.push('EMBEDDINGS_URL must be set beside EMBEDDINGS_MODEL')
  if (model === undefined) problems.push('EMBEDDINGS_MODEL must be set beside EMBEDDINGS_URL')
  return url === undefined || model === undefined ? undefined : { url, key, model }
}
