import { GROUP_SCHEMA, MOST_RESULTS, USER_SCHEMA } from './scim-wire.ts'

const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema'
const RESOURCE_TYPE = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'
const CONFIG = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'

interface Attribute {
  name: string
  description: string
  type?: 'string' | 'boolean' | 'complex' | 'reference'
  multiValued?: true
  required?: true
  caseExact?: true
  mutability?: 'readWrite' | 'readOnly' | 'immutable'
  uniqueness?: 'server'
  canonicalValues?: string[]
  referenceTypes?: string[]
  subAttributes?: Attribute[]
}

/** An attribute with the defaults of RFC 7643 2.2. */
function whole({ subAttributes, ...given }: Attribute): object {
  return {
    ...{ type: 'string', multiValued: false, required: false, caseExact: false },
    ...{ mutability: 'readWrite', returned: 'default', uniqueness: 'none' },
    ...given,
    ...(subAttributes && { subAttributes: subAttributes.map(whole) }),
  }
}

const USER: Attribute[] = [
  {
    name: 'userName',
    description:
      'The name of the user at the directory, unique in the organization; upper and lower case are equal.',
    ...{ required: true, uniqueness: 'server' },
  },
  {
    name: 'name',
    description: 'The parts of the name.',
    type: 'complex',
    subAttributes: [
      { name: 'formatted', description: 'The whole name.' },
      { name: 'familyName', description: 'The family name.' },
      { name: 'givenName', description: 'The given name.' },
    ],
  },
  { name: 'displayName', description: 'The name for others.' },
  {
    name: 'active',
    description: 'Whether the person gets access. Default: true.',
    ...{ type: 'boolean', required: true },
  },
  {
    name: 'emails',
    description:
      'The address of the person. One is stored: the primary one, else that of type work, else the first. It may be omitted if userName is an address.',
    ...{ type: 'complex', multiValued: true, required: true },
    subAttributes: [
      { name: 'value', description: 'The address, unique in the organization.', required: true },
      { name: 'type', description: 'The kind of address.', canonicalValues: ['work', 'home', 'other'] },
      {
        name: 'primary',
        description: 'Whether it is the address to store, of several.',
        type: 'boolean',
      },
    ],
  },
]

const GROUP: Attribute[] = [
  { name: 'displayName', description: 'The name of the group.', required: true },
  {
    name: 'members',
    description: 'Users of the group.',
    ...{ type: 'complex', multiValued: true },
    subAttributes: [
      { name: 'value', description: 'The id of the user.', mutability: 'immutable' },
      {
        name: '$ref',
        description: 'Where the user is.',
        ...{ type: 'reference', mutability: 'immutable', referenceTypes: ['User'] },
      },
      { name: 'type', description: 'Always User.', mutability: 'immutable', canonicalValues: ['User'] },
    ],
  },
]

const schema = (id: string, name: string, description: string, attributes: Attribute[]) => ({
  schemas: [SCHEMA],
  ...{ id, name, description },
  attributes: attributes.map(whole),
})

export type Described = { id: string; meta: { resourceType: string; location: string } }

/** The discovery documents of SCIM (RFC 7644 4). */
export function describe(scimUrl: string) {
  const located = <T extends { id: string }>(
    resourceType: 'Schema' | 'ResourceType',
    one: T,
  ): T & Described => ({
    ...one,
    meta: { resourceType, location: `${scimUrl}/${resourceType}s/${one.id}` },
  })
  const schemas = [
    schema(USER_SCHEMA, 'User', 'A person of the directory.', USER),
    schema(GROUP_SCHEMA, 'Group', 'A group of the directory.', GROUP),
  ].map((one) => located('Schema', one))
  const resourceTypes = [
    {
      ...{ schemas: [RESOURCE_TYPE], id: 'User', name: 'User', endpoint: '/Users', schema: USER_SCHEMA },
      description: 'A person of the directory.',
    },
    {
      ...{ schemas: [RESOURCE_TYPE], id: 'Group', name: 'Group', endpoint: '/Groups', schema: GROUP_SCHEMA },
      description: 'A group of the directory.',
    },
  ].map((one) => located('ResourceType', one))
  const config = {
    schemas: [CONFIG],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MOST_RESULTS },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        ...{ type: 'oauthbearertoken', name: 'API key', primary: true },
        description: 'An API key of a service account with the scope scim:write, as a bearer token.',
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${scimUrl}/ServiceProviderConfig` },
  }
  return { schemas, resourceTypes, config }
}
