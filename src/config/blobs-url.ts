/** S3-compatible storage as configured. */
export interface S3Config {
  /** Its origin, without a path. */
  endpoint: string
  bucket: string
  /** The prefix of object names; may be empty. */
  prefix: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

const FORM = 's3://KEY:SECRET@HOST/BUCKET?region=REGION, with ?tls=off for a storage without https'

/**
 * Reads `s3://KEY:SECRET@HOST[:PORT]/BUCKET[/PREFIX][?region=REGION][&tls=off]`.
 * @throws Error in plain words, without the secret
 */
export function blobsUrl(text: string): S3Config | undefined {
  if (text === '') return undefined
  // `URL` parses host and credentials of special schemes only, so the scheme is replaced.
  const url = /^s3:\/\//.test(text) ? URL.parse(text.replace(/^s3:/, 'https:')) : null
  const [bucket = '', ...rest] = url?.pathname.slice(1).split('/') ?? []
  const unknown = [...(url?.searchParams.keys() ?? [])].filter((name) => name !== 'region' && name !== 'tls')
  if (url === null || !/^[a-z0-9][a-z0-9.-]{1,62}$/.test(bucket) || unknown.length > 0 || url.hash !== '')
    throw new Error(`must be ${FORM}`)
  if (url.username === '' || url.password === '') throw new Error(`must name a key and its secret: ${FORM}`)
  const scheme = url.searchParams.get('tls') === 'off' ? 'http' : 'https'
  return {
    endpoint: `${scheme}://${url.host}`,
    bucket,
    prefix: rest.filter((part) => part !== '').join('/'),
    region: url.searchParams.get('region') ?? 'us-east-1',
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
  }
}
